#include "sandbox/inherited.h"

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

void inherited_close(int kept_fd)
{
    unsigned first = STDERR_FILENO + 1, kept = (unsigned)kept_fd;
    if (kept_fd < (int)first) {
        close_files(first, UINT_MAX);
        return;
    }
    close_files(first, kept - 1);
    close_files(kept + 1, UINT_MAX);
}
