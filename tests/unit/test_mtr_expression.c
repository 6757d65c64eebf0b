/* Expressions: what they are worth, and where they end. */
#include "asset_tree.h"
#include "test.h"

#include <math.h>

#include "material/mtr.h"
#include "base/buffer.h"

/* What is left of the text must be `rest`. */
static double value_of(const char *text, const char *rest)
{
    struct bytes bytes = exact_copy(text, strlen(text));
    struct lexer lexer = lexer_at_start(bytes);
    double value = mtr_expression_take(&lexer);
    size_t left = bytes.size - lexer.at;
    if (left != strlen(rest) || memcmp(bytes.data + lexer.at, rest, left))
        fail_msg("'%s' leaves '%.*s', not '%s'", text, (int)left, (const char *)bytes.data + lexer.at, rest);
    free((void *)bytes.data);
    return value;
}

static void check(const char *text, double expected)
{
    double value = value_of(text, "");
    if (fabs(value - expected) > 1e-9 || isnan(value))
        fail_msg("'%s' is %g, not %g", text, value, expected);
}

static void check_unknown(const char *text)
{
    double value = value_of(text, "");
    if (!isnan(value))
        fail_msg("'%s' is %g, not unknown", text, value);
}

TEST(a_chain_of_any_length_is_taken)
{
    struct buffer text = {0};
    for (int i = 0; i < 200; i++)
        buffer_printf(&text, "1 + ");
    char *known = must_printf("%s1", text.text);
    check(known, 201);
    free(known);
    for (int i = 0; i < 100000; i++)
        buffer_printf(&text, "1 %s ", i % 2 ? "*" : "+");
    buffer_printf(&text, "1");
    check_unknown(text.text);
    buffer_release(&text);
}

TEST(lines_are_counted)
{
    const char *text = "(1\n+\n2)";
    struct lexer lexer = lexer_at_start((struct bytes){(const uint8_t *)text, strlen(text)});
    mtr_expression_take(&lexer);
    assert_int_equal(lexer.line, 3);
}

TEST(expressions_are_worked_out)
{
    fact("numbers are themselves");
    check("0", 0);
    check("  0.25", 0.25);
    check(".5", 0.5);
    check("1.5f", 1.5);
    check("-3", -3);
    check("- -3", 3);
    fact("words have the values of a still");
    check("time", 0);
    check("Parm0", 1);
    check("parm3", 1);
    check("parm4", 0);
    check("PARM11", 0);
    check("fragmentPrograms", 1);
    fact("operators bind by rank");
    check("1 + 2 * 3", 7);
    check("(1 + 2) * 3", 9);
    check("7.9 % 4.5", 3);
    check("1+1 == 2 && 3 > 2", 1);
    check("parm7==0", 1);
    check("parm7!=0", 0);
    check("2 <= 2", 1);
    check("2 >= 3", 0);
    check("0.05 + 0.3 * (time - parm7)", 0.05);
    fact("operators of one rank group to the right");
    check("1 - parm4*0.5 + 0.1", 0.9);
    check("7 - 2 - 1", 6);
    check("8/4/2", 4);
    check("2 * 3 % 4 + 1", 7);
    check("0 && 0 || 1", 0);
    check("2 > 3 == 0", 1);
    check("2 > 1 + 1 && 1", 0);
    fact("dividing by zero is zero");
    check("1 / 0", 0);
    check("1 % 0.5", 0);
    fact("what depends on more is unknown");
    check_unknown("sinTable[ time * 0.5 ]");
    check_unknown("1 + pulse[0]");
    check_unknown("sound");
    check_unknown("global3");
    check_unknown("parm12");
    check_unknown("parm");
    check_unknown("1e999");
    check_unknown("inf");
    check_unknown("nan");
    check_unknown("!parm7");
    check_unknown("");
    check_unknown("1 +");
    check_unknown("(1");
    fact("numbers too large are unknown");
    check("4294967295", 4294967295.0);
    check_unknown("99999999999999999999999999999999999999999999999999999999999999999999");
    fact("an expression ends where it must");
    assert_true(value_of("1 map x", "map x") == 1);
    assert_true(value_of("1, 2", ", 2") == 1);
    assert_true(value_of("1\n+ 2", "\n+ 2") == 1);
    assert_true(value_of("1 // + 2", "// + 2") == 1);
    assert_true(value_of("1 /* + 2", "/* + 2") == 1);
    assert_true(value_of("(1 + 2)map", "map") == 3);
    assert_true(value_of("0.5 }", "}") == 0.5);
    fact("parentheses may span lines");
    assert_true(value_of("( 1 // one\n + 2 )\nmap", "\nmap") == 3);
    fact("unclosed parentheses end at a brace");
    assert_true(isnan(value_of("(1 + 2 }", "}")));
    assert_true(isnan(value_of("table[ 2 {", "{")));
}

TEST(deep_parentheses_are_unknown_and_passed_over)
{
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH + 3);
    memset(text, '(', DEPTH);
    text[DEPTH] = '1';
    memset(text + DEPTH + 1, ')', DEPTH);
    memcpy(text + 2 * DEPTH + 1, "x", 2);
    assert_true(isnan(value_of(text, "x")));
    free(text);
}

TEST(an_expression_cut_anywhere_is_read)
{
    static const char text[] = "-parm3*(sinTable[time%2]+0.5)>=1&&!fragmentPrograms||(1/(2-2))";
    for (size_t size = 0; size < sizeof text; size++) {
        struct bytes bytes = exact_copy(text, size);
        struct lexer lexer = lexer_at_start(bytes);
        mtr_expression_take(&lexer);
        assert_in_range(lexer.at, 0, size);
        free((void *)bytes.data);
    }
}
