#include "run/batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/folder.h"
#include "page/lock.h"
#include "os/resources.h"
#include "os/signals.h"
#include "run/depfile.h"
#include "run/measure.h"
#include "run/page_worker.h"
#include "run/schedule.h"
#include "run/supervisor.h"

/* A short limit for pages says nothing about loading the driver on a busy machine. */
static const double LEAST_START_TIMEOUT_S = 60;

struct batch_settings batch_defaults(void)
{
    return (struct batch_settings){
        .timeout_s = 60,
        /* Above this the kernel's OOM killer chooses a victim; in some containers it kills every process. */
        .memory_limit = memory_usable() / 10 * 9,
        .give_up = 20,
    };
}

/* The output folders of a run, and their locks. */
struct folders {
    struct lock *locks; /* in the order in which they were taken */
    size_t count;
};

/* All that a run has while it goes on. */
struct batch {
    const struct batch_settings *settings;
    struct wanted wanted;
    /* Pages made, or up to date: paths without suffix, below the output folders as lists give them. */
    struct strings kept;
    struct folders *folders;
    struct supervisor *supervisor; /* NULL in a preview */
};

/* -- Output folders ------------------------------------------------------------------------------------------- */

/* On failure errno says why. */
static bool is_writable(const char *folder)
{
    return access(folder, W_OK | X_OK) == 0;
}

/* Makes the folders of the lists. Gives those that may be written to, each once and sorted, so that two runs never
 * wait for each other. */
static int make_folders(const struct wanted *wanted, bool durable, struct strings *folders, struct error *err)
{
    for (size_t i = 0; i < wanted->list_count; i++) {
        const char *output = wanted->lists[i]->output;
        bool is_new = access(output, F_OK) < 0;
        if (file_make_folders(output, err) < 0 || (is_new && durable && file_sync_folders(output, NULL, err) < 0))
            return -1;
        if (!is_writable(output))
            continue;
        char *folder = path_resolve(output);
        strings_add_new(folders, folder);
        free(folder);
    }
    strings_sort(folders);
    return 0;
}

void folders_leave(struct folders *folders)
{
    if (!folders)
        return;
    for (size_t i = 0; i < folders->count; i++)
        lock_release(&folders->locks[i]);
    free(folders->locks);
    free(folders);
}

/* Makes the folders of the jobs, locks them, and removes what killed runs have left in them. Skips a folder that is not
 * writable: perhaps there is nothing to do in it. */
static enum lock_end lock_folders(struct batch *batch, int *signal_number, struct error *err)
{
    const struct batch_settings *settings = batch->settings;
    const struct lock_settings lock = {
        .is_shard = settings->shard.count > 0,
        .wait = settings->lock == LOCK_WAIT,
        .waiting = settings->waiting,
    };
    struct strings paths = {0};
    enum lock_end end = make_folders(&batch->wanted, settings->durable, &paths, err) < 0 ? LOCK_FAILED : LOCK_HELD;
    struct folders *folders = must_alloc(1, sizeof *folders);
    folders->locks = must_alloc(paths.count, sizeof *folders->locks);
    for (size_t i = 0; settings->lock != LOCK_OFF && i < paths.count && end == LOCK_HELD; i++) {
        struct lock *held = &folders->locks[folders->count];
        end = lock_take(paths.items[i], &lock, held, signal_number, err);
        if (end != LOCK_HELD)
            break;
        folders->count++;
        if (held->is_alone)
            leftovers_remove(paths.items[i]);
        lock_let_in(held);
    }
    if (end == LOCK_HELD)
        batch->folders = folders;
    else
        folders_leave(folders);
    strings_release(&paths);
    return end;
}

/* Fails before anything is drawn: else each sheet would be, only to fail with this message. */
static int check_folders(const struct wanted *wanted, struct error *err)
{
    const struct job_list *checked = NULL;
    for (size_t i = 0; i < wanted->job_count; i++) {
        const struct job_list *list = wanted->jobs[i].list;
        if (list == checked || !selection_has_job(&wanted->selection, i))
            continue;
        if (!is_writable(list->output))
            return error_set(err, "%s: %s", list->output, strerror(errno));
        checked = list;
    }
    return 0;
}

/* -- What need not be made, and what cannot be --------------------------------------------------------------- */

/* Keeps the pages that are up to date. Returns how many of them are this shard's, and in a run reports these. */
static size_t keep_pages(struct batch *batch)
{
    size_t count = 0;
    for (uint32_t job = 0; job < batch->wanted.job_count; job++)
        for (uint32_t page = 0; page < batch->wanted.verdicts[job].page_count; page++) {
            if (!wanted_is_up_to_date(&batch->wanted, job, page))
                continue;
            wanted_keep(&batch->wanted, job, page, &batch->kept);
            if (!wanted_is_ours(&batch->wanted, job, page))
                continue;
            count++;
            if (batch->supervisor)
                supervisor_report_kept(batch->supervisor, job, page);
        }
    return count;
}

/* -- --prune ------------------------------------------------------------------------------------------------- */

/* Whether the lists have one name and one output folder: then records do not tell their pages apart. */
static bool have_same_pages(const struct job_list *list, const struct job_list *other)
{
    if (list == other || strcmp(list->name, other->name))
        return list == other;
    char *folder = path_resolve(list->output), *others = path_resolve(other->output);
    bool result = !strcmp(folder, others);
    free(folder);
    free(others);
    return result;
}

/* Removes (is_dry: tells) what the lists no longer make, at the end of a run or a preview. The lists are whole:
 * all their jobs are wanted, one list after the other. */
static void prune_lists(struct batch *batch, bool is_dry)
{
    const struct batch_settings *settings = batch->settings;
    size_t number = 0;
    strings_sort(&batch->kept);
    for (size_t i = 0; i < settings->list_count; i++) {
        const struct job_list *list = settings->lists[i];
        const struct missing *missing = NULL;
        struct strings known = {0}, unsure = {0};
        for (size_t job = 0; job < list->job_count; job++, number++) {
            bool is_known = is_dry ? verdict_is_up_to_date(&batch->wanted.verdicts[number])
                                   : !supervisor_has_lost(batch->supervisor, (uint32_t)number);
            strings_add(is_known ? &known : &unsure, list->jobs[job].name);
        }
        for (size_t j = 0; j < settings->list_count; j++) {
            const struct job_list *other = settings->lists[j];
            if (!have_same_pages(list, other))
                continue;
            if (!missing)
                missing = job_list_first_missing(other);
            for (size_t job = 0; list != other && job < other->job_count; job++)
                strings_add(&unsure, other->jobs[job].name);
        }
        if (missing) {
            /* Where one file is gone, more may be: if a folder of models is not mounted, jobs lack their files and patterns
             * match nothing. That must not empty the output. */
            const struct mark *mark = &missing->mark;
            char *why = must_printf("%s:%u:%u: %s", mark->file, mark->line, mark->column, missing->text);
            settings->prune_refused(list, why, is_dry);
            free(why);
        } else if (list->job_count) {
            strings_sort(&known);
            strings_sort(&unsure);
            prune_list(&(struct prune){list, &batch->kept, &known, &unsure, is_dry, settings->prune});
        }
        strings_release(&known);
        strings_release(&unsure);
    }
}

/* -- A run that only says what it would do ------------------------------------------------------------------- */

enum batch_end batch_preview(const struct batch_settings *settings, batch_preview_page *show, void *context,
                             size_t *up_to_date)
{
    struct batch batch = {.settings = settings};
    wanted_init(&batch.wanted, settings);
    if (batch.wanted.job_count == 0) {
        wanted_release(&batch.wanted);
        return BATCH_NO_JOBS;
    }
    batch.wanted.is_preview = true;
    wanted_judge(&batch.wanted);
    for (uint32_t number = 0; number < batch.wanted.job_count; number++) {
        const struct bake_job *job = &batch.wanted.jobs[number];
        const struct selection *selection = &batch.wanted.selection;
        struct batch_todo todo = {.list = job->list, .job = job->job, .verdict = &batch.wanted.verdicts[number]};
        if (todo.verdict->page_count == 0 && selection_has_job(selection, number)) {
            todo.is_doubtful = !wanted_is_ours(&batch.wanted, number, 0); /* every job has a first page */
            show(context, &todo);
        }
        for (; todo.page < todo.verdict->page_count; todo.page++)
            if (selection_has(selection, number, todo.page))
                show(context, &todo);
    }
    for (size_t i = 0; i < batch.wanted.missing_count; i++) {
        uint32_t number = batch.wanted.missing[i];
        const struct bake_job *job = &batch.wanted.jobs[number];
        show(context,
             &(struct batch_todo){.list = job->list, .job = job->job, .verdict = &batch.wanted.verdicts[number]});
    }
    *up_to_date = keep_pages(&batch);
    if (settings->prune)
        prune_lists(&batch, true);
    enum batch_end end = batch.wanted.missing_count ? BATCH_SHEETS_FAILED : BATCH_DONE;
    strings_release(&batch.kept);
    wanted_release(&batch.wanted);
    return end;
}

/* -- The run ------------------------------------------------------------------------------------------------- */

/* The result of a run for each end of the pool, with a word for the summary (NULL: the work was done, or a message follows). */
static const struct ending {
    enum batch_end end;
    const char *text;
} endings[] = {
    [POOL_DONE] = {BATCH_DONE, NULL},
    [POOL_START_FAILED] = {BATCH_NO_BACKEND, NULL},
    [POOL_INTERRUPTED] = {BATCH_INTERRUPTED, "interrupted"},
    [POOL_STOPPED] = {BATCH_DONE, "stopped at the first failure"},
    [POOL_FAILED] = {BATCH_BROKEN, NULL},
};

/* -- The pages ------------------------------------------------------------------------------------------------ */

static enum pool_end run_pool(struct batch *batch, int *signal_number, struct error *err)
{
    const struct batch_settings *settings = batch->settings;
    struct page_worker worker = {
        .settings = settings,
        .wanted = &batch->wanted,
        .measures = measure_new(&batch->wanted),
        .kept = &batch->kept,
    };
    int *lock_files = must_alloc(batch->folders->count, sizeof *lock_files);
    for (size_t i = 0; i < batch->folders->count; i++)
        lock_files[i] = batch->folders->locks[i].fd;
    const bool draws_pairs = settings->purpose == BATCH_FRAMES;
    const struct measure_rules rules = {&batch->wanted.selection, .pairs = draws_pairs};
    const struct pool_settings pool = {
        .worker_count = settings->worker_count,
        .kept_files = lock_files,
        .kept_count = batch->folders->count,
        .timeout_s = settings->timeout_s,
        .start_timeout_s = settings->timeout_s > 0 ? fmax(settings->timeout_s, LEAST_START_TIMEOUT_S) : 0,
        .memory_limit = settings->memory_limit,
        .worker = {&worker, page_worker_start, page_worker_work, page_worker_finish, page_worker_help},
    };
    worker.is_measuring = true;
    if ((settings->worker_count > 1 || draws_pairs) && !settings->in_process)
        measure_run(&batch->wanted, &rules, &pool, worker.measures);
    worker.is_measuring = false;
    enum pool_end end = supervisor_run(batch->supervisor, &pool, signal_number, err);
    measure_free(worker.measures, batch->wanted.list_count);
    free(lock_files);
    return end;
}

static enum batch_end make_pages(struct batch *batch, int *signal_number, struct error *err)
{
    const struct batch_settings *settings = batch->settings;
    batch->supervisor = supervisor_new(&batch->wanted, &batch->kept);
    keep_pages(batch);
    supervisor_report_missing(batch->supervisor);
    bool has_failed = settings->fail_fast && report_count(settings->report, PAGE_FAILED);
    enum pool_end pool_end = has_failed ? POOL_STOPPED : run_pool(batch, signal_number, err);
    bool is_given_up = supervisor_has_given_up(batch->supervisor);
    report_end(settings->report, is_given_up ? "given up" : endings[pool_end].text);

    enum batch_end end = endings[pool_end].end;
    if (end == BATCH_DONE && report_count(settings->report, PAGE_FAILED))
        end = BATCH_SHEETS_FAILED;
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

enum batch_end batch_run(const struct batch_settings *settings, struct folders **folders, int *signal_number,
                         struct error *err)
{
    struct batch batch = {.settings = settings};
    wanted_init(&batch.wanted, settings);
    if (batch.wanted.job_count == 0) {
        wanted_release(&batch.wanted);
        return BATCH_NO_JOBS;
    }
    static const enum batch_end ends[] = {
        [LOCK_HELD] = BATCH_DONE,
        [LOCK_BUSY] = BATCH_LOCKED,
        [LOCK_INTERRUPTED] = BATCH_INTERRUPTED,
        [LOCK_FAILED] = BATCH_NO_OUTPUT,
    };
    enum batch_end end = settings->depfile && depfile_can_write(settings->depfile, err) < 0
                             ? BATCH_NO_OUTPUT
                             : ends[lock_folders(&batch, signal_number, err)];
    if (end == BATCH_DONE) {
        report_start(settings->report, settings->lists, settings->list_count, settings->worker_count);
        bool are_caught = signals_open(err) == 0; /* judging may take long, and the log has to tell of a signal */
        wanted_judge(&batch.wanted);
        end = check_folders(&batch.wanted, err) == 0 ? make_pages(&batch, signal_number, err) : BATCH_NO_OUTPUT;
        if (are_caught)
            signals_close();
    }
    *folders = batch.folders;
    wanted_release(&batch.wanted);
    return end;
}
