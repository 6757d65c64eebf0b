/* The files of an output folder and the folders below it. Links are not followed. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/strings.h"

#define LOCK_FILE ".sheetbake.lock" /* in each output folder of a run (out/lock.h) */

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
