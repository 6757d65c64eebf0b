#include "material/declarations.h"

#include <stdlib.h>
#include <string.h>

/* The engine's types. Any other word before a name is not a type. */
static const char *const types[] = {
    "material", "table",  "skin",   "particle", "fx",  "sound", "entityDef", "mapDef", "model",
    "export",   "camera", "effect", "playback", "pda", "email", "video",     "audio",  "articulatedFigure",
    NULL,
};

struct scan {
    struct lexer lexer;
    struct declarations *out;
    struct strings *warnings;
    bool warned;
    bool recovering; /* a block was never closed: blocks now end where the next declaration seems to start */
};

/* -- Tokens ------------------------------------------------------------------------------------------------ */

/* A string has to end on its line. Of one that does not, *out is the quote alone. */
static bool take_token(struct lexer *lexer, struct token *out)
{
    struct lexer before = *lexer;
    const char *text = (const char *)before.bytes.data;
    const char *quote = NULL;
    if (!lexer_next(lexer, out) && lexer->has_failed)
        quote = memrchr(text + before.at, '"', before.bytes.size - before.at);
    else if (out->kind == TOKEN_STRING && memchr(out->text, '\n', out->length))
        quote = out->text - 1;
    if (quote) {
        *lexer = before;
        lexer->at = (size_t)(quote - text) + 1;
        for (const char *c = text + before.at; c < quote; c++)
            lexer->line += *c == '\n';
        *out = (struct token){.kind = TOKEN_PUNCTUATION, .text = quote, .length = 1, .line = lexer->line};
    }
    return out->kind != TOKEN_END;
}

bool declaration_next(struct lexer *lexer, struct token *out)
{
    bool found;
    do
        found = take_token(lexer, out);
    while (found && token_is_sign(out, '"'));
    return found;
}

bool declaration_peek(const struct lexer *lexer, struct token *out)
{
    struct lexer ahead = *lexer;
    return declaration_next(&ahead, out);
}

/* Past what is left of a block whose '{' was taken, its '}' included. */
static void skip_block(struct lexer *lexer)
{
    struct token token;
    for (size_t depth = 1; depth > 0 && declaration_next(lexer, &token);) {
        if (token_is_sign(&token, '{'))
            depth++;
        else if (token_is_sign(&token, '}'))
            depth--;
    }
}

bool declaration_next_word(struct lexer *lexer, struct token *out)
{
    while (declaration_next(lexer, out) && !token_is_sign(out, '}')) {
        if (out->kind != TOKEN_PUNCTUATION)
            return true;
        if (token_is_sign(out, '{'))
            skip_block(lexer);
    }
    return false;
}

bool declaration_take_word(struct lexer *lexer, unsigned line, struct token *out)
{
    return declaration_peek(lexer, out) && out->kind != TOKEN_PUNCTUATION && (!line || out->line == line) &&
           declaration_next(lexer, out);
}

bool declaration_peek_sign(const struct lexer *lexer, char sign)
{
    struct token token;
    return declaration_peek(lexer, &token) && token_is_sign(&token, sign);
}

bool declaration_take_sign(struct lexer *lexer, char sign)
{
    struct token token;
    return declaration_peek_sign(lexer, sign) && declaration_next(lexer, &token);
}

void declaration_skip_line(struct lexer *lexer, const struct token *taken, const char *const *until)
{
    struct token token;
    while (declaration_peek(lexer, &token) && token.line == taken->line && !token_is_sign(&token, '}')) {
        if (until && token.kind == TOKEN_WORD && token_find(&token, until) >= 0)
            return;
        declaration_next(lexer, &token);
        if (token_is_sign(&token, '{')) {
            skip_block(lexer);
            return;
        }
    }
}

const char *declaration_text(struct arena *arena, const struct token *token)
{
    char *text = arena_strndup(arena, token->text, token->length);
    for (char *c = text; *c; c++)
        if (*c == '\\')
            *c = '/';
    return text;
}

/* -- Scanning ---------------------------------------------------------------------------------------------- */

static void warn(struct scan *scan, unsigned line, const char *what)
{
    if (!scan->warned)
        strings_printf(scan->warnings, "%u: %s", line, what);
    scan->warned = true;
}

static bool is_type(const struct token *token)
{
    return token->kind == TOKEN_WORD && token_find(token, types) >= 0;
}

/* Whether a word at the start of its line is a name, or a type and a name, with a block of its own. */
static bool starts_declaration(const struct lexer *after, const struct token *word)
{
    const char *text = (const char *)after->bytes.data;
    if (word->kind != TOKEN_WORD || (word->text > text && word->text[-1] != '\n'))
        return false;
    struct lexer ahead = *after;
    struct token next;
    bool found = declaration_next(&ahead, &next);
    if (found && is_type(word) && next.kind != TOKEN_PUNCTUATION)
        found = declaration_next(&ahead, &next);
    return found && token_is_sign(&next, '{');
}

/* From behind a '{' to behind its '}'; *end is where the block's own text ends. False where it is not closed: then
 * the end is that of the text, or, when recovering, the next declaration. */
static bool take_block(struct scan *scan, size_t *end)
{
    struct lexer *lexer = &scan->lexer;
    struct token token;
    struct lexer before = *lexer;
    for (size_t depth = 1; take_token(lexer, &token); before = *lexer) {
        *end = (size_t)(token.text - (const char *)lexer->bytes.data);
        if (token_is_sign(&token, '"'))
            warn(scan, token.line, "a quote that no other on its line closes");
        if (token_is_sign(&token, '{'))
            depth++;
        if (token_is_sign(&token, '}') && --depth == 0)
            return true;
        if (scan->recovering && starts_declaration(lexer, &token)) {
            *lexer = before;
            return false;
        }
    }
    *end = lexer->bytes.size;
    return false;
}

static void add_declaration(struct scan *scan, const struct token *type, const struct token *name)
{
    struct declarations *out = scan->out;
    struct token cut = *name;
    if (cut.length > DECLARATION_LONGEST_NAME)
        cut.length = DECLARATION_LONGEST_NAME;
    struct declaration *item = MUST_ADD(out->items, out->count, out->capacity);
    *item = (struct declaration){
        .type = type->kind == TOKEN_WORD ? declaration_text(&out->arena, type) : "",
        .name = declaration_text(&out->arena, &cut),
        .line = name->line,
        .body = scan->lexer,
    };

    size_t end;
    if (!take_block(scan, &end) && !scan->recovering) {
        warn(scan, item->body.line, "a block opens that is never closed");
        scan->recovering = true;
        scan->lexer = item->body;
        take_block(scan, &end);
    }
    item->body.bytes.size = end;
}

/* What was read of the line that leads to a block. */
struct head {
    struct token type, name; /* TOKEN_END: none */
};

static void take_head_token(struct scan *scan, struct head *head, const struct token *token)
{
    static const struct token none = {.kind = TOKEN_END};
    size_t end;
    if (token_is_sign(token, '{')) {
        if (head->name.kind != TOKEN_END) {
            add_declaration(scan, &head->type, &head->name);
        } else {
            warn(scan, token->line, "a block without a name");
            take_block(scan, &end);
        }
        *head = (struct head){none, none};
    } else if (token_is_sign(token, '}') || token_is_sign(token, '"')) {
        warn(scan, token->line,
             token_is_sign(token, '}') ? "'}' closes nothing" : "a quote that no other on its line closes");
        *head = (struct head){none, none};
    } else if (token->kind == TOKEN_PUNCTUATION) {
        *head = (struct head){none, none}; /* the arguments of a guide, a declaration without a block */
    } else {
        head->type = is_type(&head->name) ? head->name : none;
        head->name = *token;
    }
}

void declarations_scan(struct bytes bytes, struct declarations *out, struct strings *warnings)
{
    struct scan scan = {.lexer = lexer_at_start(bytes), .out = out, .warnings = warnings};
    if (bytes_start_with(bytes, "\xef\xbb\xbf")) /* a byte order mark */
        scan.lexer.at = 3;
    struct head head = {{.kind = TOKEN_END}, {.kind = TOKEN_END}};
    struct token token;
    while (take_token(&scan.lexer, &token)) {
        if (out->count == DECLARATIONS_MAX) {
            warn(&scan, token.line, "more declarations than are read of one file");
            return;
        }
        take_head_token(&scan, &head, &token);
    }
}

void declarations_release(struct declarations *declarations)
{
    arena_release(&declarations->arena);
    free(declarations->items);
    *declarations = (struct declarations){0};
}
