#include "run/batch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/name.h"
#include "run/batch_state.h"
#include "run/messages.h"
#include "out/depfile.h"
#include "out/leftovers.h"
#include "os/signals.h"

/* A short limit for pages says nothing about loading the driver on a busy machine. */
static const double LEAST_START_TIMEOUT_S = 60;

/* -- What comes from the pool --------------------------------------------------------------------------------- */

static bool next_item(void *context, unsigned worker, uint64_t *item)
{
    struct batch *batch = context;
    struct schedule_item page;
    if (!batch_next_page(batch, worker, &page))
        return false;
    *item = item_of(&page);
    report_begin(batch->report, worker, batch->jobs[page.job].job);
    return true;
}

static void show_counts(struct batch *batch)
{
    size_t known, handed_out;
    schedule_counts(batch->schedule, &known, &handed_out);
    report_total(batch->report, known + batch->missing_count);
}

/* A worker that broke its own memory, or was taken over, may send anything, and as much as it likes. All names of
 * the largest sheet, and all inputs of the richest model, take far less. */
enum { MOST_HEARD = 64 * 1024 * 1024, MOST_WARNED = 256 * 1024 };

/* Of all jobs: each is an item that fails, or a name that is kept, whatever it is worth. No list that we know of
 * has a hundredth of it. */
enum { MOST_PAGES = 1 << 20 };

/* Once a job; false when it is too much. Where the number was known from an earlier run and is another now, a file
 * was changed since we looked: the next run makes what this one does not. */
static bool set_pages(struct batch *batch, uint32_t job, uint32_t page_count)
{
    size_t known, handed_out;
    schedule_counts(batch->schedule, &known, &handed_out);
    if (batch->is_opened[job] || selection_pages(batch->selection, job))
        return true;
    if (known + page_count > MOST_PAGES && page_count > 1)
        return false;
    batch->is_opened[job] = true;
    schedule_set_pages(batch->schedule, job, page_count);
    show_counts(batch);
    return true;
}

/* What comes after the job's name: the sheet's label, the page's number and a suffix. */
static bool is_name_of(const struct job *job, const char *name)
{
    struct error ignored;
    size_t length = strlen(job->name);
    return !strncmp(name, job->name, length) && !strchr(name + length, '/') &&
           name_check_text(name, strlen(name), &ignored) == 0;
}

/* Workers make no page that another job of its list makes (bake/owners.h). What is left are clips of models that
 * two lists with one output folder name. */
static void claim_page(struct batch *batch, struct page_state *state, const struct bake_job *job, const char *name)
{
    char *page = must_printf("%.*s", (int)(strlen(name) - strlen(path_suffix(name))), name);
    const struct job *other = outputs_claim_page(batch->outputs, job->list, job->job, page);
    free(page);
    if (other && !state->failure)
        state->failure = must_printf("job '%s' makes this file too, or one of its passes: one of them has to "
                                     "change its name",
                                     other->name);
}

static void start_page(struct page_state *state, const struct job *job, const char *name)
{
    if (state->name || !is_name_of(job, name))
        return; /* a page has one */
    state->name = must_strdup(name);
}

static void add_page(struct page_state *state, const struct job *job, const char *name)
{
    if (is_name_of(job, name))
        strings_add(&state->also, name);
}

static void claim_made(struct batch *batch, struct page_state *state, const struct bake_job *job)
{
    if (state->failure || !state->is_done || !state->name)
        return;
    claim_page(batch, state, job, state->name);
    for (size_t i = 0; i < state->also.count; i++)
        claim_page(batch, state, job, state->also.items[i]);
}

static void add_warning(struct batch *batch, struct page_state *state, uint32_t job, const char *text)
{
    state->warned += strlen(text);
    if (state->warned > MOST_WARNED || state->warnings.count > MOST_WARNINGS)
        return;
    strings_add(&state->warnings, text);
    if (!batch->is_told[job])
        report_warning(batch->report, batch->jobs[job].job, text);
}

static void add_input(struct page_state *state, const char *text)
{
    if (strnlen(text, HASH_SIZE) < HASH_SIZE || text[HASH_SIZE - 1] != ' ')
        return;
    strings_add(&state->inputs, text);
    state->inputs.items[state->inputs.count - 1][HASH_SIZE - 1] = '\0';
}

static void fail_page(struct page_state *state, const char *why)
{
    struct error cut;
    error_set(&cut, "%s", why);
    free(state->failure);
    state->failure = must_strdup(cut.text);
}

/* Of a worker that is about to be ended for it: what was too much. */
static bool refuse(struct page_state *state, const char *what, size_t most)
{
    struct error said;
    error_set(&said, "the worker sent more than %zu %s", most, what);
    free(state->failure);
    state->failure = must_strdup(said.text);
    return false;
}

static bool take_message(void *context, unsigned worker, uint64_t item, struct bytes bytes)
{
    struct batch *batch = context;
    struct page_state *state = &batch->pages[worker];
    struct message message;
    state->heard += bytes.size;
    if (state->heard > MOST_HEARD)
        return refuse(state, "MiB about this page", MOST_HEARD >> 20);
    if (!message_read(bytes, &message))
        return true; /* of no meaning, so of no effect */
    switch (message.kind) {
    case MESSAGE_PAGES:
        if (!set_pages(batch, page_of(item).job, message.number))
            return refuse(state, "pages for this run", MOST_PAGES);
        break;
    case MESSAGE_WARNING:
        add_warning(batch, state, page_of(item).job, message.text);
        break;
    case MESSAGE_STARTED:
        start_page(state, batch->jobs[page_of(item).job].job, message.text);
        break;
    case MESSAGE_ALSO:
        if (++batch->also_count > MOST_PAGES)
            return refuse(state, "names of pages for this run", MOST_PAGES);
        add_page(state, batch->jobs[page_of(item).job].job, message.text);
        break;
    case MESSAGE_DETAIL:
        report_detail(batch->report, batch->jobs[page_of(item).job].job, message.text);
        break;
    case MESSAGE_INPUT:
        add_input(state, message.text);
        break;
    case MESSAGE_FAILED:
        fail_page(state, message.text);
        break;
    case MESSAGE_DONE:
        state->is_done = true;
        break;
    }
    return true;
}

static void clear_page(struct page_state *state)
{
    free(state->name);
    free(state->failure);
    strings_release(&state->also);
    strings_release(&state->warnings);
    strings_release(&state->inputs);
    *state = (struct page_state){0};
}

static void remove_temporary(const char *path, const struct job_list *list)
{
    size_t folder = strlen(list->output);
    if (!strncmp(path, list->output, folder) && path[folder] == '/' && !strstr(path + folder, "/../") &&
        leftovers_has(path_base(path)))
        leftovers_remove_one(path);
}

/* The files a worker was writing when it died. It may have died of breaking its own memory, the note's too: only
 * the last '\0' is sure. */
static void remove_temporaries(const struct page_note *note, const struct job_list *list)
{
    const char *names = note->temporaries;
    for (size_t at = 0; at < sizeof note->temporaries && names[at]; at += strlen(names + at) + 1)
        remove_temporary(names + at, list);
}

static enum page_status status_of(const struct page_state *state, const struct outcome *outcome)
{
    if (outcome->kind == OUTCOME_CANCELLED)
        return PAGE_CANCELLED;
    return state->failure || !state->is_done ? PAGE_FAILED : PAGE_MADE;
}

static void postpone(struct batch *batch, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct schedule_item page = page_of(item);
    struct page_result tried = batch_describe_page(batch, worker, item, outcome);
    batch->is_told[page.job] |= batch->pages[worker].warnings.count > 0;
    recovery_add_death(batch->recovery, page, &tried);
    char *text = must_printf("%s; it will be tried again alone", tried.reason);
    report_postponed(batch->report, worker, tried.job, tried.name, text);
    free(text);
}

/* The page was tried alone, and knows also what the first try found out about it. */
static void settle(struct batch *batch, struct page_state *state, bool died)
{
    const struct page_result *first = &batch->alone->result;
    recovery_settle(batch->recovery, batch->alone->item, died);
    if (!state->name && first->name)
        state->name = must_strdup(first->name);
    if (!state->failure)
        return;
    char *both = !died ? must_printf("%s (when first tried, %s)", state->failure, first->reason)
                 : !strcmp(first->reason, state->failure)
                     ? must_printf("%s, and again when it was tried alone", state->failure)
                     : must_printf("%s; tried again alone: %s", first->reason, state->failure);
    free(state->failure);
    state->failure = both;
}

static bool finish_item(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct batch *batch = context;
    struct page_state *state = &batch->pages[worker];
    struct schedule_item page = page_of(item);
    const struct bake_job *job = &batch->jobs[page.job];

    if (batch->alone && outcome->kind == OUTCOME_CANCELLED && !(outcome->seconds > 0))
        return true; /* no worker had it again: batch_retry.c reports it */
    batch->is_alone_told = true;
    if (outcome->kind != OUTCOME_FINISHED) {
        remove_temporaries((const struct page_note *)outcome->note, job->list);
        char *death = outcome_is_death(outcome) ? death_describe(outcome, job->job->model, state->failure) : NULL;
        free(state->failure);
        state->failure = death;
    }
    if (outcome_is_death(outcome) && !batch->alone) {
        postpone(batch, worker, item, outcome);
        clear_page(state);
        return true;
    }
    if (batch->alone && outcome->kind != OUTCOME_CANCELLED)
        settle(batch, state, outcome_is_death(outcome));
    claim_made(batch, state, job);
    enum page_status status = status_of(state, outcome);
    if (status == PAGE_MADE)
        recovery_add_made(batch->recovery);
    if (!page.is_survey || status != PAGE_MADE)
        batch_report_page(batch, worker, item, outcome, status);
    clear_page(state);
    return !(status == PAGE_FAILED && batch->fail_fast);
}

static void tick(void *context)
{
    struct batch *batch = context;
    report_tick(batch->report);
}

static void trouble(void *context, const char *text)
{
    struct batch *batch = context;
    report_trouble(batch->report, text);
}

/* -- The run ----------------------------------------------------------------------------------------------- */

/* Why the run ended before its work was done, for the summary; NULL when it was not. */
static const char *describe_end(const struct batch *batch, enum pool_end end)
{
    if (batch->is_given_up)
        return "given up";
    switch (end) {
    case POOL_INTERRUPTED:
        return "interrupted";
    case POOL_STOPPED:
        return "stopped at the first failure";
    case POOL_START_FAILED:
    case POOL_FAILED:
        return "stopped";
    case POOL_DONE:
        break;
    }
    return NULL;
}

static enum batch_end end_of(enum pool_end end, const struct report *report)
{
    switch (end) {
    case POOL_DONE:
    case POOL_STOPPED:
        return report_count(report, PAGE_FAILED) ? BATCH_SHEETS_FAILED : BATCH_DONE;
    case POOL_START_FAILED:
        return BATCH_NO_BACKEND;
    case POOL_INTERRUPTED:
        return BATCH_INTERRUPTED;
    case POOL_FAILED:
        break;
    }
    return BATCH_BROKEN;
}

static void release(struct batch *batch, unsigned worker_count)
{
    for (unsigned i = 0; batch->pages && i < worker_count; i++)
        clear_page(&batch->pages[i]);
    free(batch->pages);
    free(batch->is_opened);
    free(batch->is_told);
    recovery_free(batch->recovery);
    steady_free(batch->steady);
    free(batch->has_lost);
    schedule_free(batch->schedule);
    batch_release_jobs(batch);
    outputs_free(batch->outputs);
}

/* The files of the run, as if each job had one page. */
static size_t count_files(const struct batch *batch)
{
    size_t count = 0;
    for (size_t i = 0; i < batch->job_count; i++) {
        const struct job *job = batch->jobs[i].job;
        count += (size_t)__builtin_popcount(job->passes) + (size_t)__builtin_popcount(job->metadata);
    }
    return count;
}

static void prepare(struct batch *batch, const struct batch_settings *settings)
{
    batch->pages = must_alloc(settings->worker_count, sizeof *batch->pages);
    batch->is_opened = must_alloc(batch->job_count, sizeof *batch->is_opened);
    batch->is_told = must_alloc(batch->job_count, sizeof *batch->is_told);
    batch->recovery = recovery_new(batch->jobs, batch->job_count, settings->give_up);
    batch->give_up_limit = settings->give_up;
    batch->steady = steady_new(batch->job_count);
    batch->has_lost = must_alloc(batch->job_count, sizeof *batch->has_lost);
    batch->schedule = batch_new_schedule(batch, settings->worker_count);
    batch->outputs = outputs_new(count_files(batch));
    show_counts(batch);
    batch_keep_pages(batch);
    batch_report_missing(batch);
}

static enum pool_end run_pool(struct batch *batch, const struct batch_settings *settings, int *signal_number,
                              struct error *err)
{
    int *lock_files = batch_lock_files(batch->folders);
    const struct pool_settings pool = {
        .kept_files = lock_files,
        .kept_count = batch->folders->count,
        .worker_count = settings->worker_count,
        .timeout_s = settings->timeout_s,
        .start_timeout_s = settings->timeout_s > 0 ? fmax(settings->timeout_s, LEAST_START_TIMEOUT_S) : 0,
        .memory_limit = settings->memory_limit,
        .tick_s = 0.1,
        .context = batch,
        .start = batch_start_worker,
        .work = batch_work,
        .finish = batch_finish_worker,
        .next = next_item,
        .message = take_message,
        .done = finish_item,
        .tick = tick,
        .trouble = trouble,
    };
    enum pool_end end = batch_run_pool(batch, &pool, signal_number, err);
    free(lock_files);
    return end;
}

static enum batch_end make_pages(struct batch *batch, const struct batch_settings *settings, int *signal_number,
                                 struct error *err)
{
    prepare(batch, settings);
    bool has_failed = settings->fail_fast && batch->missing_count > 0;
    enum pool_end pool_end = has_failed ? POOL_STOPPED : run_pool(batch, settings, signal_number, err);
    report_end(batch->report, describe_end(batch, pool_end));
    enum batch_end end = end_of(pool_end, batch->report);
    if (settings->depfile && end == BATCH_DONE && batch_write_depfile(batch, settings, err) < 0)
        end = BATCH_NO_OUTPUT;
    if (settings->prune && pool_end == POOL_DONE)
        batch_prune(batch, settings, false);
    return end;
}

enum batch_end batch_run(const struct batch_settings *settings, struct batch_folders **folders, int *signal_number,
                         struct error *err)
{
    struct batch batch = {
        .fail_fast = settings->fail_fast,
        .memory_limit = settings->memory_limit,
        .durable = settings->durable,
        .backend = settings->backend,
        .sandbox = settings->sandbox,
        .report = settings->report,
    };
    batch_select_jobs(&batch, settings);
    if (batch.job_count == 0)
        return BATCH_NO_JOBS;
    enum batch_end end = BATCH_NO_OUTPUT;
    if (!settings->depfile || depfile_can_write(settings->depfile, err) == 0)
        end = batch_open_folders(&batch, settings, signal_number, err);
    if (end != BATCH_DONE) {
        free(batch.jobs);
        return end;
    }
    report_start(batch.report, settings->lists, settings->list_count, settings->worker_count);
    bool are_caught = signals_open(err) == 0; /* judging may take long, and the log is to be told how it ended */
    batch_judge(&batch, settings);
    if (batch_check_folders(&batch, err) == 0) {
        end = make_pages(&batch, settings, signal_number, err);
    } else {
        report_end(batch.report, describe_end(&batch, POOL_FAILED));
        end = BATCH_NO_OUTPUT;
    }
    if (are_caught)
        signals_close();
    *folders = batch.folders;
    release(&batch, settings->worker_count);
    return end;
}
