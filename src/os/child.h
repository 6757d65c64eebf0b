/* Runs a function in a child process, which has a deadline, and reads back what it made. */
#pragma once

#include "base/bytes.h"
#include "base/error.h"

struct child {
    const char *task; /* for messages: "the process that TASK was killed by signal 9" */
    double timeout_s; /* 0: as long as it takes */
    int output;       /* the file for its standard output and error; 0: ours */

    /* Runs in the child, which inherits no files but the standard streams. Returns 0 to 255. Where it leads a process group,
     * that is killed with it. NULL: child_run is a fork, from which the child gets CHILD_IS_THIS, and goes on. */
    int (*make)(void *context, struct blob *out);
    void *context;
};

enum { CHILD_IS_THIS = -2 };

/* Returns what `make` returned, with the bytes that it left in *out, which is the caller's. -1 when the process died
 * before, or took too long and was killed. Of a fork, its exit status, or 128 and SIGPIPE; `out` may be NULL. */
int child_run(const struct child *child, struct blob *out, struct error *err);

/* Closes all files but the standard streams and these: the parents' files are not for a process that is about to read a
 * stranger's. */
void inherited_close(const int *kept, size_t count);
