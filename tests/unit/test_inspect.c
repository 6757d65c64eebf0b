/* Pages are compared by records written here by hand: what is in them is up to the writers of pages. */

#include "asset_tree.h"
#include "base/hash.h"
#include "run/inspect.h"
#include "page/metadata.h"
#include "test.h"

#define PAIRS(...)                                                                                                \
    {                                                                                                             \
        (const struct record_pair[]){__VA_ARGS__},                                                                \
            sizeof((const struct record_pair[]){__VA_ARGS__}) / sizeof(struct record_pair)                        \
    }

enum { MODEL, SKIN, MTR, FILE_COUNT };
static const char *const paths[FILE_COUNT] = {"models/orc.md2", "models/orc.png", "materials/a.mtr"};
static const char *const contents[FILE_COUNT] = {"a model", "a skin", "skins/orc { }\n"};

static char *folder, *output;
static const char *roots[1];
static struct job_list list;
static struct job job;
static char hashes[FILE_COUNT][HASH_SIZE], listed[HASH_SIZE], no_match[HASH_SIZE];
static struct inspector *inspector;
static struct verdict verdict;

static const struct record_pairs usual_settings = PAIRS({"cell", "[128, 128]"}, {"fit", "job"});

static struct record record_of(uint32_t page, uint32_t page_count)
{
    return (struct record){
        .list = "demo",
        .job = "orcs/orc",
        .page = page,
        .page_count = page_count,
        .part_count = 1,
        .output = 7,
        .backend = "osmesa",
        .cpu = "avx2",
        .renderer = "a renderer",
        .library = "Mesa 1",
        .program = "libm.so.6 1",
        .probe = "",
        .settings = usual_settings,
    };
}

static void write_file(const char *name, const char *text)
{
    temp_folder_add(folder, name, text);
}

static void remove_file(const char *name)
{
    char *path = path_join(folder, name);
    assert_int_equal(unlink(path), 0);
    free(path);
}

/* The page `name`: a picture that was made of all there is in the assets, and a JSON. */
static void write_page(const char *name, const struct record *with)
{
    struct record record = *with;
    char *picture = must_printf("%s.png", path_base(name)), *json = must_printf("%s.json", path_base(name));
    char json_hash[HASH_SIZE];
    hash_bytes((struct bytes){(const uint8_t *)"{}", 2}, json_hash);
    const struct record_file files[] = {{json, 2, json_hash}, {picture, 4, hashes[0]}};
    const struct record_pair inputs[] = {
        {paths[MTR], hashes[MTR]}, {paths[MODEL], hashes[MODEL]}, {paths[SKIN], hashes[SKIN]}};
    const char *const absent[] = {"models/orc.jpg", "models/orc[.]png"}; /* the latter is no pattern */
    record.inputs = (struct record_pairs){inputs, FILE_COUNT};
    record.found = (struct record_pairs)PAIRS({"models/ORC.png", "models/orc.png"});
    record.listed = (struct record_pairs)PAIRS({"models/*.md2", listed}, {"models/orc_*.tag", no_match});
    record.declared =
        (struct record_pairs)PAIRS({"materials skins/elf", NULL}, {"materials skins/orc", "materials/a.mtr"});
    record.absent = absent;
    record.absent_count = 2;
    record.files = files;
    record.file_count = 2;
    record.warnings = (const char *const[]){"a \"warning\""};
    record.warning_count = 1;

    struct blob blob;
    struct error err;
    assert_int_equal(record_save(&record, &blob, &err), 0);
    static const char *const suffixes[] = {".png", ".json"};
    for (int i = 0; i < 2; i++) {
        char *path = must_printf("out/%s%s", name, suffixes[i]);
        write_file(path, i ? "{}" : "fine");
        free(path);
    }
    char *path = must_printf("out/%s.sheetbake", name);
    free(temp_folder_write(folder, path, blob.data, blob.size));
    free(path);
    blob_release(&blob);
    free(picture);
    free(json);
}

static void write_assets(void)
{
    struct strings models = {0};
    for (int i = 0; i < FILE_COUNT; i++) {
        char *path = must_printf("assets/%s", paths[i]);
        write_file(path, contents[i]);
        free(path);
        hash_bytes((struct bytes){(const uint8_t *)contents[i], strlen(contents[i])}, hashes[i]);
    }
    strings_add(&models, paths[MODEL]);
    assets_hash_list(&models, listed);
    assets_hash_list(&(struct strings){0}, no_match);
    strings_release(&models);
}

static int set_up(void **state)
{
    (void)state;
    folder = temp_folder_new();
    output = path_join(folder, "out");
    roots[0] = path_join(folder, "assets");
    list = (struct job_list){
        .name = "demo", .output = output, .roots = roots, .root_count = 1, .jobs = &job, .job_count = 1};
    job = (struct job){.name = "orcs/orc"};
    write_assets();
    inspector = inspector_new(false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    verdict_release(&verdict);
    inspector_free(inspector);
    free((char *)roots[0]);
    free(output);
    temp_folder_free(folder);
    return 0;
}

static void inspect_with(const struct record *expected)
{
    inspect_job(inspector, &list, &job, expected, &verdict);
}

static void inspect_now(void)
{
    const struct record expected = record_of(0, 1);
    inspect_with(&expected);
}

static void write_sheet(void)
{
    const struct record record = record_of(0, 1);
    write_page("orcs/orc", &record);
}

/* The reasons of a page, one after the other. */
static void expect_reasons(uint32_t page, const char *expected)
{
    char all[4096] = "";
    const struct reasons *reasons = &verdict.pages[page].reasons;
    for (size_t i = 0; i < reasons->count; i++) {
        char *text = reason_text(&reasons->items[i]);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "; " : "", text);
        free(text);
    }
    assert_string_equal(all, expected);
}

static void expect_with(const struct record *now, const char *wanted)
{
    write_sheet();
    inspect_with(now);
    expect_reasons(0, wanted);
}

/* -- One page ---------------------------------------------------------------------------------------------- */

TEST_WITH(sheet_without_a_record_is_new, set_up, tear_down)
{
    inspect_now();
    assert_int_equal(verdict.page_count, 0);
    expect_reasons(0, "new");
}

TEST_WITH(sheet_of_which_nothing_changed_is_up_to_date, set_up, tear_down)
{
    write_sheet();
    inspect_now();
    expect_reasons(0, "");
    assert_int_equal(verdict.page_count, 1);
    assert_string_equal(verdict.pages[0].names.items[0], "orcs/orc");
}

/* One file is written, or removed where there is no text. */
TEST(changed_files_that_matter_are_told)
{
    static const struct {
        const char *file, *text, *reasons;
    } changes[] = {
        {"assets/models/orc.md2", "a model", ""},
        {"assets/models/orc.md2", "A model", "input models/orc.md2 changed"},
        {"assets/models/orc.png", NULL, "input models/orc.png is gone"},
        {"assets/models/orc.jpg", "", "models/orc.jpg is there now: it was looked for"},
        {"assets/Models/ORC.JPG", "", "models/orc.jpg is there now, as Models/ORC.JPG: it was looked for"},
        {"assets/models/ORC.png", "another", "models/ORC.png is found as models/ORC.png now, was models/orc.png"},
        {"assets/models/orc_head.tag", "",
         "models/orc_head.tag is there now: files that match models/orc_*.tag were looked for"},
        {"assets/models/elf.md2", "", "other files match models/*.md2 now"},
        {"assets/materials/b.mtr", "skins/elf { }\n",
         "materials skins/elf is declared in materials/b.mtr now, was nowhere"},
        {"assets/materials/_.mtr", "skins/orc { }\n",
         "materials skins/orc is declared in materials/_.mtr, again in materials/a.mtr:1 now, was in "
         "materials/a.mtr"},
        {"assets/materials/b.mtr", "skins/troll { }\n", ""},
        {"out/orcs/orc.png", NULL, "orcs/orc.png is missing"},
        {"out/orcs/orc.png", "fin", "orcs/orc.png has 3 bytes, had 4 when it was made"},
        {"out/orcs/orc.json", "[]", "orcs/orc.json was changed since it was made"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        set_up(NULL);
        write_sheet();
        if (changes[i].text)
            write_file(changes[i].file, changes[i].text);
        else
            remove_file(changes[i].file);
        inspect_now();
        expect_reasons(0, changes[i].reasons);
        tear_down(NULL);
    }
}

TEST_WITH(broken_record_is_told, set_up, tear_down)
{
    write_sheet();
    write_file("out/orcs/orc.sheetbake", "{\n");
    inspect_now();
    assert_int_equal(verdict.page_count, 0);
    assert_int_equal(verdict.pages[0].reasons.items[0].kind, REASON_BROKEN);
}

TEST_WITH(several_changes_are_all_told, set_up, tear_down)
{
    write_sheet();
    write_file("assets/models/orc.md2", "A model");
    write_file("assets/models/orc.jpg", "");
    remove_file("out/orcs/orc.png");
    inspect_now();
    expect_reasons(0, "input models/orc.md2 changed; models/orc.jpg is there now: it was looked for; "
                      "orcs/orc.png is missing");
}

TEST_WITH(assets_that_cannot_be_opened_are_told, set_up, tear_down)
{
    write_sheet();
    list.roots = (const char *const[]){"/proc/nothing"};
    inspect_now();
    assert_int_equal(verdict.pages[0].reasons.items[0].kind, REASON_ASSETS);
}

/* -- The job ----------------------------------------------------------------------------------------------- */

TEST_WITH(changed_setting_is_told_with_both_values, set_up, tear_down)
{
    struct record expected = record_of(0, 1);
    expected.settings = (struct record_pairs)PAIRS({"cell", "[256, 256]"}, {"fit", "job"});
    expect_with(&expected, "cell: [128, 128] -> [256, 256]");
}

TEST_WITH(settings_that_come_and_go_are_told, set_up, tear_down)
{
    struct record expected = record_of(0, 1);
    expected.settings = (struct record_pairs)PAIRS({"cell", "[128, 128]"}, {"ground", "auto"});
    expect_with(&expected, "fit: not set, was job; ground: auto, was not set");
}

TEST(another_renderer_or_group_is_told)
{
    static const struct {
        size_t member;
        const char *value, *reasons;
    } changes[] = {
        {offsetof(struct record, backend), "egl", "drawn by another renderer: its backend was osmesa, is egl"},
        {offsetof(struct record, renderer), "EGL 535.54, another card",
         "drawn by another renderer: its name was a renderer, is EGL 535.54, another card"},
        {offsetof(struct record, group), "a hash", "fit of group nothing: settings of its jobs changed"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct record expected = record_of(0, 1);
        memcpy((char *)&expected + changes[i].member, &changes[i].value, sizeof changes[i].value);
        set_up(NULL);
        expect_with(&expected, changes[i].reasons);
        tear_down(NULL);
    }
}

TEST_WITH(each_library_that_is_another_is_told, set_up, tear_down)
{
    struct record record = record_of(0, 1), expected = record;
    record.library = "libLLVM-15.so.1 2, libOSMesa.so.8 1, swrast_dri.so 3";
    record.program = "libdeflate.so.0 5, libm.so.6 6";
    write_page("orcs/orc", &record);
    expected.library = "libLLVM-16.so.1 2, libOSMesa.so.8 1, swrast_dri.so 7";
    expected.program = "libdeflate.so.0 5, libm.so.6 9";
    inspect_with(&expected);
    expect_reasons(0, "the library libLLVM-16.so.1, which compiles what draws, was not used; "
                      "the library swrast_dri.so, which draws, is another build; "
                      "the library libLLVM-15.so.1, which compiles what draws, is no longer used; "
                      "the library libm.so.6, which computes poses, is another build");
}

TEST_WITH(a_library_without_a_build_is_read_to_its_end, set_up, tear_down)
{
    struct record record = record_of(0, 1), expected = record;
    record.library = "libOSMesa.so.8 1";
    write_page("orcs/orc", &record);
    expected.library = "libOSMesa.so.8 1, odd\0beyond";
    inspect_with(&expected);
    expect_reasons(0, "the library odd, which draws, was not used");
    assert_string_equal(verdict.pages[0].reasons.items[0].is, "");
}

TEST_WITH(libraries_that_are_a_hash_are_told_as_one, set_up, tear_down)
{
    struct record record = record_of(0, 1), expected = record;
    record.program = "00112233445566778899aabbccddeeff";
    write_page("orcs/orc", &record);
    expected.program = "libm.so.6 9";
    inspect_with(&expected);
    expect_reasons(0,
                   "drawn by another renderer: its program was 00112233445566778899aabbccddeeff, is libm.so.6 9");
}

TEST_WITH(renderers_that_draw_alike_are_the_same, set_up, tear_down)
{
    struct record record = record_of(0, 1), expected = record;
    record.probe = expected.probe = "00112233445566778899aabbccddeeff";
    write_page("orcs/orc", &record);
    expected.renderer = "OSMesa 99";
    expected.cpu = "another";
    expected.library = "libLLVM-99.so.1 9";
    expected.program = "libm.so.6 9";
    inspect_with(&expected);
    expect_reasons(0, "");
    fact("other variables of drivers are another renderer");
    expected.backend = "osmesa, LP_DEBUG=1";
    verdict_release(&verdict);
    inspect_with(&expected);
    assert_true(verdict.pages[0].reasons.count > 0);
    fact("and so is one that draws something else, though all else is the same");
    expected = record;
    expected.probe = "ff112233445566778899aabbccddeeff";
    verdict_release(&verdict);
    inspect_with(&expected);
    expect_reasons(0, "drawn by another renderer: its probe was 00112233445566778899aabbccddeeff, is "
                      "ff112233445566778899aabbccddeeff");
    fact("a probe that is not known says nothing");
    expected = record;
    expected.probe = "";
    expected.cpu = "another";
    verdict_release(&verdict);
    inspect_with(&expected);
    assert_true(verdict.pages[0].reasons.count > 0);
}

TEST_WITH(renderer_that_is_not_known_is_never_the_same, set_up, tear_down)
{
    struct record record = record_of(0, 1);
    record.library = "";
    write_page("orcs/orc", &record);
    inspect_with(&record);
    expect_reasons(0, "drawn by another renderer: its library was unknown, is unknown");
}

TEST_WITH(another_version_is_told, set_up, tear_down)
{
    struct record expected = record_of(0, 1);
    expected.output = 8;
    expect_with(&expected, "made by another version of sheetbake");
}

TEST_WITH(sheet_of_another_job_is_told, set_up, tear_down)
{
    struct record other = record_of(0, 1);
    other.list = "old";
    write_page("orcs/orc", &other);
    inspect_now();
    expect_reasons(0, "orcs/orc.sheetbake was made for job 'orcs/orc' of list 'old'");
}

TEST_WITH(sheets_of_jobs_with_longer_names_are_not_its_own, set_up, tear_down)
{
    struct record other = record_of(0, 1);
    other.job = "orcs/orc@2";
    write_page("orcs/orc@2", &other);
    write_page("orcs/orc2", &other);
    inspect_now();
    assert_int_equal(verdict.page_count, 0);
    expect_reasons(0, "new");
}

TEST_WITH(copy_under_another_name_does_not_stand_for_the_sheet, set_up, tear_down)
{
    write_sheet();
    char *from = path_join(folder, "out/orcs/orc.sheetbake"),
         *to = path_join(folder, "out/orcs/orc@old.sheetbake");
    assert_int_equal(rename(from, to), 0);
    free(from);
    free(to);
    inspect_now();
    expect_reasons(0, "orcs/orc@old.sheetbake: it is the record of another page, of job 'orcs/orc'");
}

/* -- Several pages ----------------------------------------------------------------------------------------- */

static void write_pages(uint32_t count)
{
    for (uint32_t page = 0; page < count; page++) {
        const struct record record = record_of(page, count);
        char *name = page ? must_printf("orcs/orc@%u", page) : must_strdup("orcs/orc");
        write_page(name, &record);
        free(name);
    }
}

TEST_WITH(pages_are_compared_one_by_one, set_up, tear_down)
{
    write_pages(3);
    remove_file("out/orcs/orc@1.png");
    inspect_now();
    assert_int_equal(verdict.page_count, 3);
    expect_reasons(0, "");
    expect_reasons(1, "orcs/orc@1.png is missing");
    expect_reasons(2, "");
}

TEST_WITH(page_without_a_record_is_new_among_others, set_up, tear_down)
{
    write_pages(3);
    remove_file("out/orcs/orc.sheetbake");
    inspect_now();
    assert_int_equal(verdict.page_count, 3);
    expect_reasons(0, "new");
    expect_reasons(1, "");
    char *name = verdict_page_name(&verdict, &job, 0);
    assert_string_equal(name, "orcs/orc, page 1 of 3");
    free(name);
}

TEST_WITH(changed_input_makes_the_number_of_pages_unknown, set_up, tear_down)
{
    write_pages(3);
    write_file("assets/models/orc.md2", "A model");
    inspect_now();
    assert_int_equal(verdict.page_count, 0);
    expect_reasons(0, "input models/orc.md2 changed");
}

TEST_WITH(page_that_the_job_has_no_more_is_none, set_up, tear_down)
{
    write_pages(3);
    const struct record first = record_of(0, 1);
    write_page("orcs/orc", &first);
    inspect_now();
    assert_int_equal(verdict.page_count, 1);
    expect_reasons(0, "");
}

TEST_WITH(page_of_an_interrupted_run_is_compared_with_its_own_record, set_up, tear_down)
{
    write_pages(2);
    struct record old = record_of(1, 2);
    old.settings = (struct record_pairs)PAIRS({"cell", "64"}, {"fit", "job"});
    write_page("orcs/orc@1", &old);
    inspect_now();
    assert_int_equal(verdict.page_count, 2);
    expect_reasons(0, "");
    expect_reasons(1, "cell: 64 -> [128, 128]");
}

static void write_parts(uint32_t count)
{
    for (uint32_t part = 0; part < count; part++) {
        struct record record = record_of(0, 1);
        record.part = part;
        record.part_count = count;
        char *name = part ? must_printf("orcs/orc@%u", part) : must_strdup("orcs/orc");
        write_page(name, &record);
        free(name);
    }
}

TEST_WITH(parts_of_a_packed_sheet_are_one_page, set_up, tear_down)
{
    write_parts(2);
    inspect_now();
    assert_int_equal(verdict.page_count, 1);
    assert_int_equal(verdict.pages[0].names.count, 2);
    expect_reasons(0, "");
    verdict_release(&verdict);
    remove_file("out/orcs/orc@1.png");
    inspect_now();
    expect_reasons(0, "orcs/orc@1.png is missing");
}

TEST_WITH(part_without_a_record_is_missed, set_up, tear_down)
{
    write_parts(3);
    remove_file("out/orcs/orc@2.sheetbake");
    inspect_now();
    expect_reasons(0, "2 of its 3 parts are there");
}

TEST_WITH(part_that_the_sheet_has_no_more_does_not_matter, set_up, tear_down)
{
    write_parts(3);
    for (uint32_t part = 1; part < 3; part++) {
        struct record old = record_of(0, 1);
        old.part = part;
        old.part_count = 3;
        old.output = 6;
        char *page = must_printf("orcs/orc@%u", part);
        write_page(page, &old);
        free(page);
    }
    const struct record one = record_of(0, 1);
    write_page("orcs/orc", &one);
    inspect_now();
    assert_int_equal(verdict.pages[0].names.count, 1);
    expect_reasons(0, "");
}

TEST_WITH(page_under_an_earlier_name_does_not_matter, set_up, tear_down)
{
    struct record old = record_of(0, 1);
    old.settings = (struct record_pairs)PAIRS({"cell", "64"}, {"fit", "job"});
    write_page("orcs/orc@left", &old);
    write_page("orcs/orc@zoom", &old);
    const struct record now = record_of(0, 1);
    write_page("orcs/orc@right", &now);
    inspect_now();
    assert_string_equal(verdict.pages[0].names.items[0], "orcs/orc@right");
    expect_reasons(0, "");
}

TEST_WITH(warnings_are_kept_where_all_is_up_to_date, set_up, tear_down)
{
    write_sheet();
    inspect_now();
    assert_int_equal(verdict.warnings.count, 1);
    assert_string_equal(verdict.warnings.items[0], "a \"warning\"");
    verdict_release(&verdict);
    write_file("assets/models/orc.md2", "A model");
    inspector_free(inspector);
    inspector = inspector_new(false);
    inspect_now();
    assert_int_equal(verdict.warnings.count, 0);
}
