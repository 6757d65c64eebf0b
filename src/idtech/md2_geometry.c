#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "idtech/md2.h"
#include "model/rig.h"

/* A corner of a triangle before equal ones are joined to vertices: the same point with the same key is the
 * same vertex. The key is s and t as stored, bit by bit. (Many exporters write each triangle three st of its
 * own, so that their indices say little.) */
struct corner {
    uint32_t point; /* with `key` what number_keys compares */
    uint32_t key[2];
    vec2 uv;
};

struct corners {
    struct corner *items;
    uint32_t count;
};

static void store_triangles(const struct corners *corners, struct model *model)
{
    const uint32_t count = corners->count;
    SCOPED uint32_t *vertices = must_alloc(count, sizeof *vertices), *firsts = must_alloc(count, sizeof *firsts);
    model->vertex_count = number_keys(corners->items, sizeof *corners->items, count, vertices, firsts);
    model->index_count = count;
    model->surface_count = 1;
    struct model_arrays arrays = model_alloc_arrays(model);
    memcpy(arrays.indices, vertices, count * sizeof *vertices);
    for (uint32_t i = 0; i < model->vertex_count; i++) {
        arrays.vertex_points[i] = corners->items[firsts[i]].point;
        memcpy(arrays.uvs[i], corners->items[firsts[i]].uv, sizeof(vec2));
    }
    arrays.surfaces[0] = (struct surface){.name = "mesh", .material.kind = MATERIAL_SKIN, .index_count = count};
}

/* The texture coordinate of a pixel of the skin: without the half pixel to its centre. Quake II's own tool put
 * that half pixel into its GL commands, see drop_half_texels(). */
static float pixel_to_uv(float pixel, uint32_t size)
{
    return size ? pixel / (float)size : 0;
}

static int read_triangle(struct bytes bytes, const struct md2_header *header, uint32_t number,
                         struct corner corners[3], struct error *err)
{
    struct cursor cursor = cursor_at(bytes, header->ofs_tris + (size_t)number * MD2_TRIANGLE_SIZE);

    for (int i = 0; i < 3; i++)
        corners[i].point = cursor_u16(&cursor);
    for (int i = 0; i < 3; i++) {
        uint32_t st = cursor_u16(&cursor);

        if (corners[i].point >= header->num_xyz)
            return error_set(err, "triangle %u names vertex %u of %u", number, corners[i].point, header->num_xyz);
        if (st >= header->num_st)
            return error_set(err, "triangle %u names texture coordinate %u of %u", number, st, header->num_st);
        struct cursor st_cursor = cursor_at(bytes, header->ofs_st + (size_t)st * MD2_ST_SIZE);
        int16_t s = cursor_i16(&st_cursor), t = cursor_i16(&st_cursor);

        corners[i].key[0] = (uint16_t)s;
        corners[i].key[1] = (uint16_t)t;
        corners[i].uv[0] = pixel_to_uv(s, header->skinwidth);
        corners[i].uv[1] = pixel_to_uv(t, header->skinheight);
    }
    return 0;
}

/* Adds the triangles of a strip or a fan, wound as the triangle table winds them. `vertices` has room for those of it. */
static int read_gl_command(struct cursor *cursor, const struct md2_header *header, bool is_fan, uint32_t count,
                           struct corner *vertices, struct corners *out, struct error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        struct corner *c = &vertices[i];
        c->uv[0] = cursor_f32(cursor);
        c->uv[1] = cursor_f32(cursor);
        c->point = cursor_u32(cursor);
        if (c->point >= header->num_xyz)
            return error_set(err, "a GL command names vertex %d of %u", (int32_t)c->point, header->num_xyz);
        if (!isfinite(c->uv[0]) || !isfinite(c->uv[1]))
            return error_set(err, "a GL command has a texture coordinate that is not finite");
        memcpy(c->key, c->uv, sizeof c->key);
    }
    for (uint32_t i = 0; i + 2 < count; i++) {
        const bool is_odd = !is_fan && i % 2;
        const uint32_t corners[3] = {is_fan ? 0 : i + is_odd, i + 1 - is_odd, i + 2};
        for (int k = 0; k < 3; k++)
            out->items[out->count++] = vertices[corners[k]];
    }
    return 0;
}

/* Where a texture coordinate is on the skin, for one that was written as Quake II's tool and all exporters after it did:
 * (pixel + 0.5) / size. */
static float uv_to_pixel(float uv, uint32_t size)
{
    return uv * (float)size - 0.5f;
}

/* All 69 files of UFO:AI whose commands draw the same triangles as their table have s = (st + 0.5) / skinwidth.
 * The half pixel is taken off again, so that both ways of drawing give the same picture. Coordinates that are
 * not all such centres stay as they are. */
static void drop_half_texels(const struct md2_header *header, struct corners *corners)
{
    const uint32_t sizes[2] = {header->skinwidth, header->skinheight};

    for (uint32_t i = 0; i < 2 * corners->count; i++) {
        float pixel = uv_to_pixel(corners->items[i / 2].uv[i % 2], sizes[i % 2]);
        if (!(fabsf(pixel - roundf(pixel)) < 0.01f))
            return;
    }
    for (uint32_t i = 0; i < 2 * corners->count; i++) {
        float *uv = &corners->items[i / 2].uv[i % 2];
        *uv = pixel_to_uv(roundf(uv_to_pixel(*uv, sizes[i % 2])), sizes[i % 2]);
    }
}

/* Leaves *out empty when the file has no commands, or only the 0 that ends them. */
static int read_gl_commands(struct bytes bytes, const struct md2_header *header, struct arena *scratch,
                            struct corners *out, struct error *err)
{
    if (!header->num_glcmds)
        return 0;
    if (header->num_glcmds > MD2_MOST_WORDS)
        return error_set(err, "%u words of GL commands (at most %d)", header->num_glcmds, MD2_MOST_WORDS);
    size_t size = (size_t)header->num_glcmds * sizeof(uint32_t);
    struct bytes table = {bytes.data + header->ofs_glcmds, size};
    struct cursor cursor = cursor_at(table, 0);

    /* Each triangle needs a vertex of its own. */
    out->items = arena_must_alloc(scratch, size / MD2_GL_VERTEX_SIZE * 3, sizeof *out->items);
    struct corner *vertices = arena_must_alloc(scratch, size / MD2_GL_VERTEX_SIZE, sizeof *vertices);
    for (;;) {
        int32_t n = cursor_i32(&cursor);
        uint32_t count = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;

        if (cursor.overrun)
            return error_set(err, "the GL commands have no end in their %u words", header->num_glcmds);
        if (!count)
            break;
        if (count > cursor_left(&cursor) / MD2_GL_VERTEX_SIZE)
            return error_set(err,
                             "a GL command of %u vertices runs past the end of the commands (%zu bytes are left)",
                             count, cursor_left(&cursor));
        if (read_gl_command(&cursor, header, n < 0, count, vertices, out, err) < 0)
            return -1;
        if (out->count / 3 > MODEL_MOST_TRIANGLES)
            return error_set(err, "more than %d triangles in GL commands", MODEL_MOST_TRIANGLES);
    }
    drop_half_texels(header, out);
    return 0;
}

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* Textures repeat: coordinates that are whole sizes apart show the same texel. In double, where no product overflows. */
static uint32_t texel_of(double uv, uint32_t size)
{
    double texel = fmod(round(uv * size), size);

    return size ? (uint32_t)(texel < 0 ? texel + size : texel) : 0;
}

/* Sums over the triangles that have an area, the same for the same triangles in any order and rotation; and over their
 * corners with the texels that these show. */
struct fingerprint {
    uint64_t triangles, texels;
    uint32_t degenerate_count;
};

static struct fingerprint find_fingerprint(const struct md2_header *header, const struct corners *corners)
{
    struct fingerprint sums = {0};

    for (uint32_t i = 0; i < corners->count; i += 3) {
        uint64_t a = corners->items[i].point, b = corners->items[i + 1].point, c = corners->items[i + 2].point;

        if (a == b || b == c || c == a) {
            sums.degenerate_count++;
            continue;
        }
        sums.triangles += mix(a << 40 ^ b << 20 ^ c) + mix(b << 40 ^ c << 20 ^ a) + mix(c << 40 ^ a << 20 ^ b);
        for (const struct corner *corner = &corners->items[i]; corner < &corners->items[i + 3]; corner++) {
            uint64_t s = texel_of(corner->uv[0], header->skinwidth);
            uint64_t t = texel_of(corner->uv[1], header->skinheight);
            sums.texels += mix(mix(s << 32 | t) ^ corner->point);
        }
    }
    return sums;
}

static void note_oddities(const struct md2_header *header, const struct corners *triangles,
                          const struct corners *commands, struct model *model)
{
    const struct fingerprint table = find_fingerprint(header, triangles);
    const struct fingerprint drawn = find_fingerprint(header, commands);

    if (table.degenerate_count)
        strings_printf(&model->oddities, "%u triangles without area", table.degenerate_count);
    if (!commands->count)
        strings_add(&model->oddities, "no GL commands");
    else if (drawn.triangles != table.triangles)
        strings_add(&model->oddities, "the GL commands draw other triangles than the triangle table");
    else if (drawn.texels != table.texels)
        strings_add(&model->oddities, "the GL commands have other texture coordinates than the triangle table");
}

static void note_outside(struct model *model)
{
    uint32_t outside = 0;

    for (uint32_t i = 0; i < model->vertex_count; i++) {
        const float *uv = model->uvs[i];
        outside += !(uv[0] >= 0 && uv[0] <= 1 && uv[1] >= 0 && uv[1] <= 1);
    }
    if (outside)
        strings_printf(&model->oddities, "%u of %u texture coordinates outside 0..1", outside,
                       model->vertex_count);
}

/* The triangles as the geometry asks for them. */
static int read_geometry(struct bytes bytes, const struct md2_header *header, enum geometry geometry,
                         struct arena *scratch, struct model *model, struct corners *out, struct error *err)
{
    struct corners triangles = {0}, commands = {0};
    struct error broken_commands;
    triangles.items = arena_must_alloc(scratch, (size_t)header->num_tris * 3, sizeof *triangles.items);
    for (uint32_t i = 0; i < header->num_tris; i++, triangles.count += 3)
        if (read_triangle(bytes, header, i, &triangles.items[triangles.count], err) < 0)
            return -1;
    if (read_gl_commands(bytes, header, scratch, &commands, &broken_commands) == 0)
        note_oddities(header, &triangles, &commands, model);
    else if (geometry == GEOMETRY_GL_COMMANDS)
        return error_set(err, "%s", broken_commands.text);
    else /* most programs never look at the commands: a model is not lost for them */
        strings_printf(&model->oddities, "broken GL commands: %s", broken_commands.text);
    if (!header->skinwidth || !header->skinheight)
        strings_printf(&model->oddities, "a skin size of %u x %u gives no texture coordinates", header->skinwidth,
                       header->skinheight);
    *out = geometry == GEOMETRY_GL_COMMANDS ? commands : triangles;
    if (out->count)
        return 0;
    return geometry == GEOMETRY_GL_COMMANDS
               ? error_set(err, "no GL commands to draw (geometry: triangles draws the %u triangles)",
                           header->num_tris)
               : error_set(err, "0 triangles, at least 1 is needed");
}

int md2_load_geometry(struct bytes bytes, const struct md2_header *header, enum geometry geometry,
                      struct model *model, struct error *err)
{
    SCOPED_BY(arena_release) struct arena scratch = {0};
    struct corners corners;
    if (read_geometry(bytes, header, geometry, &scratch, model, &corners, err) < 0)
        return -1;
    store_triangles(&corners, model);
    note_outside(model);
    return 0;
}

/* Points and their groups, as corners need them; the corners become those of the new points. */
static int split(struct model *model, const uint32_t *groups, struct arena *scratch, struct corners *corners,
                 struct error *err)
{
    struct rig_frames *frames = (struct rig_frames *)model->rig->frames;
    const uint32_t count = model->index_count;
    uint32_t *numbers = arena_must_alloc(scratch, count, sizeof *numbers);
    uint32_t *firsts = arena_must_alloc(scratch, count, sizeof *firsts);
    *corners = (struct corners){arena_must_alloc(scratch, count, sizeof *corners->items), count};
    for (uint32_t i = 0; i < count; i++)
        corners->items[i] = (struct corner){.point = model->vertex_points[model->indices[i]], .key = {groups[i]}};
    const uint32_t point_count = number_keys(corners->items, sizeof *corners->items, count, numbers, firsts);
    if (point_count > MODEL_MOST_POINTS)
        return error_set(err, "%u points with a normal each (at most %d)", point_count, MODEL_MOST_POINTS);
    struct rig_frame_point *points = arena_must_alloc(&model->arena, point_count, sizeof *points);
    uint32_t *used = arena_must_alloc(&model->arena, point_count, sizeof *used);
    for (uint32_t i = 0; i < point_count; i++) {
        const uint32_t point = corners->items[firsts[i]].point;
        const uint32_t stored = frames->points ? frames->points[point].stored : point;
        points[i] = (struct rig_frame_point){stored, groups[firsts[i]]};
        used[i] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t vertex = model->indices[i];
        corners->items[i] = (struct corner){.point = numbers[i], .key = {vertex}};
        memcpy(corners->items[i].uv, model->uvs[vertex], sizeof(vec2));
    }
    frames->points = points;
    model->point_count = frames->point_count = model->used_point_count = point_count;
    model->used_points = used;
    return 0;
}

int md2_split_points(struct model *model, const uint32_t *groups, uint32_t group_count, struct error *err)
{
    SCOPED_BY(arena_release) struct arena scratch = {0};
    struct rig_frames *frames = (struct rig_frames *)model->rig->frames;
    struct corners corners;
    if (split(model, groups, &scratch, &corners, err) < 0)
        return -1;
    store_triangles(&corners, model);
    frames->group_count = group_count;
    frames->shares_normals = true;
    return 0;
}
