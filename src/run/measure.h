/* Measures each job of a group or pair once, in the workers of a pool, before any page is drawn or job checked. Workers
 * that are forked later inherit the measures. */
#pragma once

#include "run/pool.h"
#include "run/wanted.h"

/* By list of `wanted`. The caller ends it with measure_free. */
struct measures *measure_new(const struct wanted *wanted);
void measure_free(struct measures *lists, size_t count);

struct measure_rules {
    /* Measure the jobs of groups that have any of these; NULL: any that is wanted. */
    const struct selection *selection;
    bool pairs; /* measure every wanted job instead */
    /* A job with which a worker dies counts as one that cannot be opened; else it ends the run. */
    bool leaves_out;
};

/* Takes the workers from `settings`; these give each item to measure_work. */
void measure_run(const struct wanted *wanted, const struct measure_rules *rules,
                 const struct pool_settings *settings, struct measures *lists);

/* Sends the measure of a job; nothing on failure: who draws or checks the job opens it again, and says why. */
void measure_work(struct planner *planner, const struct wanted *wanted, struct worker *worker, uint64_t item);
