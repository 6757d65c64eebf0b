#include <stdlib.h>

#include "base/memory.h"
#include "os/signals.h"
#include "run/batch_state.h"

bool batch_next_page(struct batch *batch, unsigned worker, struct schedule_item *out)
{
    if (batch->alone) {
        bool is_left = !batch->is_alone_begun;
        batch->is_alone_begun = true;
        *out = batch->alone->item;
        return is_left;
    }
    if (batch->fail_fast && recovery_has_dead(batch->recovery))
        return false; /* whether it has failed is to be known first */
    return recovery_next(batch->recovery, batch->schedule, worker, out);
}

static void report_waiting(struct batch *batch, struct waiting_page *page, enum page_status status, char *reason)
{
    struct page_result result = page->result;
    result.status = status;
    result.reason = reason;
    batch->has_lost[page->item.job] = true;
    report_page(batch->report, &result);
    free(reason);
    waiting_page_release(page);
}

static void report_skipped(struct batch *batch)
{
    struct waiting_page page;
    while (recovery_take_skipped(batch->recovery, &page)) {
        const char *death = page.result.reason;
        char *reason = must_printf("%s%s: %s killed its worker when it was tried alone, too", death ? death : "",
                                   death ? "; not tried again" : "not tried", page.result.job->model);
        report_waiting(batch, &page, PAGE_FAILED, reason);
    }
}

static void cancel(struct batch *batch, struct waiting_page *page)
{
    report_waiting(batch, page, PAGE_CANCELLED,
                   must_printf("%s; the run ended before it was tried again", page->result.reason));
}

/* Tries one page again, with no other worker at work, in a process of its own. */
static enum pool_end try_alone(struct batch *batch, struct waiting_page *page, const struct pool_settings *pool,
                               int *signal_number)
{
    struct pool_settings settings = *pool;
    struct error err = {""};
    settings.worker_count = 1;
    batch->alone = page;
    batch->is_alone_begun = batch->is_alone_told = false;
    enum pool_end end = pool_run(&settings, signal_number, &err);
    batch->alone = NULL;
    if (batch->is_alone_told) {
        waiting_page_release(page);
    } else if (end == POOL_INTERRUPTED) {
        cancel(batch, page);
    } else { /* no worker could be started */
        recovery_settle(batch->recovery, page->item, false);
        report_waiting(batch, page, PAGE_FAILED,
                       must_printf("%s; it could not be tried again: %s", page->result.reason, err.text));
        end = batch->fail_fast ? POOL_STOPPED : POOL_DONE;
    }
    return end;
}

/* The run ends early. Pages that nobody tried are not begun, unless the run is given up. */
static void cancel_waiting(struct batch *batch)
{
    struct schedule_item item;
    struct waiting_page page;
    while (batch->is_given_up && schedule_next(batch->schedule, 0, &item))
        if (!item.is_survey)
            recovery_hold(batch->recovery, item);
    while (recovery_take_any(batch->recovery, &page))
        if (page.result.attempts > 0)
            cancel(batch, &page);
        else if (batch->is_given_up)
            report_waiting(batch, &page, PAGE_CANCELLED, must_strdup("not tried: the run was given up"));
}

static void give_up(struct batch *batch, const struct page_result *latest, struct error *err)
{
    batch->is_given_up = true;
    error_set(
        err,
        "given up: the workers of %u different models in a row died, and no sheet was made in between. "
        "Something else than the models is wrong: the driver (see sheetbake doctor), the machine, or a limit "
        "(--timeout, --memory). The latest was %s: %s. --give-up 0 goes on",
        batch->give_up_limit, latest->job->name, latest->reason);
}

static enum pool_end run_all(struct batch *batch, const struct pool_settings *pool, int *signal_number,
                             struct error *err)
{
    struct waiting_page page;
    for (;;) {
        enum pool_end end = pool_run(pool, signal_number, err);
        const struct waiting_page *latest = recovery_gives_up(batch->recovery);
        if (end == POOL_DONE && latest) {
            give_up(batch, &latest->result, err);
            return POOL_FAILED;
        }
        bool is_over = !recovery_has_dead(batch->recovery);
        while (end == POOL_DONE && recovery_take_dead(batch->recovery, &page))
            end = try_alone(batch, &page, pool, signal_number);
        if (end == POOL_DONE)
            report_skipped(batch);
        if (end != POOL_DONE || is_over)
            return end;
    }
}

enum pool_end batch_run_pool(struct batch *batch, const struct pool_settings *pool, int *signal_number,
                             struct error *err)
{
    if (signals_open(err) < 0) /* also for the moments between two pools */
        return POOL_FAILED;
    enum pool_end end = run_all(batch, pool, signal_number, err);
    cancel_waiting(batch);
    signals_close();
    if (end == POOL_DONE && signals_first()) { /* one that came in the last moment is not lost */
        *signal_number = signals_first();
        end = POOL_INTERRUPTED;
    }
    return end;
}
