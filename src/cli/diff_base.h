/* `sheetbake diff --base REV|DIR [--head REV|DIR]`: reads job lists as they are and as they were, draws what can differ of both into
 * temporary folders, and has these compared. */
#pragma once

#include "job/job.h"
#include "os/sandbox.h"
#include "review/review.h"
#include "run/batch.h"

struct diff_base {
    const char *base; /* a folder that is there, or a revision of git */
    const char *head; /* the same of the other side; NULL: the work tree */
    const char *config;
    /* Of `render`: only, worker_count (0: one for each CPU), timeout_s, memory_limit, backend, sandbox. */
    struct batch_settings batch;
    int verbosity;               /* -1: no progress */
    struct sandbox_rules *rules; /* of the process that compares; the folders are added */
};

/* Compares the two folders, and prints: in a confined process, where diff_base_run then returns its exit code. */
typedef int diff_base_review(void *context, const struct review_source *before, const struct review_source *after);

/* Returns the exit code. Nothing temporary is left, also after a signal. */
int diff_base_run(const struct diff_base *settings, char *const *paths, size_t count, diff_base_review *review,
                  void *context);
