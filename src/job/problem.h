/* What is wrong with a job list, gathered from all of it before anything is reported.
 *
 * Reading goes on after a problem wherever the rest still makes sense, so that one run shows them all. */
#ifndef JOB_PROBLEM_H
#define JOB_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strings.h"
#include "job/job.h"

/* A hostile list may have a million unknown keys. */
enum { PROBLEM_LIMIT = 1000 };

struct problem {
    struct mark mark;
    char *text;
};

/* A zeroed struct is an empty list. */
struct problems {
    struct problem *items;
    size_t count, capacity;
    bool is_cut; /* there were more than PROBLEM_LIMIT */
};

/* A line of 0 stands for the file as a whole. The mark's file is borrowed until the problems are released. Returns -1. */
int problems_add(struct problems *problems, struct mark mark, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sorts them by file, line, column and text, without repeats, and returns how many these are. */
size_t problems_sort(struct problems *problems);

/* Adds each as "file:line:column: message", or "file: message" for a line 0, sorted by file, line, column and
 * text, and without repeats: what an alias stands for is read once for each use. Of more than four at one place,
 * the rest is a line "file:line:column: and 82 more problems here". */
void problems_report(struct problems *problems, struct strings *out);
void problems_release(struct problems *problems);

#endif
