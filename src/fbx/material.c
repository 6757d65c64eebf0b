/* FBX, looks: Phong's and Lambert's materials, Maya's Stingray PBS and 3ds Max' physical ones, as materials of our own;
 * their pictures, also those in the file. A texture is connected to a property of its material. */
#include "fbx/fbx.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"

/* Where programs connect a picture, each ended by a NUL, the usual one first. */
static const char base_names[] = "DiffuseColor\0Maya|TEX_color_map\0Maya|baseColor\0"
                                 "3dsMax|Parameters|base_color_map\0"
                                 "3dsMax|main|base_color_map\0"
                                 "3dsMax|main|baseColorMap\0";
static const char normal_names[] = "NormalMap\0Maya|TEX_normal_map\0Maya|normalCamera\0"
                                   "3dsMax|main|norm_map\0"
                                   "3dsMax|Parameters|bump_map\0";
static const char emissive_names[] = "EmissiveColor\0Maya|TEX_emissive_map\0Maya|emissionColor\0"
                                     "3dsMax|Parameters|emit_color_map\0"
                                     "3dsMax|main|emit_color_map\0";
static const char occlusion_names[] = "Maya|TEX_ao_map\0"
                                      "3dsMax|main|ao_map\0";
static const char hole_names[] = "TransparentColor\0TransparencyFactor\0Maya|opacity\0"
                                 "3dsMax|main|opacity_map\0"
                                 "3dsMax|Parameters|cutout_map\0";
static const char apart_names[] = "Maya|TEX_metallic_map\0Maya|TEX_roughness_map\0"
                                  "3dsMax|Parameters|metalness_map\0"
                                  "3dsMax|Parameters|roughness_map\0"
                                  "3dsMax|main|metalness_map\0"
                                  "3dsMax|main|Roughness_Map\0";

/* -- Pictures in the file -------------------------------------------------------------------------------------- */

/* The bytes in the file of a Video; NULL: it has none. */
static const struct fbx_node *content_of(const struct fbx_object *video)
{
    const struct fbx_node *content = fbx_child(video->node, "Content");
    return fbx_value_of(content, 0).bytes.size > 0 ? content : NULL;
}

static int open_pictures(struct container *file, struct error *err)
{
    struct fbx *fbx = file->opened = must_alloc(1, sizeof *fbx);
    *fbx = (struct fbx){.err = err, .arena = &fbx->scratch};
    return fbx_open(fbx, file->bytes);
}

static int read_picture(const struct container *file, const char *name, struct blob *out, struct error *err)
{
    struct fbx *fbx = file->opened;
    char *end;
    unsigned long number = strtoul(name, &end, 10);
    fbx->err = err;
    for (uint32_t i = 0; i < fbx->object_count && !*end && end != name; i++)
        if (fbx->objects[i].kind == FBX_VIDEO && number-- == 0 && content_of(&fbx->objects[i]))
            return fbx_read_content(fbx, content_of(&fbx->objects[i]), out);
    return error_set(err, "it has no picture '%s'", name);
}

static void close_pictures(void *opened)
{
    fbx_close(opened);
    free(opened);
}

const struct file_opener fbx_pictures = {open_pictures, read_picture, close_pictures};

/* -- Textures -------------------------------------------------------------------------------------------------- */

static uint32_t carried_of(const struct fbx *fbx, uint32_t object, enum fbx_kind kind)
{
    const struct fbx_links links = fbx_links_of(fbx, object, kind);
    return links.count > 0 ? links.items->object : FBX_ROOT;
}

/* Has the name of a picture's file, from the folder of the model on where that is told; NULL: there is none. */
static const struct fbx_node *file_of(const struct fbx *fbx, uint32_t object)
{
    static const char *const names[] = {"RelativeFilename", "FileName", "Filename"};
    for (size_t i = 0; i < COUNT(names) && object != FBX_ROOT; i++) {
        const struct fbx_node *node = fbx_child(fbx->objects[object].node, names[i]);
        if (fbx_bytes(node, 0).size > 0)
            return node;
    }
    return NULL;
}

/* Of what the file has of it: its size, turn and place on the surface, about pivots. So a point of the surface goes the
 * other way. */
static void read_placement(struct fbx *fbx, const struct fbx_object *texture, struct texture_placement *out)
{
    double move[3] = {0}, turn[3] = {0}, size[3] = {1, 1, 1}, turn_at[3] = {0}, size_at[3] = {0};
    fbx_property_vector(fbx, texture, "Translation", move);
    fbx_property_vector(fbx, texture, "Rotation", turn);
    fbx_property_vector(fbx, texture, "Scaling", size);
    fbx_property_vector(fbx, texture, "TextureRotationPivot", turn_at);
    fbx_property_vector(fbx, texture, "TextureScalingPivot", size_at);
    for (int i = 0; i < 2; i++) {
        const char *name = i ? "WrapModeV" : "WrapModeU";
        out->wrap[i] = fbx_property_number(fbx, texture, name, 0) == 1 ? WRAP_CLAMP : WRAP_REPEAT;
    }
    const double c = cos(turn[2] * M_PI / 180), s = sin(turn[2] * M_PI / 180);
    const double rows[2][2] = {{c / size[0], s / size[0]}, {-s / size[1], c / size[1]}};
    float matrix[2][3];
    bool is_any = false;
    for (int i = 0; i < 2; i++) {
        double rest = size_at[i] + (turn_at[i] - size_at[i]) / size[i];
        for (int k = 0; k < 2; k++)
            rest -= rows[i][k] * (move[k] + turn_at[k]);
        const double row[3] = {rows[i][0], -rows[i][1],
                               rest + rows[i][1]}; /* t is down here, and up in the file */
        for (int k = 0; k < 3; k++) {
            matrix[i][k] = (float)(i ? (k == 2) - row[k] : row[k]);
            if (!(fabsf(matrix[i][k]) < 1e6f))
                return;
            is_any |= fabsf(matrix[i][k] - (i == k)) > 1e-6f;
        }
    }
    out->has_matrix = is_any;
    if (is_any)
        memcpy(out->matrix, matrix, sizeof matrix);
}

/* Whether the coordinates are the second ones of the model's geometry, by their name. */
static bool is_second_set(struct fbx *fbx, uint32_t model, const char *name)
{
    const uint32_t geometry = carried_of(fbx, model, FBX_GEOMETRY);
    const struct fbx_node *node = geometry == FBX_ROOT ? fbx->objects[model].node : fbx->objects[geometry].node;
    uint32_t number = 0;
    for (node = fbx_child(node, "LayerElementUV"); node && *name;
         node = fbx_next(node, "LayerElementUV"), number++)
        if (fbx_is(fbx_bytes(fbx_child(node, "Name"), 0), name))
            return number == 1;
    return false;
}

/* The Video that has the picture in the file: this one, or the first for a file of that name. FBX_ROOT: none has. */
static uint32_t find_content(struct fbx *fbx, uint32_t video, const char *name)
{
    if (video != FBX_ROOT && content_of(&fbx->objects[video]))
        return video;
    for (uint32_t i = 0; i < fbx->object_count && *name; i++)
        if (fbx->objects[i].kind == FBX_VIDEO && content_of(&fbx->objects[i]) &&
            fbx_is(fbx_bytes(file_of(fbx, i), 0), name))
            return i;
    return FBX_ROOT;
}

static bool read_texture(struct fbx *fbx, uint32_t texture, uint32_t model, struct model_texture *out)
{
    if (texture != FBX_ROOT && fbx->objects[texture].kind == FBX_LAYERED_TEXTURE) {
        fbx_note(fbx, false, "of layered textures the lowest layer is drawn", fbx->objects[texture].name);
        texture = carried_of(fbx, texture, FBX_TEXTURE);
    }
    if (texture == FBX_ROOT)
        return false;
    const struct fbx_object *object = &fbx->objects[texture];
    uint32_t video = carried_of(fbx, texture, FBX_VIDEO);
    const struct fbx_node *file = file_of(fbx, texture);
    const char *name = fbx_text(fbx, file ? file : file_of(fbx, video), 0), *own = fbx->options->path;
    *out = (struct model_texture){0};
    video = find_content(fbx, video, name);
    if (video != FBX_ROOT && own) {
        uint32_t number = 0;
        for (uint32_t i = 0; i < video; i++)
            number += fbx->objects[i].kind == FBX_VIDEO;
        out->path = arena_printf(fbx->arena, "%s:%u", own, number);
    } else if (*name && own) {
        out->path = model_picture_path(fbx->arena, own, name);
        out->folder = model_picture_folder(fbx->arena, name);
    } else {
        return false;
    }
    read_placement(fbx, object, &out->placement);
    out->placement.is_second_set = is_second_set(fbx, model, fbx_property_text(fbx, object, "UVSet"));
    return true;
}

/* The picture of the first of these properties that has one. */
static bool find_texture(struct fbx *fbx, uint32_t material, uint32_t model, const char *names,
                         struct model_texture *out)
{
    for (; *names; names += strlen(names) + 1)
        for (int i = 0; i < 2; i++) {
            const struct fbx_links links = fbx_links_of(fbx, material, i ? FBX_LAYERED_TEXTURE : FBX_TEXTURE);
            for (uint32_t k = 0; k < links.count; k++)
                if (fbx_is(links.items[k].property, names) && read_texture(fbx, links.items[k].object, model, out))
                    return true;
        }
    return false;
}

/* -- Materials ------------------------------------------------------------------------------------------------- */

static float linear_of(const struct fbx *fbx, double code)
{
    const bool is_linear =
        fbx->options->colors == COLORS_AUTO ? fbx->is_of_blender : fbx->options->colors == COLORS_LINEAR;
    return !is_linear ? model_linear_of(code) : code > 0 ? (float)fmin(code, 1) : 0;
}

static float between(double value, double most)
{
    return value > 0 ? (float)fmin(value, most) : 0;
}

/* A colour times its factor; or one that has it (or NULL). */
static bool read_color(const struct fbx *fbx, const struct fbx_object *material, const char *name,
                       const char *factor, const char *whole, double out[3])
{
    if (!fbx_property_vector(fbx, material, name, out))
        return whole && fbx_property_vector(fbx, material, whole, out);
    const double times = fbx_property_number(fbx, material, factor, 1);
    for (int i = 0; i < 3; i++)
        out[i] *= times;
    return true;
}

/* Numbers of the first material of the new kind whose property the object has. */
static const struct physical {
    const char *base, *metallic, *roughness, *emissive, *strength;
} physicals[] = {
    {"Maya|base_color", "Maya|metallic", "Maya|roughness", "Maya|emissive", "Maya|emissive_intensity"},
    {"Maya|baseColor", "Maya|metalness", "Maya|specularRoughness", "Maya|emissionColor", "Maya|emission"},
    {"3dsMax|Parameters|base_color", "3dsMax|Parameters|metalness", "3dsMax|Parameters|roughness",
     "3dsMax|Parameters|emit_color", "3dsMax|Parameters|emission"},
    {"3dsMax|main|baseColor", "3dsMax|main|metalness", "3dsMax|main|roughness", "3dsMax|main|emit_color", ""},
};

static bool read_physical(const struct fbx *fbx, const struct fbx_object *material, struct model_material *out)
{
    for (size_t i = 0; i < COUNT(physicals); i++) {
        const struct physical *row = &physicals[i];
        double base[3] = {1, 1, 1}, emissive[3] = {0};
        if (!fbx_property_vector(fbx, material, row->base, base))
            continue;
        fbx_property_vector(fbx, material, row->emissive, emissive);
        const double strength = fbx_property_number(fbx, material, row->strength, 1);
        for (int k = 0; k < 3; k++) {
            out->base_color_factor[k] = between(base[k], 1);
            out->emissive_factor[k] = between(emissive[k] * strength, 1e6);
        }
        out->metallic = between(fbx_property_number(fbx, material, row->metallic, 0), 1);
        out->roughness = between(fbx_property_number(fbx, material, row->roughness, 0.5), 1);
        if (fbx_property_number(fbx, material, "3dsMax|Parameters|roughness_inv", 0) != 0)
            out->roughness = 1 - out->roughness;
        return true;
    }
    return false;
}

static void read_phong(struct fbx *fbx, const struct fbx_object *material, struct model_material *out)
{
    double color[3] = {1, 1, 1}, emissive[3] = {0}, specular[3] = {0};
    if (read_color(fbx, material, "DiffuseColor", "DiffuseFactor", "Diffuse", color))
        for (int i = 0; i < 3; i++)
            out->base_color_factor[i] = linear_of(fbx, color[i]);
    if (read_color(fbx, material, "EmissiveColor", "EmissiveFactor", "Emissive", emissive))
        for (int i = 0; i < 3; i++)
            out->emissive_factor[i] = linear_of(fbx, emissive[i]);
    double exponent = fbx_property_number(fbx, material, "ShininessExponent", 0);
    exponent = fbx_property_number(fbx, material, "Shininess", exponent);
    if (exponent > 0) { /* as Blender has it in its files, and reads it */
        out->roughness = between(1 - sqrt(exponent) / 10, 1);
        if (!fbx->is_of_blender)
            fbx_note(fbx, false, "roughness is guessed from the shininess of materials", material->name);
    }
    if (read_color(fbx, material, "SpecularColor", "SpecularFactor", NULL, specular) &&
        !(specular[0] + specular[1] + specular[2] > 0))
        out->specular_factor = 0;
}

/* Many exporters write an opacity of 0 for what is not transparent; Maya's TransparencyFactor is 1 for all. */
static void read_alpha(struct fbx *fbx, uint32_t material, uint32_t model, struct model_material *out)
{
    const struct fbx_object *object = &fbx->objects[material];
    double color[3] = {0}, opacity = 1;
    struct model_texture holes;
    if (read_color(fbx, object, "TransparentColor", "TransparencyFactor", NULL, color))
        opacity = 1 - (color[0] + color[1] + color[2]) / 3;
    opacity = fbx_property_number(fbx, object, "Opacity", opacity);
    if (opacity > 0 && opacity < 1)
        out->base_color_factor[3] = (float)opacity;
    out->alpha_mode = out->base_color_factor[3] < 1 ? ALPHA_BLEND : ALPHA_OPAQUE;
    if (!find_texture(fbx, material, model, hole_names, &holes))
        return;
    if (out->base_color.path && !strcmp(holes.path, out->base_color.path))
        out->alpha_mode = ALPHA_MASK;
    else
        fbx_note(fbx, false, "pictures of opacity alone are left out", object->name);
}

/* In versions below 7.0 textures may hang on the model: the first that its geometry names. */
static uint32_t texture_of_model(const struct fbx *fbx, uint32_t model)
{
    const struct fbx_node *layer = fbx_child(fbx->objects[model].node, "LayerElementTexture");
    const uint32_t wanted = (uint32_t)fmax(0, fmin(fbx_number(fbx_child(layer, "TextureId"), 0, 0), 65536));
    const struct fbx_links links = fbx_links_of(fbx, model, FBX_TEXTURE);
    return layer && wanted < links.count ? links.items[wanted].object : FBX_ROOT;
}

const struct model_material *fbx_read_material(struct fbx *fbx, uint32_t material, uint32_t model)
{
    struct model_material *out = arena_must_alloc(fbx->arena, 1, sizeof *out);
    struct model_texture ignored;
    model_material_init(out);
    out->is_double_sided = true; /* files do not say, and models have holes where back faces are left out */
    if (material == FBX_ROOT)
        return out;
    const struct fbx_object *object = &fbx->objects[material];
    out->name = object->name;
    const bool is_physical = read_physical(fbx, object, out);
    if (!is_physical)
        read_phong(fbx, object, out);
    if (find_texture(fbx, material, model, base_names, &out->base_color) ||
        read_texture(fbx, texture_of_model(fbx, model), model, &out->base_color))
        for (int i = 0; i < 3; i++) /* it takes the place of the colour */
            out->base_color_factor[i] = 1;
    read_alpha(fbx, material, model, out);
    if (find_texture(fbx, material, model, emissive_names, &out->emissive))
        out->emissive_factor[0] = out->emissive_factor[1] = out->emissive_factor[2] = 1;
    find_texture(fbx, material, model, normal_names, &out->normal);
    find_texture(fbx, material, model, occlusion_names, &out->occlusion);
    if (find_texture(fbx, material, model, apart_names, &ignored))
        fbx_note(fbx, false, "pictures of metal and roughness apart are left out", object->name);
    return out;
}
