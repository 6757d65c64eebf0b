/* Removes the pages of a list that it no longer makes: those whose record (fresh/record.h) has the list's name,
 * and whose job is gone or makes other pages now. A file goes only when its bytes are those that were recorded;
 * nothing else in the folder is touched, nor what other lists have there. Folders that this leaves empty go, too.
 */
#ifndef OUT_PRUNE_H
#define OUT_PRUNE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"
#include "job/job.h"

/* A page that is gone. */
struct pruned_page {
    const char *record;     /* path of its record; the others are beside it */
    const char *why;        /* "there is no job 'orc' any more" */
    struct strings removed; /* base names of the files that went, or would go */
    struct strings left;    /* "NAME: why it stays" */
    bool is_dry;            /* nothing was done */
};

typedef void prune_tell(void *context, const struct pruned_page *page);

/* Told, by whoever decides that, of a list of which nothing is removed for now. */
typedef void prune_refuse(const struct job_list *list, const char *why, bool is_dry);

struct prune {
    const struct job_list *list;
    const struct strings
        *pages; /* that are there to stay: sorted paths, the list's output folder with a page's name */

    /* Whether `pages` has all pages of this job of the list. */
    bool (*is_known)(void *context, const struct job *job);
    /* Whether another list of the same name, which is made in the same run, has a job of this name and its sheets
     * there: pages of the two cannot be told apart. */
    bool (*is_of_another)(void *context, const char *job);
    void *context;

    bool is_dry;
    prune_tell *tell; /* with `context` */
};

void prune_list(const struct prune *prune);

#endif
