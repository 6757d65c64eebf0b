/* Everything that we have no reader of our own for, through assimp's C interface (docs/formats.md says what of it).
 *
 * libassimp is looked for when the first such model is read, in a process that is confined already. What it makes of a
 * file is copied into a struct rig and checked on the way, like any other file: it passes on what it finds, and more. */
#include "format/assimp.h"

#include <assimp/commonMetaData.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/strings.h"
#include "fbx/fbx.h"
#include "image/image_format.h"

static const struct model_suffix suffixes[] = {
    {".3d", "Unreal"},
    {".3ds", "3DS"},
    {".3mf", "3MF"},
    {".ac", "AC3D"},
    {".acc", "AC3D"},
    {".amf", "AMF"},
    {".ase", "ASE"},
    {".b3d", "Blitz3D"},
    {".blend", "Blender"},
    {".bvh", "BVH"},
    {".cob", "trueSpace"},
    {".csm", "CharacterStudio"},
    {".dae", "COLLADA"},
    {".dxf", "DXF"},
    {".hmp", "3D GameStudio terrain"},
    {".ifc", "IFC"},
    {".irr", "Irrlicht scene"},
    {".irrmesh", "Irrlicht mesh"},
    {".lwo", "LightWave"},
    {".lws", "LightWave scene"},
    {".lxo", "Modo"},
    {".mdc", "MDC"},
    {".mdl", "MDL of Half-Life or 3D GameStudio"},
    {".mesh", "Ogre"},
    {".mesh.xml", "Ogre XML"},
    {".ms3d", "MS3D"},
    {".nff", "NFF"},
    {".obj", "OBJ"},
    {".off", "OFF"},
    {".ogex", "OpenGEX"},
    {".ply", "PLY"},
    {".pmx", "PMX"},
    {".q3o", "Quick3D"},
    {".q3s", "Quick3D"},
    {".raw", "raw triangles"},
    {".sib", "Silo"},
    {".smd", "SMD"},
    {".stl", "STL"},
    {".ter", "Terragen"},
    {".uc", "Unreal"},
    {".x", "DirectX"},
    {".x3d", "X3D"},
    {".xgl", "XGL"},
    {".zae", "COLLADA"},
    {".zgl", "XGL"},
    {0},
};

/* -- Pictures ---------------------------------------------------------------------------------------------- */

/* Copies a picture; raw pixels become a TGA, which has them as B, G, R, A, too. */
static int copy_picture(const struct aiTexture *texture, struct blob *out, struct error *err)
{
    if (texture->mHeight > 0)
        return tga_save((const uint8_t *)texture->pcData, texture->mWidth, texture->mHeight, 4, out, err);
    struct blob blob = {memory_alloc(texture->mWidth, 1, err), texture->mWidth};
    if (!blob.data)
        return -1;
    memcpy(blob.data, texture->pcData, blob.size);
    *out = blob;
    return 0;
}

static int open_pictures(struct container *file, struct error *err)
{
    struct assimp_import *import = file->opened = must_alloc(1, sizeof *import);
    *import = (struct assimp_import){
        .bytes = file->bytes, .options = &(struct model_options){.path = file->path, .assets = file->assets}};
    return assimp_import(import, 0, err);
}

static int read_picture(const struct container *file, const char *name, struct blob *out, struct error *err)
{
    const struct aiScene *scene = ((const struct assimp_import *)file->opened)->scene;
    char *end;
    unsigned long index = strtoul(name + strlen(ASSIMP_PICTURE_PREFIX), &end, 10);
    return *end || index >= scene->mNumTextures ? error_set(err, "it has no picture '%s'", name)
                                                : copy_picture(scene->mTextures[index], out, err);
}

static void close_pictures(void *opened)
{
    struct assimp_import *import = opened;
    if (import->scene)
        import->library.aiReleaseImport(import->scene);
    free(import);
}

static const struct file_opener assimp_pictures = {open_pictures, read_picture, close_pictures};

/* -- The scene --------------------------------------------------------------------------------------------- */

/* Whether assimp leaves it that Z is up: most files of these formats have it so, whatever their description says. */
static bool leaves_z_up(const char *path)
{
    static const char *const those[] = {".3mf", ".amf", ".blend", ".cob", ".csm",
                                        ".dxf", ".q3o", ".q3s",   ".smd", ".stl"};
    return named_find(those, COUNT(those), sizeof *those, path_suffix(path), true);
}

/* assimp turns what it reads so that Y is up and +Z to the front, but for the formats whose Z it leaves up, and for B3D,
 * whose models look where Blitz3D moves them, along a Z that assimp mirrors. */
static void find_axes(const char *path, double to_model[16])
{
    static const double z_up[16] = {0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}; /* -Y is to the front */
    static const double z_backward[16] = {0, -1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 0, 0, 0, 0, 1};
    memcpy(to_model,
           leaves_z_up(path)                        ? z_up
           : !strcasecmp(path_suffix(path), ".b3d") ? z_backward
                                                    : rig_y_up_z_forward,
           sizeof z_up);
}

/* Blender's exporters write the numbers that it computes with, which are linear; others what is seen on a screen. */
static bool has_linear_colors(const struct aiScene *scene, enum color_space told)
{
    const struct aiMetadata *facts = scene->mMetaData;
    const char *maker = "";
    for (unsigned i = 0; facts && i < facts->mNumProperties; i++)
        if (!strcmp(facts->mKeys[i].data, AI_METADATA_SOURCE_GENERATOR) && facts->mValues[i].mType == AI_AISTRING)
            maker = ((const struct aiString *)facts->mValues[i].mData)->data;
    return told == COLORS_AUTO ? !strncmp(maker, "Blender ", 8) : told == COLORS_LINEAR;
}

/* Scans are large, and how many triangles an STL has is known before it is read. */
static int check_stl(struct bytes bytes, struct error *err)
{
    enum { HEADER_SIZE = 80, TRIANGLE_SIZE = 50, TRIANGLE_BYTES = 600 }; /* the last: what one takes at least */
    static const char end[] = "endfacet";
    struct cursor cursor = cursor_at(bytes, HEADER_SIZE);
    uint64_t count = cursor_u32(&cursor);
    if (bytes.size != cursor.at + count * TRIANGLE_SIZE) { /* it is a text */
        const uint8_t *at = bytes.data, *past = bytes.data + bytes.size;
        for (count = 0; (at = memmem(at, (size_t)(past - at), end, sizeof end - 1)); count++)
            at += sizeof end - 1;
    }
    return memory_check(count * TRIANGLE_BYTES, err) < 0 ? error_add(err, "%ju triangles", (uintmax_t)count) : 0;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct assimp_import import = {.bytes = bytes, .options = options, .model = model, .arena = &model->arena};
    if (fbx_format.matches(bytes))
        return error_set(err, "assimp is not asked for FBX: our own reader has it, as without `via: assimp`");
    if ((!strcasecmp(path_suffix(options->path), ".stl") && check_stl(bytes, err) < 0) ||
        assimp_import_checked(&import, err) < 0) {
        arena_release(&import.scratch);
        return -1;
    }
    const char *suffix = path_suffix(options->path);
    const bool is_known = model->format_name != assimp_format.name;
    model->format_name = arena_printf(import.arena, "%s, read by assimp %u.%u.%u",
                                      is_known  ? model->format_name
                                      : *suffix ? suffix + 1
                                                : "a file",
                                      import.library.aiGetVersionMajor(), import.library.aiGetVersionMinor(),
                                      import.library.aiGetVersionPatch());
    find_axes(options->path, import.rig.to_model);
    import.has_linear_vertices = !is_known; /* glTF; other formats have colours of the screen */
    import.has_linear_colors = has_linear_colors(import.scene, options->colors);
    bool is_read = assimp_read_scene(&import, err) == 0;
    import.library.aiReleaseImport(import.scene);
    is_read = is_read && rig_build(model, &import.rig, err) == 0;
    const char *cure = assimp_find_cure(&import, is_read ? "" : err->text);
    if (is_read && cure && !strcasecmp(suffix, ".3mf"))
        strings_add_new(&model->warnings, cure);
    if (!is_read && cure)
        error_set(err, "%s; %s", arena_strdup(&import.scratch, err->text), cure);
    arena_release(&import.scratch);
    return is_read ? 0 : -1;
}

const struct model_format assimp_format = {
    .name = "assimp",
    .suffixes = suffixes,
    .load = load,
    .pictures = &assimp_pictures,
};
