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
    char inner[sizeof err->text];
    memcpy(inner, err->text, sizeof inner);

    va_list args;
    va_start(args, format);
    int length = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);

    if (length >= 0 && (size_t)length < sizeof err->text)
        snprintf(err->text + length, sizeof err->text - (size_t)length, ": %s", inner);
    return -1;
}
