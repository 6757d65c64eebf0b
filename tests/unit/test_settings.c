/* The rows of settings against the structs they are about and against docs/jobs.md. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "job/settings.h"
#include "test.h"

/* -- Structs ------------------------------------------------------------------------------------------------- */

static bool is_last(const struct setting *row)
{
    return !row->key && !row->size;
}

#if defined __has_builtin
#if __has_builtin(__builtin_clear_padding)
#define HAS_CLEAR_PADDING
#endif
#endif

/* Every byte that is not padding belongs to a row. */
static void check_bytes(const char *name, unsigned char *bytes, size_t size, const struct setting *rows)
{
    for (const struct setting *row = rows; !is_last(row); row++) {
        memset(bytes + row->offset, 0, row->size);
        if (row->mark_offset)
            memset(bytes + row->mark_offset, 0, sizeof(struct mark));
        if (row->has_offset)
            memset(bytes + row->has_offset, 0, sizeof(bool));
        if (row->kind == SETTING_KIND_LIST)
            memset(bytes + row->count_offset, 0, sizeof(size_t));
    }
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            fail_msg("%s has a member at byte %zu that no row is about: say what it is in its table", name, i);
}

static const struct setting *const tables[] = {
    job_rows,     transform_rows, fit_rows,        sheet_rows,       skin_rows,           attachment_rows,
    name_rows,    animation_rows, sampling_rows,   root_motion_rows, camera_rows,         light_rows,
    ground_rows,  outline_rows,   background_rows, preview_rows,     light_settings_rows, light_source_rows,
    png_rows,     clip_rows,      trim_rows,       rule_rows,        growth_rows,         count_rows,
    percent_rows, patterns_rows,  frame_file_rows, pixel_rows,       teamcolor_rows,      range_rows,
    tint_rows,    joint_rows,     event_rows,      ambient_rows,
};

TEST(every_member_of_a_setting_has_a_row)
{
#ifdef HAS_CLEAR_PADDING
#define CHECK(type, rows)                                                                                         \
    do {                                                                                                          \
        static type filled;                                                                                       \
        memset(&filled, 0xFF, sizeof filled);                                                                     \
        __builtin_clear_padding(&filled);                                                                         \
        check_bytes(#type, (unsigned char *)&filled, sizeof filled, rows);                                        \
        count++;                                                                                                  \
    } while (0)
    size_t count = 0;
    CHECK(struct settings, job_rows);
    CHECK(struct model_transform, transform_rows);
    CHECK(struct fit, fit_rows);
    CHECK(struct sheet_settings, sheet_rows);
    CHECK(struct skin_override, skin_rows);
    CHECK(struct attachment, attachment_rows);
    CHECK(struct job_name, name_rows);
    CHECK(struct job_animation, animation_rows);
    CHECK(struct sampling, sampling_rows);
    CHECK(struct root_motion, root_motion_rows);
    CHECK(struct camera_settings, camera_rows);
    CHECK(struct light_rig, light_rows);
    CHECK(struct light_settings, light_settings_rows);
    CHECK(struct light_source, light_source_rows);
    CHECK(struct ground, ground_rows);
    CHECK(struct outline, outline_rows);
    CHECK(struct background, background_rows);
    CHECK(struct preview_settings, preview_rows);
    CHECK(struct png_settings, png_rows);
    CHECK(struct teamcolor, teamcolor_rows);
    CHECK(struct color_range, range_rows);
    CHECK(struct pixel_art, pixel_rows);
    CHECK(struct rules, rule_rows);
    CHECK(struct rule, count_rows);
    CHECK(struct tint, tint_rows);
    CHECK(struct joint_pair, joint_rows);
    CHECK(struct job_event, event_rows);
    /* Those of clips, trims, frames and ambient light are about parts, of growth about one of rules; all rules are one struct. */
    assert_int_equal(count + 7, sizeof tables / sizeof *tables);
#else
    (void)check_bytes;
    skip(); /* this compiler cannot tell members from padding; gcc does */
#endif
}

TEST(every_table_is_checked)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        for (const struct setting *row = tables[i]; !is_last(row); row++) {
            bool is_known = !row->rows;
            for (size_t j = 0; !is_known && j < sizeof tables / sizeof *tables; j++)
                is_known = row->rows == tables[j];
            if (!is_known)
                fail_msg("the rows of '%s' are in no test", row->key);
            if (row->kind == SETTING_KIND_LIST && !row->read && !row->list && !row->rows[1].key)
                fail_msg("nothing reads the items of '%s'", row->key);
            if (row->key && row->kind == SETTING_KIND_CALL && !row->read)
                fail_msg("nothing reads '%s'", row->key);
            bool is_plain = row->kind != SETTING_KIND_CALL && row->kind != SETTING_KIND_PART;
            if (row->key && !is_plain && !row->forms && !row->words)
                fail_msg("the row of '%s' does not say what a value may be: give it `forms`", row->key);
            if (row->kind == SETTING_KIND_CALL && !row->record && !row->is_unrecorded)
                fail_msg("'%s' is not recorded", row->key);
        }
    }
}

/* -- docs/jobs.md -------------------------------------------------------------------------------------------- */

static char *docs;

/* Keys of skins, joints, tints and events are what the model calls its parts. */
static bool are_recorded_alone(const struct setting *rows)
{
    return rows == light_rows || rows == skin_rows || rows == name_rows || rows == joint_rows ||
           rows == tint_rows || rows == event_rows;
}

/* The code in a section, such as "`grid`, `packed`" of "| `layout` | `grid`, `packed` |". */
static bool has_code(const char *section, size_t length, const char *word)
{
    size_t word_length = strlen(word);
    bool is_code = false;
    for (size_t i = 0; i < length; i++) {
        is_code ^= section[i] == '`';
        bool starts = i > 0 && !strchr("abcdefghijklmnopqrstuvwxyz_", section[i - 1]);
        if (is_code && starts && i + word_length < length && !strncmp(section + i, word, word_length) &&
            !strchr("abcdefghijklmnopqrstuvwxyz_", section[i + word_length]))
            return true;
    }
    return false;
}

/* Whether a section has the key, and `above`, that it is one of. */
static bool is_described(const char *above, const char *key)
{
    const char *section = strstr(docs, "\n## ");
    while (section) {
        const char *end = strstr(section + 1, "\n## ");
        size_t length = end ? (size_t)(end - section) : strlen(section);
        if (has_code(section, length, above) && has_code(section, length, key))
            return true;
        section = end;
    }
    return false;
}

TEST(every_key_is_in_the_docs)
{
    struct blob blob;
    struct error err;
    assert_int_equal(file_read("docs/jobs.md", 1 << 20, &blob, &err), 0);
    docs = must_printf("%.*s", (int)blob.size, (const char *)blob.data);
    size_t count = 0;
    for (const struct setting *job = job_rows; !is_last(job); job++) {
        if (job->key && !is_described(job->key, job->key))
            fail_msg("docs/jobs.md has no key '%s'", job->key);
        const struct setting *rows = job->rows; /* those of some are of records alone */
        if (are_recorded_alone(rows))
            continue;
        for (const struct setting *row = rows; row && !is_last(row); row++) {
            if (row->key && !is_described(job->key, row->key))
                fail_msg("docs/jobs.md has no key '%s' of '%s'", row->key, job->key);
            count += row->key != NULL;
        }
    }
    assert_true(count > 50);
    free(docs);
    blob_release(&blob);
}

/* -- The schema ----------------------------------------------------------------------------------------------- */

/* The property of that name in a schema, also of one of its alternatives or items; NULL: none. */
static json_t *find_property(json_t *schema, const char *key)
{
    static const char *const others[] = {"items", "then", "else"};
    json_t *property = json_object_get(json_object_get(schema, "properties"), key);
    json_t *choices = json_object_get(schema, "anyOf");
    for (size_t i = 0; !property && i < json_array_size(choices); i++)
        property = find_property(json_array_get(choices, i), key);
    for (size_t i = 0; schema && !property && i < sizeof others / sizeof *others; i++)
        property = find_property(json_object_get(schema, others[i]), key);
    return property;
}

/* tests/schema compares what it takes with what the program takes. */
TEST(the_schema_has_every_key_with_its_meaning)
{
    struct blob blob;
    struct error err;
    assert_int_equal(job_schema(&blob, &err), 0);
    json_t *schema = json_loadb((const char *)blob.data, blob.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(schema);
    size_t count = 0, described = 0;
    for (const struct setting *job = job_rows; !is_last(job); job++) {
        json_t *property = job->key ? find_property(find_property(schema, "jobs"), job->key) : NULL;
        if (job->key && !json_object_get(property, "description"))
            fail_msg("the schema does not describe '%s'", job->key);
        const struct setting *rows = job->rows;
        if (are_recorded_alone(rows))
            continue;
        for (const struct setting *row = rows; row && !is_last(row); row++) {
            json_t *part = row->key ? find_property(property, row->key) : NULL;
            if (row->key && !part)
                fail_msg("the schema has no '%s' of '%s'", row->key, job->key);
            count += part != NULL;
            described += json_object_get(part, "description") != NULL;
        }
    }
    assert_true(count > 50 && described > 45);
    json_decref(schema);
    blob_release(&blob);
}
