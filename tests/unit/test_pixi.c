#include <math.h>

#include "base/buffer.h"
#include "json_expect.h"
#include "page/read.h"
#include "page/record.h"
#include "test.h"

/* A sheet of two animations on two pages: "walk" has frames 0-2, "hit" 3-4; the first page ends after 3. */
static const struct atlas_frame frames[] = {
    {.name = "orc/walk/hero/0000",
     .rect = {1, 2, 64, 32},
     .source = {0, 0, 64, 32},
     .source_px = {64, 32},
     .pivot = {0.5, 0.75},
     .duration_ms = 250.0 / 3,
     .time_s = 0},
    {.name = "orc/walk/hero/0001",
     .rect = {66, 2, 10, 11},
     .source = {20, 12, 10, 11},
     .source_px = {64, 32},
     .pivot = {-0.25, 1.0 / 3},
     .duration_ms = 100,
     .time_s = 0.1 + 0.2},
    {.name = "orc/walk/hero/0002",
     .rect = {0, 34, 64, 32},
     .source = {0, 0, 64, 32},
     .source_px = {64, 32},
     .duration_ms = 62.5,
     .time_s = 2},
    {.name = "orc/hit/hero/0000",
     .rect = {64, 34, 64, 32},
     .source = {0, 0, 64, 32},
     .source_px = {64, 32},
     .duration_ms = 100,
     .time_s = 0},
    {.name = "orc/hit/hero/0001",
     .rect = {0, 0, 64, 32},
     .source = {0, 0, 64, 32},
     .source_px = {64, 32},
     .duration_ms = 100,
     .time_s = 0.1},
};

static const struct atlas_clip animations[] = {
    {.name = "walk/hero", .first_frame = 0, .frame_count = 3, .loop = true},
    {.name = "hit/hero", .first_frame = 3, .frame_count = 2},
};

static const struct atlas_camera cameras[] = {
    {.name = "hero", .projection = "perspective", .has_one_scale = true, .scale = {1.28, 3, 4.5}},
};

static const struct atlas_page pages[] = {
    {.image = "orc.png", .json = "orc.json", .width = 128, .height = 66},
    {.image = "orc-1.png", .json = "orc-1.json", .width = 64, .height = 32},
};

static struct atlas whole_sheet(void)
{
    return (struct atlas){
        .pages = pages,
        .page_count = 1,
        .frames = frames,
        .frame_count = 5,
        .clips = animations,
        .clip_count = 2,
        .cameras = cameras,
        .camera_count = 1,
    };
}

/* The last frame is on the second page. */
static struct atlas page_of_two(uint32_t page)
{
    static struct atlas_frame on_two[5];
    struct atlas atlas = whole_sheet();
    memcpy(on_two, frames, sizeof on_two);
    on_two[4].page = 1;
    atlas.frames = on_two;
    atlas.page_count = 2;
    atlas.page = page;
    return atlas;
}

static struct blob save(const struct atlas *atlas)
{
    struct blob json;
    struct error err = {""};
    if (pixi_save(atlas, false, &json, &err) < 0)
        fail_msg("%s", err.text);
    return json;
}

static json_t *parse(const struct atlas *atlas)
{
    return json_of(save(atlas));
}

static void expect_of(struct atlas atlas, const char *path, const char *expected)
{
    json_t *root = parse(&atlas);
    expect(root, path, expected);
    json_decref(root);
}

TEST(the_compact_form_has_what_engines_read)
{
    const struct atlas atlas = whole_sheet();
    struct blob blob;
    struct error err;
    assert_int_equal(pixi_save(&atlas, true, &blob, &err), 0);
    assert_null(memchr(blob.data, ' ', blob.size));
    assert_ptr_equal(memchr(blob.data, '\n', blob.size), blob.data + blob.size - 1);
    json_t *root = json_of(blob);
    expect(
        root, "frames>orc/walk/hero/0000",
        "{\"anchor\":{\"x\":0.5,\"y\":0.75},\"duration\":83.333,\"frame\":{\"h\":32,\"w\":64,\"x\":1,\"y\":2}}");
    expect(root, "frames>orc/walk/hero/0001>trimmed", "true");
    expect(root, "frames>orc/walk/hero/0001>spriteSourceSize", "{\"h\":11,\"w\":10,\"x\":20,\"y\":12}");
    expect(root, "frames>orc/walk/hero/0001>sourceSize", "{\"h\":32,\"w\":64}");
    expect(root, "meta>frameTags", "(none)");
    json_decref(root);
}

/* PixiJS would play the frames of one page alone, without a word. */
TEST(an_animation_on_several_pages_is_in_the_lists_of_none)
{
    struct atlas atlas = page_of_two(0);
    struct atlas_frame mixed[5];
    memcpy(mixed, atlas.frames, sizeof mixed);
    mixed[1].page = 1;
    atlas.frames = mixed;
    expect_of(atlas, "animations", "{}");
    expect_of(atlas, "meta>frameTags", "[]");
    expect_of(atlas, "meta>sheetbake>animations>walk/hero>frames",
              "[\"orc/walk/hero/0000\",\"orc/walk/hero/0001\",\"orc/walk/hero/0002\"]");
    atlas.page = 1;
    expect_of(atlas, "animations", "{}");
    expect_of(atlas, "meta>sheetbake>animations>walk/hero>frames",
              "[\"orc/walk/hero/0000\",\"orc/walk/hero/0001\",\"orc/walk/hero/0002\"]");
}

static void expect_failure(struct atlas_frame bad, const char *reason)
{
    struct atlas_frame two[] = {frames[1], bad};
    struct atlas atlas = whole_sheet();
    atlas.frames = two;
    atlas.frame_count = 2;
    atlas.clip_count = 0;
    struct blob json;
    struct error err = {""};
    assert_int_equal(pixi_save(&atlas, false, &json, &err), -1);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say '%s'", err.text, reason);
}

TEST(the_json_says_what_pixi_needs)
{
    fact("anchor and pivot are the same");
    expect_of(whole_sheet(), "frames>orc/walk/hero/0000>anchor", "{\"x\":0.5,\"y\":0.75}");
    expect_of(whole_sheet(), "frames>orc/walk/hero/0000>pivot", "{\"x\":0.5,\"y\":0.75}");
    expect_of(whole_sheet(), "frames>orc/walk/hero/0001>anchor", "{\"x\":-0.25,\"y\":0.333333}");
    fact("numbers are rounded");
    expect_of(whole_sheet(), "frames>orc/walk/hero/0000>duration", "83.333");
    expect_of(whole_sheet(), "frames>orc/walk/hero/0001>duration", "100");
    expect_of(whole_sheet(), "frames>orc/walk/hero/0002>duration", "62.5");
    expect_of(whole_sheet(), "meta>sheetbake>animations>walk/hero>times", "[0,0.3,2]");
    fact("animations name their frames");
    expect_of(whole_sheet(), "animations",
              "{\"hit/hero\":[\"orc/hit/hero/0000\",\"orc/hit/hero/0001\"],"
              "\"walk/hero\":[\"orc/walk/hero/0000\",\"orc/walk/hero/0001\",\"orc/walk/hero/0002\"]}");
    fact("meta says what engines ask for");
    expect_of(whole_sheet(), "meta>app", "\"sheetbake\"");
    expect_of(whole_sheet(), "meta>version", "\"" OUTPUT_VERSION_TEXT "\"");
    expect_of(whole_sheet(), "meta>image", "\"orc.png\"");
    expect_of(whole_sheet(), "meta>format", "\"RGBA8888\"");
    expect_of(whole_sheet(), "meta>size", "{\"h\":66,\"w\":128}");
    expect_of(whole_sheet(), "meta>scale", "\"1\"");
    expect_of(whole_sheet(), "meta>related_multi_packs", "(none)");
    fact("page speaks of its own frames");
    expect_of(page_of_two(0), "animations",
              "{\"walk/hero\":[\"orc/walk/hero/0000\",\"orc/walk/hero/0001\",\"orc/walk/hero/0002\"]}");
    expect_of(page_of_two(1), "frames>orc/hit/hero/0000", "(none)");
    expect_of(page_of_two(0), "frames>orc/hit/hero/0001", "(none)");
    fact("first page alone names the others");
    expect_of(page_of_two(0), "meta>related_multi_packs", "[\"orc-1.json\"]");
    expect_of(page_of_two(1), "meta>related_multi_packs", "(none)");
    fact("our own data is what a game may want");
    expect_of(whole_sheet(), "meta>sheetbake",
              "{\"animations\":{\"hit/hero\":{\"loop\":false,\"times\":[0,0.1]},"
              "\"walk/hero\":{\"loop\":true,\"times\":[0,0.3,2]}},"
              "\"cameras\":{\"hero\":{\"pixelsPerUnit\":1.28,\"projection\":\"perspective\"}}}");
    fact("frames of one name fail");
    expect_failure(frames[1], "two frames have the name 'orc/walk/hero/0001'");
}

TEST(the_json_is_exact)
{
    fact("frames have all rectangles");
    struct atlas atlas = whole_sheet();
    json_t *root = parse(&atlas);
    expect(root, "frames>orc/walk/hero/0001>frame", "{\"h\":11,\"w\":10,\"x\":66,\"y\":2}");
    expect(root, "frames>orc/walk/hero/0001>spriteSourceSize", "{\"h\":11,\"w\":10,\"x\":20,\"y\":12}");
    expect(root, "frames>orc/walk/hero/0001>sourceSize", "{\"h\":32,\"w\":64}");
    expect(root, "frames>orc/walk/hero/0001>trimmed", "true");
    expect(root, "frames>orc/walk/hero/0000>trimmed", "false");
    expect(root, "frames>orc/walk/hero/0000>rotated", "false");
    json_decref(root);
    fact("text shows numbers as written");
    atlas = whole_sheet();
    struct blob json = save(&atlas);
    assert_non_null(memmem(json.data, json.size, "0.3,\n", 5));
    assert_non_null(memmem(json.data, json.size, "83.333,\n", 8));
    assert_non_null(memmem(json.data, json.size, "\"pixelsPerUnit\": 1.28,\n", 23));
    assert_null(memmem(json.data, json.size, "0000000", 7));
    assert_int_equal(json.data[json.size - 1], '\n');
    assert_null(memchr(json.data, '\0', json.size));
    blob_release(&json);
    fact("negative zero is zero");
    struct atlas_frame frame = frames[0];
    frame.pivot[0] = -1e-9;
    atlas = whole_sheet();
    atlas.frames = &frame;
    atlas.frame_count = 1;
    atlas.clip_count = 0;
    expect_of(atlas, "frames>orc/walk/hero/0000>anchor", "{\"x\":0,\"y\":0.75}");
    fact("tags count frames in the order of the file");
    expect_of(whole_sheet(), "meta>frameTags",
              "[{\"direction\":\"forward\",\"from\":2,\"name\":\"walk/hero\",\"to\":4},"
              "{\"direction\":\"forward\",\"from\":0,\"name\":\"hit/hero\",\"to\":1}]");
    atlas = whole_sheet();
    json = save(&atlas);
    const uint8_t *hit = memmem(json.data, json.size, "\"orc/hit/hero/0000\": {", 22);
    const uint8_t *walk = memmem(json.data, json.size, "\"orc/walk/hero/0000\": {", 23);
    assert_true(hit && walk && hit < walk);
    blob_release(&json);
    fact("our own data describes whole animations");
    const char *whole = "{\"hit/hero\":{\"frames\":[\"orc/hit/hero/0000\",\"orc/hit/hero/0001\"],\"loop\":false,"
                        "\"times\":[0,0.1]}}";
    expect_of(page_of_two(1), "meta>sheetbake>animations", whole);
    expect_of(whole_sheet(), "meta>sheetbake>animations>walk/hero", "{\"loop\":true,\"times\":[0,0.3,2]}");
    fact("text that is not utf8 is mended");
    frame = frames[0];
    frame.name = "caf\xe9";
    atlas = whole_sheet();
    atlas.frames = &frame;
    atlas.frame_count = 1;
    atlas.clip_count = 0;
    expect_of(atlas, "frames>caf?>rotated", "false");
    fact("same atlas gives the same bytes");
    atlas = whole_sheet();
    struct blob a = save(&atlas), b = save(&atlas);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    blob_release(&a);
    blob_release(&b);
    fact("numbers that are not finite fail");
    struct atlas_frame bad = frames[0];
    bad.pivot[1] = NAN;
    expect_failure(bad, "not finite");
    bad = frames[0];
    bad.duration_ms = INFINITY;
    expect_failure(bad, "not finite");
}

/* -- Read back --------------------------------------------------------------------------------------------- */

/* What no reader asks for. */
static void forget(json_t *root)
{
    json_t *meta = json_object_get(root, "meta"), *own = json_object_get(meta, "sheetbake"), *clip;
    const char *name;
    json_object_del(meta, "frameTags");
    json_object_del(meta, "related_multi_packs");
    json_object_del(own, "cameras");
    json_object_del(own, "frames");
    json_object_del(own, "mask");
    json_object_foreach(json_object_get(own, "animations"), name, clip)
    {
        json_object_del(clip, "travel");
    }
}

static char *remembered(struct blob file)
{
    json_t *root = json_of(file);
    forget(root);
    char *text = json_dumps(root, JSON_SORT_KEYS | JSON_INDENT(1));
    json_decref(root);
    return text;
}

/* A page as its JSON has it, with the frames and clips that all pages give together. */
static struct atlas read_again(const struct made_sheet *sheet, struct bytes json, uint32_t page,
                               struct arena *arena)
{
    struct atlas read;
    struct error err = {""};
    if (pixi_load(json, arena, &read, &err) < 0)
        fail_msg("%s", err.text);
    struct atlas_page *all = arena_must_alloc(arena, sheet->page_count, sizeof *all);
    all[page] = read.pages[0];
    read.pages = all;
    read.page = page;
    read.page_count = (uint32_t)sheet->page_count;
    read.frames = sheet->frames;
    read.frame_count = sheet->frame_count;
    read.clips = sheet->clips;
    read.clip_count = sheet->clip_count - (*sheet->clips[sheet->clip_count - 1].name == '\0');
    return read;
}

static void expect_round_trip(const struct atlas *atlas)
{
    for (int compact = 0; compact < 2; compact++) {
        static const struct page_set set = {.folder = "out", .name = "out"};
        struct page made[2] = {{.stem = "orc"}, {.stem = "orc@1"}};
        struct made_sheet sheet = {.set = &set, .name = "orc", .pages = made, .page_count = atlas->page_count};
        struct blob files[2], again;
        struct bytes jsons[2];
        struct error err = {""};
        struct atlas page = *atlas;
        for (page.page = 0; page.page < atlas->page_count; page.page++) {
            assert_int_equal(pixi_save(&page, compact, &files[page.page], &err), 0);
            jsons[page.page] = blob_bytes(&files[page.page]);
        }
        if (made_sheet_describe(&sheet, jsons, &err) < 0)
            fail_msg("%s", err.text);
        for (uint32_t i = 0; i < atlas->page_count; i++) {
            struct atlas read = read_again(&sheet, jsons[i], i, &sheet.arena);
            read.sockets = atlas->sockets;
            read.socket_count = atlas->socket_count;
            assert_int_equal(pixi_save(&read, compact, &again, &err), 0);
            char *a = remembered(files[i]), *b = remembered(again);
            assert_string_equal(a, b);
            free(a);
            free(b);
        }
        arena_release(&sheet.arena);
    }
}

TEST(what_is_written_is_read_back)
{
    struct atlas_frame several[5];
    fact("grid with a trimmed frame");
    struct atlas atlas = whole_sheet();
    expect_round_trip(&atlas);
    fact("clip on one page and clip on two");
    atlas = page_of_two(0);
    expect_round_trip(&atlas);
    memcpy(several, atlas.frames, sizeof several);
    several[1].page = 1;
    several[1].rect = (struct rect){6, 2, 10, 11};
    atlas.frames = several;
    expect_round_trip(&atlas);
    fact("frames of no clip");
    atlas = whole_sheet();
    atlas.clip_count = 1;
    expect_round_trip(&atlas);
    fact("passes with depths and a legend, scales of frames, and a clip that travels");
    static const struct atlas_pass passes[] = {{"depth", "orc.depth.png"}, {"mask", "orc.mask.png"}};
    static const struct atlas_mask masks[] = {{{255, 0, 0}, "orc", "head"}};
    const struct atlas_clip travels = {.name = "walk/hero", .frame_count = 5, .travels = true, .travel = {3, 4}};
    atlas = whole_sheet();
    atlas.passes = passes;
    atlas.masks = masks;
    atlas.clips = &travels;
    atlas.pass_count = 2;
    atlas.mask_count = atlas.clip_count = 1;
    atlas.has_depths = atlas.has_frame_scales = true;
    expect_round_trip(&atlas);
    fact("sockets, of which frames see some or none");
    static const char *const names[] = {"foot", "hand", "nowhere"};
    static const struct atlas_socket sockets[] = {{"foot", {1.5, -2}, 3.25}, {"hand", {0, 1e6}, -1}};
    memcpy(several, frames, sizeof several);
    several[0].sockets = several[3].sockets = sockets;
    several[0].socket_count = 2;
    several[3].socket_count = 1;
    atlas = whole_sheet();
    atlas.frames = several;
    atlas.sockets = names;
    atlas.socket_count = 3;
    expect_round_trip(&atlas);
}

/* Of the first frame's boxes and events, as they are read back. */
static const char *told_of(const struct atlas *atlas, struct arena *arena)
{
    struct atlas read;
    struct blob json;
    struct error err;
    struct buffer text = {0};
    assert_int_equal(pixi_save(atlas, false, &json, &err), 0);
    if (pixi_load(blob_bytes(&json), arena, &read, &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&json);
    const struct atlas_frame *frame = read.frames;
    while (strcmp(frame->name, atlas->frames[0].name))
        frame++;
    buffer_add(&text, "", 0);
    for (size_t i = 0; i < frame->box_count; i++) {
        const struct rect *rect = &frame->boxes[i].rect;
        buffer_printf(&text, "%s %u,%u %ux%u; ", frame->boxes[i].name, rect->x, rect->y, rect->width,
                      rect->height);
    }
    for (size_t i = 0; i < frame->event_count; i++)
        if (frame->events[i].sample == frame->sample)
            buffer_printf(&text, "%s; ", frame->events[i].name);
    return arena_take(arena, text.text);
}

TEST(what_games_are_told_is_read_back)
{
    static const struct atlas_box boxes[] = {{"head", {1, 2, 3, 4}}, {"hand*", {0, 0, 1, 1}}};
    static const struct clip_event events[] = {{"late", 9, 1}, {"step", 3, 0}, {"sound \"a\"", 4, 0}};
    struct arena arena = {0};
    struct atlas_frame several[5];
    struct atlas atlas = whole_sheet();
    memcpy(several, frames, sizeof several);
    atlas.frames = several;
    assert_string_equal(told_of(&atlas, &arena), "");
    several[0].boxes = boxes;
    several[0].box_count = 2;
    several[0].events = events;
    several[0].event_count = 3;
    assert_string_equal(told_of(&atlas, &arena), "hand* 0,0 1x1; head 1,2 3x4; step; sound \"a\"; ");
    expect_round_trip(&atlas);
    several[0].sample = 1;
    several[0].box_count = 0;
    assert_string_equal(told_of(&atlas, &arena), "late; ");
    several[0].sample = 2;
    assert_string_equal(told_of(&atlas, &arena), "");
    arena_release(&arena);
}

static void expect_refused(const char *frame, const char *reason)
{
    struct arena arena = {0};
    struct atlas read;
    struct error err = {""};
    char *json = must_printf("{\"meta\":{\"size\":{\"w\":8,\"h\":8},\"image\":\"a.png\"},\"frames\":{\"a\":{"
                             "\"frame\":{\"x\":0,\"y\":0,\"w\":8,\"h\":8},\"anchor\":{\"x\":0,\"y\":0},"
                             "\"duration\":0,%s}}}",
                             frame);
    assert_int_equal(pixi_load((struct bytes){(const uint8_t *)json, strlen(json)}, &arena, &read, &err), -1);
    assert_string_equal(err.text, reason);
    arena_release(&arena);
    free(json);
}

TEST(times_of_strangers_can_be_written_again)
{
    static const char json[] =
        "{\"meta\":{\"size\":{\"w\":8,\"h\":8},\"image\":\"a.png\",\"sheetbake\":{\"animations\":{\"walk\":{"
        "\"frames\":[\"a\",\"b\"],\"times\":[1e308,0.5]}}}}}";
    struct arena arena = {0};
    struct atlas read;
    struct error err = {""};
    if (pixi_load((struct bytes){(const uint8_t *)json, strlen(json)}, &arena, &read, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(read.clips[0].keyframes[0].time_s == 0 && read.clips[0].keyframes[1].time_s == 0.5);
    arena_release(&arena);
}

TEST(boxes_and_events_of_strangers_are_checked)
{
    expect_refused("\"boxes\":{\"head\":{\"x\":1,\"y\":1,\"w\":0,\"h\":2}}",
                   "box 'head' of frame 'a' has no place of at least a pixel");
    expect_refused("\"boxes\":{\"head\":3}", "box 'head' of frame 'a' has no place of at least a pixel");
    expect_refused("\"events\":[\"step\",7]", "an event of frame 'a' is not a text");
}
