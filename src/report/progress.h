/* What a run prints: progress, warnings, failures, and a summary.
 *
 * All of it goes to one stream, stderr: two streams in one log would come out in the wrong order, and standard output
 * stays free for what programs read. Each line is written at once.
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
#include <stdint.h>
#include <stdio.h>

#include "report/ci.h"

struct progress;
struct page_result; /* report/result.h */

enum verbosity {
    VERBOSITY_SILENT = -3, /* nothing */
    VERBOSITY_LIVE = -2,   /* the live line alone, on a terminal */
    VERBOSITY_QUIET = -1,  /* failures only, each once */
    VERBOSITY_NORMAL = 0,
    VERBOSITY_VERBOSE = 1, /* also a line for each sheet on a terminal, repeated warnings, details */
};

struct progress_settings {
    FILE *out;
    enum verbosity verbosity;
    bool is_live;     /* `out` is a terminal that can rewrite its line */
    bool has_colours; /* escape sequences may be written */
    unsigned columns; /* of the terminal; 0: ask it */
    unsigned worker_count;
    enum ci ci;        /* lines have the syntax of this system, which folds all but the summary under the title */
    const char *title; /* borrowed */
    const char *folders; /* of the sheets, for the summary; borrowed; may be NULL */
};

/* Fills in is_live and has_colours from the stream, TERM and NO_COLOR (no-color.org). A CI system gets a log, even
 * through a terminal. */
void progress_settings_detect(struct progress_settings *settings);

struct progress *progress_new(const struct progress_settings *settings);
void progress_free(struct progress *progress);

/* Sets the number of sheets known so far, which may grow during the run. */
void progress_total(struct progress *progress, size_t total);

/* A worker (below worker_count) begins a sheet, which ends with progress_page, or is to be tried again later. */
void progress_begin(struct progress *progress, unsigned worker, const char *name);
void progress_idle(struct progress *progress, unsigned worker);

/* A sheet that no worker begins counts for the total, but not for the rate. A cancelled one does not count. */
void progress_page(struct progress *progress, const struct page_result *result);

/* `name` is a job; NULL when the warning is about the run. `place` is its line in the list, for CI systems that show
 * findings there; it may be NULL. A warning that `is_old` is of a sheet that is up to date, which an earlier run printed: it is
 * counted, and printed again with VERBOSITY_VERBOSE. */
void progress_warning(struct progress *progress, bool is_old, const char *name, const struct mark *place,
                      const char *message);

/* Printed with VERBOSITY_VERBOSE. */
void progress_detail(struct progress *progress, const char *name, const char *text);

/* Updates the live line. Call it about ten times a second. */
void progress_tick(struct progress *progress);

/* Ends the live line and prints the summary. `ended` says why the run ended early, such as "interrupted", or is
 * NULL. When no sheet was finished or failed, that is all it prints. */
void progress_finish(struct progress *progress, const char *ended);
