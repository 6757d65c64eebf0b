#include <stdlib.h>

#include "base/memory.h"
#include "run/batch_state.h"
#include "run/messages.h"

/* In memory that a worker which was taken over may have filled with anything. */
static uint64_t plausible_peak(const struct page_figures *figures)
{
    const uint64_t most_kib = (uint64_t)1 << 40; /* a PiB */
    return figures->peak_kib <= most_kib ? figures->peak_kib : 0;
}

struct page_result batch_describe_page(const struct batch *batch, unsigned worker, uint64_t item,
                                       const struct outcome *outcome)
{
    const struct page_state *state = &batch->pages[worker];
    const struct page_figures *figures = &((const struct page_note *)outcome->note)->figures;
    struct schedule_item page = page_of(item);
    struct page_result result = {
        .list = batch->jobs[page.job].list,
        .job = batch->jobs[page.job].job,
        .page = page.page,
        .order = schedule_order(&page),
        .name = state->name,
        .reason = state->failure,
        .seconds = outcome->seconds,
        .had_worker = true,
        .worker = worker,
        .attempts = batch->alone ? 2 : 1,
        .signal = outcome->kind == OUTCOME_SIGNALED ? outcome->number : 0,
        .peak_kib = outcome->peak_kib ? outcome->peak_kib : plausible_peak(figures),
        .warnings = &state->warnings,
    };
    stages_end(&figures->stages, outcome->seconds, &result.stages);
    return result;
}

/* The pages of a packed or trimmed sheet after its first. */
static void report_others(struct batch *batch, const struct page_result *first, const struct strings *names)
{
    for (size_t i = 0; i < names->count; i++) {
        struct page_result result = *first;
        result.name = names->items[i];
        result.made_with = first->name;
        result.reason = NULL;
        result.seconds = 0;
        result.stages = (struct stages){0};
        result.peak_kib = 0;
        result.warnings = NULL;
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

void batch_report_page(struct batch *batch, unsigned worker, uint64_t item, const struct outcome *outcome,
                       enum page_status status)
{
    const struct strings *given = &batch->pages[worker].inputs;
    struct record_pair *pairs = must_alloc(given->count, sizeof *pairs);
    for (size_t i = 0; i < given->count; i++)
        pairs[i] = (struct record_pair){.name = given->items[i] + HASH_SIZE, .value = given->items[i]};
    const struct record_pairs inputs = {pairs, given->count};

    struct page_result result = batch_describe_page(batch, worker, item, outcome);
    char *need = status == PAGE_MADE ? describe_need(batch, item) : NULL;
    result.status = status;
    result.inputs = &inputs;
    if (status == PAGE_MADE)
        result.reason = need;
    else if (status == PAGE_FAILED && !result.reason)
        result.reason = "the worker did not say why";
    batch->has_lost[page_of(item).job] |= status != PAGE_MADE;
    report_page(batch->report, &result);
    if (status == PAGE_MADE)
        report_others(batch, &result, &batch->pages[worker].also);
    free(need);
    free(pairs);
}
