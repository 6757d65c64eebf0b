/* Chooses the page to make next, for each worker.
 *
 * A job starts as one item, its page 0: the worker that opens the model finds how many pages there are, and sends
 * that. If page 0 is not wanted, the item is a survey: the worker opens the model and draws nothing. If the number is
 * known from an earlier run, the job starts with its first wanted page.
 *
 * Jobs start in the order of their cost, largest first, so that a run does not end with one worker on a large model.
 * A worker goes on with the job whose model it has open, then begins another job, then helps with the job that has the
 * most pages left. Among jobs of equal cost it stays in one folder: its models probably share textures.
 *
 * Pure data: no processes, no clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pages of its jobs that a run is to make. They do not change while it goes on.
 *
 * Before a job's model is open, the number of its pages is known only from the records of an earlier run, if nothing has
 * changed since. Pages are those of the plan: a packed or trimmed sheet is one. */
struct selection {
    size_t job_count;
    const uint32_t *page_counts; /* by job; 0: not known */

    /* Whether the run is to make the page, if the job has it; NULL: all. Called many times for a page, also when the pages
     * of a job become known, and has to return the same each time. */
    bool (*has)(const void *context, size_t job, uint32_t page);
    const void *context;
};

bool selection_has(const struct selection *selection, size_t job, uint32_t page);

/* Counts the wanted pages from `page` on. */
uint32_t selection_count(const struct selection *selection, size_t job, uint32_t page, uint32_t page_count);

/* Whether the run has to open the job: a page of it is wanted, or how many it has is yet to be found out. */
bool selection_has_job(const struct selection *selection, size_t job);

struct schedule;

struct schedule_item {
    uint32_t job, page;
    bool is_first;  /* of its job in this run: the worker sends the number of pages and the warnings */
    bool is_survey; /* the worker sends the number of pages and does nothing else; `page` is 0 */
};

/* The pool knows an item by its number: the job in the upper half, then these and the page. */
enum { ITEM_IS_FIRST = 1u << 31, ITEM_IS_SURVEY = 1u << 30 };

static inline uint64_t schedule_number(const struct schedule_item *item)
{
    return (uint64_t)item->job << 32 | (item->is_first ? ITEM_IS_FIRST : 0) |
           (item->is_survey ? ITEM_IS_SURVEY : 0) | item->page;
}

static inline struct schedule_item schedule_item_of(uint64_t number)
{
    return (struct schedule_item){
        .job = (uint32_t)(number >> 32),
        .page = (uint32_t)number & ~(ITEM_IS_FIRST | ITEM_IS_SURVEY),
        .is_first = number & ITEM_IS_FIRST,
        .is_survey = number & ITEM_IS_SURVEY,
    };
}

/* The position of a page in the lists. */
static inline uint64_t schedule_order(uint32_t job, uint32_t page)
{
    return (uint64_t)job << 32 | page;
}

/* Schedules the pages of `selection`, which is borrowed. costs[i] estimates job i in any unit. model_folders[i] is a number:
 * jobs that follow each other have the same one if their models lie in one folder; NULL: none do. turns[i] becomes its
 * place among those that start, if it does. */
struct schedule *schedule_new(const uint64_t *costs, const uint32_t *model_folders,
                              const struct selection *selection, unsigned worker_count, size_t *turns);
void schedule_free(struct schedule *schedule);

/* The item for a free worker, or false when there is none for it now. */
bool schedule_next(struct schedule *schedule, unsigned worker, struct schedule_item *out);

/* `job` has this many pages (at least 1). Called at most once a job, after its first item was handed out, and not
 * where the selection knew it. */
void schedule_set_pages(struct schedule *schedule, uint32_t job, uint32_t page_count);

/* Counts the wanted pages that are known so far; of a job that no worker has opened, page 0. */
size_t schedule_known(const struct schedule *schedule);
