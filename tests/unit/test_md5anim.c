#include "md5_samples.h"
#include "test.h"

#include <math.h>

#include "base/buffer.h"
#include "model/rig.h"
#include "model/root_motion.h"

static void assert_rejects(const char *old, const char *new, const char *message)
{
    struct error err;
    struct model *model = load(mesh_text);
    char *text = with_change(anim_text, old, new);
    if (animate_bytes(model, "walk", text, strlen(text), &err) == 0)
        fail_msg("loaded with '%s' in place of '%s'", new, old);
    assert_message(&err, message);
    assert_int_equal(model->animation_count, 0);
    assert_int_equal(model->clip_count, 0);
    assert_int_equal(model->oddities.count, 0);
    free(text);
}

static struct model *load_changed_animation(const char *old, const char *new)
{
    struct model *model = load(mesh_text);
    char *text = with_change(anim_text, old, new);
    animate(model, text);
    free(text);
    return model;
}

static void assert_loads(const char *old, const char *new)
{
    struct model *model = load_changed_animation(old, new);
    assert_int_equal(model->animations[0].frame_count, 3);
    assert_int_equal(model->oddities.count, 0);
}

static void assert_loads_oddly(const char *old, const char *new, const char *oddity)
{
    struct model *model = load_changed_animation(old, new);
    assert_odd(model, oddity);
}

static struct mesh pose_frame(const struct model *model, int32_t animation, uint32_t frame)
{
    return posed(model, (struct pose){animation, {frame, frame, 0}, INTERPOLATION_LOCAL});
}

static void assert_x_of_root(const struct model *model, uint32_t frame, float x)
{
    struct mesh mesh = pose_frame(model, 0, frame);
    assert_true(mesh.positions[0][0] == x); /* vertex 0 sits at the root joint */
}

TEST(an_animation_brings_one_clip)
{
    struct model *model = load(mesh_text);
    animate(model, anim_text);
    assert_int_equal(model->animation_count, 1);
    assert_string_equal(model->animations[0].name, "walk");
    assert_int_equal(model->animations[0].frame_count, 3);
    assert_true(model->animations[0].rate_hz == 24);
    assert_int_equal(model->clip_count, 1);
    const struct clip *clip = model_find_clip(model, "walk");
    assert_ptr_equal(clip, &model->clips[0]);
    assert_int_equal(clip->animation, 0);
    assert_int_equal(clip->first_frame, 0);
    assert_int_equal(clip->frame_count, 3);
    assert_true(clip->rate_hz == 24);
    assert_int_equal(model->oddities.count, 0);
}

TEST(a_model_takes_several_animations)
{
    struct model *model = load(mesh_text);
    animate(model, anim_text);
    char *text = with_change(anim_text, "frame 8 {\n\t1", "frame 8 {\n\t7");
    animate(model, text);
    assert_int_equal(model->animation_count, 2);
    assert_int_equal(model->clips[1].animation, 1);
    assert_string_not_equal(model->clips[0].name, model->clips[1].name);
    struct mesh first = pose_frame(model, 0, 0), second = pose_frame(model, 1, 0);
    assert_true(first.positions[0][0] == 1);
    assert_true(second.positions[0][0] == 7);
    free(text);
}

/* More of them than the slack of an arena, so that a sanitizer would see them being stored. */
TEST(many_frames_past_numFrames_are_not_stored)
{
    static const char frame[] = "frame 0 { 7 0 0 0 0 }\n";
    enum { EXTRA = 3000 };
    char *text = must_alloc(sizeof anim_text + EXTRA * sizeof frame, 1);
    memcpy(text, anim_text, sizeof anim_text);
    for (size_t i = 0, at = strlen(text); i < EXTRA; i++, at += strlen(frame))
        memcpy(text + at, frame, sizeof frame);
    struct model *model = load(mesh_text);
    animate(model, text);
    assert_odd(model, "numFrames is 3, the file has 3003; the last 3000 are left out");
    assert_int_equal(model->animations[0].frame_count, 3);
    free(text);
}

/* One joint, whose frame takes the components that are flagged from 1.5, 2.5, 3.5, 0.5, 0.25, 0.125 in a row. */
static void assert_flags(unsigned flags)
{
    static const double base[6] = {10, 20, 30, 0.1, 0.2, 0.3}, frame[6] = {1.5, 2.5, 3.5, 0.5, 0.25, 0.125};
    struct model *model =
        load("MD5Version 10 numJoints 1 numMeshes 1 joints { a -1(0 0 0)(0 0 0) } mesh { numverts 2"
             " vert 0(0 0)0 1 vert 1(0 0)1 1 numweights 2 weight 0 0 1(0 0 0) weight 1 0 1(0 0 1) }");
    char *text =
        must_printf("MD5Version 10 numFrames 1 numJoints 1 frameRate 1 numAnimatedComponents 8 hierarchy {"
                    " a -1 %u 2 } baseframe { (10 20 30)(0.1 0.2 0.3) }"
                    " frame 0 { 99 99 1.5 2.5 3.5 0.5 0.25 0.125 }",
                    flags);
    animate(model, text);
    double expected[6];
    for (int i = 0, next = 0; i < 6; i++)
        expected[i] = flags & (1u << i) ? frame[next++] : base[i];
    struct mesh mesh = pose_frame(model, 0, 0);
    for (int i = 0; i < 3; i++)
        assert_true(mesh.positions[0][i] == (float)expected[i]);

    /* The image of the z axis under the orientation, which fewer flags shift into the position's numbers. */
    double *q = expected + 3, length_squared = q[0] * q[0] + q[1] * q[1] + q[2] * q[2];
    double length = length_squared > 1 ? sqrt(length_squared) : 1;
    double w = length_squared > 1 ? 0 : -sqrt(1 - length_squared);
    double x = q[0] / length, y = q[1] / length, z = q[2] / length;
    double up[3] = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 3; i++)
        assert_true(fabs(mesh.positions[1][i] - expected[i] - up[i]) < 1e-5);
    free(text);
}

TEST(frames_are_read)
{
    fact("frames count in file order whatever their numbers");
    struct model *model = load_changed_animation("frame 9", "frame -3");
    assert_x_of_root(model, 0, 1);
    assert_x_of_root(model, 1, 3);
    assert_x_of_root(model, 2, -2);
    fact("frames past numFrames are left out");
    model = load_changed_animation("numFrames 3", "numFrames 2");
    assert_int_equal(model->animations[0].frame_count, 2);
    assert_odd(model, "animation 'walk': numFrames is 2, the file has 3; the last 1 are left out");
    assert_x_of_root(model, 1, 3);
    assert_rejects("-2 0.999", "-2 x", "'x'");
    fact("frameRate is above 0");
    assert_rejects("frameRate 24", "frameRate 0", "6: frameRate is 0, it must be above 0");
    assert_rejects("frameRate 24", "frameRate -1", "frameRate is -1, it must be above 0");
    assert_rejects("frameRate 24", "frameRate nan", "finite");
    assert_rejects("frameRate 24", "frameRate 1e-60", "above 0");
    assert_rejects("frameRate 24", "", "39: the file ends without frameRate");
    assert_loads("frameRate 24", "frameRate 2147483647");
    model = load_changed_animation("frameRate 24", "frameRate 12.5");
    assert_true(model->animations[0].rate_hz == 12.5f);
    fact("another skeleton is told from a damaged file");
    model = load(mesh_text);
    struct error err;
    char *other = with_change(anim_text, "upper arm\"\t0", "upper arm\"\t-1");
    assert_int_equal(animate_bytes(model, "walk", other, strlen(other), &err), MODEL_OTHER_SKELETON);
    assert_int_equal(animate_bytes(model, "walk", anim_text, strlen(anim_text) / 2, &err), -1);
    free(other);
    fact("a mesh is no animation");
    model = load(mesh_text);
    assert_int_equal(animate_bytes(model, "walk", mesh_text, strlen(mesh_text), &err), -1);
    assert_message(&err, "2: this is not an MD5 animation");
    fact("flags choose what a frame replaces");
    for (unsigned flags = 0; flags < 64; flags++)
        assert_flags(flags);
}

TEST(many_joints_and_empty_frames_take_no_memory)
{
    enum { JOINTS = 2000, FRAMES = 20000 };
    char *mesh = must_alloc(64 * JOINTS, 1), *anim = must_alloc(64 * JOINTS + 16 * FRAMES, 1);
    size_t at = (size_t)snprintf(mesh, 64, "MD5Version 10 numJoints %d joints {", JOINTS);
    for (int i = 0; i < JOINTS; i++)
        at += (size_t)snprintf(mesh + at, 64, "a -1(0 0 0)(0 0 0)");
    snprintf(mesh + at, 64, "} mesh { }");
    at = (size_t)snprintf(anim, 128,
                          "MD5Version 10 numFrames %d numJoints %d frameRate 1 numAnimatedComponents 0 "
                          "hierarchy {",
                          FRAMES, JOINTS);
    for (int i = 0; i < JOINTS; i++)
        at += (size_t)snprintf(anim + at, 64, "a -1 0 0 ");
    at += (size_t)snprintf(anim + at, 64, "} baseframe {");
    for (int i = 0; i < JOINTS; i++)
        at += (size_t)snprintf(anim + at, 64, "(0 0 0)(0 0 0)");
    at += (size_t)snprintf(anim + at, 64, "}");
    for (int i = 0; i < FRAMES; i++)
        at += (size_t)snprintf(anim + at, 64, "frame 0{}");
    struct model *model = load(mesh);
    animate(model, anim);
    assert_int_equal(model->animations[0].frame_count, FRAMES);
    pose_frame(model, 0, FRAMES - 1);
    free(mesh);
    free(anim);
}

TEST(a_file_cut_short_is_refused_at_every_length)
{
    size_t whole = whole_from(anim_text);
    struct model *model = load(mesh_text);
    for (size_t size = 0; size <= strlen(anim_text); size++) {
        struct error err;
        uint32_t before = model->animation_count;
        int result = animate_bytes(model, "walk", anim_text, size, &err);
        if ((result == 0) != (size >= whole))
            fail_msg("%zu of %zu bytes: %s", size, strlen(anim_text), result == 0 ? "loaded" : err.text);
        assert_int_equal(model->animation_count, before + (result == 0));
    }
}

static bool is_taken_for_animation(const char *text)
{
    return model_format_of_animation((struct bytes){(const uint8_t *)text, strlen(text)}) == &md5_format;
}

TEST(broken_animations_are_rejected)
{
    fact("numFrames must be there");
    assert_rejects("numFrames 3", "numFrames 4", "39: the file ends after 3 of 4 frames");
    assert_rejects("numFrames 3", "numFrames 0", "4: numFrames is 0, 1 to 65536 are allowed");
    assert_rejects("numFrames 3", "numFrames -1", "4: -1 is out of range");
    assert_rejects("numFrames 3", "numFrames 2147483647", "4: numFrames is 2147483647, but the rest of the file");
    assert_rejects("numFrames 3", "", "39: the file ends without numFrames");
    assert_loads_oddly("numFrames 3", "numFrames 3 numFrames 3", "line 4: 'numFrames' and 1 more words");
    fact("numJoints must be right");
    assert_rejects("numJoints 2", "numJoints 1", "11: expected '}', found 'upper arm'");
    assert_rejects("numJoints 2", "numJoints 3", "expected");
    assert_rejects("numJoints 2", "numJoints 0", "expected '}'");
    assert_rejects("numJoints 2", "numJoints -1", "-1 is out of range");
    assert_rejects("numJoints 2", "numJoints 2147483647", "room for at most");
    assert_rejects("numJoints 2", "", "39: the file ends without numJoints");
    fact("numAnimatedComponents must be right");
    assert_rejects("Components 5", "Components 4", "joint uses components 2-4 of 4");
    assert_rejects("Components 5", "Components 0", "joint uses components 0-1 of 0");
    assert_rejects("Components 5", "Components 6", "28: frame 8 has 5 numbers, numAnimatedComponents is 6");
    assert_rejects("Components 5", "Components -1", "-1 is out of range");
    assert_rejects("Components 5", "Components 2147483647", "room for at most");
    assert_rejects("Components 5", "Components 60", "3 frames of 60 numbers, but the rest of the file");
    assert_rejects("numAnimatedComponents 5", "", "39: the file ends without numAnimatedComponents");
    fact("joints agree with the mesh");
    assert_rejects("upper arm\"\t0", "upper arm\"\t-1",
                   "9: joint 'upper arm' has parent '-1' in the animation and 'origin' in the mesh");
    assert_rejects("upper arm\"\t0", "upper arm\"\t2", "11: joint 1 has parent 2 of 2 joints");
    assert_rejects("upper arm\"\t0", "upper arm\"\t-2", "11: joint 1 has parent -2 of 2 joints");
    assert_rejects("upper arm\"\t0", "upper arm\"\t1", "9: joint 1, 'upper arm', is below itself");
    assert_loads("upper arm\"\t0", "lower arm\"\t0");
    assert_loads("origin\"\t-1", "orig\"\t-1");
    fact("the hierarchy lists every joint once");
    assert_rejects("\t\"upper arm\"\t0 56 2", "", "expected a name, found '}'");
    assert_rejects("2\t// origin (", "2 \"more\" 0 0 0 // (", "expected '}', found 'more'");
    assert_loads_oddly("bounds {", "hierarchy {", "line 14: 'hierarchy' and 1 more words");
    fact("flags and starts stay inside the frame");
    assert_rejects("56 2", "64 2", "11: the flags are 64, at most 63");
    assert_rejects("56 2", "-1 2", "-1 is out of range");
    assert_rejects("56 2", "4294967295 2", "the flags are 4294967295");
    assert_rejects("56 2", "56 3", "11: the joint uses components 3-5 of 5");
    assert_rejects("56 2", "56 4294967295", "uses components 4294967295-4294967297 of 5");
    assert_rejects("56 2", "56 -1", "-1 is out of range");
    assert_rejects("56 2", "63 0", "uses components 0-5 of 5");
    assert_loads("56 2", "0 5");
    assert_loads("56 2", "8 4");
    fact("the bounds do not matter");
    assert_loads("bounds {", "bounds { ( 1 1 1 ) ( 2 2 2 )");
    assert_loads("\t( -1 -1 -1 ) ( 1 1 1 )\n", "");
    assert_rejects("bounds {", "bounds (", "expected '{'");
    fact("the baseframe has every joint");
    assert_rejects("\t( 0 0 10 ) ( 0.1 0.2 0.3 )\n", "", "expected '(', found '}'");
    assert_rejects("\t( 0 0 10 )", "\t( 1 1 1 ) ( 0 0 0 ) ( 0 0 10 )", "expected '}', found '('");
    assert_rejects("( 0 0 10 )", "( 0 0 1e10 )", "out of range");
    assert_rejects("( 0 0 10 )", "( 0 0 1000000001 )",
                   "'1000000001' is out of range, -1e+09 to 1e+09 are allowed");
    assert_rejects("( 0 0 10 )", "( 0 0 inf )", "finite");
    assert_rejects("baseframe {", "xbaseframe {", "39: the file ends without baseframe");
    assert_loads_oddly("frame 8", "baseframe { (0 0 0)(0 0 0) } frame 8", "'baseframe' and 1 more words");
    fact("frames have all their numbers");
    assert_rejects("3 -0.7", "3", "33: frame 9 has 4 numbers, numAnimatedComponents is 5");
    assert_rejects("3 -0.7", "3 -0.7 1", "frame 9 has no '}' after its 5 numbers");
    assert_rejects("3 -0.7", "3 nan", "finite");
    assert_rejects("3 -0.7", "3 -1e10", "out of range");
    assert_rejects("3 -0.7", "3 \"-0.7\"", "'-0.7'");
    assert_rejects("frame 9 {", "frame {", "'{'");
    fact("sections may be missing only when not needed");
    assert_rejects("hierarchy {", "xhierarchy {", "39: the file ends without hierarchy");
    assert_rejects("frame 8", "mesh", "39: the file ends after 2 of 3 frames");
    assert_loads("commandline \"\"\n", "");
    assert_loads_oddly("bounds {", "limits {", "animation 'walk': line 14: 'limits' and 1 more words");
    assert_loads_oddly("frameRate", "loop \"yes\" frameRate", "line 6: 'loop' and 1 more words");
    assert_rejects("frameRate", "} frameRate", "6: '}' without a '{'");
    fact("only version 10 is read");
    assert_rejects("MD5Version 10", "MD5Version 0", "version 0, only version 10");
    assert_rejects("MD5Version 10", "MD5Version -1", "version -1");
    assert_rejects("MD5Version 10", "MD5Version 2147483647", "version 2147483647");
    assert_rejects("MD5Version 10", "10", "expected 'MD5Version'");
    fact("an animation is told from a mesh by its headings");
    assert_true(is_taken_for_animation(anim_text));
    assert_true(is_taken_for_animation("MD5Version 10 hierarchy {"));
    assert_false(is_taken_for_animation(mesh_text));
    assert_false(is_taken_for_animation("MD5Version 10 joints { } numFrames 1"));
    assert_false(is_taken_for_animation("MD5Version 10"));
    assert_false(is_taken_for_animation("IDP2"));
    assert_false(is_taken_for_animation(""));
}

/* The same animation, read alone as clips for any model, moves the mesh by its rig as it does by itself. */
TEST(alone_it_is_a_rig_that_moves_the_same)
{
    const struct model_options alone = {.takes_clips_alone = true, .path = "a/walk.md5anim"};
    struct model *model = load(mesh_text), *clips;
    struct mesh meshes[2];
    struct error err;
    animate(model, anim_text);
    assert_int_equal(
        model_load((struct bytes){(const uint8_t *)anim_text, strlen(anim_text)}, &alone, &clips, &err), 0);
    assert_int_equal(clips->joint_count, 2);
    assert_string_equal(clips->clips[0].name, "walk");
    struct rig_animation animation = rig_animation_of(clips, &clips->clips[0]);
    assert_int_equal(rig_add_animation(model, &animation, &err), 0);
    const struct clip *own = &model->clips[0], *by_rig = &model->clips[1];
    assert_int_equal(by_rig->frame_count, own->frame_count);
    assert_true(by_rig->rate_hz == own->rate_hz && by_rig->closes == own->closes);
    assert_true(fabsf(by_rig->travel[0] - own->travel[0]) < 1e-5f && clip_travels(own) == clip_travels(by_rig));
    for (int i = 0; i < 2; i++)
        assert_int_equal(mesh_init(&meshes[i], model, &err), 0);
    const struct moment moments[] = {{0, 0, 0}, {1, 1, 0}, {0, 1, 0.3}, {1, 2, 0.75}, {2, 0, 0.5}};
    for (size_t m = 0; m < sizeof moments / sizeof *moments; m++) {
        for (int i = 0; i < 2; i++)
            model_pose(model, &(struct pose){.animation = i, .moment = moments[m]}, &meshes[i]);
        for (uint32_t p = 0; p < model->point_count; p++)
            for (int k = 0; k < 3; k++)
                if (fabsf(meshes[0].positions[p][k] - meshes[1].positions[p][k]) > 1e-4f)
                    fail_msg("point %u is off by %g at moment %zu", p,
                             (double)(meshes[0].positions[p][k] - meshes[1].positions[p][k]), m);
    }
    mesh_release(&meshes[0]);
    mesh_release(&meshes[1]);
    model_free(clips);
}

TEST(alone_it_is_refused_where_it_would_fill_the_memory)
{
    const struct model_options alone = {.takes_clips_alone = true};
    enum { JOINT_COUNT = 200, FRAME_COUNT = 60000 };
    struct buffer text = {0};
    struct model *model;
    struct error err;
    buffer_printf(&text,
                  "MD5Version 10 numFrames %d numJoints %d frameRate 24 numAnimatedComponents 0 hierarchy {",
                  FRAME_COUNT, JOINT_COUNT);
    for (int i = 0; i < JOINT_COUNT; i++)
        buffer_printf(&text, "\"j%d\" %d 0 0 ", i, i - 1);
    buffer_printf(&text, "} baseframe {");
    for (int i = 0; i < JOINT_COUNT; i++)
        buffer_printf(&text, "(0 0 1)(0 0 0)");
    buffer_printf(&text, "}");
    for (int i = 0; i < FRAME_COUNT; i++)
        buffer_printf(&text, "frame %d {}", i);
    assert_int_equal(
        model_load((struct bytes){(const uint8_t *)text.text, strlen(text.text)}, &alone, &model, &err), -1);
    assert_message(&err, "60000 frames of 200 joints are too many for other models");
    buffer_release(&text);
}
