#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/strings.h"
#include "cli/version.h"

static const struct command *const commands[] = {
    &render_command, &check_command, &explain_command, &verify_command, &info_command,
    &pose_command,   &thumb_command, &doctor_command,
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_line(FILE *out, const char *before, const char *format, va_list args)
{
    char *text = must_vprintf(format, args);
    printable_mask(text);
    fprintf(out, "%s%s\n", before, text);
    free(text);
}

void cli_print_line(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(stdout, "", format, args);
    va_end(args);
}

void cli_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print_line(stderr, "sheetbake: ", format, args);
    va_end(args);
}

int cli_usage_error(const struct command *command, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "sheetbake %s: ", command->name);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\nTry 'sheetbake %s --help'.\n", command->name);
    va_end(args);
    return EXIT_USAGE;
}

bool cli_number(const struct command *command, const char *option, const char *text, double least, double most,
                double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value)) {
        cli_usage_error(command, "%s: '%s' is not a number", option, text);
        return false;
    }
    if (value < least || value > most) {
        cli_usage_error(command, "%s: %s is out of range, %g to %g are allowed", option, text, least, most);
        return false;
    }
    *out = value;
    return true;
}

bool cli_count(const struct command *command, const char *option, const char *text, unsigned least, unsigned most,
               unsigned *out)
{
    double value;
    if (!cli_number(command, option, text, least, most, &value))
        return false;
    if (value != floor(value)) {
        cli_usage_error(command, "%s: '%s' is not a whole number", option, text);
        return false;
    }
    *out = (unsigned)value;
    return true;
}

bool cli_path(const struct command *command, const char *option, const char *text, const char **out)
{
    if (!*text) {
        cli_usage_error(command, "%s: the path is empty", option);
        return false;
    }
    *out = text;
    return true;
}

bool cli_backend(const struct command *command, const char *text, enum backend_choice *out)
{
    for (int i = 0; i < BACKEND_COUNT; i++) {
        if (!strcmp(text, backend_names[i])) {
            *out = (enum backend_choice)i;
            return true;
        }
    }
    cli_usage_error(command, "--backend: '%s' is none of auto, osmesa and egl", text);
    return false;
}

bool cli_ci(const struct command *command, const char *text, enum ci *out)
{
    if (ci_parse(text, out))
        return true;
    cli_usage_error(command, "--ci: '%s' is none of auto, github, gitlab and off", text);
    return false;
}

static bool is_known(const struct option *options, int value)
{
    for (; options->name; options++)
        if (options->val == value)
            return true;
    return false;
}

/* An unknown long option, or the beginning of several. */
static int complain_about_name(const struct command *command, const struct option *options, const char *word)
{
    enum { MAX_OPTIONS = 32 };
    const char *names[MAX_OPTIONS], *name = word + 2;
    size_t count = 0;
    int length = (int)strcspn(name, "=");
    struct buffer meant = {0};
    for (; options->name && count < MAX_OPTIONS; options++) {
        names[count++] = options->name;
        if (!strncmp(options->name, name, (size_t)length))
            buffer_printf(&meant, "%s'--%s'", meant.length ? " or " : "", options->name);
    }
    char *given = must_printf("%.*s", length, name);
    const char *nearest = strings_nearest(given, names, count);
    if (meant.length)
        cli_usage_error(command, "option '--%s' may mean %s", given, meant.text);
    else if (nearest)
        cli_usage_error(command, "unknown option '--%s', did you mean '--%s'?", given, nearest);
    else
        cli_usage_error(command, "unknown option '--%s'", given);
    free(given);
    buffer_release(&meant);
    return EXIT_USAGE;
}

/* What getopt_long did not understand, as our message. It leaves `optopt` 0 when that was the name of a long
 * option, else the letter or the option's value. Only with unknown letters is the word not the one before optind:
 * more letters may follow in it. */
static int complain_about_option(const struct command *command, const struct option *options, char **argv,
                                 int option)
{
    const char *word = argv[optind - 1];
    if (!optopt)
        return complain_about_name(command, options, word);
    if (!is_known(options, optopt))
        return cli_usage_error(command, "unknown option '-%c'", optopt);
    if (option == ':' && word[1] != '-')
        return cli_usage_error(command, "option '-%c' needs a value", optopt);
    if (option == ':')
        return cli_usage_error(command, "option '%s' needs a value", word);
    return cli_usage_error(command, "option '%.*s' takes no value", (int)strcspn(word, "="), word);
}

int cli_option(const struct command *command, int argc, char **argv, const char *letters,
               const struct option *options, int *exit_code)
{
    opterr = 0;
    int option = getopt_long(argc, argv, letters, options, NULL);
    if (option == 'h') {
        fputs(command->help, stdout);
        *exit_code = EXIT_DONE;
        return CLI_STOP;
    }
    if (option == '?' || option == ':') {
        *exit_code = complain_about_option(command, options, argv, option);
        return CLI_STOP;
    }
    return option;
}

static void print_help(FILE *out)
{
    fputs("sheetbake turns animated game models (MD2, MD5) into sprite sheets, without a display or a GPU.\n"
          "\n"
          "usage: sheetbake COMMAND [OPTION...] [FILE...]\n"
          "\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n"
          "  --help     this text; 'sheetbake COMMAND --help' for one command\n"
          "  --version  versions of sheetbake and of the libraries it uses\n",
          out);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    return NULL;
}

static int complain_about_command(const char *name)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i]->name;
    const char *nearest = strings_nearest(name, names, COMMAND_COUNT);
    if (nearest)
        cli_complain("unknown command '%s', did you mean '%s'?", name, nearest);
    else
        cli_complain("unknown command '%s'; 'sheetbake --help' lists them", name);
    return EXIT_USAGE;
}

/* `help`, `help COMMAND`. */
static int help_command(int argc, char **argv)
{
    if (argc < 3) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const struct command *command = find_command(argv[2]);
    if (!command)
        return complain_about_command(argv[2]);
    fputs(command->help, stdout);
    return EXIT_DONE;
}

int cli_main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return help_command(argc, argv);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        version_print(stdout);
        return EXIT_DONE;
    }
    const struct command *command = find_command(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : complain_about_command(argv[1]);
}
