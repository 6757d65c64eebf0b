/* `sheetbake history`: draws the sheets of a list as they were in the commits that may have changed them, and compares each
 * with the one before. */
#pragma once

#include "cli/versions.h"

struct history_settings {
    const char *since; /* only commits that this revision does not have; NULL: all */
    unsigned most;     /* commits */
};

/* Returns the exit code, in the confined process that of `report`. Nothing temporary is left, also after a signal. */
int history_run(const struct versions_settings *versions, const struct history_settings *settings,
                char *const *list, versions_report *report, void *context);
