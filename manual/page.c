/* Prints the manual page, in the language of man(7): standard input, with the commands and their options in place of the
 * line COMMANDS. They come from the tables that the program itself reads. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/args.h"
#include "cli/cli.h"

/* No character is special to man(7), and what is copied from the page can be typed. */
static void print_plain(const char *text, size_t length)
{
    if (length > 0 && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++) {
        switch (text[i]) {
        case '\\':
            fputs("\\e", stdout);
            break;
        case '-':
            fputs("\\-", stdout);
            break;
        case '\'':
            fputs("\\(aq", stdout);
            break;
        default:
            putchar(text[i]);
        }
    }
}

/* Paragraphs, each a line. */
static void print_text(const char *text)
{
    while (text && *text) {
        size_t length = strcspn(text, "\n");
        puts(".PP");
        print_plain(text, length);
        putchar('\n');
        text += length + (text[length] == '\n');
    }
}

static void print_option(const struct arg *arg)
{
    puts(".TP");
    if (arg->letter)
        printf("\\fB\\-%c\\fR, ", arg->letter);
    printf("\\fB\\-\\-");
    print_plain(arg->name, strlen(arg->name));
    printf("\\fR");
    if (arg->value_name)
        printf(" \\fI%s\\fR", arg->value_name);
    putchar('\n');
    print_plain(arg->help, strlen(arg->help));
    putchar('\n');
}

static void print_command(const struct command *command)
{
    printf(".SS \"sheetbake %s\"\n", command->name);
    printf("\\fBsheetbake %s\\fR [\\fIOPTION\\fR...] %s\n", command->name, command->operands.usage);
    print_text(command->about);
    for (const struct arg *arg = command->options; arg->name; arg++)
        if (arg->help)
            print_option(arg);
    print_text(command->notes);
    puts(".PP\nExit codes:");
    for (const struct exit_cause *exit = command->exits; exit->codes; exit++) {
        printf(".TP\n%s\n", exit->codes);
        print_plain(exit->cause, strlen(exit->cause));
        putchar('\n');
    }
}

int main(void)
{
    char line[4096];
    printf(".\\\" Made by manual/page.c from manual/sheetbake.1.in and the tables of options.\n");
    printf(".TH SHEETBAKE 1 \"\" \"sheetbake %s\" \"User Commands\"\n", SHEETBAKE_VERSION);
    while (fgets(line, sizeof line, stdin)) {
        if (strcmp(line, "COMMANDS\n") != 0)
            fputs(line, stdout);
        else
            for (size_t i = 0; commands[i]; i++)
                print_command(commands[i]);
    }
    return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
