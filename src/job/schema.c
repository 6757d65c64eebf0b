#include <string.h>

#include "base/buffer.h"
#include "job/settings.h"
#include "sheet/json_value.h"

/* -- What docs/jobs.md says of a key ---------------------------------------------------------------------------- */

/* The assembler takes the file in as it is; the path counts from where make runs. */
__asm__(".section .rodata\n"
        ".global docs_jobs\n"
        "docs_jobs:\n"
        ".incbin \"docs/jobs.md\"\n"
        ".byte 0\n"
        ".previous\n");

extern const char docs_jobs[];

/* The heading that a link leads to: "sheets-and-files" is that of "## Sheets and files". NULL: none. */
static const char *find_section(const char *anchor, size_t length)
{
    const char *heading = docs_jobs;
    while ((heading = strstr(heading, "\n## "))) {
        heading += strlen("\n## ");
        size_t i = 0;
        while (i < length && (anchor[i] == '-' ? ' ' : anchor[i]) == ascii_lower(heading[i]))
            i++;
        if (i == length && heading[i] == '\n')
            return heading;
    }
    return NULL;
}

/* The row of the section's tables that begins with the key, such as "| `columns` | ...". NULL: none. */
static const char *find_row(const char *section, const char *key)
{
    char *code = must_printf("`%s`", key);
    const char *line = section ? strchr(section, '\n') : NULL;
    for (; line; line = strchr(line, '\n')) {
        line++;
        const char *cell_end = strncmp(line, "| ", 2) ? NULL : strstr(line + 2, " |");
        const char *found = cell_end ? strstr(line, code) : NULL;
        if ((found && found < cell_end) || !strncmp(line, "## ", 3))
            break;
    }
    free(code);
    return line && *line == '|' ? line : NULL;
}

/* The section that the row links to, or the one that it stands in. */
static const char *section_of(const char *row, const char *section)
{
    const char *link = row ? strstr(row, "](#") : NULL;
    const char *linked = link && link < strchr(row, '\n') ? find_section(link + 3, strcspn(link + 3, ")")) : NULL;
    return linked ? linked : section;
}

/* The last cell, which is what the key means, without links: "[Skins](#skins)" is Skins. NULL: it is empty, or
 * there is no row. */
static json_t *describe(const char *row)
{
    if (!row)
        return NULL;
    struct buffer text = {0};
    const char *end = strchr(row, '\n') - strlen(" |"), *at = end;
    while (strncmp(at, "| ", 2))
        at--;
    for (at += strlen("| "); at < end; at++)
        if (*at == ']' && at[1] == '(')
            at = strchr(at, ')');
        else if (*at != '[')
            buffer_add(&text, at, 1);
    json_t *value = text.length ? text_value(text.text) : NULL;
    buffer_release(&text);
    return value;
}

/* -- What a value may be ------------------------------------------------------------------------------------- */

static json_t *mapping(const struct setting *rows, const char *section);

static json_t *number(const char *type, struct range range)
{
    return json_pack("{s:s, s:o, s:o}", "type", type, "minimum", number_value(range.least, 4), "maximum",
                     number_value(range.most, 4));
}

/* What is not in quotes may look like a number or boolean, and is text to us. */
static json_t *text(bool may_be_number)
{
    return json_pack("{s:[s, s, s*], s:i}", "type", "string", "boolean", may_be_number ? "number" : NULL,
                     "minLength", 1);
}

/* Uses up the array. */
static json_t *any_of(json_t *choices)
{
    return json_pack("{s:o}", "anyOf", choices);
}

static json_t *words(const struct setting *row)
{
    json_t *names = json_array();
    for (unsigned i = 0; i < row->word_count; i++) {
        const char *word = row->words[i];
        json_array_append_new(names, json_string(word));
        if (!strcmp(word, "true") || !strcmp(word, "false"))
            json_array_append_new(names, json_boolean(*word == 't'));
    }
    return json_pack("{s:o}", "enum", names);
}

static unsigned forms_of(const struct setting *row)
{
    static const unsigned forms[] = {
        [SETTING_KIND_BOOL] = FORM_BOOL,
        [SETTING_KIND_WHOLE] = FORM_WHOLE,
        [SETTING_KIND_NUMBER] = FORM_NUMBER,
        [SETTING_KIND_VECTOR] = FORM_NUMBER | FORM_IN_LIST,
        [SETTING_KIND_COLOR] = FORM_COLOR,
        [SETTING_KIND_FLAGS] = FORM_LIST,
        [SETTING_KIND_TEXT] = FORM_TEXT,
        [SETTING_KIND_NAMES] = FORM_TEXT | FORM_LIST,
        [SETTING_KIND_MAPPING] = FORM_MAPPING,
        [SETTING_KIND_LIST] = FORM_MAPPING,
        [SETTING_KIND_CALL] = 0,
    };
    bool has_names = row->list && !row->list->read;
    return (row->forms ? row->forms : has_names ? FORM_TEXT : forms[row->kind]) | (row->list ? FORM_LIST : 0);
}

static struct range items_of(const struct setting *row)
{
    if (row->kind == SETTING_KIND_VECTOR)
        return (struct range){3, 3};
    if (row->kind == SETTING_KIND_NAMES)
        return (struct range){1, 0};
    return row->list ? (struct range){0, (double)row->list->most} : row->items;
}

static json_t *list(json_t *items, struct range count)
{
    json_t *least = count.least > 0 ? number_value(count.least, 0) : NULL;
    json_t *most = count.most > 0 ? number_value(count.most, 0) : NULL;
    return json_pack("{s:s, s:o, s:o*, s:o*}", "type", "array", "items", items, "minItems", least, "maxItems",
                     most);
}

static json_t *color(bool is_opaque)
{
    const char *pattern = is_opaque ? "^#[0-9a-fA-F]{6}$" : "^#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})$";
    json_t *channels = list(number("integer", (struct range){0, 255}), (struct range){3, is_opaque ? 3 : 4});
    return json_pack("{s:[{s:s, s:s}, o]}", "anyOf", "type", "string", "pattern", pattern, channels);
}

static json_t *value(const struct setting *row, const char *section)
{
    const struct setting *rows =
        row->rows == light_rows ? light_settings_rows : row->rows; /* those that read it */
    json_t *all = json_array(), *one = json_array();
    unsigned forms = forms_of(row);
    if (row->takes_auto)
        json_array_append_new(all, json_pack("{s:s}", "const", "auto"));
    if (row->words)
        json_array_append_new(row->kind == SETTING_KIND_FLAGS ? one : all, words(row));
    if (row->takes_auto && forms & FORM_IN_LIST)
        json_array_append_new(one, json_pack("{s:s}", "const", "auto"));
    if (forms & FORM_BOOL)
        json_array_append_new(one, json_pack("{s:s}", "type", "boolean"));
    if (forms & (FORM_WHOLE | FORM_NUMBER))
        json_array_append_new(one, number(forms & FORM_WHOLE ? "integer" : "number", row->range));
    if (forms & FORM_COLOR)
        json_array_append_new(one, color(row->is_opaque));
    if (forms & (FORM_TEXT | FORM_NAME))
        json_array_append_new(one, text(forms & FORM_TEXT));
    if (forms & FORM_RUN)
        json_array_append_new(one, json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9]+ *(- *[0-9]+)?$"));
    if (forms & FORM_PERCENT)
        json_array_append_new(one, json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9.]+ *%$"));
    if (forms & FORM_ENDING)
        json_array_append_new(one,
                              json_pack("{s:s, s:s++}", "type", "string", "pattern", ".\\", row->ending, "$"));
    if (forms & FORM_MAPPING)
        json_array_append_new(one, mapping(rows, section));
    if (forms & (FORM_TEXTS | FORM_COLORS))
        json_array_append_new(one, json_pack("{s:s, s:o, s:o}", "type", "object", "additionalProperties",
                                             forms & FORM_COLORS ? color(row->is_opaque) : text(true),
                                             "minProperties", number_value(row->items.least, 0)));
    if (forms & FORM_EVENTS) {
        json_t *names = json_pack("{s:[o, o]}", "anyOf", text(true), list(text(true), (struct range){0, 0}));
        json_array_append_new(one, json_pack("{s:s, s:{s:s, s:{s:o}, s:b}}", "type", "object",
                                             "additionalProperties", "type", "object", "patternProperties",
                                             "^[0-9]{1,7}$", names, "additionalProperties", 0));
    }
    if (!(forms & FORM_IN_LIST))
        json_array_extend(all, one);
    if (forms & (FORM_LIST | FORM_IN_LIST)) {
        json_t *items = list(any_of(one), items_of(row));
        if (row->kind == SETTING_KIND_FLAGS)
            json_object_set_new(items, "uniqueItems", json_true());
        json_array_append_new(all, items);
    } else {
        json_decref(one);
    }
    return any_of(all);
}

/* -- Mappings ------------------------------------------------------------------------------------------------- */

static json_t *required(const char *key)
{
    return json_pack("{s:[s]}", "required", key);
}

/* Takes what is empty away. */
static json_t *unless_empty(json_t *items)
{
    if (json_array_size(items) || json_object_size(items))
        return items;
    json_decref(items);
    return NULL;
}

/* What else a mapping with the row's key has, or has not; NULL: anything. */
static json_t *company(const struct setting *row)
{
    json_t *others = row->only_with ? required(row->only_with) : json_object(), *excluded = json_array();
    for (size_t i = 0; i < COUNT(row->not_with) && row->not_with[i]; i++)
        json_array_append_new(excluded, required(row->not_with[i]));
    excluded = unless_empty(excluded);
    json_object_set_new(others, "not", excluded ? any_of(excluded) : NULL);
    return unless_empty(others);
}

static json_t *mapping(const struct setting *rows, const char *section)
{
    json_t *properties = json_object(), *needed = json_array(), *one = json_array(), *any = json_array();
    json_t *companies = json_object();
    for (const struct setting *row = rows; row->key || row->size; row++) {
        if (!row->key)
            continue;
        const char *docs = find_row(section, row->key), *linked = section_of(docs, section);
        const char *nearer = find_row(linked, row->key);
        json_t *property = value(row, linked);
        json_object_set_new(property, "description", describe(nearer ? nearer : docs));
        json_object_set_new(properties, row->key, property);
        json_object_set_new(companies, row->key, company(row));
        if (row->is_needed)
            json_array_append_new(needed, json_string(row->key));
        if (row->is_one_of || row->is_any_of)
            json_array_append_new(row->is_one_of ? one : any, required(row->key));
    }
    return json_pack("{s:s, s:o, s:b, s:o*, s:o*, s:o*, s:o*}", "type", "object", "properties", properties,
                     "additionalProperties", 0, "required", unless_empty(needed), "oneOf", unless_empty(one),
                     "anyOf", unless_empty(any), "dependencies", unless_empty(companies));
}

/* -- Lists ---------------------------------------------------------------------------------------------------- */

int job_schema(struct blob *out, struct error *err)
{
    /* What a list has at its top; source.c reads it. */
    const struct setting paths = {.forms = FORM_TEXT | FORM_LIST}, path = {.forms = FORM_TEXT};
    const char *const keys[] = {"version", "assets", "output", "include", "cameras", "lights", "defaults", "jobs"};
    const char *section = find_section("the-list", 8), *jobs = find_section("a-job", 5);
    const char *of_cameras = find_section("cameras", 7), *of_lights = find_section("light", 5);
    json_t *lights = json_pack("[o, o]", text(true), mapping(light_settings_rows, of_lights));
    json_t *properties = json_pack(
        "{s:{s:i}, s:o, s:o, s:o, s:{s:s, s:o}, s:{s:s, s:o}, s:o, s:o}", keys[0], "const", 1, keys[1],
        value(&paths, section), keys[2], value(&path, section), keys[3], value(&paths, section), keys[4], "type",
        "object", "additionalProperties", mapping(camera_rows + 1, of_cameras), keys[5], "type", "object",
        "additionalProperties", any_of(lights), keys[6], mapping(job_rows + OF_JOBS_ALONE, jobs), keys[7],
        list(mapping(job_rows, jobs), (struct range){0, 0}));
    for (size_t i = 0; i < COUNT(keys); i++)
        json_object_set_new(json_object_get(properties, keys[i]), "description",
                            describe(find_row(section, keys[i])));
    json_t *root = json_pack("{s:s, s:s, s:s, s:o, s:b, s:[s]}", "$schema",
                             "http://json-schema.org/draft-07/schema#", "title", "A job list of sheetbake", "type",
                             "object", "properties", properties, "additionalProperties", 0, "required", keys[0]);
    return json_save(root, root != NULL, JSON_AS_SET, out, err);
}
