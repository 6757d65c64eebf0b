#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/gltf.h"

enum { MOST_VARIANTS = 256 }; /* each has a material for each part of the model */
enum { CLAMP_TO_EDGE = 33071, MIRRORED_REPEAT = 33648, NEAREST = 9728 };

/* -- Pictures ----------------------------------------------------------------------------------------------- */

/* The path of a picture: of its own file, or in that of the model. NULL: the model has none either. */
static int picture_path(struct gltf *gltf, size_t index, const char **out, struct error *err)
{
    const char *uri = gltf_text(gltf_item(gltf, "images", index), "uri"), *own = gltf->options->path;
    size_t length;
    if (!own)
        return 0;
    if (!*uri || gltf_uri_is_data(uri)) {
        *out = arena_printf(gltf->arena, "%s:%zu", own, index);
        return 0;
    }
    const char *name = gltf_decode_uri(gltf, uri, &length, err);
    if (name)
        *out = model_picture_path(gltf->arena, own, name);
    return name ? 0 : -1;
}

static int read_picture(struct gltf *gltf, size_t index, struct blob *out, struct error *err)
{
    json_t *image = gltf_item(gltf, "images", index);
    const char *uri = gltf_text(image, "uri");
    if (gltf_uri_is_data(uri))
        return gltf_decode_data_uri(uri, out, err);
    const struct gltf_view *view = gltf_view_of(gltf, image, err);
    uint8_t *data = view ? memory_alloc(view->bytes.size, 1, err) : NULL;
    if (!data)
        return -1;
    memcpy(data, view->bytes.data, view->bytes.size);
    *out = (struct blob){data, view->bytes.size};
    return 0;
}

int gltf_read_picture(struct bytes bytes, const struct model_options *options, const char *name, struct blob *out,
                      struct error *err)
{
    struct model *model = must_alloc(1, sizeof *model);
    struct gltf gltf = {.model = model, .arena = &model->arena, .options = options};
    char *end;
    unsigned long index = strtoul(name, &end, 10);
    int result = gltf_open(&gltf, bytes, err);
    if (result == 0 && (end == name || *end || index >= gltf_count(&gltf, "images")))
        result = error_set(err, "it has no picture '%s'", name);
    if (result == 0 && read_picture(&gltf, index, out, err) < 0)
        result = error_add(err, "picture %lu", index);
    gltf_close(&gltf);
    model_free(model);
    return result;
}

/* -- Textures ----------------------------------------------------------------------------------------------- */

static enum texture_wrap wrap_of(size_t number)
{
    return number == CLAMP_TO_EDGE ? WRAP_CLAMP : number == MIRRORED_REPEAT ? WRAP_MIRROR : WRAP_REPEAT;
}

static int read_sampler(struct gltf *gltf, json_t *texture, struct model_texture *out, struct error *err)
{
    int32_t index = -1;
    size_t wrap_s = 0, wrap_t = 0, filter = 0;
    if (gltf_index(texture, "sampler", gltf_count(gltf, "samplers"), &index, err) < 0)
        return -1;
    json_t *sampler = index < 0 ? NULL : gltf_item(gltf, "samplers", (size_t)index);
    if (gltf_size(sampler, "wrapS", &wrap_s, err) < 0 || gltf_size(sampler, "wrapT", &wrap_t, err) < 0 ||
        gltf_size(sampler, "magFilter", &filter, err) < 0)
        return -1;
    out->placement.wrap[0] = wrap_of(wrap_s);
    out->placement.wrap[1] = wrap_of(wrap_t);
    out->placement.is_nearest = filter == NEAREST;
    return 0;
}

/* The picture of a texture: as PNG or JPEG where it has one, else as WebP. */
static int read_source(struct gltf *gltf, json_t *texture, struct model_texture *out, struct error *err)
{
    int32_t source = -1;
    size_t count = gltf_count(gltf, "images");
    if (gltf_index(texture, "source", count, &source, err) < 0 ||
        (source < 0 && gltf_index(gltf_extension(texture, "EXT_texture_webp"), "source", count, &source, err) < 0))
        return -1;
    if (source >= 0)
        return picture_path(gltf, (size_t)source, &out->path, err);
    gltf_warn(gltf, gltf_extension(texture, "KHR_texture_basisu")
                        ? "KTX2 pictures are not read: drawn without these textures"
                        : "textures without a picture that is read: drawn without them");
    return 0;
}

/* KHR_texture_transform: scales, then turns (counter-clockwise as seen, t being down), then moves. */
static int read_transform(json_t *transform, struct model_texture *out, size_t *uv_set, struct error *err)
{
    double offset[2] = {0, 0}, scale[2] = {1, 1}, turn = 0;
    if (gltf_numbers(transform, "offset", offset, 2, err) < 0 ||
        gltf_numbers(transform, "scale", scale, 2, err) < 0 ||
        gltf_number(transform, "rotation", &turn, err) < 0 || gltf_size(transform, "texCoord", uv_set, err) < 0)
        return -1;
    double c = cos(turn), s = sin(turn);
    out->placement.has_matrix = true;
    const double rows[2][3] = {{c * scale[0], s * scale[1], offset[0]}, {-s * scale[0], c * scale[1], offset[1]}};
    for (int i = 0; i < 6; i++)
        out->placement.matrix[i / 3][i % 3] = (float)rows[i / 3][i % 3];
    return 0;
}

/* The texture that a material names, if it names one. */
static int read_texture(struct gltf *gltf, json_t *material, const char *key, struct model_texture *out,
                        struct error *err)
{
    json_t *info = json_object_get(material, key);
    int32_t index = -1;
    size_t uv_set = 0;
    if (!info)
        return 0;
    json_t *transform = gltf_extension(info, "KHR_texture_transform");
    if (gltf_index(info, "index", gltf_count(gltf, "textures"), &index, err) < 0 ||
        gltf_size(info, "texCoord", &uv_set, err) < 0 ||
        (transform && read_transform(transform, out, &uv_set, err) < 0))
        return error_add(err, "%s", key);
    if (uv_set > 1) {
        gltf_add_oddity(gltf, "texture coordinates beyond TEXCOORD_1, for which TEXCOORD_0 is taken");
        uv_set = 0;
    }
    out->placement.is_second_set = uv_set == 1;
    if (index < 0)
        return error_set(err, "%s has no index", key);
    json_t *texture = gltf_item(gltf, "textures", (size_t)index);
    if (read_source(gltf, texture, out, err) < 0 || read_sampler(gltf, texture, out, err) < 0)
        return error_add(err, "texture %d", index);
    return 0;
}

/* -- Materials ---------------------------------------------------------------------------------------------- */

static int read_factors(json_t *object, const char *key, float *out, size_t count, struct error *err)
{
    double numbers[4];
    for (size_t i = 0; i < count; i++)
        numbers[i] = out[i];
    if (gltf_numbers(object, key, numbers, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        out[i] = (float)fmax(numbers[i], 0);
    return 0;
}

static int read_factor(json_t *object, const char *key, float *out, double most, struct error *err)
{
    double number = *out;
    if (gltf_number(object, key, &number, err) < 0)
        return -1;
    *out = (float)fmin(fmax(number, 0), most);
    return 0;
}

/* A factor beside a texture, which may be below 0. */
static int read_strength(json_t *material, const char *texture, const char *key, float *out, struct error *err)
{
    double number = *out;
    if (gltf_number(json_object_get(material, texture), key, &number, err) < 0)
        return error_add(err, "%s", texture);
    *out = (float)number;
    return 0;
}

static int read_specular_glossiness(struct gltf *gltf, json_t *json, struct model_material *out, struct error *err)
{
    float glossiness = 1;
    out->is_specular_glossiness = true;
    if (read_factors(json, "diffuseFactor", out->base_color_factor, 4, err) < 0 ||
        read_factors(json, "specularFactor", out->specular_color_factor, 3, err) < 0 ||
        read_factor(json, "glossinessFactor", &glossiness, 1, err) < 0 ||
        read_texture(gltf, json, "diffuseTexture", &out->base_color, err) < 0 ||
        read_texture(gltf, json, "specularGlossinessTexture", &out->metallic_roughness, err) < 0)
        return -1;
    out->roughness = 1 - glossiness;
    return 0;
}

static int read_metallic_roughness(struct gltf *gltf, json_t *json, struct model_material *out, struct error *err)
{
    out->metallic = out->roughness = 1;
    return read_factors(json, "baseColorFactor", out->base_color_factor, 4, err) < 0 ||
                   read_factor(json, "metallicFactor", &out->metallic, 1, err) < 0 ||
                   read_factor(json, "roughnessFactor", &out->roughness, 1, err) < 0 ||
                   read_texture(gltf, json, "baseColorTexture", &out->base_color, err) < 0 ||
                   read_texture(gltf, json, "metallicRoughnessTexture", &out->metallic_roughness, err) < 0
               ? -1
               : 0;
}

static int read_specular(struct gltf *gltf, json_t *json, struct model_material *out, struct error *err)
{
    return read_factor(json, "specularFactor", &out->specular_factor, 1, err) < 0 ||
                   read_factors(json, "specularColorFactor", out->specular_color_factor, 3, err) < 0 ||
                   read_texture(gltf, json, "specularTexture", &out->specular, err) < 0 ||
                   read_texture(gltf, json, "specularColorTexture", &out->specular_color, err) < 0
               ? -1
               : 0;
}

static int read_emission(struct gltf *gltf, json_t *json, struct model_material *out, struct error *err)
{
    float strength = 1;
    if (read_factors(json, "emissiveFactor", out->emissive_factor, 3, err) < 0 ||
        read_texture(gltf, json, "emissiveTexture", &out->emissive, err) < 0 ||
        read_factor(gltf_extension(json, "KHR_materials_emissive_strength"), "emissiveStrength", &strength, 1e6,
                    err) < 0)
        return -1;
    for (int i = 0; i < 3; i++)
        out->emissive_factor[i] *= strength;
    return 0;
}

static int check_transmission(struct gltf *gltf, json_t *json, struct error *err)
{
    double factor = 0;
    if (gltf_number(gltf_extension(json, "KHR_materials_transmission"), "transmissionFactor", &factor, err) < 0)
        return -1;
    if (factor > 0)
        gltf_warn(gltf, "glass is drawn solid: KHR_materials_transmission is not read");
    return 0;
}

static int read_alpha(json_t *json, struct model_material *out, struct error *err)
{
    static const char *const modes[] = {"OPAQUE", "MASK", "BLEND"};
    const char *name = gltf_text(json, "alphaMode");
    const int mode = *name ? gltf_word(name, modes, 3) : ALPHA_OPAQUE;
    if (mode < 0)
        return error_set(err, "alphaMode is '%s' (OPAQUE, MASK and BLEND are allowed)", name);
    out->alpha_mode = (enum alpha_mode)mode;
    return read_factor(json, "alphaCutoff", &out->alpha_cutoff, 1e6, err);
}

static int read_material(struct gltf *gltf, json_t *json, struct model_material *out, struct error *err)
{
    json_t *glossy = gltf_extension(json, "KHR_materials_pbrSpecularGlossiness");
    json_t *specular = gltf_extension(json, "KHR_materials_specular");
    out->name = arena_strdup(gltf->arena, gltf_text(json, "name"));
    out->is_double_sided = json_is_true(json_object_get(json, "doubleSided"));
    out->is_unlit = gltf_extension(json, "KHR_materials_unlit") != NULL;
    int result = glossy ? read_specular_glossiness(gltf, glossy, out, err)
                        : read_metallic_roughness(gltf, json_object_get(json, "pbrMetallicRoughness"), out, err);
    return result < 0 || (specular && !glossy && read_specular(gltf, specular, out, err) < 0) ||
                   read_strength(json, "normalTexture", "scale", &out->normal_scale, err) < 0 ||
                   read_texture(gltf, json, "normalTexture", &out->normal, err) < 0 ||
                   read_strength(json, "occlusionTexture", "strength", &out->occlusion_strength, err) < 0 ||
                   read_texture(gltf, json, "occlusionTexture", &out->occlusion, err) < 0 ||
                   read_emission(gltf, json, out, err) < 0 || check_transmission(gltf, json, err) < 0 ||
                   read_alpha(json, out, err) < 0
               ? -1
               : 0;
}

/* The material of that number; -1 is the default one. */
static int material_of(struct gltf *gltf, int32_t index, const struct model_material **out, struct error *err)
{
    struct model_material **slot = &gltf->materials[index + 1];
    if (!*slot) {
        json_t *json = index < 0 ? NULL : gltf_item(gltf, "materials", (size_t)index);
        struct model_material *material = arena_must_alloc(gltf->arena, 1, sizeof *material);
        model_material_init(material);
        if (read_material(gltf, json, material, err) < 0)
            return error_add(err, "material %d", index);
        *slot = material;
    }
    *out = *slot;
    return 0;
}

/* -- Variants ----------------------------------------------------------------------------------------------- */

int gltf_read_variants(struct gltf *gltf, struct error *err)
{
    json_t *list, *variant;
    size_t i;
    if (gltf_list(gltf_extension(gltf->root, "KHR_materials_variants"), "variants", &list, err) < 0)
        return -1;
    if (json_array_size(list) > MOST_VARIANTS)
        return error_set(err, "%zu variants (at most %d)", json_array_size(list), MOST_VARIANTS);
    const char **names = arena_must_alloc(gltf->arena, json_array_size(list), sizeof *names);
    json_array_foreach(list, i, variant)
    {
        const char *name = gltf_text(variant, "name");
        names[i] = clip_name_clean(gltf->arena, name, strlen(name));
    }
    gltf->model->skins = names;
    gltf->model->skin_count = (uint32_t)json_array_size(list);
    return 0;
}

int gltf_material_of(struct gltf *gltf, json_t *primitive, struct surface_material *out, struct error *err)
{
    const uint32_t variant_count = gltf->model->skin_count;
    const size_t material_count = gltf_count(gltf, "materials");
    int32_t index = -1;
    json_t *mappings, *mapping, *variants, *variant;
    size_t i, k;
    if (gltf_index(primitive, "material", material_count, &index, err) < 0 ||
        gltf_list(gltf_extension(primitive, "KHR_materials_variants"), "mappings", &mappings, err) < 0)
        return -1;
    const struct model_material **own = arena_alloc(gltf->arena, (size_t)variant_count + 1, sizeof *own, err);
    if (!own || material_of(gltf, index, &own[variant_count], err) < 0)
        return -1;
    for (i = 0; i < variant_count; i++)
        own[i] = own[variant_count];
    json_array_foreach(mappings, i, mapping)
    {
        const struct model_material *material;
        int32_t mapped = index;
        if (gltf_index(mapping, "material", material_count, &mapped, err) < 0 ||
            gltf_list(mapping, "variants", &variants, err) < 0 || material_of(gltf, mapped, &material, err) < 0)
            return -1;
        json_array_foreach(variants, k, variant)
        {
            int32_t number = gltf_index_of(variant, variant_count);
            if (number >= 0)
                own[number] = material;
        }
    }
    *out = (struct surface_material){.kind = MATERIAL_OWN, .name = own[variant_count]->name, .own = own};
    return 0;
}
