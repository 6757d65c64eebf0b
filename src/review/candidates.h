/* Which sheets of job lists can differ between two readings of the lists, found without drawing.
 *
 * A job gives the same sheets where its settings are the same, as records have them, and all that planning it asks of the
 * assets has the same answer: the files that it reads or finds have the same bytes, and what it looks for in vain is in
 * neither. Models are opened in confined workers, as those of a run are; one that ends a worker can differ. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "job/job.h"
#include "os/sandbox.h"

/* A list before and after; NULL where it is not there. */
struct list_pair {
    const struct job_list *before, *after;
};

struct candidates_settings {
    const char *only;      /* a glob over job names, or NULL for all */
    unsigned worker_count; /* at least 1 */
    double timeout_s;      /* per job; 0: none */
    uint64_t memory_limit; /* bytes a worker; 0: none */
    enum sandbox_mode sandbox;
};

struct candidates {
    struct arena arena;
    /* To be drawn: the lists of both sides, with those jobs that can differ, and those that are framed with them. Lists
     * without any are not there. */
    struct job_list **lists;
    size_t list_count;
    size_t job_count;  /* of both sides that `only` matches */
    size_t same_count; /* sheets that are the same, of those */
};

/* *signal_number is 0, or ended it: then it fails. The lists stay the caller's and outlive *out, which the caller
 * releases. */
int candidates_find(const struct list_pair *pairs, size_t count, const struct candidates_settings *settings,
                    struct candidates *out, int *signal_number, struct error *err);
void candidates_release(struct candidates *candidates);
