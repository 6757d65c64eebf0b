#include "bake/studio.h"

#include <cglm/mat4.h>
#include <cglm/vec2.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/image_program.h"

/* -- Textures ---------------------------------------------------------------------------------------------- */

/* Half a dozen 1024x1024 pictures with their mip levels. Models that share textures follow each other, so more
 * would not be used again: all of UFO:AI takes the same time with 16 MiB as with 96. While a large picture is
 * loaded it takes as much again as it keeps, and the worker is to stay well under 300 MB. */
enum { BUDGET_BYTES = 32 * 1024 * 1024 };

/* A small one costs the driver more than its texels say, so they are counted, too. The models with the most parts
 * name some dozens. */
enum { MOST_KEPT = 256 };

/* What one job may have at a time: 48 pictures of 2048x2048 with their mip levels. */
#define JOB_MOST_BYTES ((size_t)1 << 30)

struct kept_texture {
    char *program;
    enum mipmap_kind kind;
    float alpha_test;
    struct trace trace; /* of its making */
    struct texture texture;
    size_t texel_bytes;
    uint32_t size_px[2];
    uint64_t last_used;
};

struct textures {
    struct renderer *renderer;
    struct assets *assets;
    struct kept_texture *entries;
    size_t count, capacity;
    size_t texel_bytes;
    uint64_t clock;
    uint64_t job_start; /* entries used later are of the job under way, */
    size_t job_bytes;   /* and have so many bytes */
};

struct textures *textures_new(struct renderer *renderer, struct assets *assets)
{
    struct textures *textures = must_alloc(1, sizeof *textures);
    textures->renderer = renderer;
    textures->assets = assets;
    return textures;
}

static void drop(struct textures *textures, size_t i)
{
    struct kept_texture *entry = &textures->entries[i];
    if (textures->renderer)
        renderer_drop_texture(textures->renderer, &entry->texture);
    textures->texel_bytes -= entry->texel_bytes;
    free(entry->program);
    trace_release(&entry->trace);
    *entry = textures->entries[--textures->count];
}

void textures_free(struct textures *textures)
{
    if (!textures)
        return;
    while (textures->count)
        drop(textures, textures->count - 1);
    free(textures->entries);
    free(textures);
}

static struct kept_texture *add(struct textures *textures, const char *program, enum mipmap_kind kind,
                                float alpha_test, struct error *err)
{
    struct kept_texture fresh = {.program = must_strdup(program), .kind = kind, .alpha_test = alpha_test};
    struct image image;
    struct trace *trace = assets_trace(textures->assets, &fresh.trace);
    int result = image_program_load(textures->assets, program, &image, err);
    assets_trace(textures->assets, trace);
    if (result == 0) {
        image.alpha_test = alpha_test;
        if (textures->renderer && renderer_add_texture(textures->renderer, &image, kind, &fresh.texture, err) < 0)
            result = error_add(err, "%s", program);
        fresh.size_px[0] = image.width;
        fresh.size_px[1] = image.height;
        fresh.texel_bytes = (size_t)image.width * image.height * 4 * 4 / 3; /* with its mip levels */
        image_release(&image);
    }
    if (result < 0) {
        free(fresh.program);
        trace_release(&fresh.trace);
        return NULL;
    }
    textures->entries =
        must_grow(textures->entries, textures->count, &textures->capacity, sizeof *textures->entries);
    struct kept_texture *entry = &textures->entries[textures->count++];
    *entry = fresh;
    textures->texel_bytes += entry->texel_bytes;
    return entry;
}

int textures_get(struct textures *textures, const char *program, enum mipmap_kind kind, float alpha_test,
                 struct texture *out, struct error *err)
{
    struct kept_texture *entry = NULL;
    for (size_t i = 0; i < textures->count && !entry; i++)
        if (textures->entries[i].kind == kind && textures->entries[i].alpha_test == alpha_test &&
            !strcmp(textures->entries[i].program, program))
            entry = &textures->entries[i];
    if (!entry && !(entry = add(textures, program, kind, alpha_test, err)))
        return -1;
    /* Counted per job, not by what the cache holds: whether a job fails must not depend on the jobs before it. */
    if (entry->last_used <= textures->job_start) {
        textures->job_bytes += entry->texel_bytes;
        if (textures->job_bytes > JOB_MOST_BYTES)
            return error_set(err,
                             "%.300s: with this picture those of the job take %zu MiB, at most %zu are allowed",
                             program, textures->job_bytes >> 20, JOB_MOST_BYTES >> 20);
    }
    entry->last_used = ++textures->clock;
    *out = entry->texture;
    trace_add(assets_present_trace(textures->assets), &entry->trace);
    return 0;
}

void textures_trim(struct textures *textures)
{
    while (textures->texel_bytes > BUDGET_BYTES || textures->count > MOST_KEPT) {
        size_t oldest = 0;
        for (size_t i = 1; i < textures->count; i++)
            if (textures->entries[i].last_used < textures->entries[oldest].last_used)
                oldest = i;
        drop(textures, oldest);
    }
    textures->job_start = textures->clock;
    textures->job_bytes = 0;
}

/* -- Looks: materials with all pictures loaded -------------------------------------------------------------- */

struct studio {
    struct renderer *renderer;
    const struct textures *textures;
    const struct plan *plan;
    const struct views *views;
    struct scene scene;
    bool is_posed; /* the scene shows this sample: */
    uint32_t take, sample;
    struct look **looks;     /* by part: outfit after outfit, each with one look a surface */
    struct shot_part *parts; /* all but their drawables as in the latest cell */
    vec3 (*lines)[2];
    size_t line_count;
};

/* Leaves *out alone where there is no program. `alpha_test`: 0 or below where alpha makes no holes. */
static int load_texture(struct textures *textures, const struct material_picture *picture, enum mipmap_kind kind,
                        float alpha_test, struct texture *out, struct error *err)
{
    if (!picture->program)
        return 0;
    if (textures_get(textures, picture->program, kind, fmaxf(alpha_test, 0), out, err) < 0)
        return -1;
    out->placement = picture->placement;
    return 0;
}

static int load_layers(struct textures *textures, const struct material *material, struct look *look,
                       struct error *err)
{
    struct look_layer *layers = must_alloc(material->stage_count, sizeof *layers);
    look->layers = layers;
    look->layer_count = material->stage_count;
    for (size_t i = 0; i < material->stage_count; i++) {
        const struct material_stage *stage = &material->stages[i];
        layers[i] = (struct look_layer){
            .source = stage->source,
            .destination = stage->destination,
            .alpha_test = stage->alpha_test,
            .is_lit = stage->is_lit,
            .masked = stage->masked,
        };
        memcpy(layers[i].color, stage->color, sizeof layers[i].color);
        bool blends = stage->source != BLEND_ONE || stage->destination != BLEND_ZERO;
        if (load_texture(textures, &stage->image, MIPMAP_COLOR, blends ? 0 : stage->alpha_test, &layers[i].image,
                         err) < 0 ||
            load_texture(textures, &stage->mask, MIPMAP_COLOR, 0, &layers[i].mask, err) < 0)
            return -1;
    }
    return 0;
}

static int load_look(struct textures *textures, const struct material *material, bool has_colors,
                     struct look *look, struct error *err)
{
    const struct model_material *own = material->own;
    const enum mipmap_kind kinds[PICTURE_COUNT] = {
        [PICTURE_DIFFUSE] = own && own->alpha_mode == ALPHA_OPAQUE ? MIPMAP_OPAQUE : MIPMAP_COLOR,
        [PICTURE_NORMAL] = MIPMAP_DATA,
        [PICTURE_SPECULAR] = own ? MIPMAP_OPAQUE : MIPMAP_COLOR,
        [PICTURE_METALLIC_ROUGHNESS] = own && own->is_specular_glossiness ? MIPMAP_OPAQUE : MIPMAP_DATA,
        [PICTURE_OCCLUSION] = MIPMAP_DATA,
        [PICTURE_EMISSIVE] = MIPMAP_OPAQUE,
        [PICTURE_SPECULAR_STRENGTH] = MIPMAP_DATA,
        [PICTURE_SHADE] = MIPMAP_OPAQUE,
    };
    const struct texture *diffuse = &look->pictures[PICTURE_DIFFUSE];
    float holes = material->masks_alone ? MATERIAL_SKIN_ALPHA_TEST : material->alpha_test;
    if (own) /* of the picture's alpha times this one */
        holes = own->base_color_factor[3] > 0 ? holes / own->base_color_factor[3] : 0;

    look->own = own;
    look->is_team = material->is_team;
    look->two_sided = material->two_sided;
    look->unsmoothed_tangents = material->unsmoothed_tangents;
    look->back_sided = material->back_sided;
    look->layers_only = material->stages_only;
    look->adds_light = material->adds_light;
    for (int i = 0; i < PICTURE_COUNT; i++)
        if (load_texture(textures, &material->pictures[i], kinds[i], i == PICTURE_DIFFUSE ? holes : 0,
                         &look->pictures[i], err) < 0)
            return -1;
    /* Alpha of the model file means nothing where nothing of it is below 1. */
    bool has_alpha = own ? diffuse->has_alpha || own->base_color_factor[3] < 1 || has_colors : diffuse->id;
    look->alpha_test = has_alpha ? material->alpha_test : -1;
    look->blends = has_alpha && own && own->alpha_mode == ALPHA_BLEND;
    if (material->masks_alone && diffuse->alpha_is_mask)
        look->alpha_test = MATERIAL_SKIN_ALPHA_TEST;
    return load_layers(textures, material, look, err);
}

/* -- Opening ----------------------------------------------------------------------------------------------- */

/* Surfaces without triangles stay plain. */
static int open_part(struct studio *studio, struct textures *textures, size_t i, struct error *err)
{
    const struct part *part = &studio->plan->parts[i];
    const struct model *model = part->model;
    struct look *look = studio->looks[i] = must_alloc(part->outfit_count * model->surface_count, sizeof *look);
    for (size_t o = 0; o < part->outfit_count; o++)
        for (uint32_t s = 0; s < model->surface_count; s++, look++) {
            look->alpha_test = -1;
            if (model->surfaces[s].index_count > 0 &&
                load_look(textures, &part->outfits[o].materials[s], model->colors, look, err) < 0)
                return -1;
        }
    if (!studio->renderer) /* to be looked at alone */
        return 0;
    if (drawable_new(studio->renderer, model, &studio->parts[i].drawable, err) < 0)
        return -1;
    return drawable_find_shells(studio->parts[i].drawable, studio->looks[i], part->outfit_count, err);
}

int studio_open(struct studio **out, struct renderer *renderer, struct textures *textures, const struct plan *plan,
                const struct views *views, struct error *err)
{
    enum { BOX_EDGES = 12 };
    struct studio *studio = must_alloc(1, sizeof *studio);
    size_t bones = plan->parts[0].model->tags.tag_count;
    for (size_t i = 0; i < plan->part_count; i++)
        bones += plan->parts[i].model->joint_count;
    studio->renderer = renderer;
    studio->textures = textures;
    studio->plan = plan;
    studio->views = views;
    studio->looks = must_alloc(plan->part_count, sizeof *studio->looks);
    studio->parts = must_alloc(plan->part_count, sizeof *studio->parts);
    studio->lines = must_alloc(bones + BOX_EDGES, sizeof *studio->lines);
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
        const struct part *part = &studio->plan->parts[i];
        drawable_free(studio->parts[i].drawable);
        for (size_t l = 0; studio->looks[i] && l < part->outfit_count * part->model->surface_count; l++)
            free((void *)studio->looks[i][l].layers);
        free(studio->looks[i]);
    }
    scene_release(&studio->scene);
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

/* A bone from each joint to its parent; roots and tags, which have none, are lines without length. */
static void add_skeletons(struct studio *studio)
{
    const struct plan *plan = studio->plan;
    vec3 joint, parent;
    for (size_t p = 0; p < plan->part_count; p++) {
        const struct model *model = plan->parts[p].model;
        for (uint32_t i = 0; i < model->joint_count; i++) {
            int32_t up = model->joints[i].parent;
            scene_joint(&studio->scene, p, i, joint);
            scene_joint(&studio->scene, p, up < 0 ? i : (uint32_t)up, parent);
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

bool studio_box(const struct studio *studio, vec3 box[2])
{
    return scene_box(&studio->scene, box);
}

/* Ids of the mask go on from part to part. */
static void fill_parts(struct studio *studio, const struct cell *cell)
{
    uint32_t mask_id = 1;
    for (size_t i = 0; i < studio->plan->part_count; i++) {
        const struct part *part = &studio->plan->parts[i];
        struct shot_part *shown = &studio->parts[i];
        size_t outfit = cell->skin < part->outfit_count ? cell->skin : 0;
        shown->looks = &studio->looks[i][outfit * part->model->surface_count];
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

int studio_draw(struct studio *studio, const struct cell *cell, enum pass pass, uint32_t apart, bool is_mirrored,
                void *pixels, size_t stride, struct error *err)
{
    static const struct light_rig dark, even = {.ambient = {1, 1, 1}};
    const struct job *job = studio->plan->job;
    struct view view = *views_of(studio->views, cell);
    struct light_rig light = job->light;
    if (is_mirrored)
        mirror(&view, &light);
    if (renderer_set_target(studio->renderer, job->cell_px, job->supersample, err) < 0)
        return -1;
    studio_pose(studio, cell);
    fill_parts(studio, cell);
    studio->line_count = 0;
    if (pass_rows[pass].traits & SHOWS_SKELETON)
        add_skeletons(studio);
    if (pass_rows[pass].traits & SHOWS_BOX)
        add_box(studio);
    struct shot shot = {
        .apart = apart,
        .parts = studio->parts,
        .part_count = studio->plan->part_count,
        .light = pass == PASS_EMISSION ? &dark
                 : pass == PASS_ALBEDO ? &even
                                       : &light,
        .ground = &job->ground,
        .ground_height = job->ground.has_height ? job->ground.height : views_lowest(studio->views, cell),
        .outline = &job->outline,
        .background = &job->background,
        .pixel = pass == PASS_ALBEDO ? NULL : &job->pixel, /* which has light in steps */
        .view = &view,
        .lines = (const vec3(*)[2])studio->lines,
        .line_count = studio->line_count,
    };
    find_team_range(&job->teamcolor.range, shot.team_range);
    renderer_draw(studio->renderer, &shot, pass);
    int result = renderer_read(studio->renderer, pixels, stride, err);
    if (result == 0 && pass == PASS_MAIN && job->pixel.is_wanted)
        palette_apply(&studio->plan->palette, job->pixel.dither, pixels, stride, job->cell_px[0], job->cell_px[1]);
    return result;
}

int studio_count_colors(struct studio *studio, size_t most, struct color_counts *counts, struct error *err)
{
    const struct plan *plan = studio->plan;
    const struct job *job = plan->job;
    const size_t every = 1 + plan->sheet_count * plan->sheets[0].layout.cell_count / most;
    const size_t stride = (size_t)4 * job->cell_px[0];
    uint8_t *pixels = memory_alloc(job->cell_px[1], stride, err);
    int result = pixels ? 0 : -1;
    for (size_t i = 0, number = 0; i < plan->sheet_count; i++)
        for (size_t c = 0; c < plan->sheets[i].layout.cell_count && result == 0; c++)
            if (number++ % every == 0) {
                result = studio_draw(studio, &plan->sheets[i].cells[c], PASS_MAIN, job->passes, false, pixels,
                                     stride, err);
                color_counts_add(counts, pixels, job->cell_px[1] * stride / 4);
            }
    free(pixels);
    return result;
}

float studio_lightness(const struct studio *studio)
{
    return renderer_lightness(studio->renderer);
}

bool studio_picture_size(void *context, const char *program, uint32_t size_px[2])
{
    const struct textures *textures = ((const struct studio *)context)->textures;
    for (size_t i = 0; i < textures->count; i++)
        if (!strcmp(textures->entries[i].program, program)) {
            memcpy(size_px, textures->entries[i].size_px, sizeof textures->entries[i].size_px);
            return true;
        }
    return false;
}
