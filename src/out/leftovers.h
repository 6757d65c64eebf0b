/* Temporary files, ".NAME.PID-RANDOM.tmp", NAME being that of a file of a page. They are left over
 * from runs that were killed when no run is at work in the folder. */
#ifndef OUT_LEFTOVERS_H
#define OUT_LEFTOVERS_H

#include <stdbool.h>

/* Such a name in `folder` for a file that is to be called `name` there. The caller frees it. */
char *leftovers_name(const char *folder, const char *name);

/* Whether a file of this name, without its folder, is one of them. */
bool leftovers_has(const char *name);

/* Removes one. Where it is the record that a page had before, the page's files that no record has any more go with
 * it. */
void leftovers_remove_one(const char *path);

/* All in a folder and below it (fresh/output_tree.h), and folders that are empty then. */
void leftovers_remove(const char *folder);

#endif
