#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models.h"
#include "test.h"

/* tests/fixtures/crane is the arm of tests/fixtures/arm as an IQM: two boxes, the elbow between them. crane.iqm has the
 * anims `bend`, a loop, and `grow`, which makes the lower box three times as long along x; swing.iqm has an anim alone.
 * Where the parts of crane.iqm begin: */
enum {
    AT_VERSION = 16,
    AT_NUM_TEXT = 28,
    AT_NUM_MESHES = 36,
    AT_NUM_VERTEXES = 48,
    AT_NUM_TRIANGLES = 56,
    AT_NUM_JOINTS = 68,
    AT_NUM_POSES = 76,
    AT_NUM_ANIMS = 84,
    AT_NUM_FRAMES = 92,
    AT_OFS_FRAMES = 100,
};

#define CRANE "tests/fixtures/crane/crane.iqm"
#define SWING "tests/fixtures/crane/swing.iqm"
#define ARM "tests/fixtures/arm/"

static uint32_t word(const struct blob *blob, size_t at)
{
    return (uint32_t)(blob->data[at] | blob->data[at + 1] << 8 | blob->data[at + 2] << 16 |
                      (uint32_t)blob->data[at + 3] << 24);
}

static struct model *load(const struct blob *blob)
{
    struct model *model;
    struct error err;
    if (model_load(blob_bytes(blob), NULL, &model, &err) < 0)
        fail_msg("%s", err.text);
    return model;
}

static struct model *load_file(const char *path)
{
    struct blob blob = read_file(path);
    struct model *model = load(&blob);
    blob_release(&blob);
    return model;
}

static void add_file(struct model *model, const char *name, const char *path)
{
    struct blob blob = read_file(path);
    struct error err;
    if (model_add_animation(model, name, blob_bytes(&blob), &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&blob);
}

static void pose_clip(const struct model *model, const char *name, double time_s, struct mesh *mesh)
{
    const struct clip *clip = model_find_clip(model, name);
    struct error err;
    assert_non_null(clip);
    assert_int_equal(mesh_init(mesh, model, &err), 0);
    model_pose(model, &(struct pose){(int32_t)clip->animation, clip_moment(clip, time_s, true), 0}, mesh);
}

/* The same triangles of both models at the same places, but for the rounding of frames to 16 bits. */
static void expect_same(const struct model *a, const char *clip_a, const struct model *b, const char *clip_b,
                        double time_s)
{
    struct mesh mesh_a, mesh_b;
    pose_clip(a, clip_a, time_s, &mesh_a);
    pose_clip(b, clip_b, time_s, &mesh_b);
    assert_int_equal(a->index_count, b->index_count);
    for (uint32_t i = 0; i < a->index_count; i++) {
        const float *p = mesh_a.positions[a->vertex_points[a->indices[i]]];
        const float *q = mesh_b.positions[b->vertex_points[b->indices[i]]];
        const float *s = a->uvs[a->indices[i]], *t = b->uvs[b->indices[i]];
        for (int k = 0; k < 3; k++)
            assert_float_equal(p[k], q[k], 2e-4);
        for (int k = 0; k < 2; k++)
            assert_float_equal(s[k], t[k], 0);
    }
    mesh_release(&mesh_a);
    mesh_release(&mesh_b);
}

/* -- What is read ------------------------------------------------------------------------------------------ */

TEST(the_crane_moves_as_the_arm_does)
{
    struct model *crane = load_file(CRANE), *arm = load_file(ARM "arm.md5mesh");
    add_file(arm, "bend", ARM "bend.md5anim");
    add_file(arm, "swing", ARM "swing.md5anim");
    add_file(crane, "swing", SWING);
    for (int i = -8; i < 16; i++) {
        expect_same(crane, "bend", arm, "bend", i * 0.07);
        expect_same(crane, "swing", arm, "swing", i * 0.07);
    }
    model_free(crane);
    model_free(arm);
}

TEST(joints_may_be_scaled)
{
    struct model *crane = load_file(CRANE);
    const double widths[] = {1, 2, 3};
    for (int frame = 0; frame < 3; frame++) {
        struct mesh mesh;
        float most = 0;
        pose_clip(crane, "grow", frame / 4., &mesh);
        for (uint32_t i = 0; i < mesh.point_count; i++)
            most = fmaxf(most, mesh.positions[i][0]);
        assert_float_equal(most, widths[frame], 1e-4);
        mesh_release(&mesh);
    }
    model_free(crane);
}

TEST(names_materials_and_clips_are_those_of_the_file)
{
    struct model *crane = load_file(CRANE);
    assert_int_equal(crane->surface_count, 2);
    assert_string_equal(crane->surfaces[0].name, "upper");
    assert_string_equal(crane->surfaces[0].material.name, "game/sleeve.tga");
    assert_string_equal(crane->surfaces[1].material.name, "lower"); /* it has none */
    assert_string_equal(crane->joints[1].name, "elbow");
    assert_int_equal(crane->joints[1].parent, 0);
    assert_int_equal(crane->clip_count, 2);
    assert_string_equal(crane->clips[1].name, "grow");
    assert_float_equal(crane->clips[1].rate_hz, 4, 0);
    assert_int_equal(crane->clips[1].frame_count, 3);
    model_free(crane);
}

/* Exporters that know nothing of loops set no flag at all. */
TEST(clips_play_once_where_others_have_the_flag_of_loops)
{
    struct blob blob = read_file(CRANE);
    struct model *crane = load(&blob);
    assert_false(clip_plays_once(&crane->clips[0]));
    assert_true(clip_plays_once(&crane->clips[1]));
    model_free(crane);
    blob_put(&blob, word(&blob, AT_NUM_ANIMS + 4) + 16, 0, 4);
    crane = load(&blob);
    assert_false(clip_plays_once(&crane->clips[1]));
    model_free(crane);
    blob_release(&blob);
}

/* Writes an array of a type anew at the end of the file, in another format, with `size` numbers of each vertex. */
static void reformat(struct blob *blob, uint32_t type, uint32_t format, uint32_t size,
                     size_t (*put)(double value, uint8_t *out))
{
    size_t entry = word(blob, AT_NUM_VERTEXES + 4);
    while (word(blob, entry) != type)
        entry += 20;
    uint32_t count = word(blob, AT_NUM_VERTEXES), old = word(blob, entry + 16), old_size = word(blob, entry + 12);
    bool is_float = word(blob, entry + 8) == 7;
    uint8_t *data = realloc(blob->data, blob->size + (size_t)count * size * 8);
    assert_non_null(data);
    blob->data = data;
    blob_put(blob, entry + 8, format, 4);
    blob_put(blob, entry + 12, size, 4);
    blob_put(blob, entry + 16, (uint32_t)blob->size, 4);
    for (uint32_t i = 0; i < count * size; i++) {
        uint32_t at = old + (i / size * old_size + i % size) * (is_float ? 4 : 1), bits;
        float value = blob->data[at];
        if (is_float) {
            bits = word(blob, at);
            memcpy(&value, &bits, sizeof value);
        }
        blob->size += put((double)value, blob->data + blob->size);
    }
}

static size_t put_double(double value, uint8_t *out)
{
    memcpy(out, &value, sizeof value); /* the machines of the tests are little-endian */
    return sizeof value;
}

static size_t put_half(double value, uint8_t *out) /* of a power of two, its negative, 3, 6 or 0 */
{
    int exponent;
    double mantissa = frexp(fabs(value), &exponent);
    uint16_t half = value == 0 ? 0 : (uint16_t)((exponent + 14) << 10 | (int)((mantissa * 2 - 1) * 1024));
    half |= value < 0 ? 0x8000 : 0;
    memcpy(out, &half, sizeof half);
    return sizeof half;
}

static size_t put_short_part(double value, uint8_t *out)
{
    int16_t part = (int16_t)lround(value * 32767);
    memcpy(out, &part, sizeof part);
    return sizeof part;
}

static size_t put_byte_part(double value, uint8_t *out)
{
    *out = (uint8_t)(int8_t)lround(value * 127);
    return 1;
}

static size_t put_ushort_weight(double value, uint8_t *out)
{
    uint16_t part = (uint16_t)(value * 257);
    memcpy(out, &part, sizeof part);
    return sizeof part;
}

static size_t put_int(double value, uint8_t *out)
{
    int32_t whole = (int32_t)value;
    memcpy(out, &whole, sizeof whole);
    return sizeof whole;
}

TEST(vertex_arrays_may_have_any_format)
{
    enum {
        POSITIONS,
        UVS,
        NORMALS,
        INDICES = 4,
        WEIGHTS,
        HALF = 6,
        DOUBLE = 8,
        SHORT = 2,
        BYTE = 0,
        USHORT = 3,
        INT
    };
    struct blob blob = read_file(CRANE);
    struct model *before = load(&blob);
    reformat(&blob, POSITIONS, HALF, 3, put_half);
    reformat(&blob, UVS, SHORT, 2, put_short_part);
    reformat(&blob, NORMALS, BYTE, 3, put_byte_part);
    reformat(&blob, INDICES, INT, 4, put_int);
    reformat(&blob, WEIGHTS, USHORT, 2, put_ushort_weight);
    struct model *after = load(&blob);
    for (int i = 0; i < 8; i++)
        expect_same(before, "bend", after, "bend", i * 0.07);
    model_free(after);
    blob_release(&blob);
    blob = read_file(CRANE);
    reformat(&blob, POSITIONS, DOUBLE, 3, put_double);
    after = load(&blob);
    expect_same(before, "grow", after, "grow", 0.3);
    model_free(after);
    model_free(before);
    blob_release(&blob);
}

TEST(vertices_without_weights_hang_on_their_first_joint)
{
    struct blob blob = read_file(CRANE);
    struct model *before = load(&blob);
    size_t entry = word(&blob, AT_NUM_VERTEXES + 4) + 4 * 20;
    memset(blob.data + word(&blob, entry + 16), 0, (size_t)4 * word(&blob, AT_NUM_VERTEXES));
    struct model *after = load(&blob);
    expect_same(before, "bend", after, "bend", 0.4);
    model_free(before);
    model_free(after);
    blob_release(&blob);
}

TEST(models_may_have_no_joints)
{
    struct blob blob = read_file(CRANE);
    blob_put(&blob, AT_NUM_JOINTS, 0, 4);
    struct model *model = load(&blob);
    assert_int_equal(model->clip_count, 0);
    assert_true(strings_has(&model->oddities, "there are animations, but no joints for them"));
    model_free(model);
    blob_release(&blob);
}

/* -- What is refused --------------------------------------------------------------------------------------- */

static void expect_broken_word(size_t at, uint32_t value, const char *message)
{
    struct blob blob = read_file(CRANE);
    blob_put(&blob, at, value, 4);
    expect_no_model(blob_bytes(&blob), message);
    blob_release(&blob);
}

TEST(counts_and_offsets_are_checked)
{
    struct blob blob = read_file(CRANE);
    expect_broken_word(AT_VERSION, 1, "version 1, only 2 is known");
    expect_broken_word(AT_NUM_MESHES, 0, "this is an IQM animation for 2 joints, not a model");
    expect_broken_word(AT_NUM_MESHES, 5000, "5000 meshes (at most 4096)");
    expect_broken_word(AT_NUM_TRIANGLES, 100000,
                       "100000 triangles of 12 bytes at offset 968 run past the end of the file (1598 bytes)");
    expect_broken_word(AT_NUM_VERTEXES, 2000000, "2000000 vertices (at most 1048576)");
    expect_broken_word(AT_NUM_VERTEXES, 15, "triangle 14 names vertex 15 of 15");
    expect_broken_word(AT_NUM_JOINTS, 1, "vertex 8 hangs on joint 1 of 1");
    expect_broken_word(AT_NUM_POSES, 1, "1 poses for 2 joints");
    expect_broken_word(AT_NUM_FRAMES, 4, "anim 1 has 3 frames from frame 2 of 4");
    expect_broken_word(AT_NUM_FRAMES + 4, 2, "the poses need more channels than frames have, 2");
    expect_broken_word(AT_NUM_TEXT, 3, "the name of joint 0 is at byte 29 of the text, which has 3");
    expect_broken_word(word(&blob, AT_NUM_JOINTS + 4) + 48 + 4, 1,
                       "joint 1 has parent 1, allowed are -1 and the joints before it");
    expect_broken_word(word(&blob, AT_NUM_POSES + 4) + 88, 1, "pose 1 has parent 1, its joint has 0");
    expect_broken_word(word(&blob, AT_NUM_VERTEXES + 4) + 8, 9,
                       "positions are 3 numbers of format 9 each, which is not one of theirs");
    expect_broken_word(word(&blob, AT_NUM_VERTEXES + 4) + 16, 1500,
                       "positions at byte 1500 run past the end of the file, at byte 1598");
    expect_broken_word(word(&blob, AT_NUM_VERTEXES + 4), 6, "the vertices have no positions");
    expect_broken_word(word(&blob, AT_NUM_MESHES + 4) + 20, 25, "mesh 0 has triangles 0 to 25 of 24");
    expect_broken_word(word(&blob, word(&blob, AT_NUM_VERTEXES + 4) + 16), 0x7fc00000,
                       "vertex 0 has nan among its positions, at most 1e+09 is allowed");
    blob_release(&blob);
}

TEST(every_truncation_fails)
{
    struct blob crane = read_file(CRANE), swing = read_file(SWING);
    struct model *model = load(&crane);
    struct error err;
    expect_no_cut_loads(blob_bytes(&crane), 0);
    for (size_t size = 0; size < swing.size; size++) {
        struct bytes cut = exact_copy(swing.data, size);
        assert_true(model_add_animation(model, "swing", cut, &err) < 0);
        free((void *)cut.data);
    }
    assert_int_equal(model->clip_count, 2);
    model_free(model);
    blob_release(&crane);
    blob_release(&swing);
}

TEST(animations_of_other_joints_do_not_fit)
{
    struct blob swing = read_file(SWING), crane = read_file(CRANE);
    struct model *model = load(&crane);
    struct error err;
    blob_put(&swing, AT_NUM_POSES, 1, 4);
    assert_int_equal(model_add_animation(model, "swing", blob_bytes(&swing), &err), MODEL_OTHER_SKELETON);
    assert_string_equal(err.text, "an animation of 1 joints, the model has 2");
    blob_put(&crane, AT_NUM_ANIMS, 0, 4);
    assert_int_equal(model_add_animation(model, "crane", blob_bytes(&crane), &err), MODEL_OTHER_SKELETON);
    assert_string_equal(err.text, "the file has no animation");
    model_free(model);
    blob_release(&swing);
    blob_release(&crane);
}

/* Small in the file, as joints that stay need no numbers. */
TEST(many_anims_of_many_joints_are_refused_and_not_kept)
{
    enum { JOINTS = 4096, ANIMS = 1024, AT_TEXT = 124, AT_JOINTS = 128 };
    const uint32_t at_poses = AT_JOINTS + JOINTS * 48, at_anims = at_poses + JOINTS * 88;
    struct blob blob = {calloc(at_anims + ANIMS * 20, 1), at_anims + ANIMS * 20};
    struct model *model;
    struct error err;
    const uint32_t header[27] = {
        2,      (uint32_t)blob.size, 0,      1,        AT_TEXT, 0,        0, 0, 0,      0, 0, 0, 0,
        JOINTS, AT_JOINTS,           JOINTS, at_poses, ANIMS,   at_anims, 1, 0, AT_TEXT};
    assert_non_null(blob.data);
    memcpy(blob.data, "INTERQUAKEMODEL", 16);
    for (size_t i = 0; i < 27; i++)
        blob_put(&blob, AT_VERSION + 4 * i, header[i], 4);
    for (size_t i = 0; i < JOINTS; i++) {
        blob_put(&blob, AT_JOINTS + i * 48 + 4, UINT32_MAX, 4);
        blob_put(&blob, at_poses + i * 88, UINT32_MAX, 4);
    }
    for (size_t i = 0; i < ANIMS; i++)
        blob_put(&blob, at_anims + i * 20 + 8, 1, 4);
    const struct model_options alone = {.takes_clips_alone = true};
    assert_int_equal(model_load(blob_bytes(&blob), &alone, &model, &err), -1);
    assert_string_equal(err.text, "anim 85: 1024 anims of 4096 joints are too many");
    blob_release(&blob);
}

TEST(rates_and_numbers_are_checked)
{
    struct blob blob = read_file(CRANE);
    size_t rate = word(&blob, AT_NUM_ANIMS + 4) + 12, joint = word(&blob, AT_NUM_JOINTS + 4) + 8;
    blob_put_float(&blob, rate, 0);
    struct model *model = load(&blob);
    assert_float_equal(model->clips[0].rate_hz, 10, 0);
    model_free(model);
    blob_put_float(&blob, rate, NAN);
    expect_no_model(blob_bytes(&blob), "anim 0 has nan frames per second, at most 10000 are allowed");
    blob_put_float(&blob, rate, 24);
    blob_put_float(&blob, joint, 1e10f);
    expect_no_model(blob_bytes(&blob), "joint 0 has the number 1e+10, at most 1e+09 is allowed");
    blob_release(&blob);
}
