/* Decides which pages of its lists a run makes, and why. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/planner.h"
#include "render/identity.h"
#include "run/inspect.h"
#include "run/schedule.h"
#include "run/settings.h"

struct wanted {
    const struct batch_settings *settings;
    bool is_preview;       /* it writes nothing */
    struct bake_job *jobs; /* in the order of the lists */
    size_t job_count;
    const struct job_list **lists; /* those that have any of the jobs, in the same order */
    size_t list_count;

    /* Since wanted_judge: */
    struct identity identity;   /* what draws; unknown where nobody asks: `in_process`, or nothing ships */
    struct selection selection; /* without what is up to date, another shard's, or lacks something */
    uint32_t *page_counts;      /* of the selection */
    struct verdict *verdicts;   /* by job */
    uint32_t *missing;          /* jobs that lack something; they are not selected */
    size_t missing_count;
    size_t *turns; /* since supervisor_new: by job, its place among those that are opened, or 0 */
};

/* The jobs of a run, or those of its lists that its `only` takes. */
void wanted_init(struct wanted *wanted, const struct batch_settings *settings);
void wanted_release(struct wanted *wanted);

/* Decides which pages to make, and why. A signal stops it, and later the pool; the rest stays unknown. A shard reports each
 * job with something missing of which it may have a page. */
void wanted_judge(struct wanted *wanted);

/* Judges an atlas again, after its jobs: whether they still give the bytes that it was made of. */
bool wanted_judge_atlas(struct wanted *wanted, uint32_t job);

/* Returns why a page is made; without a known number of pages all of a job have one verdict. */
const struct page_verdict *wanted_verdict(const struct wanted *wanted, uint32_t job, uint32_t page);
bool wanted_is_up_to_date(const struct wanted *wanted, uint32_t job, uint32_t page);

/* Adds the records of a page that is up to date: paths without suffix, with the list's output folder. */
void wanted_keep(const struct wanted *wanted, uint32_t job, uint32_t page, struct strings *kept);

/* Whether the job is an atlas that this run makes, after all other jobs. */
bool wanted_is_atlas(const struct wanted *wanted, uint32_t job);

/* Whether the page is this shard's. */
bool wanted_is_ours(const struct wanted *wanted, uint32_t job, uint32_t page);
