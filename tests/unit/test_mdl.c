#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "idtech/md2.h"
#include "models.h"

/* tests/fixtures/crystal/crystal.mdl: an octahedron of 6 vertices and 8 triangles with a skin of 8x4 pixels, red to the
 * left and blue to the right, a second skin of two pictures, two single frames, and a group of three that ends at 0.1,
 * 0.2 and 0.5 s. Where its parts begin: */
enum {
    AT_SCALE = 8,
    AT_NUM_SKINS = 48,
    AT_NUM_VERTS = 60,
    AT_NUM_TRIS = 64,
    AT_NUM_FRAMES = 68,
    AT_SKIN_GROUP = 84 + 4 + 32,
    AT_ST = 200,
    AT_TRIANGLES = 272,
    AT_FRAMES = 400,
    AT_TIMES = 400 + 2 * (4 + 24 + 6 * 4) + 8 + 8,
    SIZE = 676,
};

static uint8_t crystal[SIZE];

static int read_crystal(void **state)
{
    (void)state;
    FILE *file = fopen("tests/fixtures/crystal/crystal.mdl", "rb");
    assert_non_null(file);
    assert_int_equal(fread(crystal, 1, SIZE, file), SIZE);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    return 0;
}

static struct model *must_load(const uint8_t *data, size_t size, const char *path)
{
    struct model *model;
    struct error err;
    struct model_options options = {.path = path};
    if (model_load((struct bytes){data, size}, &options, &model, &err) < 0)
        fail_msg("%s", err.text);
    return model;
}

static void expect_broken_word(size_t at, uint32_t value, const char *message)
{
    uint8_t broken[SIZE];
    memcpy(broken, crystal, SIZE);
    blob_put(&(struct blob){broken, SIZE}, at, value, 4);
    expect_no_model((struct bytes){broken, SIZE}, message);
}

/* -- What is read ------------------------------------------------------------------------------------------ */

TEST(skins_have_names_in_their_model)
{
    struct model *model = must_load(crystal, SIZE, "progs/crystal.mdl");
    assert_int_equal(model->skin_count, 3);
    assert_string_equal(model->skins[0], "progs/crystal.mdl:skin0");
    assert_string_equal(model->skins[1], "progs/crystal.mdl:skin1_0");
    assert_string_equal(model->skins[2], "progs/crystal.mdl:skin1_1");
    assert_string_equal(model->oddities.items[0], "skin 1 is a moving picture of 2");
    model_free(model);
}

TEST(a_skin_is_a_picture_in_the_colours_of_the_palette)
{
    const struct file_opener *opener = mdl_format.pictures;
    struct container file = {.path = "crystal.mdl", .bytes = {crystal, SIZE}};
    struct blob tga;
    struct error err;
    assert_int_equal(opener->open(&file, &err), 0);
    if (opener->read(&file, "skin0", &tga, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(tga.size, 18 + 8 * 4 * 3);
    assert_memory_equal(tga.data + 18, ((uint8_t[]){0, 0, 255}), 3);         /* 251: red, as blue, green, red */
    assert_memory_equal(tga.data + 18 + 7 * 3, ((uint8_t[]){255, 0, 0}), 3); /* 208: blue */
    blob_release(&tga);
    assert_int_equal(opener->read(&file, "skin2", &tga, &err), -1);
    assert_string_equal(err.text, "no skin 'skin2'");
    opener->close(file.opened);
}

/* The texel's middle; half a skin further right where a triangle of the back has a point on the seam. */
TEST(the_back_takes_the_right_half_of_the_skin)
{
    struct model *model = must_load(crystal, SIZE, NULL);
    assert_int_equal(model->vertex_count, 12);
    const float *front = model->uvs[4], *back = model->uvs[4 + 6], *free_front = model->uvs[5];
    assert_float_equal(front[0], 2.5 / 8, 1e-6);
    assert_float_equal(back[0], 6.5 / 8, 1e-6);
    assert_float_equal(front[1], 1.5 / 4, 1e-6);
    assert_float_equal(free_front[0], 6.5 / 8, 1e-6); /* it is not on the seam */
    assert_float_equal(model->uvs[5 + 6][0], 6.5 / 8, 1e-6);
    for (uint32_t i = 0; i < 4 * 3; i++)
        assert_true(model->indices[i] < 6);
    for (uint32_t i = 4 * 3; i < 8 * 3; i++)
        assert_true(model->indices[i] >= 6);
    model_free(model);
}

TEST(frames_and_groups_are_clips_and_groups_keep_their_times)
{
    struct model *model = must_load(crystal, SIZE, NULL);
    assert_int_equal(model->animations[0].frame_count, 5);
    assert_int_equal(model->clip_count, 2);
    const struct clip *spin = &model->clips[0], *burn = &model->clips[1];
    assert_string_equal(spin->name, "spin");
    assert_int_equal(spin->frame_count, 2);
    assert_float_equal(spin->rate_hz, 10, 0);
    assert_string_equal(burn->name, "burn");
    assert_int_equal(burn->first_frame, 2);
    assert_float_equal(clip_keyframe_s(burn, 1), 0.1, 1e-7);
    assert_float_equal(clip_keyframe_s(burn, 2), 0.2, 1e-7);
    assert_float_equal(clip_duration_s(burn, true), 0.5, 1e-7);
    struct moment moment = clip_moment(burn, 0.35, true);
    assert_int_equal(moment.frame_a, 4);
    assert_int_equal(moment.frame_b, 2);
    assert_float_equal(moment.blend, 0.5, 1e-6);
    model_free(model);
}

/* 0.1, 0.1 and 0.5 s. */
TEST(a_frame_that_ends_as_it_begins_is_never_shown)
{
    uint8_t held[SIZE];
    memcpy(held, crystal, SIZE);
    memcpy(held + AT_TIMES + 4, held + AT_TIMES, 4);
    memcpy(held + AT_SKIN_GROUP + 8 + 4, held + AT_SKIN_GROUP + 8, 4);
    struct model *model = must_load(held, SIZE, NULL);
    const struct clip *burn = &model->clips[1];
    assert_int_equal(burn->frame_count, 3);
    struct moment moment = clip_moment(burn, 0.05, true);
    assert_int_equal(moment.frame_a, 2);
    assert_int_equal(moment.frame_b, 4);
    assert_int_equal(clip_moment(burn, 0.1, true).frame_a, 4);
    model_free(model);
    fact("but a group lasts some time");
    memset(held + AT_TIMES, 0, 3 * 4);
    expect_no_model((struct bytes){held, SIZE}, "frame 2: a group that lasts 0 s (at least 0.001)");
}

TEST(poses_are_scaled_bytes_blended)
{
    struct model *model = must_load(crystal, SIZE, NULL);
    struct mesh mesh;
    struct error err;
    assert_int_equal(mesh_init(&mesh, model, &err), 0);
    model_pose(model, &(struct pose){.moment = {.frame_a = 0, .frame_b = 1, .blend = 0.5}}, &mesh);
    /* The first vertex: 255 and 191 of 1/8 each, less 16. */
    assert_float_equal(mesh.positions[0][0], (255 + 191) / 2.0 / 8 - 16, 1e-5);
    assert_float_equal(mesh.normals[0][0], md2_normals[52][0], 1e-6);
    mesh_release(&mesh);
    model_free(model);
}

/* -- What is refused --------------------------------------------------------------------------------------- */

TEST(every_truncation_is_an_error)
{
    expect_no_cut_loads((struct bytes){crystal, SIZE}, 4);
}

TEST(what_is_broken_is_said_with_its_place)
{
    expect_no_model((struct bytes){crystal, 80}, "80 bytes are too few for the header of 84");
    expect_broken_word(4, 7, "MDL version 7 (only 6, that of Quake, is supported)");
    expect_broken_word(AT_SCALE, 0x7f800000,
                       "scale inf and translate -16 give no usable coordinates (up to 1e+08)");
    expect_broken_word(AT_NUM_SKINS, 257, "257 skins (at most 256)");
    expect_broken_word(AT_NUM_VERTS, 0, "0 vertices (1 to 65536 are allowed)");
    expect_broken_word(
        AT_NUM_VERTS, 60000,
        "60000 texture coordinates of 12 bytes at offset 200 run past the end of the file (676 bytes)");
    expect_broken_word(AT_NUM_TRIS, 0, "0 triangles (1 to 1048576 are allowed)");
    expect_broken_word(AT_NUM_TRIS, 100000,
                       "100000 triangles of 16 bytes at offset 272 run past the end of the file (676 bytes)");
    expect_broken_word(AT_NUM_FRAMES, 65537, "65537 frames (1 to 65536 are allowed)");
    expect_broken_word(AT_SKIN_GROUP + 4, 0, "skin 1: a group of 0, in 548 bytes");
    expect_broken_word(AT_SKIN_GROUP + 4, 0x40000000, "skin 1: a group of 1073741824, in 548 bytes");
    expect_broken_word(AT_TRIANGLES + 4, 6, "triangle 0 names vertex 6 of 6");
    expect_broken_word(AT_TIMES + 4, 0, "frame 2: its time 1 is 0 s (0.1 to 1e+06 are allowed)");
    expect_broken_word(AT_TIMES, 0x7fc00000, "frame 2: its time 0 is nan s (0 to 1e+06 are allowed)");
}

/* Frames in groups of one, whose names are all the same. */
TEST(there_are_no_more_clips_than_can_be_compared)
{
    enum { GROUP_SIZE = 4 + 4 + 8 + 4 + 8 + 16 + 6 * 4, MOST = 1024 };
    const float end_s = 0.1f;
    const size_t size = AT_FRAMES + (MOST + 1) * GROUP_SIZE;
    uint8_t *many = calloc(1, size);
    memcpy(many, crystal, AT_FRAMES);
    for (size_t i = 0, at = AT_FRAMES; i <= MOST; i++, at += GROUP_SIZE) {
        many[at] = many[at + 4] = 1;
        memcpy(many + at + 16, &end_s, sizeof end_s);
    }
    memcpy(many + AT_NUM_FRAMES, &(uint32_t){MOST + 1}, 4);
    expect_no_model((struct bytes){many, size}, "more than 1024 clips up to frame 1024");
    memcpy(many + AT_NUM_FRAMES, &(uint32_t){MOST}, 4);
    struct model *model = must_load(many, size, NULL);
    assert_int_equal(model->clip_count, MOST);
    model_free(model);
    free(many);
}

TEST_GROUP(read_crystal, NULL)
