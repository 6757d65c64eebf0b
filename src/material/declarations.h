/* The text files in which games of the Doom 3 family declare their materials, skins, models and much else:
 *
 *     table pulse { { 0, 1 } }
 *     models/imp/body
 *     {
 *         diffusemap models/imp/body.tga
 *     }
 *
 * A declaration is a type, which many files leave out, a name, and a block in braces. This finds where each of
 * them is; what is in the blocks is read by others (material/mtr.h, material/model_decl.h), when it is
 * asked for.
 *
 * Such files are written by hand, and the engines forgive much, so nothing here fails. Where braces or quotes do
 * not match, one warning says in which line, and reading goes on: a block that is never closed ends where a name
 * at the very start of a line has a block of its own. */
#pragma once

#include "base/bytes.h"
#include "base/lexer.h"
#include "base/memory.h"
#include "base/strings.h"

/* The largest real files have some 400. */
enum { DECLARATIONS_MAX = 65536 };

/* Longer names are cut, and so never found: messages and look-ups repeat them. */
enum { DECLARATION_LONGEST_NAME = 1023 };

struct declaration {
    const char *type; /* "table", as written, or "" */
    const char *name;
    unsigned line;     /* of the name, from 1 */
    struct lexer body; /* at the start of what is in the block, and ends with it; borrows the text */
};

struct declarations {
    struct arena arena;
    struct declaration *items; /* in the order of the file */
    size_t count, capacity;
};

/* Adds at most one warning, which starts with the number of a line. */
void declarations_scan(struct bytes bytes, struct declarations *out, struct strings *warnings);
void declarations_release(struct declarations *declarations);

/* For reading a block: like lexer_next and lexer_peek, but a quote without another on its line counts as blank, so
 * that there is no failure. False at the end of the text. */
bool declaration_next(struct lexer *lexer, struct token *out);
bool declaration_peek(const struct lexer *lexer, struct token *out);

/* The next word or string of a block, past signs and the blocks in it. False at its end, of which a '}' is taken. */
bool declaration_next_word(struct lexer *lexer, struct token *out);

/* The next token if it is a word or a string, on that line unless it is 0; or if it is this sign. Else false, and nothing
 * is taken. */
bool declaration_take_word(struct lexer *lexer, unsigned line, struct token *out);
bool declaration_take_sign(struct lexer *lexer, char sign);
bool declaration_peek_sign(const struct lexer *lexer, char sign);

/* Past what is left of the line of the token just taken, and of a block that opens there; but a '}' stays, and so does one
 * of the words, up to NULL, in `until`. */
void declaration_skip_line(struct lexer *lexer, const struct token *taken, const char *const *until);

/* The token's text in the arena, with '\' turned into '/'. */
const char *declaration_text(struct arena *arena, const struct token *token);
