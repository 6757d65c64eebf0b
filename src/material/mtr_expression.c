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

struct expression {
    struct lexer *lexer;
    unsigned depth;   /* of parentheses and brackets */
    unsigned chained; /* operators whose right side is being read */
};

static double take_operation(struct expression *expression, int least_rank);

static int peek(const struct expression *expression, size_t ahead)
{
    size_t at = expression->lexer->at + ahead;
    return at < expression->lexer->bytes.size ? expression->lexer->bytes.data[at] : -1;
}

static bool starts_with(const struct expression *expression, const char *text)
{
    for (size_t i = 0; text[i]; i++)
        if (peek(expression, i) != text[i])
            return false;
    return true;
}

/* Inside parentheses lines do not matter. */
static void skip_blank(struct expression *expression)
{
    struct lexer *lexer = expression->lexer;
    bool in_comment = false;
    for (int c; (c = peek(expression, 0)) >= 0; lexer->at++) {
        if (expression->depth > 0 && starts_with(expression, "//"))
            in_comment = true;
        if (c == '\n' && expression->depth == 0)
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
static bool skip_to_close(struct expression *expression)
{
    struct lexer *lexer = expression->lexer;
    size_t depth = 1;
    for (int c; depth > 0 && (c = peek(expression, 0)) >= 0 && c != '{' && c != '}'; lexer->at++) {
        depth += c == '(' || c == '[';
        depth -= c == ')' || c == ']';
        lexer->line += c == '\n';
    }
    return depth == 0;
}

static double take_inside(struct expression *expression, char close)
{
    expression->lexer->at++;
    expression->depth++;
    double value = expression->depth <= MAX_DEPTH ? take_operation(expression, 1) : NAN;
    skip_blank(expression);
    if (peek(expression, 0) == close) {
        expression->lexer->at++;
    } else {
        skip_to_close(expression);
        value = NAN;
    }
    expression->depth--;
    return value;
}

static double take_operand(struct expression *expression)
{
    skip_blank(expression);
    double sign = 1;
    for (; peek(expression, 0) == '-' || peek(expression, 0) == '!';
         expression->lexer->at++, skip_blank(expression))
        sign = peek(expression, 0) == '-' ? -sign : (double)NAN;
    if (peek(expression, 0) == '(')
        return sign * take_inside(expression, ')');

    char word[LONGEST_NUMBER + 1];
    size_t length = 0;
    for (; is_word(peek(expression, 0)); expression->lexer->at++)
        if (length < LONGEST_NUMBER)
            word[length++] = (char)peek(expression, 0);
    word[length] = '\0';
    double value = length > 0 && length < LONGEST_NUMBER ? word_value(word) : NAN;

    skip_blank(expression);
    if (peek(expression, 0) != '[')
        return sign * value;
    take_inside(expression, ']'); /* the place in a table */
    return NAN;
}

static const struct operation *peek_operation(struct expression *expression)
{
    skip_blank(expression);
    if (starts_with(expression, "//") || starts_with(expression, "/*"))
        return NULL;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (starts_with(expression, operations[i].text))
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

static double take_operation(struct expression *expression, int least_rank)
{
    double value = take_operand(expression);
    const struct operation *operation;
    while ((operation = peek_operation(expression)) && operation->rank >= least_rank) {
        expression->lexer->at += strlen(operation->text);
        expression->chained++;
        bool too_long = expression->chained > LONGEST_CHAIN;
        double right = take_operation(expression, operation->rank + too_long);
        value = too_long ? (double)NAN : compute(operation->text, value, right);
        expression->chained--;
    }
    return isfinite(value) ? value : (double)NAN;
}

double mtr_expression_take(struct lexer *lexer)
{
    struct expression expression = {.lexer = lexer};
    return take_operation(&expression, 1);
}
