/* The worker's side of a run: callbacks of the pool that make pages in a process of their own, which is confined.
 */
#ifndef RUN_PAGE_WORKER_H
#define RUN_PAGE_WORKER_H

#include "bake/same_inputs.h"
#include "os/sandbox.h"
#include "run/pool.h"
#include "run/wanted.h"

/* The `context` of the functions below: each worker has its own copy since the fork. */
struct page_worker {
    const struct wanted *wanted;
    struct same_inputs *inputs;
    uint64_t memory_limit;
    enum backend_choice backend;
    enum sandbox_mode sandbox;
    bool durable;
    bool sends_details, sends_inputs; /* see report_wants_details, report_wants_inputs */

    /* Since it started: */
    struct bake *bake;
    struct worker *worker;
    uint32_t job;     /* of the page that it has */
    uint64_t folders; /* that its sandbox lets it use; see identify_folders */
};

int page_worker_start(void *context, struct worker *worker, struct error *err);
void page_worker_work(void *context, struct worker *worker, uint64_t item);
void page_worker_finish(void *context, struct worker *worker);

#endif
