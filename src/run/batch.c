#include "run/batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "fresh/record.h"
#include "os/signals.h"
#include "out/depfile.h"
#include "run/folders.h"
#include "run/page_worker.h"
#include "run/schedule.h"
#include "run/supervisor.h"

/* A short limit for pages says nothing about loading the driver on a busy machine. */
static const double LEAST_START_TIMEOUT_S = 60;

/* All that a run has while it goes on. */
struct batch {
    const struct batch_settings *settings;
    struct wanted wanted;
    struct strings
        kept; /* pages made, or up to date: paths without suffix, below the output folders as lists give them */
    struct folders *folders;
    struct supervisor *supervisor; /* NULL in a preview */
};

/* -- What need not be made, and what cannot be --------------------------------------------------------------- */

static void keep_names(struct batch *batch, const struct job_list *list, const struct strings *names)
{
    for (size_t i = 0; i < names->count; i++) {
        char *path = path_join(list->output, names->items[i]);
        strings_add(&batch->kept, path);
        free(path);
    }
}

/* For those who want to know its inputs. It was read to be judged, but was not kept: most runs need it no more. */
static void load_record(const struct batch *batch, const struct job_list *list, const char *name,
                        struct record *record)
{
    *record = (struct record){0};
    if (!report_wants_inputs(batch->settings->report))
        return;
    struct error err;
    char *file = must_printf("%s" RECORD_SUFFIX, name), *path = path_join(list->output, file);
    recorded_load(path, record, &err);
    free(path);
    free(file);
}

static void report_kept(struct batch *batch, uint32_t number, uint32_t page, const struct strings *names)
{
    const struct bake_job *job = &batch->wanted.jobs[number];
    struct record record;
    char *first = must_printf("%s" PICTURE_SUFFIX, names->items[0]);
    for (size_t i = 0; i < names->count; i++) {
        char *name = must_printf("%s" PICTURE_SUFFIX, names->items[i]);
        load_record(batch, job->list, names->items[i], &record);
        report_page(batch->settings->report,
                    &(struct page_result){
                        .list = job->list,
                        .job = job->job,
                        .page = page,
                        .order = schedule_order(&(struct schedule_item){.job = number, .page = page}),
                        .name = name,
                        .made_with = i ? first : NULL,
                        .status = PAGE_UP_TO_DATE,
                        .inputs = &record.inputs,
                        .warnings = page || i ? NULL : &batch->wanted.verdicts[number].warnings,
                    });
        record_release(&record);
        free(name);
    }
    free(first);
}

static void report_warnings(struct batch *batch, uint32_t job)
{
    const struct strings *warnings = &batch->wanted.verdicts[job].warnings;
    for (size_t i = 0; i < warnings->count; i++)
        report_old_warning(batch->settings->report, batch->wanted.jobs[job].job, warnings->items[i]);
}

/* Keeps the pages that are up to date, and reports those of this shard. */
static void keep_pages(struct batch *batch)
{
    for (uint32_t job = 0; job < batch->wanted.job_count; job++)
        for (uint32_t page = 0; page < batch->wanted.verdicts[job].page_count; page++) {
            if (!wanted_is_up_to_date(&batch->wanted, job, page))
                continue;
            const struct strings *names = &wanted_verdict(&batch->wanted, job, page)->names;
            keep_names(batch, batch->wanted.jobs[job].list, names);
            if (wanted_is_ours(&batch->wanted, job, page))
                report_kept(batch, job, page, names);
            if (wanted_is_ours(&batch->wanted, job, page) && page == 0)
                report_warnings(batch, job);
        }
}

static void report_missing(struct batch *batch)
{
    for (size_t i = 0; i < batch->wanted.missing_count; i++) {
        const struct bake_job *job = &batch->wanted.jobs[batch->wanted.missing[i]];
        char *reason = job_describe_missing(job->job);
        report_page(batch->settings->report,
                    &(struct page_result){
                        .list = job->list,
                        .job = job->job,
                        .order = schedule_order(&(struct schedule_item){.job = batch->wanted.missing[i]}),
                        .place = &job->job->missing[0].mark,
                        .status = PAGE_FAILED,
                        .reason = reason,
                    });
        free(reason);
    }
}

/* -- What is done at the end --------------------------------------------------------------------------------- */

/* Pruning the list whose jobs are batch->wanted.jobs[first..end). */
struct pruned_list {
    const struct batch *batch;
    size_t first, end;
    bool is_dry;
};

/* All pages of a job are known when all were made, or are up to date. */
static bool is_known(void *context, const struct job *job)
{
    const struct pruned_list *list = context;
    const struct batch *batch = list->batch;
    size_t number = list->first + (size_t)(job - batch->wanted.jobs[list->first].list->jobs);
    if (number >= list->end || batch->wanted.jobs[number].job != job)
        return false;
    return list->is_dry ? verdict_is_up_to_date(&batch->wanted.verdicts[number])
                        : !supervisor_has_lost(batch->supervisor, (uint32_t)number);
}

/* Records tell the names of lists, so pages of one look like pages of the other. */
static bool look_alike(const struct job_list *list, const struct job_list *other)
{
    if (list == other || strcmp(list->name, other->name))
        return list == other;
    char *folder = path_resolve(list->output), *others = path_resolve(other->output);
    bool result = !strcmp(folder, others);
    free(folder);
    free(others);
    return result;
}

static bool is_of_another(void *context, const char *name)
{
    const struct pruned_list *pruned = context;
    const struct job_list *list = pruned->batch->wanted.jobs[pruned->first].list;
    for (size_t i = 0; i < pruned->batch->settings->list_count; i++) {
        const struct job_list *other = pruned->batch->settings->lists[i];
        if (other == list || !look_alike(list, other))
            continue;
        for (size_t j = 0; j < other->job_count; j++)
            if (!strcmp(other->jobs[j].name, name))
                return true;
    }
    return false;
}

static const struct missing *find_missing(const struct job_list *list, const struct batch_settings *settings)
{
    const struct missing *missing = NULL;
    for (size_t i = 0; i < settings->list_count && !missing; i++)
        if (look_alike(list, settings->lists[i]))
            missing = job_list_first_missing(settings->lists[i]);
    return missing;
}

/* Where one file is gone, more may be: a folder of models that is not mounted makes jobs miss what they name, and
 * takes those of patterns away. That must not empty the output. */
static bool is_refused(const struct job_list *list, const struct batch_settings *settings, bool is_dry)
{
    const struct missing *missing = find_missing(list, settings);
    if (!missing)
        return false;
    char *why =
        must_printf("%s:%u:%u: %s", missing->mark.file, missing->mark.line, missing->mark.column, missing->text);
    settings->prune_refused(list, why, is_dry);
    free(why);
    return true;
}

/* Removes what the lists no longer make, or only says so: at the end of a run, or of a preview. */
static void prune_lists(const struct batch *batch, bool is_dry)
{
    struct pruned_list list = {.batch = batch, .is_dry = is_dry};
    for (; list.first < batch->wanted.job_count; list.first = list.end) {
        const struct job_list *jobs = batch->wanted.jobs[list.first].list;
        for (list.end = list.first;
             list.end < batch->wanted.job_count && batch->wanted.jobs[list.end].list == jobs;)
            list.end++;
        const struct prune prune = {
            .list = jobs,
            .pages = &batch->kept,
            .is_known = is_known,
            .is_of_another = is_of_another,
            .context = &list,
            .is_dry = is_dry,
            .tell = batch->settings->prune,
        };
        if (!is_refused(jobs, batch->settings, is_dry))
            prune_list(&prune);
    }
}

/* -- A run that only says what it would do
 * ------------------------------------------------------------------------ */

static size_t count_kept(const struct batch *batch)
{
    size_t count = 0;
    for (uint32_t job = 0; job < batch->wanted.job_count; job++)
        for (uint32_t page = 0; page < batch->wanted.verdicts[job].page_count; page++)
            count += wanted_is_up_to_date(&batch->wanted, job, page) && wanted_is_ours(&batch->wanted, job, page);
    return count;
}

static void tell_job(const struct batch *batch, uint32_t number, batch_tell *tell, void *context)
{
    const struct bake_job *job = &batch->wanted.jobs[number];
    struct batch_todo todo = {.list = job->list, .job = job->job, .verdict = &batch->wanted.verdicts[number]};
    if (todo.verdict->page_count == 0 && selection_has_job(batch->wanted.selection, number)) {
        todo.is_doubtful = !wanted_is_ours(&batch->wanted, number, 0); /* a first page every job has */
        tell(context, &todo);
    }
    for (; todo.page < todo.verdict->page_count; todo.page++)
        if (selection_has(batch->wanted.selection, number, todo.page))
            tell(context, &todo);
}

static void tell_missing(const struct batch *batch, uint32_t number, batch_tell *tell, void *context)
{
    const struct bake_job *job = &batch->wanted.jobs[number];
    tell(context,
         &(struct batch_todo){.list = job->list, .job = job->job, .verdict = &batch->wanted.verdicts[number]});
}

static void preview_prune(struct batch *batch)
{
    for (uint32_t job = 0; job < batch->wanted.job_count; job++)
        for (uint32_t page = 0; page < batch->wanted.verdicts[job].page_count; page++)
            if (wanted_is_up_to_date(&batch->wanted, job, page))
                keep_names(batch, batch->wanted.jobs[job].list, &wanted_verdict(&batch->wanted, job, page)->names);
    strings_sort(&batch->kept);
    prune_lists(batch, true);
    strings_release(&batch->kept);
}

enum batch_end batch_preview(const struct batch_settings *settings, batch_tell *tell, void *context,
                             size_t *up_to_date)
{
    struct batch batch = {.settings = settings};
    wanted_init(&batch.wanted, settings->lists, settings->list_count, settings->only);
    if (batch.wanted.job_count == 0)
        return BATCH_NO_JOBS;
    wanted_judge(&batch.wanted, settings->backend, settings->sandbox, &settings->shard, settings->force);
    for (uint32_t job = 0; job < batch.wanted.job_count; job++)
        tell_job(&batch, job, tell, context);
    for (size_t i = 0; i < batch.wanted.missing_count; i++)
        tell_missing(&batch, batch.wanted.missing[i], tell, context);
    *up_to_date = count_kept(&batch);
    if (settings->prune)
        preview_prune(&batch);
    enum batch_end end = batch.wanted.missing_count ? BATCH_SHEETS_FAILED : BATCH_DONE;
    wanted_release(&batch.wanted);
    return end;
}

/* -- The run ------------------------------------------------------------------------------------------------- */

/* Why the run ended before its work was done, for the summary; NULL when it was not. */
static const char *describe_end(const struct batch *batch, enum pool_end end)
{
    if (batch->supervisor && supervisor_has_given_up(batch->supervisor))
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

static enum pool_end run_pool(struct batch *batch, int *signal_number, struct error *err)
{
    const struct batch_settings *settings = batch->settings;
    struct page_worker worker = {
        .wanted = &batch->wanted,
        .steady = steady_new(batch->wanted.job_count),
        .memory_limit = settings->memory_limit,
        .backend = settings->backend,
        .sandbox = settings->sandbox,
        .durable = settings->durable,
        .sends_details = report_wants_details(settings->report),
        .sends_inputs = report_wants_inputs(settings->report),
    };
    int *lock_files = must_alloc(batch->folders->count, sizeof *lock_files);
    for (size_t i = 0; i < batch->folders->count; i++)
        lock_files[i] = batch->folders->locks[i].fd;
    const struct pool_settings pool = {
        .kept_files = lock_files,
        .kept_count = batch->folders->count,
        .timeout_s = settings->timeout_s,
        .start_timeout_s = settings->timeout_s > 0 ? fmax(settings->timeout_s, LEAST_START_TIMEOUT_S) : 0,
        .memory_limit = settings->memory_limit,
        .worker = {&worker, page_worker_start, page_worker_work, page_worker_finish},
    };
    enum pool_end end = supervisor_run(batch->supervisor, &pool, signal_number, err);
    free(lock_files);
    steady_free(worker.steady);
    return end;
}

static enum batch_end make_pages(struct batch *batch, int *signal_number, struct error *err)
{
    const struct batch_settings *settings = batch->settings;
    batch->supervisor = supervisor_new(&(struct supervisor_settings){
        .wanted = &batch->wanted,
        .kept = &batch->kept,
        .report = settings->report,
        .worker_count = settings->worker_count,
        .give_up = settings->give_up,
        .fail_fast = settings->fail_fast,
    });
    keep_pages(batch);
    report_missing(batch);
    bool has_failed = settings->fail_fast && batch->wanted.missing_count > 0;
    enum pool_end pool_end = has_failed ? POOL_STOPPED : run_pool(batch, signal_number, err);
    report_end(settings->report, describe_end(batch, pool_end));
    enum batch_end end = end_of(pool_end, settings->report);
    strings_sort(&batch->kept);
    if (settings->depfile && end == BATCH_DONE &&
        depfile_write_lists(settings->depfile, settings->depfile_target, settings->lists, settings->list_count,
                            &batch->kept, err) < 0)
        end = BATCH_NO_OUTPUT;
    if (settings->prune && pool_end == POOL_DONE)
        prune_lists(batch, false);
    supervisor_free(batch->supervisor);
    strings_release(&batch->kept);
    return end;
}

static enum batch_end end_of_lock(enum lock_end end)
{
    switch (end) {
    case LOCK_BUSY:
        return BATCH_LOCKED;
    case LOCK_INTERRUPTED:
        return BATCH_INTERRUPTED;
    case LOCK_FAILED:
        return BATCH_NO_OUTPUT;
    case LOCK_HELD:
        break;
    }
    return BATCH_DONE;
}

static enum batch_end open_folders(struct batch *batch, int *signal_number, struct error *err)
{
    const struct batch_settings *settings = batch->settings;
    const struct lock_settings lock = {
        .is_shard = settings->shard.count > 0,
        .wait = settings->lock == LOCK_WAIT,
        .waiting = settings->waiting,
    };
    if (settings->depfile && depfile_can_write(settings->depfile, err) < 0)
        return BATCH_NO_OUTPUT;
    return end_of_lock(folders_open(&batch->wanted, settings->lock == LOCK_OFF ? NULL : &lock, settings->durable,
                                    &batch->folders, signal_number, err));
}

static enum batch_end judge_and_make(struct batch *batch, int *signal_number, struct error *err)
{
    const struct batch_settings *settings = batch->settings;
    report_start(settings->report, settings->lists, settings->list_count, settings->worker_count);
    bool are_caught = signals_open(err) == 0; /* judging may take long, and the log is to say how it ended */
    wanted_judge(&batch->wanted, settings->backend, settings->sandbox, &settings->shard, settings->force);
    enum batch_end end = BATCH_NO_OUTPUT;
    if (folders_check(&batch->wanted, err) == 0)
        end = make_pages(batch, signal_number, err);
    else
        report_end(settings->report, describe_end(batch, POOL_FAILED));
    if (are_caught)
        signals_close();
    return end;
}

enum batch_end batch_run(const struct batch_settings *settings, struct folders **folders, int *signal_number,
                         struct error *err)
{
    struct batch batch = {.settings = settings};
    wanted_init(&batch.wanted, settings->lists, settings->list_count, settings->only);
    if (batch.wanted.job_count == 0)
        return BATCH_NO_JOBS;
    enum batch_end end = open_folders(&batch, signal_number, err);
    if (end == BATCH_DONE)
        end = judge_and_make(&batch, signal_number, err);
    *folders = batch.folders;
    wanted_release(&batch.wanted);
    return end;
}
