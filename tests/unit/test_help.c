#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/args.h"
#include "cli/help.h"

static const struct exit_cause exits[] = {{"0", "packed"}, {"129, 130", "ended by a signal"}, {0}};

static const struct arg options[] = {
    {"open", 'o', NULL, "leave it open", .kind = ARG_KIND_BOOL},
    {"a-name-as-long-as", 0, "THIS", "begins on the next line", .kind = ARG_KIND_TEXT},
    {"wide", 'w', "N",
     "one word after another, and no line of them is as long as the terminal is wide: eighty columns",
     .kind = ARG_KIND_TEXT},
    {0},
};

static const char wanted[] = "usage: sheetbake pack [OPTION...] FILE...\n"
                             "\n"
                             "Packs what it is given, which may take as many words as it likes, since they\n"
                             "are broken into lines.\n"
                             "\n"
                             "A second paragraph.\n"
                             "\n"
                             "  -o, --open            leave it open\n"
                             "      --a-name-as-long-as THIS\n"
                             "                        begins on the next line\n"
                             "  -w, --wide N          one word after another, and no line of them is as long\n"
                             "                        as the terminal is wide: eighty columns\n"
                             "  -h, --help            this text\n"
                             "\n"
                             "A note.\n"
                             "\n"
                             "exit codes:\n"
                             "  0         packed\n"
                             "  129, 130  ended by a signal\n";

static void help_is_made_of_the_texts_and_the_table(void **state)
{
    (void)state;
    const struct command command = {
        .name = "pack",
        .operands = "FILE...",
        .about =
            "Packs what it is given, which may take as many words as it likes, since they are broken into lines.\n"
            "A second paragraph.",
        .options = options,
        .notes = "A note.",
        .exits = exits,
    };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    help_print(&command, out);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
}

static void each_option_says_what_it_does_and_names_the_value_it_takes(void **state)
{
    (void)state;
    for (size_t i = 0; cli_commands[i]; i++) {
        for (const struct arg *arg = cli_commands[i]->options; arg->name; arg++) {
            assert_int_equal(arg_has_value(arg), arg->value_name != NULL);
            assert_true(*arg->help && arg->help[strlen(arg->help) - 1] != '.');
            assert_null(strchr(arg->help, '\n'));
        }
    }
}

static void options_of_one_command_have_different_names_and_letters(void **state)
{
    (void)state;
    for (size_t i = 0; cli_commands[i]; i++) {
        for (const struct arg *arg = cli_commands[i]->options; arg->name; arg++) {
            assert_int_not_equal(arg->letter, 'h');
            for (const struct arg *other = cli_commands[i]->options; other != arg; other++) {
                assert_string_not_equal(arg->name, other->name);
                assert_true(!arg->letter || arg->letter != other->letter);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_made_of_the_texts_and_the_table),
        cmocka_unit_test(each_option_says_what_it_does_and_names_the_value_it_takes),
        cmocka_unit_test(options_of_one_command_have_different_names_and_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
