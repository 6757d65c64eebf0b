/* A whole run: job lists in, sheets out, over a pool of workers, with its progress and its result. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "job/job.h"
#include "render/context.h"
#include "run/inspect.h"
#include "run/prune.h"
#include "report/report.h"
#include "job/shard.h"
#include "os/sandbox.h"

enum lock_choice { LOCK_WAIT, LOCK_FAIL, LOCK_OFF };

struct batch_settings {
    struct job_list *const *lists;
    size_t list_count;
    const char *only;      /* a glob over job names, or NULL for all */
    unsigned worker_count; /* at least 1 */
    double timeout_s;      /* per page; 0: none */
    uint64_t memory_limit; /* bytes a worker; 0: none */
    bool fail_fast;
    unsigned give_up;      /* after the deaths of so many models' workers in a row; 0: never */
    bool durable;          /* what is finished survives a power failure */
    enum lock_choice lock; /* what to do about another run in an output folder */
    void (*waiting)(void *context, const char *text); /* called with NULL before waiting for that run */
    const char *depfile, *depfile_target;             /* see depfile_write_lists; NULL: none */
    prune_report
        *prune; /* remove what the lists no longer make, and report it; NULL: do not. Needs whole lists: not
                          * for a shard, nor with `only` */
    /* Reports a list in which something is missing: nothing of it is removed. */
    void (*prune_refused)(const struct job_list *list, const char *why, bool is_dry);
    bool force; /* make what is up to date, too */
    enum backend_choice backend;
    enum sandbox_mode sandbox;
    struct shard shard;    /* count 0: the run is not shared */
    struct report *report; /* opened; batch_run starts and ends it */
};

/* What applies where an option does not say otherwise: timeout_s, memory_limit, give_up. */
struct batch_settings batch_defaults(void);

enum batch_end {
    BATCH_DONE,
    BATCH_SHEETS_FAILED,
    BATCH_NO_JOBS,     /* `only` matches none */
    BATCH_NO_OUTPUT,   /* an output folder or the depfile cannot be made or written to; *err says why */
    BATCH_LOCKED,      /* another run is at work in an output folder; *err says which */
    BATCH_NO_BACKEND,  /* no worker could open a rendering back end; *err says why */
    BATCH_INTERRUPTED, /* *signal_number says by what */
    BATCH_BROKEN,      /* the run itself could not go on, or was given up; *err says why */
};

struct folders;

/* The caller leaves *folders (run/folders.h) once the report is closed: a run that waits for them may write the same
 * log. */
enum batch_end batch_run(const struct batch_settings *settings, struct folders **folders, int *signal_number,
                         struct error *err);

/* A page that a run would make, or a job whose number of pages is not known (verdict->page_count 0), and why; or a
 * job that would fail, for something is missing (job->missing). */
struct batch_todo {
    const struct job_list *list;
    const struct job *job;
    const struct verdict *verdict;
    uint32_t page;
    bool is_doubtful; /* the job has to be opened to find whether any page of it is this shard's */
};
typedef void batch_preview_page(void *context, const struct batch_todo *todo);

/* Shows what batch_run would make, and counts the pages that are up to date. Writes nothing. BATCH_DONE,
 * BATCH_NO_JOBS, or BATCH_SHEETS_FAILED where jobs would fail for something missing. */
enum batch_end batch_preview(const struct batch_settings *settings, batch_preview_page *show, void *context,
                             size_t *up_to_date);
