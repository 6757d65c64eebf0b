#include <assimp/GltfMaterial.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "format/assimp.h"

/* -- Pictures ---------------------------------------------------------------------------------------------- */

/* Of raw pixels, a TGA: its pixels are B, G, R, A, too. */
static int copy_picture(const struct aiTexture *texture, struct blob *out, struct error *err)
{
    bool is_raw = texture->mHeight > 0;
    if (is_raw && (texture->mWidth > UINT16_MAX || texture->mHeight > UINT16_MAX))
        return error_set(err, "%u x %u pixels (a side has at most %d)", texture->mWidth, texture->mHeight,
                         UINT16_MAX);
    const uint8_t header[18] = {[2] = 2,
                                [12] = (uint8_t)texture->mWidth,
                                [13] = (uint8_t)(texture->mWidth >> 8),
                                [14] = (uint8_t)texture->mHeight,
                                [15] = (uint8_t)(texture->mHeight >> 8),
                                [16] = 32,
                                [17] = 0x28}; /* from the top, 8 bits of alpha */
    size_t start = is_raw ? sizeof header : 0;
    size_t size = is_raw ? (size_t)texture->mWidth * texture->mHeight * 4 : texture->mWidth;
    struct blob blob = {memory_alloc(start + size, 1, err), start + size};
    if (!blob.data)
        return -1;
    memcpy(blob.data, header, start);
    memcpy(blob.data + start, texture->pcData, size);
    *out = blob;
    return 0;
}

int assimp_read_picture(struct bytes bytes, const struct model_options *options, const char *name,
                        struct blob *out, struct error *err)
{
    struct assimp_import import = {.bytes = bytes, .options = options};
    char *end;
    unsigned long index = strtoul(name + strlen(ASSIMP_PICTURE_PREFIX), &end, 10);
    if (assimp_import(&import, 0, err) < 0)
        return -1;
    int result = *end || index >= import.scene->mNumTextures
                     ? error_set(err, "it has no picture '%s'", name)
                     : copy_picture(import.scene->mTextures[index], out, err);
    import.library.aiReleaseImport(import.scene);
    return result;
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* *out stays where the material has none. */
static void get_number(struct assimp_import *import, const struct aiMaterial *material, const char *key,
                       unsigned type, unsigned index, float *out)
{
    float value = NAN;
    unsigned count = 1;
    import->library.aiGetMaterialFloatArray(material, key, type, index, &value, &count);
    if (isfinite(value))
        *out = value;
}

static bool get_color(struct assimp_import *import, const struct aiMaterial *material, const char *key,
                      unsigned type, unsigned index, float out[3])
{
    struct aiColor4D color = {0, 0, 0, 1};
    if (import->library.aiGetMaterialColor(material, key, type, index, &color) != aiReturn_SUCCESS)
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = assimp_clamp((&color.r)[i], 1e6f);
    return true;
}

/* The path of a picture: "*3" is one in the file, which may also go by the name that it had outside. */
static const char *picture_path(struct assimp_import *import, const char *name)
{
    const struct aiScene *scene = import->scene;
    const char *own = import->options->path;
    bool is_number = *name == '*';
    unsigned index = is_number ? (unsigned)strtoul(name + 1, NULL, 10) : 0;
    if (!*name)
        return NULL;
    while (!is_number && index < scene->mNumTextures &&
           strcasecmp(path_foreign_base(scene->mTextures[index]->mFilename.data), path_foreign_base(name)))
        index++;
    if (index < scene->mNumTextures)
        return arena_printf(import->arena, "%s:" ASSIMP_PICTURE_PREFIX "%u", own, index);
    if (is_number)
        return NULL;
    return model_picture_path(import->arena, own, name);
}

static bool read_texture(struct assimp_import *import, const struct aiMaterial *material, enum aiTextureType type,
                         struct model_texture *out)
{
    struct aiString path = {0};
    enum aiTextureMapMode modes[3] = {aiTextureMapMode_Wrap, aiTextureMapMode_Wrap, aiTextureMapMode_Wrap};
    unsigned uv_set = 0;
    if (import->library.aiGetMaterialTexture(material, type, 0, &path, NULL, &uv_set, NULL, NULL, modes, NULL) !=
        aiReturn_SUCCESS)
        return false;
    path.data[sizeof path.data - 1] = 0;
    const char *found = picture_path(import, path.data);
    if (!found)
        return false;
    if (uv_set > 1)
        assimp_add_oddity(import, "texture coordinates beyond the second set, for which the first is taken");
    *out = (struct model_texture){.path = found, .placement.is_second_set = uv_set == 1};
    for (int i = 0; i < 2; i++)
        out->placement.wrap[i] = modes[i] == aiTextureMapMode_Clamp    ? WRAP_CLAMP
                                 : modes[i] == aiTextureMapMode_Mirror ? WRAP_MIRROR
                                                                       : WRAP_REPEAT;
    return true;
}

/* Shininess is the exponent of Phong's highlight. */
static void read_shine(struct assimp_import *import, const struct aiMaterial *material, struct model_material *out)
{
    float exponent = 0, color[3];
    get_number(import, material, AI_MATKEY_SHININESS, &exponent);
    if (exponent > 0)
        out->roughness = powf(2 / (exponent + 2), 0.25f);
    if (get_color(import, material, AI_MATKEY_COLOR_SPECULAR, color) && !(color[0] + color[1] + color[2] > 0))
        out->specular_factor = 0;
    get_number(import, material, AI_MATKEY_METALLIC_FACTOR, &out->metallic);
    get_number(import, material, AI_MATKEY_ROUGHNESS_FACTOR, &out->roughness);
    out->metallic = assimp_clamp(out->metallic, 1);
    out->roughness = assimp_clamp(out->roughness, 1);
    if (!read_texture(import, material, aiTextureType_UNKNOWN, &out->metallic_roughness)) {
        struct model_texture ignored;
        if (read_texture(import, material, aiTextureType_METALNESS, &ignored) ||
            read_texture(import, material, aiTextureType_DIFFUSE_ROUGHNESS, &ignored))
            assimp_add_oddity(import, "pictures of metal and roughness apart are left out");
    }
}

/* A colour of the old kind is one that is seen on a screen, and a picture takes its place. */
static void read_base_color(struct assimp_import *import, const struct aiMaterial *material,
                            struct model_material *out)
{
    bool is_linear = get_color(import, material, AI_MATKEY_BASE_COLOR, out->base_color_factor);
    bool has_color = is_linear || get_color(import, material, AI_MATKEY_COLOR_DIFFUSE, out->base_color_factor);
    bool has_picture = read_texture(import, material, aiTextureType_BASE_COLOR, &out->base_color) ||
                       read_texture(import, material, aiTextureType_DIFFUSE, &out->base_color);
    for (int i = 0; i < 3 && has_color && !is_linear; i++)
        out->base_color_factor[i] = has_picture ? 1 : assimp_linear(out->base_color_factor[i]);
}

/* Many exporters write an opacity of 0 for what is not transparent. */
static void read_alpha(struct assimp_import *import, const struct aiMaterial *material, struct model_material *out)
{
    struct aiString mode = {0};
    struct model_texture holes;
    float opacity = 1;
    get_number(import, material, AI_MATKEY_OPACITY, &opacity);
    if (opacity > 0 && opacity < 1)
        out->base_color_factor[3] = opacity;
    out->alpha_mode = out->base_color_factor[3] < 1 ? ALPHA_BLEND : ALPHA_OPAQUE;
    if (read_texture(import, material, aiTextureType_OPACITY, &holes)) {
        if (out->base_color.path && !strcmp(holes.path, out->base_color.path))
            out->alpha_mode = ALPHA_MASK;
        else
            assimp_add_oddity(import, "pictures of opacity alone are left out");
    }
    if (import->library.aiGetMaterialString(material, AI_MATKEY_GLTF_ALPHAMODE, &mode) == aiReturn_SUCCESS)
        out->alpha_mode = !strcmp(mode.data, "MASK")    ? ALPHA_MASK
                          : !strcmp(mode.data, "BLEND") ? ALPHA_BLEND
                                                        : ALPHA_OPAQUE;
    get_number(import, material, AI_MATKEY_GLTF_ALPHACUTOFF, &out->alpha_cutoff);
}

static void read_material(struct assimp_import *import, const struct aiMaterial *material,
                          struct model_material *out)
{
    struct aiString name = {0};
    float emission[3];
    unsigned count = 1;
    int is_two_sided = 1; /* most formats do not say, and their models have holes where back faces are left out */
    model_material_init(out);
    if (import->library.aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
        out->name = assimp_text(import, &name);
    read_base_color(import, material, out);
    read_shine(import, material, out);
    read_alpha(import, material, out);
    if (get_color(import, material, AI_MATKEY_COLOR_EMISSIVE, emission))
        for (int i = 0; i < 3; i++)
            out->emissive_factor[i] = assimp_linear(emission[i]);
    if (read_texture(import, material, aiTextureType_EMISSIVE, &out->emissive) ||
        read_texture(import, material, aiTextureType_EMISSION_COLOR, &out->emissive))
        out->emissive_factor[0] = out->emissive_factor[1] = out->emissive_factor[2] = 1;
    if (!read_texture(import, material, aiTextureType_NORMALS, &out->normal))
        read_texture(import, material, aiTextureType_NORMAL_CAMERA, &out->normal);
    if (!read_texture(import, material, aiTextureType_AMBIENT_OCCLUSION, &out->occlusion))
        read_texture(import, material, aiTextureType_LIGHTMAP, &out->occlusion);
    import->library.aiGetMaterialIntegerArray(material, AI_MATKEY_TWOSIDED, &is_two_sided, &count);
    out->is_double_sided = is_two_sided != 0;
}

int assimp_read_materials(struct assimp_import *import, struct error *err)
{
    const struct aiScene *scene = import->scene;
    struct model_material *materials = arena_alloc(import->arena, scene->mNumMaterials, sizeof *materials, err);
    import->materials = arena_alloc(import->arena, scene->mNumMaterials, sizeof *import->materials, err);
    if (!materials || !import->materials)
        return -1;
    for (unsigned i = 0; i < scene->mNumMaterials; i++) {
        read_material(import, scene->mMaterials[i], &materials[i]);
        import->materials[i] = &materials[i];
    }
    return 0;
}
