#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "asset/assets.h"
#include "base/file.h"
#include "format/draco.h"
#include "format/gltf.h"

#define GLB_START "glTF"

enum {
    GLB_VERSION = 2,
    CHUNK_JSON = 'J' | 'S' << 8 | 'O' << 16 | 'N' << 24,
    CHUNK_BIN = 'B' | 'I' << 8 | 'N' << 16,
};

enum {
    MOST_NODES = 1 << 18, /* of the file, also in other scenes */
    MOST_ODDITIES = 64,   /* each is compared with all before */
};

/* -- Container ---------------------------------------------------------------------------------------------- */

/* The text without a byte order mark before it and padding after it. */
static struct bytes trim(struct bytes text)
{
    if (bytes_start_with(text, "\xef\xbb\xbf")) {
        text.data += 3;
        text.size -= 3;
    }
    while (text.size && text.data[text.size - 1] <= ' ')
        text.size--;
    while (text.size && isspace(*text.data)) {
        text.data++;
        text.size--;
    }
    return text;
}

/* Whether the text is a JSON object with the key "asset", which glTF requires; it need not be well formed. */
bool gltf_matches(struct bytes bytes)
{
    static const char key[] = "\"asset\"";
    struct bytes text = trim(bytes);
    int depth = 0;
    bool in_string = false;
    if (bytes_start_with(bytes, GLB_START))
        return true;
    if (!text.size || *text.data != '{')
        return false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        if (c == '"') {
            if (!in_string && depth == 1 && text.size - i >= strlen(key) &&
                !memcmp(text.data + i, key, strlen(key)))
                return true;
            in_string = !in_string;
        } else if (in_string)
            i += c == '\\';
        else
            depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    }
    return false;
}

static int open_glb(struct gltf *gltf, struct bytes glb, struct bytes *json)
{
    struct cursor cursor = cursor_at(glb, 4);
    *json = (struct bytes){0};
    uint32_t version = cursor_u32(&cursor), length = cursor_u32(&cursor);
    if (version != GLB_VERSION)
        return gltf_fail(gltf, "GLB version %u (only %d is read, which holds glTF 2.0)", version, GLB_VERSION);
    if (length < cursor.at || length > glb.size)
        return gltf_fail(gltf, "a GLB of %u bytes in a file of %zu", length, glb.size);
    cursor.bytes.size = length;
    for (int i = 0; cursor_left(&cursor) >= 8; i++) {
        uint32_t size = cursor_u32(&cursor), type = cursor_u32(&cursor);
        const uint8_t *data = cursor_take(&cursor, size);
        if (!data)
            return gltf_fail(gltf, "chunk %d of %u bytes runs past the end of the GLB (%u bytes)", i, size,
                             length);
        if (i == 0 && type == CHUNK_JSON)
            *json = (struct bytes){data, size};
        else if (i == 1 && type == CHUNK_BIN)
            gltf->chunk = (struct bytes){data, size};
    }
    if (!json->data)
        return gltf_fail(gltf, "the first chunk of the GLB is not JSON");
    return 0;
}

static int check_version(struct gltf *gltf)
{
    const struct json *asset = gltf_get(gltf->root, "asset");
    const char *version = gltf_text(asset, "version"), *least = gltf_text(asset, "minVersion");
    if (!strncmp(version, "1", 1) || (!*version && gltf_is(gltf_get(gltf->root, "meshes"), GLTF_OBJECT)))
        return gltf_fail(gltf, "glTF 1.0 (only 2.0 is read; `via: assimp` reads it)");
    if (strncmp(version, "2.", 2) || (*least && strcmp(least, "2.0")))
        return gltf_fail(gltf, "glTF version '%s' (only 2.0 is read)", *least ? least : version);
    return 0;
}

/* Lists at the top hold objects: what is asked of them later relies on it. */
static int check_lists(struct gltf *gltf)
{
    static const char *const lists[] = {"accessors", "animations", "buffers", "bufferViews",
                                        "images",    "materials",  "meshes",  "nodes",
                                        "samplers",  "scenes",     "skins",   "textures"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const struct json *list = gltf_list(gltf, gltf->root, lists[i]), *item;
        for (size_t number = 0; (item = gltf_at(list, number)); number++) {
            if (!gltf_is(item, GLTF_OBJECT))
                return gltf_fail(gltf, "%s[%zu] is not an object", lists[i], number);
        }
    }
    if (gltf_count(gltf, "nodes") > MOST_NODES)
        gltf_fail(gltf, "%zu nodes (at most %d)", gltf_count(gltf, "nodes"), MOST_NODES);
    return gltf_failed(gltf) ? -1 : 0;
}

/* -- Extensions --------------------------------------------------------------------------------------------- */

/* An extension that a file may require. `lost` says what is missing from the picture; NULL: the extension is read. That
 * matters only where an object has the extension, with numbers above 0 under the key `matters`. */
static const struct extension_row {
    const char *name; /* with '*' at its end: all that begin so */
    const char *lost;
    const char *matters; /* "": wherever an object has it; NULL: nowhere */
} extension_rows[] = {
#ifdef WITH_DRACO
    {.name = DRACO_EXTENSION},
#endif
    {.name = "EXT_mesh_gpu_instancing"},
    {.name = "EXT_meshopt_compression"},
    {.name = "EXT_texture_webp"},
    {"KHR_animation_pointer", "what clips change, but for nodes and what can be seen, stands still", ""},
    {"KHR_materials_anisotropy", "brushed metal is drawn without its streaks", "anisotropyStrength"},
    {"KHR_materials_clearcoat", "lacquer is drawn without its gloss", "clearcoatFactor"},
    {"KHR_materials_diffuse_transmission", "thin things are drawn without the light behind them",
     "diffuseTransmissionFactor"},
    {"KHR_materials_dispersion", "glass does not split colours", NULL},
    {.name = "KHR_materials_emissive_strength"},
    {.name = "KHR_materials_ior"},
    {"KHR_materials_iridescence", "films are drawn without their colours", "iridescenceFactor"},
    {.name = "KHR_materials_pbrSpecularGlossiness"},
    {"KHR_materials_sheen", "cloth is drawn without its sheen", "sheenColorFactor"},
    {.name = "KHR_materials_specular"},
    {"KHR_materials_transmission", "glass is drawn solid", "transmissionFactor"},
    {.name = "KHR_materials_unlit"},
    {.name = "KHR_materials_variants"},
    {.name = "KHR_materials_volume"}, /* its tint; the rest is told of with transmission */
    {.name = "KHR_mesh_quantization"},
    {.name = "KHR_meshopt_compression"},
    {.name = "KHR_node_visibility"},
    {"KHR_texture_basisu",
     "textures with KTX2 pictures alone are left out (`gltf-transform ktxdecompress IN OUT` makes PNGs)", ""},
    {"EXT_texture_avif", "textures with AVIF pictures alone are left out", ""},
    {"MSFT_texture_dds", "textures with DDS pictures alone are left out", ""},
    {.name = "KHR_texture_transform"},
    {.name = "VRM"},
    {.name = "VRMC_vrm"},
    {.name = "VRMC_vrm_animation"},
    {.name = "VRMC_materials_mtoon"}, /* its steps of light; the rest is told of where it is read */
    {"VRMC_materials_*", "what VRM adds to materials is left out", ""},
    {"VRMC_node_constraint", "joints that others would turn stand still", ""},
    {"VRMC_springBone", "hair and clothes do not swing", NULL},
    {"KHR_lights_punctual", "lights are left out", NULL},
    {"EXT_lights_*", "lights are left out", NULL},
    {"KHR_audio*", "sounds are left out", NULL},
    {"KHR_xmp*", "words about the file are left out", NULL},
    {"KHR_implicit_shapes", "shapes of physics are left out", NULL},
    {"KHR_physics_*", "bodies of physics are left out", NULL},
    {"OMI_*", "what games do with it is left out", NULL},
    {"KHR_interactivity", "what games do with it is left out", NULL},
    {"KHR_node_*", "what games do with it is left out", NULL},
    {"MSFT_lod", "coarser forms are left out", NULL},
    {"EXT_structural_metadata", "words about parts are left out", NULL},
    {"EXT_mesh_features", "words about parts are left out", NULL},
    {"EXT_instance_features", "words about parts are left out", NULL},
    {"GODOT_single_root", "words about the file are left out", NULL},
};

/* NULL: what a file loses without it may be anything. */
static const struct extension_row *find_extension(const char *name)
{
    for (size_t i = 0; i < sizeof extension_rows / sizeof *extension_rows; i++) {
        const char *known = extension_rows[i].name;
        const size_t length = strcspn(known, "*");
        if (known[length] ? !strncmp(name, known, length) : !strcmp(name, known))
            return &extension_rows[i];
    }
    return NULL;
}

static int check_extensions(struct gltf *gltf, const char *key, bool is_required)
{
    const struct json *list = gltf_list(gltf, gltf->root, key), *item;
    for (size_t i = 0; (item = gltf_at(list, i)); i++) {
        const char *name = gltf_is(item, GLTF_STRING) ? item->text : "";
        const struct extension_row *row = find_extension(name);
        if (*name && is_required && !row)
            return gltf_fail(gltf, "the file requires the extension '%s', which is not read%s", name,
                             strcmp(name, DRACO_EXTENSION) ? "" : " by a program that was built without libdraco");
        if (*name && !row)
            gltf_add_oddity(gltf, "extension %s is left out", name);
        else if (row && row->lost && !row->matters)
            gltf_add_oddity(gltf, "%s: %s is not read", row->lost, name);
    }
    return gltf_failed(gltf) ? -1 : 0;
}

static bool is_above_0(const struct json *value)
{
    bool is_above = gltf_is(value, GLTF_NUMBER) && value->number > 0;
    for (size_t i = 0; i < gltf_length(value); i++)
        is_above |= is_above_0(gltf_at(value, i));
    return is_above;
}

bool gltf_warn_of_lost(struct gltf *gltf, const struct json *object)
{
    const struct json *extensions = gltf_get(object, "extensions");
    bool has_warned = false;
    for (size_t i = 0; gltf_is(extensions, GLTF_OBJECT) && i < extensions->count; i++) {
        const struct extension_row *row = find_extension(extensions->items[2 * i].text);
        const struct json *extension = &extensions->items[2 * i + 1];
        if (!row || !row->matters || (*row->matters && !is_above_0(gltf_get(extension, row->matters))))
            continue;
        SCOPED char *text = must_printf("%s: %.64s is not read", row->lost, extensions->items[2 * i].text);
        gltf_warn(gltf, text);
        has_warned = true;
    }
    return has_warned;
}

/* -- Opening ------------------------------------------------------------------------------------------------- */

int gltf_open(struct gltf *gltf, struct bytes bytes)
{
    struct bytes json = bytes;
    if (bytes_start_with(bytes, GLB_START) && open_glb(gltf, bytes, &json) < 0)
        return -1;
    if (gltf_parse(gltf, trim(json)) < 0 || check_version(gltf) < 0 || check_lists(gltf) < 0 ||
        check_extensions(gltf, "extensionsRequired", true) < 0 ||
        check_extensions(gltf, "extensionsUsed", false) < 0)
        return -1;
    gltf->buffers = must_alloc(gltf_count(gltf, "buffers"), sizeof *gltf->buffers);
    gltf->views = arena_must_alloc(&gltf->scratch, gltf_count(gltf, "bufferViews"), sizeof *gltf->views);
    gltf->numbers = arena_must_alloc(&gltf->scratch, gltf_count(gltf, "accessors"), sizeof *gltf->numbers);
    gltf->meshes = arena_must_alloc(&gltf->scratch, gltf_count(gltf, "meshes"), sizeof *gltf->meshes);
    gltf->materials = arena_must_alloc(&gltf->scratch, 1 + gltf_count(gltf, "materials"), sizeof *gltf->materials);
    return 0;
}

void gltf_close(struct gltf *gltf)
{
    if (gltf->buffers)
        for (size_t i = 0; i < gltf_count(gltf, "buffers"); i++)
            blob_release(&gltf->buffers[i]);
    free(gltf->buffers);
    arena_release(&gltf->scratch);
}

void gltf_add_oddity(struct gltf *gltf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    SCOPED char *text = must_vprintf(format, args);
    va_end(args);
    struct strings *oddities = &gltf->model->oddities;
    if (oddities->count < MOST_ODDITIES && !strings_has(oddities, text))
        strings_add(oddities, oddities->count + 1 < MOST_ODDITIES ? text : "and more");
}

void gltf_warn(struct gltf *gltf, const char *text)
{
    strings_add_new(&gltf->model->warnings, text);
}

/* -- URIs and buffers --------------------------------------------------------------------------------------- */

bool gltf_uri_is_data(const char *uri)
{
    return !strncmp(uri, "data:", 5);
}

/* %20 and the like. `out` has room for as many bytes as `text`. */
static size_t decode_percents(const char *text, uint8_t *out)
{
    size_t size = 0;
    for (const char *c = text; *c; c++) {
        bool is_code = *c == '%' && isxdigit((unsigned char)c[1]) && isxdigit((unsigned char)c[2]);
        out[size++] = is_code ? (uint8_t)strtoul((char[]){c[1], c[2], 0}, NULL, 16) : (uint8_t)*c;
        c += is_code ? 2 : 0;
    }
    return size;
}

int gltf_decode_data_uri(const char *uri, struct blob *out, struct error *err)
{
    static const char mark[] = ";base64";
    const char *comma = strchr(uri, ',');
    if (!comma)
        return error_set(err, "a data URI without a comma");
    struct blob blob = {.data = memory_alloc(strlen(comma), 1, err)};
    if (!blob.data)
        return -1;
    bool is_base64 = (size_t)(comma - uri) >= strlen(mark) && !memcmp(comma - strlen(mark), mark, strlen(mark));
    const char *text = comma + 1;
    size_t read;
    if (!is_base64)
        blob.size = decode_percents(text, blob.data);
    else
        blob.size = bytes_of_base64((struct bytes){(const uint8_t *)text, strlen(text)}, blob.data, &read);
    if (is_base64 && text[read] && text[read] != '=') {
        blob_release(&blob);
        return error_set(err, "byte %zu of the base64 data is 0x%02x", read, (uint8_t)text[read]);
    }
    *out = blob;
    return 0;
}

const char *gltf_decode_uri(struct gltf *gltf, const char *uri, size_t *length)
{
    char *name = arena_must_alloc(&gltf->scratch, strlen(uri) + 1, 1);
    *length = decode_percents(uri, (uint8_t *)name);
    return name;
}

static int read_file(struct gltf *gltf, const char *uri, struct blob *out)
{
    size_t length;
    const char *name = gltf_decode_uri(gltf, uri, &length);
    if (strstr(uri, "://"))
        return gltf_fail(gltf, "'%s' is not a file, and nothing is downloaded", uri);
    if (strlen(name) != length || *name == '/')
        return gltf_fail(gltf, "'%s' is not a path of a file beside the model", uri);
    if (!gltf->options->assets || !gltf->options->path)
        return gltf_fail(gltf, "'%s' is a file of its own, and none can be read here", uri);
    SCOPED char *folder = path_folder(gltf->options->path), *path = path_join(folder, name);
    return path_collapse(path) ? assets_read(gltf->options->assets, path, out, &gltf->err)
                               : gltf_fail(gltf, "'%s': the path leaves the assets", uri);
}

int gltf_buffer(struct gltf *gltf, size_t index, struct bytes *out)
{
    const struct json *buffer = gltf_item(gltf, "buffers", index);
    const char *uri = gltf_text(buffer, "uri");
    struct blob *blob = &gltf->buffers[index];
    const size_t size = gltf_size(gltf, buffer, "byteLength", 0);
    if (!*uri && (index || !gltf->chunk.data))
        gltf_fail(gltf, "neither a uri nor a binary chunk");
    if (gltf_failed(gltf))
        return -1;
    int result = !*uri || blob->data     ? 0
                 : gltf_uri_is_data(uri) ? gltf_decode_data_uri(uri, blob, &gltf->err)
                                         : read_file(gltf, uri, blob);
    if (result < 0)
        return -1;
    *out = *uri ? blob_bytes(blob) : gltf->chunk;
    if (size > out->size)
        return gltf_fail(gltf, "byteLength is %zu, but there are %zu bytes", size, out->size);
    out->size = size;
    return 0;
}
