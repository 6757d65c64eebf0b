#include "run/views.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Lets the job's cameras look at one sample. `framings` has one entry per camera. */
static void look_at_sample(const struct plan *plan, const struct take *take, size_t sample, struct mesh *mesh,
                           struct framing *framings)
{
    struct pose pose = take_pose(take, sample, plan->job->interpolation);
    model_pose(plan->model, &pose, mesh);
    for (size_t c = 0; c < plan->job->camera_count; c++)
        framing_add(&framings[c], plan->model, mesh);
}

static void start_framings(const struct job *job, struct framing *framings)
{
    for (size_t c = 0; c < job->camera_count; c++)
        framing_init(&framings[c], &job->cameras[c], &job->fit, job->cell_px);
}

/* -- Groups ------------------------------------------------------------------------------------------------ */

static void add_to_group(struct group *group, const struct framing *framing)
{
    for (size_t i = 0; i < group->framing_count; i++)
        if (framing_matches(&group->framings[i], framing)) {
            framing_merge(&group->framings[i], framing);
            return;
        }
    group->framings =
        must_grow(group->framings, group->framing_count, &group->framing_capacity, sizeof *group->framings);
    group->framings[group->framing_count++] = *framing;
}

static int add_job_to_group(struct group *group, struct assets *assets, const struct job *job, struct error *err)
{
    struct plan *plan;
    struct error ignored; /* said when the job itself is done */
    if (plan_open(assets, job, &plan, &ignored) < 0)
        return 0;
    struct mesh mesh;
    if (mesh_init(&mesh, plan->model, err) < 0) {
        plan_free(plan);
        return -1;
    }
    struct framing *framings = must_alloc(job->camera_count, sizeof *framings);
    start_framings(job, framings);
    for (size_t t = 0; t < plan->take_count; t++)
        for (size_t s = 0; s < plan->takes[t].sample_count; s++)
            look_at_sample(plan, &plan->takes[t], s, &mesh, framings);
    for (size_t c = 0; c < job->camera_count; c++)
        add_to_group(group, &framings[c]);
    free(framings);
    mesh_release(&mesh);
    plan_free(plan);
    return 0;
}

static bool is_in_group(const struct job *job, const char *name)
{
    return job->fit.scope == FIT_GROUP && !strcmp(job->fit.group, name);
}

int group_frame(struct group *group, struct assets *assets, const struct job_list *list, const char *name,
                struct error *err)
{
    struct group fresh = {.list = list, .name = name, .scale = INFINITY};
    for (size_t i = 0; i < list->job_count; i++)
        if (is_in_group(&list->jobs[i], name) && add_job_to_group(&fresh, assets, &list->jobs[i], err) < 0) {
            group_release(&fresh);
            return -1;
        }
    for (size_t i = 0; i < fresh.framing_count; i++)
        fresh.scale = fminf(fresh.scale, framing_scale(&fresh.framings[i]));
    *group = fresh;
    return 0;
}

void group_release(struct group *group)
{
    free(group->framings);
    *group = (struct group){0};
}

/* -- Views of a job ---------------------------------------------------------------------------------------- */

/* One row of views, one per camera, at a common scale. */
static void view_row(const struct framing *framings, size_t camera_count, struct view *out)
{
    float scale = INFINITY;
    for (size_t c = 0; c < camera_count; c++)
        scale = fminf(scale, framing_scale(&framings[c]));
    for (size_t c = 0; c < camera_count; c++)
        framing_view(&framings[c], scale, &out[c]);
}

static void view_row_of_group(const struct group *group, const struct framing *framings, size_t camera_count,
                              struct view *out)
{
    for (size_t c = 0; c < camera_count; c++)
        for (size_t i = 0; i < group->framing_count; i++)
            if (framing_matches(&group->framings[i], &framings[c]))
                framing_view(&group->framings[i], group->scale, &out[c]);
}

static void view_samples(struct views *views, const struct plan *plan, const struct group *group, struct mesh *mesh,
                         struct framing *framings)
{
    const struct job *job = plan->job;
    bool per_take = job->fit.scope == FIT_ANIMATION;
    start_framings(job, framings);
    for (size_t t = 0; t < plan->take_count && !group; t++) {
        const struct take *take = &plan->takes[t];
        for (size_t s = 0; s < take->sample_count; s++) {
            if (views->per_sample || (per_take && s == 0))
                start_framings(job, framings);
            look_at_sample(plan, take, s, mesh, framings);
            if (views->per_sample)
                view_row(framings, job->camera_count, &views->items[(views->first_slots[t] + s) * job->camera_count]);
        }
        if (per_take)
            view_row(framings, job->camera_count, &views->items[views->first_slots[t] * job->camera_count]);
    }
    if (group)
        view_row_of_group(group, framings, job->camera_count, views->items);
    else if (job->fit.scope == FIT_JOB)
        view_row(framings, job->camera_count, views->items);
}

/* Gives each take its first row of views; returns the number of rows. */
static size_t assign_slots(struct views *views, const struct plan *plan)
{
    size_t rows = 0;
    for (size_t t = 0; t < plan->take_count; t++) {
        views->first_slots[t] = rows;
        if (views->per_sample)
            rows += plan->takes[t].sample_count;
        else if (plan->job->fit.scope == FIT_ANIMATION)
            rows++;
    }
    return rows ? rows : 1;
}

int views_init(struct views *views, const struct plan *plan, const struct group *group, struct error *err)
{
    const struct job *job = plan->job;
    struct mesh mesh;
    if (mesh_init(&mesh, plan->model, err) < 0)
        return -1;
    struct views fresh = {.camera_count = job->camera_count, .per_sample = job->fit.scope == FIT_FRAME};
    fresh.first_slots = must_alloc(plan->take_count, sizeof *fresh.first_slots);
    fresh.items = must_alloc(assign_slots(&fresh, plan) * job->camera_count, sizeof *fresh.items);
    struct framing *framings = must_alloc(job->camera_count, sizeof *framings);
    view_samples(&fresh, plan, group, &mesh, framings);
    free(framings);
    mesh_release(&mesh);
    *views = fresh;
    return 0;
}

void views_release(struct views *views)
{
    free(views->items);
    free(views->first_slots);
    *views = (struct views){0};
}

const struct view *views_of(const struct views *views, const struct cell *cell)
{
    size_t row = views->first_slots[cell->take] + (views->per_sample ? cell->sample : 0);
    return &views->items[row * views->camera_count + cell->camera];
}
