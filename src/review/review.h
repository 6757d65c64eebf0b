/* Compares two output folders. The terminal's table, JSON, Markdown, JUnit and the page are made of the result, which is
 * plain data.
 *
 * Sheets are matched by list and job, frames by name, never by place. A job with the same records in both versions is the
 * same and is not opened; `verify` tells whether files are as their records say. */
#pragma once

#include "review/review_sheet.h"

struct review_cause {
    const char *text;   /* "input orc/skin.png changed", "camera compass: pitch 30 -> 35 (jobs/orcs.yaml:8)" */
    const char *place;  /* that of a list, or NULL */
    const char *kind;   /* reason_name, or "added", "removed", "failed", "fixed", "not-compared", "unknown" */
    size_t sheets;      /* that have it, first or not */
    const char *accept; /* the line that accepts all sheets whose first it is, or NULL */
    struct review_verdict verdict;
};

/* A job that could not be drawn. */
struct review_failure {
    const char *list, *job, *reason;
    bool is_own; /* as page_result's (report/report.h) */
};

struct review_failures {
    struct review_failure *items;
    size_t count, capacity;
};

/* One version, to be read. What it borrows lives as long as the review. */
struct review_source {
    const char *folder;
    const char *name, *detail;       /* for people: "origin/main", "1a2b3c4 Subject line" */
    struct review_failures failures; /* of jobs that were drawn just now */
    bool may_be_empty;               /* it was drawn just now, so an empty folder is not a mistake */
    const char *framed; /* a folder of those of its jobs that were framed with the other version's; NULL: none */
    struct review_failures unframed; /* after: why jobs could not be framed */
    /* After: the rules of a job that was drawn just now; NULL: findings are those of the records. */
    const struct rules *(*rules_of)(void *context, const char *list, const char *job);
    void *context;
    const struct commit *commit; /* after: of a history (review/revision.h); else NULL */
    size_t undrawn;              /* after: sheets that cannot differ and were not drawn, which count as same */
    const char *told; /* what messages call the folder, where that is gone when people read them; NULL: itself */
};

struct review {
    struct arena arena;
    struct {
        const char *name, *detail;
    } before, after;
    struct review_sheet *sheets; /* those that are not same; worst first */
    size_t sheet_count;
    struct review_cause *causes; /* in the order of their worst sheet */
    size_t cause_count, cause_capacity;
    void *causes_by_text; /* a tree, until they are sorted */
    size_t sheet_totals[REVIEW_STATE_COUNT];
    size_t broken;                           /* sheets that break rules */
    size_t frame_totals[REVIEW_STATE_COUNT]; /* of the sheets that were opened: their records differ */
    bool is_strict;                          /* as in the settings: new warnings are failures */
    size_t asked, accepted;                  /* sheets that need a verdict, and those of them that are accepted */
    struct strings problems;                 /* what could not be read, one message each; the sheets are unknown */

    struct page_set folders[2], framed[2]; /* before, after */
    struct strings namesakes;              /* "LIST\nJOB" that more sheets than one of a folder have, sorted */
    struct match *matches;                 /* the sheets that were opened, and those that failed */
    size_t match_count, match_capacity;
};

/* Fails where a folder cannot be read, or no run wrote it, or no job of the folders is wanted. The caller releases *out, which
 * stays in its place. */
int review_folders(const struct review_source *before, const struct review_source *after,
                   const struct review_settings *settings, struct review *out, struct error *err);

/* Adds the sheets that a commit changed to those of other commits. `all`, at first empty, borrows the commit and what `one`
 * has. Sheets of which all files are the same, or that neither version could draw, are not added. */
void review_add_commit(struct review *all, const struct review *one, const struct commit *commit);
void review_release(struct review *review);
