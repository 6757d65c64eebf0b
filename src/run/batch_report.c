#include <stdlib.h>

#include "base/memory.h"
#include "run/batch_state.h"
#include "run/page_note.h"

/* What they have in common: a page and those that were made along with it. */
static struct page_result result_of(const struct batch *batch, unsigned worker, uint64_t item,
                                    const struct record_pairs *inputs)
{
    struct schedule_item page = page_of(item);
    return (struct page_result){
        .list = batch->jobs[page.job].list,
        .job = batch->jobs[page.job].job,
        .page = page.page,
        .order = order_of(&page),
        .had_worker = true,
        .worker = worker,
        .attempts = batch->is_alone ? 2 : 1,
        .inputs = inputs,
    };
}

/* The pages of a packed or trimmed sheet after its first. */
static void report_others(struct batch *batch, unsigned worker, uint64_t item, const struct record_pairs *inputs)
{
    const struct page_state *state = &batch->pages[worker];
    for (size_t i = 0; i < state->also.count; i++) {
        struct page_result result = result_of(batch, worker, item, inputs);
        result.name = state->also.items[i];
        result.made_with = state->name;
        result.status = PAGE_MADE;
        report_page(batch->report, &result);
    }
}

/* Why it had to be made. The caller frees it. */
static char *describe_need(const struct batch *batch, uint64_t item)
{
    struct schedule_item page = page_of(item);
    const struct reasons *reasons = &batch_verdict(batch, page.job, page.page)->reasons;
    /* The worker may have found pages where we knew of none. */
    return reasons->count ? reasons_text(reasons) : NULL;
}

/* In memory that a worker which was taken over may have filled with anything. */
static uint64_t plausible_peak(const struct page_figures *figures)
{
    const uint64_t most_kib = (uint64_t)1 << 40; /* a PiB */
    return figures->peak_kib <= most_kib ? figures->peak_kib : 0;
}

/* Of the page and of those made along with it. */
static void report_pages(struct batch *batch, unsigned worker, uint64_t item, const struct outcome *outcome,
                         enum page_status status, const struct record_pairs *inputs)
{
    if (status != PAGE_MADE)
        batch->has_lost[page_of(item).job] = true;
    const struct page_state *state = &batch->pages[worker];
    const struct page_figures *figures = &((const struct page_note *)outcome->note)->figures;
    struct page_result result = result_of(batch, worker, item, inputs);
    result.name = state->name;
    result.status = status;
    char *need = describe_need(batch, item);
    result.reason = status == PAGE_MADE                        ? need
                    : status == PAGE_FAILED && !state->failure ? "the worker did not say why"
                                                               : state->failure;
    result.seconds = outcome->seconds;
    result.signal = outcome->kind == OUTCOME_SIGNALED ? outcome->number : 0;
    result.peak_kib = outcome->peak_kib ? outcome->peak_kib : plausible_peak(figures);
    result.warnings = &state->warnings;
    stages_end(&figures->stages, outcome->seconds, &result.stages);
    report_page(batch->report, &result);
    if (status == PAGE_MADE)
        report_others(batch, worker, item, inputs);
    free(need);
}

void batch_report_page(struct batch *batch, unsigned worker, uint64_t item, const struct outcome *outcome,
                       enum page_status status)
{
    const struct strings *given = &batch->pages[worker].inputs;
    struct record_pair *pairs = must_alloc(given->count, sizeof *pairs);
    for (size_t i = 0; i < given->count; i++)
        pairs[i] = (struct record_pair){.name = given->items[i] + HASH_SIZE, .value = given->items[i]};
    report_pages(batch, worker, item, outcome, status, &(struct record_pairs){pairs, given->count});
    free(pairs);
}

/* What is known of it is of its first try, where it had one. */
static void report_without_worker(struct batch *batch, const struct retry_page *page, enum page_status status,
                                  const char *reason)
{
    batch->has_lost[page->item.job] = true;
    report_page(batch->report, &(struct page_result){
                                   .list = batch->jobs[page->item.job].list,
                                   .job = batch->jobs[page->item.job].job,
                                   .page = page->item.page,
                                   .order = order_of(&page->item),
                                   .name = page->name,
                                   .status = status,
                                   .reason = reason,
                                   .attempts = page->attempts,
                                   .had_worker = page->attempts > 0,
                                   .worker = page->worker,
                                   .signal = page->signal,
                                   .seconds = page->seconds,
                                   .stages = page->stages,
                                   .peak_kib = page->peak_kib,
                               });
}

void batch_report_lost(struct batch *batch, const struct retry_page *page, const char *reason)
{
    report_without_worker(batch, page, PAGE_QUARANTINED, reason);
}

void batch_report_given_up(struct batch *batch, const struct retry_page *page, const char *reason)
{
    report_without_worker(batch, page, PAGE_FAILED, reason);
}

void batch_report_cancelled(struct batch *batch, const struct retry_page *page, const char *reason)
{
    report_without_worker(batch, page, PAGE_CANCELLED, reason);
}
