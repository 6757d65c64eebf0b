/* What a run is to do: passed down as it is, to the supervisor and to the workers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bake/bake.h"
#include "job/shard.h"
#include "os/sandbox.h"
#include "render/context.h"
#include "report/report.h"
#include "run/prune.h"

enum lock_choice { LOCK_WAIT, LOCK_FAIL, LOCK_OFF };

/* When pages of another renderer are up to date. */
enum renderer_choice {
    RENDERER_ALIKE, /* it draws the same pictures, by its probe */
    RENDERER_STRICT /* it is the same in all: processor, and builds of libraries */
};

struct batch_settings {
    struct job_list *const *lists;
    size_t list_count;
    const char *only;      /* a glob over job names, or NULL for all */
    unsigned worker_count; /* at least 1 */
    double timeout_s;      /* per page; 0: none */
    uint64_t memory_limit; /* bytes a worker; 0: none */
    bool fail_fast;
    bool in_process;       /* without the pool and its limits, for a debugger; the caller turns the sandbox off */
    unsigned give_up;      /* after the deaths of so many models' workers in a row; 0: never */
    bool durable;          /* what is finished survives a power failure */
    enum lock_choice lock; /* what to do about another run in an output folder */
    void (*waiting)(void *context, const char *text); /* called with NULL before waiting for that run */
    const char *depfile, *depfile_target;             /* see depfile_write_lists; NULL: none */
    /* Remove what the lists no longer make, and report it; NULL: do not. Needs whole lists: not for a shard, nor with
     * `only`. */
    prune_report *prune;
    /* Reports a list in which something is missing: nothing of it is removed. */
    void (*prune_refused)(const struct job_list *list, const char *why, bool is_dry);
    bool force; /* make what is up to date, too */
    enum backend_choice backend;
    enum renderer_choice renderer;
    enum sandbox_mode sandbox;
    struct shard shard;    /* count 0: the run is not shared */
    struct report *report; /* opened; batch_run starts and ends it */

    /* For `diff --base`. The functions are called in workers, too. */
    uint32_t png_level; /* of all pages; 0: as their jobs say */
    void *context;
    bool (*wants)(void *context, const struct job_list *list,
                  const struct job *job); /* NULL: all that `only` takes */
    /* The same job as it is now, in one of the lists. If this is set, nothing is drawn and no page is made: a job's page
     * counts as made where its record would be up to date for the other (run/inspect.h), and fails where not. */
    struct bake_job (*counterpart)(void *context, const struct bake_job *job);
    bool tells_framing; /* results of pages say how their jobs are framed */
    /* The same job on the other side: all jobs are framed with theirs, so that both can be laid over each other, or fail.
     * Not in_process. */
    struct bake_job (*pair)(void *context, const struct bake_job *job);
};

/* What applies where an option does not say otherwise: timeout_s, memory_limit, give_up. */
struct batch_settings batch_defaults(void);
