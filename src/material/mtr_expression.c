/* Expressions in materials, such as `0.5 * (1 - parm7)`, at the moment that pictures show: time 0, a living,
 * untinted thing (parm0 to parm3 are 1, the others 0).
 *
 * Numbers, the words time, parm0 to parm11 and fragmentPrograms, parentheses and operators are computed. As in the
 * engine, operators have four ranks (* / %, then + -, then > >= < <= == !=, then && ||) and those of one rank group
 * to the right: 1 - 0.5 + 0.1 is 1 - (0.5 + 0.1). % takes whole numbers. What depends on more (tables, sound, global
 * parameters) is not known: the result is then NaN. */
#include "material/mtr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Deeper ones are not known; their parentheses are passed over all the same. */
enum { MAX_DEPTH = 32, LONGEST_NUMBER = 63 };

/* The value of a longer chain of operators is not known. Real ones have up to six. */
enum { LONGEST_CHAIN = 256 };

struct operation {
    const char *text; /* longer ones before those they start with */
    int rank;         /* higher binds tighter */
};

static const struct operation operations[] = {
    {"||", 1}, {"&&", 1}, {"==", 2}, {"!=", 2}, {">=", 2}, {"<=", 2}, {">", 2},
    {"<", 2},  {"+", 3},  {"-", 3},  {"*", 4},  {"/", 4},  {"%", 4},
};

struct parser {
    struct lexer *lexer;
    unsigned depth;   /* of parentheses and brackets */
    unsigned chained; /* operators whose right side is being read */
};

static double take_operation(struct parser *parser, int least_rank);

static int peek(const struct parser *parser, size_t ahead)
{
    size_t at = parser->lexer->at + ahead;
    return at < parser->lexer->bytes.size ? parser->lexer->bytes.data[at] : -1;
}

static bool starts_with(const struct parser *parser, const char *text)
{
    for (size_t i = 0; text[i]; i++)
        if (peek(parser, i) != text[i])
            return false;
    return true;
}

/* Inside parentheses lines do not matter. */
static void skip_blank(struct parser *parser)
{
    struct lexer *lexer = parser->lexer;
    bool in_comment = false;
    for (int c; (c = peek(parser, 0)) >= 0; lexer->at++) {
        if (parser->depth > 0 && starts_with(parser, "//"))
            in_comment = true;
        if (c == '\n' && parser->depth == 0)
            return;
        if (c == '\n') {
            lexer->line++;
            in_comment = false;
        } else if (!in_comment && c != ' ' && c != '\t' && c != '\r') {
            return;
        }
    }
}

static bool is_word(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

static double word_value(const char *word)
{
    char *end;
    double value = strtod(word, &end);
    if (end > word && (!*end || !strcasecmp(end, "f")))
        return isfinite(value) ? value : NAN;
    if (!strcasecmp(word, "time"))
        return 0;
    if (!strcasecmp(word, "fragmentPrograms"))
        return 1;
    if (strncasecmp(word, "parm", 4) || !word[4])
        return NAN;
    long number = strtol(word + 4, &end, 10);
    return *end || number < 0 || number > 11 ? NAN : number < 4 ? 1 : 0;
}

/* Past the closing one of the parentheses or brackets that opened; false at a brace or the end. */
static bool skip_to_close(struct parser *parser)
{
    struct lexer *lexer = parser->lexer;
    size_t depth = 1;
    for (int c; depth > 0 && (c = peek(parser, 0)) >= 0 && c != '{' && c != '}'; lexer->at++) {
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        lexer->line += c == '\n';
    }
    return depth == 0;
}

static double take_inside(struct parser *parser, char close)
{
    parser->lexer->at++;
    parser->depth++;
    double value = parser->depth <= MAX_DEPTH ? take_operation(parser, 1) : NAN;
    skip_blank(parser);
    if (peek(parser, 0) == close) {
        parser->lexer->at++;
    } else {
        skip_to_close(parser);
        value = NAN;
    }
    parser->depth--;
    return value;
}

static double take_operand(struct parser *parser)
{
    skip_blank(parser);
    double sign = 1;
    for (; peek(parser, 0) == '-' || peek(parser, 0) == '!'; parser->lexer->at++, skip_blank(parser))
        sign = peek(parser, 0) == '-' ? -sign : (double)NAN;
    if (peek(parser, 0) == '(')
        return sign * take_inside(parser, ')');

    char word[LONGEST_NUMBER + 1];
    size_t length = 0;
    for (; is_word(peek(parser, 0)); parser->lexer->at++)
        if (length < LONGEST_NUMBER)
            word[length++] = (char)peek(parser, 0);
    word[length] = '\0';
    double value = length > 0 && length < LONGEST_NUMBER ? word_value(word) : NAN;

    skip_blank(parser);
    if (peek(parser, 0) != '[')
        return sign * value;
    take_inside(parser, ']'); /* the place in a table */
    return NAN;
}

static const struct operation *peek_operation(struct parser *parser)
{
    skip_blank(parser);
    if (starts_with(parser, "//") || starts_with(parser, "/*"))
        return NULL;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (starts_with(parser, operations[i].text))
            return &operations[i];
    return NULL;
}

static double compute(const char *sign, double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    switch (sign[0]) {
    case '|':
        return a != 0 || b != 0;
    case '&':
        return a != 0 && b != 0;
    case '=':
        return a == b;
    case '!':
        return a != b;
    case '>':
        return sign[1] ? a >= b : a > b;
    case '<':
        return sign[1] ? a <= b : a < b;
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    case '/':
        return b == 0 ? 0 : a / b;
    default:
        return trunc(b) == 0 ? 0 : fmod(trunc(a), trunc(b));
    }
}

static double take_operation(struct parser *parser, int least_rank)
{
    double value = take_operand(parser);
    const struct operation *operation;
    while ((operation = peek_operation(parser)) && operation->rank >= least_rank) {
        parser->lexer->at += strlen(operation->text);
        parser->chained++;
        bool too_long = parser->chained > LONGEST_CHAIN;
        double right = take_operation(parser, operation->rank + too_long);
        value = too_long ? (double)NAN : compute(operation->text, value, right);
        parser->chained--;
    }
    return isfinite(value) ? value : (double)NAN;
}

double mtr_expression_take(struct lexer *lexer)
{
    struct parser parser = {.lexer = lexer};
    return take_operation(&parser, 1);
}
