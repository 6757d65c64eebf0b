#include <math.h>

#include "json_expect.h"
#include "page/metadata.h"
#include "sheet_of_two.h"
#include "test.h"

static json_t *parse(const struct atlas *atlas)
{
    struct blob json;
    struct error err = {""};
    if (metadata_save(METADATA_ASEPRITE_HASH, atlas, &json, &err) < 0)
        fail_msg("%s", err.text);
    return json_of(json);
}

/* As KAPLAY wants them, and with names by which Phaser finds them. */
TEST(the_array_has_the_same_frames)
{
    const struct atlas atlas = sheet_of_two(0);
    struct blob blob;
    struct error err;
    assert_int_equal(metadata_save(METADATA_ASEPRITE, &atlas, &blob, &err), 0);
    json_t *array = json_of(blob), *object = parse(&atlas), *frame;
    assert_int_equal(json_array_size(json_object_get(array, "frames")), 5);
    size_t i;
    json_array_foreach(json_object_get(array, "frames"), i, frame)
    {
        char name[8];
        snprintf(name, sizeof name, "%zu", i);
        assert_string_equal(json_string_value(json_object_get(frame, "filename")), name);
        json_object_del(frame, "filename");
        assert_true(json_equal(frame, json_object_get(json_object_get(object, "frames"), name)));
    }
    assert_true(json_equal(json_object_get(array, "meta"), json_object_get(object, "meta")));
    expect(array, "meta>app", "\"https://www.aseprite.org/\"");
    json_decref(array);
    json_decref(object);
}

static void expect_of(struct atlas atlas, const char *path, const char *expected)
{
    json_t *root = parse(&atlas);
    expect(root, path, expected);
    json_decref(root);
}

/* Readers in languages whose objects keep no order see them so in the file, too. */
TEST(file_has_frames_in_their_order)
{
    struct atlas_frame frames[12];
    for (size_t i = 0; i < 12; i++)
        frames[i] = two_frames[0];
    const struct atlas_clip animation = {.name = "a/b", .animation = "a", .camera = "b", .frame_count = 12};
    struct atlas atlas = sheet_of_two(0);
    atlas.frames = frames;
    atlas.frame_count = 12;
    atlas.clips = &animation;
    atlas.clip_count = 1;
    json_t *root = parse(&atlas);
    const char *name;
    json_t *frame;
    int expected = 0;
    json_object_foreach(json_object_get(root, "frames"), name, frame)
        assert_int_equal(strtol(name, NULL, 10), expected++);
    json_decref(root);
}

static void expect_failure(double pivot, double duration_ms)
{
    struct atlas_frame frame = two_frames[0];
    frame.pivot[1] = pivot;
    frame.duration_ms = duration_ms;
    const struct atlas_clip animation = {.name = "a/b", .animation = "a", .camera = "b", .frame_count = 1};
    struct atlas atlas = sheet_of_two(0);
    atlas.frames = &frame;
    atlas.frame_count = atlas.clip_count = 1;
    atlas.clips = &animation;
    struct blob json;
    struct error err = {""};
    assert_int_equal(metadata_save(METADATA_ASEPRITE, &atlas, &json, &err), -1);
    assert_non_null(strstr(err.text, "not finite"));
}

TEST(the_description_says_what_aseprite_needs)
{
    fact("frames are numbered in the order of the page");
    expect_of(sheet_of_two(0), "frames>0>frame", "{\"h\":32,\"w\":64,\"x\":1,\"y\":2}");
    expect_of(sheet_of_two(0), "frames>1>frame", "{\"h\":32,\"w\":64,\"x\":0,\"y\":34}");
    expect_of(sheet_of_two(0), "frames>4>frame", "{\"h\":32,\"w\":64,\"x\":1,\"y\":2}");
    expect_of(sheet_of_two(0), "frames>5", "(none)");
    expect_of(sheet_of_two(1), "frames>0>frame", "{\"h\":11,\"w\":10,\"x\":6,\"y\":2}");
    expect_of(sheet_of_two(1), "frames>1", "(none)");
    fact("trimmed frames say so");
    expect_of(sheet_of_two(0), "frames>0>trimmed", "false");
    expect_of(sheet_of_two(1), "frames>0>trimmed", "true");
    expect_of(sheet_of_two(1), "frames>0>spriteSourceSize", "{\"h\":11,\"w\":10,\"x\":20,\"y\":12}");
    expect_of(sheet_of_two(1), "frames>0>sourceSize", "{\"h\":32,\"w\":64}");
    expect_of(sheet_of_two(1), "frames>0>rotated", "false");
    expect_of(sheet_of_two(1), "frames>0>anchor", "{\"x\":-0.25,\"y\":1}");
    fact("durations are whole and add up");
    expect_of(sheet_of_two(0), "frames>0>duration", "83"); /* 83.33, 166.67, 250 */
    expect_of(sheet_of_two(1), "frames>0>duration", "84");
    expect_of(sheet_of_two(0), "frames>1>duration", "83");
    expect_of(sheet_of_two(0), "frames>3>duration", "250");
    fact("stills last a moment");
    expect_of(sheet_of_two(0), "frames>4>duration", "100");
    fact("tags are the animations of the page");
    expect_of(sheet_of_two(0), "meta>frameTags",
              "[{\"direction\":\"forward\",\"from\":0,\"name\":\"walk/hero\",\"to\":1},"
              "{\"direction\":\"forward\",\"from\":2,\"name\":\"hit/hero\",\"repeat\":\"1\",\"to\":3},"
              "{\"direction\":\"forward\",\"from\":4,\"name\":\"still/hero\",\"to\":4}]");
    expect_of(sheet_of_two(1), "meta>frameTags",
              "[{\"direction\":\"forward\",\"from\":0,\"name\":\"walk/hero\",\"to\":0}]");
    fact("meta names the picture");
    expect_of(sheet_of_two(1), "meta>image", "\"orc-1.png\"");
    expect_of(sheet_of_two(1), "meta>size", "{\"h\":32,\"w\":64}");
    expect_of(sheet_of_two(1), "meta>scale", "\"1\"");
    expect_of(sheet_of_two(1), "meta>app", "\"https://www.aseprite.org/\"");
    fact("numbers that are not finite fail");
    expect_failure(NAN, 100);
    expect_failure(0, INFINITY);
    expect_failure(0, NAN);
}
