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
#include "idtech/md5.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asset/assets.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/missing.h"
#include "model/root_motion.h"

#define MESH_SUFFIX ".md5mesh"

enum { ALL_FLAGS = 63, MOST_PLACES = 1 << 23 /* of joints in the frames of a clip for other models */ };

struct anim_file {
    struct lexer lexer;
    struct model *model;
    struct md5_unknown unknown;
    uint32_t numFrames, numJoints, numAnimatedComponents;
    float frameRate;
    struct joint *joints; /* a parent before its children */
    uint32_t *places;     /* in `joints`, by number in the file */
    int32_t *matches;     /* of `joints`: the model's joint, or -1 */
    const char *unlike;   /* what does not match, or NULL */
    struct rig_row_node *tracks;
    struct transform *baseframe;
    double *components;
    uint32_t frames_found;
};

/* -- Parts in their order ---------------------------------------------------------------------------------- */

/* Passes over what is not needed up to a keyword. False at the end of the file. */
static bool seek(struct anim_file *file, const char *keyword)
{
    struct lexer *lexer = &file->lexer;
    struct token token;
    while (lexer_next(lexer, &token)) {
        if (token.kind == TOKEN_WORD && token_is(&token, keyword))
            return true;
        if (token.kind == TOKEN_WORD && token_is(&token, "bounds")) { /* what is framed is measured */
            lexer_expect(lexer, "{");
            md5_skip_block(lexer, token.line);
        } else {
            md5_skip(lexer, &token, &file->unknown);
        }
    }
    return false;
}

static void need(struct anim_file *file, const char *keyword)
{
    if (!seek(file, keyword))
        lexer_fail(&file->lexer, file->lexer.line, "the file ends without %s", keyword);
}

static void read_headings(struct anim_file *file)
{
    struct lexer *lexer = &file->lexer;
    need(file, "numFrames");
    file->numFrames = md5_count(lexer, "numFrames", sizeof "frame 0{}" - 1, true, MODEL_MOST_FRAMES);
    need(file, "numJoints");
    file->numJoints =
        md5_count(lexer, "numJoints", sizeof "\"\"0 0 0(0 0 0)(0 0 0)" - 1, false, MODEL_MOST_JOINTS);
    need(file, "frameRate");
    file->frameRate = lexer_f32(lexer);
    if (!(file->frameRate > 0))
        lexer_fail(lexer, lexer->line, "frameRate is %g, it must be above 0", (double)file->frameRate);
    need(file, "numAnimatedComponents");
    file->numAnimatedComponents = md5_count(lexer, "numAnimatedComponents", sizeof "0 " - 1, false, UINT32_MAX);
}

/* Fills in which joint of the model each joint of an animation moves, or -1: the one of its name; and for those that are
 * left, where counts and parents agree, the one of its number, as the game has it. Returns how many move one. */
static uint32_t match_joints(const struct joint *joints, uint32_t count, const struct model *model, int32_t *out)
{
    enum { SAME_PLACE, NAME, NUMBER, WAYS };
    const uint32_t own_count = model->joint_count;
    SCOPED bool *is_taken = must_alloc(own_count, sizeof *is_taken);
    bool is_same_tree = count == own_count;
    uint32_t matched = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = -1;
        is_same_tree = is_same_tree && joints[i].parent == model->joints[i].parent;
    }
    for (int way = SAME_PLACE; way < WAYS; way++)
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = way == NAME ? 0 : i; j < (way == NAME || i >= own_count ? own_count : i + 1); j++)
                if (out[i] < 0 && !is_taken[j] &&
                    (way == NUMBER ? is_same_tree : !strcmp(joints[i].name, model->joints[j].name))) {
                    is_taken[j] = true;
                    out[i] = (int32_t)j;
                    matched++;
                }
    return matched;
}

/* Returns a list of joints that do not match, or by a guess, in the arena; NULL: there are none. */
static const char *describe_match(const struct anim_file *file)
{
    enum { MISSING, STILL, NUMBERED, LISTS };
    struct model *model = file->model;
    struct strings lists[LISTS] = {{0}};
    SCOPED bool *is_moved = must_alloc(model->joint_count, sizeof *is_moved);
    static const char *const words[LISTS] = {
        "that are not in the model: ", "that are not in the animation and stay as they are bound: ",
        "by number, as their names differ: "};
    SCOPED_BY(buffer_release) struct buffer text = {0};
    for (uint32_t i = 0; i < file->numJoints; i++) {
        const char *name = file->joints[i].name;
        const int32_t to = file->matches[i];
        if (to < 0)
            strings_add(&lists[MISSING], name);
        else if (strcmp(name, model->joints[to].name) != 0)
            strings_printf(&lists[NUMBERED], "'%s' moves '%s'", name, model->joints[to].name);
        if (to >= 0)
            is_moved[to] = true;
    }
    for (uint32_t j = 0; j < model->joint_count; j++)
        if (!is_moved[j])
            strings_add(&lists[STILL], model->joints[j].name);
    for (int i = 0; i < LISTS; i++) {
        SCOPED char *names = missing_list((const char *const *)lists[i].items, lists[i].count);
        if (lists[i].count)
            buffer_printf(&text, "%s%s%s", text.length ? "; " : "joints ", words[i], names);
        strings_release(&lists[i]);
    }
    return text.length ? arena_printf(&model->arena, "%s; `joints` can map them", text.text) : NULL;
}

/* Whether enough joints are those of the model, on the same parents. A model without a mesh has those of its animation. */
static int find_matches(struct anim_file *file, unsigned line)
{
    struct model *model = file->model;
    const struct joint *joints = file->joints;
    const uint32_t count = file->numJoints;
    if (!model->joints) {
        model->joints = joints;
        model->joint_count = count;
    }
    const uint32_t matched = match_joints(joints, count, model, file->matches);
    file->unlike = describe_match(file);
    if (matched < count - matched || (matched == 0 && model->joint_count > 0)) {
        lexer_fail(&file->lexer, line, "%u of %u joints match; %s", matched, count, file->unlike);
        return MODEL_OTHER_SKELETON;
    }
    for (uint32_t i = 0; i < count; i++) {
        const int32_t to = file->matches[i], own = to < 0 ? -1 : model->joints[to].parent,
                      parent = joints[i].parent;
        if (to < 0 || (parent < 0 ? own < 0 : own >= 0 && own == file->matches[parent]))
            continue;
        lexer_fail(&file->lexer, line,
                   "joint '%s' has parent '%s' in the animation and '%s' in the mesh; `joints` can map it",
                   joints[i].name, parent < 0 ? "-1" : joints[parent].name,
                   own < 0 ? "-1" : model->joints[own].name);
        return MODEL_OTHER_SKELETON;
    }
    return 0;
}

static int read_hierarchy(struct anim_file *file)
{
    struct lexer *lexer = &file->lexer;
    struct arena *arena = &file->model->arena;
    const uint32_t joint_count = file->numJoints, component_count = file->numAnimatedComponents;
    need(file, "hierarchy");
    lexer_expect(lexer, "{");
    const unsigned line = lexer->line;
    file->tracks = arena_must_alloc(arena, joint_count, sizeof *file->tracks);
    file->joints = arena_must_alloc(arena, joint_count, sizeof *file->joints);
    file->places = arena_must_alloc(arena, joint_count, sizeof *file->places);
    file->matches = arena_must_alloc(arena, joint_count, sizeof *file->matches);
    for (uint32_t i = 0; i < joint_count && !lexer->has_failed; i++) {
        struct rig_row_node *track = &file->tracks[i];
        const struct token name = lexer_string(lexer);
        const int32_t parent = lexer_i32(lexer);
        *track = (struct rig_row_node){.flags = lexer_u32(lexer)};
        track->start = lexer_u32(lexer);
        if (parent < -1 || parent >= (int64_t)joint_count)
            lexer_fail(lexer, name.line, "joint %u has parent %d of %u joints", i, parent, joint_count);
        file->joints[i] = (struct joint){arena_strndup(arena, name.text, name.length), parent};
        uint32_t used = (uint32_t)__builtin_popcount(track->flags);
        if (track->flags > ALL_FLAGS)
            lexer_fail(lexer, name.line, "the flags are %u, at most %d are allowed", track->flags, ALL_FLAGS);
        if (track->start > component_count || used > component_count - track->start)
            lexer_fail(lexer, name.line, "the joint uses components %u-%llu of %u", track->start,
                       (unsigned long long)track->start + used - (used > 0), component_count);
        if (!track->flags)
            track->start = 0; /* files leave anything here */
    }
    lexer_expect(lexer, "}");
    return lexer->has_failed || md5_sort_joints(file->joints, joint_count, file->places, lexer, line) < 0
               ? -1
               : find_matches(file, line);
}

/* The base frame and the tracks become those of the model's joints; what the file does not move keeps its bind pose. */
static void read_baseframe(struct anim_file *file)
{
    struct model *model = file->model;
    const struct rig_row_node *tracks = file->tracks;
    need(file, "baseframe");
    lexer_expect(&file->lexer, "{");
    file->baseframe = arena_must_alloc(&model->arena, model->joint_count, sizeof *file->baseframe);
    file->tracks = arena_must_alloc(&model->arena, model->joint_count, sizeof *file->tracks);
    for (uint32_t j = 0; j < model->joint_count && model->rig; j++)
        file->baseframe[j] = model->rig->nodes[j].local;
    for (uint32_t i = 0; i < file->numJoints; i++) {
        const int32_t to = file->matches[file->places[i]];
        double length_squared;
        const struct transform base = md5_transform(&file->lexer, &length_squared);
        if (to >= 0) {
            file->baseframe[to] = base;
            file->tracks[to] = tracks[i];
        }
    }
    lexer_expect(&file->lexer, "}");
}

/* The keyword is read. */
static void read_frame(struct anim_file *file, double *frame)
{
    struct lexer *lexer = &file->lexer;
    const uint32_t count = file->numAnimatedComponents;
    struct token token;
    const int32_t number = lexer_i32(lexer);
    lexer_expect(lexer, "{");
    for (uint32_t i = 0; i < count && !lexer->has_failed; i++) {
        struct lexer before = *lexer;
        frame[i] = lexer_f64(lexer, MODEL_LARGEST_NUMBER);
        if (lexer->has_failed && lexer_next(&before, &token) && token_is_sign(&token, '}'))
            lexer_fail(&before, token.line, "frame %d has %u numbers, numAnimatedComponents is %u", number, i,
                       count);
    }
    if (!lexer_next(lexer, &token) || !token_is_sign(&token, '}'))
        lexer_fail(lexer, lexer->line, "frame %d has no '}' after its %u numbers", number, count);
}

/* Reads numFrames frames, and counts more. */
static void read_frames(struct anim_file *file)
{
    struct lexer *lexer = &file->lexer;
    const size_t width = file->numAnimatedComponents, room = (lexer->bytes.size - lexer->at) / (sizeof "0 " - 1);
    if (file->numFrames * width > room)
        lexer_fail(lexer, lexer->line,
                   "%u frames of %zu numbers, but the rest of the file has room for at most %zu", file->numFrames,
                   width, room);
    else
        file->components = arena_must_alloc(&file->model->arena, file->numFrames * width, sizeof(double));
    for (; seek(file, "frame"); file->frames_found++) {
        if (file->frames_found < file->numFrames) {
            read_frame(file, file->components + file->frames_found * width);
            continue;
        }
        lexer_i32(lexer);
        lexer_expect(lexer, "{");
        md5_skip_block(lexer, lexer->line);
    }
    if (file->frames_found < file->numFrames)
        lexer_fail(lexer, lexer->line, "the file ends after %u of %u frames", file->frames_found, file->numFrames);
}

static int add_to_model(const struct anim_file *file, const char *name, struct error *err)
{
    struct model *model = file->model;
    const struct rig_rows rows = {.nodes = file->tracks,
                                  .base = file->baseframe,
                                  .numbers = file->components,
                                  .width = file->numAnimatedComponents};
    const struct motion motion = {.rows = arena_copy(&model->arena, &rows, 1, sizeof rows)};
    struct animation animation = {
        .name = arena_strdup(&model->arena, name),
        .frame_count = file->numFrames,
        .rate_hz = file->frameRate,
        .motion = arena_copy(&model->arena, &motion, 1, sizeof motion),
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

    if (file->unlike)
        strings_add(&model->warnings, file->unlike);
    SCOPED char *where = must_printf("animation '%s': ", name);
    if (file->frames_found > file->numFrames)
        strings_printf(&model->oddities, "%snumFrames is %u, the file has %u; the last %u are left out", where,
                       file->numFrames, file->frames_found, file->frames_found - file->numFrames);
    md5_report_unknown(&file->unknown, where, &model->oddities);
    return 0;
}

/* An md5anim starts like an md5mesh and differs from the first heading on. */
static bool is_animation(struct bytes bytes)
{
    enum { HEADINGS = 16 };
    struct lexer lexer = lexer_at_start(bytes);
    struct token token;
    lexer_expect(&lexer, "MD5Version");
    for (int i = 0; i < HEADINGS && lexer_next(&lexer, &token); i++) {
        if (token_is(&token, "numFrames") || token_is(&token, "hierarchy"))
            return true;
        if (token_is(&token, "numMeshes") || token_is(&token, "joints"))
            return false;
    }
    return false;
}

static int add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    struct anim_file file = {.model = model};
    if (md5_start(bytes, &file.lexer, err) < 0)
        return -1;
    if (!is_animation(bytes))
        return lexer_fail(&file.lexer, file.lexer.line, "this is not an MD5 animation");
    read_headings(&file);
    int result = read_hierarchy(&file);
    if (result < 0)
        return result;
    read_baseframe(&file);
    read_frames(&file);
    return file.lexer.has_failed ? -1 : add_to_model(&file, name, err);
}

static const struct animation_format animations = {
    .name = "MD5 animation",
    .suffix = ".md5anim",
    .matches = is_animation,
    .companion = {".md5scale", md5_add_scales},
};

/* -- Alone --------------------------------------------------------------------------------------------------- */

/* The bind pose, in model space: of a mesh beside the file that has all of its joints, or else its base frame. */
static void find_bind(const struct model *model, const struct model_options *options, struct transform *bind)
{
    const uint32_t count = model->joint_count;
    SCOPED int32_t *matches = must_alloc(count, sizeof *matches);
    SCOPED_BY(strings_release) struct strings found = {0};
    for (uint32_t j = 0; j < count; j++) {
        const struct transform *own = &model->animations[0].motion->rows->base[j];
        const int32_t above = model->joints[j].parent;
        bind[j] = above < 0 ? *own : transform_multiply(&bind[above], own);
    }
    if (options->assets)
        assets_find_beside(options->assets, options->path, MESH_SUFFIX, &found);
    bool is_found = false;
    for (size_t i = 0; i < found.count && !is_found; i++) {
        SCOPED_BY(blob_release) struct blob blob = {0};
        struct error ignored;
        if (assets_read(options->assets, found.items[i], &blob, &ignored) < 0)
            continue;
        struct model *mesh = must_alloc(1, sizeof *mesh);
        if (md5_load_mesh(blob_bytes(&blob), false, mesh, &ignored) == 0) {
            is_found = match_joints(model->joints, count, mesh, matches) == count;
            for (uint32_t j = 0; j < count && is_found; j++)
                is_found = !strcmp(model->joints[j].name, mesh->joints[matches[j]].name);
            SCOPED struct transform *placed = must_alloc(mesh->joint_count, sizeof *placed);
            rig_place(mesh->rig, NULL, 0, placed);
            for (uint32_t j = 0; j < count && is_found; j++)
                bind[j] = placed[matches[j]];
        }
        model_free(mesh);
    }
}

/* Two tracks for each joint, also where no frame moves it: the base frame need not be how it is bound. */
static int make_tracks(struct model *model, struct rig_animation *out, struct error *err)
{
    const struct animation *animation = &model->animations[0];
    const uint32_t joint_count = model->joint_count, frame_count = animation->frame_count;
    struct arena *arena = &model->arena;
    if ((uint64_t)joint_count * frame_count > MOST_PLACES)
        return error_set(err, "%u frames of %u joints are too many for other models", frame_count, joint_count);
    struct rig_track *tracks = arena_must_alloc(arena, joint_count, 2 * sizeof *tracks);
    float *times_s = arena_must_alloc(arena, frame_count, sizeof *times_s);
    float(*places)[3] = arena_must_alloc(arena, (size_t)joint_count * frame_count, sizeof *places);
    float(*turns)[4] = arena_must_alloc(arena, (size_t)joint_count * frame_count, sizeof *turns);
    for (uint32_t f = 0; f < frame_count; f++) {
        times_s[f] = (float)fmin(f / (double)animation->rate_hz, MODEL_LARGEST_NUMBER);
        for (uint32_t j = 0; j < joint_count; j++) {
            const struct transform joint = rig_read_row(animation->motion->rows, f, j);
            for (int i = 0; i < 4; i++) {
                places[(size_t)j * frame_count + f][i % 3] = (float)joint.translation[i % 3];
                turns[(size_t)j * frame_count + f][i] = (float)joint.rotation[i];
            }
        }
    }
    for (uint32_t j = 0; j < joint_count; j++, places += frame_count, turns += frame_count) {
        tracks[2 * j] = (struct rig_track){j, RIG_TRANSLATION, RIG_LINEAR, frame_count, times_s, 3, *places, NULL};
        tracks[2 * j + 1] = (struct rig_track){j, RIG_ROTATION, RIG_LINEAR, frame_count, times_s, 4, *turns, NULL};
    }
    *out = (struct rig_animation){
        .name = animation->name, .tracks = tracks, .track_count = 2 * joint_count, .rate_hz = animation->rate_hz};
    return 0;
}

/* Fills a zeroed model with joints and the clip of an md5anim, for models of other formats. An md5anim does not say how its
 * joints are bound: Doom 3 plays it on the md5mesh that it was made for, and takes from `baseframe` what frames leave as it
 * is; exporters write the first frame there. So the bind pose is that of a mesh in the same folder with these joints, and
 * only without one the base frame. */
static int load_animation(struct bytes bytes, const struct model_options *options, struct model *model,
                          struct error *err)
{
    const char *name = options->path ? path_base_stem(&model->arena, options->path) : "";
    struct rig_animation animation;
    if (add_animation(model, name, bytes, err) < 0 || make_tracks(model, &animation, err) < 0)
        return -1;
    struct transform *bind = arena_must_alloc(&model->arena, model->joint_count, sizeof *bind);
    find_bind(model, options, bind);
    struct rig rig = md5_rig(model, bind);
    rig.may_lack_triangles = true;
    rig.animations = &animation;
    rig.animation_count = 1;
    model->animation_count = model->clip_count = 0;
    model->format_name = animations.name;
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
    struct rig_size *items; /* as many as the file has keys of joints */
    size_t count;
    bool *scales_positions; /* by joint */
    struct error *err;
};

static int read_joint_scales(struct scales *scales, const char *name, json_t *object)
{
    const struct model *model = scales->model;
    const struct joint *joint = named_find(model->joints, model->joint_count, sizeof *joint, name, false);
    if (!json_is_object(object))
        return error_set(scales->err, "joint '%s': an object of keyframes is needed", name);
    if (!joint) {
        strings_printf(&scales->model->oddities, "scales for '%s', which is not a joint", name);
        return 0;
    }
    const char *key;
    json_t *value;
    json_object_foreach(object, key, value)
    {
        if (!strcmp(key, "scale_positions")) {
            scales->scales_positions[joint - model->joints] = json_is_true(value);
            continue;
        }
        char *end;
        unsigned long frame = strtoul(key, &end, 10);
        double scale = json_number_value(value);
        const bool is_number = *key >= '0' && *key <= '9' && (*key > '0' || !key[1]); /* no "01" beside "1" */
        if (!is_number || *end || frame >= scales->frame_count)
            return error_set(scales->err, "joint '%s': '%s' is not a keyframe, 0 to %u are", name, key,
                             scales->frame_count - 1);
        if (!json_is_number(value) || !(fabs(scale) <= LARGEST_SCALE))
            return error_set(scales->err, "joint '%s', keyframe %s: a number up to %g is needed", name, key,
                             LARGEST_SCALE);
        scales->items[scales->count++] =
            (struct rig_size){(uint32_t)frame, (uint32_t)(joint - model->joints), (float)scale};
    }
    return 0;
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
        struct rig_rows *rows = (struct rig_rows *)entry->motion->rows;
        rows->sizes = scales.items;
        rows->size_count = scales.count;
        rows->sizes_places = scales.scales_positions;
    }
    json_decref(root);
    return result;
}

/* -- The format -------------------------------------------------------------------------------------------- */

static bool matches(struct bytes bytes)
{
    struct lexer lexer = lexer_at_start(bytes);
    lexer_expect(&lexer, "MD5Version");
    return !lexer.has_failed;
}

static int load(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err)
{
    return options->takes_clips_alone && is_animation(bytes)
               ? load_animation(bytes, options, model, err)
               : md5_load_mesh(bytes, !options->is_for_clips, model, err);
}

const struct model_format md5_format = {
    .name = "MD5",
    .suffixes = (const struct model_suffix[]){{.text = MESH_SUFFIX}, {0}},
    .reads = "Doom 3, version 10: joints, weights, animations, their scales (.md5scale)",
    .start = "MD5Version",
    .animation_format = &animations,
    .matches = matches,
    .load = load,
    .add_animation = add_animation,
};
