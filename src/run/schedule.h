/* Which page to do next, on which worker.
 *
 * A job starts as one item, its page 0; only the worker that has loaded the model knows how many pages there
 * are, and says so. Pages of one job go to the worker that has its model loaded while others have jobs of
 * their own; a worker with nothing left takes a page from the job with the most left. Jobs start in the
 * order of their cost, largest first, so that the end of the run is not one worker on a large model. Of jobs
 * that cost the same, a worker takes those next that are of one kin with the one before: they are likely to share
 * textures, which would otherwise be loaded in every worker.
 * Pure data: no processes, no clock. */
#ifndef RUN_SCHEDULE_H
#define RUN_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct schedule;

struct schedule_item {
    uint32_t job, page;
};

/* costs[i] is an estimate for job i in any unit. Jobs that follow each other are of one kin where kin[i] is the
 * same; NULL: none are. */
struct schedule *schedule_new(const uint64_t *costs, const uint32_t *kin, size_t job_count, unsigned worker_count);
void schedule_free(struct schedule *schedule);

/* The item for a free worker, or false when there is none for it now. */
bool schedule_next(struct schedule *schedule, unsigned worker, struct schedule_item *out);

/* `job` has this many pages (at least 1). Called at most once a job, after its page 0 was handed out. */
void schedule_set_pages(struct schedule *schedule, uint32_t job, uint32_t page_count);

/* The pages known so far, and those handed out. Jobs not opened yet count as one page. */
void schedule_counts(const struct schedule *schedule, size_t *known, size_t *handed_out);

#endif
