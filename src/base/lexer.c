#include "base/lexer.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
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

int lexer_fail(struct lexer *lexer, unsigned line, const char *format, ...)
{
    if (lexer->err && !lexer->has_failed) {
        char *text = lexer->err->text;
        const size_t size = sizeof lexer->err->text, length = (size_t)snprintf(text, size, "%u: ", line);
        va_list args;
        va_start(args, format);
        vsnprintf(text + length, size - length, format, args);
        va_end(args);
    }
    lexer->has_failed = true;
    return -1;
}

bool lexer_next(struct lexer *lexer, struct token *out)
{
    if (!lexer->has_failed)
        skip_blank(lexer);
    *out = (struct token){.kind = TOKEN_END, .text = "", .line = lexer->line};
    int c = peek_char(lexer, 0);
    if (c < 0 || lexer->has_failed)
        return false;
    const char *const text = (const char *)lexer->bytes.data;
    if (c == '"') {
        const size_t start = ++lexer->at;
        while (peek_char(lexer, 0) != '"') {
            if (peek_char(lexer, 0) < 0) {
                lexer_fail(lexer, out->line, "a string starts here and is never closed");
                return false;
            }
            skip_char(lexer);
        }
        *out = (struct token){TOKEN_STRING, text + start, lexer->at - start, out->line};
        lexer->at++;
        return true;
    }
    out->kind = is_punctuation(c) ? TOKEN_PUNCTUATION : TOKEN_WORD;
    out->text = text + lexer->at;
    do
        lexer->at++;
    while (out->kind == TOKEN_WORD && (c = peek_char(lexer, 0)) >= 0 && !is_space(c) && !is_punctuation(c) &&
           c != '"' && !starts_comment(lexer));
    out->length = (size_t)(text + lexer->at - out->text);
    return true;
}

bool lexer_peek(struct lexer *lexer, struct token *out)
{
    struct lexer ahead = *lexer;
    const bool is_there = lexer_next(&ahead, out);
    lexer->has_failed = ahead.has_failed;
    return is_there;
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

void lexer_expect(struct lexer *lexer, const char *text)
{
    struct token token;
    char found[64];
    lexer_next(lexer, &token);
    if (token.kind == TOKEN_STRING || !token_is(&token, text))
        lexer_fail(lexer, token.line, "expected '%s', found %s", text, token_describe(&token, found));
}

/* Takes a word and copies it, NUL-terminated, for the number functions of the C library; "" after a failure. */
static unsigned take_number(struct lexer *lexer, const char *kind, char text[LONGEST_NUMBER + 1])
{
    struct token token;
    char found[64];
    lexer_next(lexer, &token);
    if (token.kind != TOKEN_WORD || token.length > LONGEST_NUMBER || memchr(token.text, 0, token.length)) {
        lexer_fail(lexer, token.line, "expected %s, found %s", kind, token_describe(&token, found));
        token.length = 0;
    }
    memcpy(text, token.text, token.length);
    text[token.length] = '\0';
    return token.line;
}

static long long take_integer(struct lexer *lexer, long long least, long long most)
{
    char text[LONGEST_NUMBER + 1], *end;
    const unsigned line = take_number(lexer, "a whole number", text);
    errno = 0;
    const long long value = strtoll(text, &end, 10);
    if (end == text || *end)
        lexer_fail(lexer, line, "expected a whole number, found '%s'", text);
    if (errno || value < least || value > most)
        lexer_fail(lexer, line, "%s is out of range, %lld to %lld are allowed", text, least, most);
    return lexer->has_failed ? 0 : value;
}

uint32_t lexer_u32(struct lexer *lexer)
{
    return (uint32_t)take_integer(lexer, 0, UINT32_MAX);
}

int32_t lexer_i32(struct lexer *lexer)
{
    return (int32_t)take_integer(lexer, INT32_MIN, INT32_MAX);
}

double lexer_f64(struct lexer *lexer, double most)
{
    char text[LONGEST_NUMBER + 1], *end;
    const unsigned line = take_number(lexer, "a number", text);
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        lexer_fail(lexer, line, "expected a finite number, found '%s'", text);
    if (fabs(value) > most)
        lexer_fail(lexer, line, "'%s' is out of range, %g to %g are allowed", text, -most, most);
    return lexer->has_failed ? 0 : value;
}

float lexer_f32(struct lexer *lexer)
{
    return (float)lexer_f64(lexer, (double)FLT_MAX);
}

struct token lexer_string(struct lexer *lexer)
{
    struct token token;
    char found[64];
    lexer_next(lexer, &token);
    if (token.kind != TOKEN_STRING && token.kind != TOKEN_WORD)
        lexer_fail(lexer, token.line, "expected a name, found %s", token_describe(&token, found));
    return token;
}
