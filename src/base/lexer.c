#include "base/lexer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_NUMBER = 63 };

struct lexer lexer_at_start(struct bytes bytes)
{
    return (struct lexer){.bytes = bytes, .line = 1};
}

static int peek_char(const struct lexer *lexer, size_t ahead)
{
    size_t at = lexer->at + ahead;
    return at < lexer->bytes.size ? lexer->bytes.data[at] : -1;
}

static void skip_char(struct lexer *lexer)
{
    if (lexer->bytes.data[lexer->at++] == '\n')
        lexer->line++;
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0';
}

static bool is_punctuation(int c)
{
    return c > 0 && strchr("{}()[],;", c);
}

static bool starts_comment(const struct lexer *lexer)
{
    return peek_char(lexer, 0) == '/' && (peek_char(lexer, 1) == '/' || peek_char(lexer, 1) == '*');
}

static void skip_comment(struct lexer *lexer)
{
    bool block = peek_char(lexer, 1) == '*';
    lexer->at += 2;
    while (peek_char(lexer, 0) >= 0) {
        if (!block && peek_char(lexer, 0) == '\n')
            return;
        if (block && peek_char(lexer, 0) == '*' && peek_char(lexer, 1) == '/') {
            lexer->at += 2;
            return;
        }
        skip_char(lexer);
    }
}

static void skip_blank(struct lexer *lexer)
{
    for (;;) {
        int c = peek_char(lexer, 0);
        if (c >= 0 && is_space(c))
            skip_char(lexer);
        else if (starts_comment(lexer))
            skip_comment(lexer);
        else
            return;
    }
}

int lexer_next(struct lexer *lexer, struct token *out, struct error *err)
{
    skip_blank(lexer);
    struct token token = {.kind = TOKEN_END, .text = "", .line = lexer->line};
    int c = peek_char(lexer, 0);
    if (c == '"') {
        token.kind = TOKEN_STRING;
        lexer->at++;
        size_t start = lexer->at;
        while (peek_char(lexer, 0) != '"') {
            if (peek_char(lexer, 0) < 0)
                return error_set(err, "%u: a string starts here and is never closed", token.line);
            skip_char(lexer);
        }
        token.text = (const char *)lexer->bytes.data + start;
        token.length = lexer->at - start;
        lexer->at++;
    } else if (c >= 0) {
        token.kind = is_punctuation(c) ? TOKEN_PUNCTUATION : TOKEN_WORD;
        token.text = (const char *)lexer->bytes.data + lexer->at;
        do
            lexer->at++;
        while (token.kind == TOKEN_WORD && (c = peek_char(lexer, 0)) >= 0 && !is_space(c) && !is_punctuation(c) &&
               c != '"' && !starts_comment(lexer));
        token.length = (size_t)((const char *)lexer->bytes.data + lexer->at - token.text);
    }
    *out = token;
    return 0;
}

int lexer_peek(const struct lexer *lexer, struct token *out, struct error *err)
{
    struct lexer ahead = *lexer;
    return lexer_next(&ahead, out, err);
}

bool token_is(const struct token *token, const char *text)
{
    return token->kind != TOKEN_END && strlen(text) == token->length && !memcmp(token->text, text, token->length);
}

bool token_is_ignoring_case(const struct token *token, const char *text)
{
    return token->kind != TOKEN_END && strlen(text) == token->length &&
           !strncasecmp(token->text, text, token->length);
}

bool token_is_sign(const struct token *token, char sign)
{
    return token->kind == TOKEN_PUNCTUATION && *token->text == sign;
}

int token_find(const struct token *token, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        if (token_is_ignoring_case(token, names[i]))
            return i;
    return -1;
}

const char *token_describe(const struct token *token, char buffer[64])
{
    enum { SHOWN = 40 };
    if (token->kind == TOKEN_END) {
        snprintf(buffer, 64, "the end of the file");
        return buffer;
    }
    size_t length = token->length < SHOWN ? token->length : SHOWN;
    int at = snprintf(buffer, 64, "'");
    for (size_t i = 0; i < length; i++)
        buffer[at++] = token->text[i] >= ' ' && token->text[i] < 127 ? token->text[i] : '?';
    snprintf(buffer + at, 64 - (size_t)at, token->length > SHOWN ? "...'" : "'");
    return buffer;
}

int lexer_expect(struct lexer *lexer, const char *text, struct error *err)
{
    struct token token;
    char found[64];
    if (lexer_next(lexer, &token, err) < 0)
        return -1;
    if (token.kind == TOKEN_STRING || !token_is(&token, text))
        return error_set(err, "%u: expected '%s', found %s", token.line, text, token_describe(&token, found));
    return 0;
}

/* Takes a word and copies it, NUL-terminated, for the number functions of the C library. */
static int take_number(struct lexer *lexer, const char *kind, char text[LONGEST_NUMBER + 1], struct token *token,
                       struct error *err)
{
    char found[64];
    if (lexer_next(lexer, token, err) < 0)
        return -1;
    if (token->kind != TOKEN_WORD || token->length > LONGEST_NUMBER || memchr(token->text, 0, token->length))
        return error_set(err, "%u: expected %s, found %s", token->line, kind, token_describe(token, found));
    memcpy(text, token->text, token->length);
    text[token->length] = '\0';
    return 0;
}

static int take_integer(struct lexer *lexer, long long least, long long most, long long *out, struct error *err)
{
    char text[LONGEST_NUMBER + 1], *end;
    struct token token;
    if (take_number(lexer, "a whole number", text, &token, err) < 0)
        return -1;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end)
        return error_set(err, "%u: expected a whole number, found '%s'", token.line, text);
    if (errno || value < least || value > most)
        return error_set(err, "%u: %s is out of range, %lld to %lld are allowed", token.line, text, least, most);
    *out = value;
    return 0;
}

int lexer_u32(struct lexer *lexer, uint32_t *out, struct error *err)
{
    long long value;
    if (take_integer(lexer, 0, UINT32_MAX, &value, err) < 0)
        return -1;
    *out = (uint32_t)value;
    return 0;
}

int lexer_i32(struct lexer *lexer, int32_t *out, struct error *err)
{
    long long value;
    if (take_integer(lexer, INT32_MIN, INT32_MAX, &value, err) < 0)
        return -1;
    *out = (int32_t)value;
    return 0;
}

static int take_finite(struct lexer *lexer, double *out, char text[LONGEST_NUMBER + 1], struct token *token,
                       struct error *err)
{
    char *end;
    if (take_number(lexer, "a number", text, token, err) < 0)
        return -1;
    *out = strtod(text, &end);
    if (end == text || *end || !isfinite(*out))
        return error_set(err, "%u: expected a finite number, found '%s'", token->line, text);
    return 0;
}

int lexer_f64(struct lexer *lexer, double most, double *out, struct error *err)
{
    char text[LONGEST_NUMBER + 1];
    struct token token;
    if (take_finite(lexer, out, text, &token, err) < 0)
        return -1;
    if (fabs(*out) > most)
        return error_set(err, "%u: '%s' is out of range, %g to %g are allowed", token.line, text, -most, most);
    return 0;
}

int lexer_f32(struct lexer *lexer, float *out, struct error *err)
{
    char text[LONGEST_NUMBER + 1];
    struct token token;
    double value;
    if (take_finite(lexer, &value, text, &token, err) < 0)
        return -1;
    if (!isfinite((float)value))
        return error_set(err, "%u: '%s' does not fit a 32-bit float", token.line, text);
    *out = (float)value;
    return 0;
}

int lexer_string(struct lexer *lexer, struct token *out, struct error *err)
{
    struct token token;
    char found[64];
    if (lexer_next(lexer, &token, err) < 0)
        return -1;
    if (token.kind != TOKEN_STRING && token.kind != TOKEN_WORD)
        return error_set(err, "%u: expected a name, found %s", token.line, token_describe(&token, found));
    *out = token;
    return 0;
}
