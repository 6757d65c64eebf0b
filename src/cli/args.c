#include "cli/args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "os/resources.h"

enum {
    FIRST_WITHOUT_LETTER = 256,
    LINE_WIDTH = 79,
    OPTION_INDENT = 24, /* where the help of options begins */
};

/* -- Values ------------------------------------------------------------------------------------------------ */

static int take_number(const struct command *command, const char *name, const char *text, double least,
                       double most, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        return cli_usage_error(command, "--%s: '%s' is not a number, %g to %g are allowed", name, text, least,
                               most);
    if (value < least || value > most)
        return cli_usage_error(command, "--%s: %s is out of range, %g to %g are allowed", name, text, least, most);
    *out = value;
    return -1;
}

static int refuse_choice(const struct command *command, const char *name, const char *text,
                         const char *const *names, size_t count)
{
    SCOPED_BY(buffer_release) struct buffer list = {0};
    for (size_t i = 0; i < count; i++)
        buffer_printf(&list, "%s%s", i == 0 ? "" : i + 1 < count ? ", " : " or ", names[i]);
    return cli_usage_error(command, "--%s: '%s' is not %s", name, text, list.text);
}

/* "M", "MB" and "MiB" all mean 1024 x 1024 bytes. 0 when it is not a unit. */
static double unit_size(const char *unit)
{
    static const char letters[] = "KMGT";
    double size = 1024;
    if (!*unit || (unit[1] && strcasecmp(unit + 1, "B") && strcasecmp(unit + 1, "iB")))
        return 0;
    for (const char *letter = letters; *letter; letter++, size *= 1024)
        if (*unit == *letter || *unit == *letter - 'A' + 'a')
            return size;
    return 0;
}

/* Into a uint64_t: the bytes that "512M" or "1.5G" means, 0 for no limit. */
int args_take_memory(const struct command *command, const char *text, void *out)
{
    uint64_t *bytes = out;
    const double least = 16 << 20, most = 0x1p44;
    char *end;
    double number = strtod(text, &end), size = number * unit_size(end);
    if (!strcmp(text, "0")) {
        *bytes = 0;
        return -1;
    }
    if (end == text || unit_size(end) == 0)
        return cli_usage_error(command, "--memory: '%s' is not a size such as 512M or 2G", text);
    if (!(size >= least && size <= most))
        return cli_usage_error(command, "--memory: %s is out of range, 16M to 16T are allowed, or 0 for no limit",
                               text);
    *bytes = (uint64_t)size;
    if (memory_use(getpid()) == 0)
        cli_complain("warning: --memory has no effect: /proc/PID/statm does not tell what a process uses");
    return -1;
}

/* `text` is NULL for an option without a value. Returns the exit code, after a message, or -1 to go on. */
static int take(const struct command *command, const struct arg *arg, const char *text, void *out)
{
    double number;
    int exit_code = -1;
    switch (arg->kind) {
    case ARG_KIND_BOOL:
        *(bool *)out = arg->value;
        break;
    case ARG_KIND_INT:
        *(int *)out = arg->value;
        break;
    case ARG_KIND_PATH:
    case ARG_KIND_TEXT:
        if (arg->kind == ARG_KIND_PATH && !*text)
            return cli_usage_error(command, "--%s: the path is empty", arg->name);
        *(const char **)out = text;
        break;
    case ARG_KIND_LIST:
        strings_add(out, text);
        break;
    case ARG_KIND_COUNT:
        exit_code = take_number(command, arg->name, text, arg->least, arg->most, &number);
        if (exit_code < 0 && number != floor(number))
            return cli_usage_error(command, "--%s: '%s' is not a whole number", arg->name, text);
        if (exit_code < 0)
            *(unsigned *)out = (unsigned)number;
        break;
    case ARG_KIND_NUMBER:
        return take_number(command, arg->name, text, arg->least, arg->most, out);
    case ARG_KIND_CHOICE:
        for (size_t i = 0; i < arg->name_count; i++)
            if (!strcmp(text, arg->names[i])) {
                *(int *)out = (int)i;
                return -1;
            }
        return refuse_choice(command, arg->name, text, arg->names, arg->name_count);
    case ARG_KIND_CALL:
        return arg->take(command, text, out);
    }
    return exit_code;
}

/* -- Options that are not in the table ----------------------------------------------------------------------- */

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
    const char *name = word + strlen(dashes);
    SCOPED_BY(strings_release) struct strings names = {0};
    int length = (int)strcspn(name, "=");
    SCOPED_BY(buffer_release) struct buffer meant = {0};
    for (; options->name; options++) {
        strings_add(&names, options->name);
        if (!strncmp(options->name, name, (size_t)length))
            buffer_printf(&meant, "%s'--%s'", meant.length ? " or " : "", options->name);
    }
    SCOPED char *given = must_printf("%.*s", length, name);
    const char *nearest = strings_nearest(given, (const char *const *)names.items, names.count);
    if (meant.length)
        cli_usage_error(command, "option '%s%s' may mean %s", dashes, given, meant.text);
    else if (nearest)
        cli_usage_error(command, "unknown option '%s%s', did you mean '--%s'?", dashes, given, nearest);
    else
        cli_usage_error(command, "unknown option '%s%s'", dashes, given);
    return EXIT_USAGE;
}

/* Complains about the option that getopt_long did not understand. It leaves `optopt` 0 when that was the name of a long
 * option, else the letter or the option's value. Only an unknown letter that others follow, as in "-force", leaves
 * its word at optind; elsewhere it is the one before. */
static int complain_about_option(const struct command *command, const struct option *options, char **argv,
                                 int option)
{
    const char *word = argv[optind - 1], *letters = argv[optind];
    if (!optopt)
        return complain_about_name(command, options, word, "--");
    if (!is_known(options, optopt) && letters && letters[0] == '-' && letters[1] != '-' &&
        strchr(letters + 1, optopt))
        return complain_about_name(command, options, letters, "-");
    if (!is_known(options, optopt))
        return cli_usage_error(command, "unknown option '-%c'", optopt);
    if (option == ':' && word[1] != '-')
        return cli_usage_error(command, "option '-%c' needs a value", optopt);
    if (option == ':')
        return cli_usage_error(command, "option '%s' needs a value", word);
    return cli_usage_error(command, "option '%.*s' takes no value", (int)strcspn(word, "="), word);
}

/* -- Help --------------------------------------------------------------------------------------------------- */

/* Adds a paragraph word by word; its first line goes on at the column `indent`, where all others begin. */
static void add_paragraph(struct buffer *out, const char *text, int indent)
{
    int column = indent;
    while (*text && *text != '\n') {
        int length = (int)strcspn(text, " \n");
        if (column > indent && column + 1 + length > LINE_WIDTH) {
            buffer_printf(out, "\n%*s", indent, "");
            column = indent;
        }
        bool is_first = column == indent;
        buffer_printf(out, "%s%.*s", is_first ? "" : " ", length, text);
        column += length + !is_first;
        text += length;
        text += *text == ' ';
    }
    buffer_printf(out, "\n");
}

/* Each paragraph behind an empty line. */
static void add_text(struct buffer *out, const char *text)
{
    while (text && *text) {
        buffer_printf(out, "\n");
        add_paragraph(out, text, 0);
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
}

static void add_option(struct buffer *out, const struct arg *arg)
{
    size_t begin = out->length;
    if (!arg->help)
        return;
    if (arg->letter)
        buffer_printf(out, "  -%c, ", arg->letter);
    else
        buffer_printf(out, "      ");
    buffer_printf(out, "--%s%s%s", arg->name, arg->value_name ? " " : "", arg->value_name ? arg->value_name : "");
    int width = (int)(out->length - begin);
    if (width + 2 > OPTION_INDENT)
        buffer_printf(out, "\n%*s", OPTION_INDENT, "");
    else
        buffer_printf(out, "%*s", OPTION_INDENT - width, "");
    add_paragraph(out, arg->help, OPTION_INDENT);
}

void args_print_help(const struct command *command, FILE *out)
{
    static const struct arg help = {"help", 'h', NULL, "print this help", .kind = ARG_KIND_BOOL};
    SCOPED_BY(buffer_release) struct buffer text = {0};
    buffer_printf(&text, "usage: sheetbake %s [OPTION...]%s%s\n", command->name,
                  *command->operands.usage ? " " : "", command->operands.usage);
    add_text(&text, command->about);
    buffer_printf(&text, "\n");
    for (const struct arg *arg = command->options; arg->name; arg++)
        add_option(&text, arg);
    add_option(&text, &help);
    add_text(&text, command->notes);
    int widest = 0;
    for (const struct exit_cause *exit = command->exits; exit->codes; exit++)
        widest = (int)strlen(exit->codes) > widest ? (int)strlen(exit->codes) : widest;
    buffer_printf(&text, "\nexit codes:\n");
    for (const struct exit_cause *exit = command->exits; exit->codes; exit++) {
        buffer_printf(&text, "  %-*s  ", widest, exit->codes);
        add_paragraph(&text, exit->cause, widest + 4);
    }
    fputs(text.text, out);
}

/* -- The table --------------------------------------------------------------------------------------------- */

bool arg_has_value(const struct arg *arg)
{
    return arg->kind >= ARG_KIND_TEXT;
}

/* The table as getopt_long wants it. Its number of an option is the letter, or the row behind all letters. */
struct getopt_table {
    struct option *options;
    struct buffer letters;
    bool *given; /* by row */
};

static struct getopt_table make_getopt_table(const struct arg *args)
{
    struct getopt_table table = {0};
    size_t count = 0;
    while (args[count].name)
        count++;
    table.options = must_alloc(count + 2, sizeof *table.options); /* with --help and the end */
    table.given = must_alloc(count, sizeof *table.given);
    buffer_printf(&table.letters, ":h"); /* ':': tell a missing value from an unknown option */
    for (count = 0; args[count].name; count++) {
        const struct arg *arg = &args[count];
        int number = arg->letter ? arg->letter : FIRST_WITHOUT_LETTER + (int)count;
        bool has_value = arg_has_value(arg);
        table.options[count] =
            (struct option){arg->name, has_value ? required_argument : no_argument, NULL, number};
        if (arg->letter)
            buffer_printf(&table.letters, "%c%s", arg->letter, has_value ? ":" : "");
    }
    table.options[count] = (struct option){"help", no_argument, NULL, 'h'};
    return table;
}

/* Returns the exit code, or -1 to go on. */
static int take_options(const struct command *command, const struct getopt_table *table, int argc, char **argv,
                        void *out)
{
    const struct option *options = table->options;
    int option;
    while ((option = getopt_long(argc, argv, table->letters.text, options, NULL)) != -1) {
        if (option == 'h') {
            args_print_help(command, stdout);
            return EXIT_DONE;
        }
        if (option == '?' || option == ':')
            return complain_about_option(command, options, argv, option);
        size_t row = 0;
        while (options[row].val != option)
            row++;
        const struct arg *arg = &command->options[row];
        table->given[row] = true;
        int exit_code = take(command, arg, optarg, (char *)out + arg->offset);
        if (exit_code >= 0)
            return exit_code;
    }
    return -1;
}

/* Whether the option is given whose name the text begins with, and ends at one of " :,". */
static bool is_given(const struct command *command, const bool *given, const char *text)
{
    const size_t length = strcspn(text, " :,");
    size_t row = 0;
    while (strncmp(command->options[row].name, text, length) || command->options[row].name[length])
        row++;
    return given[row];
}

/* Refuses options that need or exclude others. Returns the exit code, or -1 to go on. */
static int judge_given(const struct command *command, const bool *given)
{
    for (size_t row = 0; command->options[row].name; row++) {
        const struct arg *arg = &command->options[row];
        const char *other = arg->excludes ? arg->excludes : "", *why = other + strcspn(other, ":");
        if (given[row] && arg->needs && !is_given(command, given, arg->needs))
            return arg->letter ? cli_usage_error(command, "-%c needs --%s", arg->letter, arg->needs)
                               : cli_usage_error(command, "--%s needs --%s", arg->name, arg->needs);
        for (; given[row] && other < why; other += strcspn(other, " :"), other += *other == ' ')
            if (is_given(command, given, other))
                return cli_usage_error(command, "--%s and --%.*s cannot be used together%s", arg->name,
                                       (int)strcspn(other, " :"), other, why);
    }
    return -1;
}

int args_read(const struct command *command, int argc, char **argv, void *out)
{
    struct getopt_table table = make_getopt_table(command->options);
    opterr = 0;
    int exit_code = take_options(command, &table, argc, argv, out);
    if (exit_code < 0)
        exit_code = judge_given(command, table.given);
    free(table.options);
    free(table.given);
    buffer_release(&table.letters);
    if (exit_code >= 0)
        return exit_code;
    const struct operands *wanted = &command->operands;
    int count = argc - optind;
    if (count < wanted->least)
        return cli_usage_error(command, "no %s given", wanted->what);
    if (count <= wanted->most)
        return -1;
    if (wanted->most == 0)
        return cli_usage_error(command, "takes no operands, but '%s' is given", argv[optind]);
    return cli_usage_error(command, "takes one %s, but '%s' and '%s' are given", wanted->what, argv[optind],
                           argv[optind + 1]);
}
