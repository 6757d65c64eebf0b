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

/* Cells drawn in all passes, as far as the list alone tells. Pages of larger cells at higher supersampling take
 * longer; the number of animations that the list does not name is a guess. */
static uint64_t guess_cost(const struct job *job)
{
    enum { GUESSED_SAMPLES = 8 };
    uint64_t animations = job->animation_count ? job->animation_count : 1;
    uint64_t samples = job->sampling.kind == SAMPLING_COUNT ? job->sampling.count : GUESSED_SAMPLES;
    uint64_t pixels = (uint64_t)job->cell_px[0] * job->cell_px[1] * job->supersample * job->supersample;
    return animations * samples * job->camera_count * pixels * (unsigned)__builtin_popcount(job->passes);
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
        costs[i] = guess_cost(batch->jobs[i].job);
        if (i > 0)
            kin[i] = kin[i - 1] + !have_one_folder(&batch->jobs[i - 1], &batch->jobs[i]);
    }
    struct schedule *schedule = schedule_new(costs, kin, batch->selection, worker_count);
    free(costs);
    free(kin);
    return schedule;
}
