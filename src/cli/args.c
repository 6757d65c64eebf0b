#include "cli/args.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/help.h"

enum {
    MAX_OPTIONS = 32, /* of one command, with --help */
    FIRST_WITHOUT_LETTER = 256,
};

/* -- Values ------------------------------------------------------------------------------------------------ */

bool args_number(const struct command *command, const char *name, const char *text, double least, double most,
                 double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        cli_usage_error(command, "--%s: '%s' is not a number; %g to %g are allowed", name, text, least, most);
        return false;
    }
    if (value < least || value > most) {
        cli_usage_error(command, "--%s: %s is out of range, %g to %g are allowed", name, text, least, most);
        return false;
    }
    *out = value;
    return true;
}

static bool take_count(const struct command *command, const struct arg *arg, const char *text, unsigned *out)
{
    double value;
    if (!args_number(command, arg->name, text, arg->least, arg->most, &value))
        return false;
    if (value != floor(value)) {
        cli_usage_error(command, "--%s: '%s' is not a whole number; %g to %g are allowed", arg->name, text,
                        arg->least, arg->most);
        return false;
    }
    *out = (unsigned)value;
    return true;
}

static bool take_path(const struct command *command, const struct arg *arg, const char *text, const char **out)
{
    if (!*text) {
        cli_usage_error(command, "--%s: the path is empty", arg->name);
        return false;
    }
    *out = text;
    return true;
}

static void complain_about_choice(const struct command *command, const struct arg *arg, const char *text)
{
    const char *const *names = arg->names;
    if (arg->name_count == 2) {
        cli_usage_error(command, "--%s: '%s' is neither '%s' nor '%s'", arg->name, text, names[0], names[1]);
        return;
    }
    struct buffer list = {0};
    for (size_t i = 0; i < arg->name_count; i++)
        buffer_printf(&list, "%s%s", i == 0 ? "" : i + 1 < arg->name_count ? ", " : " and ", names[i]);
    cli_usage_error(command, "--%s: '%s' is none of %s", arg->name, text, list.text);
    buffer_release(&list);
}

static bool take_choice(const struct command *command, const struct arg *arg, const char *text, int *out)
{
    for (size_t i = 0; i < arg->name_count; i++) {
        if (!strcmp(text, arg->names[i])) {
            *out = (int)i;
            return true;
        }
    }
    complain_about_choice(command, arg, text);
    return false;
}

const char *const args_ci_names[ARGS_CI_NAMES] = {"auto", "github", "gitlab", "off"};

bool args_take_ci(const struct command *command, const char *text, void *out)
{
    if (ci_parse(text, out))
        return true;
    cli_usage_error(command, "--ci: '%s' is none of auto, github, gitlab and off", text);
    return false;
}

/* `text` is NULL for what takes no value. False after a message. */
static bool take(const struct command *command, const struct arg *arg, const char *text, void *out)
{
    switch (arg->kind) {
    case ARG_KIND_BOOL:
        *(bool *)out = arg->value;
        return true;
    case ARG_KIND_INT:
        *(int *)out = arg->value;
        return true;
    case ARG_KIND_TEXT:
        *(const char **)out = text;
        return true;
    case ARG_KIND_PATH:
        return take_path(command, arg, text, out);
    case ARG_KIND_LIST:
        strings_add(out, text);
        return true;
    case ARG_KIND_COUNT:
        return take_count(command, arg, text, out);
    case ARG_KIND_NUMBER:
        return args_number(command, arg->name, text, arg->least, arg->most, out);
    case ARG_KIND_CHOICE:
        return take_choice(command, arg, text, out);
    case ARG_KIND_CALL:
        return arg->take(command, text, out);
    }
    return false;
}

/* -- What is no option ------------------------------------------------------------------------------------- */

static bool is_known(const struct option *options, int value)
{
    for (; options->name; options++)
        if (options->val == value)
            return true;
    return false;
}

/* An unknown long option, or the beginning of several, after `dashes`: "--" or, by mistake, "-". */
static int complain_about_name(const struct command *command, const struct option *options, const char *word,
                               const char *dashes)
{
    const char *names[MAX_OPTIONS], *name = word + strlen(dashes);
    size_t count = 0;
    int length = (int)strcspn(name, "=");
    struct buffer meant = {0};
    for (; options->name; options++) {
        names[count++] = options->name;
        if (!strncmp(options->name, name, (size_t)length))
            buffer_printf(&meant, "%s'--%s'", meant.length ? " or " : "", options->name);
    }
    char *given = must_printf("%.*s", length, name);
    const char *nearest = strings_nearest(given, names, count);
    if (meant.length)
        cli_usage_error(command, "option '%s%s' may mean %s", dashes, given, meant.text);
    else if (nearest)
        cli_usage_error(command, "unknown option '%s%s', did you mean '--%s'?", dashes, given, nearest);
    else
        cli_usage_error(command, "unknown option '%s%s'", dashes, given);
    free(given);
    buffer_release(&meant);
    return EXIT_USAGE;
}

/* What getopt_long did not understand, as our message. It leaves `optopt` 0 when that was the name of a long
 * option, else the letter or the option's value. Only an unknown letter that others follow, as in "-force", leaves
 * its word at optind; elsewhere it is the one before. */
static int complain_about_option(const struct command *command, const struct option *options, char **argv,
                                 int option)
{
    const char *word = argv[optind - 1], *letters = argv[optind];
    if (!optopt)
        return complain_about_name(command, options, word, "--");
    if (!is_known(options, optopt) && letters && letters[0] == '-' && strchr(letters + 1, optopt))
        return complain_about_name(command, options, letters, "-");
    if (!is_known(options, optopt))
        return cli_usage_error(command, "unknown option '-%c'", optopt);
    if (option == ':' && word[1] != '-')
        return cli_usage_error(command, "option '-%c' needs a value", optopt);
    if (option == ':')
        return cli_usage_error(command, "option '%s' needs a value", word);
    return cli_usage_error(command, "option '%.*s' takes no value", (int)strcspn(word, "="), word);
}

/* -- The table --------------------------------------------------------------------------------------------- */

/* A table as getopt_long wants it. */
struct getopt_table {
    struct option options[MAX_OPTIONS + 1];
    char letters[2 * MAX_OPTIONS + 2];
};

bool arg_has_value(const struct arg *arg)
{
    return arg->kind >= ARG_KIND_TEXT;
}

/* What getopt_long calls it. */
static int value_of(const struct arg *args, size_t i)
{
    return args[i].letter ? args[i].letter : FIRST_WITHOUT_LETTER + (int)i;
}

static void make_getopt_table(const struct arg *args, struct getopt_table *out)
{
    size_t count = 0;
    char *letter = out->letters;
    *letter++ = ':'; /* tell a missing value from an unknown option */
    for (; args[count].name; count++) {
        assert(count + 1 < MAX_OPTIONS);
        int needs = arg_has_value(&args[count]) ? required_argument : no_argument;
        out->options[count] = (struct option){args[count].name, needs, NULL, value_of(args, count)};
        if (args[count].letter) {
            *letter++ = args[count].letter;
            if (needs == required_argument)
                *letter++ = ':';
        }
    }
    out->options[count++] = (struct option){"help", no_argument, NULL, 'h'};
    out->options[count] = (struct option){0};
    *letter++ = 'h';
    *letter = '\0';
}

static const struct arg *find_arg(const struct arg *args, int value)
{
    size_t i = 0;
    while (value_of(args, i) != value)
        i++;
    return &args[i];
}

int args_read(const struct command *command, int argc, char **argv, void *out)
{
    struct getopt_table table;
    int option;
    make_getopt_table(command->options, &table);
    opterr = 0;
    while ((option = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
        if (option == 'h') {
            help_print(command, stdout);
            return EXIT_DONE;
        }
        if (option == '?' || option == ':')
            return complain_about_option(command, table.options, argv, option);
        const struct arg *arg = find_arg(command->options, option);
        if (!take(command, arg, optarg, (char *)out + arg->offset))
            return EXIT_USAGE;
    }
    return -1;
}
