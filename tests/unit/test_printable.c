#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/printable.h"

static void check_masked(const char *text, const char *expected)
{
    char *copy = must_strdup(text); /* of its very size: reading past the end is seen */
    printable_mask(copy);
    assert_string_equal(copy, expected);
    free(copy);
}

static void text_in_any_script_stays(void **state)
{
    (void)state;
    check_masked("", "");
    check_masked("a ~", "a ~");
    check_masked("gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8 \xc2\xa0",
                 "gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8 \xc2\xa0");
}

static void control_characters_are_masked(void **state)
{
    (void)state;
    check_masked("\033[2J\n\r\t\x7f\x01", "?[2J?????");
    check_masked("\xc2\x9b"
                 "2J",
                 "??2J");
}

static void bytes_that_are_no_utf8_are_masked(void **state)
{
    (void)state;
    check_masked("a\xff\x80z", "a??z");
    check_masked("\xc3", "?");
    check_masked("\xe2\x82", "??");
    check_masked("\xf0\x9f\x90", "???");
    check_masked("\xc3(", "?(");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_in_any_script_stays),
        cmocka_unit_test(control_characters_are_masked),
        cmocka_unit_test(bytes_that_are_no_utf8_are_masked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
