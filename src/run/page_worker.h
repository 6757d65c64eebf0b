/* The worker's part of a run: callbacks of the pool that make pages in a process of their own, which is confined. */
#pragma once

#include "run/pool.h"
#include "run/settings.h"
#include "run/wanted.h"

/* The `context` of the functions below: each worker has its own copy since the fork. */
struct page_worker {
    const struct batch_settings *settings;
    const struct wanted *wanted;
    struct measures *measures;  /* by list of `wanted` */
    const struct strings *kept; /* of struct batch, as it was when the worker was forked */
    bool is_measuring;          /* its items are those of measure_run, and its results measures */

    /* Since it started: */
    struct planner *planner;
    struct bake *bake;           /* NULL where nothing is drawn */
    struct inspector *inspector; /* of the other version's assets, if the run plans */
    struct worker *worker;
    uint64_t folders; /* that its sandbox lets it use; see identify_folders */
};

int page_worker_start(void *context, struct worker *worker, struct error *err);
void page_worker_work(void *context, struct worker *worker, uint64_t item);
void page_worker_help(void *context, struct worker *worker, uint64_t item, const struct shared_memory *memory);
void page_worker_finish(void *context);
