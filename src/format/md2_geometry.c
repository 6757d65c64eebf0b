#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/md2.h"

/* A corner of a triangle before equal ones are joined to vertices: the same point with the same key is the
 * same vertex. The key is s and t as stored, bit by bit. (Many exporters write each triangle three st of its
 * own, so that their indices say little.) */
struct corner {
    uint32_t point;
    uint32_t key[2];
    vec2 uv;
};

struct corners {
    struct corner *items;
    size_t count;
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 32) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 32;
}

/* The vertices found so far, in a hash table with open addressing. */
struct vertex_table {
    const struct corner *corners;
    uint32_t *slots; /* number of the vertex + 1; 0 is free */
    size_t mask;
    uint32_t *first_corners; /* of each vertex */
    uint32_t count;
};

static int vertex_table_init(struct vertex_table *table, const struct corners *corners, struct error *err)
{
    size_t capacity = 16;

    while (capacity < 2 * corners->count)
        capacity *= 2;
    *table = (struct vertex_table){.corners = corners->items, .mask = capacity - 1};
    table->slots = memory_alloc(capacity, sizeof *table->slots, err);
    table->first_corners = memory_alloc(corners->count, sizeof *table->first_corners, err);
    return table->slots && table->first_corners ? 0 : -1;
}

static void vertex_table_release(struct vertex_table *table)
{
    free(table->slots);
    free(table->first_corners);
}

static uint32_t vertex_of_corner(struct vertex_table *table, uint32_t number)
{
    const struct corner *corner = &table->corners[number];
    size_t slot = mix(mix(corner->point | (uint64_t)corner->key[0] << 32) ^ corner->key[1]) & table->mask;

    for (; table->slots[slot]; slot = (slot + 1) & table->mask) {
        uint32_t vertex = table->slots[slot] - 1;
        const struct corner *other = &table->corners[table->first_corners[vertex]];

        if (other->point == corner->point && !memcmp(other->key, corner->key, sizeof corner->key))
            return vertex;
    }
    table->first_corners[table->count] = number;
    table->slots[slot] = ++table->count;
    return table->count - 1;
}

static int store_triangles(const struct corners *corners, struct model *model, struct error *err)
{
    uint32_t *indices = arena_alloc(&model->arena, corners->count, sizeof *indices, err), *points = NULL;
    vec2 *uvs = NULL;
    struct surface *surface = arena_alloc(&model->arena, 1, sizeof *surface, err);
    struct vertex_table table = {0};
    int result = -1;

    if (indices && surface && !vertex_table_init(&table, corners, err)) {
        for (uint32_t i = 0; i < corners->count; i++)
            indices[i] = vertex_of_corner(&table, i);
        points = arena_alloc(&model->arena, table.count, sizeof *points, err);
        uvs = arena_alloc(&model->arena, table.count, sizeof *uvs, err);
    }
    if (points && uvs) {
        for (uint32_t i = 0; i < table.count; i++) {
            const struct corner *corner = &table.corners[table.first_corners[i]];

            points[i] = corner->point;
            memcpy(uvs[i], corner->uv, sizeof uvs[i]);
        }
        model->vertex_points = points;
        model->uvs = (const vec2 *)uvs;
        model->vertex_count = table.count;
        *surface = (struct surface){
            .name = "mesh", .material.kind = MATERIAL_SKIN, .index_count = (uint32_t)corners->count};
        model->indices = indices;
        model->index_count = surface->index_count;
        model->surfaces = surface;
        model->surface_count = 1;
        result = 0;
    }
    vertex_table_release(&table);
    return result;
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

/* Adds the triangles of a strip or a fan, wound as the triangle table winds them. */
static int read_gl_command(struct cursor *cursor, const struct md2_header *header, bool is_fan, uint32_t count,
                           struct corners *out, struct error *err)
{
    struct corner a = {0}, b = {0}, c;

    for (uint32_t i = 0; i < count; i++) {
        c.uv[0] = cursor_f32(cursor);
        c.uv[1] = cursor_f32(cursor);
        c.point = cursor_u32(cursor);
        if (c.point >= header->num_xyz)
            return error_set(err, "a GL command names vertex %d of %u", (int32_t)c.point, header->num_xyz);
        if (!isfinite(c.uv[0]) || !isfinite(c.uv[1]))
            return error_set(err, "a GL command has a texture coordinate that is not finite");
        memcpy(c.key, c.uv, sizeof c.key);
        if (i >= 2) {
            bool is_odd = !is_fan && i % 2;

            out->items[out->count++] = is_odd ? b : a;
            out->items[out->count++] = is_odd ? a : b;
            out->items[out->count++] = c;
        }
        if (i == 0 || (!is_fan && i >= 2))
            a = i ? b : c;
        if (i >= 1)
            b = c;
    }
    return 0;
}

/* The pixel of a GL command's texture coordinate, when it was written as Quake II's tool and all exporters
 * after it did: (pixel + 0.5) / size. */
static bool is_texel_centre(float uv, uint32_t size, float *pixel)
{
    float place = uv * (float)size - 0.5f;

    *pixel = roundf(place);
    return fabsf(place - *pixel) < 0.01f;
}

/* All 69 files of UFO:AI whose commands draw the same triangles as their table have s = (st + 0.5) / skinwidth.
 * The half pixel is taken off again, so that both ways of drawing give the same picture. Coordinates that are
 * not all such centres stay as they are. */
static void drop_half_texels(const struct md2_header *header, struct corners *corners)
{
    float pixel;

    for (size_t i = 0; i < corners->count; i++) {
        if (!is_texel_centre(corners->items[i].uv[0], header->skinwidth, &pixel) ||
            !is_texel_centre(corners->items[i].uv[1], header->skinheight, &pixel))
            return;
    }
    for (size_t i = 0; i < corners->count; i++) {
        float *uv = corners->items[i].uv;

        is_texel_centre(uv[0], header->skinwidth, &pixel);
        uv[0] = pixel_to_uv(pixel, header->skinwidth);
        is_texel_centre(uv[1], header->skinheight, &pixel);
        uv[1] = pixel_to_uv(pixel, header->skinheight);
    }
}

/* Leaves *out empty when the file has no commands, or only the 0 that ends them. */
static int read_gl_commands(struct bytes bytes, const struct md2_header *header, struct corners *out,
                            struct error *err)
{
    if (!header->num_glcmds)
        return 0;
    if (header->num_glcmds > MD2_MOST_WORDS)
        return error_set(err, "%u words of GL commands (at most %d)", header->num_glcmds, MD2_MOST_WORDS);
    size_t size = (size_t)header->num_glcmds * sizeof(uint32_t);
    struct bytes table = {bytes.data + header->ofs_glcmds, size};
    struct cursor cursor = cursor_at(table, 0);

    /* Each triangle needs a vertex of its own. */
    out->items = memory_alloc(size / MD2_GL_VERTEX_SIZE * 3, sizeof *out->items, err);
    if (!out->items)
        return -1;
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
        if (read_gl_command(&cursor, header, n < 0, count, out, err) < 0)
            return -1;
        if (out->count / 3 > MODEL_MOST_TRIANGLES)
            return error_set(err, "more than %d triangles in GL commands", MODEL_MOST_TRIANGLES);
    }
    drop_half_texels(header, out);
    return 0;
}

/* A sum over the triangles that have an area, the same for the same triangles in any order and rotation. */
static uint64_t fingerprint(const struct corners *corners, uint32_t *degenerate_count)
{
    uint64_t sum = 0;

    *degenerate_count = 0;
    for (size_t i = 0; i < corners->count; i += 3) {
        uint64_t a = corners->items[i].point, b = corners->items[i + 1].point, c = corners->items[i + 2].point;

        if (a == b || b == c || c == a)
            (*degenerate_count)++;
        else
            sum += mix(a << 40 ^ b << 20 ^ c) + mix(b << 40 ^ c << 20 ^ a) + mix(c << 40 ^ a << 20 ^ b);
    }
    return sum;
}

/* Textures repeat: coordinates that are whole sizes apart show the same texel. In double, where no product overflows. */
static uint32_t texel_of(double uv, uint32_t size)
{
    double texel = fmod(round(uv * size), size);

    return size ? (uint32_t)(texel < 0 ? texel + size : texel) : 0;
}

/* The same of their corners with the texels that these show. */
static uint64_t texture_fingerprint(const struct md2_header *header, const struct corners *corners)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < corners->count; i++) {
        const struct corner *corner = &corners->items[i], *triangle = corner - i % 3;
        uint64_t s = texel_of(corner->uv[0], header->skinwidth), t = texel_of(corner->uv[1], header->skinheight);

        if (triangle[0].point != triangle[1].point && triangle[1].point != triangle[2].point &&
            triangle[2].point != triangle[0].point)
            sum += mix(mix(s << 32 | t) ^ corner->point);
    }
    return sum;
}

static void note_oddities(const struct md2_header *header, const struct corners *triangles,
                          const struct corners *commands, struct model *model)
{
    uint32_t degenerate_count, ignored;
    uint64_t from_triangles = fingerprint(triangles, &degenerate_count);

    if (degenerate_count)
        strings_printf(&model->oddities, "%u triangles without area", degenerate_count);
    if (!commands->count)
        strings_add(&model->oddities, "no GL commands");
    else if (fingerprint(commands, &ignored) != from_triangles)
        strings_add(&model->oddities, "the GL commands draw other triangles than the triangle table");
    else if (texture_fingerprint(header, commands) != texture_fingerprint(header, triangles))
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

int md2_load_geometry(struct bytes bytes, const struct md2_header *header, enum geometry geometry,
                      struct model *model, struct error *err)
{
    struct corners triangles = {0}, commands = {0};
    struct error broken_commands;
    int result = -1;

    triangles.items = memory_alloc((size_t)header->num_tris * 3, sizeof *triangles.items, err);
    if (!triangles.items)
        goto out;
    for (uint32_t i = 0; i < header->num_tris; i++, triangles.count += 3)
        if (read_triangle(bytes, header, i, &triangles.items[triangles.count], err) < 0)
            goto out;
    if (read_gl_commands(bytes, header, &commands, &broken_commands) < 0) {
        /* Most programs never look at the commands: a model is not lost for them. */
        if (geometry == GEOMETRY_GL_COMMANDS) {
            error_set(err, "%s", broken_commands.text);
            goto out;
        }
        strings_printf(&model->oddities, "broken GL commands: %s", broken_commands.text);
    } else {
        note_oddities(header, &triangles, &commands, model);
    }
    if (!header->skinwidth || !header->skinheight)
        strings_printf(&model->oddities, "a skin size of %u x %u gives no texture coordinates", header->skinwidth,
                       header->skinheight);
    if (geometry == GEOMETRY_GL_COMMANDS && !commands.count)
        error_set(err, "no GL commands to draw (geometry: triangles draws the %u triangles)", header->num_tris);
    else if (geometry == GEOMETRY_TRIANGLES && !triangles.count)
        error_set(err, "0 triangles, at least 1 is needed");
    else
        result = store_triangles(geometry == GEOMETRY_GL_COMMANDS ? &commands : &triangles, model, err);
    if (result == 0)
        note_outside(model);
out:
    free(triangles.items);
    free(commands.items);
    return result;
}

/* Numbers the points that the corners make, in the order of their first corners. */
static int number_points(const struct corners *corners, struct vertex_table *table, uint32_t *numbers,
                         struct error *err)
{
    if (vertex_table_init(table, corners, err) < 0)
        return -1;
    for (uint32_t i = 0; i < corners->count; i++)
        numbers[i] = vertex_of_corner(table, i);
    if (table->count > MODEL_MOST_POINTS)
        return error_set(err, "%u points with a normal each (at most %d)", table->count, MODEL_MOST_POINTS);
    return 0;
}

static int store_points(const struct corners *corners, const struct vertex_table *table, uint32_t group_count,
                        struct model *model, struct error *err)
{
    struct md2 *md2 = (struct md2 *)model->data;
    struct md2_point *points = arena_alloc(&model->arena, table->count, sizeof *points, err);
    uint32_t *used = arena_alloc(&model->arena, table->count, sizeof *used, err);

    if (!points || !used || store_triangles(corners, model, err) < 0)
        return -1;
    for (uint32_t i = 0; i < table->count; i++) {
        const struct corner *corner = &table->corners[table->first_corners[i]];

        points[i] = (struct md2_point){.vertex = md2->points[corner->point].vertex, .group = corner->key[0]};
        used[i] = i;
    }
    md2->points = points;
    md2->group_count = group_count;
    md2->has_mdx = true;
    model->point_count = model->used_point_count = table->count;
    model->used_points = used;
    return 0;
}

int md2_split_points(struct model *model, const uint32_t *groups, uint32_t group_count, struct error *err)
{
    size_t count = model->index_count;
    struct corners old = {memory_alloc(count, sizeof *old.items, err), count};
    struct corners new = {memory_alloc(count, sizeof *new.items, err), count};
    uint32_t *numbers = memory_alloc(count, sizeof *numbers, err);
    struct vertex_table table = {0};
    int result = -1;

    if (!old.items || !new.items || !numbers)
        goto out;
    for (size_t i = 0; i < count; i++)
        old.items[i] = (struct corner){.point = model->vertex_points[model->indices[i]], .key = {groups[i]}};
    if (number_points(&old, &table, numbers, err) < 0)
        goto out;
    for (size_t i = 0; i < count; i++) {
        uint32_t vertex = model->indices[i];

        new.items[i] = (struct corner){.point = numbers[i], .key = {vertex}};
        memcpy(new.items[i].uv, model->uvs[vertex], sizeof(vec2));
    }
    result = store_points(&new, &table, group_count, model, err);
out:
    vertex_table_release(&table);
    free(old.items);
    free(new.items);
    free(numbers);
    return result;
}
