/* `sheetbake history`: draws the sheets of a list as they were in the commits that may have changed them, and compares each
 * with the one before. */
#pragma once

#include "cli/diff_base.h"

struct history_settings {
    const struct diff_base *base; /* without its revisions */
    const struct review_settings *review;
    const char *since; /* only commits that this revision does not have; NULL: all */
    unsigned most;     /* commits */
};

/* Prints: in a confined process, where history_run then returns its exit code. */
typedef int history_report(void *context, struct review *review);

/* Returns the exit code. Nothing temporary is left, also after a signal. */
int history_run(const struct history_settings *settings, const char *list, history_report *report, void *context);
