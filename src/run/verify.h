/* Verifies that the files of an output folder are those that runs have written: each record is as it was written, and
 * each file that it names has the bytes it had (page/record.h). Needs no list, no assets and no GL, and changes
 * nothing. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "job/job.h"
#include "page/set.h"

enum verify_kind {
    VERIFY_CHANGED,    /* other bytes than were recorded */
    VERIFY_MISSING,    /* a file that a record names, or a page of a list that has no record */
    VERIFY_BROKEN,     /* a record that is not as it was written */
    VERIFY_UNREADABLE, /* a file or folder */
    /* Notes: nothing need be wrong. */
    VERIFY_UNDESCRIBED, /* a file like those of pages that no record beside it names */
    VERIFY_LEFTOVER, /* a temporary file of a run that was killed, or is at work; a page of a run that made other ones */
    VERIFY_COUNT
};

extern const char *const verify_names[VERIFY_COUNT]; /* "changed", "missing", ... */

struct verify_problem {
    enum verify_kind kind;
    const char *path, *text;
};

typedef void verify_report(void *context, const struct verify_problem *problem);

struct verify {
    verify_report *report;
    void *context;
    size_t files;    /* as recorded, including the records */
    size_t problems; /* but for notes */
    struct page_set
        found; /* pages with a good record, by the resolved path of their folder; the caller releases it */
};

/* Verifies a folder and all below it, sorted, without following links. A folder that no run wrote is a problem. -1 when it
 * is not there or cannot be read. */
int verify_folder(struct verify *verify, const char *folder, struct error *err);

/* Finds which pages of a list's jobs are missing in the folders verified so far, by the page counts in their records. */
void verify_list(struct verify *verify, const struct job_list *list);
