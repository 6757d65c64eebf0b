/* Expressions: what they are worth, and where they end. */
#include "asset_tree.h"

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

static void numbers_are_themselves(void **state)
{
    (void)state;
    check("0", 0);
    check("  0.25", 0.25);
    check(".5", 0.5);
    check("1.5f", 1.5);
    check("-3", -3);
    check("- -3", 3);
}

static void words_have_the_values_of_a_still(void **state)
{
    (void)state;
    check("time", 0);
    check("Parm0", 1);
    check("parm3", 1);
    check("parm4", 0);
    check("PARM11", 0);
    check("fragmentPrograms", 1);
}

static void operators_bind_by_rank(void **state)
{
    (void)state;
    check("1 + 2 * 3", 7);
    check("(1 + 2) * 3", 9);
    check("7.9 % 4.5", 3);
    check("1+1 == 2 && 3 > 2", 1);
    check("parm7==0", 1);
    check("parm7!=0", 0);
    check("2 <= 2", 1);
    check("2 >= 3", 0);
    check("0.05 + 0.3 * (time - parm7)", 0.05);
}

static void operators_of_one_rank_group_to_the_right(void **state)
{
    (void)state;
    check("1 - parm4*0.5 + 0.1", 0.9);
    check("7 - 2 - 1", 6);
    check("8/4/2", 4);
    check("2 * 3 % 4 + 1", 7);
    check("0 && 0 || 1", 0);
    check("2 > 3 == 0", 1);
    check("2 > 1 + 1 && 1", 0);
}

static void a_chain_of_any_length_is_taken(void **state)
{
    (void)state;
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

static void dividing_by_zero_is_zero(void **state)
{
    (void)state;
    check("1 / 0", 0);
    check("1 % 0.5", 0);
}

static void what_depends_on_more_is_unknown(void **state)
{
    (void)state;
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
}

static void numbers_too_large_are_unknown(void **state)
{
    (void)state;
    check("4294967295", 4294967295.0);
    check_unknown("99999999999999999999999999999999999999999999999999999999999999999999");
}

static void an_expression_ends_where_it_must(void **state)
{
    (void)state;
    assert_true(value_of("1 map x", "map x") == 1);
    assert_true(value_of("1, 2", ", 2") == 1);
    assert_true(value_of("1\n+ 2", "\n+ 2") == 1);
    assert_true(value_of("1 // + 2", "// + 2") == 1);
    assert_true(value_of("1 /* + 2", "/* + 2") == 1);
    assert_true(value_of("(1 + 2)map", "map") == 3);
    assert_true(value_of("0.5 }", "}") == 0.5);
}

static void parentheses_may_span_lines(void **state)
{
    (void)state;
    assert_true(value_of("( 1 // one\n + 2 )\nmap", "\nmap") == 3);
}

static void lines_are_counted(void **state)
{
    (void)state;
    const char *text = "(1\n+\n2)";
    struct lexer lexer = lexer_at_start((struct bytes){(const uint8_t *)text, strlen(text)});
    mtr_expression_take(&lexer);
    assert_int_equal(lexer.line, 3);
}

static void unclosed_parentheses_end_at_a_brace(void **state)
{
    (void)state;
    assert_true(isnan(value_of("(1 + 2 }", "}")));
    assert_true(isnan(value_of("table[ 2 {", "{")));
}

static void deep_parentheses_are_unknown_and_passed_over(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH + 3);
    memset(text, '(', DEPTH);
    text[DEPTH] = '1';
    memset(text + DEPTH + 1, ')', DEPTH);
    memcpy(text + 2 * DEPTH + 1, "x", 2);
    assert_true(isnan(value_of(text, "x")));
    free(text);
}

static void an_expression_cut_anywhere_is_read(void **state)
{
    (void)state;
    static const char text[] = "-parm3*(sinTable[time%2]+0.5)>=1&&!fragmentPrograms||(1/(2-2))";
    for (size_t size = 0; size < sizeof text; size++) {
        struct bytes bytes = exact_copy(text, size);
        struct lexer lexer = lexer_at_start(bytes);
        mtr_expression_take(&lexer);
        assert_in_range(lexer.at, 0, size);
        free((void *)bytes.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_themselves),
        cmocka_unit_test(words_have_the_values_of_a_still),
        cmocka_unit_test(operators_bind_by_rank),
        cmocka_unit_test(operators_of_one_rank_group_to_the_right),
        cmocka_unit_test(a_chain_of_any_length_is_taken),
        cmocka_unit_test(dividing_by_zero_is_zero),
        cmocka_unit_test(what_depends_on_more_is_unknown),
        cmocka_unit_test(numbers_too_large_are_unknown),
        cmocka_unit_test(an_expression_ends_where_it_must),
        cmocka_unit_test(parentheses_may_span_lines),
        cmocka_unit_test(lines_are_counted),
        cmocka_unit_test(unclosed_parentheses_end_at_a_brace),
        cmocka_unit_test(deep_parentheses_are_unknown_and_passed_over),
        cmocka_unit_test(an_expression_cut_anywhere_is_read),
    };
    return cmocka_run_group_tests_name("mtr_expression", tests, NULL, NULL);
}
