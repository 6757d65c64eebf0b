/* What a job names and the assets do not have. A problem of the list where it is checked (job_options), a reason
 * why that job fails where the others are made. */
#ifndef JOB_MISSING_H
#define JOB_MISSING_H

#include "job/job.h"
#include "job/problem.h"

/* Moves what was found of a job into it, in the order of its places, each once. `found` is empty afterwards. */
void missing_keep(struct problems *found, struct arena *arena, struct job *job);

/* The other way: what the jobs miss as problems, for a list that has others. */
void missing_report(const struct job *jobs, size_t count, struct problems *problems);

#endif
