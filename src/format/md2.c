#include <math.h>
#include <stddef.h>
#include <string.h>

#include "format/md2.h"

enum {
    MD2_VERSION = 8,
    MD2_MAX_INDEXED = 65536, /* triangles name vertices and st in 16 bits */
    MD2_MAX_SKINS = 256,     /* each is looked for in many places; Quake II allows 32, and 20 is the most seen */
    QUAKE2_MAX_FRAMES = 512, /* of the game itself; other engines go further, and so do we */
};

/* Far outside any model, and near enough that sums and products of differences stay finite floats. */
#define MAX_COORDINATE 1e8f

static const struct field {
    const char *name;
    size_t offset;
} fields[] = {
#define FIELD(name) #name, offsetof(struct md2_header, name)
    {FIELD(ident)},      {FIELD(version)},   {FIELD(skinwidth)}, {FIELD(skinheight)}, {FIELD(framesize)},
    {FIELD(num_skins)},  {FIELD(num_xyz)},   {FIELD(num_st)},    {FIELD(num_tris)},   {FIELD(num_glcmds)},
    {FIELD(num_frames)}, {FIELD(ofs_skins)}, {FIELD(ofs_st)},    {FIELD(ofs_tris)},   {FIELD(ofs_frames)},
    {FIELD(ofs_glcmds)}, {FIELD(ofs_end)},
#undef FIELD
};

static int read_header(struct bytes bytes, struct md2_header *header, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 0);

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint32_t value = cursor_u32(&cursor);

        if (value > INT32_MAX)
            return error_set(err, "%s is %d (must not be negative)", fields[i].name, (int32_t)value);
        memcpy((char *)header + fields[i].offset, &value, sizeof value);
    }
    if (cursor.overrun)
        return error_set(err, "%zu bytes are too few for the header of %d", bytes.size, MD2_HEADER_SIZE);
    if (header->version != MD2_VERSION)
        return error_set(err, "MD2 version %u (only %d is supported)", header->version, MD2_VERSION);
    return 0;
}

static int check_header(struct bytes bytes, const struct md2_header *header, struct error *err)
{
    const struct md2_header *h = header;
    const uint32_t least_framesize = MD2_FRAME_HEADER_SIZE + MD2_VERTEX_SIZE * h->num_xyz;
    if (h->num_skins > MD2_MAX_SKINS)
        return error_set(err, "%u skins (at most %d)", h->num_skins, MD2_MAX_SKINS);
    if (h->num_xyz < 1 || h->num_xyz > MD2_MAX_INDEXED)
        return error_set(err, "%u vertices (1 to %d are allowed)", h->num_xyz, MD2_MAX_INDEXED);
    if (h->num_st > MD2_MAX_INDEXED)
        return error_set(err, "%u texture coordinates (at most %d)", h->num_st, MD2_MAX_INDEXED);
    if (h->num_tris > MODEL_MOST_TRIANGLES)
        return error_set(err, "%u triangles (at most %d)", h->num_tris, MODEL_MOST_TRIANGLES);
    if (h->num_frames < 1)
        return error_set(err, "no frames (at least 1 is needed)");
    if (h->num_frames > MODEL_MOST_FRAMES)
        return error_set(err, "%u frames (at most %d)", h->num_frames, MODEL_MOST_FRAMES);
    if (h->framesize < least_framesize)
        return error_set(err, "a frame size of %u bytes is too small for %u vertices (%u)", h->framesize,
                         h->num_xyz, least_framesize);

    const struct {
        const char *name;
        uint32_t offset, count, stride;
    } sections[] = {
        {"skins", h->ofs_skins, h->num_skins, MD2_SKIN_SIZE},
        {"texture coordinates", h->ofs_st, h->num_st, MD2_ST_SIZE},
        {"triangles", h->ofs_tris, h->num_tris, MD2_TRIANGLE_SIZE},
        {"frames", h->ofs_frames, h->num_frames, h->framesize},
        {"words of GL commands", h->ofs_glcmds, h->num_glcmds, sizeof(uint32_t)},
    };
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        uint32_t offset = sections[i].offset, count = sections[i].count, stride = sections[i].stride;
        /* Exporters write anything into the offset of an empty table. */
        if (count && !bytes_hold(bytes, offset, count, stride))
            return error_set(err, "%u %s of %u bytes at offset %u run past the end of the file (%zu bytes)", count,
                             sections[i].name, stride, offset, bytes.size);
    }
    return 0;
}

static int load_skins(struct bytes bytes, const struct md2_header *header, struct model *model, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, header->num_skins ? header->ofs_skins : 0);
    const char **skins = arena_alloc(&model->arena, header->num_skins, sizeof *skins, err);
    uint32_t junk_count = 0;

    if (!skins)
        return -1;
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
    return 0;
}

struct frame_tally {
    uint32_t junk_names, bad_normals, same_normals;
};

static int load_frame(struct bytes bytes, const struct md2_header *header, uint32_t number, struct model *model,
                      struct md2_frame *frame, const char **name, struct frame_tally *tally, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, header->ofs_frames + (size_t)number * header->framesize);
    uint32_t count = header->num_xyz, bad_count = 0;
    uint8_t *vertices = arena_alloc(&model->arena, count, MD2_VERTEX_SIZE, err);
    bool has_junk = false, are_same = count > 2;

    if (!vertices)
        return -1;
    for (int axis = 0; axis < 3; axis++)
        frame->scale[axis] = cursor_f32(&cursor);
    for (int axis = 0; axis < 3; axis++)
        frame->translate[axis] = cursor_f32(&cursor);
    for (int axis = 0; axis < 3; axis++) {
        float scale = frame->scale[axis], translate = frame->translate[axis];

        if (!(fabsf(scale) * UINT8_MAX <= MAX_COORDINATE && fabsf(translate) <= MAX_COORDINATE))
            return error_set(err, "frame %u: scale %g and translate %g give no usable coordinates (up to %g)",
                             number, scale, translate, MAX_COORDINATE);
    }
    *name =
        model_fixed_name(&model->arena, cursor_take(&cursor, MD2_FRAME_NAME_SIZE), MD2_FRAME_NAME_SIZE, &has_junk);
    memcpy(vertices, cursor_take(&cursor, (size_t)count * MD2_VERTEX_SIZE), (size_t)count * MD2_VERTEX_SIZE);
    frame->vertices = vertices;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t normal = vertices[i * MD2_VERTEX_SIZE + 3];

        bad_count += normal >= MD2_NORMAL_COUNT;
        are_same &= normal == vertices[3];
    }
    frame->computed = are_same ? MD2_COMPUTED_ALL : bad_count ? MD2_COMPUTED_BAD : MD2_COMPUTED_NONE;
    tally->bad_normals += bad_count;
    tally->same_normals += are_same;
    tally->junk_names += has_junk;
    return 0;
}

static int load_frames(struct bytes bytes, const struct md2_header *header, struct model *model, struct error *err)
{
    struct md2 *md2 = arena_alloc(&model->arena, 1, sizeof *md2, err);
    struct md2_frame *frames = arena_alloc(&model->arena, header->num_frames, sizeof *frames, err);
    const char **names = arena_alloc(&model->arena, header->num_frames, sizeof *names, err);
    struct md2_point *points = arena_alloc(&model->arena, header->num_xyz, sizeof *points, err);
    struct frame_tally tally = {0};

    if (!md2 || !frames || !names || !points)
        return -1;
    for (uint32_t i = 0; i < header->num_xyz; i++)
        points[i] = (struct md2_point){.vertex = i, .group = i};
    for (uint32_t i = 0; i < header->num_frames; i++) {
        if (load_frame(bytes, header, i, model, &frames[i], &names[i], &tally, err) < 0)
            return -1;
    }
    md2->frames = frames;
    md2->points = points;
    md2->group_count = header->num_xyz;
    model->data = md2;
    model->frame_names = names;
    if (header->num_frames > QUAKE2_MAX_FRAMES)
        strings_printf(&model->oddities, "%u frames (Quake II allows %d)", header->num_frames, QUAKE2_MAX_FRAMES);
    if (tally.bad_normals)
        strings_printf(&model->oddities, "%u normal indices above %d", tally.bad_normals, MD2_NORMAL_COUNT - 1);
    if (tally.same_normals)
        strings_printf(&model->oddities, "%u frames with one normal for all vertices", tally.same_normals);
    if (tally.junk_names)
        strings_printf(&model->oddities, "%u frame names with bytes after their end", tally.junk_names);
    return 0;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    struct md2_header header;

    if (read_header(bytes, &header, err) < 0 || check_header(bytes, &header, err) < 0)
        return -1;
    uint32_t needed = MD2_FRAME_HEADER_SIZE + MD2_VERTEX_SIZE * header.num_xyz;
    if (header.ofs_end != bytes.size)
        strings_printf(&model->oddities, "ofs_end is %u in a file of %zu bytes", header.ofs_end, bytes.size);
    if (header.framesize != needed)
        strings_printf(&model->oddities, "a frame size of %u bytes where %u are needed", header.framesize, needed);
    model->point_count = header.num_xyz;
    if (load_skins(bytes, &header, model, err) < 0 || load_frames(bytes, &header, model, err) < 0 ||
        md2_load_geometry(bytes, &header, options->geometry, model, err) < 0)
        return -1;
    model_add_animation_entry(
        model, &(struct animation){.name = "", .frame_count = header.num_frames, .rate_hz = MD2_RATE_HZ});
    model_add_sequences(model, 0, header.num_frames);
    ((struct md2 *)model->data)->has_frame_name_clips = true;
    return 0;
}

/* An .anm names what frame names can only hint at: its first clips take the place of the guesses. */
static int add_clips(struct model *model, struct bytes bytes, struct error *err)
{
    struct md2 *md2 = (struct md2 *)model->data;
    uint32_t guessed_count = model->clip_count;

    if (md2->has_frame_name_clips)
        model->clip_count = 0;
    if (md2_add_clips(model, bytes, err) < 0) {
        model->clip_count = guessed_count;
        return -1;
    }
    md2->has_frame_name_clips = false;
    return 0;
}

static int add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    (void)name;
    return add_clips(model, bytes, err);
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
            [COMPANION_CLIPS] = {".anm", add_clips},
            [COMPANION_TAGS] = {".tag", add_tags},
        },
    .has_gl_commands = true,
    .load = load,
    .add_animation = add_animation,
    .pose = md2_pose,
};
