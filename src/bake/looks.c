#include "bake/looks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Leaves *out alone where there is no program. */
static int load_texture(struct textures *textures, const char *program, enum mipmap_kind kind,
                        const struct texture_placement *placement, struct texture *out, struct error *err)
{
    if (!program)
        return 0;
    if (textures_get(textures, program, kind, out, err) < 0)
        return -1;
    out->placement = *placement;
    return 0;
}

static int load_stages(struct textures *textures, const struct material *material, struct look *look,
                       struct error *err)
{
    struct look_stage *stages = must_alloc(material->stage_count, sizeof *stages);
    look->stages = stages;
    look->stage_count = material->stage_count;
    for (size_t i = 0; i < material->stage_count; i++) {
        const struct material_stage *stage = &material->stages[i];
        stages[i].source = stage->source;
        stages[i].destination = stage->destination;
        stages[i].alpha_test = stage->alpha_test;
        stages[i].masked = stage->masked;
        memcpy(stages[i].color, stage->color, sizeof stages[i].color);
        if (load_texture(textures, stage->image, MIPMAP_COLOR, &stage->placement, &stages[i].image, err) < 0 ||
            load_texture(textures, stage->mask, MIPMAP_COLOR, &stage->mask_placement, &stages[i].mask, err) < 0)
            return -1;
    }
    return 0;
}

static int load_look(struct textures *textures, const struct material *material, struct look *look,
                     struct error *err)
{
    look->alpha_test = material->diffuse ? material->alpha_test : -1;
    look->two_sided = material->two_sided;
    look->unsmoothed_tangents = material->unsmoothed_tangents;
    look->back_sided = material->back_sided;
    look->stages_only = material->stages_only;
    look->adds_light = material->adds_light;
    if (load_texture(textures, material->diffuse, MIPMAP_COLOR, &material->diffuse_placement, &look->diffuse,
                     err) < 0 ||
        load_texture(textures, material->normal, MIPMAP_DATA, &material->normal_placement, &look->normal, err) <
            0 ||
        load_texture(textures, material->specular, MIPMAP_COLOR, &material->specular_placement, &look->specular,
                     err) < 0)
        return -1;
    if (material->masks_alone && look->diffuse.alpha_is_mask)
        look->alpha_test = MATERIAL_SKIN_ALPHA_TEST;
    return load_stages(textures, material, look, err);
}

int looks_load(struct looks *looks, struct textures *textures, const struct model *model,
               const struct material *materials, struct error *err)
{
    struct looks fresh = {must_alloc(model->surface_count, sizeof *fresh.items), model->surface_count};
    int result = 0;
    for (uint32_t i = 0; i < model->surface_count && result == 0; i++) {
        fresh.items[i].alpha_test = -1;
        if (model->surfaces[i].index_count > 0)
            result = load_look(textures, &materials[i], &fresh.items[i], err);
    }
    if (result < 0)
        looks_release(&fresh);
    else
        *looks = fresh;
    return result;
}

void looks_release(struct looks *looks)
{
    for (size_t i = 0; i < looks->count; i++)
        free((void *)looks->items[i].stages);
    free(looks->items);
    *looks = (struct looks){0};
}
