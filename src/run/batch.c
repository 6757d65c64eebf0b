#include "run/batch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "run/bake.h"
#include "run/message.h"
#include "run/outputs.h"
#include "run/pool.h"
#include "run/progress.h"
#include "run/schedule.h"

/* A short limit for pages says nothing about loading the driver on a busy machine. */
static const double LEAST_START_TIMEOUT_S = 60;

/* Shared by fork: the supervisor and every worker have their own copy. */
struct batch {
    struct bake_job *jobs;
    size_t job_count;
    bool *is_opened; /* by job: its number of pages is known */
    struct schedule *schedule;
    struct progress *progress;
    struct outputs *outputs;
    bool fail_fast;
    enum backend_choice backend;

    /* In the supervisor, by worker: what its page reported so far. */
    struct page_state {
        char *name; /* of the sheet, once known */
        char *failure;
        bool is_done;
    } * pages;

    struct bake *bake; /* in a worker */
};

/* An item of the pool is a page of a job. */
static uint64_t item_of(const struct schedule_item *item)
{
    return (uint64_t)item->job << 32 | item->page;
}

static struct schedule_item page_of(uint64_t item)
{
    return (struct schedule_item){.job = (uint32_t)(item >> 32), .page = (uint32_t)item};
}

/* -- In a worker ------------------------------------------------------------------------------------------- */

static int start_worker(void *context, struct worker *worker, struct error *err)
{
    struct batch *batch = context;
    batch->bake = bake_new(worker_note(worker), POOL_NOTE_SIZE);
    return bake_start(batch->bake, batch->backend, err);
}

static void send_text(struct worker *worker, enum message_kind kind, const char *text)
{
    message_send(worker, &(struct message){.kind = kind, .text = text});
}

/* The first page of a job also tells how many there are, and what is odd about it. */
static void send_plan(struct worker *worker, const struct plan *plan)
{
    message_send(worker, &(struct message){.kind = MESSAGE_PAGES, .number = plan->page_count});
    for (size_t i = 0; i < plan->warnings.count; i++)
        send_text(worker, MESSAGE_WARNING, plan->warnings.items[i]);
}

static int bake_item(struct bake *bake, const struct bake_job *job, uint32_t page, struct worker *worker,
                     struct error *err)
{
    const struct plan *plan;
    if (bake_open(bake, job, &plan, err) < 0)
        return -1;
    if (page == 0)
        send_plan(worker, plan);
    if (page >= plan->page_count)
        return error_set(err, "page %u of %u: %s was changed during the run", page + 1, plan->page_count,
                         job->job->model);
    uint32_t page_of_sheet;
    const struct sheet_plan *sheet = plan_sheet_of_page(plan, page, &page_of_sheet);
    char *name = plan_page_name(sheet, page_of_sheet, ".png");
    send_text(worker, MESSAGE_STARTED, name);
    free(name);
    if (bake_page(bake, page, err) < 0)
        return -1;
    const struct strings *others = bake_other_pages(bake);
    for (size_t i = 0; i < others->count; i++)
        send_text(worker, MESSAGE_ALSO, others->items[i]);
    return 0;
}

static void work(void *context, struct worker *worker, uint64_t item)
{
    struct batch *batch = context;
    struct schedule_item page = page_of(item);
    struct error err;
    if (bake_item(batch->bake, &batch->jobs[page.job], page.page, worker, &err) < 0)
        send_text(worker, MESSAGE_FAILED, err.text);
    else
        send_text(worker, MESSAGE_DONE, "");
}

/* Leaves nothing for a leak checker to find, and lets the driver write its shader cache. */
static void finish_worker(void *context, struct worker *worker)
{
    (void)worker;
    struct batch *batch = context;
    bake_free(batch->bake);
}

/* -- In the supervisor ------------------------------------------------------------------------------------- */

static bool next_item(void *context, unsigned worker, uint64_t *item)
{
    struct batch *batch = context;
    struct schedule_item page;
    if (!schedule_next(batch->schedule, worker, &page))
        return false;
    *item = item_of(&page);
    progress_begin(batch->progress, worker, batch->jobs[page.job].job->name);
    return true;
}

static void show_counts(struct batch *batch)
{
    size_t known, handed_out;
    schedule_counts(batch->schedule, &known, &handed_out);
    progress_total(batch->progress, known);
}

/* A worker that broke its own memory may send anything: once a job, and at least one page. */
static void set_pages(struct batch *batch, uint32_t job, uint32_t page_count)
{
    if (batch->is_opened[job] || page_count == 0)
        return;
    batch->is_opened[job] = true;
    schedule_set_pages(batch->schedule, job, page_count);
    show_counts(batch);
}

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

static void start_page(struct batch *batch, struct page_state *state, const struct bake_job *job, const char *name)
{
    free(state->name);
    state->name = must_strdup(name);
    claim_page(batch, state, job, name);
}

static void take_message(void *context, unsigned worker, uint64_t item, struct bytes bytes)
{
    struct batch *batch = context;
    struct page_state *state = &batch->pages[worker];
    struct message message;
    if (!message_read(bytes, &message))
        return;
    switch (message.kind) {
    case MESSAGE_PAGES:
        set_pages(batch, page_of(item).job, message.number);
        break;
    case MESSAGE_WARNING:
        progress_warning(batch->progress, batch->jobs[page_of(item).job].job->name, message.text);
        break;
    case MESSAGE_STARTED:
        start_page(batch, state, &batch->jobs[page_of(item).job], message.text);
        break;
    case MESSAGE_ALSO:
        claim_page(batch, state, &batch->jobs[page_of(item).job], message.text);
        break;
    case MESSAGE_FAILED:
        free(state->failure);
        state->failure = must_strdup(message.text);
        break;
    case MESSAGE_DONE:
        state->is_done = true;
        break;
    }
}

/* How a page ended that its worker did not live to tell; NULL when it did. The caller frees it. */
static char *describe_death(const struct bake_job *job, const struct outcome *outcome)
{
    switch (outcome->kind) {
    case OUTCOME_SIGNALED:
        return must_printf("the worker was killed by signal %d (%s) while it had %s", outcome->number,
                           strsignal(outcome->number), job->job->model);
    case OUTCOME_EXITED:
        return must_printf("the worker left with status %d while it had %s", outcome->number, job->job->model);
    case OUTCOME_TIMED_OUT:
        return must_printf("not done after %.1f s with %s: the worker was killed (--timeout)", outcome->seconds,
                           job->job->model);
    case OUTCOME_FINISHED:
    case OUTCOME_CANCELLED:
        break;
    }
    return NULL;
}

static void clear_page(struct page_state *state)
{
    free(state->name);
    free(state->failure);
    *state = (struct page_state){0};
}

static void remove_temporary(const char *path, const struct job_list *list)
{
    size_t folder = strlen(list->output);
    if (!strncmp(path, list->output, folder) && path[folder] == '/' && !strcmp(path_suffix(path), ".tmp"))
        unlink(path);
}

/* The files a worker was writing when it died. It may have died of breaking its own memory, the note's too: only the
 * last '\0' is sure. */
static void remove_temporaries(const char *note, const struct job_list *list)
{
    for (size_t at = 0; at < POOL_NOTE_SIZE && note[at]; at += strlen(note + at) + 1)
        remove_temporary(note + at, list);
}

static bool finish_item(void *context, unsigned worker, uint64_t item, const struct outcome *outcome)
{
    struct batch *batch = context;
    struct page_state *state = &batch->pages[worker];
    const struct bake_job *job = &batch->jobs[page_of(item).job];

    if (outcome->kind != OUTCOME_FINISHED) {
        remove_temporaries(outcome->note, job->list);
        free(state->failure);
        state->failure = describe_death(job, outcome);
    }
    if (outcome->kind == OUTCOME_CANCELLED) {
        clear_page(state);
        return true;
    }
    /* Before the page has a name, its job's has to do. */
    const char *name = state->name ? state->name : job->job->name;
    bool failed = state->failure || !state->is_done;
    if (failed)
        progress_failed(batch->progress, worker, item, name,
                        state->failure ? state->failure : "the worker did not say why");
    else
        progress_done(batch->progress, worker, name, outcome->seconds);

    clear_page(state);
    return !(failed && batch->fail_fast);
}

static void tick(void *context)
{
    struct batch *batch = context;
    progress_tick(batch->progress);
}

/* -- The run ----------------------------------------------------------------------------------------------- */

static void select_jobs(struct batch *batch, const struct batch_settings *settings)
{
    size_t capacity = 0;
    for (size_t i = 0; i < settings->list_count; i++) {
        const struct job_list *list = settings->lists[i];
        for (size_t j = 0; j < list->job_count; j++) {
            if (settings->only && !glob_matches(settings->only, list->jobs[j].name, false))
                continue;
            batch->jobs = must_grow(batch->jobs, batch->job_count, &capacity, sizeof *batch->jobs);
            batch->jobs[batch->job_count++] = (struct bake_job){list, &list->jobs[j]};
        }
    }
}

/* Before anything is drawn: else each sheet would be, only to fail with the same message. */
static int make_output_folders(const struct batch *batch, struct error *err)
{
    for (size_t i = 0; i < batch->job_count; i++) {
        const struct job_list *list = batch->jobs[i].list;
        if (i > 0 && list == batch->jobs[i - 1].list)
            continue;
        if (file_make_folders(list->output, err) < 0)
            return -1;
        if (access(list->output, W_OK | X_OK) < 0)
            return error_set(err, "%s: %s", list->output, strerror(errno));
    }
    return 0;
}

/* What a job may cost, to start the large ones first: cells drawn in all passes, as far as the list alone tells. Pages
 * of larger cells at higher supersampling take longer; animations not listed are guessed at. */
static uint64_t estimate_cost(const struct job *job)
{
    enum { GUESSED_SAMPLES = 8 };
    uint64_t animations = job->animation_count ? job->animation_count : 1;
    uint64_t samples = job->sampling.kind == SAMPLING_COUNT ? job->sampling.count : GUESSED_SAMPLES;
    uint64_t pixels = (uint64_t)job->cell_px[0] * job->cell_px[1] * job->supersample * job->supersample;
    return animations * samples * job->camera_count * pixels * (unsigned)__builtin_popcount(job->passes);
}

static bool have_one_folder(const struct bake_job *a, const struct bake_job *b)
{
    const char *left = a->job->model, *right = b->job->model;
    size_t length = (size_t)(path_base(left) - left);
    return a->list == b->list && length == (size_t)(path_base(right) - right) && !strncmp(left, right, length);
}

static struct schedule *new_schedule(const struct batch *batch, unsigned worker_count)
{
    uint64_t *costs = must_alloc(batch->job_count, sizeof *costs);
    uint32_t *kin = must_alloc(batch->job_count, sizeof *kin);
    for (size_t i = 0; i < batch->job_count; i++) {
        costs[i] = estimate_cost(batch->jobs[i].job);
        if (i > 0)
            kin[i] = kin[i - 1] + !have_one_folder(&batch->jobs[i - 1], &batch->jobs[i]);
    }
    struct schedule *schedule = schedule_new(costs, kin, batch->job_count, worker_count);
    free(costs);
    free(kin);
    return schedule;
}

static struct progress *new_progress(const struct batch_settings *settings)
{
    struct progress_settings progress = {
        .out = stderr,
        .verbosity = settings->verbosity,
        .worker_count = settings->worker_count,
    };
    progress_settings_detect(&progress);
    return progress_new(&progress);
}

/* Why the run ended before its work was done, for the summary; NULL when it was not. */
static const char *describe_end(enum pool_end end)
{
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

static enum batch_end end_of(enum pool_end end, const struct progress *progress)
{
    switch (end) {
    case POOL_DONE:
    case POOL_STOPPED:
        return progress_failure_count(progress) ? BATCH_SHEETS_FAILED : BATCH_DONE;
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
    for (unsigned i = 0; i < worker_count; i++)
        clear_page(&batch->pages[i]);
    free(batch->pages);
    free(batch->jobs);
    free(batch->is_opened);
    schedule_free(batch->schedule);
    progress_free(batch->progress);
    outputs_free(batch->outputs);
}

enum batch_end batch_run(const struct batch_settings *settings, int *signal_number, struct error *err)
{
    struct batch batch = {.fail_fast = settings->fail_fast, .backend = settings->backend};
    select_jobs(&batch, settings);
    if (batch.job_count == 0)
        return BATCH_NO_JOBS;
    if (make_output_folders(&batch, err) < 0) {
        free(batch.jobs);
        return BATCH_NO_OUTPUT;
    }
    unsigned worker_count = settings->worker_count;
    batch.pages = must_alloc(worker_count, sizeof *batch.pages);
    batch.is_opened = must_alloc(batch.job_count, sizeof *batch.is_opened);
    batch.schedule = new_schedule(&batch, worker_count);
    batch.progress = new_progress(settings);
    batch.outputs = outputs_new();
    show_counts(&batch);

    const struct pool_settings pool = {
        .worker_count = worker_count,
        .timeout_s = settings->timeout_s,
        .start_timeout_s = settings->timeout_s > 0 ? fmax(settings->timeout_s, LEAST_START_TIMEOUT_S) : 0,
        .tick_s = 0.1,
        .context = &batch,
        .start = start_worker,
        .work = work,
        .finish = finish_worker,
        .next = next_item,
        .message = take_message,
        .done = finish_item,
        .tick = tick,
    };
    enum pool_end pool_end = pool_run(&pool, signal_number, err);
    progress_finish(batch.progress, describe_end(pool_end));
    enum batch_end end = end_of(pool_end, batch.progress);
    release(&batch, worker_count);
    return end;
}
