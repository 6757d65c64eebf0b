#include "run/worker_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

/* The address sanitizer takes terabytes of addresses for itself. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#elif defined __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER
#endif

static struct page_note *note_of_process; /* for leave(), which gets no context */

static void leave(size_t size)
{
    note_of_process->figures.missing_bytes = size;
    _exit(STATUS_OUT_OF_MEMORY);
}

#ifndef HAS_ADDRESS_SANITIZER
/* So much more that a driver is refused nothing which it then would not use: it may not say why it fails. */
static void limit_data(uint64_t limit)
{
    const uint64_t most = limit * 2 + (UINT64_C(4) << 30);
    struct rlimit data;
    if (getrlimit(RLIMIT_DATA, &data) < 0 || data.rlim_cur <= most)
        return;
    data.rlim_cur = most;
    setrlimit(RLIMIT_DATA, &data);
}
#endif

void worker_guard_memory(struct page_note *note, uint64_t limit)
{
    note_of_process = note;
    memory_on_failure(leave);
#ifndef HAS_ADDRESS_SANITIZER
    if (limit > 0)
        limit_data(limit);
#else
    (void)limit;
#endif
}
