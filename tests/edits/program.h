/* Runs of the program under test in the current folder, and their output. */
#ifndef EDITS_PROGRAM_H
#define EDITS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/strings.h"

/* Runs the program with arguments separated by spaces. Standard output goes to the named file, standard error to
 * "stderr". Returns the exit code, or -1 where a signal ended it. */
struct program {
    const char *path;
};

int program_run(const struct program *program, const char *output, const char *arguments);

/* The same in two steps, for a run that is disturbed. */
pid_t program_start(const struct program *program, const char *output, const char *arguments);
int program_wait(pid_t process);

/* Waits for the workers of a killed run, which may still rename a file. */
void program_wait_for_workers(pid_t process);

/* What a log or a dry run tells about a page. */
struct outcome {
    char *job, *sheet; /* sheet: NULL while its name is unknown */
    char *made_with;   /* the first page of a sheet that is made as a whole, or NULL */
    int page;          /* -1: the number of pages is unknown */
    bool is_made, is_failed;
};

struct outcomes {
    struct outcome *items;
    size_t count, capacity;
    long warnings; /* the count in a log; -1 where the run did not end */
};

void outcomes_of_log(const char *file, struct outcomes *out);
void outcomes_of_dry_run(const char *file, struct outcomes *out);
void outcomes_release(struct outcomes *outcomes);

/* All asset paths in the record of a page: read, found under another spelling, or not found. */
void paths_of_page(const char *file, struct strings *out);

/* The paths of the problems of `verify --json`. */
void problems_of_verify(const char *file, struct strings *out);

#endif
