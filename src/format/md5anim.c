/* An md5anim, as text:
 *
 *     MD5Version 10
 *     commandline "..."
 *     numFrames 2
 *     numJoints 2
 *     frameRate 24
 *     numAnimatedComponents 6
 *     hierarchy {
 *         "name" parent flags start       the components of a frame that belong to this joint
 *     }
 *     bounds {
 *         ( least ) ( most )              a line per frame, or more: not needed here
 *     }
 *     baseframe {
 *         ( position ) ( orientation )    of each joint, relative to its parent
 *     }
 *     frame 0 {                           numFrames blocks of numAnimatedComponents numbers
 *         0.1 0.2 ...
 *     }
 *
 * The parts come in this order, as the game and all exporters have it; other words between them are passed over. Frames are
 * taken in the order of the file: real files number 35 frames from 8 to 42. Frames past numFrames are
 * left out, as the game does, and reported; fewer are an error, for a file cut short looks like that. */
#include "format/md5.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "format/formats.h"
#include "model/root_motion.h"

enum { ALL_FLAGS = 63, MOST_PLACES = 1 << 23 /* of joints in the frames of a clip for other models */ };

struct anim_file {
    struct lexer lexer;
    struct model *model;
    struct md5_unknown unknown;
    uint32_t numFrames, numJoints, numAnimatedComponents;
    float frameRate;
    struct md5_track *tracks;
    struct transform *baseframe;
    double *components;
    uint32_t frames_found;
    bool is_of_other_skeleton; /* which is why it failed */
};

/* -- Parts in their order ---------------------------------------------------------------------------------- */

/* Passes over what is not needed up to a keyword. Returns 1 when it is there, and 0 at the end of the file. */
static int seek(struct anim_file *file, const char *keyword, struct error *err)
{
    struct lexer *lexer = &file->lexer;
    struct token token;
    for (;;) {
        if (lexer_next(lexer, &token, err) < 0)
            return -1;
        if (token.kind == TOKEN_END)
            return 0;
        if (token.kind == TOKEN_WORD && token_is(&token, keyword))
            return 1;
        bool is_bounds = token.kind == TOKEN_WORD && token_is(&token, "bounds"); /* what is framed is measured */
        if (is_bounds ? lexer_expect(lexer, "{", err) < 0 || md5_skip_block(lexer, token.line, err) < 0
                      : md5_skip(lexer, &token, &file->unknown, err) < 0)
            return -1;
    }
}

static int need(struct anim_file *file, const char *keyword, struct error *err)
{
    int found = seek(file, keyword, err);
    return found ? (found < 0 ? -1 : 0)
                 : error_set(err, "%u: the file ends without %s", file->lexer.line, keyword);
}

static int read_headings(struct anim_file *file, struct error *err)
{
    struct lexer *lexer = &file->lexer;
    if (need(file, "numFrames", err) < 0 ||
        md5_count(lexer, "numFrames", sizeof "frame 0{}" - 1, &file->numFrames, err) < 0)
        return -1;
    if (file->numFrames < 1 || file->numFrames > MODEL_MOST_FRAMES)
        return error_set(err, "%u: numFrames is %u, 1 to %d are allowed", lexer->line, file->numFrames,
                         MODEL_MOST_FRAMES);
    if (need(file, "numJoints", err) < 0 ||
        md5_count(lexer, "numJoints", sizeof "\"\"0 0 0(0 0 0)(0 0 0)" - 1, &file->numJoints, err) < 0 ||
        need(file, "frameRate", err) < 0 || lexer_f32(lexer, &file->frameRate, err) < 0)
        return -1;
    if (!(file->frameRate > 0))
        return error_set(err, "%u: frameRate is %g, it must be above 0", lexer->line, (double)file->frameRate);
    return need(file, "numAnimatedComponents", err) < 0
               ? -1
               : md5_count(lexer, "numAnimatedComponents", sizeof "0 " - 1, &file->numAnimatedComponents, err);
}

/* Which of the mesh's joints it has to be. A model without a mesh has those of its animation. */
static int check_joint(const struct anim_file *file, uint32_t i, const struct token *name, int32_t parent,
                       struct error *err)
{
    char found[64];
    if (i >= file->model->joint_count)
        return error_set(err, "%u: joint %u, %s, is not in the mesh, which has %u joints", name->line, i,
                         token_describe(name, found), file->model->joint_count);
    const struct joint *joint = &file->model->joints[i];
    if (!token_is(name, joint->name))
        return error_set(err, "%u: joint %u is %s in the animation and '%s' in the mesh", name->line, i,
                         token_describe(name, found), joint->name);
    if (parent != joint->parent)
        return error_set(err, "%u: joint %u, '%s', has parent %d in the animation and %d in the mesh", name->line,
                         i, joint->name, parent, joint->parent);
    return 0;
}

static int read_hierarchy(struct anim_file *file, struct error *err)
{
    struct lexer *lexer = &file->lexer;
    struct model *model = file->model;
    const uint32_t joint_count = file->numJoints, component_count = file->numAnimatedComponents;
    if (need(file, "hierarchy", err) < 0 || lexer_expect(lexer, "{", err) < 0)
        return -1;
    const unsigned line = lexer->line;
    struct joint *joints = NULL; /* of an animation alone */
    file->tracks = arena_must_alloc(&model->arena, joint_count, sizeof *file->tracks);
    if (!model->joints)
        model->joints = joints = arena_must_alloc(&model->arena, joint_count, sizeof *joints);
    for (uint32_t i = 0; i < joint_count; i++) {
        struct md5_track *track = &file->tracks[i];
        struct token name;
        int32_t parent;
        if (lexer_string(lexer, &name, err) < 0 || lexer_i32(lexer, &parent, err) < 0 ||
            lexer_u32(lexer, &track->flags, err) < 0 || lexer_u32(lexer, &track->start, err) < 0)
            return -1;
        if (joints && (i >= MODEL_MOST_JOINTS || parent < -1 || parent >= (int32_t)i))
            return error_set(err, "%u: joint %u of at most %d has parent %d", name.line, i, MODEL_MOST_JOINTS,
                             parent);
        if (joints)
            joints[model->joint_count++] =
                (struct joint){arena_strndup(&model->arena, name.text, name.length), parent};
        file->is_of_other_skeleton = check_joint(file, i, &name, parent, err) < 0;
        if (file->is_of_other_skeleton)
            return -1;
        uint32_t used = (uint32_t)__builtin_popcount(track->flags);
        if (track->flags > ALL_FLAGS)
            return error_set(err, "%u: the flags are %u, at most %d are allowed", name.line, track->flags,
                             ALL_FLAGS);
        if (track->start > component_count || used > component_count - track->start)
            return error_set(err, "%u: the joint uses components %u-%llu of %u", name.line, track->start,
                             (unsigned long long)track->start + used - (used > 0), component_count);
        if (!track->flags)
            track->start = 0; /* files leave anything here */
    }
    if (lexer_expect(lexer, "}", err) < 0)
        return -1;
    file->is_of_other_skeleton = joint_count < model->joint_count;
    if (file->is_of_other_skeleton)
        return error_set(err, "%u: joint %u of the mesh, '%s', is not in the animation, which has %u joints", line,
                         joint_count, model->joints[joint_count].name, joint_count);
    return 0;
}

static int read_baseframe(struct anim_file *file, struct error *err)
{
    if (need(file, "baseframe", err) < 0 || lexer_expect(&file->lexer, "{", err) < 0)
        return -1;
    file->baseframe = arena_must_alloc(&file->model->arena, file->numJoints, sizeof *file->baseframe);
    for (uint32_t i = 0; i < file->numJoints; i++)
        if (md5_transform(&file->lexer, &file->baseframe[i], NULL, err) < 0)
            return -1;
    return lexer_expect(&file->lexer, "}", err);
}

static int read_component(struct anim_file *file, double *out, int32_t number, uint32_t i, struct error *err)
{
    struct lexer before = file->lexer;
    if (md5_number(&file->lexer, out, err) == 0)
        return 0;
    struct token token;
    struct error ignored;
    if (lexer_next(&before, &token, &ignored) == 0 && token.kind == TOKEN_PUNCTUATION && token.text[0] == '}')
        return error_set(err, "%u: frame %d has %u numbers, numAnimatedComponents is %u", token.line, number, i,
                         file->numAnimatedComponents);
    return -1;
}

/* The keyword is read. */
static int read_frame(struct anim_file *file, double *frame, struct error *err)
{
    int32_t number;
    if (lexer_i32(&file->lexer, &number, err) < 0 || lexer_expect(&file->lexer, "{", err) < 0)
        return -1;
    for (uint32_t i = 0; i < file->numAnimatedComponents; i++)
        if (read_component(file, &frame[i], number, i, err) < 0)
            return -1;
    if (lexer_expect(&file->lexer, "}", err) < 0)
        return error_set(err, "%u: frame %d has no '}' after its %u numbers", file->lexer.line, number,
                         file->numAnimatedComponents);
    return 0;
}

/* Those past numFrames are counted. */
static int read_frames(struct anim_file *file, struct error *err)
{
    struct lexer *lexer = &file->lexer;
    const size_t width = file->numAnimatedComponents, room = (lexer->bytes.size - lexer->at) / (sizeof "0 " - 1);
    if (file->numFrames * width > room)
        return error_set(err, "%u: %u frames of %zu numbers, but the rest of the file has room for at most %zu",
                         lexer->line, file->numFrames, width, room);
    file->components = arena_must_alloc(&file->model->arena, file->numFrames * width, sizeof(double));
    for (;; file->frames_found++) {
        int found = seek(file, "frame", err), result = 0;
        if (found <= 0)
            return found;
        if (file->frames_found < file->numFrames)
            result = read_frame(file, file->components + file->frames_found * width, err);
        else if (lexer_i32(lexer, &(int32_t){0}, err) < 0 || lexer_expect(lexer, "{", err) < 0)
            result = -1;
        else
            result = md5_skip_block(lexer, lexer->line, err);
        if (result < 0)
            return -1;
    }
}

static int add_to_model(const struct anim_file *file, const char *name, struct error *err)
{
    struct model *model = file->model;
    struct md5_animation *data = arena_must_alloc(&model->arena, 1, sizeof *data);
    *data = (struct md5_animation){
        .tracks = file->tracks,
        .baseframe = file->baseframe,
        .components = file->components,
        .component_count = file->numAnimatedComponents,
    };
    struct animation animation = {
        .name = arena_strdup(&model->arena, name),
        .frame_count = file->numFrames,
        .rate_hz = file->frameRate,
        .data = data,
    };
    struct clip clip = {
        .name = model_unique_clip_name(model, name),
        .animation = model->animation_count,
        .frame_count = file->numFrames,
        .rate_hz = file->frameRate,
    };
    model_add_animation_entry(model, &animation);
    if (clip_measure(model, 0, &clip, err) < 0) {
        model->animation_count--;
        return -1;
    }
    model_add_clip(model, &clip);

    char *where = must_printf("animation '%s': ", name);
    if (file->frames_found > file->numFrames)
        strings_printf(&model->oddities, "%snumFrames is %u, the file has %u; the last %u are left out", where,
                       file->numFrames, file->frames_found, file->frames_found - file->numFrames);
    md5_report_unknown(&file->unknown, where, &model->oddities);
    free(where);
    return 0;
}

/* An md5anim starts like an md5mesh and differs from the first heading on. */
static bool matches(struct bytes bytes)
{
    enum { HEADINGS = 16 };
    struct lexer lexer = lexer_at_start(bytes);
    struct token token;
    struct error ignored;
    if (lexer_expect(&lexer, "MD5Version", &ignored) < 0)
        return false;
    for (int i = 0; i < HEADINGS && lexer_next(&lexer, &token, &ignored) == 0; i++) {
        if (token_is(&token, "numFrames") || token_is(&token, "hierarchy"))
            return true;
        if (token_is(&token, "numMeshes") || token_is(&token, "joints"))
            return false;
    }
    return false;
}

int md5_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    struct anim_file file = {.model = model};
    if (md5_start(bytes, &file.lexer, err) < 0)
        return -1;
    if (!matches(bytes))
        return error_set(err, "%u: this is not an MD5 animation", file.lexer.line);
    if (read_headings(&file, err) < 0)
        return -1;
    if (read_hierarchy(&file, err) < 0)
        return file.is_of_other_skeleton ? MODEL_OTHER_SKELETON : -1;
    if (read_baseframe(&file, err) < 0 || read_frames(&file, err) < 0)
        return -1;
    if (file.frames_found < file.numFrames)
        return error_set(err, "%u: the file ends after %u of %u frames", file.lexer.line, file.frames_found,
                         file.numFrames);
    return add_to_model(&file, name, err);
}

/* -- Alone --------------------------------------------------------------------------------------------------- */

/* The bind pose, in model space: of a mesh beside the file that it can play on, or else its base frame. */
static void find_bind(const struct model *model, struct bytes bytes, const struct model_options *options,
                      struct transform *bind)
{
    const struct md5_animation *animation = model->animations[0].data;
    struct strings found = {0};
    memcpy(bind, animation->baseframe, model->joint_count * sizeof *bind);
    transforms_to_model(model->joints, model->joint_count, bind);
    if (options->assets)
        model_find_of_format(options->assets, options->path, &md5_format, false, &found);
    bool is_found = false;
    for (size_t i = 0; i < found.count && !is_found; i++) {
        struct blob blob;
        struct model *mesh;
        struct error ignored;
        if (assets_read(options->assets, found.items[i], &blob, &ignored) < 0)
            continue;
        if (model_load(blob_bytes(&blob), NULL, &mesh, &ignored) == 0) {
            is_found = md5_add_animation(mesh, "", bytes, &ignored) == 0;
            if (is_found)
                memcpy(bind, ((const struct md5_mesh *)mesh->data)->bind, model->joint_count * sizeof *bind);
            model_free(mesh);
        }
        blob_release(&blob);
    }
    strings_release(&found);
}

/* Two tracks for each joint, also where no frame moves it: the base frame need not be how it is bound. */
static int make_tracks(struct model *model, struct rig_animation *out, struct error *err)
{
    const struct animation *animation = &model->animations[0];
    const uint32_t joint_count = model->joint_count, frame_count = animation->frame_count;
    struct arena *arena = &model->arena;
    if ((uint64_t)joint_count * frame_count > MOST_PLACES)
        return error_set(err, "%u frames of %u joints are too many for other models", frame_count, joint_count);
    struct transform *joints = arena_must_alloc(arena, joint_count, sizeof *joints);
    struct rig_track *tracks = arena_must_alloc(arena, joint_count, 2 * sizeof *tracks);
    float *times_s = arena_must_alloc(arena, frame_count, sizeof *times_s);
    float(*places)[3] = arena_must_alloc(arena, (size_t)joint_count * frame_count, sizeof *places);
    float(*turns)[4] = arena_must_alloc(arena, (size_t)joint_count * frame_count, sizeof *turns);
    for (uint32_t f = 0; f < frame_count; f++) {
        times_s[f] = (float)fmin(f / (double)animation->rate_hz, MODEL_LARGEST_NUMBER);
        md5_read_frame(animation->data, f, joint_count, joints);
        for (size_t j = 0; j < joint_count; j++)
            for (int i = 0; i < 4; i++) {
                places[j * frame_count + f][i % 3] = (float)joints[j].translation[i % 3];
                turns[j * frame_count + f][i] = (float)joints[j].rotation[i];
            }
    }
    for (uint32_t j = 0; j < joint_count; j++, places += frame_count, turns += frame_count) {
        tracks[2 * j] = (struct rig_track){j, RIG_TRANSLATION, RIG_LINEAR, frame_count, times_s, 3, *places};
        tracks[2 * j + 1] = (struct rig_track){j, RIG_ROTATION, RIG_LINEAR, frame_count, times_s, 4, *turns};
    }
    *out = (struct rig_animation){animation->name, tracks, 2 * joint_count, animation->rate_hz, ENDING_UNTOLD};
    return 0;
}

int md5_load_animation(struct bytes bytes, const struct model_options *options, struct model *model,
                       struct error *err)
{
    const char *name = options->path ? path_base_stem(&model->arena, options->path) : "";
    struct rig_animation animation;
    if (md5_add_animation(model, name, bytes, err) < 0 || make_tracks(model, &animation, err) < 0)
        return -1;
    struct transform *bind = arena_must_alloc(&model->arena, model->joint_count, sizeof *bind);
    find_bind(model, bytes, options, bind);
    struct rig rig = rig_of_joints(model->joints, model->joint_count, bind, &model->arena);
    rig.may_lack_triangles = true;
    rig.animations = &animation;
    rig.animation_count = 1;
    model->animation_count = model->clip_count = 0;
    model->format_name = md5_animation_format.name;
    model->pose = rig_pose;
    model->pose_joints = rig_pose_joints;
    return rig_build(model, &rig, err);
}

/* -- Scales ------------------------------------------------------------------------------------------------
 *
 * The .md5scale beside an md5anim of Quake II's re-release: the sizes of joints, where they are not 1. JSON:
 *
 *     {"weapon": {"scale_positions": true, "0": 0, "1": 0.5}}
 *
 * for each joint the numbers of keyframes, and whether the size multiplies the joint's own place, too. It is that of the
 * points on the joint alone; children do not inherit it. */

/* No joint is drawn so large; below it, sums stay finite. */
#define LARGEST_SCALE 1e6

struct scales {
    struct model *model;
    uint32_t frame_count;
    struct md5_scale *items; /* as many as the file has keys of joints */
    size_t count;
    bool *scales_positions; /* by joint */
    struct error *err;
};

static int read_joint_scales(struct scales *scales, const char *name, json_t *object)
{
    uint32_t joint = 0;
    while (joint < scales->model->joint_count && strcmp(scales->model->joints[joint].name, name))
        joint++;
    if (!json_is_object(object))
        return error_set(scales->err, "joint '%s': an object of keyframes is needed", name);
    if (joint == scales->model->joint_count) {
        strings_printf(&scales->model->oddities, "scales for '%s', which is not a joint", name);
        return 0;
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!strcmp(key, "scale_positions")) {
            scales->scales_positions[joint] = json_is_true(value);
            continue;
        }
        char *end;
        unsigned long frame = strtoul(key, &end, 10);
        double scale = json_number_value(value);
        if (end == key || *end || frame >= scales->frame_count)
            return error_set(scales->err, "joint '%s': '%s' is not a keyframe, 0 to %u are", name, key,
                             scales->frame_count - 1);
        if (!json_is_number(value) || !(fabs(scale) <= LARGEST_SCALE))
            return error_set(scales->err, "joint '%s', keyframe %s: a number up to %g is needed", name, key,
                             LARGEST_SCALE);
        scales->items[scales->count++] =
            (struct md5_scale){.frame = (uint32_t)frame, .joint = joint, .scale = (float)scale};
    }
    return 0;
}

static int compare_scales(const void *a, const void *b)
{
    const struct md5_scale *left = a, *right = b;
    if (left->frame != right->frame)
        return left->frame < right->frame ? -1 : 1;
    return left->joint < right->joint ? -1 : left->joint > right->joint;
}

int md5_add_scales(struct model *model, struct bytes bytes, struct error *err)
{
    const struct animation *entry = &model->animations[model->animation_count - 1];
    struct scales scales = {.model = model, .frame_count = entry->frame_count, .err = err};
    json_error_t json_error;
    json_t *root = json_loadb((const char *)bytes.data, bytes.size, 0, &json_error), *object;
    if (!json_is_object(root)) {
        json_decref(root);
        return error_set(err, "%d: not JSON of joints: %s", root ? 1 : json_error.line,
                         root ? "an object is needed" : json_error.text);
    }
    const char *name;
    size_t most = 0;
    json_object_foreach(root, name, object) most += json_object_size(object);
    scales.items = arena_must_alloc(&model->arena, most, sizeof *scales.items);
    scales.scales_positions = arena_must_alloc(&model->arena, model->joint_count, sizeof *scales.scales_positions);
    int result = 0;
    json_object_foreach(root, name, object)
    {
        if (result == 0)
            result = read_joint_scales(&scales, name, object);
    }
    if (result == 0) {
        struct md5_animation *animation = (void *)entry->data;
        qsort(scales.items, scales.count, sizeof *scales.items, compare_scales);
        animation->scales = scales.items;
        animation->scale_count = scales.count;
        animation->scales_positions = scales.scales_positions;
    }
    json_decref(root);
    return result;
}

const struct animation_format md5_animation_format = {
    .name = "MD5 animation",
    .suffix = ".md5anim",
    .matches = matches,
    .companion = {".md5scale", md5_add_scales},
};
