/* A child process that makes one thing: what it makes is read back, and it has to be done by a deadline. */
#ifndef OS_CHILD_H
#define OS_CHILD_H

#include "base/bytes.h"
#include "base/error.h"

struct child {
    const char *task; /* for messages: "the process that TASK was killed by signal 9" */
    double timeout_s; /* 0: as long as it takes */
    int output;       /* the file that takes its standard output and error; 0: they are ours */

    /* Runs in the child, which has no file of ours but the standard streams. Returns 0 to 255. */
    int (*make)(void *context, struct blob *out);
    void *context;
};

/* Returns what `make` returned, with the bytes it left in *out, which is the caller's. -1 and why when the process
 * did not live to return, or took too long: then it is killed. */
int child_run(const struct child *child, struct blob *out, struct error *err);

#endif
