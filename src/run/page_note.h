/* What a worker keeps of the page it has where the supervisor can read it, even when the worker has died: the note of
 * the pool (run/pool.h), with a shape. It may have died of breaking its own memory, the note's too. */
#ifndef RUN_PAGE_NOTE_H
#define RUN_PAGE_NOTE_H

#include "run/pool.h"
#include "bake/stages.h"

enum { STATUS_OUT_OF_MEMORY = 71 };

struct page_figures {
    struct stages stages;
    uint64_t missing_bytes; /* that there was no memory for, 0: not known; then the worker left with STATUS_OUT_OF_MEMORY */
    uint64_t peak_kib; /* the most memory the worker has held so far, in KiB: once the page is made or has failed */
};

struct page_note {
    struct page_figures figures;
    char temporaries[POOL_NOTE_SIZE - sizeof(struct page_figures)]; /* files under way, see bake_new */
};

_Static_assert(sizeof(struct page_note) == POOL_NOTE_SIZE, "a page's note fills the pool's");

#endif
