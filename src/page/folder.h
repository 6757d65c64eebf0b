/* An output folder and the folders below it. Links are not followed. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/strings.h"

#define LOCK_FILE ".sheetbake.lock" /* in each output folder of a run (page/lock.h) */

/* The names in a folder, sorted. */
struct folder_listing {
    const struct folder_listing *above; /* NULL: it is the first */
    const char *path;                   /* as the first was given, with the names of those below */
    const char *below;                  /* the same below the first: "" for that */
    struct strings records;             /* of pages, but for temporary ones */
    struct strings leftovers;           /* other temporary files of runs */
    struct strings others, folders;
    int error;       /* errno: why it cannot be listed, or not to its end */
    bool was_opened; /* some of it was listed */
};

/* Fills in all below `path`. */
void folder_list(struct folder_listing *folder);
void folder_release(struct folder_listing *folder);

bool folder_is_record(const char *name);

typedef void folder_visit(void *context, const struct folder_listing *folder);

enum folder_extent {
    FOLDER_OWN, /* without folders that are the output folders of runs themselves, and so have a lock file */
    FOLDER_ALL,
};

/* Visits a folder, then those in it and all below. Fails, when all others were visited, where one cannot be listed; one that
 * is not there, or that another process removes meanwhile, is as good as empty. */
int folder_each(const char *path, enum folder_extent extent, folder_visit *visit, void *context,
                struct error *err);

/* Removes a folder below `folder`, and those above it, as far as they are empty. */
void folder_remove_empty(const char *folder, const char *below);

/* -- What killed runs have left ---------------------------------------------------------------------------- */

/* Temporary files, ".NAME.PID-RANDOM.tmp", where NAME is a file of a page. When no run is at work in the folder, runs
 * that were killed have left them. */

/* Returns ".PID-RANDOM.tmp" for names of this process, which the caller frees. */
char *leftovers_tail(void);

/* Whether a file of this name, without its folder, is one of them. */
bool leftovers_has(const char *name);

/* Removes one. If it is a page's earlier record, also removes the files of the page that no record has any more. */
void leftovers_remove_one(const char *path);

/* Removes all in a folder and below it, but for output folders of other runs; and the folders that are empty then. */
void leftovers_remove(const char *folder);
