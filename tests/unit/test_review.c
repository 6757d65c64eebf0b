/* Two folders, made by hand, and what their review says: each state of frames and sheets, causes, order, bad input. */
#include <fcntl.h>

#include "base/clock.h"
#include "review/review.h"
#include "review_hand.h"

#define FRAME(n, c)                                                                                               \
    {                                                                                                             \
        "walk/east/000" #n, c, 100, 0.5, n                                                                        \
    }

struct folders {
    char *before, *after;
};

static const struct hand_sheet orc = {
    .job = "orc", .frames = {FRAME(0, 0xff0000ff), FRAME(1, 0x00ff00ff)}, .loops = true};

static struct folders make_folders(const struct hand_sheet *before, const struct hand_sheet *after)
{
    struct folders folders = {temp_folder_new(), temp_folder_new()};
    if (before)
        hand_add(folders.before, before);
    if (after)
        hand_add(folders.after, after);
    return folders;
}

static void free_folders(struct folders *folders)
{
    temp_folder_free(folders->before);
    temp_folder_free(folders->after);
}

static struct review review_of(const struct folders *folders, const struct review_settings *settings)
{
    const struct review_settings none = {0};
    const struct review_source before = {
        .folder = folders->before, .name = "b", .detail = "", .may_be_empty = true};
    const struct review_source after = {.folder = folders->after, .name = "a", .detail = "", .may_be_empty = true};
    struct review review;
    struct error err;
    if (review_folders(&before, &after, settings ? settings : &none, &review, &err) < 0)
        fail_msg("%s", err.text);
    return review;
}

/* The state of the one sheet, of its frames in their order ("changed same"), and its first cause. */
static void expect(const struct hand_sheet *before, const struct hand_sheet *after, enum review_state state,
                   const char *frames, const char *cause)
{
    struct folders folders = make_folders(before, after);
    struct review review = review_of(&folders, NULL);
    char *text = must_strdup("");
    assert_int_equal(review.sheet_count, state != REVIEW_SAME);
    assert_int_equal(review.sheet_totals[state], 1);
    if (review.sheet_count) {
        const struct review_sheet *sheet = &review.sheets[0];
        assert_string_equal(review_states[sheet->state].name, review_states[state].name);
        for (size_t i = 0; i < sheet->frame_count; i++) {
            char *longer =
                must_printf("%s%s%s", text, *text ? " " : "", review_states[sheet->frames[i].state].name);
            free(text);
            text = longer;
        }
        assert_string_equal(text, frames);
        assert_string_equal(review.causes[sheet->causes[0]].text, cause);
    }
    free(text);
    review_release(&review);
    free_folders(&folders);
}

/* -- States ------------------------------------------------------------------------------------------------ */

TEST(a_sheet_of_equal_records_is_same)
{
    expect(&orc, &orc, REVIEW_SAME, "", "");
}

TEST(a_frame_of_other_pixels_is_changed)
{
    struct hand_sheet after = orc;
    after.frames[1].color = 0x00fe00ff;
    after.skin_hash = HAND_HASH("b");
    expect(&orc, &after, REVIEW_CHANGED, "same changed", "input skin.png changed");
}

TEST(a_frame_of_the_same_pixels_and_another_pivot_is_moved)
{
    struct hand_sheet after = orc;
    after.frames[0].pivot_x = 0.25;
    after.cell = "[5, 5]";
    expect(&orc, &after, REVIEW_MOVED, "moved same", "cell: [4, 4] -> [5, 5]");
}

TEST(a_frame_of_another_duration_is_retimed)
{
    struct hand_sheet after = orc;
    after.frames[1].duration_ms = 50;
    expect(&orc, &after, REVIEW_RETIMED, "same retimed", "the records give no cause");
}

TEST(a_clip_that_loops_no_more_is_retimed)
{
    struct hand_sheet after = orc;
    after.loops = false;
    expect(&orc, &after, REVIEW_RETIMED, "same same", "the records give no cause");
}

TEST(a_frame_that_comes_is_added_and_one_that_goes_removed)
{
    struct hand_sheet longer = orc;
    longer.frames[2] = (struct hand_frame)FRAME(2, 0x0000ffff);
    expect(&orc, &longer, REVIEW_CHANGED, "same same added", "the records give no cause");
    expect(&longer, &orc, REVIEW_CHANGED, "same same removed", "the records give no cause");
}

TEST(a_frame_of_the_same_pixels_under_another_name_is_renamed)
{
    struct hand_sheet after = orc;
    after.frames[1].name = "walk/east/0007";
    expect(&orc, &after, REVIEW_RENAMED, "same renamed", "only names differ");
}

TEST(frames_elsewhere_on_the_page_are_repacked)
{
    struct hand_sheet after = orc;
    after.frames[0].x = 3;
    expect(&orc, &after, REVIEW_REPACKED, "same same", "the records give no cause");
}

TEST(the_same_files_of_other_settings_are_settings)
{
    struct hand_sheet after = orc;
    after.backend = "egl";
    expect(&orc, &after, REVIEW_SETTINGS, "same same",
           "drawn by another renderer: its backend was osmesa, is egl");
}

TEST(sheets_of_an_older_output_version_are_compared)
{
    struct hand_sheet before = orc;
    before.output = OUTPUT_VERSION - 1;
    expect(&before, &orc, REVIEW_SETTINGS, "same same", "made by another version of sheetbake");
}

TEST(a_sheet_that_one_side_has_is_added_or_removed)
{
    expect(NULL, &orc, REVIEW_ADDED, "added added", "not made before");
    expect(&orc, NULL, REVIEW_REMOVED, "removed removed", "no longer made");
}

/* -- Sheets under other names -------------------------------------------------------------------------------- */

static void expect_renamed(const struct hand_sheet *after, enum review_state state)
{
    struct folders folders = make_folders(&orc, after);
    struct review review = review_of(&folders, NULL);
    assert_int_equal(review.sheet_count, 1);
    assert_string_equal(review.sheets[0].name, "units/goblin");
    assert_string_equal(review.sheets[0].old_name, "units/orc");
    assert_string_equal(review_states[review.sheets[0].state].name, review_states[state].name);
    review_release(&review);
    free_folders(&folders);
}

TEST(a_job_of_the_same_picture_is_renamed)
{
    struct hand_sheet after = orc;
    after.job = "goblin";
    after.skin_hash = HAND_HASH("b");
    expect_renamed(&after, REVIEW_RENAMED);
}

TEST(a_job_of_the_same_inputs_is_renamed_though_its_pixels_differ)
{
    struct hand_sheet after = orc;
    after.job = "goblin";
    after.skin = "green.png";
    after.frames[0].color = 0x123456ff;
    expect_renamed(&after, REVIEW_CHANGED);
}

TEST(of_two_jobs_with_one_picture_none_is_renamed)
{
    struct hand_sheet after = orc, third = orc;
    after.job = "goblin";
    third.job = "elf";
    struct folders folders = make_folders(&orc, &after);
    hand_add(folders.after, &third);
    struct review review = review_of(&folders, NULL);
    assert_int_equal(review.sheet_totals[REVIEW_ADDED], 2);
    assert_int_equal(review.sheet_totals[REVIEW_REMOVED], 1);
    review_release(&review);
    free_folders(&folders);
}

/* -- Settings, causes, order --------------------------------------------------------------------------------- */

TEST(a_few_pixels_and_small_differences_may_be_left_out)
{
    struct hand_sheet after = orc;
    after.frames[1].color = 0x00fe00ff; /* 12 pixels, by 0.0027 */
    struct folders folders = make_folders(&orc, &after);
    const struct {
        struct review_settings settings;
        size_t changed;
    } rows[] = {{{.pixels = 11}, 1}, {{.pixels = 12}, 0}, {{.tolerance = 0.002}, 1}, {{.tolerance = 0.003}, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct review review = review_of(&folders, &rows[i].settings);
        assert_int_equal(review.sheet_totals[REVIEW_CHANGED], rows[i].changed);
        assert_int_equal(review.sheet_totals[REVIEW_SAME], !rows[i].changed);
        review_release(&review);
    }
    free_folders(&folders);
}

static void expect_tolerated(const struct hand_sheet *after, enum review_state state)
{
    struct folders folders = make_folders(&orc, after);
    struct review review = review_of(&folders, &(struct review_settings){.tolerance = 0.003});
    assert_int_equal(review.sheet_totals[state], 1);
    assert_int_equal(review.sheet_count, state != REVIEW_SAME);
    review_release(&review);
    free_folders(&folders);
}

TEST(what_is_tolerated_is_the_same_but_for_settings_and_warnings)
{
    struct hand_sheet after = orc;
    after.frames[1].color = 0x00fe00ff;
    expect_tolerated(&after, REVIEW_SAME);
    after.frames[0].x = 3;
    expect_tolerated(&after, REVIEW_SAME);
    after.cell = "[5, 5]";
    expect_tolerated(&after, REVIEW_REPACKED);
    after.frames[0].x = 0;
    expect_tolerated(&after, REVIEW_SETTINGS);
    after.cell = NULL;
    after.warning = "no skin";
    expect_tolerated(&after, REVIEW_SETTINGS);
    after.frames[1].duration_ms = 50;
    expect_tolerated(&after, REVIEW_RETIMED);
}

TEST(only_the_jobs_asked_for_are_compared)
{
    struct folders folders = make_folders(NULL, &orc);
    struct review review = review_of(&folders, &(struct review_settings){.only = "elf*"});
    assert_int_equal(review.sheet_count, 0);
    review_release(&review);
    review = review_of(&folders, &(struct review_settings){.only = "o?c"});
    assert_int_equal(review.sheet_count, 1);
    review_release(&review);
    free_folders(&folders);
}

TEST(sheets_are_in_order_of_their_worst_frame_and_share_causes)
{
    struct folders folders = make_folders(NULL, NULL);
    const uint32_t colors[] = {0xfe0000ff, 0x0000ffff, 0xee0000ff};
    const char *const jobs[] = {"little", "much", "some"};
    for (int i = 0; i < 3; i++) {
        struct hand_sheet sheet = orc;
        sheet.job = jobs[i];
        hand_add(folders.before, &sheet);
        sheet.frames[0].color = colors[i];
        sheet.skin_hash = HAND_HASH("b");
        hand_add(folders.after, &sheet);
    }
    struct review review = review_of(&folders, NULL);
    assert_int_equal(review.sheet_count, 3);
    assert_string_equal(review.sheets[0].job, "much");
    assert_string_equal(review.sheets[1].job, "some");
    assert_string_equal(review.sheets[2].job, "little");
    assert_int_equal(review.cause_count, 1);
    assert_int_equal(review.causes[0].sheets, 3);
    review_release(&review);
    free_folders(&folders);
}

TEST(warnings_and_facts_of_both_sides_are_there)
{
    struct hand_sheet before = orc, after = orc;
    before.warning = "no skin";
    after.warning = "no normal map";
    after.triangles = "24";
    struct folders folders = make_folders(&before, &after);
    struct review review = review_of(&folders, NULL);
    const struct review_sheet *sheet = &review.sheets[0];
    assert_int_equal(sheet->new_warning_count, 1);
    assert_string_equal(sheet->new_warnings[0], "no normal map");
    assert_string_equal(sheet->gone_warnings[0], "no skin");
    assert_string_equal(sheet->told[0], "triangles 12 -> 24");
    review_release(&review);
    free_folders(&folders);
}

/* -- What failed --------------------------------------------------------------------------------------------- */

TEST(a_job_that_could_not_be_drawn_is_failed_and_one_that_could_before_not_fixed)
{
    struct review_failure failure = {"units", "orc", "the model is cut off", .is_own = true};
    struct folders folders = make_folders(&orc, &orc);
    for (int is_after = 0; is_after <= 1; is_after++) {
        struct hand_sheet other = orc;
        other.warning = is_after ? "x" : "y"; /* or its records would be equal */
        hand_add(is_after ? folders.before : folders.after, &other);
        struct review_source sides[2] = {{.folder = folders.before, .name = "b", .detail = ""},
                                         {.folder = folders.after, .name = "a", .detail = ""}};
        sides[is_after].failures = (struct review_failures){&failure, 1, 1};
        struct review review;
        struct error err;
        assert_int_equal(review_folders(&sides[0], &sides[1], &(struct review_settings){0}, &review, &err), 0);
        assert_int_equal(review.sheet_count, 1);
        assert_int_equal(review.sheets[0].state, is_after ? REVIEW_FAILED : REVIEW_FIXED);
        assert_string_equal(review.sheets[0].reason, failure.reason);
        review_release(&review);
    }
    free_folders(&folders);
}

/* The job failed on the sides that are not NULL; what was drawn of it differs. */
static void expect_failed(const struct review_failure *before, const struct review_failure *after,
                          enum review_state state, const char *reason)
{
    struct hand_sheet other = orc;
    other.warning = "x"; /* or its records would be equal */
    struct folders folders = make_folders(&orc, &other);
    const struct review_source sides[2] = {
        {folders.before, "b", "", {(struct review_failure *)before, before != NULL, 1}},
        {folders.after, "a", "", {(struct review_failure *)after, after != NULL, 1}},
    };
    struct review review;
    struct error err;
    assert_int_equal(review_folders(&sides[0], &sides[1], &(struct review_settings){0}, &review, &err), 0);
    assert_int_equal(review.sheet_count, 1);
    assert_string_equal(review_states[review.sheets[0].state].name, review_states[state].name);
    assert_string_equal(review.sheets[0].reason, reason);
    assert_int_equal(review.sheet_totals[REVIEW_SAME], 0);
    assert_int_equal(review.sheet_totals[state], 1);
    review_release(&review);
    free_folders(&folders);
}

TEST(what_could_not_be_looked_at_is_unknown_and_nothing_that_failed_is_same)
{
    const struct review_failure own = {"units", "orc", "cut off", .is_own = true},
                                lost = {"units", "orc", "killed"};
    expect_failed(NULL, &own, REVIEW_FAILED, "cut off");
    expect_failed(&own, NULL, REVIEW_FIXED, "cut off");
    expect_failed(&own, &own, REVIEW_FAILED, "on both sides: cut off");
    expect_failed(NULL, &lost, REVIEW_UNKNOWN, "killed");
    expect_failed(&lost, NULL, REVIEW_UNKNOWN, "before: killed");
    expect_failed(&lost, &lost, REVIEW_UNKNOWN, "on both sides: killed");
    expect_failed(&lost, &own, REVIEW_UNKNOWN, "before: killed");
    expect_failed(&own, &lost, REVIEW_UNKNOWN, "killed");
}

TEST(a_texture_that_is_missing_now_is_lost)
{
    struct hand_sheet before = orc, after = orc;
    before.missing_textures = "0";
    after.missing_textures = "1";
    expect(&before, &after, REVIEW_TEXTURE_LOST, "same same", "the records give no cause");
    before.missing_textures = NULL; /* not known */
    expect(&before, &after, REVIEW_SAME, "", "");
    fact("one that was found in the place of another does not hide it");
    before.missing_textures = "1";
    after.absent = "skin.png";
    after.skin = "other.png";
    after.warning = "no skin.png";
    expect(&before, &after, REVIEW_TEXTURE_LOST, "same same", "input skin.png is gone");
    after.warning = NULL; /* another suffix of the same texture was found */
    expect(&before, &after, REVIEW_SETTINGS, "same same", "input skin.png is gone");
}

TEST(a_file_that_is_found_and_not_read_comes_and_goes)
{
    struct hand_sheet before = orc, after = orc;
    before.found = after.absent = "c.tga";
    expect(&before, &after, REVIEW_SETTINGS, "same same", "c.tga is gone");
    expect(&after, &before, REVIEW_SETTINGS, "same same", "c.tga is there now: it was looked for");
}

/* Each file of a sheet in turn: damaged, it costs that sheet alone, with one message that names it. */
TEST(a_damaged_file_costs_its_own_sheet)
{
    static const char *const files[] = {"orc.png", "orc.json", "orc.sheetbake"};
    for (size_t i = 0; i < 3; i++) {
        struct hand_sheet after = orc, elf = orc, other = orc;
        elf.job = other.job = "elf";
        other.frames[0].color = after.frames[0].color = 0x123456ff;
        struct folders folders = make_folders(&orc, &after);
        hand_add(folders.before, &elf);
        hand_add(folders.after, &other);
        temp_folder_add(folders.after, files[i], "\x89PNG\r\n\x1a\nnothing");
        struct review review = review_of(&folders, NULL);
        assert_int_equal(review.sheet_count, 2);
        assert_int_equal(review.sheets[0].state, REVIEW_UNKNOWN);
        assert_string_equal(review.sheets[0].job, "orc");
        assert_int_equal(review.sheets[1].state, REVIEW_CHANGED);
        assert_int_equal(review.problems.count, 1);
        assert_non_null(strstr(review.problems.items[0], files[i]));
        assert_non_null(strstr(review.problems.items[0], folders.after));
        review_release(&review);
        free_folders(&folders);
    }
}

TEST(numbers_of_facts_are_told_in_thousands_however_large)
{
    struct hand_sheet before = orc, after = orc;
    before.triangles = "2e20";
    after.triangles = "-123456";
    struct folders folders = make_folders(&before, &after);
    struct review review = review_of(&folders, NULL);
    assert_string_equal(review.sheets[0].told[0], "triangles 2e+20 -> -123,456");
    review_release(&review);
    free_folders(&folders);
}

/* Returns texts that begin with a letter and are all different. */
static const char **many_texts(struct arena *arena, char letter, size_t count)
{
    const char **texts = arena_must_alloc(arena, count, sizeof *texts);
    for (size_t i = 0; i < count; i++)
        texts[i] = arena_printf(arena, "%c%06zu", letter, i);
    return texts;
}

TEST(warnings_of_strangers_are_compared_in_little_time)
{
    enum { MANY = 100 * 1000 };
    struct arena arena = {0};
    struct hand_sheet before = orc, after = orc;
    before.warning_count = after.warning_count = MANY;
    before.warnings = many_texts(&arena, 'a', MANY);
    after.warnings = many_texts(&arena, 'b', MANY);
    struct folders folders = make_folders(&before, &after);
    const double start_s = clock_now_s();
    struct review review = review_of(&folders, NULL);
    assert_int_equal(review.sheets[0].new_warning_count, MANY);
    assert_int_equal(review.sheets[0].gone_warning_count, MANY);
    assert_true(clock_now_s() - start_s < 10);
    review_release(&review);
    free_folders(&folders);
    arena_release(&arena);
}

TEST(inputs_of_strangers_are_compared_in_little_time)
{
    enum { MANY = 30 * 1000 };
    struct arena arena = {0};
    struct hand_sheet hands[] = {orc, orc};
    for (int version = 0; version < 2; version++) {
        const char **names = many_texts(&arena, "ab"[version], MANY);
        struct record_pair *inputs = arena_must_alloc(&arena, MANY, sizeof *inputs);
        for (size_t i = 0; i < MANY; i++)
            inputs[i] = (struct record_pair){names[i], arena_printf(&arena, "%032zx", 2 * i + (size_t)version)};
        hands[version].inputs = (struct record_pairs){inputs, MANY};
    }
    struct folders folders = make_folders(&hands[0], &hands[1]);
    const double start_s = clock_now_s();
    struct review review = review_of(&folders, NULL);
    assert_int_equal(review.cause_count, 2 * MANY);
    assert_true(clock_now_s() - start_s < 5);
    review_release(&review);
    free_folders(&folders);
    arena_release(&arena);
}

/* -- What a stranger wrote ------------------------------------------------------------------------------------- */

/* Each `old` in the JSON of the sheet becomes `new`. */
static void replace_in_json(const char *folder, const char *old, const char *new)
{
    struct blob json;
    struct error err;
    struct buffer text = {0};
    char *path = path_join(folder, "orc.json");
    if (file_read(path, 1 << 20, &json, &err) < 0)
        fail_msg("%s", err.text);
    char *whole = must_printf("%.*s", (int)json.size, (const char *)json.data), *at = whole, *found;
    while ((found = strstr(at, old))) {
        buffer_printf(&text, "%.*s%s", (int)(found - at), at, new);
        at = found + strlen(old);
    }
    assert_true(at > whole);
    buffer_printf(&text, "%s", at);
    temp_folder_add(folder, "orc.json", text.text);
    buffer_release(&text);
    blob_release(&json);
    free(whole);
    free(path);
}

static void expect_refused(const char *old, const char *new, const char *message)
{
    struct hand_sheet after = orc;
    after.frames[1].color = 0x123456ff;
    struct folders folders = make_folders(&orc, &after);
    replace_in_json(folders.before, old, new);
    replace_in_json(folders.after, old, new);
    struct review review = review_of(&folders, NULL);
    assert_int_equal(review.sheet_count, 1);
    assert_string_equal(review_states[review.sheets[0].state].name, "unknown");
    if (!strstr(review.sheets[0].reason, message))
        assert_string_equal(review.sheets[0].reason, message);
    review_release(&review);
    free_folders(&folders);
}

/* 17 passes with that in colour. */
static const char many_passes[] =
    "\"passes\": {\"a\": \"x.png\", \"b\": \"x.png\", \"c\": \"x.png\", \"d\": \"x.png\", "
    "\"e\": \"x.png\", \"f\": \"x.png\", \"g\": \"x.png\", \"h\": \"x.png\", \"i\": \"x.png\", "
    "\"j\": \"x.png\", \"k\": \"x.png\", \"l\": \"x.png\", \"m\": \"x.png\", \"n\": \"x.png\", "
    "\"o\": \"x.png\", \"p\": \"x.png\"}";

TEST(what_could_not_be_shown_is_refused)
{
    expect_refused("\"w\": 4", "\"w\": 0", "frame 'orc/walk/east/0000' has no place");
    expect_refused("\"h\": 4,\n    ", "\"h\": 0, ", "frame 'orc/walk/east/0000' has no place");
    expect_refused("\"w\": 32", "\"w\": 0", "how large its page is");
    expect_refused("\"duration\": 100", "\"duration\": 1e308", "frame 'orc/walk/east/0000' has no place");
    expect_refused("\"duration\": 100", "\"duration\": -1", "frame 'orc/walk/east/0000' has no place");
    expect_refused("\"x\": 0.5", "\"x\": 1e303", "frame 'orc/walk/east/0000' has no place");
    expect_refused("\"cameras\": {}",
                   "\"sockets\": {\"hand\": {\"orc/walk/east/0000\": {\"x\": -1e303, \"y\": 0}}}",
                   "socket 'hand' of frame 'orc/walk/east/0000' has no place");
    expect_refused("\"walk/east\": ", "\"\": ", "an animation without a name");
    expect_refused("\"cameras\": {}", many_passes, "more than 16 passes");
    expect_refused("\"cameras\": {}", "\"passes\": {\"color\": \"x.png\"}", "two passes 'color'");
}

TEST(a_record_of_nothing_is_refused_on_each_side)
{
    struct hand_sheet before = orc, after = orc;
    before.has_no_input = after.has_no_input = true;
    after.job = "goblin";
    struct folders folders = make_folders(&before, &after);
    struct review review = review_of(&folders, NULL);
    assert_int_equal(review.sheet_totals[REVIEW_UNKNOWN], 2);
    assert_non_null(strstr(review.sheets[0].reason, "names no input"));
    review_release(&review);
    free_folders(&folders);
}

TEST(a_sheet_that_failed_was_not_renamed)
{
    const struct review_failure failure = {"units", "orc", "no such animation", .is_own = true};
    struct hand_sheet after = orc;
    after.job = "goblin";
    struct folders folders = make_folders(&orc, &after);
    const struct review_source sides[2] = {{folders.before, "b", ""},
                                           {folders.after, "a", "", {(struct review_failure *)&failure, 1, 1}}};
    struct review review;
    struct error err;
    assert_int_equal(review_folders(&sides[0], &sides[1], &(struct review_settings){0}, &review, &err), 0);
    assert_int_equal(review.sheet_count, 2);
    assert_int_equal(review.sheet_totals[REVIEW_FAILED], 1);
    assert_int_equal(review.sheet_totals[REVIEW_ADDED], 1);
    assert_string_equal(review.sheets[0].job, "orc");
    review_release(&review);
    free_folders(&folders);
}

/* -- Memory -------------------------------------------------------------------------------------------------- */

static void write_picture(const char *folder, const char *name, uint32_t side)
{
    struct sheet sheet;
    struct blob png;
    struct error err;
    assert_int_equal(sheet_init(&sheet, SHEET_COLOR, side, side, &err), 0);
    assert_int_equal(sheet_save_png(&sheet, &png, &err), 0);
    free(temp_folder_write(folder, name, png.data, png.size));
    blob_release(&png);
    sheet_release(&sheet);
}

/* Reads four passes, and tells how many of their pictures are kept. */
static size_t count_kept(uint32_t side_px)
{
    static const char *const passes[] = {"color", "normal", "uv", "clay"};
    char *folder = temp_folder_new();
    struct page_set set = {.folder = folder, .fd = open(folder, O_RDONLY | O_DIRECTORY)};
    struct page page = {.stem = "orc", .pass_count = 4};
    struct made_sheet sheet = {.set = &set, .name = "orc", .pages = &page, .page_count = 1};
    const struct atlas_frame frame = {
        .name = "orc/walk", .rect = {0, 0, 4, 4}, .source = {0, 0, 4, 4}, .source_px = {4, 4}};
    struct made_pass own[4];
    struct made_pictures pictures = {0};
    size_t kept = 0;
    page.passes = own;
    write_picture(folder, "orc.png", side_px);
    for (size_t i = 0; i < 4; i++) {
        struct pixel_view view;
        struct error err;
        own[i] = (struct made_pass){.name = passes[i], .picture = "orc.png", .path = "orc.png", .hash = ""};
        page.pass_count = i + 1;
        assert_int_equal(made_frame_cell(&pictures, &sheet, &frame, passes[i], &view, &err), 0);
    }
    for (size_t i = 0; i < MADE_PICTURES; i++)
        kept += pictures.items[i].image.pixels != NULL;
    made_pictures_release(&pictures);
    close(set.fd);
    temp_folder_free(folder);
    return kept;
}

TEST(of_large_pictures_one_is_kept)
{
    assert_int_equal(count_kept(64), 4);
    assert_int_equal(count_kept(4096), 1);
}

static void expect_no_folder(const char *folder, const char *message)
{
    const struct review_source source = {.folder = folder, .name = "", .detail = ""};
    struct review review;
    struct error err;
    assert_int_equal(review_folders(&source, &source, &(struct review_settings){0}, &review, &err), -1);
    assert_non_null(strstr(err.text, message));
}

TEST(a_folder_that_is_not_there_or_of_no_run_is_told)
{
    char *folder = temp_folder_new();
    expect_no_folder("/nonexistent", "/nonexistent: No such file");
    expect_no_folder(folder, "no run of sheetbake wrote this folder");
    temp_folder_free(folder);
}
