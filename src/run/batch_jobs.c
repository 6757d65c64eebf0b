#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "run/batch_state.h"

void batch_select_jobs(struct batch *batch, const struct batch_settings *settings)
{
    size_t capacity = 0;
    for (size_t i = 0; i < settings->list_count; i++) {
        const struct job_list *list = settings->lists[i];
        for (size_t j = 0; j < list->job_count; j++) {
            if (settings->only && !glob_matches(settings->only, list->jobs[j].name, false))
                continue;
            batch->jobs = must_grow(batch->jobs, batch->job_count, &capacity, sizeof *batch->jobs);
            batch->jobs[batch->job_count++] = (struct bake_job){list, &list->jobs[j]};
        }
    }
}

/* Rounded down to 1, 2, 3, 4, 6, 8, 12, ...: times never are the same, but jobs of about the same cost should follow
 * each other by kin. */
static uint64_t round_cost(uint64_t cost)
{
    if (cost < 4)
        return cost;
    unsigned shift = 62 - (unsigned)__builtin_clzll(cost);
    return cost >> shift << shift;
}

static bool have_one_folder(const struct bake_job *a, const struct bake_job *b)
{
    const char *left = a->job->model, *right = b->job->model;
    size_t length = (size_t)(path_base(left) - left);
    return a->list == b->list && length == (size_t)(path_base(right) - right) && !strncmp(left, right, length);
}

struct schedule *batch_new_schedule(const struct batch *batch, unsigned worker_count)
{
    uint64_t *costs = must_alloc(batch->job_count, sizeof *costs);
    uint32_t *kin = must_alloc(batch->job_count, sizeof *kin);
    for (size_t i = 0; i < batch->job_count; i++) {
        costs[i] = estimates_of_job(batch->estimates, i);
        if (estimates_are_times(batch->estimates))
            costs[i] = round_cost(costs[i]);
        if (i > 0)
            kin[i] = kin[i - 1] + !have_one_folder(&batch->jobs[i - 1], &batch->jobs[i]);
    }
    struct schedule *schedule = schedule_new(costs, kin, batch->selection, worker_count);
    free(costs);
    free(kin);
    return schedule;
}
