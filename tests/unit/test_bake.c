/* Whole pages, baked into a temporary folder. Most show "steps": an MD2 of four frames, in each of which one
 * quarter of a square of 2x2 units is covered, bottom left, bottom right, top left, top right, with a red skin. In
 * a cell of 2x2 pixels each frame is one red pixel. */
#include "job_fixture.h"
#include "tag_builder.h"
#include "test.h"

#include <dirent.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>

#include "image/image_format.h"
#include "base/buffer.h"
#include "bake/bake.h"
#include "run/pool.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

static char note[POOL_NOTE_SIZE];
static struct stopwatch stopwatch;

/* Opened by must_open. While it has a list open, no other can be loaded: there is one asset tree in a process. */
static struct planner *planner;
static struct bake *bake;

static void close_bake(void)
{
    bake_free(bake);
    planner_free(planner);
    bake = NULL;
    planner = NULL;
}

/* A TGA of one row: texels as blue, green, red, alpha. */
static void add_skin(const struct fixture *fixture, const char *name, uint8_t width, const uint8_t *texels)
{
    uint8_t tga[18 + 4 * 4] = {[2] = 2, [12] = width, [14] = 1, [16] = 32, [17] = 8};
    memcpy(tga + 18, texels, width * 4);
    fixture_add_bytes(fixture, name, (struct bytes){tga, 18 + width * 4});
}

static void add_steps_called(const struct fixture *fixture, const char *name, const char *const *skins,
                             uint32_t skin_count)
{
    static const int16_t st[1][2] = {{1, 0}}; /* right of the middle */
    static const uint16_t triangles[][6] = {{0, 1, 2, 0, 0, 0}, {0, 2, 3, 0, 0, 0}};
    static const char *const names[] = {"step1", "step2", "step3", "step4"};
    uint8_t vertices[16][4] = {{0}};
    for (uint8_t frame = 0; frame < 4; frame++)
        for (uint8_t corner = 0; corner < 4; corner++) {
            vertices[frame * 4 + corner][1] = (uint8_t)(frame % 2 + (corner >= 2));
            vertices[frame * 4 + corner][2] = (uint8_t)(frame / 2 + (corner == 1 || corner == 2));
        }
    struct md2_spec spec = {
        .skinwidth = 2,
        .skinheight = 1,
        .skins = skins,
        .skin_count = skin_count,
        .st_count = 1,
        .triangle_count = 2,
        .vertex_count = 4,
        .frame_count = 4,
        .st = st,
        .triangles = triangles,
        .frame_names = names,
        .vertices = (const uint8_t(*)[4])vertices,
    };
    fixture_add_md2(fixture, name, &spec);
}

static void add_steps(const struct fixture *fixture)
{
    static const char *const skins[] = {"models/steps.tga", "blue.tga"};
    add_steps_called(fixture, "models/steps.md2", NULL, 0);
    add_steps_called(fixture, "models/skins.md2", skins, 2);
    add_skin(fixture, "models/steps.tga", 1, (const uint8_t[]){0, 0, 255, 255});
    add_skin(fixture, "blue.tga", 1, (const uint8_t[]){255, 0, 0, 255});
    add_skin(fixture, "clear.tga", 4, (const uint8_t[16]){[3] = 255}); /* but for the left */
}

/* Jobs show the steps in even light unless they say otherwise. */
#define DEFAULTS                                                                                                  \
    "defaults:\n"                                                                                                 \
    "  cell: 2\n"                                                                                                 \
    "  cameras: [front]\n"                                                                                        \
    "  supersample: 1\n"                                                                                          \
    "  sampling: {frames: all}\n"                                                                                 \
    "  fit: {margin: 0}\n"                                                                                        \
    "  light:\n"                                                                                                  \
    "    key: {strength: 0}\n"                                                                                    \
    "    fill: {strength: 0}\n"                                                                                   \
    "    sky: {color: [255, 255, 255], strength: 1}\n"                                                            \
    "    ground: {color: [255, 255, 255], strength: 1}\n"

static struct fixture load_jobs(const char *jobs)
{
    close_bake(); /* of a test that failed */
    struct fixture fixture = fixture_new();
    add_steps(&fixture);
    char *text = must_printf(DEFAULTS "jobs:\n%s", jobs);
    fixture_load(&fixture, text);
    free(text);
    return fixture;
}

/* One job with these keys. */
static struct fixture load_steps(const char *keys)
{
    char *jobs = must_printf("  - name: it\n    model: models/steps.md2\n%s", keys);
    struct fixture fixture = load_jobs(jobs);
    free(jobs);
    return fixture;
}

static void release(struct fixture *fixture)
{
    close_bake();
    fixture_release(fixture);
}

static void need_bake(void)
{
    struct error err;
    if (bake)
        return;
    const struct page_writer writer = {.note = note, .note_size = sizeof note};
    planner = planner_new(NULL, 0);
    planner->stopwatch = &stopwatch;
    if (bake_new(planner, &writer, BACKEND_AUTO, &(struct identity){0}, &bake, &err) < 0)
        fail_msg("%s", err.text);
}

static int open_job(const struct fixture *fixture, size_t job, struct error *err)
{
    return bake_open(bake, &(struct bake_job){fixture->list, &fixture->list->jobs[job]}, NULL, err);
}

static const struct plan *must_open(struct fixture *fixture, size_t job)
{
    struct error err;
    need_bake();
    if (open_job(fixture, job, &err) < 0)
        fail_msg("%s", err.text);
    return planner->plan;
}

static void must_bake(struct fixture *fixture, size_t job)
{
    struct error err;
    const struct plan *plan = must_open(fixture, job);
    for (uint32_t page = 0; page < plan->page_count; page++)
        if (bake_page(bake, page, &err) < 0)
            fail_msg("%s", err.text);
    assert_string_equal(note, "");
}

static struct blob read_output(const struct fixture *fixture, const char *name)
{
    struct blob blob;
    struct error err;
    char *path = must_printf("%s/out/%s", fixture->folder, name);
    if (file_read(path, 1 << 24, &blob, &err) < 0)
        fail_msg("%s", err.text);
    free(path);
    return blob;
}

static struct image read_page(const struct fixture *fixture, const char *name)
{
    struct image image;
    struct error err;
    struct blob blob = read_output(fixture, name);
    if (image_load(blob_bytes(&blob), &image, &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&blob);
    return image;
}

static char letter_of(const uint8_t *pixel)
{
    static const struct {
        uint8_t rgba[4];
        char letter;
    } colors[] = {{{0, 0, 0, 0}, '.'},
                  {{255, 0, 0, 255}, 'R'},
                  {{255, 0, 0, 0}, 'r'},
                  {{0, 0, 255, 255}, 'B'},
                  {{0x20, 0x40, 0x60, 255}, '#'}};
    for (size_t i = 0; i < sizeof colors / sizeof *colors; i++)
        if (!memcmp(pixel, colors[i].rgba, 4))
            return colors[i].letter;
    return '?';
}

/* A page as a drawing, its rows divided by '/'. */
static void expect_page(const struct fixture *fixture, const char *name, const char *wanted)
{
    struct image image = read_page(fixture, name);
    char *text = must_alloc(((size_t)image.width + 1) * image.height + 1, 1), *at = text;
    for (uint32_t y = 0; y < image.height; y++) {
        if (y > 0)
            *at++ = '/';
        for (uint32_t x = 0; x < image.width; x++)
            *at++ = letter_of(image.pixels + ((size_t)y * image.width + x) * 4);
    }
    assert_string_equal(text, wanted);
    free(text);
    image_release(&image);
}

static void check_page(const char *keys, const char *wanted)
{
    struct fixture fixture = load_steps(keys);
    must_bake(&fixture, 0);
    expect_page(&fixture, "it.png", wanted);
    release(&fixture);
}

/* What is in the output folder, in order, divided by spaces. */
static void expect_files(const struct fixture *fixture, const char *wanted)
{
    struct strings names = {0};
    char *path = path_join(fixture->folder, "out");
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            strings_add(&names, entry->d_name);
    closedir(folder);
    free(path);
    strings_sort(&names);
    struct buffer text = {0};
    buffer_add(&text, "", 0);
    for (size_t i = 0; i < names.count; i++)
        buffer_printf(&text, "%s%s", i ? " " : "", names.items[i]);
    assert_string_equal(text.text, wanted);
    buffer_release(&text);
    strings_release(&names);
}

/* -- Pixels ------------------------------------------------------------------------------------------------ */

TEST(cells_go_in_order_from_the_top_left)
{
    check_page("    sheet: {columns: 4}\n", "....R..R/"
                                            "R..R....");
    check_page("    sheet: {columns: 2}\n", "..../R..R/R..R/....");
}

TEST(cells_of_several_cameras_are_drawn_from_one_pose)
{
    /* From behind there is nothing to see; a camera rolled clockwise turns the picture counter-clockwise. */
    check_page("    cameras: [front, back, {name: rolled, roll: 90}]\n", "....R..R/"
                                                                         "R..R..../"
                                                                         "......../"
                                                                         "......../"
                                                                         "...R..R./"
                                                                         ".R..R...");
}

TEST(samples_out_of_order_stay_where_they_belong)
{
    check_page("    sampling: {times: [0.3, 0, 0.3, 0.1]}\n    sheet: {columns: 4}\n", ".R...R../"
                                                                                       "..R....R");
}

/* -- Pages ------------------------------------------------------------------------------------------------- */

TEST(sheets_are_padded_trimmed_and_packed)
{
    fact("pages may be baked in any order");
    struct error err;
    struct fixture fixture =
        load_steps("    split: animation\n    sheet: {max_size: 16, columns: 1}\n    cell: 8\n");
    must_open(&fixture, 0);
    assert_int_equal(bake_page(bake, 1, &err), 0);
    expect_files(&fixture, "it@step@1.json it@step@1.png it@step@1.sheetbake");
    assert_int_equal(bake_page(bake, 0, &err), 0);
    expect_files(&fixture,
                 "it@step.json it@step.png it@step.sheetbake it@step@1.json it@step@1.png it@step@1.sheetbake");
    release(&fixture);
    fact("colors run on under transparent pixels");
    check_page("    sheet: {columns: 4, bleed: 1}\n", "rrrrRrrR/"
                                                      "RrrRrrrr");
    /* Trimmed, the steps are one red pixel each, wherever it lies in the cell. */
    fact("cells that look the same are packed once");
    check_page("    sheet: {layout: packed, trim: true}\n", "R");
    check_page("    sheet: {layout: packed, trim: true, padding: 2, extrude: 1}\n",
               "...../.RRR./.RRR./.RRR./.....");
    check_page("    sheet: {layout: packed, trim: true, padding: 2, bleed: 1}\n", "rrr/rRr/rrr");
    check_page("    sheet: {layout: packed, trim: true, power_of_two: true, padding: 2}\n", "..../.R../..../....");
    check_page("    sheet: {layout: packed}\n", "..../R..R/R..R/....");
    fact("cells of a trimmed grid stay in their rows");
    check_page("    sheet: {trim: true, columns: 4}\n    fit: {margin: 0.25}\n    cell: 4\n", "....R..R/"
                                                                                              "R..R....");
}

/* -- Poses ------------------------------------------------------------------------------------------------- */

static size_t pose_count;

void __real_model_pose(const struct model *model, const struct pose *pose, struct mesh *mesh);
void __wrap_model_pose(const struct model *model, const struct pose *pose, struct mesh *mesh);

/* The linker has others call this in the place of model_pose (tests/tests.mk). */
void __wrap_model_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    pose_count++;
    __real_model_pose(model, pose, mesh);
}

static void expect_poses(const char *keys, size_t wanted)
{
    struct fixture fixture = load_steps(keys);
    pose_count = 0;
    must_bake(&fixture, 0);
    assert_int_equal(pose_count, wanted);
    release(&fixture);
}

/* Of the four samples each is posed to be framed, and once for each page that shows it. */
TEST(a_sample_is_posed_once_for_all_that_a_page_shows_of_it)
{
    fact("its passes");
    expect_poses("    cameras: [front, back]\n    passes: [normal, depth, mask]\n", 4 + 4);
    fact("its boxes, and whether cells cut it off");
    expect_poses("    cameras: [{name: near, eye: [3, 1, 1], target: [0, 1, 1], projection: perspective}, front]\n"
                 "    boxes: '*'\n",
                 4 + 4);
    fact("all pages of the job have the same facts");
    expect_poses("    cell: 16\n    sheet: {max_size: 16, columns: 1}\n", 4 + 4);
    fact("a sheet that is drawn as a whole");
    expect_poses("    cameras: [front, back]\n    passes: [normal]\n    sheet: {layout: packed}\n", 4 + 4);
}

TEST(jobs_that_differ_in_style_are_framed_by_the_poses_of_one)
{
    static const char *const keys[] = {"    cameras: [front]\n    passes: [normal]\n", "    cameras: [left]\n"};
    for (size_t i = 0; i < COUNT(keys); i++) {
        char *both =
            must_printf("    cameras: [front]\n  - name: other\n    model: models/steps.md2\n%s", keys[i]);
        struct fixture fixture = load_steps(both);
        must_bake(&fixture, 0);
        pose_count = 0;
        must_bake(&fixture, 1);
        assert_int_equal(pose_count, i == 0 ? 4 : 4 + 4);
        release(&fixture);
        free(both);
    }
}

/* -- JSON -------------------------------------------------------------------------------------------------- */

static json_t *read_json(const struct fixture *fixture, const char *name)
{
    struct blob blob = read_output(fixture, name);
    json_error_t error;
    json_t *json = json_loadb((const char *)blob.data, blob.size, JSON_REJECT_DUPLICATES, &error);
    if (!json)
        fail_msg("%s: %s", name, error.text);
    blob_release(&blob);
    return json;
}

/* The value at a path of keys, divided by '|' because names hold '/'. */
static json_t *json_at(json_t *json, const char *path)
{
    char *keys = must_strdup(path), *rest = keys;
    for (char *key; json && (key = strsep(&rest, "|")) != NULL;)
        json = json_is_array(json) ? json_array_get(json, strtoul(key, NULL, 10)) : json_object_get(json, key);
    free(keys);
    if (!json)
        fail_msg("there is no %s", path);
    return json;
}

static void expect_number(json_t *json, const char *path, double wanted)
{
    assert_float_equal(json_number_value(json_at(json, path)), wanted, 1e-6);
}

static void expect_text(json_t *json, const char *path, const char *wanted)
{
    assert_string_equal(json_string_value(json_at(json, path)), wanted);
}

/* The origin is the bottom left corner of the square. */
TEST(the_json_says_where_the_origin_is_and_how_large_a_unit)
{
    struct fixture fixture = load_steps("    cell: [8, 4]\n");
    must_bake(&fixture, 0);
    json_t *json = read_json(&fixture, "it.json");
    expect_number(json, "frames|it/step/front/0000|pivot|x", 0.25);
    expect_number(json, "frames|it/step/front/0000|pivot|y", 1);
    expect_number(json, "frames|it/step/front/0000|anchor|x", 0.25);
    expect_number(json, "meta|sheetbake|cameras|front|pixelsPerUnit", 2);
    expect_text(json, "meta|sheetbake|cameras|front|projection", "orthographic");
    json_decref(json);
    release(&fixture);
}

TEST(numbers_of_frames_sort_as_they_play)
{
    struct fixture fixture =
        load_steps("    cell: 1\n    sheet: {max_size: 256}\n    sampling: {count: 10001}\n    loop: false\n");
    must_bake(&fixture, 0);
    json_t *json = read_json(&fixture, "it.json");
    json_at(json, "frames|it/step/front/00000");
    json_at(json, "frames|it/step/front/10000");
    json_decref(json);
    release(&fixture);
}

/* -- Several models ---------------------------------------------------------------------------------------- */

/* A tag in the middle of the quarter that is covered. */
static void add_step_tags(const struct fixture *fixture)
{
    static const char *const names[] = {"tag_middle"};
    static const float frames[][12] = {{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5f, 0.5f},
                                       {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1.5f, 0.5f},
                                       {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.5f, 1.5f},
                                       {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1.5f, 1.5f}};
    struct blob blob = tag_build(&(struct tag_spec){1, 4, names, frames});
    fixture_add_bytes(fixture, "models/steps.tag", blob_bytes(&blob));
    blob_release(&blob);
}

TEST(sockets_are_told_for_the_frames_of_a_page)
{
    struct fixture fixture =
        load_steps("    cell: 8\n    sheet: {max_size: 16, columns: 1}\n    sockets: tag_middle\n");
    add_step_tags(&fixture);
    must_bake(&fixture, 0);
    json_t *json = read_json(&fixture, "it@1.json");
    assert_int_equal(json_object_size(json_at(json, "meta|sheetbake|sockets|tag_middle")), 2);
    expect_number(json, "meta|sheetbake|sockets|tag_middle|it/step/front/0002|y", 2);
    json_decref(json);
    release(&fixture);
}

/* -- Passes and skins -------------------------------------------------------------------------------------- */

/* The color of the mask that the JSON gives for a part is that of its pixels. */
static void expect_mask(json_t *json, size_t entry, const char *part, const struct image *image, uint32_t x,
                        uint32_t y)
{
    json_t *mask = json_array_get(json_at(json, "meta|sheetbake|mask"), entry);
    const uint8_t *pixel = image->pixels + 4 * ((size_t)y * image->width + x);
    char *color = must_printf("#%02x%02x%02x", pixel[0], pixel[1], pixel[2]);
    expect_text(mask, "part", part);
    expect_text(mask, "color", color);
    assert_non_null(json_object_get(mask, "surface"));
    assert_int_equal(pixel[3], 255);
    free(color);
}

/* The first has its number, but no pixels. */
TEST(the_json_lists_no_invisible_surface_as_a_color_of_the_mask)
{
    struct fixture fixture = fixture_new();
    fixture_add_text(&fixture, "materials/a.mtr", "models/plate_skin { noshadows }");
    fixture_load(&fixture, DEFAULTS "jobs:\n"
                                    "  - name: it\n"
                                    "    model: models/plate.md5mesh\n"
                                    "    passes: [mask]\n"
                                    "    cell: 16\n"
                                    "    attach: {name: thing, model: thing.md2}\n");
    must_bake(&fixture, 0);
    struct image image = read_page(&fixture, "it.mask.png");
    json_t *json = read_json(&fixture, "it.json");
    assert_int_equal(json_array_size(json_at(json, "meta|sheetbake|mask")), 1);
    expect_mask(json, 0, "thing", &image, 3, 12);
    json_decref(json);
    image_release(&image);
    release(&fixture);
}

TEST(depths_without_a_range_are_a_warning)
{
    struct fixture fixture = load_steps("    passes: depth\n");
    must_bake(&fixture, 0);
    json_t *json = read_json(&fixture, "it.sheetbake");
    expect_text(json, "warnings|0",
                "models/steps.md2: it names no texture for 'mesh', drawn in 'models/steps.tga' by a guess, which "
                "`skin: models/steps.tga` would make sure");
    expect_text(json, "warnings|1",
                "models/steps.md2: the depth pass shows no depth: seen by 'front' all of it lies at one distance");
    json_decref(json);
    release(&fixture);
}

TEST(frames_of_different_scales_have_theirs_in_the_json)
{
    struct fixture fixture = load_steps("    fit: {scope: frame}\n    sampling: {frames: [0, 1]}\n");
    must_bake(&fixture, 0);
    json_t *json = read_json(&fixture, "it.json");
    assert_null(json_object_get(json_at(json, "meta|sheetbake|cameras|front"), "pixelsPerUnit"));
    expect_number(json, "meta|sheetbake|frames|it/step/front/0000|pixelsPerUnit", 2);
    expect_number(json, "meta|sheetbake|frames|it/step/front/0001|pixelsPerUnit", 2);
    json_decref(json);
    release(&fixture);
}

/* -- Files ------------------------------------------------------------------------------------------------- */

/* In place of the C library's, and the same but that it keeps the names and the note of the moment. */
static struct {
    char from[PATH_MAX], to[PATH_MAX], note[POOL_NOTE_SIZE];
} last_rename;

int rename(const char *from, const char *to)
{
    snprintf(last_rename.from, sizeof last_rename.from, "%s", from);
    snprintf(last_rename.to, sizeof last_rename.to, "%s", to);
    memcpy(last_rename.note, note, sizeof note);
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* All of it: what follows a '\0' would be another name. */
static void expect_empty_note(void)
{
    for (size_t i = 0; i < sizeof note; i++)
        assert_int_equal(note[i], 0);
}

TEST(the_note_names_the_temporary_files_while_they_are_there)
{
    struct fixture fixture = load_steps("");
    char *start = must_printf("%s/out/.it.sheetbake.%ld-", fixture.folder, (long)getpid());
    char *picture_start = must_printf("%s/out/.it.png.%ld-", fixture.folder, (long)getpid());
    char *record = must_printf("%s/out/it.sheetbake", fixture.folder);
    must_bake(&fixture, 0);
    assert_string_equal(last_rename.to, record);
    assert_memory_equal(last_rename.note, picture_start, strlen(picture_start));
    const char *second = last_rename.note + strlen(last_rename.note) + 1, *third = second + strlen(second) + 1;
    assert_string_equal(third, last_rename.from);
    assert_string_equal(third + strlen(third) + 1, "");
    assert_memory_equal(last_rename.from, start, strlen(start));
    assert_string_equal(path_suffix(last_rename.from), ".tmp");
    expect_empty_note();
    free(record);
    free(picture_start);
    free(start);
    release(&fixture);
}

static void expect_failed_page(struct fixture *fixture, const char *part, const char *files)
{
    struct error err = {""};
    must_open(fixture, 0);
    assert_int_equal(bake_page(bake, 0, &err), -1);
    assert_message(&err, part);
    expect_empty_note();
    expect_files(fixture, files);
}

TEST(a_packed_page_that_cannot_be_written_takes_the_others_along)
{
    struct fixture fixture = load_steps("    cell: 12\n    sheet: {layout: packed, max_size: 16}\n");
    temp_folder_add(fixture.folder, "out/it@2.json/in the way", "");
    expect_failed_page(&fixture, "out/it@2.json: cannot remove", "it@2.json");
    assert_int_equal(bake->other_pages.count, 0);
    release(&fixture);
}

TEST(a_description_that_cannot_be_written_takes_its_picture_along)
{
    struct fixture fixture = load_steps("");
    temp_folder_add(fixture.folder, "out/it.json/in the way", "");
    expect_failed_page(&fixture, "out/it.json: cannot remove", "it.json");
    release(&fixture);
}

TEST(a_path_too_long_for_the_note_is_an_error)
{
    struct fixture fixture = load_steps("");
    char short_note[16] = "";
    struct error err;
    must_open(&fixture, 0);
    bake->writer.note = short_note;
    bake->writer.note_size = sizeof short_note;
    assert_int_equal(bake_page(bake, 0, &err), -1);
    assert_message(&err, "out/it.png: this path is too long");
    assert_string_equal(short_note, "");
    release(&fixture);
}

/* -- One job after another --------------------------------------------------------------------------------- */

static void expect_failed_open(struct fixture *fixture, size_t job, const char *part)
{
    struct error err = {""};
    need_bake();
    assert_int_equal(open_job(fixture, job, &err), -1);
    assert_null(planner->plan);
    assert_message(&err, part);
}

TEST(a_job_that_fails_does_no_harm_to_the_next)
{
    struct fixture fixture = fixture_new();
    add_steps(&fixture);
    fixture_add_text(&fixture, "models/bad.md2", "IDP2");
    fixture_add_text(&fixture, "bad.png", "\x89PNG\r\n\x1a\n");
    fixture_load(&fixture, DEFAULTS "jobs:\n"
                                    "  - {name: model, model: models/bad.md2}\n"
                                    "  - {name: skin, model: models/steps.md2, skin: bad.png}\n"
                                    "  - {name: clip, model: models/steps.md2, animations: [nonsense]}\n"
                                    "  - {name: it, model: models/steps.md2, sampling: {frames: 0}}\n");
    static const char *const parts[] = {"models/bad.md2: ", "bad.png: ", "no animation 'nonsense'"};
    for (size_t i = 0; i < 3; i++) {
        expect_failed_open(&fixture, i, parts[i]);
        expect_failed_open(&fixture, i, parts[i]);
        must_bake(&fixture, 3);
        expect_page(&fixture, "it.png", "RR/RR");
    }
    release(&fixture);
}

TEST(lists_may_alternate)
{
    struct fixture fixtures[2] = {load_steps("    sampling: {frames: 0}\n"),
                                  load_steps("    sampling: {frames: 3}\n    skin: blue.tga\n")};
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 2; i++) {
            must_bake(&fixtures[i], 0);
            expect_page(&fixtures[i], "it.png", i ? "BB/BB" : "RR/RR");
        }
    release(&fixtures[0]);
    release(&fixtures[1]);
}

TEST(a_model_without_triangles_is_an_empty_page)
{
    struct fixture fixture = fixture_new();
    char *flat = with_change(mesh_text, "numtris 2\n\ttri 0 0 1 2\n\ttri 1 0 2 3\n", "numtris 0\n");
    fixture_add_text(&fixture, "models/flat.md5mesh", flat);
    fixture_load(&fixture, DEFAULTS "jobs:\n  - {name: flat, model: models/flat.md5mesh}\n");
    must_bake(&fixture, 0);
    expect_page(&fixture, "flat.png", "../..");
    json_t *json = read_json(&fixture, "flat.json");
    expect_number(json, "frames|flat/bind/front/0000|duration", 0);
    json_decref(json);
    free(flat);
    release(&fixture);
}
