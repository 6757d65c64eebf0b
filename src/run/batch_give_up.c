/* The end of a run of which nothing comes (run/give_up.h). Before that, where there is a page that this run has
 * made or that was up to date, it is made once more, which changes no file: when that goes well, the models are to
 * blame after all. A run that makes only what failed the night before has no others. Where there is none, nothing
 * more is begun, and one of the pages that died is tried again alone (batch_retry.c): all may have died of being
 * too many at once, or faster than the others could be made. */
#include <signal.h>
#include <stdlib.h>

#include "base/memory.h"
#include "run/batch_state.h"
#include "run/death.h"

enum { CONTROL_TRIES = 3 }; /* a page may fail for a reason of its own */

struct give_up *batch_new_give_up(const struct batch *batch, unsigned limit)
{
    uint32_t *models = batch_number_models(batch);
    struct give_up *give_up = give_up_new(models, batch->job_count, limit);
    free(models);
    return give_up;
}

/* Somebody may kill workers for reasons of their own, or the kernel where memory is short. */
static bool was_killed_from_outside(const struct outcome *outcome)
{
    return outcome->kind == OUTCOME_SIGNALED && (outcome->number == SIGKILL || outcome->number == SIGTERM);
}

/* -- The control ------------------------------------------------------------------------------------------- */

static bool find_kept_page(const struct batch *batch, uint32_t job, struct schedule_item *out)
{
    for (uint32_t page = 0; page < batch->verdicts[job].page_count; page++)
        if (batch_verdict(batch, job, page)->reasons.count == 0) {
            *out = (struct schedule_item){.job = job, .page = page, .is_control = true};
            return true;
        }
    return false;
}

/* A page that is up to date: each time from another part of the jobs. */
static bool find_kept(const struct batch *batch, size_t time, struct schedule_item *out)
{
    size_t count = 0, at = 0;
    for (uint32_t job = 0; job < batch->job_count; job++)
        count += find_kept_page(batch, job, out);
    for (uint32_t job = 0; job < batch->job_count; job++)
        if (find_kept_page(batch, job, out) && at++ == count * time / CONTROL_TRIES)
            return true;
    return false;
}

static bool find_control(const struct batch *batch, struct schedule_item *out)
{
    if (batch->control_count == CONTROL_TRIES)
        return false;
    if (batch->has_made && batch->control_count == 0) {
        *out = batch->latest_made;
        out->is_first = out->is_survey = false;
        out->is_control = true;
        return true;
    }
    return find_kept(batch, batch->control_count, out);
}

bool batch_next_control(struct batch *batch, struct schedule_item *out)
{
    if (batch->is_control_out || !find_control(batch, out))
        return false;
    batch->is_control_out = true;
    batch->control_count++;
    return true;
}

/* -- The end ----------------------------------------------------------------------------------------------- */

static bool end_run(struct batch *batch, const struct bake_job *job, const char *death, const char *more)
{
    batch->is_given_up = true;
    error_set(&batch->give_up_error,
              "given up: the workers of %u different models in a row died, and no sheet was made in between%s. "
              "Something else than "
              "the models is wrong: the driver (see sheetbake doctor), the machine, or a limit (--timeout, "
              "--memory). The latest was "
              "%s: %s. --give-up 0 goes on",
              batch->give_up_limit, more, job->job->name, death ? death : "unknown");
    return false;
}

static bool settle_control(struct batch *batch, const struct schedule_item *page, const struct outcome *outcome,
                           bool is_made, const char *death)
{
    batch->is_control_out = false;
    if (is_made) {
        batch->control_count = 0;
        give_up_made(batch->give_up);
        return true;
    }
    if (!give_up_is_due(batch->give_up))
        return true; /* another page was made meanwhile */
    struct schedule_item next;
    bool proves = outcome_is_death(outcome) && !was_killed_from_outside(outcome);
    if (!proves && find_control(batch, &next))
        return true;
    return end_run(batch, &batch->jobs[page->job], death, ", nor could one be made again that is fine");
}

bool batch_count_end(struct batch *batch, const struct schedule_item *page, const struct outcome *outcome,
                     bool is_made, const char *death)
{
    if (outcome->kind == OUTCOME_CANCELLED)
        return true; /* the run is over */
    if (page->is_control)
        return settle_control(batch, page, outcome, is_made, death);
    struct schedule_item control;
    if (is_made) {
        give_up_made(batch->give_up);
        batch->control_count = 0;
        batch->has_made |= !page->is_survey;
        if (!page->is_survey)
            batch->latest_made = *page;
    } else if (outcome_is_death(outcome) && !was_killed_from_outside(outcome)) {
        give_up_died(batch->give_up, page->job);
    }
    if (!give_up_is_due(batch->give_up) || batch->is_control_out || find_control(batch, &control))
        return true;
    if (!batch->is_alone)
        return true; /* those under way may be made, and then one is tried alone */
    return end_run(batch, &batch->jobs[page->job], death, "");
}

bool batch_count_lost(struct batch *batch, const struct schedule_item *page, const char *why)
{
    struct schedule_item control;
    if (!give_up_is_due(batch->give_up) || find_control(batch, &control))
        return true;
    return end_run(batch, &batch->jobs[page->job], why, "");
}

void batch_report_untried(struct batch *batch)
{
    struct schedule_item item;
    while (schedule_next(batch->schedule, 0, &item))
        if (!item.is_survey)
            batch_report_cancelled(batch, &(struct retry_page){.item = item}, "not tried: the run was given up");
    while (retry_take_held(batch->retry, &item))
        batch_report_cancelled(batch, &(struct retry_page){.item = item}, "not tried: the run was given up");
}
