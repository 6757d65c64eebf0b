#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/printable.h"

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

const char *cli_plural(size_t count)
{
    return count == 1 ? "" : "s";
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
