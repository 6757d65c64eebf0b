#include "os/inherited.h"

#include <limits.h>
#include <unistd.h>

static void close_files(unsigned first, unsigned last)
{
    const unsigned end = 65536; /* where the kernel cannot do it at once, which it can since Linux 5.9 */
    if (first > last || close_range(first, last, 0) == 0)
        return;
    for (unsigned fd = first; fd <= last && fd < end; fd++)
        close((int)fd);
}

/* The first of them from this number on, or UINT_MAX. */
static unsigned next_kept(const int *kept, size_t count, unsigned from)
{
    unsigned next = UINT_MAX;
    for (size_t i = 0; i < count; i++)
        if (kept[i] >= 0 && (unsigned)kept[i] >= from && (unsigned)kept[i] < next)
            next = (unsigned)kept[i];
    return next;
}

void inherited_close(const int *kept, size_t count)
{
    unsigned first = STDERR_FILENO + 1, next;
    while ((next = next_kept(kept, count, first)) != UINT_MAX) {
        close_files(first, next - 1);
        first = next + 1;
    }
    close_files(first, UINT_MAX);
}
