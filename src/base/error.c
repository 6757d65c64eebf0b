#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int error_set(struct error *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return -1;
}

int error_add(struct error *err, const char *format, ...)
{
    char inner[sizeof err->text], outer[sizeof err->text];
    memcpy(inner, err->text, sizeof inner);

    va_list args;
    va_start(args, format);
    vsnprintf(outer, sizeof outer, format, args);
    va_end(args);

    const char *no_file = strstr(inner, ERROR_NO_FILE), *rest = no_file ? no_file + strlen(ERROR_NO_FILE) : inner;
    if (no_file && !*rest)
        snprintf(err->text, sizeof err->text, "%s (%s)", inner, outer);
    else if (no_file && !strncmp(rest, " (", 2))
        snprintf(err->text, sizeof err->text, "%.*s (%s: %s", (int)(rest - inner), inner, outer, rest + 2);
    else
        snprintf(err->text, sizeof err->text, "%s: %s", outer, inner);
    return -1;
}
