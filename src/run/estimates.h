/* What the pages of a run are expected to take: as long as they took before where a log tells (run/costs.h), else what
 * the list lets expect, on the same scale.
 * The same lists and costs give the same numbers on every machine. */
#ifndef RUN_ESTIMATES_H
#define RUN_ESTIMATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bake/bake.h"
#include "run/costs.h"

struct estimates;

/* `costs` may be NULL; it is borrowed, as the jobs are. */
struct estimates *estimates_new(const struct bake_job *jobs, size_t job_count, const struct costs *costs);
void estimates_free(struct estimates *estimates);

/* Whether anything was measured: then all numbers are microseconds, else in a unit that only compares. */
bool estimates_are_times(const struct estimates *estimates);

/* All pages of a job. */
uint64_t estimates_of_job(const struct estimates *estimates, size_t job);

/* One page: as measured; or the mean of its job's; or, of a job never measured, all of the job on its page 0, for it is
 * not known to have others. */
uint64_t estimates_of_page(const struct estimates *estimates, size_t job, uint32_t page);

/* The pages of the job that were measured; none where the costs do not know it. */
const struct cost *estimates_measured(const struct estimates *estimates, size_t job, size_t *count);

#endif
