#include "idtech/md2.h"
#include "model/rig.h"

#include <math.h>
#include <string.h>

enum {
    MD2_VERSION = 8,
    MD2_MAX_INDEXED = 65536, /* triangles name vertices and st in 16 bits */
    MD2_MAX_SKINS = 256,     /* each is looked for in many places; Quake II allows 32, and 20 is the most seen */
    QUAKE2_MAX_FRAMES = 512, /* of the game itself; other engines go further, and so do we */
};

/* Far outside any model, and near enough that sums and products of differences stay finite floats. */
#define MAX_COORDINATE 1e8f

/* -- Frames of MD2 and MDL --------------------------------------------------------------------------------- */

struct md2 md2_init(struct model *model, uint32_t point_count, size_t frame_count)
{
    struct md2 md2 = {arena_must_alloc(&model->arena, frame_count, sizeof *md2.frames),
                      arena_must_alloc(&model->arena, frame_count, sizeof *md2.frame_names)};
    const struct rig_frames frames = {.point_count = point_count,
                                      .items = md2.frames,
                                      .group_count = point_count,
                                      .normals = md2_normals,
                                      .normal_count = MD2_NORMAL_COUNT};
    model->point_count = point_count;
    model->rig = rig_of_frames(&model->arena, &frames, 1);
    model->frame_names = md2.frame_names;
    model_add_animation_entry(
        model, &(struct animation){.name = "", .frame_count = (uint32_t)frame_count, .rate_hz = MD2_RATE_HZ});
    return md2;
}

int md2_read_scale(struct cursor *cursor, struct rig_frame *out, struct error *err)
{
    for (int axis = 0; axis < 3; axis++)
        out->scale[axis] = cursor_f32(cursor);
    for (int axis = 0; axis < 3; axis++)
        out->translate[axis] = cursor_f32(cursor);
    for (int axis = 0; axis < 3; axis++)
        if (!(fabsf(out->scale[axis]) * UINT8_MAX <= MAX_COORDINATE &&
              fabsf(out->translate[axis]) <= MAX_COORDINATE))
            return error_set(err, "scale %g and translate %g give no usable coordinates (up to %g)",
                             out->scale[axis], out->translate[axis], MAX_COORDINATE);
    return 0;
}

uint32_t md2_copy_vertices(struct model *model, const uint8_t *vertices, struct rig_frame *out)
{
    uint8_t *copy = arena_must_alloc(&model->arena, model->point_count, MD2_VERTEX_SIZE);
    uint32_t bad_count = 0;
    memcpy(copy, vertices, (size_t)model->point_count * MD2_VERTEX_SIZE);
    for (uint32_t i = 0; i < model->point_count; i++)
        bad_count += copy[i * MD2_VERTEX_SIZE + 3] >= MD2_NORMAL_COUNT;
    out->stored = copy;
    out->derived = bad_count ? RIG_DERIVED_BAD : RIG_DERIVED_NONE;
    return bad_count;
}

/* -- MD2 --------------------------------------------------------------------------------------------------- */

static int read_header(struct bytes bytes, struct md2_header *h, struct strings *oddities, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 0);
    if (!read_words(&cursor, h, sizeof *h))
        return error_set(err, "%zu bytes are too few for the header of %d", bytes.size, MD2_HEADER_SIZE);
    if (h->version != MD2_VERSION)
        return error_set(err, "MD2 version %u (only %d is supported)", h->version, MD2_VERSION);
    const struct file_table tables[] = {
        {"pixels of skin width", h->skinwidth, 0, INT32_MAX, 0, 0},
        {"pixels of skin height", h->skinheight, 0, INT32_MAX, 0, 0},
        {"vertices", h->num_xyz, 1, MD2_MAX_INDEXED, 0, 0},
        {"skins", h->num_skins, 0, MD2_MAX_SKINS, h->ofs_skins, MD2_SKIN_SIZE},
        {"texture coordinates", h->num_st, 0, MD2_MAX_INDEXED, h->ofs_st, MD2_ST_SIZE},
        {"triangles", h->num_tris, 0, MODEL_MOST_TRIANGLES, h->ofs_tris, MD2_TRIANGLE_SIZE},
        {"frames", h->num_frames, 1, MODEL_MOST_FRAMES, h->ofs_frames, h->framesize},
        {"words of GL commands", h->num_glcmds, 0, INT32_MAX, h->ofs_glcmds, sizeof(uint32_t)},
    };
    if (check_tables(bytes, tables, sizeof tables / sizeof *tables, err) < 0)
        return -1;
    const uint32_t least_framesize = MD2_FRAME_HEADER_SIZE + MD2_VERTEX_SIZE * h->num_xyz;
    if (h->framesize < least_framesize)
        return error_set(err, "a frame size of %u bytes is too small for %u vertices (%u)", h->framesize,
                         h->num_xyz, least_framesize);
    if (h->ofs_end != bytes.size)
        strings_printf(oddities, "ofs_end is %u in a file of %zu bytes", h->ofs_end, bytes.size);
    if (h->framesize != least_framesize)
        strings_printf(oddities, "a frame size of %u bytes where %u are needed", h->framesize, least_framesize);
    return 0;
}

static void load_skins(struct bytes bytes, const struct md2_header *header, struct model *model)
{
    struct cursor cursor = cursor_at(bytes, header->num_skins ? header->ofs_skins : 0);
    const char **skins = arena_must_alloc(&model->arena, header->num_skins, sizeof *skins);
    uint32_t junk_count = 0;
    for (uint32_t i = 0; i < header->num_skins; i++) {
        bool has_junk = false;
        const uint8_t *field = cursor_take(&cursor, MD2_SKIN_SIZE);
        char *name = model_fixed_name(&model->arena, field, MD2_SKIN_SIZE, &has_junk);
        size_t length = strlen(name);
        junk_count += has_junk;
        if (length >= 2 && name[0] == '"' && name[length - 1] == '"') {
            name[length - 1] = '\0';
            name++;
        }
        if (*name)
            skins[model->skin_count++] = name;
        else
            strings_printf(&model->oddities, "skin %u has no name", i);
    }
    model->skins = skins;
    if (!header->num_skins)
        strings_add(&model->oddities, "no skins");
    if (junk_count)
        strings_printf(&model->oddities, "%u skin names with bytes after their end", junk_count);
}

static int load_frames(struct bytes bytes, const struct md2_header *header, struct model *model, struct error *err)
{
    const uint32_t point_count = header->num_xyz, frame_count = header->num_frames;
    struct md2 md2 = md2_init(model, point_count, frame_count);
    uint32_t junk_names = 0, bad_normals = 0, same_normals = 0;
    for (uint32_t i = 0; i < frame_count; i++) {
        struct cursor cursor = cursor_at(bytes, header->ofs_frames + (size_t)i * header->framesize);
        bool has_junk = false, are_same = point_count > 2;
        if (md2_read_scale(&cursor, &md2.frames[i], err) < 0)
            return error_add(err, "frame %u", i);
        const uint8_t *name = cursor_take(&cursor, MD2_FRAME_NAME_SIZE);
        md2.frame_names[i] = model_fixed_name(&model->arena, name, MD2_FRAME_NAME_SIZE, &has_junk);
        const uint8_t *vertices = cursor_take(&cursor, (size_t)point_count * MD2_VERTEX_SIZE);
        bad_normals += md2_copy_vertices(model, vertices, &md2.frames[i]);
        for (uint32_t k = 0; k < point_count; k++)
            are_same &= vertices[k * MD2_VERTEX_SIZE + 3] == vertices[3];
        if (are_same)
            md2.frames[i].derived = RIG_DERIVED_ALL;
        same_normals += are_same;
        junk_names += has_junk;
    }
    if (frame_count > QUAKE2_MAX_FRAMES)
        strings_printf(&model->oddities, "%u frames (Quake II allows %d)", frame_count, QUAKE2_MAX_FRAMES);
    if (bad_normals)
        strings_printf(&model->oddities, "%u normal indices above %d", bad_normals, MD2_NORMAL_COUNT - 1);
    if (same_normals)
        strings_printf(&model->oddities, "%u frames with one normal for all vertices", same_normals);
    if (junk_names)
        strings_printf(&model->oddities, "%u frame names with bytes after their end", junk_names);
    return 0;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct md2_header header;
    if (read_header(bytes, &header, &model->oddities, err) < 0)
        return -1;
    load_skins(bytes, &header, model);
    if (load_frames(bytes, &header, model, err) < 0 ||
        md2_load_geometry(bytes, &header, options->geometry, model, err) < 0)
        return -1;
    model_add_sequences(model, 0, header.num_frames);
    model->has_guessed_clips = true;
    return 0;
}

static int add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    (void)name;
    return md2_add_clips(model, bytes, err);
}

static int add_tags(struct model *model, struct bytes bytes, struct error *err)
{
    struct tags tags;
    if (md2_load_tags(bytes, &model->arena, &tags, err) < 0)
        return -1;
    uint32_t frame_count = model->animations[0].frame_count;
    if (tags.frame_count != frame_count)
        return error_set(err, "tags for %u keyframes, but the model has %u", tags.frame_count, frame_count);
    model->tags = tags;
    return 0;
}

const struct model_format md2_format = {
    .name = "MD2",
    .suffixes = (const struct model_suffix[]){{.text = ".md2"}, {0}},
    .reads = "Quake II: frames, skins, GL commands; clips (.anm), normals (.mdx), tags (.tag)",
    .start = "IDP2",
    .companions =
        {
            [COMPANION_NORMALS] = {".mdx", md2_add_normals},
            [COMPANION_CLIPS] = {".anm", md2_add_clips},
            [COMPANION_TAGS] = {".tag", add_tags},
        },
    .has_gl_commands = true,
    .load = load,
    .add_animation = add_animation,
};
