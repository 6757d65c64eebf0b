/* IQM, the Inter-Quake Model format, version 2: the file layout, in little-endian numbers of 32 bits.
 *
 *     header          magic, version, size, flags, then counts and offsets of the sections, as in struct iqm_header
 *     text            NUL-terminated names; others give offsets into it
 *     meshes          name, material, first vertex, vertices, first triangle, triangles
 *     vertex arrays   type, flags, format, components, offset; each array has a value for every vertex
 *     triangles       three vertices, clockwise seen from outside
 *     joints          name, parent, translation, rotation, scale relative to the parent: the bind pose
 *     poses           parent, mask, offsets, scales: how the frames say where the joints are
 *     anims           name, first frame, frames, rate (float), flags
 *     frames          for each frame one u16 for each bit of all masks
 *
 * A file may have animations alone, to be shown on the meshes of another one with as many joints: Cube 2 keeps all of
 * its animations so. What is drawn needs neither adjacency, bounds, tangents, comments nor extensions; colours have no
 * meaning without a material that asks for them. */
#include "idtech/tables.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "model/rig.h"

#define MAGIC "INTERQUAKEMODEL" /* and a NUL */

enum {
    MESH_SIZE = 24,
    VERTEX_ARRAY_SIZE = 20,
    TRIANGLE_SIZE = 12,
    JOINT_SIZE = 48,
    POSE_SIZE = 88,
    ANIM_SIZE = 20,
    CHANNELS = 10,         /* of a pose: translation, rotation, scale */
    ANIM_LOOPS = 1,        /* a flag of an anim */
    MOST_MESHES = 4096,    /* each is drawn on its own */
    MOST_ANIMS = 1024,     /* as many clips as a rig may have */
    MOST_FRAMES = 1 << 20, /* of all animations */
    MOST_TRACKS = 1 << 20  /* the same: each anim has those of all joints. 1,000 anims of 300 joints are fewer */
};

enum vertex_type { POSITION, TEXCOORD, NORMAL, TANGENT, BLEND_INDEXES, BLEND_WEIGHTS, VERTEX_TYPE_COUNT };

static const char *const type_names[VERTEX_TYPE_COUNT] = {
    "positions", "texture coordinates", "normals", "tangents", "blend indices", "blend weights",
};

struct iqm_header {
    uint32_t version, filesize, flags; /* exporters get the size wrong */
    uint32_t num_text, ofs_text;
    uint32_t num_meshes, ofs_meshes;
    uint32_t num_vertexarrays, num_vertexes, ofs_vertexarrays;
    uint32_t num_triangles, ofs_triangles, ofs_adjacency;
    uint32_t num_joints, ofs_joints;
    uint32_t num_poses, ofs_poses;
    uint32_t num_anims, ofs_anims;
    uint32_t num_frames, num_framechannels, ofs_frames, ofs_bounds, num_comment, ofs_comment, num_extensions,
        ofs_extensions;
};

struct iqm_vertex_array {
    uint32_t format, size; /* enum number_type; components */
    size_t offset;         /* 0: the file has no such array */
};

struct iqm_loader {
    struct bytes bytes;
    struct model *model;
    struct iqm_header header;
    struct iqm_vertex_array arrays[VERTEX_TYPE_COUNT];
    uint32_t frame_count, track_count; /* of the anims read so far */
    struct rig rig;
    struct error *err;
    bool has_failed; /* and err says why: what is read from then on is empty */
};

static void fail(struct iqm_loader *loader, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(struct iqm_loader *loader, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!loader->has_failed)
        vsnprintf(loader->err->text, sizeof loader->err->text, format, args);
    loader->has_failed = true;
    va_end(args);
}

/* -- The file ---------------------------------------------------------------------------------------------- */

static bool iqm_matches(struct bytes bytes)
{
    return bytes.size >= sizeof MAGIC && !memcmp(bytes.data, MAGIC, sizeof MAGIC);
}

static int read_header(struct iqm_loader *loader)
{
    struct iqm_header *h = &loader->header;
    struct cursor cursor = cursor_at(loader->bytes, sizeof MAGIC);
    if (!read_words(&cursor, h, sizeof *h))
        return error_set(loader->err, "the file has %zu bytes, a header needs %zu", loader->bytes.size,
                         sizeof MAGIC + sizeof *h);
    if (h->version != 2)
        return error_set(loader->err, "version %u, only 2 is known", h->version);
    const struct file_table tables[] = {
        {"bytes of text", h->num_text, 0, UINT32_MAX, h->ofs_text, 1},
        {"meshes", h->num_meshes, 0, MOST_MESHES, h->ofs_meshes, MESH_SIZE},
        {"vertex arrays", h->num_vertexarrays, 0, UINT32_MAX, h->ofs_vertexarrays, VERTEX_ARRAY_SIZE},
        {"vertices", h->num_vertexes, 0, MODEL_MOST_POINTS, 0, 0},
        {"triangles", h->num_triangles, 0, MODEL_MOST_TRIANGLES, h->ofs_triangles, TRIANGLE_SIZE},
        {"joints", h->num_joints, 0, MODEL_MOST_JOINTS, h->ofs_joints, JOINT_SIZE},
        {"poses", h->num_poses, 0, MODEL_MOST_JOINTS, h->ofs_poses, POSE_SIZE},
        {"anims", h->num_anims, 0, MOST_ANIMS, h->ofs_anims, ANIM_SIZE},
        {"frames", h->num_frames, 0, MOST_FRAMES, h->ofs_frames, h->num_framechannels * sizeof(uint16_t)},
    };
    return check_tables(loader->bytes, tables, COUNT(tables), loader->err);
}

static const char *read_text(struct iqm_loader *loader, uint32_t offset, const char *what, uint32_t number)
{
    const struct iqm_header *header = &loader->header;
    const bool is_inside = offset < header->num_text;
    const char *text = is_inside ? (const char *)loader->bytes.data + header->ofs_text + offset : "";
    const size_t most = is_inside ? header->num_text - offset : 0, length = strnlen(text, most);
    if (length == most && (header->num_text > 0 || offset > 0)) /* a file without text has empty names */
        fail(loader, "the name of %s %u is at byte %u of the text, which has %u", what, number, offset,
             header->num_text);
    if (length > MODEL_LONGEST_NAME)
        fail(loader, "the name of %s %u has %zu bytes, at most %d are allowed", what, number, length,
             MODEL_LONGEST_NAME);
    return arena_strndup(&loader->model->arena, text, length);
}

/* Reads floats that may be numbers of a pose. */
static void read_numbers(struct iqm_loader *loader, struct cursor *cursor, double *out, size_t count,
                         const char *what, uint32_t number)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (double)cursor_f32(cursor);
        if (!(fabs(out[i]) <= MODEL_LARGEST_NUMBER))
            fail(loader, "%s %u has the number %g, at most %g is allowed", what, number, out[i],
                 MODEL_LARGEST_NUMBER);
    }
}

/* -- Vertices ---------------------------------------------------------------------------------------------- */

static void read_vertex_arrays(struct iqm_loader *loader)
{
    const struct iqm_header *header = &loader->header;
    struct cursor cursor = cursor_at(loader->bytes, header->ofs_vertexarrays);
    for (uint32_t i = 0; i < header->num_vertexarrays; i++) {
        uint32_t type = cursor_u32(&cursor);
        cursor_u32(&cursor); /* flags: none is defined */
        uint32_t format = cursor_u32(&cursor), size = cursor_u32(&cursor), offset = cursor_u32(&cursor);
        struct iqm_vertex_array array = {format, size, offset};
        if (type >= VERTEX_TYPE_COUNT)
            continue;
        bool has_enough = array.size >= (type == TEXCOORD ? 2 : type == POSITION || type == NORMAL ? 3 : 1);
        if (array.format >= NUMBER_TYPE_COUNT || !has_enough || array.size > 4)
            fail(loader, "%s are %u numbers of format %u each, which is not one of theirs", type_names[type],
                 array.size, array.format);
        else if (array.offset == 0 || !bytes_hold(loader->bytes, array.offset, header->num_vertexes,
                                                  (size_t)array.size * number_rows[array.format].size))
            fail(loader, "%s at byte %zu run past the end of the file, at byte %zu", type_names[type],
                 array.offset, loader->bytes.size);
        else
            loader->arrays[type] = array;
    }
}

/* Returns the first `width` components of each vertex as numbers, whole ones as parts of their largest; where the file has
 * fewer, the others are 0. NULL where the file has none. */
static float *read_array(struct iqm_loader *loader, enum vertex_type type, uint32_t width)
{
    const struct iqm_vertex_array *array = &loader->arrays[type];
    struct cursor cursor = cursor_at(loader->bytes, array->offset);
    const uint32_t count = loader->header.num_vertexes;
    const double one = number_rows[array->format].largest;
    if (array->offset == 0)
        return NULL;
    float *values = arena_must_alloc(&loader->model->arena, count, width * sizeof *values);
    for (uint32_t vertex = 0; vertex < count; vertex++)
        for (uint32_t i = 0; i < array->size; i++) {
            double value = cursor_component(&cursor, (enum number_type)array->format);
            value = one > 0 && type != BLEND_INDEXES ? value / one : value;
            if (!(fabs(value) <= MODEL_LARGEST_NUMBER))
                fail(loader, "vertex %u has %g among its %s, at most %g is allowed", vertex, value,
                     type_names[type], MODEL_LARGEST_NUMBER);
            if (i < width)
                values[(size_t)vertex * width + i] = (float)value;
        }
    return values;
}

/* A vertex whose weights are all 0 hangs on its first joint, as one without weights does. */
static void read_influences(struct iqm_loader *loader, struct rig_surface *surface)
{
    enum { WIDTH = 4 };
    const uint32_t count = loader->header.num_vertexes;
    const float *numbers = read_array(loader, BLEND_INDEXES, WIDTH);
    float *weights = read_array(loader, BLEND_WEIGHTS, WIDTH);
    uint32_t *joints = arena_must_alloc(&loader->model->arena, count, WIDTH * sizeof *joints);
    if (!weights)
        weights = arena_must_alloc(&loader->model->arena, count, WIDTH * sizeof *weights);
    for (uint32_t i = 0; i < count * WIDTH; i++) {
        if (i % WIDTH == 0 &&
            !(weights[i] != 0 || weights[i + 1] != 0 || weights[i + 2] != 0 || weights[i + 3] != 0))
            weights[i] = 1;
        if (weights[i] == 0 || !numbers)
            continue;
        const double joint = (double)numbers[i];
        if (joint >= 0 && joint < loader->header.num_joints && joint == floor(joint))
            joints[i] = (uint32_t)joint;
        else
            fail(loader, "vertex %u hangs on joint %g of %u", i / WIDTH, joint, loader->header.num_joints);
    }
    surface->influence_count = WIDTH;
    surface->joints = joints;
    surface->weights = weights;
}

/* -- Meshes ------------------------------------------------------------------------------------------------ */

/* Front faces are clockwise in the file, and counter-clockwise in a rig. */
static const uint32_t *read_triangles(struct iqm_loader *loader)
{
    const struct iqm_header *header = &loader->header;
    struct cursor cursor = cursor_at(loader->bytes, header->ofs_triangles);
    uint32_t *indices = arena_must_alloc(&loader->model->arena, header->num_triangles, 3 * sizeof *indices);
    for (uint32_t i = 0; i < header->num_triangles * 3; i++) {
        uint32_t vertex = cursor_u32(&cursor);
        if (vertex >= header->num_vertexes)
            fail(loader, "triangle %u names vertex %u of %u", i / 3, vertex, header->num_vertexes);
        indices[i / 3 * 3 + (3 - i % 3) % 3] = vertex;
    }
    return indices;
}

/* `all` is a surface with what the meshes share: every vertex of the file. */
static void read_meshes(struct iqm_loader *loader, const struct rig_surface *all)
{
    const struct iqm_header *header = &loader->header;
    struct cursor cursor = cursor_at(loader->bytes, header->ofs_meshes);
    struct rig_surface *surfaces = arena_must_alloc(&loader->model->arena, header->num_meshes, sizeof *surfaces);
    for (uint32_t i = 0; i < header->num_meshes && !loader->has_failed; i++) {
        surfaces[i] = *all;
        surfaces[i].name = read_text(loader, cursor_u32(&cursor), "mesh", i);
        const char *material = read_text(loader, cursor_u32(&cursor), "the material of mesh", i);
        cursor_take(&cursor, 2 * sizeof(uint32_t)); /* its vertices: triangles name those of the file */
        uint32_t first = cursor_u32(&cursor), count = cursor_u32(&cursor);
        if (first > header->num_triangles || count > header->num_triangles - first) {
            fail(loader, "mesh %u has triangles %u to %" PRIu64 " of %u", i, first, (uint64_t)first + count,
                 header->num_triangles);
            return;
        }
        /* Cube 2's exporters leave the material empty, and its scripts name the mesh. */
        surfaces[i].material =
            (struct surface_material){.kind = MATERIAL_SHADER, .name = *material ? material : surfaces[i].name};
        surfaces[i].indices = all->indices + (size_t)first * 3;
        surfaces[i].index_count = count * 3;
    }
    loader->rig.surfaces = surfaces;
    loader->rig.surface_count = header->num_meshes;
}

static void read_surfaces(struct iqm_loader *loader)
{
    struct rig_surface all = {.skin = loader->header.num_joints > 0 ? 0 : -1,
                              .point_count = loader->header.num_vertexes};
    read_vertex_arrays(loader);
    if (loader->arrays[POSITION].offset == 0)
        fail(loader, "the vertices have no positions");
    all.positions = (const vec3 *)read_array(loader, POSITION, 3);
    all.normals = (const vec3 *)read_array(loader, NORMAL, 3);
    all.uvs = (const vec2 *)read_array(loader, TEXCOORD, 2);
    if (all.skin == 0)
        read_influences(loader, &all);
    all.indices = read_triangles(loader);
    read_meshes(loader, &all);
}

/* -- Joints ------------------------------------------------------------------------------------------------ */

/* A file without joints hangs on a node of its own. */
static void read_joints(struct iqm_loader *loader)
{
    const uint32_t count = loader->header.num_joints, node_count = count > 0 ? count : 1;
    struct arena *arena = &loader->model->arena;
    struct cursor cursor = cursor_at(loader->bytes, loader->header.ofs_joints);
    struct rig_node *nodes = arena_must_alloc(arena, node_count, sizeof *nodes);
    struct rig_skin *skin = arena_must_alloc(arena, 1, sizeof *skin);
    uint32_t *joints = arena_must_alloc(arena, count, sizeof *joints);
    nodes[0] = (struct rig_node){"origin", .parent = -1, .local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    for (uint32_t i = 0; i < count; i++) {
        struct rig_node *node = &nodes[i];
        node->name = read_text(loader, cursor_u32(&cursor), "joint", i);
        node->parent = cursor_i32(&cursor);
        if (node->parent < -1 || node->parent >= (int64_t)i)
            fail(loader, "joint %u has parent %d, allowed are -1 and the joints before it", i, node->parent);
        read_numbers(loader, &cursor, node->local.translation, 3, "joint", i);
        read_numbers(loader, &cursor, node->local.rotation, 4, "joint", i);
        read_numbers(loader, &cursor, node->local.scale, 3, "joint", i);
        joints[i] = i;
    }
    *skin = (struct rig_skin){.joint_count = count, .joints = joints, .is_bound_at_rest = true};
    loader->rig.nodes = nodes;
    loader->rig.node_count = node_count;
    loader->rig.skins = skin;
    loader->rig.skin_count = 1;
}

/* -- Animations -------------------------------------------------------------------------------------------- */

/* Reads the tracks of a joint over all frames of the file, which animations share. A channel whose bit is in the mask
 * is its offset, plus its scale times the next number of the frame; others are their offset. `*channel` counts the bits
 * of the masks. */
static void read_pose(struct iqm_loader *loader, struct cursor *pose, uint32_t joint, uint32_t *channel,
                      struct rig_track tracks[3])
{
    static const uint32_t firsts[] = {0, 3, 7};
    const struct iqm_header *header = &loader->header;
    const uint32_t mask = cursor_u32(pose);
    double offsets[CHANNELS], scales[CHANNELS];
    read_numbers(loader, pose, offsets, CHANNELS, "pose", joint);
    read_numbers(loader, pose, scales, CHANNELS, "pose", joint);
    for (int target = RIG_TRANSLATION; target <= RIG_SCALE; target++) {
        const uint32_t first = firsts[target], width = rig_widths[target],
                       moving = mask >> first & ((1u << width) - 1);
        /* The first track has all keys even if nothing moves: they say how long the animation is. */
        uint32_t count = moving || (joint == 0 && target == RIG_TRANSLATION) ? header->num_frames : 1;
        float *values = arena_alloc(&loader->model->arena, count, width * sizeof *values, loader->err);
        loader->has_failed |= !values;
        if (loader->has_failed)
            return;
        for (uint32_t frame = 0; frame < count; frame++) {
            struct cursor cursor = cursor_at(
                loader->bytes, header->ofs_frames + ((size_t)frame * header->num_framechannels + *channel) * 2);
            for (uint32_t i = 0; i < width; i++) {
                double value = offsets[first + i];
                if (moving >> i & 1)
                    value += scales[first + i] * cursor_u16(&cursor);
                if (!(fabs(value) <= MODEL_LARGEST_NUMBER))
                    fail(loader, "frame %u has %g for joint %u, at most %g is allowed", frame, value, joint,
                         MODEL_LARGEST_NUMBER);
                values[(size_t)frame * width + i] = (float)value;
            }
        }
        *channel += (uint32_t)__builtin_popcount(moving);
        tracks[target] =
            (struct rig_track){joint, (enum rig_target)target, RIG_LINEAR, count, NULL, width, values, NULL};
    }
    if (*channel > header->num_framechannels)
        fail(loader, "the poses need more channels than frames have, %u", header->num_framechannels);
}

/* Reads three tracks for each joint of the model, over all frames of the file and without times. */
static struct rig_track *read_poses(struct iqm_loader *loader)
{
    const struct joint *joints = loader->model->joints;
    const uint32_t joint_count = loader->model->joint_count;
    struct cursor cursor = cursor_at(loader->bytes, loader->header.ofs_poses);
    struct rig_track *tracks = arena_must_alloc(&loader->model->arena, joint_count, 3 * sizeof *tracks);
    uint32_t channel = 0;
    for (uint32_t joint = 0; joint < joint_count && !loader->has_failed; joint++) {
        int32_t parent = cursor_i32(&cursor);
        if (parent != joints[joint].parent)
            fail(loader, "pose %u has parent %d, its joint has %d", joint, parent, joints[joint].parent);
        read_pose(loader, &cursor, joint, &channel, &tracks[3 * joint]);
    }
    return tracks;
}

/* Cuts an anim out of the tracks of all frames. An anim without the flag of loops plays once. The games leave root
 * motion in the pose. */
static struct rig_animation read_anim(struct iqm_loader *loader, const struct rig_track *tracks, uint32_t number)
{
    const struct iqm_header *header = &loader->header;
    struct arena *arena = &loader->model->arena;
    struct cursor cursor = cursor_at(loader->bytes, header->ofs_anims + (size_t)number * ANIM_SIZE);
    const char *name = read_text(loader, cursor_u32(&cursor), "anim", number);
    const uint32_t first_frame = cursor_u32(&cursor), num_frames = cursor_u32(&cursor);
    const float framerate = cursor_f32(&cursor);
    const uint32_t flags = cursor_u32(&cursor), count = loader->model->joint_count * 3;
    if (num_frames == 0 || first_frame >= header->num_frames || num_frames > header->num_frames - first_frame)
        fail(loader, "anim %u has %u frames from frame %u of %u", number, num_frames, first_frame,
             header->num_frames);
    if (num_frames > MODEL_MOST_FRAMES || (loader->frame_count += num_frames) > MOST_FRAMES)
        fail(loader, "anim %u has %u frames, at most %d are allowed, and %d of all anims", number, num_frames,
             MODEL_MOST_FRAMES, MOST_FRAMES);
    if ((loader->track_count += count) > MOST_TRACKS)
        fail(loader, "anim %u: %u anims of %u joints are too many", number, header->num_anims, header->num_joints);
    if (!(framerate >= 0 && framerate <= 1e4f))
        fail(loader, "anim %u has %g frames per second, at most 10000 are allowed", number, (double)framerate);
    if (loader->has_failed)
        return (struct rig_animation){0};
    /* 0 leaves it to the game; Cube 2 and its like then play so many. */
    const float rate_hz = framerate < 1e-3f ? 10 : framerate;
    float *times_s = arena_must_alloc(arena, num_frames, sizeof *times_s);
    /* Many anims of many joints are large. */
    struct rig_track *cut = arena_alloc(arena, count, sizeof *cut, loader->err);
    loader->has_failed |= !cut;
    for (uint32_t i = 0; i < num_frames; i++)
        times_s[i] = (float)(i / (double)rate_hz);
    for (uint32_t i = 0; i < count && cut; i++) {
        cut[i] = tracks[i];
        cut[i].times_s = times_s;
        if (tracks[i].key_count > 1) {
            cut[i].key_count = num_frames;
            cut[i].values += (size_t)first_frame * tracks[i].width;
        }
    }
    return (struct rig_animation){.name = name,
                                  .tracks = cut,
                                  .track_count = count,
                                  .rate_hz = rate_hz,
                                  .ending = flags & ANIM_LOOPS ? ENDING_LOOP : ENDING_ONCE};
}

static int read_animations(struct iqm_loader *loader)
{
    const struct iqm_header *header = &loader->header;
    if (header->num_anims == 0)
        return 0;
    if (header->num_joints == 0) {
        strings_add(&loader->model->oddities, "there are animations, but no joints for them");
        return 0;
    }
    if (header->num_poses != header->num_joints)
        return error_set(loader->err, "%u poses for %u joints", header->num_poses, header->num_joints);
    struct rig_animation animations[MOST_ANIMS];
    const struct rig_track *tracks = read_poses(loader);
    bool some_loop = false; /* else the exporter knows nothing of loops */
    for (uint32_t i = 0; i < header->num_anims && !loader->has_failed; i++) {
        animations[i] = read_anim(loader, tracks, i);
        some_loop |= animations[i].ending == ENDING_LOOP;
    }
    for (uint32_t i = 0; i < header->num_anims && !loader->has_failed; i++) {
        animations[i].ending = some_loop ? animations[i].ending : ENDING_UNTOLD;
        loader->has_failed |= rig_add_animation(loader->model, &animations[i], loader->err) < 0;
    }
    return loader->has_failed ? -1 : 0;
}

/* -- The format -------------------------------------------------------------------------------------------- */

static int iqm_load(struct bytes bytes, const struct model_options *options, struct model *model,
                    struct error *err)
{
    struct iqm_loader loader = {.bytes = bytes, .model = model, .err = err};
    loader.rig.may_lack_triangles = options->takes_clips_alone;
    for (int i = 0; i < 4; i++)
        loader.rig.to_model[5 * i] = 1;
    if (read_header(&loader) < 0)
        return -1;
    const bool has_clips = loader.header.num_anims > 0 && loader.header.num_joints > 0;
    const bool has_meshes = loader.header.num_meshes > 0 && !(options->is_for_clips && has_clips);
    if (!has_meshes && !(options->takes_clips_alone && has_clips))
        return loader.header.num_anims
                   ? error_set(err, "this is an IQM animation for %u joints, not a model", loader.header.num_poses)
                   : error_set(err, "no meshes");
    read_joints(&loader);
    if (has_meshes)
        read_surfaces(&loader);
    return loader.has_failed || rig_build(model, &loader.rig, err) < 0 ? -1 : read_animations(&loader);
}

/* Adds the first anim of the file: others have names that a job could not give. */
static int iqm_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    struct iqm_loader loader = {.bytes = bytes, .model = model, .err = err};
    if (!iqm_matches(bytes))
        return error_set(err, "not an IQM file");
    if (read_header(&loader) < 0)
        return -1;
    const struct iqm_header *header = &loader.header;
    if (header->num_anims == 0 || header->num_poses != model->joint_count) {
        error_set(err,
                  header->num_anims ? "an animation of %u joints, the model has %u" : "the file has no animation",
                  header->num_poses, model->joint_count);
        return MODEL_OTHER_SKELETON;
    }
    struct rig_animation animation = read_anim(&loader, read_poses(&loader), 0);
    animation.name = name;
    animation.ending = ENDING_UNTOLD;
    if (loader.has_failed || rig_add_animation(model, &animation, err) < 0)
        return -1;
    if (header->num_anims > 1)
        strings_printf(&model->oddities, "animation '%s': the first of %u in its file is taken", name,
                       header->num_anims);
    return 0;
}

static bool is_animation(struct bytes bytes)
{
    struct cursor cursor = cursor_at(bytes, sizeof MAGIC + offsetof(struct iqm_header, num_meshes));
    return iqm_matches(bytes) && cursor_u32(&cursor) == 0 && !cursor.overrun;
}

static const struct animation_format iqm_animation_format = {
    .name = "IQM animation",
    .suffix = ".iqm",
    .matches = is_animation,
};

const struct model_format iqm_format = {
    .name = "IQM",
    .suffixes = (const struct model_suffix[]){{.text = ".iqm"}, {0}},
    .start = MAGIC,
    .reads = "version 2: joints, animations, in the file or in others beside it",
    .animation_format = &iqm_animation_format,
    .matches = iqm_matches,
    .load = iqm_load,
    .add_animation = iqm_add_animation,
};
