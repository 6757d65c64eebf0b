/* From a draft to jobs: models and files found in the assets, globs expanded, names unique. */
#ifndef JOB_RESOLVE_H
#define JOB_RESOLVE_H

#include "asset/assets.h"
#include "job/draft.h"

/* A few hundred thousand files in the assets would be a mistake in the pattern. */
enum { RESOLVE_MOST_JOBS = 100 * 1000 };

/* Jobs in a growing array; what they point to lives in the reader's arena. */
struct jobs {
    struct job *items;
    size_t count, capacity;
};

/* Without `assets` (when they cannot be opened) only names are checked, and globs give no jobs. What the assets do
 * not have is a problem, or, with `missing_fails_job`, a reason why that job fails. */
void resolve_jobs(const struct reader *reader, const struct draft *draft, struct assets *assets,
                  bool missing_fails_job, struct jobs *out);

#endif
