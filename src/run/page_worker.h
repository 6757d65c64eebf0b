/* The worker's side of a run: callbacks of the pool that make pages in a process of their own, which is confined. */
#pragma once

#include "run/pool.h"
#include "run/settings.h"
#include "run/wanted.h"

/* Whether all pages of a job are made of the same files, although several workers make them: somebody may change
 * a model during the run. The look-ups of the job's first page that is written are kept, as a number, in memory
 * that all workers share. */
struct same_inputs;

/* To be made before the workers are forked. */
struct same_inputs *same_inputs_new(size_t job_count);
void same_inputs_free(struct same_inputs *inputs);

/* -1 when a file of the job has changed since its model was opened, or since its first page was written. */
int same_inputs_check(const struct same_inputs *inputs, size_t job, const struct trace *trace, const char *model,
                      struct error *err);

/* The same for a page that is about to be written. */
int same_inputs_claim(struct same_inputs *inputs, size_t job, const struct trace *trace, const char *model,
                      struct error *err);

/* The `context` of the functions below: each worker has its own copy since the fork. */
struct page_worker {
    const struct batch_settings *settings;
    const struct wanted *wanted;
    struct same_inputs *inputs;
    struct packed_list *packed; /* by list of `wanted` */
    const struct strings *kept; /* of struct batch, as it was when the worker was forked */
    bool packs;                 /* its items are those of packing_run, and what it sends is packed jobs */

    /* Since it started: */
    struct bake *bake;
    struct inspector *inspector; /* of counterparts, with what their records would say */
    struct expected *expected;
    struct worker *worker;
    uint32_t job;     /* of the page that it has */
    uint64_t folders; /* that its sandbox lets it use; see identify_folders */
};

int page_worker_start(void *context, struct worker *worker, struct error *err);
void page_worker_work(void *context, struct worker *worker, uint64_t item);
void page_worker_finish(void *context);
