/* What earlier runs left in an output folder: the records of pages, by the job they were made for.
 *
 * There is no central list of what was made, so that shards of a run, and copies of its output, need none: each
 * page has its record (fresh/record.h) beside it. The files of a job are found by their names, which all start
 * with the job's; each folder is listed once, and each file read once, when first needed. */
#ifndef FRESH_EARLIER_H
#define FRESH_EARLIER_H

#include "fresh/record.h"

struct earlier;

struct earlier_page {
    const char *name;      /* of the record below the output folder, without its suffix: "orcs/grunt@walk@1" */
    enum record_kind kind; /* good or broken */
    struct record record;  /* of a good one */
    char *problem;         /* of a broken one */
};

/* `output` is a list's output folder, which need not be there; it is borrowed. */
struct earlier *earlier_new(const char *output);
void earlier_free(struct earlier *earlier);

/* All pages that may be the job's by their names, in the order of these, whoever made them. *out is the caller's
 * to free, the pages are borrowed. */
void earlier_pages(struct earlier *earlier, const char *job, const struct earlier_page ***out, size_t *count);

/* The size of a file of the page, or -1 when it is not there or no plain file. */
int64_t earlier_file_size(const struct earlier *earlier, const struct earlier_page *page, const char *name);

/* Whether a file of the page has the bytes that were written. */
bool earlier_file_is_same(const struct earlier *earlier, const struct earlier_page *page,
                          const struct record_file *file);

#endif
