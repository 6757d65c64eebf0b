#include <math.h>

#include "base/memory.h"
#include "page/metadata.h"
#include "sheet_of_two.h"
#include "test.h"

static char *save(const struct atlas *atlas)
{
    struct blob blob;
    struct error err = {""};
    if (metadata_save(METADATA_GODOT, atlas, &blob, &err) < 0)
        fail_msg("%s", err.text);
    assert_null(memchr(blob.data, '\0', blob.size));
    char *text = must_printf("%.*s", (int)blob.size, (const char *)blob.data);
    blob_release(&blob);
    return text;
}

static void expect_part(struct atlas atlas, const char *part)
{
    char *text = save(&atlas);
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
    free(text);
}

TEST(resource_begins_with_its_pages)
{
    struct atlas atlas = sheet_of_two(0);
    char *text = save(&atlas);
    const char *head = "[gd_resource type=\"SpriteFrames\" format=3]\n\n"
                       "[ext_resource type=\"Texture2D\" path=\"orc.png\" id=\"0\"]\n"
                       "[ext_resource type=\"Texture2D\" path=\"orc-1.png\" id=\"1\"]\n\n"
                       "[sub_resource type=\"AtlasTexture\" id=\"0\"]\n";
    assert_memory_equal(text, head, strlen(head));
    free(text);
}

TEST(resources_are_written)
{
    fact("whole frame has no margin");
    expect_part(sheet_of_two(0), "id=\"0\"]\natlas = ExtResource(\"0\")\nregion = Rect2(1, 2, 64, 32)\n"
                                 "filter_clip = true\nmetadata/pivot = Vector2(32, 24)\n\n");
    fact("trimmed frame has the rest of the cell as margin");
    expect_part(sheet_of_two(0), "id=\"1\"]\natlas = ExtResource(\"1\")\nregion = Rect2(6, 2, 10, 11)\n"
                                 "margin = Rect2(20, 12, 54, 21)\nfilter_clip = true\n"
                                 "metadata/pivot = Vector2(-16, 32)\n\n");
    fact("animation spans pages");
    expect_part(sheet_of_two(0), "animations = [{\n\"frames\": [{\n\"duration\": 1,\n\"texture\": "
                                 "SubResource(\"0\")\n}, {\n\"duration\": 1,\n\"texture\": SubResource(\"1\")\n}, "
                                 "{\n\"duration\": 1,\n\"texture\": SubResource(\"2\")\n}],\n\"loop\": true,\n"
                                 "\"name\": &\"walk/hero\",\n\"speed\": 12\n}, {\n");
    fact("durations are in frames of the first ones length");
    expect_part(sheet_of_two(0),
                "[{\n\"duration\": 1,\n\"texture\": SubResource(\"3\")\n}, {\n\"duration\": 2.5,\n"
                "\"texture\": SubResource(\"4\")\n}],\n\"loop\": false,\n\"name\": &\"hit/hero\",\n"
                "\"speed\": 10\n}");
    fact("stills have the default speed");
    expect_part(sheet_of_two(0), "[{\n\"duration\": 1,\n\"texture\": SubResource(\"5\")\n}],\n\"loop\": true,\n"
                                 "\"name\": &\"still/hero\",\n\"speed\": 5\n}]\n");
}

TEST(names_are_escaped)
{
    const struct atlas_clip animation = {.name = "a\"b\\c", .animation = "a", .camera = "b", .frame_count = 1};
    struct atlas atlas = sheet_of_two(0);
    atlas.clips = &animation;
    atlas.clip_count = 1;
    expect_part(atlas, "\"name\": &\"a\\\"b\\\\c\",");
}

TEST(numbers_that_are_not_finite_fail)
{
    struct atlas_frame frame = two_frames[0];
    frame.pivot[0] = NAN;
    const struct atlas_clip animation = {.name = "a/b", .animation = "a", .camera = "b", .frame_count = 1};
    struct atlas atlas = sheet_of_two(0);
    atlas.clips = &animation;
    atlas.clip_count = 1;
    atlas.frames = &frame;
    atlas.frame_count = 1;
    struct blob blob;
    struct error err = {""};
    assert_int_equal(metadata_save(METADATA_GODOT, &atlas, &blob, &err), -1);
    assert_string_equal(err.text, "metadata 'godot': a number of a frame is not finite");
}
