/* The view of every cell of a plan, as its `fit` asks.
 *
 * Poses every sample once, and lets each camera look at it. Jobs of one group share their framing: what all of
 * them show is gathered first (group_frame), the same in every worker, whatever page it works on. */
#pragma once

#include "bake/plan.h"

/* What the jobs of a group show, one framing for each way to look at cells of one size. */
struct group {
    const struct job_list *list;
    const char *name; /* borrowed from the list, as the cameras and jobs are */
    struct framing *framings;
    size_t framing_count, framing_capacity;
    float scale; /* pixels per unit, the smallest over all framings */
    struct group_job *jobs;
    size_t job_count, job_capacity;
    struct trace trace; /* what it was framed from */
};

/* Jobs share their scale, but each stands on a ground of its own. */
struct group_job {
    const struct job *job;
    float lowest; /* world z in any of its samples */
};

/* Opens every job of the list that names the group and looks at all its samples. A job that cannot be opened is
 * left out: it fails by itself. Where that is not for what is in its files, the trace has trouble. */
int group_frame(struct group *group, struct assets *assets, const struct job_list *list, const char *name,
                struct error *err);
void group_release(struct group *group);

struct views {
    struct view *items; /* rows of one view per camera */
    float *lowest;      /* by row: the world z of the lowest point in its scope, of this job alone */
    size_t row_count, camera_count;
    size_t *first_rows; /* by take */
    bool per_sample;    /* a row for each sample of a take, not one for all */
};

/* `group` is that of the plan's job, or NULL when its fit has another scope. */
int views_init(struct views *views, const struct plan *plan, const struct group *group, struct error *err);
void views_release(struct views *views);

const struct view *views_of(const struct views *views, const struct cell *cell);

/* The lowest world z of what the cell's job shows in the scope of its framing: where the ground is. */
float views_lowest(const struct views *views, const struct cell *cell);
