/* One side of a comparison: job lists and all their files, as they are in the work tree, in another checkout or in a
 * revision of git. */
#pragma once

#include "cli/sandbox_args.h"
#include "job/job.h"
#include "review/review.h"
#include "review/revision.h"
#include "run/batch.h"

struct side {
    const char *name;                /* for people: a revision, a folder or "work tree" */
    const char *top;                 /* of the files now */
    char *tree;                      /* of those of another checkout; NULL: there is none */
    struct revision revision;        /* without a commit: none */
    struct error failure;            /* of locating files; "" */
    struct review_failure *failures; /* of jobs that were drawn */
    size_t failure_count, failure_capacity;
};

/* Whether `name` is a folder: then the side is that checkout, else a revision. `repository` is NULL where git found none, for
 * the reason *why. The caller releases *side in any case. */
int side_open(struct side *side, const char *name, const struct repository *repository, const struct error *why,
              struct error *err);
void side_release(struct side *side);

/* Where a file of ours is on this side: itself where it is outside. A link leads where it led. The caller frees it. */
char *side_locate(struct side *side, const char *path);

/* A list with its files as they are on this side: NULL, and problems, where it is not there or broken, or files could not be
 * located. */
struct job_list *side_load(struct side *side, const char *path, const char *config, const char *output,
                           struct strings *problems);

/* A job of it cannot be drawn. It borrows the texts. */
void side_fail(struct side *side, const char *list, const char *job, const char *reason, bool is_own);

/* Of a job of the side, a page of which failed: one that fails several pages is one failure. */
void side_keep_failure(struct side *side, const struct page_result *page);

/* Draws lists of sides into their folders, which are new. Returns the exit code, after a message, or -1. */
int sides_run(struct batch_settings *batch, const struct report_settings *report);

/* The pictures are compared in a process that is confined, where it returns CHILD_IS_THIS: the first has to remove them. In
 * that one, returns the exit code, after a message if the other died. */
int sides_fork(const struct sandbox_rules *rules, double timeout_s);
