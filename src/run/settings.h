/* The settings of a run, which the supervisor and the workers get unchanged. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/planner.h"
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

/* The purpose of a run. All but the first are of versions that are compared (cli/versions.h): what they write is read once, so
 * PNGs are compressed fast, and results say how jobs are framed. */
enum batch_purpose {
    BATCH_SHIPS,
    BATCH_COMPARES, /* draws jobs as each ships */
    BATCH_FRAMES, /* draws each job framed together with its other one, so that both can be laid over each other, or
                       fails it. Not in_process */
    BATCH_PLANS /* draws nothing. PAGE_MADE: all look-ups of a job's record would end alike for its other one, whose
                       settings are the same. PAGE_FAILED: they would not, or the job cannot be planned */
};

/* A job, and the same one of another version where the purpose asks for it, in lists of the run. */
struct batch_job {
    struct bake_job job, other;
    bool has_same_folders; /* of assets */
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

    enum batch_purpose purpose;
    const struct batch_job *jobs; /* in the place of what `only` takes, list after list; NULL: that */
    size_t job_count;
};

/* The settings where an option does not say otherwise: timeout_s, memory_limit, give_up. */
struct batch_settings batch_defaults(void);
