/* The parts of a plan at one sample, their meshes and where they stand in the world; and the view of every cell.
 *
 * The world is the space of the job's own model (a declaration may move the model in it). Attachments hang on
 * joints or tags of that model or of each other, so where they stand follows from the poses of those that carry
 * them. */
#pragma once

#include "base/buffer.h"
#include "plan/plan.h"

struct posed_part {
    struct mesh mesh;
    struct pose pose;
    mat4 to_world;
    mat4 *joint_to_model; /* posed where the part carries others, or skeletons are drawn */
};

struct scene {
    const struct plan *plan;
    struct posed_part *parts; /* as those of the plan */
};

/* Without normals the scene can only be measured: these are a third of the work of a pose. */
int scene_init(struct scene *scene, const struct plan *plan, bool has_normals, struct error *err);
void scene_release(struct scene *scene);

void scene_pose(struct scene *scene, uint32_t take, uint32_t sample);

/* From a place on a part, as it is posed, to the world. */
void scene_place(const struct scene *scene, const struct place *place, mat4 place_to_world);

/* The box around everything that can be seen, in world space; false where nothing is. */
bool scene_box(const struct scene *scene, vec3 box[2]);

/* -- Views -------------------------------------------------------------------------------------------------
 *
 * As the job's `fit` asks: every sample is posed once, and each camera looks at it. Jobs of one group share their
 * framing: what all of them show is gathered first (group_frame), the same in every worker, whatever page it works on. */

/* What rules and records ask of how a job moves (job/rules.h): of all its samples. Plain data. */
struct movement {
    float lowest, highest; /* world z; infinite where nothing is seen */
    float jump; /* of the worst loop, from last sample to first, in largest steps between others; 0: none */
    uint32_t low_take, low_sample, jump_take;
    vec3 box[2]; /* around the job's own model in its first sample, in its own space */
};

/* What the jobs of a group show, one framing for each way to look at cells of one size. */
struct group {
    const struct job_list *list;
    const char *name; /* borrowed from the list, as the cameras and jobs are */
    struct framing *framings;
    size_t framing_count, framing_capacity;
    float scale; /* pixels per unit, the smallest over all framings */
    struct group_job *jobs;
    size_t job_count, job_capacity;
    struct trace trace;          /* what it was framed from */
    struct color_counts *colors; /* for palettes that jobs share (plan/planner); NULL: not counted */
    struct trace color_trace;    /* what they were counted from */
};

/* Jobs share their scale, but each stands on a ground of its own. */
struct group_job {
    const struct job *job;
    float size; /* units that its first camera's cell would show of it alone; 0: any */
    struct movement movement;
};

/* Adds to `out` the measure of a job, bytes that another process reads: what its cameras saw, and its look-ups. Fails
 * where these may be wrong: what it has added is then not to be used. No plan may have any of the `models`. */
int group_measure(struct model_cache *models, struct assets *assets, const struct job *job, struct buffer *out,
                  struct error *err);
/* Adds the measure of a job that cannot be opened. */
void group_measure_nothing(struct buffer *out);

/* Takes the measures of jobs of the list (or NULL), and measures every other job that names the group. A job that cannot be
 * opened is left out: it fails by itself. Where that is not for what is in its files, the trace has trouble. */
int group_frame(struct group *group, struct model_cache *models, struct assets *assets,
                const struct job_list *list, const char *name, const struct buffer *measures, struct error *err);

/* A group without a name, of a job as it was and as it is, from the measures of both (NULL: there is none): one scale, at
 * which a cell holds either, though they give a larger one themselves. Fails where that is not known. */
int group_frame_pair(struct group *group, const struct job *const jobs[2], const struct buffer *const measures[2],
                     struct error *err);
void group_release(struct group *group);

struct views {
    struct view *items; /* rows of one view per camera */
    float *lowest;      /* by row: the world z of the lowest point in its scope, of this job alone */
    size_t row_count, camera_count;
    size_t *first_rows; /* by take */
    bool per_sample;    /* a row for each sample of a take, not one for all */
    vec2 origin;        /* of the fit, as it is given or found; and the best, */
    vec2 best_origin;
    float gain; /* with which all is so many times as large; 1 also at a given scale, or in a group where another
                   job is why it is not */
    struct movement movement;
};

/* `group` is that of the plan's job, which is then framed as a whole, or NULL: as its fit says. Adds warnings to the plan of
 * how its cells come out. */
int views_init(struct views *views, struct plan *plan, const struct group *group, struct error *err);
void views_release(struct views *views);

/* A number for the places and scales of all cells, and for the range of depths where it is drawn: cells of jobs that
 * have the same can be laid over one another. Never 0. */
uint32_t views_hash(const struct views *views, const struct job *job);

const struct view *views_of(const struct views *views, const struct cell *cell);

/* The lowest world z of what the cell's job shows in the scope of its framing: where the ground is. */
float views_lowest(const struct views *views, const struct cell *cell);
