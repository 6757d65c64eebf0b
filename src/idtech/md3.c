#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "idtech/md3.h"
#include "model/rig.h"

/* Layout of a file: this header, then the tables it points to. All little-endian.
 *
 *     frames    num_frames              56 bytes each: a box, an origin and a radius (10 floats), a 16-byte name
 *     tags      num_frames * num_tags   112 bytes each: a 64-byte name, a place, and x, y, z axes (12 floats)
 *     surfaces  num_surfaces            one after the other, each as long as its ofs_end
 *
 * A surface has a header of its own, and offsets from its own start:
 *
 *     triangles  num_triangles           3 vertices of 32 bits
 *     shaders    num_shaders             68 bytes each: a 64-byte name, a number that means nothing in a file
 *     st         num_verts               s and t, 2 floats
 *     xyznormal  num_frames * num_verts  x, y, z: signed 16 bits, in 1/64 units; two bytes of a normal: its angle from
 *                                        the z axis, and that around it from the x axis, a full turn being 256 */
struct md3_header {
    uint32_t ident, version, name[16], flags, num_frames, num_tags, num_surfaces, num_skins;
    uint32_t ofs_frames, ofs_tags, ofs_surfaces, ofs_eof;
};

struct surface_header {
    uint32_t ident, name[16], flags, num_frames, num_shaders, num_verts, num_triangles;
    uint32_t ofs_triangles, ofs_shaders, ofs_st, ofs_xyznormal, ofs_end;
};

/* A surface in the file. */
struct surface_part {
    size_t start;
    struct surface_header header;
};

enum {
    MD3_IDENT = 'I' | 'D' << 8 | 'P' << 16 | '3' << 24,
    MD3_VERSION = 15,
    MD3_FRAME_SIZE = 56,
    MD3_FRAME_NAME_OFFSET = 40,
    MD3_FRAME_NAME_SIZE = 16,
    MD3_TAG_SIZE = 112,
    MD3_NAME_SIZE = 64,
    MD3_TRIANGLE_SIZE = 12,
    MD3_SHADER_SIZE = 68,
    MD3_ST_SIZE = 8,
    MD3_VERTEX_SIZE = 8,
    /* Lines of skins are compared with all surfaces, and tags are listed in messages. Real files have up to 24 surfaces
     * and 16 tags. */
    MD3_MAX_SURFACES = 256,
    MD3_MAX_TAGS = 256,
};

/* The file has no rate. Engines that play all frames as one clip do it at this one. */
#define MD3_RATE_HZ 10.0f

/* -- Headers ----------------------------------------------------------------------------------------------- */

static int read_header(struct bytes bytes, struct md3_header *h, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 0);
    if (!read_words(&cursor, h, sizeof *h))
        return error_set(err, "its header runs past the end of the file (%zu bytes)", bytes.size);
    if (h->version != MD3_VERSION)
        return error_set(err, "MD3 version %u (only %d is supported)", h->version, MD3_VERSION);
    const struct file_table tables[] = {
        {"frames", h->num_frames, 1, MODEL_MOST_FRAMES, h->ofs_frames, MD3_FRAME_SIZE},
        {"tags", h->num_tags, 0, MD3_MAX_TAGS, h->ofs_tags, (size_t)h->num_frames * MD3_TAG_SIZE},
        {"surfaces", h->num_surfaces, 0, MD3_MAX_SURFACES, 0, 0},
    };
    return check_tables(bytes, tables, 3, err);
}

static int read_surface_header(struct bytes bytes, size_t start, uint32_t num_frames, struct surface_header *s,
                               struct error *err)
{
    struct cursor cursor = cursor_at(bytes, start);
    if (!read_words(&cursor, s, sizeof *s))
        return error_set(err, "its header runs past the end of the file (%zu bytes)", bytes.size);
    if (s->ident != MD3_IDENT)
        return error_set(err, "no surface begins at byte %zu: it has another ident than \"IDP3\"", start);
    if (s->num_frames != num_frames)
        return error_set(err, "%u frames, but the file has %u", s->num_frames, num_frames);
    const struct file_table tables[] = {
        {"triangles", s->num_triangles, 0, UINT32_MAX, start + s->ofs_triangles, MD3_TRIANGLE_SIZE},
        {"shaders", s->num_shaders, 0, UINT32_MAX, start + s->ofs_shaders, MD3_SHADER_SIZE},
        {"texture coordinates", s->num_verts, 0, UINT32_MAX, start + s->ofs_st, MD3_ST_SIZE},
        {"vertices", (size_t)s->num_verts * num_frames, 0, SIZE_MAX, start + s->ofs_xyznormal, MD3_VERTEX_SIZE},
    };
    return check_tables(bytes, tables, 4, err);
}

/* Reads the headers of all surfaces, and adds up what the model has of points and triangles. */
static int read_surface_headers(struct bytes bytes, const struct md3_header *header, struct surface_part *out,
                                struct model *model, struct error *err)
{
    size_t start = header->ofs_surfaces, points = 0, triangles = 0;
    for (uint32_t i = 0; i < header->num_surfaces; i++) {
        out[i].start = start;
        if (read_surface_header(bytes, start, header->num_frames, &out[i].header, err) < 0)
            return error_add(err, "surface %u", i);
        start += out[i].header.ofs_end;
        points += out[i].header.num_verts;
        triangles += out[i].header.num_triangles;
        if (points > MODEL_MOST_POINTS || triangles > MODEL_MOST_TRIANGLES)
            return error_set(err, "%zu vertices and %zu triangles up to surface %u (at most %d and %d)", points,
                             triangles, i, MODEL_MOST_POINTS, MODEL_MOST_TRIANGLES);
    }
    /* Surfaces that lie over each other in the file would need more memory than its bytes. */
    if (points * header->num_frames > bytes.size / MD3_VERTEX_SIZE)
        return error_set(err, "%u frames of %zu vertices are more than fit into the file (%zu bytes)",
                         header->num_frames, points, bytes.size);
    model->point_count = model->vertex_count = (uint32_t)points;
    model->index_count = 3 * (uint32_t)triangles;
    model->surface_count = header->num_surfaces;
    return 0;
}

/* -- Surfaces ---------------------------------------------------------------------------------------------- */

/* `indices` and `uvs` are those of the surface, `first_point` is its first. */
static int read_surface(struct bytes bytes, const struct surface_part *part, uint32_t first_point,
                        uint32_t *indices, vec2 *uvs, struct error *err)
{
    const struct surface_header *s = &part->header;
    struct cursor triangles = cursor_at(bytes, part->start + s->ofs_triangles);
    struct cursor st = cursor_at(bytes, part->start + s->ofs_st);
    for (uint32_t i = 0; i < 3 * s->num_triangles; i++) {
        uint32_t vertex = cursor_u32(&triangles);
        if (vertex >= s->num_verts)
            return error_set(err, "triangle %u names vertex %d of %u", i / 3, (int32_t)vertex, s->num_verts);
        indices[i] = first_point + vertex;
    }
    for (uint32_t i = 0; i < 2 * s->num_verts; i++) {
        float coordinate = uvs[i / 2][i % 2] = cursor_f32(&st);
        if (!(fabs(coordinate) <= MODEL_LARGEST_NUMBER))
            return error_set(err, "texture coordinate %u is %g", i / 2, coordinate);
    }
    return 0;
}

static void add_frames(struct model *model, const uint8_t *vertices, size_t frame_size, uint32_t count)
{
    enum { TURN = 256, QUARTER = TURN / 4 };
    struct rig_frame *items = arena_must_alloc(&model->arena, count, sizeof *items);
    float *sines = arena_must_alloc(&model->arena, TURN + QUARTER, sizeof *sines);
    for (uint32_t i = 0; i < count; i++)
        items[i] =
            (struct rig_frame){.scale = {1 / 64.f, 1 / 64.f, 1 / 64.f}, .stored = vertices + i * frame_size};
    for (int i = 0; i < TURN + QUARTER; i++)
        sines[i] = (float)sin(i * 2 * M_PI / TURN);
    const struct rig_frames frames = {.point_count = model->point_count, .items = items, .sines = sines};
    model->rig = rig_of_frames(&model->arena, &frames, 1);
}

static int load_surfaces(struct bytes bytes, const struct md3_header *header, const struct surface_part *parts,
                         struct model *model, struct error *err)
{
    const size_t frame_size = (size_t)model->point_count * MD3_VERTEX_SIZE;
    uint8_t *vertices = arena_must_alloc(&model->arena, header->num_frames, frame_size);
    struct model_arrays arrays = model_alloc_arrays(model);
    uint32_t no_shader = 0;
    for (uint32_t i = 0, point = 0, index = 0; i < header->num_surfaces; i++) {
        const struct surface_header *s = &parts[i].header;
        const uint8_t *start = bytes.data + parts[i].start;
        const char *shader = "";
        if (s->num_shaders > 0) /* the first counts */
            shader = model_fixed_name(&model->arena, start + s->ofs_shaders, MD3_NAME_SIZE, NULL);
        arrays.surfaces[i] = (struct surface){
            .name = model_fixed_name(&model->arena, start + 4, MD3_NAME_SIZE, NULL),
            .material = {.kind = MATERIAL_SHADER, .name = shader},
            .first_index = index,
            .index_count = 3 * s->num_triangles,
        };
        if (read_surface(bytes, &parts[i], point, &arrays.indices[index], &arrays.uvs[point], err) < 0)
            return error_add(err, "surface '%s'", arrays.surfaces[i].name);
        const size_t size = (size_t)s->num_verts * MD3_VERTEX_SIZE;
        if (size > 0)
            for (uint32_t frame = 0; frame < header->num_frames; frame++)
                memcpy(vertices + frame * frame_size + (size_t)point * MD3_VERTEX_SIZE,
                       start + s->ofs_xyznormal + frame * size, size);
        no_shader += !*shader;
        point += s->num_verts;
        index += 3 * s->num_triangles;
    }
    model_name_surfaces(model, arrays.surfaces);
    add_frames(model, vertices, frame_size, header->num_frames);
    if (no_shader)
        strings_printf(&model->oddities, "%u surfaces without a shader", no_shader);
    return 0;
}

/* -- Frames and tags --------------------------------------------------------------------------------------- */

/* Few files have frame names that mean something. Where they do, they make several clips of some frames each; else all
 * frames are one. */
static void load_frames(struct bytes bytes, const struct md3_header *header, struct model *model)
{
    const char **names = arena_must_alloc(&model->arena, header->num_frames, sizeof *names);
    for (uint32_t i = 0; i < header->num_frames; i++) {
        const uint8_t *frame = bytes.data + header->ofs_frames + (size_t)i * MD3_FRAME_SIZE;
        names[i] = model_fixed_name(&model->arena, frame + MD3_FRAME_NAME_OFFSET, MD3_FRAME_NAME_SIZE, NULL);
    }
    model->frame_names = names;
    model_add_animation_entry(
        model, &(struct animation){.name = "", .frame_count = header->num_frames, .rate_hz = MD3_RATE_HZ});
    size_t oddity_count = model->oddities.count;
    model_add_sequences(model, 0, model->animations[0].frame_count);
    bool are_named = model->clip_count > 1;
    for (uint32_t i = 0; i < model->clip_count; i++)
        are_named &= model->clips[i].frame_count > 1;
    if (are_named)
        return;
    while (model->oddities.count > oddity_count) /* what the names look like means nothing then */
        free(model->oddities.items[--model->oddities.count]);
    model->clip_count = 0;
    model_add_clip(model,
                   &(struct clip){.name = "frames", .frame_count = header->num_frames, .rate_hz = MD3_RATE_HZ});
}

/* In the file the tags of a frame follow each other, in the model the frames of a tag do. */
static int load_tags(struct bytes bytes, const struct md3_header *header, struct model *model, struct error *err)
{
    struct tag *tags = arena_must_alloc(&model->arena, header->num_tags, sizeof *tags);
    for (uint32_t i = 0; i < header->num_tags; i++) {
        const size_t first = header->ofs_tags + (size_t)i * MD3_TAG_SIZE;
        const struct tag_place place = {first, first + MD3_NAME_SIZE, (size_t)header->num_tags * MD3_TAG_SIZE,
                                        true};
        bool has_axes = true;
        if (read_tag(bytes, &place, header->num_frames, &model->arena, &tags[i], &has_axes, err) < 0)
            return -1;
        if (!has_axes)
            strings_printf(&model->oddities, "tag '%s' has axes without a direction: those of the model count",
                           tags[i].name);
    }
    model->tags = (struct tags){header->num_frames, header->num_tags, tags};
    return 0;
}

/* -- The format -------------------------------------------------------------------------------------------- */

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct md3_header header;
    struct surface_part parts[MD3_MAX_SURFACES];
    if (read_header(bytes, &header, err) < 0 || read_surface_headers(bytes, &header, parts, model, err) < 0 ||
        load_surfaces(bytes, &header, parts, model, err) < 0)
        return -1;
    load_frames(bytes, &header, model);
    if (load_tags(bytes, &header, model, err) < 0)
        return -1;
    if (header.ofs_eof != bytes.size)
        strings_printf(&model->oddities, "ofs_eof is %u in a file of %zu bytes", header.ofs_eof, bytes.size);
    if (options->assets && options->path)
        md3_load_skins(options, model, (struct surface *)model->surfaces);
    return 0;
}

const struct model_format md3_format = {
    .name = "MD3",
    .suffixes = (const struct model_suffix[]){{.text = ".md3"}, {0}},
    .reads = "Quake III: surfaces, frames, tags, skins (.skin)",
    .start = "IDP3",
    .has_skin_files = true,
    .load = load,
};
