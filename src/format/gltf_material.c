#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/gltf.h"
#include "image/srgb.h"

enum { MOST_VARIANTS = 256 }; /* each has a material for each part of the model */
enum { CLAMP_TO_EDGE = 33071, MIRRORED_REPEAT = 33648, NEAREST = 9728 };

/* -- Pictures ----------------------------------------------------------------------------------------------- */

/* The path of a picture: of its own file, or of a picture inside the model. NULL: the model has no path either. */
static const char *picture_path(struct gltf *gltf, size_t index)
{
    const char *uri = gltf_text(gltf_item(gltf, "images", index), "uri"), *own = gltf->options->path;
    size_t length;
    if (!own)
        return NULL;
    if (!*uri || gltf_uri_is_data(uri))
        return arena_printf(gltf->arena, "%s:%zu", own, index);
    return model_picture_path(gltf->arena, own, gltf_decode_uri(gltf, uri, &length));
}

static int read_picture(struct gltf *gltf, size_t index, struct blob *out)
{
    const struct json *image = gltf_item(gltf, "images", index);
    const char *uri = gltf_text(image, "uri");
    if (gltf_uri_is_data(uri))
        return gltf_decode_data_uri(uri, out, &gltf->err);
    const struct gltf_view *view = gltf_view_of(gltf, image);
    uint8_t *data = view ? memory_alloc(view->bytes.size, 1, &gltf->err) : NULL;
    if (!data)
        return -1;
    memcpy(data, view->bytes.data, view->bytes.size);
    *out = (struct blob){data, view->bytes.size};
    return 0;
}

static int open_pictures(struct container *file, struct error *err)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct gltf *gltf = file->opened = must_alloc(1, sizeof *gltf);
    *gltf = (struct gltf){.model = model, .arena = &model->arena, .for_pictures = true};
    return gltf_open(gltf, file->bytes) < 0 ? error_set(err, "%s", gltf->err.text) : 0;
}

static int read_named_picture(const struct container *file, const char *name, struct blob *out, struct error *err)
{
    struct gltf *gltf = file->opened;
    char *end;
    unsigned long index = strtoul(name, &end, 10);
    gltf->options = &(struct model_options){.path = file->path, .assets = file->assets};
    if (end == name || *end || index >= gltf_count(gltf, "images"))
        return error_set(err, "it has no picture '%s'", name);
    return read_picture(gltf, index, out) < 0 ? error_set(err, "picture %lu: %s", index, gltf->err.text) : 0;
}

static void close_pictures(void *opened)
{
    struct gltf *gltf = opened;
    gltf_close(gltf);
    model_free(gltf->model);
    free(gltf);
}

const struct file_opener gltf_pictures = {open_pictures, read_named_picture, close_pictures};

/* -- Textures ----------------------------------------------------------------------------------------------- */

static enum texture_wrap wrap_of(size_t number)
{
    return number == CLAMP_TO_EDGE ? WRAP_CLAMP : number == MIRRORED_REPEAT ? WRAP_MIRROR : WRAP_REPEAT;
}

static void read_sampler(struct gltf *gltf, const struct json *texture, struct model_texture *out)
{
    const int32_t index = gltf_index(gltf, texture, "sampler", "samplers");
    const struct json *sampler = index < 0 ? NULL : gltf_item(gltf, "samplers", (size_t)index);
    out->placement.wrap[0] = wrap_of(gltf_size(gltf, sampler, "wrapS", 0));
    out->placement.wrap[1] = wrap_of(gltf_size(gltf, sampler, "wrapT", 0));
    out->placement.is_nearest = gltf_size(gltf, sampler, "magFilter", 0) == NEAREST;
}

/* The picture of a texture: as PNG or JPEG where it has one, else as WebP. */
static void read_source(struct gltf *gltf, const struct json *texture, struct model_texture *out)
{
    int32_t source = gltf_index(gltf, texture, "source", "images");
    if (source < 0)
        source = gltf_index(gltf, gltf_extension(texture, "EXT_texture_webp"), "source", "images");
    if (source >= 0)
        out->path = picture_path(gltf, (size_t)source);
    else if (!gltf_warn_of_lost(gltf, texture))
        gltf_warn(gltf, "textures without a picture that is read: drawn without them");
}

/* KHR_texture_transform: scales, then turns (counter-clockwise as seen, t being down), then moves. */
static void read_transform(struct gltf *gltf, const struct json *transform, struct model_texture *out)
{
    double offset[2] = {0, 0}, scale[2] = {1, 1};
    gltf_numbers(gltf, transform, "offset", offset, 2);
    gltf_numbers(gltf, transform, "scale", scale, 2);
    const double turn = gltf_number(gltf, transform, "rotation", 0), c = cos(turn), s = sin(turn);
    const double rows[2][3] = {{c * scale[0], s * scale[1], offset[0]}, {-s * scale[0], c * scale[1], offset[1]}};
    out->placement.has_matrix = true;
    for (int i = 0; i < 6; i++)
        out->placement.matrix[i / 3][i % 3] = (float)rows[i / 3][i % 3];
}

static void read_numbered(struct gltf *gltf, int32_t index, struct model_texture *out)
{
    const struct json *texture = gltf_item(gltf, "textures", (size_t)index);
    read_source(gltf, texture, out);
    read_sampler(gltf, texture, out);
    if (gltf_failed(gltf))
        error_add(&gltf->err, "texture %d", index);
}

/* The texture that a material names, if it names one. */
static void read_texture(struct gltf *gltf, const struct json *material, const char *key,
                         struct model_texture *out)
{
    const struct json *info = gltf_get(material, key), *transform = gltf_extension(info, "KHR_texture_transform");
    if (!info || gltf_failed(gltf))
        return;
    const int32_t index = gltf_index(gltf, info, "index", "textures");
    size_t uv_set = gltf_size(gltf, info, "texCoord", 0);
    if (transform) {
        read_transform(gltf, transform, out);
        uv_set = gltf_size(gltf, transform, "texCoord", uv_set);
    }
    if (index < 0)
        gltf_fail(gltf, "it has no index");
    if (gltf_failed(gltf)) {
        error_add(&gltf->err, "%s", key);
        return;
    }
    if (uv_set > 1)
        gltf_add_oddity(gltf, "texture coordinates beyond TEXCOORD_1, for which TEXCOORD_0 is taken");
    out->placement.is_second_set = uv_set == 1;
    read_numbered(gltf, index, out);
}

/* -- Materials ---------------------------------------------------------------------------------------------- */

static void read_factors(struct gltf *gltf, const struct json *object, const char *key, float *out, size_t count)
{
    double numbers[4];
    for (size_t i = 0; i < count; i++)
        numbers[i] = out[i];
    gltf_numbers(gltf, object, key, numbers, count);
    for (size_t i = 0; i < count; i++)
        out[i] = (float)fmax(numbers[i], 0);
}

static void read_factor(struct gltf *gltf, const struct json *object, const char *key, float *out, double most)
{
    *out = (float)fmin(fmax(gltf_number(gltf, object, key, *out), 0), most);
}

static void read_specular_glossiness(struct gltf *gltf, const struct json *json, struct model_material *out)
{
    float glossiness = 1;
    read_factors(gltf, json, "diffuseFactor", out->base_color_factor, 4);
    read_factors(gltf, json, "specularFactor", out->specular_color_factor, 3);
    read_factor(gltf, json, "glossinessFactor", &glossiness, 1);
    out->is_specular_glossiness = true;
    out->roughness = 1 - glossiness;
    read_texture(gltf, json, "diffuseTexture", &out->base_color);
    read_texture(gltf, json, "specularGlossinessTexture", &out->metallic_roughness);
}

static void read_metallic_roughness(struct gltf *gltf, const struct json *material, struct model_material *out)
{
    const struct json *json = gltf_get(material, "pbrMetallicRoughness");
    out->metallic = out->roughness = 1;
    read_factors(gltf, json, "baseColorFactor", out->base_color_factor, 4);
    read_factor(gltf, json, "metallicFactor", &out->metallic, 1);
    read_factor(gltf, json, "roughnessFactor", &out->roughness, 1);
    read_texture(gltf, json, "baseColorTexture", &out->base_color);
    read_texture(gltf, json, "metallicRoughnessTexture", &out->metallic_roughness);
    const struct json *specular = gltf_extension(material, "KHR_materials_specular");
    read_factor(gltf, specular, "specularFactor", &out->specular_factor, 1);
    read_factors(gltf, specular, "specularColorFactor", out->specular_color_factor, 3);
    read_texture(gltf, specular, "specularTexture", &out->specular);
    read_texture(gltf, specular, "specularColorTexture", &out->specular_color);
    const struct json *ior = gltf_extension(material, "KHR_materials_ior");
    const double index = gltf_number(gltf, ior, "ior", 1.5), reflects = (index - 1) / (index + 1);
    for (int i = 0; i < 3 && ior && index >= 0; i++) /* what reflects 4 % has an index of 1.5 */
        out->specular_color_factor[i] *= (float)(reflects * reflects / 0.04);
}

/* The colour that light takes on its way through glass, for what of it goes through. */
static void tint_glass(struct gltf *gltf, const struct json *material, struct model_material *out)
{
    const struct json *volume = gltf_extension(material, "KHR_materials_volume");
    float through = 0, color[3] = {1, 1, 1};
    read_factor(gltf, gltf_extension(material, "KHR_materials_transmission"), "transmissionFactor", &through, 1);
    read_factors(gltf, volume, "attenuationColor", color, 3);
    const double thickness = gltf_number(gltf, volume, "thicknessFactor", 0);
    const double distance = gltf_number(gltf, volume, "attenuationDistance", INFINITY);
    for (int i = 0; i < 3 && thickness > 0 && distance > 0; i++)
        out->base_color_factor[i] *= (float)(1 - through + through * pow(fmin(color[i], 1), thickness / distance));
}

/* -- Toons -------------------------------------------------------------------------------------------------- */

/* Warns of parts of a toon that are left out. */
static void warn_of_toon(struct gltf *gltf, double outline, const struct json *rim, const struct json *ball)
{
    bool has_rim = ball != NULL;
    for (size_t i = 0; i < 3; i++) /* 0.x has alpha, too */
        has_rim |= gltf_is(gltf_at(rim, i), GLTF_NUMBER) && gltf_at(rim, i)->number > 0;
    if (outline > 0)
        gltf_warn(gltf, "MToon's outlines are not drawn; `outline` draws one around the model");
    if (has_rim)
        gltf_warn(gltf, "MToon's rims and matcaps are not drawn; `rim` of a light brightens edges");
}

static void read_toon(struct gltf *gltf, const struct json *toon, struct model_material *out)
{
    const double shift = gltf_number(gltf, toon, "shadingShiftFactor", 0);
    const double width = 1 - gltf_number(gltf, toon, "shadingToonyFactor", 0.9);
    const char *mode = gltf_text(toon, "outlineWidthMode");
    const bool has_outline = *mode && strcmp(mode, "none");
    out->shade_range[0] = (float)(-width - shift);
    out->shade_range[1] = (float)(width - shift);
    read_factors(gltf, toon, "shadeColorFactor", out->shade_factor, 3);
    read_texture(gltf, toon, "shadeMultiplyTexture", &out->shade);
    warn_of_toon(gltf, has_outline ? gltf_number(gltf, toon, "outlineWidthFactor", 0) : 0,
                 gltf_get(toon, "parametricRimColorFactor"), gltf_get(toon, "matcapTexture"));
}

/* Reads a toon of VRM 0.x, beside the materials: its colours are in sRGB, its texture lies as the base colour does. */
static void read_old_toon(struct gltf *gltf, const struct json *toon, struct model_material *out)
{
    static const float usual[3] = {0.97f, 0.81f, 0.86f};
    const struct json *numbers = gltf_get(toon, "floatProperties"), *colors = gltf_get(toon, "vectorProperties");
    const struct json *pictures = gltf_get(toon, "textureProperties"), *shade = gltf_get(colors, "_ShadeColor");
    const int32_t index = gltf_index_of(gltf_get(pictures, "_ShadeTexture"), gltf_count(gltf, "textures"));
    const double shift = gltf_number(gltf, numbers, "_ShadeShift", 0);
    const double toony = gltf_number(gltf, numbers, "_ShadeToony", 0.9);
    out->shade_range[0] = (float)shift;
    out->shade_range[1] = (float)(1 - toony + toony * shift);
    for (size_t i = 0; i < 3; i++) {
        const struct json *part = gltf_at(shade, i);
        const double code = gltf_is(part, GLTF_NUMBER) ? part->number : (double)usual[i];
        out->shade_factor[i] = srgb_to_linear[(int)(255 * fmin(fmax(code, 0), 1) + 0.5)];
    }
    out->shade.placement = out->base_color.placement;
    if (index >= 0)
        read_numbered(gltf, index, &out->shade);
    const bool has_outline = gltf_number(gltf, numbers, "_OutlineWidthMode", 0) > 0;
    warn_of_toon(gltf, has_outline ? gltf_number(gltf, numbers, "_OutlineWidth", 0) : 0,
                 gltf_get(colors, "_RimColor"), gltf_get(pictures, "_SphereAdd"));
}

static void read_toons(struct gltf *gltf, const struct json *json, int32_t index, struct model_material *out)
{
    const struct json *list = gltf_get(gltf_extension(gltf->root, "VRM"), "materialProperties");
    const struct json *toon = gltf_extension(json, "VRMC_materials_mtoon");
    const struct json *old = index < 0 ? NULL : gltf_at(list, (size_t)index);
    if (toon)
        read_toon(gltf, toon, out);
    else if (!strcmp(gltf_text(old, "shader"), "VRM/MToon"))
        read_old_toon(gltf, old, out);
    else
        return;
    out->has_shade = true;
    out->is_unlit = false; /* which is for programs that cannot draw toons */
}

/* -- Whole materials ---------------------------------------------------------------------------------------- */

/* Reads a material; NULL as `json` is the default one. */
static void read_material(struct gltf *gltf, const struct json *json, struct model_material *out)
{
    static const char *const alpha_modes[] = {"OPAQUE", "MASK", "BLEND"}; /* as enum alpha_mode */
    const struct json *glossy = gltf_extension(json, "KHR_materials_pbrSpecularGlossiness");
    out->name = arena_strdup(gltf->arena, gltf_text(json, "name"));
    out->is_double_sided = gltf_is(gltf_get(json, "doubleSided"), GLTF_TRUE);
    out->is_unlit = gltf_extension(json, "KHR_materials_unlit") != NULL;
    float strength = 1;
    read_factors(gltf, json, "emissiveFactor", out->emissive_factor, 3);
    read_factor(gltf, gltf_extension(json, "KHR_materials_emissive_strength"), "emissiveStrength", &strength, 1e6);
    for (int i = 0; i < 3; i++)
        out->emissive_factor[i] *= strength;
    out->alpha_mode = (enum alpha_mode)gltf_choice(gltf, json, "alphaMode", alpha_modes);
    read_factor(gltf, json, "alphaCutoff", &out->alpha_cutoff, 1e6);
    /* Beside a texture; they may be below 0. */
    const struct json *normal = gltf_get(json, "normalTexture"), *shade = gltf_get(json, "occlusionTexture");
    out->normal_scale = (float)gltf_number(gltf, normal, "scale", out->normal_scale);
    out->occlusion_strength = (float)gltf_number(gltf, shade, "strength", out->occlusion_strength);
    gltf_warn_of_lost(gltf, json);
    if (glossy)
        read_specular_glossiness(gltf, glossy, out);
    else
        read_metallic_roughness(gltf, json, out);
    tint_glass(gltf, json, out);
    read_texture(gltf, json, "normalTexture", &out->normal);
    read_texture(gltf, json, "occlusionTexture", &out->occlusion);
    read_texture(gltf, json, "emissiveTexture", &out->emissive);
}

/* The material of that number; -1 is the default one. */
static const struct model_material *material_of(struct gltf *gltf, int32_t index)
{
    struct model_material **slot = &gltf->materials[index + 1];
    if (!*slot && !gltf_failed(gltf)) {
        const struct json *json = index < 0 ? NULL : gltf_item(gltf, "materials", (size_t)index);
        struct model_material *material = arena_must_alloc(gltf->arena, 1, sizeof *material);
        model_material_init(material);
        read_material(gltf, json, material);
        read_toons(gltf, json, index, material);
        if (gltf_failed(gltf))
            error_add(&gltf->err, "material %d", index);
        *slot = material;
    }
    return gltf_failed(gltf) ? NULL : *slot;
}

/* -- Variants ----------------------------------------------------------------------------------------------- */

int gltf_read_variants(struct gltf *gltf)
{
    const struct json *extension = gltf_extension(gltf->root, "KHR_materials_variants"), *variant;
    const struct json *list = gltf_list(gltf, extension, "variants");
    if (gltf_length(list) > MOST_VARIANTS)
        gltf_fail(gltf, "%zu variants (at most %d)", gltf_length(list), MOST_VARIANTS);
    if (gltf_failed(gltf))
        return -1;
    const char **names = arena_must_alloc(gltf->arena, gltf_length(list), sizeof *names);
    for (size_t i = 0; (variant = gltf_at(list, i)); i++) {
        const char *text = gltf_text(variant, "name"), *plain = clip_name_clean(gltf->arena, text, strlen(text));
        names[i] = plain;
        for (size_t k = 0, n = 2; k < i; k++) /* from the first again, for each number */
            if (!strcasecmp(names[k], names[i])) {
                names[i] = arena_printf(gltf->arena, "%s_%zu", plain, n++);
                k = SIZE_MAX;
            }
    }
    gltf->model->skins = names;
    gltf->model->skin_count = (uint32_t)gltf_length(list);
    return 0;
}

void gltf_read_material(struct gltf *gltf, const struct json *primitive, struct surface_material *out)
{
    const uint32_t variant_count = gltf->model->skin_count;
    const int32_t index = gltf_index(gltf, primitive, "material", "materials");
    const struct json *mappings = gltf_list(gltf, gltf_extension(primitive, "KHR_materials_variants"), "mappings");
    const struct json *mapping, *variant;
    const struct model_material **own = arena_must_alloc(gltf->arena, (size_t)variant_count + 1, sizeof *own);
    for (size_t i = 0; i <= variant_count; i++)
        own[i] = material_of(gltf, index);
    for (size_t i = 0; (mapping = gltf_at(mappings, i)); i++) {
        const struct json *variants = gltf_list(gltf, mapping, "variants");
        int32_t mapped = gltf_index(gltf, mapping, "material", "materials");
        const struct model_material *material = material_of(gltf, mapped < 0 ? index : mapped);
        for (size_t k = 0; (variant = gltf_at(variants, k)); k++) {
            int32_t number = gltf_index_of(variant, variant_count);
            if (number >= 0)
                own[number] = material;
        }
    }
    if (!gltf_failed(gltf))
        *out = (struct surface_material){.kind = MATERIAL_OWN, .name = own[variant_count]->name, .own = own};
}
