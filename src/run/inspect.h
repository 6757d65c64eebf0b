/* Finds which pages of a job are up to date.
 *
 * A page is up to date when its record (page/record.h) says what the job's record would say now, every look-up in the
 * assets ends as it did, every file read has the bytes it had, and all the page's files are there: pictures of the size
 * that was written, what describes them with the same bytes. That needs no model and no GL. Two things are left to
 * `verify`: pictures of the right size with other bytes, and files without a record.
 *
 * Each page has its record beside it; there is no central list, so shards of a run, and copies of its output, need none.
 * Records that may be a job's are found by their names, which all start with the job's; they say themselves whose they are.
 * The inspector lists the folders of a list's jobs once, and reads each file once, when first needed.
 *
 * An inspector keeps the assets of one list open. */
#pragma once

#include <stdbool.h>

#include "asset/assets.h"
#include "base/strings.h"
#include "job/job.h"
#include "page/reasons.h"
#include "page/record.h"

struct page_verdict {
    struct strings names;    /* of its records, below the output folder, without suffix: a packed or trimmed sheet
                               has several, a page that was never made none */
    struct reasons reasons;  /* none: it is up to date */
    struct strings findings; /* of the job's rules as they are now (page/finding.h), if it is up to date */
};

struct verdict {
    struct strings warnings; /* about the job, where all its pages are up to date */
    char hash[HASH_SIZE];    /* of all pages, where they are up to date and the job goes into an atlas; else "" */
    uint32_t page_count;     /* 0: not known. Then all pages have to be made, for the reasons of pages[0] */
    struct page_verdict *pages; /* as many, at least 1 */
};

struct inspector;

/* With `keeps_findings` it writes what the rules find now into the records of pages that are up to date. */
struct inspector *inspector_new(bool keeps_findings);
void inspector_free(struct inspector *inspector);

/* Whether the output folder has records that may be the job's, by their names. */
bool inspector_has_pages(struct inspector *inspector, const struct job_list *list, const char *job);

/* Makes the look-ups of each page's record again, and compares the rest with `expected`: settings, group, renderer and
 * output version; for an atlas its inputs, too. Where one page is gone, the others may still be up to date. */
void inspect_job(struct inspector *inspector, const struct job_list *list, const struct job *job,
                 const struct record *expected, struct verdict *out);

/* Adds how the look-ups of a record end otherwise now. Needs no output folder. Files that are shared with `others`, where
 * these are not NULL (assets_share), are the same. */
void inspect_look_ups(struct inspector *inspector, const struct job_list *list, const struct record *was,
                      struct assets *others, struct reasons *out);

/* The assets of the list; NULL: they cannot be opened. Borrowed until another list is inspected. */
struct assets *inspector_assets(struct inspector *inspector, const struct job_list *list);

/* The verdict of a job that cannot be made, because something is missing in the assets. */
void inspect_missing(const struct job *job, struct verdict *out);
void verdict_release(struct verdict *verdict);

/* Whether all pages are known and up to date. */
bool verdict_is_up_to_date(const struct verdict *verdict);

/* Names a page for people: "orcs/grunt-walk.png"; where it has no record "orcs/grunt, page 3 of 4", or just
 * "orcs/grunt" where the number of pages is not known. The caller frees it. */
char *verdict_page_name(const struct verdict *verdict, const struct job *job, uint32_t page);
