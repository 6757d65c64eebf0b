#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"
#include "base/strings.h"
#include "cli/help.h"
#include "cli/version.h"

const struct command *const cli_commands[] = {
    &render_command, &check_command, &verify_command, &info_command,
    &pose_command,   &thumb_command, &doctor_command, NULL,
};

enum { COMMAND_COUNT = sizeof cli_commands / sizeof *cli_commands - 1 };

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
    print_line(stderr, "", format, args);
    fprintf(stderr, "Try 'sheetbake %s --help'.\n", command->name);
    va_end(args);
    return EXIT_USAGE;
}

static void print_help(FILE *out)
{
    fputs("sheetbake turns animated game models (MD2, MD5) into sprite sheets, without a\n"
          "display or a GPU.\n"
          "\n"
          "usage: sheetbake COMMAND [OPTION...] [FILE...]\n"
          "\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-8s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    fputs("\n"
          "  --help     this text; 'sheetbake COMMAND --help' for one command\n"
          "  --version  versions of sheetbake and of the libraries it uses\n",
          out);
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (!strcmp(cli_commands[i]->name, name))
            return cli_commands[i];
    return NULL;
}

static int complain_about_command(const char *name)
{
    const char *names[COMMAND_COUNT + 2] = {"--help", "--version"};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i + 2] = cli_commands[i]->name;
    const char *nearest = strings_nearest(name, names, COMMAND_COUNT + 2);
    if (!strcmp(name, "explain")) /* a command until 0.3 */
        nearest = "render --dry-run -v";
    const char *what = name[0] == '-' ? "option" : "command";
    if (nearest)
        cli_complain("unknown %s '%s', did you mean '%s'?", what, name, nearest);
    else
        cli_complain("unknown %s '%s'; 'sheetbake --help' lists the commands", what, name);
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
    help_print(command, stdout);
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
