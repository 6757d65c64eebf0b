/* A whole run: job lists in, sheets out, over a pool of workers, with its progress and its result. */
#ifndef RUN_BATCH_H
#define RUN_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "job/job.h"
#include "render/context.h"
#include "run/costs.h"
#include "run/report.h"
#include "run/shard.h"

enum lock_choice { LOCK_WAIT, LOCK_FAIL, LOCK_OFF };

struct batch_settings {
    struct job_list *const *lists;
    size_t list_count;
    const char *only;      /* a glob over job names, or NULL for all */
    unsigned worker_count; /* at least 1 */
    double timeout_s;      /* per page; 0: none */
    bool fail_fast;
    bool durable;          /* what is finished survives a power failure */
    enum lock_choice lock; /* what to do about another run in an output folder */
    void (*waiting)(void *context, const char *text); /* told of waiting for one; called with NULL */
    enum backend_choice backend;
    struct shard shard;        /* count 0: the run is not shared */
    const struct costs *costs; /* of earlier runs, or NULL */
    struct report *report; /* opened; batch_run starts and ends it */
};

enum batch_end {
    BATCH_DONE,
    BATCH_SHEETS_FAILED,
    BATCH_NO_JOBS,     /* `only` matches none */
    BATCH_NO_OUTPUT,   /* an output folder cannot be made or written to; *err says why */
    BATCH_LOCKED,      /* another run is at work in an output folder; *err says which */
    BATCH_NO_BACKEND,  /* no worker could open a rendering back end; *err says why */
    BATCH_INTERRUPTED, /* *signal_number says by what */
    BATCH_BROKEN,      /* the run itself could not go on; *err says why */
};

enum batch_end batch_run(const struct batch_settings *settings, int *signal_number, struct error *err);

#endif
