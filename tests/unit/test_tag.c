#include "tag_builder.h"

#include <cglm/mat4.h>
#include <math.h>

#include "idtech/md2.h"
#include "test.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

static struct arena arena; /* of the tags that a test loads */

static struct tags must_load(struct blob blob)
{
    struct tags tags;
    struct error err;
    if (md2_load_tags(blob_bytes(&blob), &arena, &tags, &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&blob);
    return tags;
}

static void expect_failure(struct blob blob, const char *message)
{
    struct tags tags;
    struct error err = {""};
    assert_int_equal(md2_load_tags(blob_bytes(&blob), &arena, &tags, &err), -1);
    assert_string_equal(err.text, message);
    arena_release(&arena);
    blob_release(&blob);
}

/* Where a point of the tag's space is in the model's. */
static void expect_point(const struct tags *tags, uint32_t tag, double blend, const vec3 point, const vec3 wanted)
{
    mat4 place;
    vec3 found;
    tag_place(&tags->items[tag], &(struct moment){.frame_a = 0, .frame_b = 1, .blend = blend}, place);
    glm_mat4_mulv3(place, (float *)point, 1, found);
    for (int i = 0; i < 3; i++)
        assert_float_equal(found[i], wanted[i], 1e-5);
}

/* The sample with one number of one frame of its first tag replaced. */
static struct blob sample_with(uint32_t frame, uint32_t number, float value)
{
    struct blob blob = tag_build_sample();
    blob_put_float(&blob, TAG_NAMES_AT + 2 * 64 + 48 * frame + 4 * number, value);
    return blob;
}

static struct blob sample_with_field(uint32_t field, uint32_t value)
{
    struct blob blob = tag_build_sample();
    blob_put(&blob, 4 * field, value, 4);
    return blob;
}

/* Loads what may be broken, and uses all of what could be loaded. */
static void load_anything(struct bytes bytes)
{
    struct tags tags;
    struct error err = {""};
    if (md2_load_tags(bytes, &arena, &tags, &err) < 0) {
        assert_true(err.text[0]);
        arena_release(&arena);
        return;
    }
    for (uint32_t i = 0; i < tags.tag_count; i++) {
        mat4 place;
        tag_place(&tags.items[i], &(struct moment){0, tags.frame_count - 1, 0.5}, place);
        for (int k = 0; k < 16; k++)
            assert_true(isfinite(place[k / 4][k % 4]));
    }
    arena_release(&arena);
}

/* -- Good files -------------------------------------------------------------------------------------------- */

/* About here the sign of the quaternion made from a matrix changes: neighbours may be far apart. */
TEST(blends_take_the_shorter_way)
{
    float frames[2][12] = {{[8] = 1}, {[8] = 1}};
    for (int i = 0; i < 2; i++) {
        float angle = (float)(-(119 + 2 * i) * M_PI / 180);
        frames[i][0] = frames[i][4] = cosf(angle);
        frames[i][1] = sinf(angle);
        frames[i][3] = -sinf(angle);
    }
    static const char *const names[] = {"tag"};
    struct tags tags = must_load(tag_build(&(struct tag_spec){1, 2, names, (const float(*)[12])frames}));
    expect_point(&tags, 0, 0.5, (vec3){1, 0, 0}, (vec3){-0.5f, -0.8660254f, 0});
    arena_release(&arena);
}

TEST(tags_are_read_and_blended)
{
    fact("tags have their names and frames");
    struct tags tags = must_load(tag_build_sample());
    assert_int_equal(tags.tag_count, 2);
    assert_int_equal(tags.frame_count, 2);
    assert_string_equal(tags.items[0].name, "tag_hand");
    assert_string_equal(tags.items[1].name, "tag_head");
    arena_release(&arena);
    fact("a tag has its axes and its place");
    tags = must_load(tag_build_sample());
    expect_point(&tags, 0, 0, (vec3){1, 2, 3}, (vec3){3, 2, 3});
    expect_point(&tags, 1, 0, (vec3){1, 2, 3}, (vec3){1, 2, 12});
    mat4 place;
    tag_place(&tags.items[0], &(struct moment){.frame_a = 1}, place);
    vec3 tip;
    glm_mat4_mulv3(place, (vec3){1, 0, 0}, 1, tip); /* its x is the model's y now */
    assert_float_equal(tip[0], 4, 1e-6);
    assert_float_equal(tip[1], 1, 1e-6);
    arena_release(&arena);
    fact("half way is half of the way and of the turn");
    tags = must_load(tag_build_sample());
    const float half = 0.70710678f;
    expect_point(&tags, 0, 0.5, (vec3){0, 0, 0}, (vec3){3, 0, 0});
    expect_point(&tags, 0, 0.5, (vec3){2, 0, 0}, (vec3){3 + 2 * half, 2 * half, 0});
    expect_point(&tags, 1, 0.5, (vec3){2, 0, 1}, (vec3){2, 0, 10});
    arena_release(&arena);
    fact("axes that are no rotation are made one");
    struct blob blob = sample_with(0, 0, 2.5f);                 /* a longer x */
    blob_put_float(&blob, TAG_NAMES_AT + 2 * 64 + 4 * 3, 0.5f); /* a slanting y */
    tags = must_load(blob);
    expect_point(&tags, 0, 0, (vec3){1, 1, 1}, (vec3){3, 1, 1});
    arena_release(&arena);
    fact("names may fill their field");
    blob = tag_build_sample();
    memset(blob.data + TAG_NAMES_AT, 'x', 64);
    tags = must_load(blob);
    assert_int_equal(strlen(tags.items[0].name), 64);
    arena_release(&arena);
}

/* -- Bad files --------------------------------------------------------------------------------------------- */

TEST(broken_tags_are_rejected)
{
    fact("what is no tag file is rejected");
    expect_failure(sample_with_field(0, 0x32504449), "not a .tag file: it does not start with \"JDP2\"");
    expect_failure(sample_with_field(1, 2), "a .tag file of version 2, only 1 is known");
    expect_failure((struct blob){0}, "0 bytes are too few for the header of a .tag file (32)");
    fact("wrong counts are rejected");
    expect_failure(sample_with_field(TAG_FIELD_NUM_TAGS, 0), "0 tags (1 to 256 are allowed)");
    expect_failure(sample_with_field(TAG_FIELD_NUM_TAGS, 257), "257 tags (1 to 256 are allowed)");
    expect_failure(sample_with_field(TAG_FIELD_NUM_TAGS, 3),
                   "2 frames of tags of 144 bytes at offset 160 run past the end of the file (352 bytes)");
    expect_failure(sample_with_field(TAG_FIELD_NUM_FRAMES, 0), "0 frames of tags (1 to 4294967295 are allowed)");
    expect_failure(sample_with_field(TAG_FIELD_NUM_FRAMES, 3),
                   "3 frames of tags of 96 bytes at offset 160 run past the end of the file (352 bytes)");
    expect_failure(sample_with_field(4, 225),
                   "2 tags of 64 bytes at offset 225 run past the end of the file (352 bytes)");
    expect_failure(sample_with_field(5, 161),
                   "2 frames of tags of 96 bytes at offset 161 run past the end of the file (352 bytes)");
    expect_failure(sample_with_field(6, 353), "the file ends at byte 352, but says 353");
    fact("numbers that are no place are rejected");
    expect_failure(sample_with(1, 9, INFINITY),
                   "tag 'tag_hand', frame 1: inf is not a coordinate (at most 1e+09)");
    expect_failure(sample_with(0, 4, 2e9f), "tag 'tag_hand', frame 0: 2e+09 is not a coordinate (at most 1e+09)");
    expect_failure(sample_with(0, 0, 0), "tag 'tag_hand', frame 0: its axes point nowhere");
    expect_failure(sample_with(0, 4, 0), "tag 'tag_hand', frame 0: its axes point nowhere");
}

TEST(the_file_cut_at_any_length_is_rejected)
{
    struct blob blob = tag_build_sample();
    for (size_t size = 0; size < blob.size; size++) {
        uint8_t *exact = must_alloc(size, 1); /* so that a read past its end is seen */
        memcpy(exact, blob.data, size);
        struct tags tags;
        struct error err = {""};
        assert_int_equal(md2_load_tags((struct bytes){exact, size}, &arena, &tags, &err), -1);
        assert_true(err.text[0]);
        arena_release(&arena);
        free(exact);
    }
    blob_release(&blob);
}

TEST(any_value_of_a_header_field_is_handled)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};
    for (uint32_t field = 0; field < TAG_FIELD_COUNT; field++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            struct blob blob = sample_with_field(field, values[i]);
            load_anything(blob_bytes(&blob));
            blob_release(&blob);
        }
}

TEST(any_number_of_a_frame_is_handled)
{
    static const float values[] = {0, -1, 1e-30f, 1e9f, -1e9f, INFINITY, NAN};
    for (uint32_t number = 0; number < 12; number++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            struct blob blob = sample_with(0, number, values[i]);
            load_anything(blob_bytes(&blob));
            blob_release(&blob);
        }
}
