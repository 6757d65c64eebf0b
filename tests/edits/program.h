/* Runs of the program under test in the current folder, and what they say. */
#ifndef EDITS_PROGRAM_H
#define EDITS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/strings.h"

/* Arguments in one line, separated by spaces. Standard output goes to a file of this name, standard error to
 * "stderr". */
struct program {
    const char *path;
};

int program_run(const struct program *program, const char *output, const char *arguments);

/* The same in two steps, for a run that is disturbed. The exit code is -1 where a signal ended it. */
pid_t program_start(const struct program *program, const char *output, const char *arguments);
int program_wait(pid_t process);

/* Of one that was killed: a worker may still be at its last rename. */
void program_wait_for_workers(pid_t process);

/* What is said of a page. */
struct told {
    char *job, *sheet; /* sheet: NULL where it has none yet */
    int page;          /* -1: how many pages there are is not known */
    bool is_made, is_failed;
};

struct tellings {
    struct told *items;
    size_t count, capacity;
    long warnings; /* of a log, as the run counts them; -1 where it did not end */
};

void tellings_of_log(const char *file, struct tellings *out);
void tellings_of_dry_run(const char *file, struct tellings *out);
void tellings_release(struct tellings *tellings);

/* All paths that the record in a page's JSON names: read, found elsewhere, or looked for in vain. */
void paths_of_page(const char *file, struct strings *out);

/* The paths that `verify --json` tells as problems. */
void problems_of_verify(const char *file, struct strings *out);

#endif
