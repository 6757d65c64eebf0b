#include "bake/studio.h"

#include <cglm/mat4.h>
#include <cglm/vec2.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { KEPT_CELL_BYTES = 16 << 20 };

struct studio {
    struct renderer *renderer;
    const struct plan *plan;
    const struct views *views;
    struct scene scene;
    bool is_posed; /* the scene shows this sample: */
    uint32_t take, sample;
    struct shot_part *parts; /* all but their drawables as in the latest cell */
    vec3 (*lines)[2];
    size_t line_count;
    struct drawn_cell { /* without a palette */
        const struct cell *cell;
        uint8_t *pixels; /* of whole rows */
        float lightness;
    } * kept;
    size_t kept_count, kept_capacity;
    float lightness; /* of the cell that was drawn last in PASS_MAIN */
};

/* -- Opening ----------------------------------------------------------------------------------------------- */

int studio_open(struct studio **out, struct renderer *renderer, const struct plan *plan, const struct views *views,
                struct error *err)
{
    enum { BOX_EDGES = 12 };
    struct studio *studio = must_alloc(1, sizeof *studio);
    size_t bones = plan->parts[0].model->tags.tag_count;
    for (size_t i = 0; i < plan->part_count; i++)
        bones += plan->parts[i].model->joint_count;
    studio->renderer = renderer;
    studio->plan = plan;
    studio->views = views;
    studio->parts = must_alloc(plan->part_count, sizeof *studio->parts);
    studio->lines = must_alloc(bones + BOX_EDGES, sizeof *studio->lines);
    int result = scene_init(&studio->scene, plan, true, err);
    for (size_t i = 0; i < plan->part_count && result == 0; i++) {
        const struct part *part = &plan->parts[i];
        result = drawable_new(renderer, part->model, &studio->parts[i].drawable, err);
        if (result == 0)
            result =
                drawable_find_shells(studio->parts[i].drawable, part->outfits[0].looks, part->outfit_count, err);
    }
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
    for (size_t i = 0; i < studio->plan->part_count; i++)
        drawable_free(studio->parts[i].drawable);
    scene_release(&studio->scene);
    for (size_t i = 0; i < studio->kept_count; i++)
        free(studio->kept[i].pixels);
    free(studio->kept);
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

/* A bone from each joint to its parent; roots and tags, which have none, are lines without length. */
static void add_skeletons(struct studio *studio)
{
    const struct plan *plan = studio->plan;
    vec3 joint, parent;
    for (size_t p = 0; p < plan->part_count; p++) {
        const struct model *model = plan->parts[p].model;
        struct posed_part *posed = &studio->scene.parts[p];
        for (uint32_t i = 0; i < model->joint_count; i++) {
            const int32_t up = model->joints[i].parent;
            glm_mat4_mulv3(posed->to_world, posed->joint_to_model[i][3], 1, joint);
            glm_mat4_mulv3(posed->to_world, posed->joint_to_model[up < 0 ? (int32_t)i : up][3], 1, parent);
            add_line(studio, parent, joint);
        }
    }
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
        drawable_set_pose(studio->parts[i].drawable, &studio->scene.parts[i].mesh);
    studio->is_posed = true;
    studio->take = cell->take;
    studio->sample = cell->sample;
}

const struct scene *studio_scene(const struct studio *studio)
{
    return &studio->scene;
}

/* Ids of the mask go on from part to part. */
static void fill_parts(struct studio *studio, const struct cell *cell)
{
    uint32_t mask_id = 1;
    for (size_t i = 0; i < studio->plan->part_count; i++) {
        const struct part *part = &studio->plan->parts[i];
        struct shot_part *shown = &studio->parts[i];
        shown->looks = part->outfits[cell->skin < part->outfit_count ? cell->skin : 0].looks;
        shown->first_mask_id = mask_id;
        glm_mat4_copy(studio->scene.parts[i].to_world, shown->model_to_world);
        mask_id += part->model->surface_count;
    }
}

/* The left side of the world is its right one, and so is that of the picture: the camera turns around. */
static void mirror(struct view *view, struct light_rig *light)
{
    for (int i = 0; i < 4; i++) {
        view->world_to_view[1][i] *= -1;
        view->world_to_view[i][0] *= -1;
    }
    light->key.direction[0] *= -1;
    light->fill.direction[0] *= -1;
    light->rim.direction[0] *= -1;
}

/* What the shader compares with (is_in_range): without a range everything is in it. */
static void find_team_range(const struct color_range *range, float out[4])
{
    float r = range->color[0], g = range->color[1], b = range->color[2];
    vec2 hue = {r - 0.5f * (g + b), 0.8660254f * (g - b)};
    glm_vec2_normalize(hue);
    glm_vec2_copy(hue, out);
    out[2] = range->hue_deg > 0 ? (float)cos((double)range->hue_deg * M_PI / 180) : -2;
    out[3] = range->saturation;
}

/* Whether the cell was kept: then it is copied. */
static bool copy_kept(struct studio *studio, const struct cell *cell, uint8_t *pixels, size_t stride)
{
    const uint32_t *cell_px = studio->plan->job->cell_px;
    const size_t row = (size_t)4 * cell_px[0];
    size_t i = 0;
    while (i < studio->kept_count && studio->kept[i].cell != cell)
        i++;
    if (i == studio->kept_count)
        return false;
    for (uint32_t y = 0; y < cell_px[1]; y++)
        memcpy(pixels + y * stride, studio->kept[i].pixels + y * row, row);
    studio->lightness = studio->kept[i].lightness;
    return true;
}

/* Draws a pass of the cell, posed, and reads it. */
static int draw_pass(struct studio *studio, const struct cell *cell, enum pass pass, uint32_t apart,
                     bool is_mirrored, void *pixels, size_t stride, struct error *err)
{
    static const struct light_rig dark, even = {.ambient = {1, 1, 1}};
    const struct job *job = studio->plan->job;
    const unsigned traits = pass_rows[pass].traits;
    struct view view = *views_of(studio->views, cell);
    struct light_rig light = job->light;
    if (is_mirrored)
        mirror(&view, &light);
    if (renderer_set_target(studio->renderer, job->cell_px, job->supersample, err) < 0)
        return -1;
    studio_pose(studio, cell);
    fill_parts(studio, cell);
    studio->line_count = 0;
    if (traits & SHOWS_SKELETON)
        add_skeletons(studio);
    if (traits & SHOWS_BOX)
        add_box(studio);
    struct shot shot = {
        .apart = apart,
        .parts = studio->parts,
        .part_count = studio->plan->part_count,
        .light = traits & ONLY_EMISSION ? &dark
                 : traits & ONLY_ALBEDO ? &even
                                        : &light,
        .ground = &job->ground,
        .ground_height = job->ground.has_height ? job->ground.height : views_lowest(studio->views, cell),
        .outline = &job->outline,
        .background = &job->background,
        .pixel = traits & ONLY_ALBEDO ? NULL : &job->pixel, /* which has light in steps */
        .view = &view,
        .lines = (const vec3(*)[2])studio->lines,
        .line_count = studio->line_count,
    };
    find_team_range(&job->teamcolor.range, shot.team_range);
    renderer_draw(studio->renderer, &shot, pass);
    if (renderer_read(studio->renderer, pixels, stride, err) < 0)
        return -1;
    if (pass == PASS_MAIN)
        studio->lightness = renderer_lightness(studio->renderer);
    return 0;
}

int studio_draw(struct studio *studio, const struct cell *cell, enum pass pass, uint32_t apart, bool is_mirrored,
                void *pixels, size_t stride, struct error *err)
{
    const struct job *job = studio->plan->job;
    const bool may_be_kept = pass == PASS_MAIN && apart == job->passes && !is_mirrored;
    if (!(may_be_kept && copy_kept(studio, cell, pixels, stride)) &&
        draw_pass(studio, cell, pass, apart, is_mirrored, pixels, stride, err) < 0)
        return -1;
    if (pass == PASS_MAIN && job->pixel.is_wanted)
        palette_apply(&studio->plan->palette, job->pixel.dither, pixels, stride, job->cell_px[0], job->cell_px[1]);
    return 0;
}

int studio_count_colors(struct studio *studio, size_t most, struct color_counts *counts, struct error *err)
{
    const struct plan *plan = studio->plan;
    const struct job *job = plan->job;
    const size_t every = 1 + plan->sheet_count * plan->sheets[0].layout.cell_count / most;
    const size_t stride = (size_t)4 * job->cell_px[0];
    const size_t most_kept = KEPT_CELL_BYTES / (stride * job->cell_px[1]);
    uint8_t *pixels = NULL;
    int result = 0;
    for (size_t i = 0, number = 0; i < plan->sheet_count; i++)
        for (size_t c = 0; c < plan->sheets[i].layout.cell_count && result == 0; c++)
            if (number++ % every == 0) {
                const struct cell *cell = &plan->sheets[i].cells[c];
                pixels = pixels ? pixels : memory_alloc(job->cell_px[1], stride, err);
                result =
                    pixels ? studio_draw(studio, cell, PASS_MAIN, job->passes, false, pixels, stride, err) : -1;
                if (result == 0)
                    color_counts_add(counts, pixels, job->cell_px[1] * stride / 4);
                if (result == 0 && studio->kept_count < most_kept) {
                    *MUST_ADD(studio->kept, studio->kept_count, studio->kept_capacity) =
                        (struct drawn_cell){cell, pixels, studio->lightness};
                    pixels = NULL;
                }
            }
    free(pixels);
    return result;
}

float studio_lightness(const struct studio *studio)
{
    return studio->lightness;
}
