#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "run/batch_state.h"
#include "run/death.h"
#include "run/page_note.h"
#include "os/signals.h"

struct model_of_job {
    const struct job_list *list;
    const char *model;
    uint32_t job;
};

static int compare_models(const struct model_of_job *a, const struct model_of_job *b)
{
    if (a->list != b->list)
        return a->list < b->list ? -1 : 1;
    return strcmp(a->model, b->model);
}

static int compare(const void *a, const void *b)
{
    const struct model_of_job *left = a, *right = b;
    int order = compare_models(left, right);
    if (order != 0)
        return order;
    return left->job < right->job ? -1 : 1; /* no two are the same job */
}

/* Models of different lists are taken for different ones: their assets may be. */
uint32_t *batch_number_models(const struct batch *batch)
{
    struct model_of_job *sorted = must_alloc(batch->job_count, sizeof *sorted);
    uint32_t *models = must_alloc(batch->job_count, sizeof *models), number = 0;
    for (size_t i = 0; i < batch->job_count; i++)
        sorted[i] = (struct model_of_job){batch->jobs[i].list, batch->jobs[i].job->model, (uint32_t)i};
    qsort(sorted, batch->job_count, sizeof *sorted, compare);
    for (size_t i = 0; i < batch->job_count; i++) {
        number += i > 0 && compare_models(&sorted[i - 1], &sorted[i]) != 0;
        models[sorted[i].job] = number;
    }
    free(sorted);
    return models;
}

struct retry *batch_new_retry(const struct batch *batch)
{
    uint32_t *models = batch_number_models(batch);
    struct retry *retry = retry_new(models, batch->job_count);
    free(models);
    return retry;
}

bool batch_next_page(struct batch *batch, unsigned worker, struct schedule_item *out)
{
    if (batch->is_alone) {
        bool is_left = !batch->is_alone_begun;
        batch->is_alone_begun = true;
        *out = batch->alone.item;
        return is_left;
    }
    if (batch->fail_fast && retry_has_dead(batch->retry))
        return false; /* whether it has failed is to be known first */
    if (give_up_is_due(batch->give_up))
        return batch_next_control(batch, out);
    if (retry_take_freed(batch->retry, out))
        return true;
    while (give_up_doubts(batch->give_up) ? schedule_next_apart(batch->schedule, worker, out)
                                          : schedule_next(batch->schedule, worker, out))
        if (retry_admit(batch->retry, *out))
            return true;
    return false;
}

/* The page's first try. Borrows the texts of the state. */
static struct retry_page describe_try(const struct batch *batch, unsigned worker, struct schedule_item page,
                                      const struct outcome *outcome)
{
    const struct page_state *state = &batch->pages[worker];
    const struct page_note *note = (const struct page_note *)outcome->note;
    struct retry_page tried = {
        .item = page,
        .name = state->name,
        .death = state->failure,
        .attempts = 1,
        .worker = worker,
        .signal = outcome->kind == OUTCOME_SIGNALED ? outcome->number : 0,
        .seconds = outcome->seconds,
        .peak_kib = outcome->peak_kib,
    };
    stages_end(&note->figures.stages, outcome->seconds, &tried.stages);
    return tried;
}

bool batch_postpone(struct batch *batch, unsigned worker, struct schedule_item page, const struct outcome *outcome)
{
    struct page_state *state = &batch->pages[worker];
    if (!outcome_is_death(outcome) || batch->is_alone || page.is_control)
        return false;
    batch->is_told[page.job] |= state->warnings.count > 0;
    struct retry_page tried = describe_try(batch, worker, page, outcome);
    retry_add_death(batch->retry, &tried);
    char *text = must_printf("%s; it will be tried again alone", state->failure);
    report_postponed(batch->report, worker, batch->jobs[page.job].job, tried.name, text);
    free(text);
    return true;
}

void batch_settle(struct batch *batch, unsigned worker, const struct outcome *outcome)
{
    if (!batch->is_alone || outcome->kind == OUTCOME_CANCELLED)
        return;
    struct page_state *state = &batch->pages[worker];
    const char *first = batch->alone.death;
    bool died = outcome_is_death(outcome);
    retry_settle(batch->retry, batch->alone.item, died);
    batch->is_alone_settled = true;
    if (!state->name && batch->alone.name)
        state->name = must_strdup(batch->alone.name);
    if (!state->failure)
        return;
    char *both = died ? death_describe_both(first, state->failure)
                      : must_printf("%s (when first tried, %s)", state->failure, first);
    free(state->failure);
    state->failure = both;
}

/* Reports pages that will not be tried, for their model is quarantined. */
static void report_lost(struct batch *batch)
{
    struct retry_page page;
    while (retry_take_lost(batch->retry, &page)) {
        const char *model = batch->jobs[page.item.job].job->model;
        char *reason = death_describe_lost(page.death, model, retry_deaths(batch->retry, page.item.job));
        batch_report_lost(batch, &page, reason);
        free(reason);
        retry_page_release(&page);
    }
}

static void report_cancelled(struct batch *batch, const struct retry_page *page)
{
    char *reason = must_printf("%s; the run ended before it was tried again", page->death);
    batch_report_cancelled(batch, page, reason);
    free(reason);
}

/* The run ended early: nothing waits for another try any more. */
static void cancel_dead(struct batch *batch)
{
    struct retry_page page;
    while (retry_take_any_dead(batch->retry, &page)) {
        report_cancelled(batch, &page);
        retry_page_release(&page);
    }
}

/* No worker could be started to try the page again. */
static void give_up(struct batch *batch, const struct error *err)
{
    char *reason = must_printf("%s; it could not be tried again: %s", batch->alone.death, err->text);
    batch_report_given_up(batch, &batch->alone, reason);
    free(reason);
}

/* Tries one page again, with no other worker at work, in a process of its own. */
static enum pool_end try_alone(struct batch *batch, const struct pool_settings *pool, int *signal_number)
{
    struct pool_settings settings = *pool;
    struct error err = {""};
    settings.worker_count = 1;
    batch->is_alone = true;
    batch->is_alone_begun = batch->is_alone_told = batch->is_alone_settled = false;
    enum pool_end end = pool_run(&settings, signal_number, &err);
    batch->is_alone = false;
    if (!batch->is_alone_settled && (end == POOL_START_FAILED || end == POOL_FAILED)) {
        retry_settle(batch->retry, batch->alone.item, false);
        give_up(batch, &err);
        bool goes_on = batch_count_lost(batch, &batch->alone.item, err.text) && !batch->fail_fast;
        end = goes_on ? POOL_DONE : POOL_STOPPED;
    }
    if (!batch->is_alone_told && end == POOL_INTERRUPTED)
        report_cancelled(batch, &batch->alone);
    retry_page_release(&batch->alone);
    return end;
}

enum pool_end batch_run_pool(struct batch *batch, const struct pool_settings *pool, int *signal_number,
                             struct error *err)
{
    if (signals_open(err) < 0) /* also for the moments between two pools */
        return POOL_FAILED;
    enum pool_end end = pool_run(pool, signal_number, err);
    while (end == POOL_DONE && retry_take_dead(batch->retry, &batch->alone)) {
        end = try_alone(batch, pool, signal_number);
        if (end != POOL_DONE)
            break;
        report_lost(batch);
        /* What was held back, or hidden behind a first page. */
        end = pool_run(pool, signal_number, err);
        if (end == POOL_START_FAILED)
            end = POOL_FAILED; /* a back end there is */
    }
    cancel_dead(batch);
    signals_close();
    if (end == POOL_DONE && signals_first()) { /* one that came in the last moment is not lost */
        *signal_number = signals_first();
        end = POOL_INTERRUPTED;
    }
    return end;
}
