/* Memory in a worker: when there is none, the worker ends there and says so, whoever asked for it. */
#ifndef RUN_WORKER_MEMORY_H
#define RUN_WORKER_MEMORY_H

#include <stdint.h>

#include "run/page_note.h"

/* From now on this process leaves with STATUS_OUT_OF_MEMORY, and `note` says what it asked for. `limit` is that of the pool,
 * or 0: the pool kills who exceeds it. Should the pool not come to look for a while, the kernel refuses far more. */
void worker_guard_memory(struct page_note *note, uint64_t limit);

#endif
