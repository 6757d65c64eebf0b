/* The real files and folders on which look-ups in the assets depend: what make and ninja have to watch
 * (out/depfile.h).
 *
 * Of a file that was read, itself, or the archive it is in. A folder where looking for a file, or for those that
 * match a pattern, would find another one if it were put there, or in a new folder of it: its time changes then. */
#ifndef OUT_DEPENDENCIES_H
#define OUT_DEPENDENCIES_H

#include "asset/assets.h"
#include "base/strings.h"
#include "fresh/record.h"

struct dependencies;

struct dependencies *dependencies_new(void);
void dependencies_free(struct dependencies *dependencies);

/* A real path. */
void dependencies_add(struct dependencies *dependencies, const char *path);

/* From now on look-ups are in these. The roots are those it was opened with. */
void dependencies_set_assets(struct dependencies *dependencies, struct assets *assets, const char *const *roots,
                             size_t root_count);

void dependencies_add_look_ups(struct dependencies *dependencies, const struct trace *trace);
void dependencies_add_record(struct dependencies *dependencies, const struct record *record);

/* Sorted, each once; those below the current folder relative to it. The caller releases it. */
void dependencies_list(const struct dependencies *dependencies, struct strings *out);

#endif
