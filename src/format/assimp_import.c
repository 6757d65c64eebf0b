#include "format/assimp.h"

#include <assimp/cfileio.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/file.h"
#include "base/strings.h"
#include "model/polygon.h"
#include "os/resources.h"

/* The memory that assimp may take for a file: some formats ask for gigabytes in a line. Of Debian's assimp-testmodels
 * none takes more than 232 MiB (surfaces that are subdivided), and large files up to 60 times their size (OBJ), packed
 * ones 100. */
static const uint64_t LEAST_MEMORY = 512 << 20;
static const uint64_t MEMORY_OF_BYTE = 200;

enum { MOST_LISTED = 10000 }; /* lines, where somebody asks for all */

/* Where assimp's validation begins to say what it refuses. */
#define REFUSAL "Validation failed: "

/* -- The library ------------------------------------------------------------------------------------------- */

static int open_library(struct assimp_library *out, struct error *err)
{
    void *handle = dlopen(ASSIMP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    char note[64];
    if (!handle)
        return error_set(err, "assimp is needed%s%s (%s)", missing_package(": install " ASSIMP_PACKAGE),
                         memory_note(MEMORY_TO_DRAW, note), dlerror());
#define CALL(name)                                                                                                \
    if (!(*(void **)&out->name = dlsym(handle, #name)))                                                           \
        return error_set(err, "%s has no " #name, ASSIMP_LIBRARY);
    ASSIMP_CALLS(CALL)
#undef CALL
    /* Its structs may differ from one minor version to the next, and nothing in them says so. */
    char version[32];
    snprintf(version, sizeof version, "%u.%u", out->aiGetVersionMajor(), out->aiGetVersionMinor());
    if (strcmp(version, ASSIMP_VERSION))
        return error_set(err, "%s is of version %s, and this program was built for %s", ASSIMP_LIBRARY, version,
                         ASSIMP_VERSION);
    return 0;
}

int assimp_version(char *out, size_t size, struct error *err)
{
    struct assimp_library library;
    if (open_library(&library, err) < 0)
        return -1;
    snprintf(out, size, "%s.%u", ASSIMP_VERSION, library.aiGetVersionPatch());
    return 0;
}

/* -- Files ------------------------------------------------------------------------------------------------- */

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

/* COLLADA without the white space between a tag and a number, on which assimp 5.2 fails: Godot's exporter writes it. */
static void close_gaps(struct bytes bytes, struct blob *out)
{
    static const char space[] = " \t\r\n", number[] = "+-.0123456789";
    struct error ignored;
    out->data = memory_alloc(bytes.size, 1, &ignored);
    if (!out->data)
        return;
    for (size_t at = 0; at < bytes.size; at++) {
        out->data[out->size++] = bytes.data[at];
        size_t next = at + 1;
        while (bytes.data[at] == '>' && next < bytes.size && memchr(space, bytes.data[next], sizeof space - 1))
            next++;
        if (next < bytes.size && memchr(number, bytes.data[next], sizeof number - 1))
            at = next - 1;
    }
}

/* assimp puts the folder of the model in front of names. A path that leaves the assets is not found in them. */
static struct aiFile *open_file(struct aiFileIO *io, const char *name, const char *mode)
{
    const struct assimp_import *import = (const struct assimp_import *)io->UserData;
    struct assets *assets = import->options->assets;
    struct open_file *file = must_alloc(1, sizeof *file);
    SCOPED char *path = must_strdup(name);
    struct error ignored;
    bool is_there = mode[0] == 'r';
    path_collapse(path);
    file->calls = (struct aiFile){
        .ReadProc = read_some, .TellProc = tell_place, .FileSizeProc = tell_size, .SeekProc = seek};
    if (is_there && !strcmp(path, import->options->path)) {
        file->bytes = import->bytes;
        if (!strcasecmp(path_suffix(path), ".dae")) {
            close_gaps(import->bytes, &file->blob);
            file->bytes = blob_bytes(&file->blob);
        }
    } else if (is_there && assets && assets_find(assets, path) &&
               assets_read(assets, path, &file->blob, &ignored) == 0)
        file->bytes = blob_bytes(&file->blob);
    else
        is_there = false;
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

/* Whether a line of the log says that a part of a file of Blender was passed over. */
static bool is_unread_part(const char *text)
{
    return !strncmp(text, "Couldn't find a handler for modifier", 36) || strstr(text, "- type is unsupported: ") ||
           !strncmp(text, "Failed to find a converter", 26);
}

/* Whether a line of the log says that a file beside the model is missing. */
static bool is_missing_file(const char *text)
{
    static const char *const starts[] = {
        "Failed to find skeleton file",
        "Failed to find source file for material",
        "IRR: Unable to load external file",
        "LWS: Failed to read external file",
        "NFF2: Unable to open material library",
        "OBJ: Unable to locate material file",
        "Unable to open .uc file",
    };
    for (size_t i = 0; i < COUNT(starts); i++)
        if (!strncmp(text, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* "mWeights[7] is 0.9" and "mWeights[12] is 1e-05". */
static bool differ_by_numbers(const char *a, const char *b)
{
    static const char word[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-",
                      digits[] = "0123456789";
    while (*a && *b) {
        size_t length_a = strspn(a, word), length_b = strspn(b, word);
        bool are_numbers = strcspn(a, digits) < length_a && strcspn(b, digits) < length_b;
        if (!are_numbers && (length_a != length_b || strncmp(a, b, length_a)))
            return false;
        a += length_a;
        b += length_b;
        if (*a != *b)
            return false;
        if (*a)
            a++, b++;
    }
    return *a == *b;
}

/* Lines are "Warn,  T0: text". */
static void add_log_line(const char *line, char *user)
{
    struct assimp_import *import = (struct assimp_import *)user;
    const char *text = strstr(line, ": ");
    if (!text || (strncmp(line, "Warn", 4) && strncmp(line, "Error", 5)) || !import->model ||
        !strncmp(text + 2, REFUSAL, strlen(REFUSAL)))
        return;
    SCOPED char *note = must_printf("assimp says: %.*s", (int)strcspn(text + 2, "\r\n"), text + 2);
    bool is_unread = is_unread_part(text + 2);
    if ((is_unread || is_missing_file(text + 2)) && import->model->warnings.count < ASSIMP_MOST_NOTES)
        strings_add_new(&import->model->warnings,
                        is_unread ? arena_printf(&import->scratch, "%s: export it as glTF", note) : note);
    if (import->options->lists_notes && import->model->oddities.count < MOST_LISTED)
        strings_add(&import->model->oddities, note);
    uint32_t i = 0;
    while (i < import->note_count && !differ_by_numbers(import->notes[i].text, note))
        i++;
    if (i < import->note_count)
        import->notes[i].count++;
    else if (i < ASSIMP_MOST_NOTES)
        import->notes[import->note_count++] = (struct assimp_note){arena_strdup(&import->scratch, note), 1};
}

/* Adds the lines of the log to the oddities, one of those that differ by numbers: some files have thousands. */
static void add_notes(struct assimp_import *import)
{
    for (uint32_t i = 0; i < import->note_count && import->model; i++) {
        const struct assimp_note *note = &import->notes[i];
        strings_add_new(&import->model->oddities,
                        note->count == 1
                            ? note->text
                            : arena_printf(&import->scratch, "%s (%u such lines)", note->text, note->count));
    }
}

/* Which Blender wrote the file, NULL for no Blender: "BLENDER-v302", or since Blender 5 "BLENDER17-01v0500", starts it.
 * Up to 2.93 it may be packed by gzip, and later by zstd. */
static const char *find_blender(struct arena *arena, struct bytes bytes)
{
    static const char gzip[] = "\x1f\x8b", zstd[] = "\x28\xb5\x2f\xfd";
    char start[32] = "";
    size_t size = bytes.size < sizeof start ? bytes.size : sizeof start - 1;
    memcpy(start, bytes.data, size);
    if (!strncmp(start, zstd, strlen(zstd)))
        return "3.0 or later";
    z_stream stream = {.next_in = bytes.data,
                       .avail_in = (uInt)(bytes.size < UINT16_MAX ? bytes.size : UINT16_MAX),
                       .next_out = (Bytef *)start,
                       .avail_out = sizeof start - 1};
    if (!strncmp(start, gzip, strlen(gzip)) && inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK) {
        inflate(&stream, Z_SYNC_FLUSH);
        inflateEnd(&stream);
    }
    const char *digits = strncmp(start, "BLENDER", 7) ? NULL : strpbrk(start + 7, "vV");
    unsigned number = digits ? (unsigned)strtoul(digits + 1, NULL, 10) : 0;
    return number ? arena_printf(arena, number < 300 ? "%u.%02u" : "%u.%u", number / 100, number % 100) : NULL;
}

/* A part of a 3MF that stands in a file beside its root, which assimp passes over; NULL: it has none. */
static const char *find_part_file(struct arena *arena, struct bytes bytes)
{
    static const char entry[] = "PK\1\2", suffix[] = ".model", root[] = "3D/3dmodel.model";
    enum { LENGTH_AT = 28, NAME_AT = 46 }; /* in the zip's list of members */
    const uint8_t *at = bytes.data, *const end = at + bytes.size;
    struct bytes part = {0};
    uint32_t count = 0;
    while ((at = memmem(at, (size_t)(end - at), entry, strlen(entry))) && end - at > NAME_AT) {
        const struct bytes name = {at + NAME_AT, at[LENGTH_AT] | (size_t)at[LENGTH_AT + 1] << 8};
        at += strlen(entry);
        if (name.size < strlen(suffix) || name.size > (size_t)(end - name.data) ||
            strncasecmp((const char *)name.data + name.size - strlen(suffix), suffix, strlen(suffix)))
            continue;
        count++;
        if (name.size != strlen(root) || strncasecmp((const char *)name.data, root, name.size))
            part = name;
    }
    return count > 1 && part.size ? arena_strndup(arena, (const char *)part.data, part.size) : NULL;
}

const char *assimp_find_cure(struct assimp_import *import, const char *reason)
{
    static const char *const others[][3] = {{".mesh", "RSRC", "a mesh of Godot's, not of Ogre's"},
                                            {".mesh", "RSCC", "a mesh of Godot's, not of Ogre's"},
                                            {".mesh", "[gd_resource ", "a mesh of Godot's, not of Ogre's"},
                                            {".mdl", "UMDL", "a model of Urho3D's"},
                                            {".mdl", "UMD2", "a model of Urho3D's"}};
    const char *suffix = path_suffix(import->options->path), *found;
    struct bytes bytes = import->bytes;
    if (!strcasecmp(suffix, ".blend") && (found = find_blender(&import->scratch, bytes)))
        return arena_printf(&import->scratch, "assimp cannot read this file of Blender %s: export it as glTF",
                            found);
    if (!strcasecmp(suffix, ".3mf") && (found = find_part_file(&import->scratch, bytes)))
        return arena_printf(&import->scratch,
                            "parts in files of their own, such as '%s', are not read: "
                            "save it as one part, or as GLB",
                            found);
    if ((found = strstr(reason, "[MeshSerializer_v")) && (found += strlen("[MeshSerializer_v")))
        return arena_printf(&import->scratch,
                            "Ogre's Mesh 1.8 is read, this is %.*s: OgreMeshUpgrader makes it that",
                            (int)strcspn(found, "]"), found);
    for (size_t i = 0; i < COUNT(others); i++) {
        if (!strcasecmp(suffix, others[i][0]) && bytes_start_with(bytes, others[i][1]))
            return arena_printf(&import->scratch, "%s: export it as glTF", others[i][2]);
    }
    return NULL;
}

int assimp_import(struct assimp_import *import, unsigned steps, struct error *err)
{
    if (open_library(&import->library, err) < 0)
        return -1;
    struct assimp_library *library = &import->library;
    struct aiFileIO io = {.OpenProc = open_file, .CloseProc = close_file, .UserData = (char *)import};
    struct aiPropertyStore *settings = library->aiCreatePropertyStore();
    const struct aiLogStream stream = {.callback = add_log_line, .user = (char *)import};
    library->aiSetImportPropertyInteger(settings, AI_CONFIG_PP_LBW_MAX_WEIGHTS, ASSIMP_MOST_INFLUENCES);
    library->aiSetImportPropertyFloat(settings, AI_CONFIG_PP_GSN_MAX_SMOOTHING_ANGLE, 60);
    library->aiAttachLogStream(&stream);
    const uint64_t most = LEAST_MEMORY + MEMORY_OF_BYTE * import->bytes.size;
    uint64_t before = memory_limit_begin(most);
    import->scene = library->aiImportFileExWithProperties(import->options->path, steps, &io, settings);
    memory_limit_end(before);
    library->aiDetachAllLogStreams();
    library->aiReleasePropertyStore(settings);
    if (!import->options->lists_notes)
        add_notes(import);
    if (import->scene)
        return 0;
    const char *reason = import->library.aiGetErrorString();
    char note[64];
    if (strstr(reason, "bad_alloc"))
        return error_set(err, "out of memory in assimp: a file of this size may take %ju MiB%s",
                         (uintmax_t)(most >> 20), memory_note(most, note));
    const char *cure = assimp_find_cure(import, reason);
    if (cure)
        return error_set(err, "%s", cure);
    char *own = arena_printf(&import->scratch, " %s", import->options->path), *text, *at;
    text = arena_printf(&import->scratch, "%.*s", (int)strcspn(reason, "\r\n"), reason);
    while ((at = strstr(text, own))) /* the caller names the file, and init has a line for all of one reason */
        memmove(at, at + strlen(own), strlen(at + strlen(own)) + 1);
    return error_set(err, "assimp says: %s", text);
}

/* Checks the numbers in a mesh that assimp's later steps and our bridge go by, and prepares its polygons for a step
 * that takes their normals from their first corners. */
static int prepare_mesh(const struct aiMesh *mesh, struct error *err)
{
    const uint32_t count = mesh->mNumVertices;
    for (unsigned i = 0; i < mesh->mNumFaces; i++) {
        const struct aiFace *face = &mesh->mFaces[i];
        for (unsigned k = 0; k < face->mNumIndices; k++)
            if (face->mIndices[k] >= count)
                return error_set(err, "face %u names vertex %u of %u", i, face->mIndices[k], count);
        if (face->mNumIndices > 3)
            polygon_turn((const vec3 *)mesh->mVertices, face->mIndices, face->mNumIndices);
    }
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        for (unsigned i = 0; i < mesh->mBones[b]->mNumWeights; i++) {
            uint32_t vertex = mesh->mBones[b]->mWeights[i].mVertexId;
            if (vertex >= count)
                return error_set(err, "bone %u names vertex %u of %u", b, vertex, count);
        }
    return 0;
}

/* What assimp's validation refuses is mostly harmless, such as keys past the duration, so we look at it ourselves. A
 * step that fails later leaves assimp's scene freed twice, so those that can fail come with the import. */
int assimp_import_checked(struct assimp_import *import, struct error *err)
{
    const unsigned coordinates = aiProcess_GenUVCoords | aiProcess_TransformUVCoords | aiProcess_FlipUVs;
    const unsigned early = aiProcess_ValidateDataStructure | aiProcess_FindInvalidData | coordinates;
    unsigned late = aiProcess_GenSmoothNormals | aiProcess_JoinIdenticalVertices | aiProcess_LimitBoneWeights;
    if (assimp_import(import, early, err) < 0) {
        struct model *model = import->model;
        const char *reason = import->library.aiGetErrorString ? import->library.aiGetErrorString() : "";
        if (strncmp(reason, REFUSAL, strlen(REFUSAL)) || strstr(reason, "NULL") || strstr(reason, "nullptr"))
            return -1;
        strings_add_new(&import->model->oddities,
                        arena_printf(&import->scratch, "read in spite of it: %s", reason));
        import->model = NULL; /* its log would say all again */
        if (assimp_import(import, 0, err) < 0)
            return -1;
        import->model = model;
        late |= coordinates;
    }
    for (unsigned i = 0; i < import->scene->mNumMeshes; i++)
        if (prepare_mesh(import->scene->mMeshes[i], err) < 0) {
            import->library.aiReleaseImport(import->scene);
            return error_add(err, "mesh %u", i);
        }
    import->scene = import->library.aiApplyPostProcessing(import->scene, late);
    return import->scene ? 0 : error_set(err, "assimp fails on what it has read");
}
