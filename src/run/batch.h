/* A whole run: job lists in, sheets out, over a pool of workers, with its progress and its result. */
#pragma once

#include "run/inspect.h"
#include "run/settings.h"

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

/* The caller leaves *folders after it closed the report: a run that waits for them may write the same log. */
enum batch_end batch_run(const struct batch_settings *settings, struct folders **folders, int *signal_number,
                         struct error *err);
void folders_leave(struct folders *folders); /* NULL is fine */

/* A page that a run would make, and why; a job of unknown pages (verdict->page_count 0) instead of its pages; or a job
 * that would fail, because something is missing (job->missing). */
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
