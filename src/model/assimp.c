/* Everything that we have no reader of our own for, through assimp's C interface (docs/formats.md says what of it).
 *
 * libassimp is looked for when the first such model is read, in a process that is confined already. What it makes of a
 * file is copied into a struct rig and checked on the way, like any other file: it passes on what it finds, and more. */
#include <assimp/GltfMaterial.h>
#include <assimp/cfileio.h>
#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/material.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <assimp/version.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "asset/assets.h"
#include "model/format.h"
#include "model/rig.h"

#define LIBRARY "libassimp.so.5"

enum {
    MOST_INFLUENCES = 16, /* of a point; engines take 4 to 8, and assimp drops the weakest */
    MOST_SURFACES = 65536,
    MOST_LOGGED = 8, /* lines of assimp's log that are worth reading */
};

/* Where names of pictures in a file begin, so that they differ from those of our own readers of the same file. */
#define PICTURE_PREFIX "assimp"

static const struct bridged {
    const char *suffix, *name;
    bool is_z_up; /* and assimp leaves it so: most files of these have Z up, whatever their description says */
} bridged[] = {
    {".3d", "Unreal", false},
    {".3ds", "3DS", false},
    {".3mf", "3MF", true},
    {".ac", "AC3D", false},
    {".ac3d", "AC3D", false},
    {".acc", "AC3D", false},
    {".amf", "AMF", true},
    {".ase", "ASE", false},
    {".ask", "ASE", false},
    {".assbin", "assimp's own", false},
    {".b3d", "Blitz3D", false},
    {".blend", "Blender", true},
    {".bvh", "BVH", false},
    {".cob", "trueSpace", true},
    {".csm", "CharacterStudio", true},
    {".dae", "COLLADA", false},
    {".dxf", "DXF", true},
    {".enff", "NFF", false},
    {".fbx", "FBX", false},
    {".hmp", "3D GameStudio terrain", false},
    {".ifc", "IFC", false},
    {".ifczip", "IFC", false},
    {".irr", "Irrlicht scene", false},
    {".irrmesh", "Irrlicht mesh", false},
    {".lwo", "LightWave", false},
    {".lws", "LightWave scene", false},
    {".lxo", "Modo", false},
    {".mdc", "MDC", false},
    {".mdl", "MDL of Half-Life or 3D GameStudio", false},
    {".mesh", "Ogre", false},
    {".mesh.xml", "Ogre XML", false},
    {".mot", "LightWave motion", false},
    {".ms3d", "MS3D", false},
    {".ndo", "Nendo", false},
    {".nff", "NFF", false},
    {".obj", "OBJ", false},
    {".off", "OFF", false},
    {".ogex", "OpenGEX", false},
    {".ply", "PLY", false},
    {".pmx", "PMX", false},
    {".prj", "3DS", false},
    {".q3o", "Quick3D", true},
    {".q3s", "Quick3D", true},
    {".raw", "raw triangles", false},
    {".scn", "trueSpace", true},
    {".sib", "Silo", false},
    {".smd", "SMD", true},
    {".step", "STEP", false},
    {".stl", "STL", true},
    {".stp", "STEP", false},
    {".ter", "Terragen", false},
    {".uc", "Unreal", false},
    {".vta", "SMD", true},
    {".x", "DirectX", false},
    {".x3d", "X3D", false},
    {".x3db", "X3D", false},
    {".xgl", "XGL", false},
    {".zae", "COLLADA", false},
    {".zgl", "XGL", false},
};

static const struct bridged *find_bridged(const char *path)
{
    size_t length = strlen(path);
    for (size_t i = 0; i < sizeof bridged / sizeof *bridged; i++) {
        size_t suffix_length = strlen(bridged[i].suffix);
        if (length >= suffix_length && !strcasecmp(path + length - suffix_length, bridged[i].suffix))
            return &bridged[i];
    }
    return NULL;
}

const char *assimp_suffix(size_t i, const char **format)
{
    if (i >= sizeof bridged / sizeof *bridged)
        return NULL;
    *format = bridged[i].name;
    return bridged[i].suffix;
}

bool assimp_has_suffix(const char *path)
{
    return find_bridged(path) != NULL;
}

bool assimp_is_picture(const char *name)
{
    return !strncmp(name, PICTURE_PREFIX, strlen(PICTURE_PREFIX));
}

/* -- The library ------------------------------------------------------------------------------------------- */

#define CALLS(CALL)                                                                                               \
    CALL(aiImportFileExWithProperties)                                                                            \
    CALL(aiReleaseImport)                                                                                         \
    CALL(aiGetErrorString)                                                                                        \
    CALL(aiCreatePropertyStore)                                                                                   \
    CALL(aiReleasePropertyStore)                                                                                  \
    CALL(aiSetImportPropertyInteger)                                                                              \
    CALL(aiSetImportPropertyFloat)                                                                                \
    CALL(aiAttachLogStream)                                                                                       \
    CALL(aiDetachAllLogStreams)                                                                                   \
    CALL(aiGetMaterialFloatArray)                                                                                 \
    CALL(aiGetMaterialIntegerArray)                                                                               \
    CALL(aiGetMaterialColor)                                                                                      \
    CALL(aiGetMaterialString)                                                                                     \
    CALL(aiGetMaterialTexture)                                                                                    \
    CALL(aiDecomposeMatrix)                                                                                       \
    CALL(aiGetVersionMajor)                                                                                       \
    CALL(aiGetVersionMinor)                                                                                       \
    CALL(aiGetVersionPatch)

struct library {
#define CALL(name) __typeof__(&name) name;
    CALLS(CALL)
#undef CALL
};

static int open_library(struct library *out, struct error *err)
{
    void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return error_set(err, "assimp is needed: install libassimp5 (%s)", dlerror());
#define CALL(name)                                                                                                \
    if (!(*(void **)&out->name = dlsym(handle, #name)))                                                           \
        return error_set(err, "%s has no " #name, LIBRARY);
    CALLS(CALL)
#undef CALL
    /* Its structs may differ from one minor version to the next, and nothing in them says so. */
    char version[32];
    snprintf(version, sizeof version, "%u.%u", out->aiGetVersionMajor(), out->aiGetVersionMinor());
    if (strcmp(version, ASSIMP_VERSION))
        return error_set(err, "%s is of version %s, and this program was built for %s", LIBRARY, version,
                         ASSIMP_VERSION);
    return 0;
}

int assimp_version(char *out, size_t size, struct error *err)
{
    struct library library;
    if (open_library(&library, err))
        return -1;
    snprintf(out, size, "%s.%u", ASSIMP_VERSION, library.aiGetVersionPatch());
    return 0;
}

/* -- Files ------------------------------------------------------------------------------------------------- */

struct import {
    struct library library;
    struct bytes bytes;
    const struct model_options *options;
    struct strings log;
    const struct aiScene *scene;

    /* For the rig: */
    struct model *model;
    struct arena *arena;         /* the model's */
    struct arena scratch;        /* until the file is read */
    const struct aiNode **nodes; /* those of the rig, of the same number */
    struct rig_node *rig_nodes;
    uint32_t node_count;
    const struct model_material **materials;
    struct rig_surface *meshes; /* of the scene, without a node */
    struct rig_skin *skins;     /* one for each mesh */
    struct rig rig;
};

struct open_file {
    struct aiFile calls;
    struct blob blob; /* what had to be read */
    struct bytes bytes;
    size_t at;
};

static size_t read_some(struct aiFile *calls, char *out, size_t size, size_t count)
{
    struct open_file *file = (struct open_file *)calls;
    size_t whole = size ? (file->bytes.size - file->at) / size : 0;
    size_t taken = count < whole ? count : whole;
    if (taken)
        memcpy(out, file->bytes.data + file->at, taken * size);
    file->at += taken * size;
    return taken;
}

static size_t refuse_write(struct aiFile *calls, const char *data, size_t size, size_t count)
{
    (void)calls, (void)data, (void)size, (void)count;
    return 0;
}

static size_t tell_place(struct aiFile *calls)
{
    return ((struct open_file *)calls)->at;
}

static size_t tell_size(struct aiFile *calls)
{
    return ((struct open_file *)calls)->bytes.size;
}

static enum aiReturn seek(struct aiFile *calls, size_t offset, enum aiOrigin origin)
{
    struct open_file *file = (struct open_file *)calls;
    size_t from = origin == aiOrigin_CUR ? file->at : origin == aiOrigin_END ? file->bytes.size : 0;
    size_t to = from + offset; /* a negative offset wraps around, and so back */
    if (to > file->bytes.size)
        return aiReturn_FAILURE;
    file->at = to;
    return aiReturn_SUCCESS;
}

static void flush(struct aiFile *calls)
{
    (void)calls;
}

/* A path that a file has, as one of the assets: assimp puts the folder of the model in front of it. */
static char *asset_path(const char *name)
{
    char *slashed = must_strdup(name);
    for (char *c = slashed; *c; c++)
        if (*c == '\\')
            *c = '/';
    char *path = path_tidy(slashed);
    free(slashed);
    return path;
}

static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode)
{
    const struct import *import = (const struct import *)io->UserData;
    struct open_file *file = must_alloc(1, sizeof *file);
    char *path = asset_path(name), *own = asset_path(import->options->path);
    struct error ignored;
    file->calls = (struct aiFile){read_some, refuse_write, tell_place, tell_size, seek, flush, NULL};
    bool is_there = mode[0] == 'r';
    if (is_there && !strcmp(path, own))
        file->bytes = import->bytes;
    else if (is_there && import->options->assets && assets_find(import->options->assets, path) &&
             assets_read(import->options->assets, path, &file->blob, &ignored) == 0)
        file->bytes = blob_bytes(&file->blob);
    else
        is_there = false;
    free(own);
    free(path);
    if (is_there)
        return &file->calls;
    free(file);
    return NULL;
}

static void close_file(struct aiFileIO *io, struct aiFile *calls)
{
    struct open_file *file = (struct open_file *)calls;
    (void)io;
    blob_release(&file->blob);
    free(file);
}

/* -- Import ------------------------------------------------------------------------------------------------ */

/* Lines are "Warn,  T0: text". */
static void take_line(const char *line, char *user)
{
    struct strings *log = (struct strings *)user;
    const char *text = strstr(line, ": ");
    if (!text || (strncmp(line, "Warn", 4) && strncmp(line, "Error", 5)) || log->count >= MOST_LOGGED)
        return;
    size_t length = strcspn(text + 2, "\r\n");
    char *told = must_printf("assimp says: %.*s", (int)length, text + 2);
    if (!strings_has(log, told))
        strings_add(log, told);
    free(told);
}

static const struct aiScene *run_import(struct import *import, unsigned steps)
{
    struct library *library = &import->library;
    struct aiFileIO io = {.OpenProc = open_file, .CloseProc = close_file, .UserData = (char *)import};
    struct aiPropertyStore *settings = library->aiCreatePropertyStore();
    const struct aiLogStream stream = {.callback = take_line, .user = (char *)&import->log};
    library->aiSetImportPropertyInteger(settings, AI_CONFIG_PP_LBW_MAX_WEIGHTS, MOST_INFLUENCES);
    library->aiSetImportPropertyFloat(settings, AI_CONFIG_PP_GSN_MAX_SMOOTHING_ANGLE, 60);
    library->aiAttachLogStream(&stream);
    const struct aiScene *scene =
        library->aiImportFileExWithProperties(import->options->path, steps, &io, settings);
    library->aiDetachAllLogStreams();
    library->aiReleasePropertyStore(settings);
    return scene;
}

/* The scene is the caller's to release, as is the log; neither is set on failure. */
static int import_scene(struct import *import, unsigned steps, struct error *err)
{
    if (!import->options->path)
        return error_set(err, "assimp needs the name of a file");
    if (open_library(&import->library, err))
        return -1;
    import->scene = run_import(import, steps);
    if (import->scene)
        return 0;
    strings_release(&import->log);
    const char *reason = import->library.aiGetErrorString();
    return error_set(err, "assimp says: %.*s", (int)strcspn(reason, "\r\n"), *reason ? reason : "nothing");
}

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

static int read_picture(struct bytes bytes, const struct model_options *options, const char *name,
                        struct blob *out, struct error *err)
{
    struct import import = {.bytes = bytes, .options = options};
    char *end;
    unsigned long index = strtoul(name + strlen(PICTURE_PREFIX), &end, 10);
    if (import_scene(&import, 0, err))
        return -1;
    int result = *end || index >= import.scene->mNumTextures
                     ? error_set(err, "it has no picture '%s'", name)
                     : copy_picture(import.scene->mTextures[index], out, err);
    import.library.aiReleaseImport(import.scene);
    strings_release(&import.log);
    return result;
}

/* -- Materials --------------------------------------------------------------------------------------------- */

static void tell(struct import *import, const char *text)
{
    if (!strings_has(&import->model->oddities, text))
        strings_add(&import->model->oddities, text);
}

static const char *text_of(struct import *import, const struct aiString *text)
{
    return arena_strndup(import->arena, text->data, MODEL_LONGEST_NAME);
}

static float bounded(float value)
{
    return fabsf(value) < (float)RIG_LARGEST_NUMBER ? value : 0; /* also for NaN */
}

static float clamp(float value, float most)
{
    return value > 0 ? fminf(value, most) : 0;
}

static float linear_of(float code)
{
    return code <= 0.04045f ? clamp(code, 1) / 12.92f : powf((clamp(code, 1) + 0.055f) / 1.055f, 2.4f);
}

static bool get_number(struct import *import, const struct aiMaterial *material, const char *key, unsigned type,
                       unsigned index, float *out)
{
    unsigned count = 1;
    float value;
    if (import->library.aiGetMaterialFloatArray(material, key, type, index, &value, &count) != aiReturn_SUCCESS ||
        count != 1 || !isfinite(value))
        return false;
    *out = value;
    return true;
}

static bool get_color(struct import *import, const struct aiMaterial *material, const char *key, unsigned type,
                      unsigned index, float out[3])
{
    struct aiColor4D color = {0, 0, 0, 1};
    if (import->library.aiGetMaterialColor(material, key, type, index, &color) != aiReturn_SUCCESS)
        return false;
    const float values[3] = {color.r, color.g, color.b};
    for (int i = 0; i < 3; i++)
        out[i] = clamp(values[i], 1e6f);
    return true;
}

static const char *skip_folders(const char *path)
{
    const char *base = path;
    for (const char *c = path; *c; c++)
        if (*c == '/' || *c == '\\')
            base = c + 1;
    return base;
}

/* The path of a picture: "*3" is one in the file, which may also go by the name that it had outside. */
static const char *picture_path(struct import *import, const char *name)
{
    const struct aiScene *scene = import->scene;
    const char *own = import->options->path;
    unsigned index = scene->mNumTextures;
    if (*name == '*')
        index = (unsigned)strtoul(name + 1, NULL, 10);
    for (unsigned i = 0; i < scene->mNumTextures && index == scene->mNumTextures; i++)
        if (*name && !strcasecmp(skip_folders(scene->mTextures[i]->mFilename.data), skip_folders(name)))
            index = i;
    if (index < scene->mNumTextures)
        return arena_printf(import->arena, "%s:" PICTURE_PREFIX "%u", own, index);
    if (!*name || *name == '*')
        return NULL;
    /* What is absolute was so on another machine. */
    bool is_absolute = *name == '/' || *name == '\\' || strchr(name, ':');
    char *folder = path_folder(own), *inside = asset_path(is_absolute ? skip_folders(name) : name);
    char *joined = path_join(folder, inside), *path = path_tidy(joined);
    const char *kept = arena_strdup(import->arena, path);
    free(path);
    free(joined);
    free(inside);
    free(folder);
    return kept;
}

static bool read_texture(struct import *import, const struct aiMaterial *material, enum aiTextureType type,
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
    enum model_wrap wraps[2];
    for (int i = 0; i < 2; i++)
        wraps[i] = modes[i] == aiTextureMapMode_Clamp    ? MODEL_WRAP_CLAMP
                   : modes[i] == aiTextureMapMode_Mirror ? MODEL_WRAP_MIRROR
                                                         : MODEL_WRAP_REPEAT;
    if (uv_set > 1)
        tell(import, "texture coordinates beyond the second set, for which the first is taken");
    *out = (struct model_texture){.path = found, .wrap_s = wraps[0], .wrap_t = wraps[1], .uv_set = uv_set == 1};
    return true;
}

/* Shininess is the exponent of Phong's highlight. */
static void read_shine(struct import *import, const struct aiMaterial *material, struct model_material *out)
{
    float exponent, color[3];
    if (get_number(import, material, AI_MATKEY_SHININESS, &exponent) && exponent > 0)
        out->roughness = powf(2 / (exponent + 2), 0.25f);
    if (get_color(import, material, AI_MATKEY_COLOR_SPECULAR, color) && !(color[0] + color[1] + color[2] > 0))
        out->specular_factor = 0;
    get_number(import, material, AI_MATKEY_METALLIC_FACTOR, &out->metallic);
    get_number(import, material, AI_MATKEY_ROUGHNESS_FACTOR, &out->roughness);
    out->metallic = clamp(out->metallic, 1);
    out->roughness = clamp(out->roughness, 1);
    if (!read_texture(import, material, aiTextureType_UNKNOWN, &out->metallic_roughness)) {
        struct model_texture ignored;
        if (read_texture(import, material, aiTextureType_METALNESS, &ignored) ||
            read_texture(import, material, aiTextureType_DIFFUSE_ROUGHNESS, &ignored))
            tell(import, "pictures of metal and roughness apart are left out");
    }
}

/* A colour of the old kind is one that is seen on a screen, and a picture takes its place. */
static void read_base_color(struct import *import, const struct aiMaterial *material, struct model_material *out)
{
    bool is_linear = get_color(import, material, AI_MATKEY_BASE_COLOR, out->base_color_factor);
    bool has_color = is_linear || get_color(import, material, AI_MATKEY_COLOR_DIFFUSE, out->base_color_factor);
    bool has_picture = read_texture(import, material, aiTextureType_BASE_COLOR, &out->base_color) ||
                       read_texture(import, material, aiTextureType_DIFFUSE, &out->base_color);
    for (int i = 0; i < 3 && has_color && !is_linear; i++)
        out->base_color_factor[i] = has_picture ? 1 : linear_of(out->base_color_factor[i]);
}

/* Many exporters write an opacity of 0 for what is not transparent. */
static void read_alpha(struct import *import, const struct aiMaterial *material, struct model_material *out)
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
            tell(import, "pictures of opacity alone are left out");
    }
    if (import->library.aiGetMaterialString(material, AI_MATKEY_GLTF_ALPHAMODE, &mode) == aiReturn_SUCCESS)
        out->alpha_mode = !strcmp(mode.data, "MASK")    ? ALPHA_MASK
                          : !strcmp(mode.data, "BLEND") ? ALPHA_BLEND
                                                        : ALPHA_OPAQUE;
    get_number(import, material, AI_MATKEY_GLTF_ALPHACUTOFF, &out->alpha_cutoff);
}

static void read_material(struct import *import, const struct aiMaterial *material, struct model_material *out)
{
    struct aiString name = {0};
    float emission[3];
    unsigned count = 1;
    int is_two_sided = 1; /* most formats do not say, and their models have holes where back faces are left out */
    model_material_init(out);
    if (import->library.aiGetMaterialString(material, AI_MATKEY_NAME, &name) == aiReturn_SUCCESS)
        out->name = text_of(import, &name);
    read_base_color(import, material, out);
    read_shine(import, material, out);
    read_alpha(import, material, out);
    if (get_color(import, material, AI_MATKEY_COLOR_EMISSIVE, emission))
        for (int i = 0; i < 3; i++)
            out->emissive_factor[i] = linear_of(emission[i]);
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

static int read_materials(struct import *import, struct error *err)
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

/* -- Nodes ------------------------------------------------------------------------------------------------- */

/* In the order of their depth: the list is its own queue. */
static int list_nodes(struct import *import, struct error *err)
{
    import->nodes = arena_alloc(&import->scratch, MODEL_MOST_JOINTS, sizeof *import->nodes, err);
    import->rig_nodes = arena_alloc(import->arena, MODEL_MOST_JOINTS, sizeof *import->rig_nodes, err);
    if (!import->nodes || !import->rig_nodes)
        return -1;
    import->nodes[0] = import->scene->mRootNode;
    import->rig_nodes[0].parent = -1;
    import->node_count = 1;
    for (uint32_t i = 0; i < import->node_count; i++) {
        const struct aiNode *node = import->nodes[i];
        if (node->mNumChildren > MODEL_MOST_JOINTS - import->node_count)
            return error_set(err, "more than %d nodes", MODEL_MOST_JOINTS);
        for (unsigned k = 0; k < node->mNumChildren; k++) {
            import->rig_nodes[import->node_count].parent = (int32_t)i;
            import->nodes[import->node_count++] = node->mChildren[k];
        }
    }
    return 0;
}

/* By column; fails for numbers that no pose stands. */
static int read_matrix(const struct aiMatrix4x4 *matrix, double out[16], struct error *err)
{
    const float *rows = &matrix->a1;
    for (int i = 0; i < 16; i++) {
        float value = rows[i % 4 * 4 + i / 4];
        if (!(fabs(value) < RIG_LARGEST_NUMBER))
            return error_set(err, "a matrix has the number %g", value);
        out[i] = value;
    }
    return 0;
}

static void read_quaternion(const struct aiQuaternion *quaternion, double out[4])
{
    const double values[4] = {bounded(quaternion->x), bounded(quaternion->y), bounded(quaternion->z),
                              bounded(quaternion->w)};
    memcpy(out, values, sizeof values);
    quaternion_normalise(out);
}

static int read_nodes(struct import *import, struct error *err)
{
    if (list_nodes(import, err))
        return -1;
    for (uint32_t i = 0; i < import->node_count; i++) {
        const struct aiNode *node = import->nodes[i];
        struct rig_node *out = &import->rig_nodes[i];
        struct aiVector3D scale, move;
        struct aiQuaternion turn;
        double *matrix = arena_must_alloc(import->arena, 16, sizeof *matrix);
        out->name = text_of(import, &node->mName);
        if (read_matrix(&node->mTransformation, matrix, err))
            return error_add(err, "node '%s'", out->name);
        out->matrix = matrix;
        import->library.aiDecomposeMatrix(&node->mTransformation, &scale, &turn, &move);
        out->local = (struct transform){.translation = {bounded(move.x), bounded(move.y), bounded(move.z)},
                                        .scale = {bounded(scale.x), bounded(scale.y), bounded(scale.z)}};
        read_quaternion(&turn, out->local.rotation);
    }
    import->rig.nodes = import->rig_nodes;
    import->rig.node_count = import->node_count;
    return 0;
}

/* The first node of that name, of `length` bytes; -1: none. */
static int32_t find_node(const struct import *import, const char *name, size_t length)
{
    for (uint32_t i = 0; i < import->node_count; i++)
        if (!strncmp(import->rig_nodes[i].name, name, length) && !import->rig_nodes[i].name[length])
            return (int32_t)i;
    return -1;
}

/* -- Meshes ------------------------------------------------------------------------------------------------ */

static vec3 *copy_vectors(struct import *import, const struct aiVector3D *from, uint32_t count, struct error *err)
{
    vec3 *out = arena_alloc(import->arena, count, sizeof *out, err);
    for (uint32_t i = 0; out && i < count; i++) {
        const float values[3] = {bounded(from[i].x), bounded(from[i].y), bounded(from[i].z)};
        memcpy(out[i], values, sizeof values);
    }
    return out;
}

static int read_positions(struct import *import, const struct aiMesh *mesh, struct rig_surface *out,
                          struct error *err)
{
    for (uint32_t i = 0; i < mesh->mNumVertices; i++) {
        const struct aiVector3D *at = &mesh->mVertices[i];
        if (!(fabs(at->x) < RIG_LARGEST_NUMBER && fabs(at->y) < RIG_LARGEST_NUMBER &&
              fabs(at->z) < RIG_LARGEST_NUMBER))
            return error_set(err, "vertex %u is at %g %g %g", i, at->x, at->y, at->z);
    }
    out->positions = (const vec3 *)copy_vectors(import, mesh->mVertices, mesh->mNumVertices, err);
    if (mesh->mNormals)
        out->normals = (const vec3 *)copy_vectors(import, mesh->mNormals, mesh->mNumVertices, err);
    return out->positions && (out->normals || !mesh->mNormals) ? 0 : -1;
}

static int read_uvs(struct import *import, const struct aiVector3D *from, uint32_t count, const vec2 **out,
                    struct error *err)
{
    if (!from)
        return 0;
    vec2 *uvs = arena_alloc(import->arena, count, sizeof *uvs, err);
    for (uint32_t i = 0; uvs && i < count; i++) {
        uvs[i][0] = bounded(from[i].x);
        uvs[i][1] = bounded(from[i].y);
    }
    *out = (const vec2 *)uvs;
    return uvs ? 0 : -1;
}

static int read_colors(struct import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    const struct aiColor4D *from = mesh->mColors[0];
    if (!from)
        return 0;
    bool is_linear = !find_bridged(import->options->path); /* in glTF; other formats have colours of the screen */
    vec4 *colors = arena_alloc(import->arena, mesh->mNumVertices, sizeof *colors, err);
    for (uint32_t i = 0; colors && i < mesh->mNumVertices; i++) {
        const float codes[3] = {from[i].r, from[i].g, from[i].b};
        for (int k = 0; k < 3; k++)
            colors[i][k] = is_linear ? clamp(codes[k], 1) : linear_of(codes[k]);
        colors[i][3] = clamp(from[i].a, 1);
    }
    out->colors = (const vec4 *)colors;
    return colors ? 0 : -1;
}

static int read_faces(struct import *import, const struct aiMesh *mesh, struct rig_surface *out, struct error *err)
{
    if (mesh->mNumFaces > MODEL_MOST_TRIANGLES)
        return error_set(err, "%u triangles (at most %d)", mesh->mNumFaces, MODEL_MOST_TRIANGLES);
    uint32_t *indices = arena_alloc(import->arena, mesh->mNumFaces, 3 * sizeof *indices, err);
    for (uint32_t i = 0; indices && i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        for (unsigned k = 0; k < face->mNumIndices; k++)
            if (face->mNumIndices != 3 || face->mIndices[k] >= mesh->mNumVertices)
                return error_set(err, "face %u names vertex %u of %u", i, face->mIndices[k], mesh->mNumVertices);
        if (face->mNumIndices == 3)
            memcpy(&indices[out->index_count], face->mIndices, 3 * sizeof *indices);
        out->index_count += face->mNumIndices == 3 ? 3 : 0;
    }
    out->indices = indices;
    return indices ? 0 : -1;
}

/* What assimp has of a morph target are its places; a rig has what they add. */
static vec3 *find_differences(struct import *import, const struct aiVector3D *to, const vec3 *from, uint32_t count,
                              struct error *err)
{
    vec3 *out = copy_vectors(import, to, count, err);
    for (uint32_t i = 0; out && i < count; i++)
        for (int k = 0; k < 3; k++)
            out[i][k] -= from[i][k];
    return out;
}

static int read_morphs(struct import *import, const struct aiMesh *mesh, struct rig_surface *out,
                       struct error *err)
{
    struct rig_morph *morphs = arena_alloc(import->arena, mesh->mNumAnimMeshes, sizeof *morphs, err);
    if (!morphs)
        return -1;
    for (unsigned i = 0; i < mesh->mNumAnimMeshes; i++) {
        const struct aiAnimMesh *target = mesh->mAnimMeshes[i];
        if (target->mNumVertices != mesh->mNumVertices)
            return error_set(err, "morph target %u has %u vertices, its mesh %u", i, target->mNumVertices,
                             mesh->mNumVertices);
        vec3 *positions = NULL, *normals = NULL;
        if (target->mVertices &&
            !(positions = find_differences(import, target->mVertices, out->positions, mesh->mNumVertices, err)))
            return -1;
        if (target->mNormals && out->normals &&
            !(normals = find_differences(import, target->mNormals, out->normals, mesh->mNumVertices, err)))
            return -1;
        morphs[i] = (struct rig_morph){(const vec3 *)positions, (const vec3 *)normals};
    }
    out->morphs = morphs;
    out->morph_count = mesh->mNumAnimMeshes;
    return 0;
}

/* How many weights each vertex has, at the most. */
static int count_influences(struct import *import, const struct aiMesh *mesh, uint32_t *out, struct error *err)
{
    uint32_t *counts = arena_alloc(&import->scratch, mesh->mNumVertices, sizeof *counts, err);
    uint32_t most = 0;
    if (!counts)
        return -1;
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            uint32_t vertex = mesh->mBones[b]->mWeights[i].mVertexId;
            if (vertex >= mesh->mNumVertices)
                return error_set(err, "bone %u names vertex %u of %u", b, vertex, mesh->mNumVertices);
            if (++counts[vertex] > most)
                most = counts[vertex];
        }
    if (most > MOST_INFLUENCES)
        return error_set(err, "a vertex hangs on %u bones (at most %d)", most, MOST_INFLUENCES);
    *out = most ? most : 1;
    return 0;
}

/* The bones of a mesh, and one more joint that carries what hangs on no bone: the node of the mesh. */
static int read_skin(struct import *import, const struct aiMesh *mesh, uint32_t node, struct rig_skin *out,
                     struct error *err)
{
    uint32_t *joints = arena_alloc(import->arena, (size_t)mesh->mNumBones + 1, sizeof *joints, err);
    double *binds = arena_alloc(import->arena, (size_t)mesh->mNumBones + 1, 16 * sizeof *binds, err);
    if (!joints || !binds)
        return -1;
    for (unsigned b = 0; b < mesh->mNumBones; b++) {
        const char *name = text_of(import, &mesh->mBones[b]->mName);
        int32_t joint = find_node(import, name, strlen(name));
        if (joint < 0)
            tell(import, "bones that are no nodes do not move");
        joints[b] = joint < 0 ? node : (uint32_t)joint;
        if (read_matrix(&mesh->mBones[b]->mOffsetMatrix, &binds[(size_t)b * 16], err))
            return error_add(err, "bone '%s'", name);
    }
    joints[mesh->mNumBones] = node;
    for (int i = 0; i < 4; i++)
        binds[(size_t)mesh->mNumBones * 16 + (size_t)i * 5] = 1;
    *out = (struct rig_skin){mesh->mNumBones + 1, joints, binds};
    return 0;
}

static int read_influences(struct import *import, const struct aiMesh *mesh, struct rig_surface *out,
                           struct error *err)
{
    uint32_t width = 0;
    if (count_influences(import, mesh, &width, err))
        return -1;
    uint32_t *joints = arena_alloc(import->arena, (size_t)mesh->mNumVertices * width, sizeof *joints, err);
    float *weights = arena_alloc(import->arena, (size_t)mesh->mNumVertices * width, sizeof *weights, err);
    uint32_t *used = arena_alloc(&import->scratch, mesh->mNumVertices, sizeof *used, err);
    if (!joints || !weights || !used)
        return -1;
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            const struct aiVertexWeight *weight = &mesh->mBones[b]->mWeights[i];
            size_t at = (size_t)weight->mVertexId * width + used[weight->mVertexId]++;
            joints[at] = b;
            weights[at] = clamp(weight->mWeight, 1e6f);
        }
    for (uint32_t v = 0; v < mesh->mNumVertices; v++) {
        float *own = weights + (size_t)v * width, sum = 0;
        for (uint32_t i = 0; i < width; i++)
            sum += own[i];
        for (uint32_t i = 0; i < width && sum > 0; i++)
            own[i] /= sum;
        if (!(sum > 0)) {
            joints[(size_t)v * width] = mesh->mNumBones;
            own[0] = 1;
        }
    }
    out->joints = joints;
    out->weights = weights;
    out->influence_count = width;
    return 0;
}

/* `node` is the first one that has it. */
static int read_mesh(struct import *import, uint32_t number, uint32_t node, struct error *err)
{
    const struct aiMesh *mesh = import->scene->mMeshes[number];
    struct rig_surface *out = &import->meshes[number];
    if (mesh->mNumVertices > MODEL_MOST_POINTS)
        return error_set(err, "%u vertices (at most %d)", mesh->mNumVertices, MODEL_MOST_POINTS);
    if (mesh->mMaterialIndex >= import->scene->mNumMaterials)
        return error_set(err, "it has material %u of %u", mesh->mMaterialIndex, import->scene->mNumMaterials);
    const struct model_material *const *material = &import->materials[mesh->mMaterialIndex];
    *out = (struct rig_surface){
        .name = text_of(import, &mesh->mName),
        .material = {.kind = MATERIAL_OWN, .name = (*material)->name, .own = material},
        .skin = -1,
        .point_count = mesh->mNumVertices,
    };
    if (read_faces(import, mesh, out, err) || read_positions(import, mesh, out, err) ||
        read_uvs(import, mesh->mTextureCoords[0], mesh->mNumVertices, &out->uvs, err) ||
        read_uvs(import, mesh->mTextureCoords[1], mesh->mNumVertices, &out->more_uvs, err) ||
        read_colors(import, mesh, out, err) || read_morphs(import, mesh, out, err))
        return -1;
    if (!mesh->mNumBones)
        return 0;
    out->skin = (int32_t)import->rig.skin_count;
    return read_skin(import, mesh, node, &import->skins[import->rig.skin_count++], err) ||
                   read_influences(import, mesh, out, err)
               ? -1
               : 0;
}

/* The weights of the morph targets at rest: of the mesh that has most. */
static int add_weights(struct import *import, const struct aiMesh *mesh, struct rig_node *node, struct error *err)
{
    if (mesh->mNumAnimMeshes <= node->weight_count)
        return 0;
    float *weights = arena_alloc(import->arena, mesh->mNumAnimMeshes, sizeof *weights, err);
    for (unsigned i = 0; weights && i < mesh->mNumAnimMeshes; i++)
        weights[i] = bounded(mesh->mAnimMeshes[i]->mWeight);
    node->weights = weights;
    node->weight_count = mesh->mNumAnimMeshes;
    return weights ? 0 : -1;
}

static int read_surfaces_of(struct import *import, uint32_t node, struct rig_surface *out, struct error *err)
{
    const struct aiNode *from = import->nodes[node];
    for (unsigned i = 0; i < from->mNumMeshes; i++) {
        uint32_t number = from->mMeshes[i];
        if (number >= import->scene->mNumMeshes)
            return error_set(err, "mesh %u of %u", number, import->scene->mNumMeshes);
        const struct aiMesh *mesh = import->scene->mMeshes[number];
        if (!(mesh->mPrimitiveTypes & aiPrimitiveType_TRIANGLE)) {
            tell(import, "points and lines are left out");
            continue;
        }
        if ((!import->meshes[number].positions && read_mesh(import, number, node, err)) ||
            add_weights(import, mesh, &import->rig_nodes[node], err))
            return error_add(err, "mesh %u", number);
        struct rig_surface *surface = &out[import->rig.surface_count++];
        *surface = import->meshes[number];
        surface->node = node;
        if (!*surface->name)
            surface->name = *import->rig_nodes[node].name ? import->rig_nodes[node].name : "mesh";
    }
    return 0;
}

static int read_surfaces(struct import *import, struct error *err)
{
    const struct aiScene *scene = import->scene;
    uint64_t count = 0;
    for (uint32_t i = 0; i < import->node_count; i++)
        count += import->nodes[i]->mNumMeshes;
    if (count > MOST_SURFACES)
        return error_set(err, "%llu meshes of nodes (at most %d)", (unsigned long long)count, MOST_SURFACES);
    struct rig_surface *surfaces = arena_alloc(import->arena, count, sizeof *surfaces, err);
    import->meshes = arena_alloc(&import->scratch, scene->mNumMeshes, sizeof *import->meshes, err);
    import->rig.skins = import->skins = arena_alloc(import->arena, scene->mNumMeshes, sizeof *import->skins, err);
    if (!surfaces || !import->meshes || !import->skins)
        return -1;
    import->rig.surfaces = surfaces;
    for (uint32_t i = 0; i < import->node_count; i++)
        if (read_surfaces_of(import, i, surfaces, err))
            return error_add(err, "node '%s'", import->rig_nodes[i].name);
    return import->rig.surface_count ? 0 : error_set(err, "it has no triangles");
}

/* -- Animations -------------------------------------------------------------------------------------------- */

/* The keys of a track in the order of their times. Those that go back in time are left out. */
static struct rig_track *begin_track(struct import *import, struct rig_track *track, uint32_t node,
                                     enum rig_target target, uint32_t width, uint32_t key_count, struct error *err)
{
    float *times_s = arena_alloc(import->arena, key_count, sizeof *times_s, err);
    float *values = arena_alloc(import->arena, (size_t)key_count * width, sizeof *values, err);
    if (!times_s || !values)
        return NULL;
    *track =
        (struct rig_track){.node = node, .target = target, .width = width, .times_s = times_s, .values = values};
    return track;
}

/* Room for the values of the next key, or NULL. */
static float *add_key(struct import *import, struct rig_track *track, double time_s)
{
    float *times_s = (float *)track->times_s;
    uint32_t count = track->key_count;
    if (!(fabs(time_s) < 1e6) || (count && !((float)time_s > times_s[count - 1]))) {
        tell(import, "keys of an animation that do not follow the one before are left out");
        return NULL;
    }
    times_s[count] = (float)time_s;
    return (float *)track->values + (size_t)track->width * track->key_count++;
}

static int add_vectors(struct import *import, struct rig_animation *out, uint32_t node, enum rig_target target,
                       const struct aiVectorKey *keys, uint32_t count, double tick_s, struct error *err)
{
    struct rig_track *track = (struct rig_track *)&out->tracks[out->track_count];
    if (!count)
        return 0;
    if (!begin_track(import, track, node, target, 3, count, err))
        return -1;
    for (uint32_t i = 0; i < count; i++) {
        float *value = add_key(import, track, keys[i].mTime * tick_s);
        const float values[3] = {bounded(keys[i].mValue.x), bounded(keys[i].mValue.y), bounded(keys[i].mValue.z)};
        if (value)
            memcpy(value, values, sizeof values);
    }
    out->track_count += track->key_count > 0;
    return 0;
}

static int add_rotations(struct import *import, struct rig_animation *out, uint32_t node,
                         const struct aiNodeAnim *channel, double tick_s, struct error *err)
{
    struct rig_track *track = (struct rig_track *)&out->tracks[out->track_count];
    if (!channel->mNumRotationKeys)
        return 0;
    if (!begin_track(import, track, node, RIG_ROTATION, 4, channel->mNumRotationKeys, err))
        return -1;
    for (uint32_t i = 0; i < channel->mNumRotationKeys; i++) {
        float *value = add_key(import, track, channel->mRotationKeys[i].mTime * tick_s);
        double rotation[4];
        read_quaternion(&channel->mRotationKeys[i].mValue, rotation);
        for (int k = 0; value && k < 4; k++)
            value[k] = (float)rotation[k];
    }
    out->track_count += track->key_count > 0;
    return 0;
}

/* A channel of morph targets is called as its node; what may follow is a '*' and the number of the mesh. */
static int add_weight_track(struct import *import, struct rig_animation *out,
                            const struct aiMeshMorphAnim *channel, double tick_s, struct error *err)
{
    struct rig_track *track = (struct rig_track *)&out->tracks[out->track_count];
    int32_t node = find_node(import, channel->mName.data, strcspn(channel->mName.data, "*"));
    if (node < 0 || !import->rig_nodes[node].weight_count || !channel->mNumKeys)
        return 0;
    uint32_t width = import->rig_nodes[node].weight_count;
    if (!begin_track(import, track, (uint32_t)node, RIG_WEIGHTS, width, channel->mNumKeys, err))
        return -1;
    for (uint32_t i = 0; i < channel->mNumKeys; i++) {
        const struct aiMeshMorphKey *key = &channel->mKeys[i];
        float *value = add_key(import, track, key->mTime * tick_s);
        for (unsigned k = 0; value && k < key->mNumValuesAndWeights; k++)
            if (key->mValues[k] < width)
                value[key->mValues[k]] = bounded((float)key->mWeights[k]);
    }
    out->track_count += track->key_count > 0;
    return 0;
}

/* No clip begins before 0. */
static void shift_times(struct rig_animation *animation)
{
    float first_s = 0;
    for (uint32_t i = 0; i < animation->track_count; i++)
        first_s = fminf(first_s, animation->tracks[i].times_s[0]);
    for (uint32_t i = 0; i < animation->track_count && first_s < 0; i++)
        for (uint32_t k = 0; k < animation->tracks[i].key_count; k++)
            ((float *)animation->tracks[i].times_s)[k] -= first_s;
}

static int read_animation(struct import *import, const struct aiAnimation *from, struct rig_animation *out,
                          struct error *err)
{
    double tick_s = from->mTicksPerSecond > 0 ? 1 / from->mTicksPerSecond : 1.0 / 25;
    size_t most = (size_t)from->mNumChannels * 3 + from->mNumMorphMeshChannels;
    *out = (struct rig_animation){.name = text_of(import, &from->mName),
                                  .tracks = arena_alloc(import->arena, most, sizeof *out->tracks, err)};
    if (!out->tracks)
        return -1;
    for (unsigned i = 0; i < from->mNumChannels; i++) {
        const struct aiNodeAnim *channel = from->mChannels[i];
        int32_t found = find_node(import, channel->mNodeName.data, strlen(channel->mNodeName.data));
        uint32_t node = (uint32_t)found;
        if (found >= 0 && (add_vectors(import, out, node, RIG_TRANSLATION, channel->mPositionKeys,
                                       channel->mNumPositionKeys, tick_s, err) ||
                           add_rotations(import, out, node, channel, tick_s, err) ||
                           add_vectors(import, out, node, RIG_SCALE, channel->mScalingKeys,
                                       channel->mNumScalingKeys, tick_s, err)))
            return -1;
    }
    for (unsigned i = 0; i < from->mNumMorphMeshChannels; i++)
        if (add_weight_track(import, out, from->mMorphMeshChannels[i], tick_s, err))
            return -1;
    if (from->mNumMeshChannels)
        tell(import, "animations of single vertices are left out");
    shift_times(out);
    return 0;
}

static int read_animations(struct import *import, struct error *err)
{
    const struct aiScene *scene = import->scene;
    struct rig_animation *animations = arena_alloc(import->arena, scene->mNumAnimations, sizeof *animations, err);
    if (!animations)
        return -1;
    for (unsigned i = 0; i < scene->mNumAnimations; i++) {
        if (read_animation(import, scene->mAnimations[i], &animations[import->rig.animation_count], err))
            return error_add(err, "animation %u", i);
        import->rig.animation_count += animations[import->rig.animation_count].track_count > 0;
    }
    import->rig.animations = animations;
    return 0;
}

/* -- The format -------------------------------------------------------------------------------------------- */

/* A number from 0 to `most` that the scene says of itself. */
static bool get_fact(const struct aiScene *scene, const char *key, int32_t most, int32_t *out)
{
    const struct aiMetadata *facts = scene->mMetaData;
    for (unsigned i = 0; facts && i < facts->mNumProperties; i++) {
        const struct aiMetadataEntry *entry = &facts->mValues[i];
        if (strcmp(facts->mKeys[i].data, key) || entry->mType != AI_INT32)
            continue;
        memcpy(out, entry->mData, sizeof *out);
        return *out >= -1 && *out <= most;
    }
    return false;
}

/* FBX files say which axes are up and to the front. Versions of assimp that heed this turn the root. */
static bool find_own_axes(const struct aiScene *scene, double to_model[16])
{
    static const struct aiMatrix4x4 identity = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    int32_t up, up_sign, front, front_sign;
    if (memcmp(&scene->mRootNode->mTransformation, &identity, sizeof identity) ||
        !get_fact(scene, "UpAxis", 2, &up) || !get_fact(scene, "UpAxisSign", 1, &up_sign) ||
        !get_fact(scene, "FrontAxis", 2, &front) || !get_fact(scene, "FrontAxisSign", 1, &front_sign) || up < 0 ||
        front < 0 || up == front || !up_sign || !front_sign)
        return false;
    int left = 3 - up - front, sign = (up + 1) % 3 == front ? 1 : -1; /* up cross front */
    memset(to_model, 0, 16 * sizeof *to_model);
    to_model[front * 4] = front_sign;
    to_model[left * 4 + 1] = sign * up_sign * front_sign;
    to_model[up * 4 + 2] = up_sign;
    to_model[15] = 1;
    return true;
}

/* assimp turns what it reads so that Y is up and +Z to the front, but for the formats whose table row says otherwise. */
static void find_axes(const struct aiScene *scene, const struct bridged *kind, double to_model[16])
{
    if (find_own_axes(scene, to_model))
        return;
    static const double z_up[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; /* -Y is to the front */
    memcpy(to_model, kind && kind->is_z_up ? z_up : rig_y_up_z_forward, sizeof z_up);
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    const unsigned steps = aiProcess_ValidateDataStructure | aiProcess_Triangulate | aiProcess_SortByPType |
                           aiProcess_GenUVCoords | aiProcess_TransformUVCoords | aiProcess_FindInvalidData |
                           aiProcess_GenSmoothNormals | aiProcess_JoinIdenticalVertices |
                           aiProcess_LimitBoneWeights | aiProcess_FlipUVs;
    struct import import = {.bytes = bytes, .options = options, .model = model, .arena = &model->arena};
    if (import_scene(&import, steps, err))
        return -1;
    const struct bridged *kind = find_bridged(options->path);
    const char *suffix = path_suffix(options->path);
    model->format_name = arena_printf(import.arena, "%s, read by assimp " ASSIMP_VERSION ".%u",
                                      kind      ? kind->name
                                      : *suffix ? suffix + 1
                                                : "a file",
                                      import.library.aiGetVersionPatch());
    int result = !import.scene->mRootNode ? error_set(err, "assimp finds nothing in it") : 0;
    if (!result)
        find_axes(import.scene, kind, import.rig.to_model);
    if (!result)
        result = read_materials(&import, err) || read_nodes(&import, err) || read_surfaces(&import, err) ||
                 read_animations(&import, err);
    import.library.aiReleaseImport(import.scene);
    for (size_t i = 0; i < import.log.count; i++)
        tell(&import, import.log.items[i]);
    if (!result)
        result = rig_build(model, &import.rig, err);
    strings_release(&import.log);
    arena_release(&import.scratch);
    return result ? -1 : 0;
}

const struct model_format assimp_format = {
    .name = "assimp",
    .load = load,
    .read_picture = read_picture,
    .pose = rig_pose,
    .pose_joints = rig_pose_joints,
};
