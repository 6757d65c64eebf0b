#include "plan/looks.h"

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
    struct texture_store store;
    struct assets *assets;
    struct kept_texture *entries;
    size_t count, capacity;
    size_t texel_bytes;
    uint64_t clock;
    uint64_t job_start; /* entries used later are of the job under way, */
    size_t job_bytes;   /* and have so many bytes */
};

struct textures *textures_new(const struct texture_store *store, struct assets *assets)
{
    struct textures *textures = must_alloc(1, sizeof *textures);
    textures->store = *store;
    textures->assets = assets;
    return textures;
}

static void drop(struct textures *textures, size_t i)
{
    struct kept_texture *entry = &textures->entries[i];
    if (textures->store.drop)
        textures->store.drop(textures->store.context, &entry->texture);
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
        if (textures->store.add &&
            textures->store.add(textures->store.context, &image, kind, &fresh.texture, err) < 0)
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
    struct kept_texture *entry = MUST_ADD(textures->entries, textures->count, textures->capacity);
    *entry = fresh;
    textures->texel_bytes += entry->texel_bytes;
    return entry;
}

int textures_get(struct textures *textures, const char *program, enum mipmap_kind kind, float alpha_test,
                 struct texture *out, struct error *err)
{
    struct kept_texture *entry = NULL;
    if (!program)
        return 0;
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
    out->id = entry->texture.id;
    out->has_alpha = entry->texture.has_alpha;
    out->alpha_is_mask = entry->texture.alpha_is_mask;
    trace_add(assets_present_trace(textures->assets), &entry->trace);
    return 0;
}

bool textures_size(const struct textures *textures, const char *program, uint32_t size_px[2])
{
    for (size_t i = 0; i < textures->count; i++)
        if (!strcmp(textures->entries[i].program, program)) {
            memcpy(size_px, textures->entries[i].size_px, sizeof textures->entries[i].size_px);
            return true;
        }
    return false;
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

/* -- Looks: all their pictures loaded ------------------------------------------------------------------------ */

static int load_look(struct textures *textures, bool has_colors, struct look *look, struct error *err)
{
    const struct model_material *own = look->own;
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
    float holes = look->masks_alone ? MATERIAL_SKIN_ALPHA_TEST : look->alpha_test;
    if (own) /* of the picture's alpha times this one */
        holes = own->base_color_factor[3] > 0 ? holes / own->base_color_factor[3] : 0;
    for (int i = 0; i < PICTURE_COUNT; i++)
        if (textures_get(textures, look->pictures[i].program, kinds[i], i == PICTURE_DIFFUSE ? fmaxf(holes, 0) : 0,
                         &look->pictures[i], err) < 0)
            return -1;
    /* Alpha of the model file means nothing where nothing of it is below 1. */
    bool has_alpha =
        own ? diffuse->has_alpha || own->base_color_factor[3] < 1 || has_colors : diffuse->program != NULL;
    if (!has_alpha)
        look->alpha_test = -1;
    look->blends = has_alpha && own && own->alpha_mode == ALPHA_BLEND;
    if (look->masks_alone && diffuse->alpha_is_mask)
        look->alpha_test = MATERIAL_SKIN_ALPHA_TEST;
    for (size_t i = 0; i < look->layer_count; i++) {
        struct look_layer *layer = &look->layers[i];
        bool blends = layer->source != BLEND_ONE || layer->destination != BLEND_ZERO;
        if (textures_get(textures, layer->image.program, MIPMAP_COLOR, blends ? 0 : fmaxf(layer->alpha_test, 0),
                         &layer->image, err) < 0 ||
            textures_get(textures, layer->mask.program, MIPMAP_COLOR, 0, &layer->mask, err) < 0)
            return -1;
    }
    return 0;
}

int looks_load(struct textures *textures, struct plan *plan, struct error *err)
{
    for (size_t i = 0; i < plan->part_count; i++) {
        const struct part *part = &plan->parts[i];
        const struct model *model = part->model;
        for (size_t l = 0; l < part->outfit_count * model->surface_count; l++)
            if (model->surfaces[l % model->surface_count].index_count > 0 &&
                load_look(textures, model->colors, &part->outfits[0].looks[l], err) < 0)
                return -1;
    }
    return 0;
}
