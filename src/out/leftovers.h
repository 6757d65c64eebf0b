/* Temporary files, ".NAME.PID-RANDOM.tmp", where NAME is a file of a page. When no run is at work in the folder, runs
 * that were killed have left them. */
#ifndef OUT_LEFTOVERS_H
#define OUT_LEFTOVERS_H

#include <stdbool.h>

/* Such a name in `folder` for a file that is to be called `name` there. The caller frees it. */
char *leftovers_name(const char *folder, const char *name);

/* Whether a file of this name, without its folder, is one of them. */
bool leftovers_has(const char *name);

/* Removes one. If it is a page's earlier record, also removes the files of the page that no record has any more. */
void leftovers_remove_one(const char *path);

/* All in a folder and below it (fresh/output_tree.h), and folders that are empty then. */
void leftovers_remove(const char *folder);

#endif
