#include "run/recovery.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Deaths after which a model's other pages wait: after the first one they may well be fine. */
enum { MOST_DEATHS = 2 };

struct model_state {
    unsigned deaths; /* not counting retries, since a page whose worker died was made alone */
    bool is_skipped;
};

struct recovery {
    struct schedule *schedule;
    const struct bake_job *jobs;
    struct model_state *models; /* by job: of its model */
    size_t job_count;
    struct waiting_page *waiting; /* in the order in which they came */
    size_t waiting_count, waiting_capacity;
    unsigned deaths; /* of different models, since the latest page was made */
    unsigned most_deaths;
};

struct recovery *recovery_new(struct schedule *schedule, const struct bake_job *jobs, size_t job_count,
                              unsigned give_up)
{
    struct recovery *recovery = must_alloc(1, sizeof *recovery);
    recovery->schedule = schedule;
    recovery->jobs = jobs;
    recovery->models = must_alloc(job_count, sizeof *recovery->models);
    recovery->job_count = job_count;
    recovery->most_deaths = give_up;
    return recovery;
}

void waiting_page_release(struct waiting_page *page)
{
    free((char *)(uintptr_t)page->result.name);
    free((char *)(uintptr_t)page->result.reason);
    *page = (struct waiting_page){0};
}

void recovery_free(struct recovery *recovery)
{
    if (!recovery)
        return;
    for (size_t i = 0; i < recovery->waiting_count; i++)
        waiting_page_release(&recovery->waiting[i]);
    free(recovery->waiting);
    free(recovery->models);
    free(recovery);
}

/* Models of different lists are different ones: their assets may be. */
static void set_model(struct recovery *recovery, uint32_t job, struct model_state state)
{
    const struct bake_job *jobs = recovery->jobs;
    assert(job < recovery->job_count);
    for (size_t i = 0; i < recovery->job_count; i++)
        if (jobs[i].list == jobs[job].list && !strcmp(jobs[i].job->model, jobs[job].job->model))
            recovery->models[i] = state;
}

static void add(struct recovery *recovery, struct waiting_page page)
{
    recovery->waiting = must_grow(recovery->waiting, recovery->waiting_count, &recovery->waiting_capacity,
                                  sizeof *recovery->waiting);
    recovery->waiting[recovery->waiting_count++] = page;
}

static enum wait wait_of(const struct recovery *recovery, uint32_t job, unsigned attempts)
{
    const struct model_state *model = &recovery->models[job];
    if (model->is_skipped)
        return WAITS_NO_MORE;
    if (attempts > 0)
        return WAITS_FOR_RETRY;
    return model->deaths < MOST_DEATHS ? WAITS_FOR_WORKER : WAITS_FOR_MODEL;
}

/* The index of the first page with one of these waits, or waiting_count. */
static size_t find(const struct recovery *recovery, unsigned waits)
{
    size_t i = 0;
    for (; i < recovery->waiting_count; i++) {
        const struct waiting_page *page = &recovery->waiting[i];
        if (wait_of(recovery, page->item.job, page->result.attempts) & waits)
            break;
    }
    return i;
}

bool recovery_take(struct recovery *recovery, unsigned waits, struct waiting_page *out)
{
    size_t i = find(recovery, waits);
    if (i == recovery->waiting_count)
        return false;
    struct waiting_page *page = &recovery->waiting[i];
    *out = *page;
    if (page->result.attempts == 0 && schedule_next_held(recovery->schedule, page->item.job, &page->item)) {
        page->result.page = page->item.page;
        page->result.order = schedule_order(page->item.job, page->item.page);
        return true;
    }
    recovery->waiting_count--;
    memmove(page, page + 1, (recovery->waiting_count - i) * sizeof *page);
    return true;
}

void recovery_hold(struct recovery *recovery, struct schedule_item item)
{
    const struct bake_job *job = &recovery->jobs[item.job];
    struct page_result result = {
        .list = job->list, .job = job->job, .page = item.page, .order = schedule_order(item.job, item.page)};
    add(recovery, (struct waiting_page){item, result});
    schedule_hold(recovery->schedule, item.job);
}

bool recovery_next(struct recovery *recovery, unsigned worker, struct schedule_item *out)
{
    struct waiting_page page;
    if (recovery_gives_up(recovery))
        return false;
    if (recovery_take(recovery, WAITS_FOR_WORKER, &page)) {
        *out = page.item;
        return true;
    }
    while (schedule_next(recovery->schedule, worker, out)) {
        if (wait_of(recovery, out->job, 0) == WAITS_FOR_WORKER)
            return true;
        recovery_hold(recovery, *out);
    }
    return false;
}

void recovery_add_made(struct recovery *recovery)
{
    recovery->deaths = 0;
}

void recovery_add_retry(struct recovery *recovery, struct schedule_item item, const struct page_result *result)
{
    struct waiting_page page = {item, *result};
    page.result.name = result->name ? must_strdup(result->name) : NULL;
    page.result.reason = must_strdup(result->reason);
    page.result.inputs = NULL;
    page.result.warnings = NULL;
    add(recovery, page);
    struct model_state model = recovery->models[item.job];
    /* Users and the kernel, when memory is short, may kill any worker: that says nothing about the run. */
    bool is_from_outside = result->signal == SIGKILL || result->signal == SIGTERM;
    recovery->deaths += model.deaths == 0 && !is_from_outside;
    model.deaths++;
    set_model(recovery, item.job, model);
}

void recovery_settle(struct recovery *recovery, struct schedule_item item, bool died)
{
    set_model(recovery, item.job, (struct model_state){.is_skipped = died});
}

bool recovery_has_retry(const struct recovery *recovery)
{
    return find(recovery, WAITS_FOR_RETRY) < recovery->waiting_count;
}

const struct waiting_page *recovery_gives_up(const struct recovery *recovery)
{
    if (recovery->most_deaths == 0 || recovery->deaths < recovery->most_deaths)
        return NULL;
    size_t i = recovery->waiting_count;
    while (i > 0 && recovery->waiting[i - 1].result.attempts == 0)
        i--;
    return i ? &recovery->waiting[i - 1] : NULL;
}
