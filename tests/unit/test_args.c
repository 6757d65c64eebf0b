#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"
#include "test.h"

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
    struct word {
        char text[8];
    } called;
};

static int take_word(const struct command *command, const char *text, void *out)
{
    (void)command;
    struct word *word = out;
    snprintf(word->text, sizeof word->text, "%s", text);
    return *text == '!' ? EXIT_USAGE : -1;
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
    {"call", 0, "X", "help", ARG_CALL(struct bag, called, struct word, take_word)},
    {0},
};

static const struct exit_cause exits[] = {{"0", "packed"}, {0}};

static const struct command command = {
    .name = "pack",
    .operands = {"FILE...", "file", 0, INT_MAX},
    .about = "Packs.",
    .options = options,
    .exits = exits,
};

TEST(any_number_of_options)
{
    enum { MANY = 200 };
    static struct arg rows[MANY + 1];
    static char names[MANY][8];
    const struct command large = {.name = "large", .operands = {"", "", 0, 0}, .options = rows, .exits = exits};
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i);
        rows[i] = (struct arg){names[i], 0, NULL, "help", ARG_FLAG(struct bag, is_open)};
    }
    struct bag bag = {0};
    optind = 0;
    assert_int_equal(args_read(&large, 2, (char *[]){"large", "--n199", NULL}, &bag), -1);
    assert_true(bag.is_open);
    optind = 0;
    assert_int_equal(args_read(&large, 2, (char *[]){"large", "--m199", NULL}, &bag), EXIT_USAGE);
}

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

TEST(numbers_have_a_least_and_a_most)
{
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

TEST(operands_are_counted)
{
    struct {
        struct operands operands;
        int least, most;
    } cases[] = {{{"", NULL, 0, 0}, 0, 0},
                 {{"X", "x", 1, 1}, 1, 1},
                 {{"X...", "x", 1, INT_MAX}, 1, 2},
                 {{"X...", "x", 0, INT_MAX}, 0, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int count = 0; count <= 2; count++) {
            char *words[] = {(char *)"pack", (char *)"a", (char *)"b", NULL};
            struct command counting = command;
            counting.operands = cases[i].operands;
            optind = 0;
            words[1 + count] = NULL;
            bool fits = count >= cases[i].least && count <= cases[i].most;
            assert_int_equal(args_read(&counting, 1 + count, words, &(struct bag){0}), fits ? -1 : EXIT_USAGE);
        }
}

TEST(words_are_read_by_the_table)
{
    fact("flags set what the table says");
    struct bag bag = {0};
    assert_int_equal(read_words(&bag, "-op", NULL), -1);
    assert_true(bag.is_open);
    assert_int_equal(bag.set, PLUM);
    assert_int_equal(read_words(&bag, "--shut", NULL), -1);
    assert_false(bag.is_open);
    fact("a value may stand in the next word");
    bag = (struct bag){0};
    assert_int_equal(read_words(&bag, "--text", "x"), -1);
    assert_string_equal(bag.text, "x");
    assert_int_equal(read_words(&bag, "-oty", NULL), -1);
    assert_string_equal(bag.text, "y");
    assert_true(bag.is_open);
    fact("what is no option is left");
    bag = (struct bag){0};
    assert_int_equal(read_words(&bag, "file", "--open"), -1);
    assert_int_equal(optind, 2);
    assert_true(bag.is_open);
    fact("a list grows");
    bag = (struct bag){0};
    assert_int_equal(read_words(&bag, "-la", "--list=b"), -1);
    assert_int_equal(bag.list.count, 2);
    assert_string_equal(bag.list.items[1], "b");
    strings_release(&bag.list);
    fact("a choice is one of its names");
    bag = (struct bag){0};
    assert_int_equal(read_words(&bag, "--fruit=pear", NULL), -1);
    assert_int_equal(bag.fruit, PEAR);
    check_refused("--fruit=");
    check_refused("--fruit=Pear");
    fact("a path is not empty and a text may be");
    bag = (struct bag){0};
    assert_int_equal(read_words(&bag, "--text=", "--path=p"), -1);
    assert_string_equal(bag.text, "");
    assert_string_equal(bag.path, "p");
    check_refused("--path=");
    fact("a function gets the member and may refuse");
    bag = (struct bag){0};
    assert_int_equal(read_words(&bag, "--call=me", NULL), -1);
    assert_string_equal(bag.called.text, "me");
    check_refused("--call=!");
    fact("what is in no table is refused");
    check_refused("--nothing");
    check_refused("-x");
    check_refused("--p"); /* --plum or --path */
    check_refused("--open=1");
    check_refused("--text");
    check_refused("-t");
    fact("every command has help");
    bag = (struct bag){0};
    assert_int_equal(read_words(&bag, "--help", NULL), EXIT_DONE);
    assert_int_equal(read_words(&bag, "-oh", NULL), EXIT_DONE);
}

/* -- Help -- */

static const struct exit_cause help_exits[] = {{"0", "packed"}, {"129, 130", "ended by a signal"}, {0}};

static const struct arg help_options[] = {
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
                             "  -h, --help            print this help\n"
                             "\n"
                             "A note.\n"
                             "\n"
                             "exit codes:\n"
                             "  0         packed\n"
                             "  129, 130  ended by a signal\n";

TEST(help_is_made_of_the_texts_and_the_table)
{
    const struct command packing = {
        .name = "pack",
        .operands = {"FILE...", "file", 1, INT_MAX},
        .about =
            "Packs what it is given, which may take as many words as it likes, since they are broken into lines.\n"
            "A second paragraph.",
        .options = help_options,
        .notes = "A note.",
        .exits = help_exits,
    };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    args_print_help(&packing, out);
    fclose(out);
    assert_string_equal(text, wanted);
    free(text);
}

TEST(each_option_says_what_it_does_and_names_the_value_it_takes)
{
    for (size_t i = 0; commands[i]; i++) {
        for (const struct arg *arg = commands[i]->options; arg->name; arg++) {
            assert_int_equal(arg_has_value(arg), arg->value_name != NULL);
            if (!arg->help) /* it is for those who know it */
                continue;
            assert_true(*arg->help && arg->help[strlen(arg->help) - 1] != '.');
            assert_null(strchr(arg->help, '\n'));
        }
    }
}

/* Whether each name, of those split by spaces up to a ':' or ',', is that of an option. */
static bool are_options(const struct arg *args, const char *names)
{
    for (const char *name = names; name && *name && !strchr(":,", *name); name += strcspn(name, " :,")) {
        name += *name == ' ';
        const struct arg *arg = args;
        while (arg->name && (strncmp(arg->name, name, strcspn(name, " :,")) || arg->name[strcspn(name, " :,")]))
            arg++;
        if (!arg->name)
            return false;
    }
    return true;
}

TEST(options_need_and_exclude_options_of_their_command)
{
    for (size_t i = 0; commands[i]; i++)
        for (const struct arg *arg = commands[i]->options; arg->name; arg++) {
            assert_true(are_options(commands[i]->options, arg->needs));
            assert_true(are_options(commands[i]->options, arg->excludes));
        }
    assert_false(are_options(render_command.options, "prune nothing: because"));
}

TEST(options_of_one_command_have_different_names_and_letters)
{
    for (size_t i = 0; commands[i]; i++) {
        for (const struct arg *arg = commands[i]->options; arg->name; arg++) {
            assert_int_not_equal(arg->letter, 'h');
            for (const struct arg *other = commands[i]->options; other != arg; other++) {
                assert_string_not_equal(arg->name, other->name);
                assert_true(!arg->letter || arg->letter != other->letter);
            }
        }
    }
}
