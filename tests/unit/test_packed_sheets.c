/* Every cell of packed, trimmed and otherwise arranged sheets, put together again by what the files beside them
 * say, is to the pixel the cell of a plain grid. */
#include "job_fixture.h"
#include "test.h"

#include <jansson.h>

#include "image/image_format.h"
#include "bake/bake.h"
#include "run/pool.h"

enum { CELL = 40, MOST_PAGES = 64 };

static char note[POOL_NOTE_SIZE];

/* The first job is the plain grid. */
static const char list_text[] =
    "version: 1\n"
    "assets: %s\n"
    "output: %s\n"
    "defaults:\n"
    "  animations: [{file: models/pip/walk.md5anim}, {file: models/pip/wave.md5anim, loop: false}]\n"
    "  sampling: {count: 6}\n"
    "  cameras: [front, {name: side, yaw: 90, pitch: 20}]\n"
    "  cell: 40\n"
    "  passes: [normal, depth]\n"
    "  metadata: [aseprite-hash, godot]\n"
    "jobs:\n"
    "  - {name: plain, model: &pip models/pip/pip.md5mesh}\n"
    "  - {name: bled, model: *pip, sheet: {padding: 3, extrude: 2, bleed: 5, power_of_two: true}}\n"
    "  - {name: cut, model: *pip, sheet: {trim: true, padding: 1}}\n"
    "  - {name: packed, model: *pip, sheet: {layout: packed}}\n"
    "  - {name: tight, model: *pip, sheet: {layout: packed, trim: true}}\n"
    "  - {name: bordered, model: *pip, sheet: {layout: packed, trim: true, padding: 2, extrude: 1, bleed: 3}}\n"
    "  - {name: powers, model: *pip, sheet: {layout: packed, trim: true, padding: 1, power_of_two: true}}\n"
    "  - {name: pages, model: *pip, sheet: {layout: packed, trim: true, max_size: 64, bleed: 2, padding: 2}}\n"
    "  - {name: halves, model: *pip, sheet: {layout: packed, trim: true}, split: camera}\n";

/* -- Baking ------------------------------------------------------------------------------------------------ */

static struct fixture fixture;

static void bake_job(struct bake *bake, const struct job_list *list, size_t job)
{
    struct error err = {""};
    if (bake_open(bake, &(struct bake_job){list, &list->jobs[job]}, NULL, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t page = 0; page < bake->pages.plan->page_count; page++)
        if (bake_page(bake, page, &err) < 0)
            fail_msg("%s", err.text);
}

static int bake_all(void **state)
{
    (void)state;
    fixture = (struct fixture){.folder = temp_folder_new()};
    char *assets = realpath("jobs/assets", NULL), *out = path_join(fixture.folder, "out");
    char *text = must_printf(list_text, assets, out);
    fixture_load(&fixture, text);
    const struct page_writer writer = {.note = note, .note_size = sizeof note};
    struct planner *planner = planner_new(NULL, 0);
    struct bake *bake;
    struct error err = {""};
    if (bake_new(planner, &writer, BACKEND_AUTO, &(struct identity){0}, &bake, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < fixture.list->job_count; i++)
        bake_job(bake, fixture.list, i);
    bake_free(bake);
    planner_free(planner);
    free(text);
    free(assets);
    free(out);
    return 0;
}

static int release_all(void **state)
{
    (void)state;
    fixture_release(&fixture);
    return 0;
}

/* -- Reading ----------------------------------------------------------------------------------------------- */

/* The file, or no bytes where there is none. */
static struct blob read_output(const char *base, size_t page, const char *suffix)
{
    struct blob blob = {0};
    struct error err;
    char *path = page ? must_printf("%s/out/%s@%zu%s", fixture.folder, base, page, suffix)
                      : must_printf("%s/out/%s%s", fixture.folder, base, suffix);
    if (file_read(path, 1 << 24, &blob, &err) < 0)
        blob = (struct blob){0};
    free(path);
    return blob;
}

static struct image read_image(const char *base, size_t page, const char *suffix)
{
    struct image image;
    struct error err;
    struct blob blob = read_output(base, page, suffix);
    if (image_load(blob_bytes(&blob), &image, &err) < 0)
        fail_msg("%s: %s", base, err.text);
    blob_release(&blob);
    return image;
}

static json_t *read_json(const char *base, size_t page, const char *suffix)
{
    struct blob blob = read_output(base, page, suffix);
    json_t *json = blob.data ? json_loadb((const char *)blob.data, blob.size, 0, NULL) : NULL;
    assert_true(!blob.data || json);
    blob_release(&blob);
    return json;
}

static struct rect rect_of(const json_t *json)
{
    int x, y, w, h;
    assert_int_equal(json_unpack((json_t *)json, "{s:i, s:i, s:i, s:i}", "x", &x, "y", &y, "w", &w, "h", &h), 0);
    return (struct rect){(uint32_t)x, (uint32_t)y, (uint32_t)w, (uint32_t)h};
}

/* -- Cells ------------------------------------------------------------------------------------------------- */

struct pixels {
    uint8_t rgba[CELL * CELL][4];
};

/* The cell as an engine shows it: what has no alpha has no colour. Depths have no alpha, and are black where
 * nothing is. */
static struct pixels compose(const struct image *page, const struct rect *rect, const struct rect *source)
{
    struct pixels cell = {0};
    for (size_t i = 0; i < CELL * CELL && !page->has_alpha; i++)
        cell.rgba[i][3] = 255;
    assert_true(rect->x + rect->width <= page->width && rect->y + rect->height <= page->height);
    assert_true(source->x + rect->width <= CELL && source->y + rect->height <= CELL);
    for (uint32_t y = 0; y < rect->height; y++)
        for (uint32_t x = 0; x < rect->width; x++) {
            const uint8_t *in = page->pixels + ((size_t)(rect->y + y) * page->width + rect->x + x) * 4;
            if (in[3] > 0)
                memcpy(cell.rgba[(source->y + y) * CELL + source->x + x], in, 4);
        }
    return cell;
}

static struct pixels compose_json(const struct image *page, const json_t *frame)
{
    struct rect rect = rect_of(json_object_get(frame, "frame"));
    struct rect source = rect_of(json_object_get(frame, "spriteSourceSize"));
    assert_int_equal(rect.width, source.width);
    assert_int_equal(rect.height, source.height);
    assert_int_equal(json_integer_value(json_object_get(json_object_get(frame, "sourceSize"), "w")), CELL);
    return compose(page, &rect, &source);
}

/* The cell of the plain grid: `name` is "walk/front/0003". */
static struct pixels plain_cell(const char *name, const char *pass)
{
    struct image image = read_image("plain", 0, pass);
    json_t *json = read_json("plain", 0, ".json");
    char *whole = must_printf("plain/%s", name);
    const json_t *frame = json_object_get(json_object_get(json, "frames"), whole);
    assert_non_null(frame);
    struct pixels cell = compose_json(&image, frame);
    json_decref(json);
    image_release(&image);
    free(whole);
    return cell;
}

static void expect_plain(const char *job, const char *name, const char *pass, const struct pixels *cell)
{
    struct pixels plain = plain_cell(name, pass);
    for (size_t i = 0; i < CELL * CELL; i++)
        if (memcmp(plain.rgba[i], cell->rgba[i], 4))
            fail_msg("%s%s, frame %s: pixel %zu,%zu differs", job, pass, name, i % CELL, i / CELL);
}

/* -- The default JSON -------------------------------------------------------------------------------------- */

static size_t check_page(const char *job, const char *base, size_t page, const json_t *json)
{
    static const char *const passes[] = {".png", ".normal.png", ".depth.png"};
    const json_t *frames = json_object_get(json, "frames");
    const char *name;
    json_t *frame;
    for (size_t pass = 0; pass < 3; pass++) {
        struct image image = read_image(base, page, passes[pass]);
        json_object_foreach((json_t *)frames, name, frame)
        {
            struct pixels cell = compose_json(&image, frame);
            assert_memory_equal(name, job, strlen(job));
            expect_plain(base, name + strlen(job) + 1, passes[pass], &cell);
        }
        image_release(&image);
    }
    return json_object_size(frames);
}

static size_t check_frames(const char *job, const char *base, size_t *page_count)
{
    size_t frames = 0;
    json_t *json;
    for (*page_count = 0; (json = read_json(base, *page_count, ".json")); ++*page_count) {
        frames += check_page(job, base, *page_count, json);
        json_decref(json);
    }
    return frames;
}

static void expect_all_frames(const char *job)
{
    size_t pages;
    assert_int_equal(check_frames(job, job, &pages), 24);
    assert_int_equal(pages, 1);
}

TEST(grids_with_borders_come_back)
{
    expect_all_frames("plain");
    expect_all_frames("bled");
}

TEST(trimmed_grids_come_back)
{
    expect_all_frames("cut");
}

TEST(packed_sheets_come_back)
{
    expect_all_frames("packed");
    expect_all_frames("tight");
    expect_all_frames("bordered");
    expect_all_frames("powers");
}

TEST(packed_sheets_of_several_pages_come_back)
{
    size_t pages;
    assert_int_equal(check_frames("pages", "pages", &pages), 24);
    assert_in_range(pages, 4, MOST_PAGES);
}

TEST(split_packed_sheets_come_back)
{
    size_t pages;
    assert_int_equal(check_frames("halves", "halves@front", &pages), 12);
    assert_int_equal(check_frames("halves", "halves@side", &pages), 12);
}

TEST(packed_sheets_are_smaller)
{
    struct image plain = read_image("plain", 0, ".png"), tight = read_image("tight", 0, ".png");
    assert_true(tight.width * tight.height * 10 < plain.width * plain.height * 7);
    struct image powers = read_image("powers", 0, ".png");
    assert_int_equal(powers.width & (powers.width - 1), 0);
    assert_int_equal(powers.height & (powers.height - 1), 0);
    image_release(&plain);
    image_release(&tight);
    image_release(&powers);
}

/* -- The other files --------------------------------------------------------------------------------------- */

/* Tags name the animations; their frames are those of the animation in its order. */
static void check_aseprite(const char *job)
{
    struct image image = read_image(job, 0, ".png");
    json_t *json = read_json(job, 0, ".aseprite-hash.json"), *tag;
    size_t i, frames = 0;
    json_array_foreach(json_object_get(json_object_get(json, "meta"), "frameTags"), i, tag)
    {
        json_int_t from = json_integer_value(json_object_get(tag, "from"));
        json_int_t to = json_integer_value(json_object_get(tag, "to"));
        for (json_int_t f = from; f <= to; f++, frames++) {
            char number[32];
            snprintf(number, sizeof number, "%d", (int)f);
            struct pixels cell = compose_json(&image, json_object_get(json_object_get(json, "frames"), number));
            char *name = must_printf("%s/%04d", json_string_value(json_object_get(tag, "name")), (int)(f - from));
            expect_plain(job, name, ".png", &cell);
            free(name);
        }
    }
    assert_int_equal(frames, 24);
    json_decref(json);
    image_release(&image);
}

TEST(frames_of_aseprite_files_come_back)
{
    check_aseprite("plain");
    check_aseprite("cut");
    check_aseprite("tight");
}

/* The name of frame `number` of the sheet, by the plain grid's Aseprite file, which has them in order. */
static char *name_of_frame(unsigned number)
{
    json_t *json = read_json("plain", 0, ".aseprite-hash.json"), *tag;
    json_t *tags = json_object_get(json_object_get(json, "meta"), "frameTags");
    tag = json_array_get(tags, number / 6);
    char *name = must_printf("%s/%04u", json_string_value(json_object_get(tag, "name")), number % 6);
    json_decref(json);
    return name;
}

/* The AtlasTextures of a Godot resource, in the order of the sheet's frames. */
static size_t check_godot(const char *job)
{
    struct blob blob = read_output(job, 0, ".tres");
    struct image pages[MOST_PAGES];
    size_t page_count = 0, frames = 0;
    char *text = must_printf("%.*s", (int)blob.size, (const char *)blob.data), *rest = text, *line;
    unsigned number = 0, page = 0;
    struct rect rect = {0}, margin = {0};
    while ((line = strsep(&rest, "\n"))) {
        if (!strncmp(line, "[ext_resource", 13)) {
            pages[page_count] = read_image(job, page_count, ".png");
            page_count++;
        }
        sscanf(line, "[sub_resource type=\"AtlasTexture\" id=\"%u\"]", &number);
        sscanf(line, "atlas = ExtResource(\"%u\")", &page);
        if (sscanf(line, "region = Rect2(%u, %u, %u, %u)", &rect.x, &rect.y, &rect.width, &rect.height) == 4)
            margin = (struct rect){0, 0, CELL - rect.width, CELL - rect.height};
        if (sscanf(line, "margin = Rect2(%u, %u, %u, %u)", &margin.x, &margin.y, &margin.width, &margin.height) ==
            4)
            assert_true(margin.width + rect.width == CELL && margin.height + rect.height == CELL);
        if (!strncmp(line, "metadata/pivot", 14)) {
            struct pixels cell = compose(&pages[page], &rect, &margin);
            char *name = name_of_frame(number);
            expect_plain(job, name, ".png", &cell);
            free(name);
            frames++;
        }
    }
    for (size_t i = 0; i < page_count; i++)
        image_release(&pages[i]);
    free(text);
    blob_release(&blob);
    return frames;
}

TEST(frames_of_godot_resources_come_back)
{
    assert_int_equal(check_godot("plain"), 24);
    assert_int_equal(check_godot("cut"), 24);
    assert_int_equal(check_godot("tight"), 24);
    assert_int_equal(check_godot("pages"), 24);
    struct blob none = read_output("pages", 1, ".tres");
    assert_null(none.data); /* one for all pages */
}

TEST_GROUP(bake_all, release_all)
