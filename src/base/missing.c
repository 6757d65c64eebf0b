#include "base/missing.h"

#include "base/buffer.h"

enum { NAMES_SHOWN = 20 };

int missing_fail(const char *what, const char *wanted, const char *nearest, const char *const *names, size_t count,
                 struct error *err)
{
    struct buffer list = {0};
    for (size_t i = 0; i < count && i < NAMES_SHOWN; i++)
        buffer_printf(&list, "%s%s", i ? ", " : "", names[i]);
    if (count > NAMES_SHOWN)
        buffer_printf(&list, " and %zu more", count - NAMES_SHOWN);
    error_set(err, "no %s '%s'%s%s%s (it has %s)", what, wanted, nearest ? ", did you mean '" : "",
              nearest ? nearest : "", nearest ? "'?" : "", list.text);
    buffer_release(&list);
    return -1;
}
