#include "run/schedule.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

bool selection_has(const struct selection *selection, size_t job, uint32_t page)
{
    assert(job < selection->job_count);
    return !selection->has || selection->has(selection->context, job, page);
}

/* Returns the first wanted page from `page` on, or `page_count` where there is none. */
static uint32_t selection_next(const struct selection *selection, size_t job, uint32_t page, uint32_t page_count)
{
    while (page < page_count && !selection_has(selection, job, page))
        page++;
    return page;
}

uint32_t selection_count(const struct selection *selection, size_t job, uint32_t page, uint32_t page_count)
{
    uint32_t count = 0;
    for (; page < page_count; page++)
        count += selection_has(selection, job, page);
    return count;
}

bool selection_has_job(const struct selection *selection, size_t job)
{
    uint32_t page_count = selection->page_counts[job];
    return page_count == 0 || selection_next(selection, job, 0, page_count) < page_count;
}

enum { NO_JOB = UINT32_MAX };

struct scheduled_job {
    bool is_begun;       /* its first item was handed out */
    uint32_t page_count; /* 0 until it is known */
    uint32_t next_page;  /* all before it were handed out, or are not wanted */
    uint32_t left;       /* wanted pages from there on; 0 until the number of pages is known */
};

/* Jobs of one cost and folder that are not opened yet: a part of by_cost. */
struct job_range {
    uint64_t cost;
    size_t next, end;
};

struct worker_state {
    uint32_t job;            /* whose model it has loaded, or NO_JOB */
    struct job_range *range; /* from which it took that, or NULL */
};

struct schedule {
    const struct selection *selection;
    struct scheduled_job *jobs; /* by number */
    uint32_t *by_cost;          /* the numbers of those with anything to do, largest first */
    size_t job_count;           /* of by_cost */
    struct job_range *ranges;   /* in the same order */
    size_t range_count;
    size_t first_range; /* the first that has jobs left */
    size_t fresh_range; /* the first that no worker has begun */
    struct worker_state *workers;
    unsigned worker_count;
    size_t known;
};

struct cost {
    uint64_t cost;
    uint32_t job;
};

static int compare_costs(const void *a, const void *b)
{
    const struct cost *left = a, *right = b;
    if (left->cost != right->cost)
        return left->cost > right->cost ? -1 : 1;
    return left->job < right->job ? -1 : 1; /* no two are the same job */
}

static void know_pages(struct schedule *schedule, uint32_t number, uint32_t page_count)
{
    struct scheduled_job *job = &schedule->jobs[number];
    job->page_count = page_count;
    job->left = selection_count(schedule->selection, number, job->next_page, page_count);
    schedule->known += job->left;
}

struct schedule *schedule_new(const uint64_t *costs, const uint32_t *model_folders,
                              const struct selection *selection, unsigned worker_count, size_t *turns)
{
    size_t all = selection->job_count, count = 0;
    assert(all < NO_JOB);
    struct schedule *schedule = must_alloc(1, sizeof *schedule);
    schedule->selection = selection;
    schedule->jobs = must_alloc(all, sizeof *schedule->jobs);

    struct cost *sorted = must_alloc(all, sizeof *sorted);
    for (size_t i = 0; i < all; i++)
        if (selection_has_job(selection, i))
            sorted[count++] = (struct cost){costs[i], (uint32_t)i};
    qsort(sorted, count, sizeof *sorted, compare_costs);
    schedule->job_count = count;
    schedule->by_cost = must_alloc(count, sizeof *schedule->by_cost);
    schedule->ranges = must_alloc(count, sizeof *schedule->ranges);
    for (size_t i = 0; i < count; i++) {
        uint32_t job = sorted[i].job, before = i ? sorted[i - 1].job : NO_JOB;
        schedule->by_cost[i] = job;
        turns[job] = i;
        if (!model_folders || i == 0 || costs[job] != costs[before] || model_folders[job] != model_folders[before])
            schedule->ranges[schedule->range_count++] = (struct job_range){costs[job], i, i};
        schedule->ranges[schedule->range_count - 1].end++;
        uint32_t page_count = selection->page_counts[job];
        if (page_count)
            know_pages(schedule, job, page_count);
        else
            schedule->known += selection_has(selection, job, 0);
    }
    free(sorted);

    schedule->workers = must_alloc(worker_count, sizeof *schedule->workers);
    schedule->worker_count = worker_count;
    for (unsigned i = 0; i < worker_count; i++)
        schedule->workers[i].job = NO_JOB;
    return schedule;
}

void schedule_free(struct schedule *schedule)
{
    if (!schedule)
        return;
    free(schedule->jobs);
    free(schedule->by_cost);
    free(schedule->ranges);
    free(schedule->workers);
    free(schedule);
}

/* NO_JOB when there is nothing left anywhere. Among equals the costlier job. */
static uint32_t job_with_most_left(const struct schedule *schedule)
{
    uint32_t best = NO_JOB, most = 0;
    for (size_t i = 0; i < schedule->job_count; i++) {
        uint32_t left = schedule->jobs[schedule->by_cost[i]].left;
        if (left > most) {
            most = left;
            best = schedule->by_cost[i];
        }
    }
    return best;
}

static bool has_jobs(const struct job_range *range)
{
    return range && range->next < range->end;
}

/* A range with jobs left, or NULL. A worker stays with its own; then it begins one of its own, unless costlier jobs
 * are left elsewhere. */
static struct job_range *choose_range(struct schedule *schedule, const struct worker_state *worker)
{
    if (has_jobs(worker->range))
        return worker->range;
    while (schedule->first_range < schedule->range_count && !has_jobs(&schedule->ranges[schedule->first_range]))
        schedule->first_range++;
    if (schedule->first_range == schedule->range_count)
        return NULL;
    while (schedule->fresh_range < schedule->range_count && !has_jobs(&schedule->ranges[schedule->fresh_range]))
        schedule->fresh_range++;
    struct job_range *first = &schedule->ranges[schedule->first_range];
    if (schedule->fresh_range < schedule->range_count &&
        schedule->ranges[schedule->fresh_range].cost == first->cost)
        return &schedule->ranges[schedule->fresh_range++];
    return first;
}

static void hand_out(struct schedule *schedule, uint32_t number, struct schedule_item *out)
{
    struct scheduled_job *job = &schedule->jobs[number];
    struct schedule_item item = {.job = number, .is_first = !job->is_begun};
    job->is_begun = true;
    if (job->page_count) {
        item.page = selection_next(schedule->selection, number, job->next_page, job->page_count);
        job->next_page = item.page + 1;
        job->left--;
    } else {
        job->next_page = 1;
        item.is_survey = !selection_has(schedule->selection, number, 0);
    }
    *out = item;
}

bool schedule_next(struct schedule *schedule, unsigned worker, struct schedule_item *out)
{
    assert(worker < schedule->worker_count);
    struct worker_state *state = &schedule->workers[worker];
    uint32_t number = state->job;
    if (number == NO_JOB || schedule->jobs[number].left == 0) {
        state->range = choose_range(schedule, state);
        number = state->range ? schedule->by_cost[state->range->next++] : job_with_most_left(schedule);
    }
    if (number == NO_JOB)
        return false;
    state->job = number;
    hand_out(schedule, number, out);
    return true;
}

void schedule_set_pages(struct schedule *schedule, uint32_t number, uint32_t page_count)
{
    assert(number < schedule->selection->job_count);
    struct scheduled_job *job = &schedule->jobs[number];
    assert(page_count > 0 && job->page_count == 0 && job->is_begun);
    know_pages(schedule, number, page_count);
}

size_t schedule_known(const struct schedule *schedule)
{
    return schedule->known;
}
