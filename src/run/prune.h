/* Removes pages that a list no longer makes from its output folder, and folders that this leaves empty. */
#pragma once

#include <stdbool.h>

#include "base/strings.h"
#include "job/job.h"

/* -- Pages of a list that it no longer makes --
 *
 * Those whose record (page/record.h) has the list's name, and whose job is gone or makes other pages now. A file goes
 * only when its bytes are those that were recorded; nothing else in the folder is touched, nor what other lists have
 * there. */

/* A page that was removed, or would be. */
struct pruned_page {
    const char *record;     /* path of its record; its other files are beside that */
    char *why;              /* "there is no job 'orc' any more" */
    struct strings removed; /* base names of the files that went, or would go */
    struct strings left;    /* "NAME: why it stays" */
    bool is_dry;            /* nothing was done */
};

typedef void prune_report(const struct pruned_page *page);

struct prune {
    const struct job_list *list;
    const struct strings *pages; /* that stay: sorted paths, the list's output folder with a page's name */
    /* Names of jobs, sorted. Known: `pages` has all their pages. Unsure: it may lack some, or the job is of another list
     * with the same name and output folder, and nobody can tell the pages of the two apart. */
    const struct strings *known, *unsure;
    bool is_dry;
    prune_report *report;
};

void prune_list(const struct prune *prune);
