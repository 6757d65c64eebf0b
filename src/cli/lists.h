/* The job lists a command line names. */
#pragma once

#include <stddef.h>

#include "job/job.h"
#include "report/ci.h"

struct report;

struct lists {
    struct job_list **items;
    size_t count;
};

/* Loads every list. Prints the problems of all of them, then their number, to standard error, and tells the report (or
 * NULL). Returns -1 if there are any: then nothing may run. Jobs of two lists that would write the same files are one. */
int lists_load(char *const *paths, size_t count, const struct job_options *options, enum ci ci,
               struct report *report, struct lists *out);
void lists_print_problems(const struct strings *problems, enum ci ci);

/* Of the arguments LIST... and DIR...: `folders` gets these folders and those that the lists write to, each once. */
int lists_and_folders_load(char *const *arguments, size_t count, const struct job_options *options,
                           struct strings *folders, struct lists *out);

void lists_release(struct lists *lists);
