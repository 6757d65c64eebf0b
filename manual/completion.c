/* Prints the completion of bash: standard input, with words from the program's tables in place of the lines COMMANDS,
 * CHOICES (the values of options that take one of a few) and OPTIONS. */
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"

static void print_commands(void)
{
    printf("        words='");
    for (size_t i = 0; commands[i]; i++)
        printf("%s ", commands[i]->name);
    puts("help --help --version'");
}

static void print_choices(const struct command *command)
{
    for (const struct arg *arg = command->options; arg->name; arg++) {
        if (arg->name_count == 0)
            continue;
        printf("        '%s --%s') words='", command->name, arg->name);
        for (size_t i = 0; i < arg->name_count; i++)
            printf("%s%s", i ? " " : "", arg->names[i]);
        puts("' ;;");
    }
}

static void print_options(const struct command *command)
{
    printf("    %s) words='", command->name);
    for (const struct arg *arg = command->options; arg->name; arg++)
        if (arg->help)
            printf("--%s ", arg->name);
    puts("--help' ;;");
}

static void for_each_command(void (*print)(const struct command *command))
{
    for (size_t i = 0; commands[i]; i++)
        print(commands[i]);
}

int main(void)
{
    char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        if (!strcmp(line, "COMMANDS\n"))
            print_commands();
        else if (!strcmp(line, "CHOICES\n"))
            for_each_command(print_choices);
        else if (!strcmp(line, "OPTIONS\n"))
            for_each_command(print_options);
        else
            fputs(line, stdout);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
