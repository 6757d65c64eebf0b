/* Takes every event of a run, and passes it to the terminal (report/progress.h) and to the files that were
 * asked for.
 *
 *     report_open, before the lists are read; report_start when they are; what happens; report_end when nothing more
 *     does, and report_close with the exit code. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "bake/stopwatch.h"
#include "base/error.h"
#include "base/strings.h"
#include "page/record.h"
#include "job/job.h"
#include "job/shard.h"
#include "report/progress.h"

/* -- Files that a run writes about itself ------------------------------------------------------------------ */

/* What they are made of: how each page ended, and how the run did.
 *
 * A format is one source file with a constant struct, its name below and a row in report.c, and an option of the
 * command line for the path (cli/render.c). */
enum page_status {
    PAGE_MADE,
    PAGE_UP_TO_DATE,
    PAGE_FAILED,
    PAGE_CANCELLED, /* the run ended first */
    PAGE_STATUS_COUNT
};

/* How a page ended. Unknown values are zero or NULL. */
struct page_result {
    const struct job_list *list;
    const struct job *job;
    const struct mark *place; /* in the list, of what failed it; NULL: the job's */
    uint32_t page;            /* of the job; all pages of a packed or trimmed sheet have that of its first */
    uint64_t order;           /* its position in the run, by which failures are sorted */
    const char *name;         /* of its picture, below the list's output folder */
    const char *made_with; /* the picture of the page along with which this one was made: the time is that one's */
    enum page_status status;
    const char *reason; /* why it failed, was cancelled, or had to be made */
    bool is_own;        /* it failed for what its files hold or lack, and not because a file could not be read, the
                             page could not be written, or the worker died */
    double seconds;     /* of the last attempt */
    struct stopwatch stopwatch; /* of the last attempt, ended (stopwatch_end) */
    bool had_worker;
    unsigned worker; /* its number in the pool */
    unsigned attempts;
    int signal;                        /* that killed the worker */
    uint64_t peak_kib;                 /* the most memory that the worker has held so far, in KiB */
    struct timespec ended;             /* filled in by report_page */
    const struct record_pairs *inputs; /* every file that was read for it, with its hash */
    const struct strings *warnings;    /* those of the job come with its page 0 */
};

/* How a run ended. */
struct run_result {
    struct timespec started, ended;
    double seconds;
    struct job_list *const *lists;
    size_t list_count;
    unsigned worker_count;
    const char *only; /* the pattern of the jobs that were asked for, or NULL */
    struct shard shard;
    size_t counts[PAGE_STATUS_COUNT], not_begun, warning_count;
    const char *reason; /* why it ended early, or NULL */
    int exit_code;
    const struct strings *problems; /* of the lists: then nothing was run */
};

struct report_format {
    /* Fails where the file cannot be written. What an earlier run wrote stays until `begin` or `close`. */
    int (*open)(const char *path, void **out, struct error *err);
    void (*begin)(void *file); /* the run begins, or ends without having begun; NULL: nothing to do */
    void (*page)(void *file, const struct page_result *result);

    /* Frees the file, also on failure. `run` is NULL when there is no run. */
    int (*close)(void *file, const struct run_result *run, struct error *err);
    bool wants_inputs; /* struct page_result's `inputs` */
};

/* The table is in report.c. */
enum report_file { REPORT_LOG, REPORT_JUNIT, REPORT_FILE_COUNT };

/* --log: a line of JSON for each page and one for the run (docs/log.md). Each is written at once and whole, so that
 * a run that is killed leaves a log that can be used.
 *
 * --junit: the pages as tests of a JUnit XML report, a suite for each list and a case for each page (docs/log.md),
 * written as a whole when the run ends. */
extern const struct report_format run_log_format, junit_format;

/* -- The report -------------------------------------------------------------------------------------------- */

struct report_settings {
    enum verbosity verbosity;
    enum ci ci;
    const char *files[REPORT_FILE_COUNT]; /* paths; NULL: not asked for */
    const char *only;                     /* see struct run_result */
    struct shard shard;
    bool is_strict; /* a page that comes with warnings has failed, though it is made and stays */
    void (*on_page)(void *context, const struct page_result *page); /* called for each; may be NULL */
    void *on_page_context;
};

struct report;

int report_open(const struct report_settings *settings, struct report **out, struct error *err);

/* The lists have problems, each as "file:line:column: message": nothing is run. */
void report_problems(struct report *report, const struct strings *problems);

/* A run with lists that may be baked. The lists are borrowed until report_close. */
void report_start(struct report *report, struct job_list *const *lists, size_t list_count, unsigned worker_count);

/* The pages to make that are known so far, without those that are up to date; it may grow. */
void report_total(struct report *report, size_t page_count);

/* A worker begins a page, which ends with report_page or report_postponed. */
void report_begin(struct report *report, unsigned worker, const struct job *job);
void report_warning(struct report *report, const struct job *job, const char *text);
void report_old_warning(struct report *report, const struct job *job, const char *text); /* of an earlier run */
void report_detail(struct report *report, const struct job *job, const char *text);
void report_page(struct report *report, const struct page_result *result);

/* The page's worker has died, and the page will be tried again. `reason` says both. */
void report_postponed(struct report *report, unsigned worker, const struct job *job, const char *name,
                      const char *reason);

/* The run goes on with fewer workers. */
void report_trouble(struct report *report, const char *text);

/* Redraws the progress line; to be called about ten times a second. */
void report_tick(struct report *report);

/* Nothing more happens: the summary. `ended` says why the run ended early, such as "interrupted", or is NULL. */
void report_end(struct report *report, const char *ended);

/* Why the run could not begin or go on, for the log and the JUnit report: before report_end or after it, or without. */
void report_end_reason(struct report *report, const char *reason);

/* Another run has the output folder, and may be writing the same log: ours is added to what is there. */
void report_stand_back(struct report *report);

/* -1 when something that was asked for could not be written. NULL is fine. */
int report_close(struct report *report, int exit_code, struct error *err);

/* Pages so far that ended like this. */
size_t report_count(const struct report *report, enum page_status status);

/* Whether report_detail, and the inputs of pages, have any use. */
bool report_wants_details(const struct report *report);
bool report_wants_inputs(const struct report *report);
