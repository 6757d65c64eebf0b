#include <stdlib.h>
#include <string.h>

#include "asset/assets.h"
#include "idtech/md2.h"
#include "image/image_format.h"
#include "model/rig.h"

/* Quake's MDL, version 6. All little-endian, each part right after the one before it:
 *
 *     header     84 bytes: ident, version, scale and translate (3 floats each), 4 words, struct mdl_header, 3 words
 *     skins      num_skins of: u32 0 and a picture; or u32 1, u32 n, n floats (the time each ends), n pictures. A picture
 *                has skinwidth * skinheight bytes, which are colours of the game's palette
 *     st         num_verts of 3 words: on the seam, s, t. What is on the seam lies skinwidth / 2 further right for
 *                triangles of the back
 *     triangles  num_tris of 4 words: of the front, three vertices
 *     frames     num_frames of: u32 0 and a frame; or u32 1, u32 n, two corners of a box (4 bytes each), n floats (the
 *                time each ends), n frames. A frame has two corners, a 16-byte name, and num_verts vertices of 3 bytes
 *                position and 1 byte normal: scale * position + translate, as those of an MD2
 *
 * A group of frames plays by its own times. Its frames are those of an MD2. */
struct mdl_header {
    uint32_t num_skins, skinwidth, skinheight, num_verts, num_tris, num_frames;
};

enum {
    MDL_VERSION = 6,
    MDL_MOST_VERTICES = 65536, /* Quake allows 1,024 */
    MDL_MOST_SKINS = 256,
    MDL_MOST_SIDE = 16384, /* of a skin, pixels */
    MDL_MOST_CLIPS = 1024, /* their names are compared with each other */
    MDL_FRAME_SIZE = 4 + 4 + MD2_FRAME_NAME_SIZE,
};

/* A loop that is shorter cannot be seen, and has no rate. */
#define LEAST_GROUP_S 1e-3

/* A file on the way of its reader through the parts. */
struct mdl {
    struct bytes bytes;
    struct cursor cursor;
    struct rig_frame box;     /* scale and translate of all frames */
    struct mdl_header header; /* what comes after them, and four words */
    struct model *model;
    const struct model_options *options;
    struct error *err;
    struct md2 md2;
    uint32_t frame_count;
};

static int fail_short(struct mdl *mdl, const char *part, uint32_t number)
{
    return error_set(mdl->err, "the file ends in %s %u (%zu bytes)", part, number, mdl->bytes.size);
}

static int read_header(struct mdl *mdl)
{
    struct mdl_header *h = &mdl->header;
    struct cursor *cursor = &mdl->cursor;
    enum { UNUSED_BEFORE_SKINS = 4 * 4, UNUSED_AT_END = 3 * 4 }; /* radius and eyes; synctype, flags, size */
    cursor_u32(cursor);                                          /* the ident */
    uint32_t version = cursor_u32(cursor);
    if (md2_read_scale(cursor, &mdl->box, mdl->err) < 0)
        return -1;
    cursor_take(cursor, UNUSED_BEFORE_SKINS);
    read_words(cursor, h, sizeof *h);
    cursor_take(cursor, UNUSED_AT_END);
    if (cursor->overrun)
        return error_set(mdl->err, "%zu bytes are too few for the header of 84", mdl->bytes.size);
    if (version != MDL_VERSION)
        return error_set(mdl->err, "MDL version %u (only %d, that of Quake, is supported)", version, MDL_VERSION);
    const struct file_table tables[] = {
        {"skins", h->num_skins, 0, MDL_MOST_SKINS, 0, 0},
        {"pixels of skin width", h->skinwidth, 0, MDL_MOST_SIDE, 0, 0},
        {"pixels of skin height", h->skinheight, 0, MDL_MOST_SIDE, 0, 0},
        {"vertices", h->num_verts, 1, MDL_MOST_VERTICES, 0, 0},
        {"triangles", h->num_tris, 1, MODEL_MOST_TRIANGLES, 0, 0},
        {"frames", h->num_frames, 1, MODEL_MOST_FRAMES, 0, 0},
    };
    return check_tables(mdl->bytes, tables, sizeof tables / sizeof *tables, mdl->err);
}

/* A group's count and times, none below that before. A single item is a group of one without times (NULL). */
static int read_group(struct mdl *mdl, const char *part, uint32_t number, size_t box_size, uint32_t *count,
                      const double **ends_s)
{
    struct cursor *cursor = &mdl->cursor;
    uint32_t is_group = cursor_u32(cursor);
    *ends_s = NULL;
    *count = 1;
    if (!is_group)
        return 0;
    *count = cursor_u32(cursor);
    cursor_take(cursor, box_size);
    if (*count < 1 || *count > cursor_left(cursor) / 4)
        return error_set(mdl->err, "%s %u: a group of %u, in %zu bytes", part, number, *count,
                         cursor_left(cursor));
    double *times_s = arena_must_alloc(&mdl->model->arena, *count, sizeof *times_s);
    for (uint32_t i = 0; i < *count; i++) {
        times_s[i] = cursor_f32(cursor);
        double before_s = i ? times_s[i - 1] : 0;
        if (!(times_s[i] >= before_s && times_s[i] < 1e6))
            return error_set(mdl->err, "%s %u: its time %u is %g s (%g to 1e+06 are allowed)", part, number, i,
                             times_s[i], before_s);
    }
    *ends_s = times_s;
    return 0;
}

/* -- Skins ------------------------------------------------------------------------------------------------- */

/* Passes over the skins. Gives them names, "skin0", or "skin1_0", "skin1_1", ... for those of a group, and finds the picture
 * of the name `wanted`, unless that is NULL. */
static int read_skins(struct mdl *mdl, const char *wanted, const uint8_t **found)
{
    struct model *model = mdl->model;
    size_t size = (size_t)mdl->header.skinwidth * mdl->header.skinheight;
    const char *path = mdl->options->path;
    const char **skins = arena_must_alloc(&model->arena, MDL_MOST_SKINS, sizeof *skins);
    model->skins = skins;
    for (uint32_t i = 0; i < mdl->header.num_skins; i++) {
        uint32_t count;
        const double *ends_s;
        if (read_group(mdl, "skin", i, 0, &count, &ends_s) < 0)
            return -1;
        for (uint32_t picture = 0; picture < count; picture++) {
            const uint8_t *pixels = cursor_take(&mdl->cursor, size);
            if (!pixels)
                return fail_short(mdl, "skin", i);
            if (model->skin_count == MDL_MOST_SKINS)
                continue;
            const char *name = ends_s ? arena_printf(&model->arena, "skin%u_%u", i, picture)
                                      : arena_printf(&model->arena, "skin%u", i);
            if (wanted && !strcmp(name, wanted))
                *found = pixels;
            skins[model->skin_count++] = path ? arena_printf(&model->arena, "%s:%s", path, name) : name;
        }
        if (count > 1)
            strings_printf(&model->oddities, "skin %u is a moving picture of %u", i, count);
    }
    return 0;
}

/* The palette of the game where it is in the assets; mods have their own. */
static int open_pictures(struct container *file, struct error *err)
{
    const char *path = file->assets ? assets_find(file->assets, "gfx/palette.lmp") : NULL;
    uint8_t *palette = file->opened = must_alloc(1, QUAKE_PALETTE_SIZE);
    SCOPED_BY(blob_release) struct blob blob = {0};
    quake_palette(palette);
    if (!path)
        return 0;
    if (assets_read(file->assets, path, &blob, err) < 0)
        return -1;
    if (blob.size != QUAKE_PALETTE_SIZE)
        return error_set(err, "%s: %zu bytes, a palette has %d", path, blob.size, QUAKE_PALETTE_SIZE);
    memcpy(palette, blob.data, QUAKE_PALETTE_SIZE);
    return 0;
}

/* A skin as a TGA of 24 bits. */
static int read_picture(const struct container *file, const char *name, struct blob *out, struct error *err)
{
    struct model nobody = {0};
    struct mdl mdl = {.bytes = file->bytes,
                      .cursor = cursor_at(file->bytes, 0),
                      .model = &nobody,
                      .options = &(struct model_options){.path = file->path},
                      .err = err};
    const uint8_t *pixels = NULL, *palette = file->opened;
    int result = read_header(&mdl) < 0 ? -1 : read_skins(&mdl, name, &pixels);
    arena_release(&nobody.arena);
    strings_release(&nobody.oddities);
    if (result < 0)
        return -1;
    if (!pixels)
        return error_set(err, "no skin '%s'", name);
    const size_t count = (size_t)mdl.header.skinwidth * mdl.header.skinheight;
    SCOPED uint8_t *colors = must_alloc(count, 3);
    for (size_t i = 0; i < count * 3; i++)
        colors[i] = palette[pixels[i / 3] * 3 + 2 - i % 3];
    return tga_save(colors, mdl.header.skinwidth, mdl.header.skinheight, 3, out, err);
}

/* -- Geometry ---------------------------------------------------------------------------------------------- */

/* Vertices are the points as the front has them, then as the back has them. */
static int read_geometry(struct mdl *mdl)
{
    const struct mdl_header *header = &mdl->header;
    struct model *model = mdl->model;
    const uint32_t count = header->num_verts;
    const size_t st_size = (size_t)count * 12;
    const struct file_table tables[] = {
        {"texture coordinates", count, 0, SIZE_MAX, mdl->cursor.at, 12},
        {"triangles", header->num_tris, 0, SIZE_MAX, mdl->cursor.at + st_size, 16},
    };
    if (check_tables(mdl->bytes, tables, 2, mdl->err) < 0)
        return -1;
    model->vertex_count = 2 * count;
    model->index_count = 3 * header->num_tris;
    model->surface_count = 1;
    struct model_arrays arrays = model_alloc_arrays(model);
    arrays.surfaces[0] =
        (struct surface){.name = "mesh", .material.kind = MATERIAL_SKIN, .index_count = model->index_count};
    for (uint32_t i = 0; i < count; i++) {
        bool is_on_seam = cursor_u32(&mdl->cursor);
        float s = (float)cursor_i32(&mdl->cursor) + 0.5f, t = (float)cursor_i32(&mdl->cursor) + 0.5f;
        for (uint32_t back = 0; back < 2; back++) {
            float shift = is_on_seam && back ? (float)(header->skinwidth / 2) : 0;
            float *uv = arrays.uvs[i + back * count];
            uv[0] = header->skinwidth ? (s + shift) / (float)header->skinwidth : 0;
            uv[1] = header->skinheight ? t / (float)header->skinheight : 0;
            arrays.vertex_points[i + back * count] = i;
        }
    }
    for (uint32_t i = 0; i < header->num_tris; i++) {
        uint32_t back = cursor_u32(&mdl->cursor) ? 0 : count;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = cursor_u32(&mdl->cursor);
            if (vertex >= count)
                return error_set(mdl->err, "triangle %u names vertex %u of %u", i, vertex, count);
            arrays.indices[i * 3 + k] = back + vertex;
        }
    }
    return 0;
}

/* -- Frames ------------------------------------------------------------------------------------------------ */

static int read_frame(struct mdl *mdl)
{
    const uint32_t number = mdl->frame_count;
    if (number == MODEL_MOST_FRAMES)
        return error_set(mdl->err, "more than %d frames", MODEL_MOST_FRAMES);
    cursor_take(&mdl->cursor, 8); /* its box */
    const uint8_t *name = cursor_take(&mdl->cursor, MD2_FRAME_NAME_SIZE);
    const uint8_t *vertices = cursor_take(&mdl->cursor, (size_t)mdl->header.num_verts * MD2_VERTEX_SIZE);
    if (!vertices)
        return fail_short(mdl, "frame", number);
    mdl->md2.frames[number] = mdl->box;
    mdl->md2.frame_names[number] = model_fixed_name(&mdl->model->arena, name, MD2_FRAME_NAME_SIZE, NULL);
    md2_copy_vertices(mdl->model, vertices, &mdl->md2.frames[number]);
    mdl->frame_count++;
    return 0;
}

/* A group of frames is a clip of its own. The file has the times at which frames end, clips those at which they begin. */
static void add_group(struct mdl *mdl, uint32_t first, uint32_t count, const double *ends_s)
{
    struct model *model = mdl->model;
    double *times_s = arena_must_alloc(&model->arena, count, sizeof *times_s);
    memcpy(times_s + 1, ends_s, (count - 1) * sizeof *times_s);
    const char *name = mdl->md2.frame_names[first];
    size_t length = strlen(name);
    while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    model_add_clip(model, &(struct clip){
                              .name = model_unique_clip_name(model, clip_name_clean(&model->arena, name, length)),
                              .first_frame = first,
                              .frame_count = count,
                              .rate_hz = (float)(count / ends_s[count - 1]),
                              .times_s = count > 1 ? times_s : NULL,
                              .loop_s = ends_s[count - 1],
                          });
}

/* Frames outside groups are sequences by their names, as those of an MD2. */
static int read_frames(struct mdl *mdl)
{
    struct model *model = mdl->model;
    size_t frame_size = MDL_FRAME_SIZE + MD2_VERTEX_SIZE * (size_t)mdl->header.num_verts;
    mdl->md2 =
        md2_init(model, mdl->header.num_verts, cursor_left(&mdl->cursor) / frame_size); /* room for so many */
    uint32_t first_single = 0; /* of those that are in no clip yet */
    for (uint32_t i = 0; i < mdl->header.num_frames; i++) {
        uint32_t first = mdl->frame_count, count;
        const double *ends_s;
        if (read_group(mdl, "frame", i, 8, &count, &ends_s) < 0)
            return -1;
        for (uint32_t k = 0; k < count; k++)
            if (read_frame(mdl) < 0)
                return -1;
        if (!ends_s)
            continue;
        if (ends_s[count - 1] < LEAST_GROUP_S)
            return error_set(mdl->err, "frame %u: a group that lasts %g s (at least %g)", i, ends_s[count - 1],
                             LEAST_GROUP_S);
        if (first > first_single)
            model_add_sequences(model, first_single, first);
        add_group(mdl, first, count, ends_s);
        first_single = mdl->frame_count;
        if (model->clip_count > MDL_MOST_CLIPS)
            return error_set(mdl->err, "more than %d clips up to frame %u", MDL_MOST_CLIPS, i);
    }
    if (mdl->frame_count > first_single)
        model_add_sequences(model, first_single, mdl->frame_count);
    model->animations[0].frame_count = mdl->frame_count;
    return 0;
}

/* -- The format -------------------------------------------------------------------------------------------- */

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct mdl mdl = {
        .bytes = bytes, .cursor = cursor_at(bytes, 0), .model = model, .options = options, .err = err};
    if (read_header(&mdl) < 0 || read_skins(&mdl, NULL, NULL) < 0 || read_geometry(&mdl) < 0 ||
        read_frames(&mdl) < 0)
        return -1;
    if (cursor_left(&mdl.cursor) > 0)
        strings_printf(&model->oddities, "%zu bytes after the last frame", cursor_left(&mdl.cursor));
    return 0;
}

const struct model_format mdl_format = {
    .name = "MDL",
    .suffixes = (const struct model_suffix[]){{.text = ".mdl"}, {0}},
    .reads = "Quake: frames and groups of them, skins in the file",
    .start = "IDPO",
    .load = load,
    .pictures = &(const struct file_opener){open_pictures, read_picture, free},
};
