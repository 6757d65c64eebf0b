/* Takes every event of a run, prints it, and passes it to the files that were asked for.
 *
 *     report_open, before the lists are read; report_start when they are; what happens; report_end when nothing more
 *     does, and report_close with the exit code.
 *
 * Progress, warnings, failures and a summary are printed. All of it goes to one stream, stderr: two streams in one log
 * would come out in the wrong order, and standard output stays free for what programs read. Each line is written at once.
 *
 * On a terminal one line shows the state of the run, and is erased before anything else is printed:
 *
 *     [412/859] 108/s, 4 s left, 1 failed: orcs/grunt, orcs/troll (12 s)
 *
 * Elsewhere, as in a log, each sheet gets a line when it is finished:
 *
 *     [413/859] orcs/grunt.png  0.12 s
 *
 * Warnings and failures are printed as they come. A warning whose text was printed before is only counted. When the
 * first failure may have left the screen, the summary repeats all of them in the order of the list:
 *
 *     error: orcs/troll: troll.md2: frame 12 runs past the end of the file
 *     858 of 859 sheets in 7.9 s (108/s, 2 workers), 1 failed, 12 warnings -> out/orcs
 *
 * Sheets that are up to date count as ended, but not for the rate:
 *
 *     3 sheets in 0.1 s (30/s, 2 workers), 856 up to date -> out/orcs
 *
 * Names and texts come from files that may be hostile: control characters are printed as '?'. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "base/strings.h"
#include "job/job.h"
#include "job/shard.h"
#include "report/ci.h"

/* -- Files that a run writes about itself ------------------------------------------------------------------ */

/* They are made of how each page ended, and how the run did (report/event.h).
 *
 * A sink is one source file with a constant struct, and a row of SINK_ROWS: `render` has its option from there. */
struct sink {
    /* Fails where the file cannot be written. What an earlier run wrote stays until `begin` or `close`. Of a file that
     * `close` writes as a whole it is `collect`, once it is known that such a file can be written. */
    int (*open)(const char *path, void **out, struct error *err);
    void *(*collect)(void);
    void (*begin)(void *file); /* the run begins, or ends without having begun; NULL: nothing to do */
    void (*page)(void *file, const struct page_result *result);
    void (*event)(void *file, const struct event *event); /* of report_event; NULL: it takes pages alone */

    /* Frees the file, also on failure. `run` is NULL when there is no run. */
    int (*close)(void *file, const char *path, const struct run_result *run, struct error *err);
    bool wants_inputs; /* struct page_result's `inputs` */
};

/* Reads event `i` of a page, a warning or a finding; false where there are no more. The event borrows *finding, and has no
 * sheet. */
bool page_event(const struct page_result *result, size_t i, struct finding *finding, struct event *out);

#define SARIF_HELP "write what is found to FILE as SARIF 2.1.0, which code hosts show beside the lists"

/* row(NUMBER, struct, option, help).
 *
 * --log: a line of JSON for each page and one for the run (docs/log.md). Each is written at once and whole, so that
 * a run that is killed leaves a log that can be used.
 *
 * --junit: the pages as tests of a JUnit XML report, a suite for each list and a case for each page (docs/log.md).
 *
 * --sarif: SARIF 2.1.0, a result for each event: its rule, level, text, the place in the list, and the sheet as a
 * logical location. Problems that belong to no sheet are notifications. */
#define SINK_ROWS(row)                                                                                            \
    row(LOG, run_log_sink, "log",                                                                                 \
        "write what happens to FILE as JSON lines, one for each page and one for the run; - is standard output"), \
        row(JUNIT, junit_sink, "junit", "write a JUnit XML report to FILE, in which each page is a test"),        \
        row(SARIF, sarif_sink, "sarif", SARIF_HELP)

#define SINK_NUMBER(number, name, option, help) SINK_##number
#define SINK_NAME(number, name, option, help) name
enum sink_number { SINK_ROWS(SINK_NUMBER), SINK_COUNT };
extern const struct sink SINK_ROWS(SINK_NAME);

/* -- The report -------------------------------------------------------------------------------------------- */

enum verbosity {
    VERBOSITY_SILENT = -3, /* nothing */
    VERBOSITY_LIVE = -2,   /* the live line alone, on a terminal */
    VERBOSITY_QUIET = -1,  /* failures only, each once */
    VERBOSITY_NORMAL = 0,
    VERBOSITY_VERBOSE = 1, /* also a line for each sheet on a terminal, repeated warnings, details */
};

/* How far a run is: the live line, or that and lines on standard output for an engine of Open Job Description. */
enum progress { PROGRESS_LIVE, PROGRESS_OPENJD };

struct report_settings {
    enum verbosity verbosity;
    enum progress progress;
    enum ci ci;
    const char *files[SINK_COUNT]; /* paths; NULL: not asked for */
    const char *only;              /* see struct run_result */
    struct shard shard;
    bool is_strict; /* a page that comes with warnings has failed, though it is made and stays */
    void (*on_page)(void *context, const struct page_result *page); /* called for each; may be NULL */
    void *on_page_context;

    FILE *out;        /* NULL: standard error; then report_open finds out the rest */
    bool is_live;     /* `out` is a terminal that can rewrite its line */
    bool has_colours; /* escape sequences may be written (no-color.org) */
    unsigned columns; /* of the terminal; 0: ask it */
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
void report_warning(struct report *report, const struct job *job, const char *text,
                    bool is_old); /* of an earlier run */
void report_detail(struct report *report, const struct job *job, const char *text);
void report_page(struct report *report, const struct page_result *result);

/* Passes an event of a sheet to the files, and to a CI system that has lines for such. False: there is no such system, and
 * the caller prints the event. Needs no report_start. */
bool report_event(struct report *report, const struct event *event);

/* The page's worker has died, and the page will be tried again. `reason` says both. */
void report_postponed(struct report *report, unsigned worker, const struct job *job, const char *name,
                      const char *reason);

/* The run goes on with fewer workers. */
void report_fewer_workers(struct report *report, const char *text);

/* Redraws the progress line; to be called about ten times a second. */
void report_tick(struct report *report);

/* Nothing more happens: the summary. `ended` says why the run ended early, such as "interrupted", or is NULL. */
void report_end(struct report *report, const char *ended);

/* Why the run could not begin or go on, for the log and the JUnit report: before report_end or after it, or without. */
void report_end_reason(struct report *report, const char *reason);

/* Another run has the output folder, and may be writing the same log: adds to that log, and never begins it anew. */
void report_stand_back(struct report *report);

/* -1 if one of the files could not be written. NULL is fine. */
int report_close(struct report *report, int exit_code, struct error *err);

/* Returns how many pages have ended like this so far. */
size_t report_count(const struct report *report, enum page_status status);

/* Whether pages failed, and all for what their files hold or lack (page_result's is_own) or for warnings: another try would
 * end the same. */
bool report_failures_are_own(const struct report *report);

/* Whether report_detail, and the inputs of pages, have any use. */
bool report_wants_details(const struct report *report);
bool report_wants_inputs(const struct report *report);
