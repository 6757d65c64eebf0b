/* Inside of a run (run/batch.h): what its files share. batch_jobs.c chooses and orders the jobs, batch_folders.c
 * has the output folders, batch_worker.c is the worker's side, batch.c the supervisor's; batch_report.c tells how
 * a page ended, batch_retry.c gives second chances, and batch_missing.c has the jobs that cannot be made. */
#ifndef RUN_BATCH_STATE_H
#define RUN_BATCH_STATE_H

#include "bake/bake.h"
#include "run/batch.h"
#include "out/lock.h"
#include "out/outputs.h"
#include "bake/owners.h"
#include "run/pool.h"
#include "run/recovery.h"
#include "report/report.h"
#include "run/schedule.h"
#include "fresh/selection.h"
#include "bake/steady.h"

/* Their locks, in the order in which they were taken. */
struct batch_folders {
    struct lock *locks;
    size_t count;
};

/* Shared by fork: the supervisor and every worker have their own copy. */
struct batch {
    struct bake_job *jobs;
    size_t job_count;
    struct owners *owners;
    struct selection *selection;
    struct verdict *verdicts; /* by job */
    uint32_t *missing;        /* jobs of this shard that cannot be made, for something is missing */
    size_t missing_count;
    struct shard shard; /* count 0: the run is not shared */
    bool *is_opened; /* by job: its number of pages is known */
    bool *has_lost;  /* by job: a page of it was not made that was to be */
    struct schedule *schedule;
    struct report *report;
    struct outputs *outputs;
    uint64_t memory_limit;
    bool fail_fast, durable;
    struct batch_folders *folders;
    enum backend_choice backend;
    enum sandbox_mode sandbox;

    /* In the supervisor, by worker: what its page reported so far. */
    struct page_state {
        char *name; /* of the sheet, once known */
        char *failure;
        bool is_done;
        size_t heard, warned; /* bytes that the worker has sent for it, and those of warnings */
        struct strings also, warnings;
        struct strings inputs; /* a hash, a NUL in place of the space, and a path */
    } * pages;

    size_t also_count; /* names of pages that workers have sent beside those they were given */

    struct steady *steady;
    struct recovery *recovery;
    unsigned give_up_limit;
    bool is_given_up;

    bool *is_told;           /* by job: its warnings have been shown, before the worker died */
    const struct waiting_page *alone; /* is tried again, with no other worker at work; NULL: none is */
    bool is_alone_begun, is_alone_told;

    /* In a worker. */
    struct bake *bake;
    struct worker *worker;
    uint32_t job_of_worker; /* that it has a page of */
    uint64_t places;        /* that its sandbox lets it use; see confine_identity */
};

/* A model of many parts may have some about each, and the supervisor keeps them all. */
enum { MOST_WARNINGS = 200 };

/* An item of the pool is one of the schedule: the job in the upper half, then these and the page. */
enum { ITEM_IS_FIRST = 1u << 31, ITEM_IS_SURVEY = 1u << 30 };

static inline uint64_t item_of(const struct schedule_item *item)
{
    return (uint64_t)item->job << 32 | (item->is_first ? ITEM_IS_FIRST : 0) |
           (item->is_survey ? ITEM_IS_SURVEY : 0) | item->page;
}

static inline struct schedule_item page_of(uint64_t item)
{
    return (struct schedule_item){
        .job = (uint32_t)(item >> 32),
        .page = (uint32_t)item & ~(ITEM_IS_FIRST | ITEM_IS_SURVEY),
        .is_first = item & ITEM_IS_FIRST,
        .is_survey = item & ITEM_IS_SURVEY,
    };
}

/* batch_jobs.c. The jobs of all lists that `only` matches. */
void batch_select_jobs(struct batch *batch, const struct batch_settings *settings);
struct schedule *batch_new_schedule(const struct batch *batch, unsigned worker_count);

/* batch_folders.c. Makes the output folders, locks them, and removes what dead runs have left in them; BATCH_DONE when all
 * is well. One that is there but may not be written to is left alone: there may be nothing to do in it. */
enum batch_end batch_open_folders(struct batch *batch, const struct batch_settings *settings, int *signal_number,
                                  struct error *err);

/* Once the pages are judged: fails where one is to be made in a folder that may not be written to. */
int batch_check_folders(const struct batch *batch, struct error *err);

/* The open files of the locks, as many, to be freed. */
int *batch_lock_files(const struct batch_folders *folders);

/* batch_depfile.c. At the end of a run that made all it was to make. */
int batch_write_depfile(struct batch *batch, const struct batch_settings *settings, struct error *err);

/* batch_prune.c. Removes what the lists no longer make, or only says so: at the end of a run, or of one that was not
 * made, whose pages are claimed. */
void batch_prune(struct batch *batch, const struct batch_settings *settings, bool is_dry);

/* batch_judge.c. What is wanted of the jobs, and why; then the jobs and all that are released together. */
void batch_judge(struct batch *batch, const struct batch_settings *settings);
void batch_release_jobs(struct batch *batch);

/* Why a page is made; of a job whose number of pages was not known, that of all its pages. */
const struct page_verdict *batch_verdict(const struct batch *batch, uint32_t job, uint32_t page);

/* Claims the names of pages that are up to date, and reports those of this shard. */
void batch_keep_pages(struct batch *batch);

/* batch_missing.c. Jobs that miss something are left out of the selection, and reported as failed. A shard has all
 * of which it might have a page, as it would open them: it vouches for every page that is its own. */
void batch_leave_missing(struct batch *batch);
void batch_report_missing(struct batch *batch);

/* batch_worker.c: callbacks of the pool; `context` is the batch. */
int batch_start_worker(void *context, struct worker *worker, struct error *err);
void batch_work(void *context, struct worker *worker, uint64_t item);
void batch_finish_worker(void *context, struct worker *worker);

/* batch_report.c. How the page ended: for its report, with texts that are borrowed from what the worker sent. */
struct page_result batch_describe_page(const struct batch *batch, unsigned worker, uint64_t item,
                                       const struct outcome *outcome);

/* Also of the pages made along with it. */
void batch_report_page(struct batch *batch, unsigned worker, uint64_t item, const struct outcome *outcome,
                       enum page_status status);

/* batch_retry.c. Which page is next; false when there is none for now. */
bool batch_next_page(struct batch *batch, unsigned worker, struct schedule_item *out);

/* pool_run, and again for what has to be tried again. */
enum pool_end batch_run_pool(struct batch *batch, const struct pool_settings *pool, int *signal_number,
                             struct error *err);

#endif
