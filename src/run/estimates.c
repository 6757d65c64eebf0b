#include "run/estimates.h"

#include <stdlib.h>

#include "base/memory.h"

struct estimate {
    const struct cost *measured;
    size_t measured_count;
    uint64_t whole, page;
};

struct estimates {
    struct estimate *jobs;
    bool are_times;
};

/* What a job may cost: cells drawn in all passes, as far as the list alone tells. Pages of larger cells at higher
 * supersampling take longer; animations not listed are guessed at. */
static uint64_t guess(const struct job *job)
{
    enum { GUESSED_SAMPLES = 8 };
    uint64_t animations = job->animation_count ? job->animation_count : 1;
    uint64_t samples = job->sampling.kind == SAMPLING_COUNT ? job->sampling.count : GUESSED_SAMPLES;
    uint64_t pixels = (uint64_t)job->cell_px[0] * job->cell_px[1] * job->supersample * job->supersample;
    return animations * samples * job->camera_count * pixels * (unsigned)__builtin_popcount(job->passes);
}

static void measure(struct estimate *job, const struct bake_job *of, const struct costs *costs)
{
    job->measured = costs_of_job(costs, of->list->name, of->job->name, &job->measured_count);
    for (size_t i = 0; i < job->measured_count; i++)
        job->whole += cost_us(&job->measured[i]);
    if (job->measured_count > 0)
        job->page = job->whole / job->measured_count;
}

/* Guesses on the scale of what was measured, over the jobs that have both. In whole numbers: rounding may differ between
 * machines. */
static uint64_t scale_guess(uint64_t units, uint64_t measured_us, uint64_t measured_units)
{
    if (measured_units == 0)
        return units;
    unsigned __int128 scaled = (unsigned __int128)units * measured_us / measured_units;
    return scaled < 1 ? 1 : scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

struct estimates *estimates_new(const struct bake_job *jobs, size_t job_count, const struct costs *costs)
{
    struct estimates *estimates = must_alloc(1, sizeof *estimates);
    estimates->jobs = must_alloc(job_count, sizeof *estimates->jobs);
    uint64_t measured_us = 0, measured_units = 0;
    for (size_t i = 0; costs && i < job_count; i++) {
        measure(&estimates->jobs[i], &jobs[i], costs);
        measured_us += estimates->jobs[i].whole;
        measured_units += estimates->jobs[i].whole ? guess(jobs[i].job) : 0;
    }
    for (size_t i = 0; i < job_count; i++)
        if (estimates->jobs[i].measured_count == 0)
            estimates->jobs[i].whole = scale_guess(guess(jobs[i].job), measured_us, measured_units);
    estimates->are_times = measured_us > 0;
    return estimates;
}

void estimates_free(struct estimates *estimates)
{
    if (!estimates)
        return;
    free(estimates->jobs);
    free(estimates);
}

bool estimates_are_times(const struct estimates *estimates)
{
    return estimates->are_times;
}

uint64_t estimates_of_job(const struct estimates *estimates, size_t job)
{
    return estimates->jobs[job].whole;
}

uint64_t estimates_of_page(const struct estimates *estimates, size_t number, uint32_t page)
{
    const struct estimate *job = &estimates->jobs[number];
    if (job->measured_count == 0)
        return page == 0 ? job->whole : 0;
    const struct cost *measured = cost_of_page(job->measured, job->measured_count, page);
    return measured ? cost_us(measured) : job->page;
}

const struct cost *estimates_measured(const struct estimates *estimates, size_t job, size_t *count)
{
    *count = estimates->jobs[job].measured_count;
    return estimates->jobs[job].measured;
}
