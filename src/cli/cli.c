#include "cli/cli.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/ci.h"

static void print_line(FILE *out, const char *before, const char *format, va_list args)
{
    SCOPED char *text = must_vprintf(format, args);
    printable_mask(text);
    ci_disarm(text);
    fprintf(out, "%s%s\n", before, text);
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

int cli_fail(const struct error *err, int exit_code)
{
    cli_complain("%s", err->text);
    return exit_code;
}

int cli_write(const char *path, struct bytes bytes, struct error *err)
{
    struct stat info;
    if (path && (stat(path, &info) < 0 || S_ISREG(info.st_mode)))
        return file_renew(path, bytes, err);
    /* Renaming a file to its name would replace a pipe or a device such as /dev/null. */
    FILE *out = path ? fopen(path, "wb") : stdout;
    bool is_written = out && fwrite(bytes.data, 1, bytes.size, out) == bytes.size && fflush(out) == 0;
    if (!is_written)
        error_set(err, "%s: cannot write: %m", path ? path : "standard output");
    if (out && path)
        fclose(out);
    return is_written ? 0 : -1;
}
