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

/* Loads every list and prints the problems of all of them to standard error, then their number. -1 when there are any:
 * then nothing may run. Jobs of two lists that would write the same files are a problem. The report, or NULL, is told. */
int lists_load(char *const *paths, size_t count, const struct job_options *options, enum ci ci,
               struct report *report, struct lists *out);
void lists_print_problems(const struct strings *problems, enum ci ci);

/* Of the arguments LIST... and DIR...: `folders` gets these folders and those that the lists write to, each once. */
int lists_and_folders_load(char *const *arguments, size_t count, const struct job_options *options,
                           struct strings *folders, struct lists *out);

void lists_release(struct lists *lists);
