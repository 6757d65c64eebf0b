#include "bake/studio.h"

#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "bake/looks.h"
#include "bake/scene.h"

struct studio {
    struct renderer *renderer;
    const struct plan *plan;
    const struct views *views;
    struct scene scene;
    bool is_posed; /* the scene shows this sample: */
    uint32_t take, sample;
    struct drawable **drawables; /* by part */
    struct looks **looks;        /* by part, then by outfit */
    struct shot_part *parts;
    vec3 (*lines)[2];
    size_t line_count;
};

/* -- Opening ----------------------------------------------------------------------------------------------- */

static int open_part(struct studio *studio, struct textures *textures, size_t i, struct error *err)
{
    const struct part *part = &studio->plan->parts[i];
    studio->looks[i] = must_alloc(part->outfit_count, sizeof *studio->looks[i]);
    for (size_t o = 0; o < part->outfit_count; o++)
        if (looks_load(&studio->looks[i][o], textures, part->model, part->outfits[o].materials, err) < 0)
            return -1;
    return drawable_new(studio->renderer, part->model, &studio->drawables[i], err);
}

/* The most lines of one cell: a bone for each joint, or the edges of a box. */
static size_t most_lines(const struct plan *plan)
{
    enum { BOX_EDGES = 12 };
    size_t joints = plan->parts[0].model->tags.tag_count;
    for (size_t i = 0; i < plan->part_count; i++)
        joints += plan->parts[i].model->joint_count;
    return joints > BOX_EDGES ? joints : BOX_EDGES;
}

int studio_open(struct studio **out, struct renderer *renderer, struct textures *textures, const struct plan *plan,
                const struct views *views, struct error *err)
{
    struct studio *studio = must_alloc(1, sizeof *studio);
    studio->renderer = renderer;
    studio->plan = plan;
    studio->views = views;
    studio->drawables = must_alloc(plan->part_count, sizeof *studio->drawables);
    studio->looks = must_alloc(plan->part_count, sizeof *studio->looks);
    studio->parts = must_alloc(plan->part_count, sizeof *studio->parts);
    studio->lines = must_alloc(most_lines(plan), sizeof *studio->lines);
    int result = scene_init(&studio->scene, plan, err);
    for (size_t i = 0; i < plan->part_count && result == 0; i++)
        result = open_part(studio, textures, i, err);
    if (result < 0)
        studio_close(studio);
    else
        *out = studio;
    return result;
}

void studio_close(struct studio *studio)
{
    if (!studio)
        return;
    for (size_t i = 0; i < studio->plan->part_count; i++) {
        drawable_free(studio->drawables[i]);
        for (size_t o = 0; studio->looks[i] && o < studio->plan->parts[i].outfit_count; o++)
            looks_release(&studio->looks[i][o]);
        free(studio->looks[i]);
    }
    scene_release(&studio->scene);
    free(studio->drawables);
    free(studio->looks);
    free(studio->parts);
    free(studio->lines);
    free(studio);
}

/* -- Lines ------------------------------------------------------------------------------------------------- */

static void add_line(struct studio *studio, const vec3 from, const vec3 to)
{
    glm_vec3_copy((float *)from, studio->lines[studio->line_count][0]);
    glm_vec3_copy((float *)to, studio->lines[studio->line_count][1]);
    studio->line_count++;
}

static void add_joints(struct studio *studio, size_t part)
{
    const struct model *model = studio->plan->parts[part].model;
    vec3 joint, parent;
    for (uint32_t i = 0; i < model->joint_count; i++) {
        int32_t up = model->joints[i].parent;
        scene_joint(&studio->scene, part, i, joint);
        scene_joint(&studio->scene, part, up < 0 ? i : (uint32_t)up, parent);
        add_line(studio, parent, joint);
    }
}

/* A bone from each joint to its parent; roots and tags, which have none, are lines without length. */
static void add_skeletons(struct studio *studio)
{
    const struct plan *plan = studio->plan;
    for (size_t i = 0; i < plan->part_count; i++)
        add_joints(studio, i);
    for (uint32_t i = 0; i < plan->parts[0].model->tags.tag_count; i++) {
        mat4 place;
        scene_place(&studio->scene, &(struct place){.kind = PLACE_TAG, .index = i}, place);
        add_line(studio, place[3], place[3]);
    }
}

static void add_box(struct studio *studio)
{
    vec3 box[2];
    if (!scene_box(&studio->scene, box))
        return;
    for (int axis = 0; axis < 3; axis++)
        for (int corner = 0; corner < 4; corner++) {
            int next = (axis + 1) % 3, last = (axis + 2) % 3;
            vec3 from, to;
            from[axis] = box[0][axis], to[axis] = box[1][axis];
            from[next] = to[next] = box[corner & 1][next];
            from[last] = to[last] = box[corner >> 1][last];
            add_line(studio, from, to);
        }
}

/* -- Drawing ----------------------------------------------------------------------------------------------- */

void studio_pose(struct studio *studio, const struct cell *cell)
{
    if (studio->is_posed && studio->take == cell->take && studio->sample == cell->sample)
        return;
    scene_pose(&studio->scene, cell->take, cell->sample);
    for (size_t i = 0; i < studio->plan->part_count; i++)
        drawable_set_pose(studio->drawables[i], &studio->scene.meshes[i]);
    studio->is_posed = true;
    studio->take = cell->take;
    studio->sample = cell->sample;
}

/* Ids of the mask go on from part to part. */
static void fill_parts(struct studio *studio, const struct cell *cell)
{
    uint32_t mask_id = 1;
    for (size_t i = 0; i < studio->plan->part_count; i++) {
        const struct part *part = &studio->plan->parts[i];
        struct shot_part *shown = &studio->parts[i];
        shown->drawable = studio->drawables[i];
        shown->looks = studio->looks[i][cell->skin < part->outfit_count ? cell->skin : 0].items;
        shown->first_mask_id = mask_id;
        glm_mat4_copy(studio->scene.part_to_world[i], shown->model_to_world);
        mask_id += part->model->surface_count;
    }
}

static void fill_lines(struct studio *studio, enum pass pass)
{
    studio->line_count = 0;
    if (pass_rows[pass].lines == LINES_SKELETON)
        add_skeletons(studio);
    else if (pass_rows[pass].lines == LINES_BOX)
        add_box(studio);
}

int studio_draw(struct studio *studio, const struct cell *cell, enum pass pass, void *pixels, size_t stride,
                struct error *err)
{
    const struct job *job = studio->plan->job;
    const struct view *view = views_of(studio->views, cell);
    studio_pose(studio, cell);
    fill_parts(studio, cell);
    fill_lines(studio, pass);
    const struct shot shot = {
        .parts = studio->parts,
        .part_count = studio->plan->part_count,
        .light = &job->light,
        .ground = &job->ground,
        .ground_height = job->ground.has_height ? job->ground.height : views_lowest(studio->views, cell),
        .outline = &job->outline,
        .background = &job->background,
        .view = view,
        .lines = (const vec3(*)[2])studio->lines,
        .line_count = studio->line_count,
    };
    renderer_draw(studio->renderer, &shot, pass);
    return renderer_read(studio->renderer, pixels, stride, err);
}
