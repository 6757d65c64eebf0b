/* The one place that is told what happens in a run, and hands it on to whoever wants to know: the terminal
 * (report/progress.h), and the files that were asked for.
 *
 *     report_open, before the lists are read; report_start when they are; what happens; report_end when nothing more
 *     does, and report_close with the exit code. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/error.h"
#include "base/strings.h"
#include "job/job.h"
#include "report/progress.h"
#include "job/shard.h"
#include "bake/stages.h"
#include "fresh/record.h"

enum page_status {
    PAGE_MADE,
    PAGE_UP_TO_DATE,
    PAGE_FAILED,
    PAGE_CANCELLED, /* the run ended first */
    PAGE_STATUS_COUNT
};

/* How a page ended. What is not known is zero or NULL. */
struct page_result {
    const struct job_list *list;
    const struct job *job;
    const struct mark *place; /* in the list, of what failed it; NULL: the job's */
    uint32_t page;            /* of the job; all pages of a packed or trimmed sheet have that of its first */
    uint64_t order;           /* its place in the run, by which failures are sorted */
    const char *name;         /* of its picture, below the list's output folder */
    const char *made_with; /* the picture of the page along with which this one was made: the time is that one's */
    enum page_status status;
    const char *reason;   /* why it failed, was cancelled, or had to be made */
    double seconds;       /* of the last attempt */
    struct stages stages; /* of the last attempt, ended (stages_end) */
    bool had_worker;
    unsigned worker; /* its place in the pool */
    unsigned attempts;
    int signal;                        /* by which the worker was killed */
    uint64_t peak_kib;                 /* the most memory that the worker has held so far, in KiB */
    struct timespec ended;             /* filled in by report_page */
    const struct record_pairs *inputs; /* every file that was read for it, with its hash */
    const struct strings *warnings;    /* that came while it was made; those of the job come with its page 0 */
};

/* How a run ended. */
struct run_result {
    struct timespec started, ended;
    double seconds;
    struct job_list *const *lists;
    size_t list_count;
    unsigned worker_count;
    const char *only; /* these two as in report_settings */
    struct shard shard;
    size_t counts[PAGE_STATUS_COUNT], not_begun, warning_count;
    const char *reason; /* why it ended early, or NULL */
    int exit_code;
    const struct strings *problems; /* of the lists: then nothing was run */
};

struct report_settings {
    enum verbosity verbosity;
    enum ci ci;
    const char *log;   /* the file for report/run_log.h, or NULL; */
    const char *junit; /* that for report/junit.h, or NULL */
    const char *only;  /* the pattern of the jobs that were asked for, or NULL */
    struct shard shard;
};

struct report;

int report_open(const struct report_settings *settings, struct report **out, struct error *err);

/* The lists have problems, each as "file:line:column: message": nothing is run. */
void report_problems(struct report *report, const struct strings *problems);

/* A run with lists that may be baked. The lists are borrowed until report_close. */
void report_start(struct report *report, struct job_list *const *lists, size_t list_count, unsigned worker_count);

/* The pages to make that are known so far, without those that are up to date; it may grow. */
void report_total(struct report *report, size_t page_count);

/* A worker begins a page; its end is told by report_page. */
void report_begin(struct report *report, unsigned worker, const struct job *job);
void report_warning(struct report *report, const struct job *job, const char *text);
void report_old_warning(struct report *report, const struct job *job,
                        const char *text); /* of what is up to date */
void report_detail(struct report *report, const struct job *job, const char *text);
void report_page(struct report *report, const struct page_result *result);

/* A page has not ended yet, for its worker has died; it will be tried again. `reason` says why, and so. */
void report_postponed(struct report *report, unsigned worker, const struct job *job, const char *name,
                      const char *reason);

/* The run goes on with fewer workers. */
void report_trouble(struct report *report, const char *text);

/* Shows where the run is; to be called about ten times a second. */
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

/* Whether anybody wants to know details of a job. */
bool report_wants_details(const struct report *report);

/* Whether anybody wants to know the inputs of pages that are made. */
bool report_wants_inputs(const struct report *report);

#endif
