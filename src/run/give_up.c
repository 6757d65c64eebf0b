#include "run/give_up.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct give_up {
    uint32_t *models; /* by job */
    bool *has_died;   /* by model: in this row */
    size_t job_count;
    unsigned limit, count;
};

struct give_up *give_up_new(const uint32_t *models, size_t job_count, unsigned limit)
{
    struct give_up *give_up = must_alloc(1, sizeof *give_up);
    give_up->models = must_alloc(job_count, sizeof *give_up->models);
    give_up->has_died = must_alloc(job_count, sizeof *give_up->has_died);
    if (job_count > 0)
        memcpy(give_up->models, models, job_count * sizeof *models);
    give_up->job_count = job_count;
    give_up->limit = limit;
    return give_up;
}

void give_up_free(struct give_up *give_up)
{
    if (!give_up)
        return;
    free(give_up->models);
    free(give_up->has_died);
    free(give_up);
}

void give_up_died(struct give_up *give_up, uint32_t job)
{
    assert(job < give_up->job_count);
    bool *has_died = &give_up->has_died[give_up->models[job]];
    give_up->count += !*has_died;
    *has_died = true;
}

void give_up_made(struct give_up *give_up)
{
    if (give_up->count > 0)
        memset(give_up->has_died, 0, give_up->job_count * sizeof *give_up->has_died);
    give_up->count = 0;
}

bool give_up_is_due(const struct give_up *give_up)
{
    return give_up->limit > 0 && give_up->count >= give_up->limit;
}

bool give_up_doubts(const struct give_up *give_up)
{
    return give_up->limit > 0 && give_up->count >= (give_up->limit + 3) / 4;
}
