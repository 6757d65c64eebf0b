/* Checks that the files of an output folder are those that runs have written: each record is as it was written, and
 * each file that it names has the bytes it had (page/record.h). Needs no list, no assets and no GL, and changes
 * nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "job/job.h"

enum finding_kind {
    FINDING_CHANGED,    /* other bytes than were recorded */
    FINDING_MISSING,    /* a file that a record names, or a page of a list that has no record */
    FINDING_BROKEN,     /* a record that is not as it was written */
    FINDING_UNREADABLE, /* a file or folder */
    /* Notes: nothing need be wrong. */
    FINDING_UNDESCRIBED, /* a file like those of pages that no record beside it names */
    FINDING_LEFTOVER,    /* a temporary file of a run that was killed, or is at work */
    FINDING_COUNT
};

struct finding {
    enum finding_kind kind;
    const char *path, *text;
};

/* "changed", "missing", ... */
const char *finding_name(enum finding_kind kind);

static inline bool finding_is_note(enum finding_kind kind)
{
    return kind >= FINDING_UNDESCRIBED;
}

typedef void verify_report(void *context, const struct finding *finding);

struct verify_totals {
    size_t pages, files; /* with a good record; and as recorded, including the records */
    size_t counts[FINDING_COUNT];
};

struct verify;

struct verify *verify_new(verify_report *report, void *context);
void verify_free(struct verify *verify);

/* A folder and all below it, sorted; links are not followed. -1 when it is not there or cannot be read. */
int verify_folder(struct verify *verify, const char *folder, struct error *err);

/* Finds which pages of a list's jobs are missing in the folders checked so far, going by the page counts in their
 * records. */
void verify_list(struct verify *verify, const struct job_list *list);

const struct verify_totals *verify_totals(const struct verify *verify);
