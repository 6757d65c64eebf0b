/* The files of an output folder and the folders below it. Links are not followed. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/strings.h"

#define LOCK_FILE ".sheetbake.lock" /* in each output folder of a run (page/lock.h) */

/* Adds the files whose base name `wanted` likes, with their paths below `folder`, sorted. A folder below that is the
 * output folder of runs itself, and so has a lock file, is left to those. */
void output_tree_find(const char *folder, bool (*wanted)(const char *name), struct strings *paths);

/* The same, with the files in such folders. Fails, with those that it found, where a folder cannot be listed. */
int output_tree_find_all(const char *folder, bool (*wanted)(const char *name), struct strings *paths,
                         struct error *err);

/* The records of pages, but for temporary ones. */
bool output_tree_is_record(const char *name);

/* Removes a folder below `folder`, and those above it, as far as they are empty. */
void output_tree_remove_empty(const char *folder, const char *below);

/* -- What killed runs have left ---------------------------------------------------------------------------- */

/* Temporary files, ".NAME.PID-RANDOM.tmp", where NAME is a file of a page. When no run is at work in the folder, runs
 * that were killed have left them. */

/* Such a name in `folder` for a file that is to be called `name` there. The caller frees it. */
char *leftovers_name(const char *folder, const char *name);

/* Whether a file of this name, without its folder, is one of them. */
bool leftovers_has(const char *name);

/* Removes one. If it is a page's earlier record, also removes the files of the page that no record has any more. */
void leftovers_remove_one(const char *path);

/* All in a folder and below it (page/folder.h), and folders that are empty then. */
void leftovers_remove(const char *folder);
