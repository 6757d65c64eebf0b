/* Tokens of the text formats of this field (MD5, .anm, later MTR and def): words, "quoted strings" and single
 * punctuation characters, separated by white space, with // and slash-star comments.
 *
 * The text need not end in NUL, lines may be of any length and end in LF or CRLF. Numbers are read in the C
 * locale: nothing in this program calls setlocale.
 *
 * A reader may take many tokens and ask once whether one of them was missing: after the first failure the rest of the text
 * is empty. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

struct lexer {
    struct bytes bytes;
    size_t at;
    unsigned line;     /* of the next character, from 1 */
    struct error *err; /* gets the message of the first failure; NULL: nobody asks for it */
    bool has_failed;   /* all that is taken from now on is empty: the end, or 0 */
};

enum token_kind { TOKEN_END, TOKEN_WORD, TOKEN_STRING, TOKEN_PUNCTUATION };

struct token {
    enum token_kind kind;
    const char *text; /* borrowed from the bytes, without quotes, not NUL-terminated */
    size_t length;
    unsigned line;
};

struct lexer lexer_at_start(struct bytes bytes);

/* Fails, unless it has failed already, with a message that starts with the line number, "312: no joints". Returns -1. */
int lexer_fail(struct lexer *lexer, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Punctuation is one of { } ( ) [ ] , ; a string that is not closed before the end of the text fails. False at the end. */
bool lexer_next(struct lexer *lexer, struct token *out);

/* The next token without taking it. */
bool lexer_peek(struct lexer *lexer, struct token *out);

bool token_is(const struct token *token, const char *text);               /* exact */
bool token_is_ignoring_case(const struct token *token, const char *text); /* ASCII */
bool token_is_sign(const struct token *token, char sign);                 /* this character of punctuation */
int token_find(const struct token *token,
               const char *const *names); /* among names up to NULL, ignoring case; or -1 */

/* For messages: the token's text, quoted, cut to a readable length with unprintable bytes as '?', or "the end
 * of the file". The result lives in `buffer`. */
const char *token_describe(const struct token *token, char buffer[64]);

/* Take the next token and fail, naming what was found, when it is not the thing wanted: "312: expected ')', found
 * 'weights'". Numbers must fill their token and be in range; f64 and f32 must be finite. */
void lexer_expect(struct lexer *lexer, const char *text);
uint32_t lexer_u32(struct lexer *lexer);
int32_t lexer_i32(struct lexer *lexer);
double lexer_f64(struct lexer *lexer, double most); /* at most that, or minus that */
float lexer_f32(struct lexer *lexer);
struct token lexer_string(struct lexer *lexer); /* a string or a bare word */
