#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "job/name.h"

static void accepts(const char *name)
{
    struct error err = {""};
    if (name_check_path(name, &err) < 0)
        fail_msg("'%s' %s", name, err.text);
}

static void refuses(const char *name, const char *message)
{
    struct error err = {""};
    assert_int_equal(name_check_path(name, &err), -1);
    assert_string_equal(err.text, message);
}

/* "aaa..." in parts of 100, so that only the length of the whole can be wrong. */
static void fill_parts(char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        name[i] = i % 101 == 100 ? '/' : 'a';
    name[length] = '\0';
}

static void names_may_be_in_any_script(void **state)
{
    (void)state;
    accepts("orc");
    accepts("monsters/orc 2/run.fast");
    accepts("sch\xC3\xB6n");                      /* two bytes */
    accepts("\xE9\xBE\x8D/\xEF\xBF\xBD");         /* three */
    accepts("\xF0\x9F\x90\x89/\xF4\x8F\xBF\xBF"); /* four, and the last character there is */
}

static void names_are_utf8(void **state)
{
    (void)state;
    refuses("sch\xF6n", "is not UTF-8 text");
    refuses("a\x80", "is not UTF-8 text"); /* a second byte without a first */
    refuses("a\xC3", "is not UTF-8 text"); /* cut off */
    refuses("\xE9\xBE", "is not UTF-8 text");
    refuses("\xE9\xBEz", "is not UTF-8 text");
    refuses("\xC0\xAF", "is not UTF-8 text"); /* '/', the long way */
    refuses("\xE0\x80\xAF", "is not UTF-8 text");
    refuses("\xF0\x80\x80\xAF", "is not UTF-8 text");
    refuses("\xED\xA0\x80", "is not UTF-8 text");     /* half of a surrogate pair */
    refuses("\xF4\x90\x80\x80", "is not UTF-8 text"); /* past the last */
    refuses("\xFF", "is not UTF-8 text");
}

static void names_hold_no_control_characters(void **state)
{
    (void)state;
    refuses("a\nb", "holds the control character U+000A");
    refuses("a\x7F", "holds the control character U+007F");
    refuses("a\xC2\x85", "holds the control character U+0085");
    accepts("a\xC2\xA0z");
}

static void names_can_be_files_of_windows(void **state)
{
    (void)state;
    for (const char *c = "\\:*?\"<>|"; *c; c++) {
        char name[] = "monsters/orc x2", message[128];
        name[12] = *c;
        snprintf(message, sizeof message,
                 "holds '%c' (none of \\:*?\"<>| is allowed: Windows and CI artifacts refuse them)", *c);
        refuses(name, message);
    }
    refuses("orcs./a", "has a part that ends in '.', which Windows refuses");
    refuses("orcs /a", "has a part that starts or ends with a space");
    refuses("a/con", "has the part 'con', which is a device of Windows and cannot be a file there");
    refuses("Nul.old/a", "has the part 'Nul.old', which is a device of Windows and cannot be a file there");
    refuses("COM1", "has the part 'COM1', which is a device of Windows and cannot be a file there");
    refuses("lpt9.x.y", "has the part 'lpt9.x.y', which is a device of Windows and cannot be a file there");
    accepts("cone/com0/com10/lpt/null/a.con/aux-side");
}

static void names_have_at_most_512_bytes(void **state)
{
    (void)state;
    char name[NAME_PATH_LENGTH + 2];
    fill_parts(name, NAME_PATH_LENGTH);
    accepts(name);
    fill_parts(name, NAME_PATH_LENGTH + 1);
    refuses(name, "has 513 bytes, at most 512 are allowed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_may_be_in_any_script),       cmocka_unit_test(names_are_utf8),
        cmocka_unit_test(names_hold_no_control_characters), cmocka_unit_test(names_can_be_files_of_windows),
        cmocka_unit_test(names_have_at_most_512_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
