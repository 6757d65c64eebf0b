/* What `--depfile` tells: whenever a run has something to do, what it depends on has another time, or make would
 * not call it. */
#ifndef EDITS_DEPENDS_H
#define EDITS_DEPENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

struct dependency {
    char *path;
    struct timespec changed; /* of one that is not there, 0 */
};

struct depends {
    struct dependency *items;
    size_t count, capacity;
};

/* Those that the file names now, as they are now; none where there is no file, as after a run in which something
 * failed. */
void depends_take(const char *depfile, struct depends *out);
bool depends_have_changed(const struct depends *depends);
void depends_release(struct depends *depends);

#endif
