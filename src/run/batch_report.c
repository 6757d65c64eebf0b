#include "run/batch_state.h"
#include "run/page_note.h"

/* What they have in common: a page and those that were made along with it. */
static struct page_result result_of(const struct batch *batch, unsigned worker, uint64_t item)
{
    struct schedule_item page = page_of(item);
    const struct page_state *state = &batch->pages[worker];
    return (struct page_result){
        .list = batch->jobs[page.job].list,
        .job = batch->jobs[page.job].job,
        .page = page.page,
        .order = order_of(&page),
        .had_worker = true,
        .worker = worker,
        .attempts = 1,
        .inputs = &state->inputs,
    };
}

/* The pages of a packed or trimmed sheet after its first. */
static void report_others(struct batch *batch, unsigned worker, uint64_t item)
{
    const struct page_state *state = &batch->pages[worker];
    for (size_t i = 0; i < state->also.count; i++) {
        struct page_result result = result_of(batch, worker, item);
        result.name = state->also.items[i];
        result.made_with = state->name;
        result.status = PAGE_MADE;
        report_page(batch->report, &result);
    }
}

void batch_report_page(struct batch *batch, unsigned worker, uint64_t item, const struct outcome *outcome,
                       enum page_status status)
{
    const struct page_state *state = &batch->pages[worker];
    const struct page_figures *figures = &((const struct page_note *)outcome->note)->figures;
    struct page_result result = result_of(batch, worker, item);
    result.name = state->name;
    result.status = status;
    result.reason = status == PAGE_FAILED && !state->failure ? "the worker did not say why" : state->failure;
    result.seconds = outcome->seconds;
    result.signal = outcome->kind == OUTCOME_SIGNALED ? outcome->number : 0;
    result.peak_kib = figures->peak_kib;
    result.warnings = &state->warnings;
    stages_end(&figures->stages, outcome->seconds, &result.stages);
    report_page(batch->report, &result);
    if (status == PAGE_MADE)
        report_others(batch, worker, item);
}
