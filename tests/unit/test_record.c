/* Records are written and read back. */
#include <stdlib.h>
#include <string.h>

#include "page/record.h"
#include "test.h"

#define HASH_A "0123456789abcdef0123456789abcdef"
#define HASH_B "ffffffffffffffffffffffffffffffff"
#define PAIRS(...)                                                                                                \
    {                                                                                                             \
        (const struct record_pair[]){__VA_ARGS__},                                                                \
            sizeof((const struct record_pair[]){__VA_ARGS__}) / sizeof(struct record_pair)                        \
    }

static const struct record sample = {
    .list = "demo",
    .job = "orcs/grunt",
    .page = 1,
    .page_count = 3,
    .output = 7,
    .backend = "osmesa",
    .cpu = "GenuineIntel avx2",
    .probe = "00112233445566778899aabbccddeeff",
    .library = "abc def",
    .program = "ghi",
    .settings = PAIRS({"cell", "[128, 128]"}, {"fit.scope", "job"}),
    .group = HASH_B,
    .inputs = PAIRS({"models/grunt.md2", HASH_A}, {"models/grunt.png", HASH_B}),
    .packed = PAIRS({"models/grunt.md2", HASH_B}),
    .found = PAIRS({"models/GRUNT.md2", "models/grunt.md2"}),
    .listed = PAIRS({"models/grunt.*", HASH_A}),
    .declared = PAIRS({"materials a", "materials/a.mtr"}, {"materials b", NULL}),
    .absent = (const char *const[]){"models/grunt.tga", "models/x.tga"},
    .absent_count = 2,
    .files = (const struct record_file[]){{"grunt.normal.png", 9, HASH_B}, {"grunt.png", 123456, HASH_A}},
    .file_count = 2,
    .renderer = "a renderer",
    .warnings = (const char *const[]){"no skin", "caf\xe9"},
    .warning_count = 2,
    .facts = PAIRS({"model", "models/grunt.md2"}, {"triangles", "640"}),
};

static struct blob written(const struct record *record)
{
    struct blob file;
    struct error err = {""};
    if (record_save(record, &file, &err) < 0)
        fail_msg("%s", err.text);
    return file;
}

static struct record read_back(const struct record *record, enum record_extent extent)
{
    struct blob json = written(record);
    struct record out;
    struct error err = {""};
    if (record_load(blob_bytes(&json), extent, &out, &err) < 0)
        fail_msg("%s", err.text);
    blob_release(&json);
    return out;
}

static void expect_pairs(const struct record_pairs *a, const struct record_pairs *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_string_equal(a->items[i].name, b->items[i].name);
        if (a->items[i].value)
            assert_string_equal(a->items[i].value, b->items[i].value);
        else
            assert_null(b->items[i].value);
    }
}

TEST(a_record_is_read_as_it_was_written)
{
    struct record record = read_back(&sample, RECORD_WHOLE);
    assert_string_equal(record.list, "demo");
    assert_string_equal(record.job, "orcs/grunt");
    assert_int_equal(record.page, 1);
    assert_int_equal(record.page_count, 3);
    assert_int_equal(record.output, 7);
    assert_string_equal(record.backend, "osmesa");
    assert_string_equal(record.cpu, "GenuineIntel avx2");
    assert_string_equal(record.probe, "00112233445566778899aabbccddeeff");
    assert_string_equal(record.library, "abc def");
    assert_string_equal(record.program, "ghi");
    assert_string_equal(record.group, HASH_B);
    expect_pairs(&record.settings, &sample.settings);
    expect_pairs(&record.inputs, &sample.inputs);
    expect_pairs(&record.packed, &sample.packed);
    expect_pairs(&record.found, &sample.found);
    expect_pairs(&record.listed, &sample.listed);
    expect_pairs(&record.declared, &sample.declared);
    assert_int_equal(record.absent_count, 2);
    assert_string_equal(record.absent[0], "models/grunt.tga");
    assert_string_equal(record.absent[1], "models/x.tga");
    assert_int_equal(record.file_count, 2);
    assert_string_equal(record.files[1].name, "grunt.png");
    assert_int_equal(record.files[1].bytes, 123456);
    assert_string_equal(record.files[1].hash, HASH_A);
    assert_int_equal(record.part, 0);
    assert_int_equal(record.part_count, 1);
    assert_int_equal(record.warning_count, 2);
    assert_string_equal(record.warnings[0], "no skin");
    assert_string_equal(record.warnings[1], "caf?");
    expect_pairs(&record.facts, &sample.facts);
    record_release(&record);
}

TEST(what_tells_the_page_is_read_alone_as_with_the_rest)
{
    struct record of_page = sample;
    of_page.part = 1;
    of_page.part_count = 3;
    struct record whole = read_back(&of_page, RECORD_WHOLE), record = read_back(&of_page, RECORD_OF_PAGE);
    assert_string_equal(record.list, whole.list);
    assert_string_equal(record.job, whole.job);
    assert_int_equal(record.page, whole.page);
    assert_int_equal(record.page_count, whole.page_count);
    assert_int_equal(record.part, whole.part);
    assert_int_equal(record.part_count, whole.part_count);
    assert_int_equal(record.output, whole.output);
    assert_int_equal(record.file_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(record.files[i].name, whole.files[i].name);
        assert_string_equal(record.files[i].hash, whole.files[i].hash);
        assert_int_equal(record.files[i].bytes, whole.files[i].bytes);
    }
    assert_int_equal(record.settings.count + record.inputs.count + record.warning_count, 0);
    record_release(&whole);
    record_release(&record);
}

TEST(a_record_may_be_all_but_empty)
{
    struct record record = read_back(&(const struct record){.list = "",
                                                            .job = "a",
                                                            .page_count = 1,
                                                            .backend = "",
                                                            .cpu = "",
                                                            .probe = "",
                                                            .library = "",
                                                            .program = "",
                                                            .renderer = ""},
                                     RECORD_WHOLE);
    assert_int_equal(record.inputs.count + record.settings.count + record.file_count + record.absent_count, 0);
    assert_null(record.group);
    record_release(&record);
}

TEST(more_findings_than_a_run_makes_are_refused)
{
    enum { MANY = 1001 };
    static const char *findings[MANY];
    for (size_t i = 0; i < MANY; i++)
        findings[i] = "wtriangles\n\n12 triangles";
    struct record record = sample, ignored;
    struct error err;
    struct blob blob;
    record.findings = findings;
    for (record.finding_count = MANY - 1; record.finding_count <= MANY; record.finding_count++) {
        assert_int_equal(record_save(&record, &blob, &err), 0);
        const int expected = record.finding_count < MANY ? 0 : -1;
        assert_int_equal(record_load(blob_bytes(&blob), RECORD_WHOLE, &ignored, &err), expected);
        if (expected == 0)
            record_release(&ignored);
        blob_release(&blob);
    }
    assert_non_null(strstr(err.text, "1001 findings, at most 1000"));
}

static bool is_good(const char *data, size_t size)
{
    char *copy = malloc(size + 1); /* exactly as long, for the sanitizer */
    memcpy(copy, data, size);
    copy = realloc(copy, size ? size : 1);
    struct record record;
    struct error err = {""};
    bool result = record_load((struct bytes){(const uint8_t *)copy, size}, RECORD_WHOLE, &record, &err) == 0;
    if (result)
        record_release(&record);
    assert_int_equal(result, err.text[0] == '\0');
    free(copy);
    return result;
}

/* A record with the first `from` replaced by `to`, and the hash that it then has. The caller frees it. */
static char *replace(const char *from, const char *to, size_t *size)
{
    struct blob json = written(&sample);
    const char *at = memmem(json.data, json.size, from, strlen(from));
    if (!at)
        fail_msg("the file has no '%s'", from);
    size_t before = (size_t)(at - (const char *)json.data), after = before + strlen(from), self;
    *size = json.size - strlen(from) + strlen(to);
    char *changed = malloc(*size), hash[HASH_SIZE];
    memcpy(changed, json.data, before);
    memcpy(changed + before, to, strlen(to));
    memcpy(changed + before + strlen(to), json.data + after, json.size - after);
    if (record_hash((struct bytes){(uint8_t *)changed, *size}, &self, hash) == 0)
        memcpy(changed + self, hash, HASH_SIZE - 1);
    blob_release(&json);
    return changed;
}

static void expect_replaced(const char *from, const char *to, bool wanted)
{
    size_t size;
    char *changed = replace(from, to, &size);
    if (is_good(changed, size) != wanted)
        fail_msg("'%s' for '%s' is%s good", to, from, wanted ? " not" : "");
    free(changed);
}

/* Blanks are JSON, too. */
TEST(a_record_of_any_size_is_not_parsed)
{
    struct blob json = written(&sample);
    size_t room = RECORD_MOST_TEXT - json.size;
    char *blanks = malloc(room + strlen("{\n") + 2);
    memcpy(blanks, "{\n", 2);
    memset(blanks + 2, ' ', room + 1);
    blanks[2 + room] = '\0';
    expect_replaced("{\n", blanks, true);
    blanks[2 + room] = ' ';
    blanks[2 + room + 1] = '\0';
    expect_replaced("{\n", blanks, false);
    free(blanks);
    blob_release(&json);
}

/* Sorted as the assets' trace has them, which is not the order of their characters in JSON. */
static const char *const odd[] = {"a\xEE\xBE\x80", "a\xEE\xBE\xBF\xEE", "a\xEF\x80\x80", "a\xFE", "a\xFF",
                                  "b\xC3z",        "b\xC3\xA4"};

enum { ODD = sizeof odd / sizeof *odd };

TEST(paths_are_told_whatever_their_bytes)
{
    struct record_pair pairs[ODD];
    for (size_t i = 0; i < ODD; i++)
        pairs[i] = (struct record_pair){odd[i], odd[ODD - 1 - i]};
    struct record record = sample;
    record.found = record.declared = (struct record_pairs){pairs, ODD};
    record.absent = odd;
    record.absent_count = ODD;
    record.list = "l\xE4";
    const struct record_file file = {"\xEE\xBE\x80.png", 9, HASH_A}; /* of sheets, whose names are UTF-8 */
    record.files = &file;
    record.file_count = 1;
    struct record read = read_back(&record, RECORD_WHOLE);
    assert_string_equal(read.list, record.list);
    assert_int_equal(read.file_count, 1);
    assert_string_equal(read.files[0].name, file.name);
    assert_int_equal(read.absent_count, ODD);
    assert_int_equal(read.found.count, ODD);
    for (size_t i = 0; i < ODD; i++) {
        assert_string_equal(read.absent[i], odd[i]);
        assert_string_equal(read.found.items[i].name, odd[i]);
        assert_string_equal(read.declared.items[i].value, odd[ODD - 1 - i]);
    }
    record_release(&read);
}

TEST(what_describes_pictures_is_removed_before_them)
{
    static const struct record_file files[] = {{"grunt.json", 1, HASH_A},
                                               {"grunt.mask.png", 2, HASH_A},
                                               {"grunt.png", 3, HASH_A},
                                               {"grunt.tres", 4, HASH_A}};
    static const char *const expected[] = {"grunt.json", "grunt.tres", "grunt.mask.png", "grunt.png"};
    struct record record = sample;
    record.files = files;
    record.file_count = 4;
    struct record read = read_back(&record, RECORD_WHOLE);
    assert_int_equal(read.file_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(read.files[i].name, expected[i]);
    record_release(&read);
}

TEST(every_field_has_its_type)
{
    static const struct {
        const char *from, *to;
    } wrong[] = {
        {"\"job\": \"orcs/grunt\"", "\"job\": 1"},
        {"\"list\": \"demo\"", "\"list\": null"},
        {"\"list\": \"demo\"", "\"list\": \"\\u0000\""},
        {"\"page\": 1", "\"page\": \"1\""},
        {"\"page\": 1", "\"page\": -1"},
        {"\"page\": 1", "\"page\": 1.5"},
        {"\"page\": 1", "\"page\": 4294967297"},
        {"\"page\": 1", "\"page\": 99999999999999999999"},
        {"\"page\": 1", "\"page\": 3"},
        {"\"pages\": 3", "\"pages\": 0"},
        {"\"pages\": 3", "\"pages\": 262145"},
        {"\"page\": 1", "\"page\": 1, \"parts\": 2"},
        {"\"page\": 1", "\"page\": 1, \"parts\": 2, \"part\": 2"},
        {"\"page\": 1", "\"page\": 1, \"parts\": \"2\", \"part\": 1"},
        {"\"page\": 1", "\"page\": 1, \"parts\": 0, \"part\": 0"},
        {"\"page\": 1", "\"page\": 1, \"parts\": 65537, \"part\": 0"}, /* each that is not there is a problem */
        {"\"output\": 7", "\"output\": []"},
        {"\"group\": \"" HASH_B, "\"group\": \"fff"},
        {"\"group\": \"" HASH_B "\"", "\"group\": {}"},
        {"\"renderer\": {", "\"renderer\": 1, \"other\": {"},
        {"\"models/x.tga\"", "1"},
        {"\"models/x.tga\"", "\"\""},
        {"\"models/x.tga\"", "\"models/grunt.tga\""},
        {"\"materials/a.mtr\"", "1"},
        {"\"materials b\"", "\"materials a\""},
        {"\"materials b\"", "\"\""},
        {"\"fit.scope\": \"job\"", "\"fit.scope\": null"},
        {"\"fit.scope\"", "\"a\""},
        {"\"models/GRUNT.md2\": \"models/grunt.md2\"", "\"models/GRUNT.md2\": 1"},
        {"\"models/grunt.*\": \"0", "\"models/grunt.*\": \"G"},
        {"\"models/grunt.png\": \"f", "\"models/grunt.png\": \""},
        {"\"bytes\": 9", "\"bytes\": -9"},
        {"\"bytes\": 9", "\"bytes\": \"9\""},
        {"\"hash\": \"f", "\"hash\": \"F"},
        {"\"self\": \"", "\"self\": 0, \"s\": \""},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        expect_replaced(wrong[i].from, wrong[i].to, false);
}

TEST(records_are_whole_or_broken)
{
    fact("parts of a page are told");
    struct record parts = sample;
    parts.part = 2;
    parts.part_count = 3;
    struct record record = read_back(&parts, RECORD_WHOLE);
    assert_int_equal(record.part, 2);
    assert_int_equal(record.part_count, 3);
    record_release(&record);
    fact("pairs are found by name");
    assert_string_equal(record_find(&sample.settings, "fit.scope")->value, "job");
    assert_null(record_find(&sample.declared, "materials b")->value);
    assert_null(record_find(&sample.settings, "fit"));
    assert_null(record_find(&(const struct record_pairs){NULL, 0}, "fit"));
    fact("a record cut anywhere is broken");
    struct blob json = written(&sample);
    for (size_t size = 0; size < json.size; size++)
        assert_false(is_good((const char *)json.data, size));
    assert_true(is_good((const char *)json.data, json.size));
    blob_release(&json);
    fact("what is no record is broken");
    static const char *const others[] = {"", "{}", "[]", "\n", "not JSON", "{\n \"self\": \"\"\n}\n"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(is_good(others[i], strlen(others[i])));
    fact("a record formatted anew is broken");
    json = written(&sample);
    for (size_t i = 0; i < json.size; i++)
        json.data[i] = json.data[i] == '\n' ? ' ' : json.data[i];
    assert_false(is_good((const char *)json.data, json.size));
    blob_release(&json);
    fact("every field has to be there");
    static const char *const keys[] = {"absent", "declared", "files", "found", "job",      "list",     "listed",
                                       "output", "page",     "pages", "self",  "renderer", "settings", "backend",
                                       "cpu",    "library",  "bytes", "hash",  "inputs",   "warnings"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char from[64];
        snprintf(from, sizeof from, " \"%s\": ", keys[i]);
        expect_replaced(from, " \"other\": ", false);
    }
    fact("but what is packed, which 0.4 did not write");
    expect_replaced(" \"packed\": ", " \"other\": ", true);
    expect_replaced(" \"packed\": {", " \"packed\": 1, \"other\": {", false);
    fact("files are plain names");
    static const char *const names[] = {"../grunt.png", "/etc/passwd", "a/grunt.png", "..", ".", "", "grunt.png/"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char to[64];
        snprintf(to, sizeof to, "\"%s\": {", names[i]);
        expect_replaced("\"grunt.normal.png\": {", to, false);
    }
    expect_replaced("\"grunt.normal.png\": {", "\"..grunt.png\": {", true);
    fact("any changed byte shows");
    json = written(&sample);
    for (size_t i = 0; i < json.size; i++) {
        json.data[i] ^= 1;
        assert_false(is_good((const char *)json.data, json.size));
        json.data[i] ^= 1;
    }
    blob_release(&json);
}
