#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "cli/args.h"

enum fruit { APPLE, PEAR, PLUM };

static const char *const fruit_names[] = {[APPLE] = "apple", [PEAR] = "pear", [PLUM] = "plum"};

struct bag {
    int before; /* so that no member looked at is at offset 0 */
    bool is_open;
    enum fruit fruit, set;
    const char *text, *path;
    struct strings list;
    unsigned count;
    double number;
    char called[8];
};

static bool take_whole(const struct command *command, const char *text, void *out)
{
    (void)command;
    struct bag *bag = out;
    snprintf(bag->called, sizeof bag->called, "%s", text);
    return *text != '!';
}

static const struct arg options[] = {
    {"open", 'o', NULL, "help", ARG_FLAG(struct bag, is_open)},
    {"shut", 0, NULL, "help", ARG_BOOL(struct bag, is_open, false)},
    {"plum", 'p', NULL, "help", ARG_INT(struct bag, set, PLUM)},
    {"text", 't', "X", "help", ARG_TEXT(struct bag, text)},
    {"path", 0, "X", "help", ARG_PATH(struct bag, path)},
    {"list", 'l', "X", "help", ARG_LIST(struct bag, list)},
    {"count", 'c', "X", "help", ARG_COUNT(struct bag, count, 1, 9)},
    {"number", 0, "X", "help", ARG_NUMBER(struct bag, number, -1, 1)},
    {"fruit", 0, "X", "help", ARG_CHOICE(struct bag, fruit, fruit_names)},
    {"call", 0, "X", "help", ARG_CALL_WHOLE(take_whole)},
    {0},
};

static const struct exit_cause exits[] = {{"0", "packed"}, {0}};

static const struct command command = {
    .name = "pack",
    .operands = "FILE...",
    .about = "Packs.",
    .options = options,
    .exits = exits,
};

/* Up to two words after the command's name; what args_read returns. */
static int read_words(struct bag *bag, const char *first, const char *second)
{
    char *words[] = {(char *)"pack", (char *)first, (char *)second, NULL};
    optind = 0;
    return args_read(&command, second ? 3 : 2, words, bag);
}

static void check_refused(const char *word)
{
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, word, NULL), EXIT_USAGE);
}

static void flags_set_what_the_table_says(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "-op", NULL), -1);
    assert_true(bag.is_open);
    assert_int_equal(bag.set, PLUM);
    assert_int_equal(read_words(&bag, "--shut", NULL), -1);
    assert_false(bag.is_open);
}

static void a_value_may_stand_in_the_next_word(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "--text", "x"), -1);
    assert_string_equal(bag.text, "x");
    assert_int_equal(read_words(&bag, "-oty", NULL), -1);
    assert_string_equal(bag.text, "y");
    assert_true(bag.is_open);
}

static void what_is_no_option_is_left(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "file", "--open"), -1);
    assert_int_equal(optind, 2);
    assert_true(bag.is_open);
}

static void a_list_grows(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "-la", "--list=b"), -1);
    assert_int_equal(bag.list.count, 2);
    assert_string_equal(bag.list.items[1], "b");
    strings_release(&bag.list);
}

static void numbers_have_a_least_and_a_most(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "-c9", "--number=-0.5"), -1);
    assert_int_equal(bag.count, 9);
    assert_true(bag.number == -0.5);
    check_refused("-c0");
    check_refused("-c10");
    check_refused("-c1.5");
    check_refused("--count=");
    check_refused("--number=1.01");
    check_refused("--number=nan");
    check_refused("--number=1x");
}

static void a_choice_is_one_of_its_names(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "--fruit=pear", NULL), -1);
    assert_int_equal(bag.fruit, PEAR);
    check_refused("--fruit=");
    check_refused("--fruit=Pear");
}

static void a_path_is_not_empty_and_a_text_may_be(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "--text=", "--path=p"), -1);
    assert_string_equal(bag.text, "");
    assert_string_equal(bag.path, "p");
    check_refused("--path=");
}

static void a_function_gets_the_struct_and_may_refuse(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "--call=me", NULL), -1);
    assert_string_equal(bag.called, "me");
    check_refused("--call=!");
}

static void what_is_in_no_table_is_refused(void **state)
{
    (void)state;
    check_refused("--nothing");
    check_refused("-x");
    check_refused("--p"); /* --plum or --path */
    check_refused("--open=1");
    check_refused("--text");
    check_refused("-t");
}

static void every_command_has_help(void **state)
{
    (void)state;
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "--help", NULL), EXIT_DONE);
    assert_int_equal(read_words(&bag, "-oh", NULL), EXIT_DONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_set_what_the_table_says),
        cmocka_unit_test(a_value_may_stand_in_the_next_word),
        cmocka_unit_test(what_is_no_option_is_left),
        cmocka_unit_test(a_list_grows),
        cmocka_unit_test(numbers_have_a_least_and_a_most),
        cmocka_unit_test(a_choice_is_one_of_its_names),
        cmocka_unit_test(a_path_is_not_empty_and_a_text_may_be),
        cmocka_unit_test(a_function_gets_the_struct_and_may_refuse),
        cmocka_unit_test(what_is_in_no_table_is_refused),
        cmocka_unit_test(every_command_has_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
