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
 * Frames are taken in the order of the file: real files number 35 frames from 8 to 42. Frames past numFrames are
 * left out, as the game does, and reported; fewer are an error, for a file cut short looks like that. */
#include "format/md5.h"

#include <stdlib.h>

#include "format/formats.h"
#include "model/root_motion.h"

enum { ALL_FLAGS = 63 };

/* In the order of the table of headings below. */
enum heading { NUM_FRAMES, NUM_JOINTS, FRAME_RATE, NUM_COMPONENTS, HEADING_COUNT };

struct reader {
    struct lexer lexer;
    struct model *model;
    struct md5_unknown unknown;
    bool has[HEADING_COUNT];
    uint32_t numFrames, numJoints, numAnimatedComponents;
    float frameRate;
    struct md5_track *tracks;
    struct transform *baseframe;
    double *components;
    uint32_t frames_found;
    bool is_of_other_skeleton; /* which is why it failed */
};

static const struct {
    const char *keyword;
    size_t shortest_item;
} headings[HEADING_COUNT] = {
    [NUM_FRAMES] = {"numFrames", sizeof "frame 0{}" - 1},
    [NUM_JOINTS] = {"numJoints", sizeof "\"\"0 0 0(0 0 0)(0 0 0)" - 1},
    [FRAME_RATE] = {"frameRate", 0},
    [NUM_COMPONENTS] = {"numAnimatedComponents", sizeof "0 " - 1},
};

static int read_heading(struct reader *reader, enum heading heading, struct error *err)
{
    struct lexer *lexer = &reader->lexer;
    const char *keyword = headings[heading].keyword;
    uint32_t *counts[] = {
        [NUM_FRAMES] = &reader->numFrames,
        [NUM_JOINTS] = &reader->numJoints,
        [NUM_COMPONENTS] = &reader->numAnimatedComponents,
    };
    if (reader->has[heading])
        return error_set(err, "%u: a second %s", lexer->line, keyword);
    reader->has[heading] = true;
    if (heading != FRAME_RATE) {
        if (md5_count(lexer, keyword, headings[heading].shortest_item, counts[heading], err) < 0)
            return -1;
        if (reader->numFrames > MODEL_MOST_FRAMES)
            return error_set(err, "%u: numFrames is %u, at most %d are allowed", lexer->line, reader->numFrames,
                             MODEL_MOST_FRAMES);
        return 0;
    }
    if (lexer_f32(lexer, &reader->frameRate, err) < 0)
        return -1;
    if (!(reader->frameRate > 0))
        return error_set(err, "%u: frameRate is %g, it must be above 0", lexer->line, (double)reader->frameRate);
    return 0;
}

/* Opens a block that needs all the numbers above it. */
static int open_block(struct reader *reader, const char *keyword, unsigned line, struct error *err)
{
    for (int i = 0; i < HEADING_COUNT; i++)
        if (!reader->has[i])
            return error_set(err, "%u: %s before %s", line, keyword, headings[i].keyword);
    return lexer_expect(&reader->lexer, "{", err);
}

/* Which of the mesh's joints it has to be. A model without a mesh has those of its animation. */
static int check_joint(const struct reader *reader, uint32_t i, const struct token *name, int32_t parent,
                       struct error *err)
{
    char found[64];
    if (i >= reader->model->joint_count)
        return error_set(err, "%u: joint %u, %s, is not in the mesh, which has %u joints", name->line, i,
                         token_describe(name, found), reader->model->joint_count);
    const struct joint *joint = &reader->model->joints[i];
    if (!token_is(name, joint->name))
        return error_set(err, "%u: joint %u is %s in the animation and '%s' in the mesh", name->line, i,
                         token_describe(name, found), joint->name);
    if (parent != joint->parent)
        return error_set(err, "%u: joint %u, '%s', has parent %d in the animation and %d in the mesh", name->line,
                         i, joint->name, parent, joint->parent);
    return 0;
}

static int read_hierarchy(struct reader *reader, unsigned line, struct error *err)
{
    struct lexer *lexer = &reader->lexer;
    struct model *model = reader->model;
    const uint32_t joint_count = reader->numJoints, component_count = reader->numAnimatedComponents;
    if (reader->tracks)
        return error_set(err, "%u: a second hierarchy", line);
    if (open_block(reader, "hierarchy", line, err) < 0)
        return -1;
    reader->tracks = arena_alloc(&reader->model->arena, joint_count, sizeof *reader->tracks, err);
    struct joint *joints = NULL; /* of an animation alone */
    if (!model->joints)
        model->joints = joints = arena_alloc(&model->arena, joint_count, sizeof *joints, err);
    if (!reader->tracks || !model->joints)
        return -1;
    for (uint32_t i = 0; i < joint_count; i++) {
        struct md5_track *track = &reader->tracks[i];
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
        reader->is_of_other_skeleton = check_joint(reader, i, &name, parent, err) < 0;
        if (reader->is_of_other_skeleton)
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
    reader->is_of_other_skeleton = joint_count < model->joint_count;
    if (reader->is_of_other_skeleton)
        return error_set(err, "%u: joint %u of the mesh, '%s', is not in the animation, which has %u joints", line,
                         joint_count, model->joints[joint_count].name, joint_count);
    return 0;
}

static int read_baseframe(struct reader *reader, unsigned line, struct error *err)
{
    if (reader->baseframe)
        return error_set(err, "%u: a second baseframe", line);
    if (open_block(reader, "baseframe", line, err) < 0)
        return -1;
    reader->baseframe = arena_alloc(&reader->model->arena, reader->numJoints, sizeof *reader->baseframe, err);
    if (!reader->baseframe)
        return -1;
    for (uint32_t i = 0; i < reader->numJoints; i++)
        if (md5_transform(&reader->lexer, &reader->baseframe[i], NULL, err) < 0)
            return -1;
    return lexer_expect(&reader->lexer, "}", err);
}

static int read_component(struct reader *reader, double *out, int32_t number, uint32_t i, struct error *err)
{
    struct lexer before = reader->lexer;
    if (md5_number(&reader->lexer, out, err) == 0)
        return 0;
    struct token token;
    struct error ignored;
    if (lexer_next(&before, &token, &ignored) == 0 && token.kind == TOKEN_PUNCTUATION && token.text[0] == '}')
        return error_set(err, "%u: frame %d has %u numbers, numAnimatedComponents is %u", token.line, number, i,
                         reader->numAnimatedComponents);
    return -1;
}

static int read_frame(struct reader *reader, unsigned line, struct error *err)
{
    int32_t number;
    double unused;
    if (lexer_i32(&reader->lexer, &number, err) < 0 || open_block(reader, "frame", line, err) < 0)
        return -1;
    if (!reader->components) {
        uint64_t count = (uint64_t)reader->numFrames * reader->numAnimatedComponents;
        uint64_t room = (reader->lexer.bytes.size - reader->lexer.at) / (sizeof "0 " - 1);
        if (count > room)
            return error_set(err,
                             "%u: %u frames of %u numbers, but the rest of the file has room for at most %llu",
                             line, reader->numFrames, reader->numAnimatedComponents, (unsigned long long)room);
        reader->components = arena_alloc(&reader->model->arena, (size_t)count, sizeof *reader->components, err);
        if (!reader->components)
            return -1;
    }
    bool wanted = reader->frames_found < reader->numFrames;
    double *frame = reader->components + (size_t)reader->frames_found * reader->numAnimatedComponents;
    for (uint32_t i = 0; i < reader->numAnimatedComponents; i++)
        if (read_component(reader, wanted ? &frame[i] : &unused, number, i, err) < 0)
            return -1;
    reader->frames_found++;
    if (lexer_expect(&reader->lexer, "}", err) < 0)
        return error_set(err, "%u: frame %d has no '}' after its %u numbers", reader->lexer.line, number,
                         reader->numAnimatedComponents);
    return 0;
}

static int read_entry(struct reader *reader, const struct token *token, struct error *err)
{
    struct token ignored;
    if (token->kind == TOKEN_WORD) {
        if (token_is(token, "frame"))
            return read_frame(reader, token->line, err);
        if (token_is(token, "commandline"))
            return lexer_string(&reader->lexer, &ignored, err);
        if (token_is(token, "hierarchy"))
            return read_hierarchy(reader, token->line, err);
        if (token_is(token, "bounds")) { /* passed over: what is framed is measured on the posed mesh */
            struct token brace;
            struct md5_unknown unused = {0};
            if (lexer_next(&reader->lexer, &brace, err) < 0)
                return -1;
            if (brace.kind != TOKEN_PUNCTUATION || brace.text[0] != '{')
                return error_set(err, "%u: expected '{' after bounds", brace.line);
            return md5_skip(&reader->lexer, &brace, &unused, err);
        }
        if (token_is(token, "baseframe"))
            return read_baseframe(reader, token->line, err);
        if (token_is(token, "numMeshes") || token_is(token, "mesh"))
            return error_set(err, "%u: this is an MD5 mesh, not an animation", token->line);
        for (int i = 0; i < HEADING_COUNT; i++)
            if (token_is(token, headings[i].keyword))
                return read_heading(reader, i, err);
    }
    return md5_skip(&reader->lexer, token, &reader->unknown, err);
}

static int check_complete(const struct reader *reader, unsigned line, struct error *err)
{
    for (int i = 0; i < HEADING_COUNT; i++)
        if (!reader->has[i])
            return error_set(err, "%u: the file ends without %s", line, headings[i].keyword);
    if (!reader->tracks || !reader->baseframe)
        return error_set(err, "%u: the file ends without a %s", line, reader->tracks ? "baseframe" : "hierarchy");
    if (reader->numFrames == 0)
        return error_set(err, "%u: numFrames is 0, at least 1 is needed", line);
    if (reader->frames_found < reader->numFrames)
        return error_set(err, "%u: the file ends after %u of %u frames", line, reader->frames_found,
                         reader->numFrames);
    return 0;
}

static int add_to_model(const struct reader *reader, const char *name, struct error *err)
{
    struct model *model = reader->model;
    struct md5_animation *data = arena_alloc(&model->arena, 1, sizeof *data, err);
    if (!data)
        return -1;
    *data = (struct md5_animation){
        .tracks = reader->tracks,
        .baseframe = reader->baseframe,
        .components = reader->components,
        .component_count = reader->numAnimatedComponents,
    };
    struct animation animation = {
        .name = arena_strdup(&model->arena, name),
        .frame_count = reader->numFrames,
        .rate_hz = reader->frameRate,
        .data = data,
    };
    struct clip clip = {
        .name = model_unique_clip_name(model, name),
        .animation = model->animation_count,
        .frame_count = reader->numFrames,
        .rate_hz = reader->frameRate,
    };
    model_add_animation_entry(model, &animation);
    if (clip_measure(model, 0, &clip, err) < 0) {
        model->animation_count--;
        return -1;
    }
    model_add_clip(model, &clip);

    char *where = must_printf("animation '%s': ", name);
    if (reader->frames_found > reader->numFrames)
        strings_printf(&model->oddities, "%snumFrames is %u, the file has %u; the last %u are left out", where,
                       reader->numFrames, reader->frames_found, reader->frames_found - reader->numFrames);
    md5_report_unknown(&reader->unknown, where, &model->oddities);
    free(where);
    return 0;
}

int md5_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    struct reader reader = {.model = model};
    struct token token;
    if (md5_start(bytes, &reader.lexer, err) < 0)
        return -1;
    do {
        if (lexer_next(&reader.lexer, &token, err) < 0)
            return -1;
        int result =
            token.kind == TOKEN_END ? check_complete(&reader, token.line, err) : read_entry(&reader, &token, err);
        if (result < 0)
            return reader.is_of_other_skeleton ? MODEL_OTHER_SKELETON : -1;
    } while (token.kind != TOKEN_END);
    return add_to_model(&reader, name, err);
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

const struct animation_format md5_animation_format = {
    .name = "MD5 animation",
    .suffix = ".md5anim",
    .matches = matches,
    .companion = {".md5scale", md5_add_scales},
};
