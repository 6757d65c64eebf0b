#include <string.h>

#include "base/buffer.h"
#include "job/load.h"
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
    SCOPED char *code = must_printf("`%s`", key);
    const char *line = section ? strchr(section, '\n') : NULL;
    for (; line; line = strchr(line, '\n')) {
        line++;
        const char *cell_end = strncmp(line, "| ", 2) ? NULL : strstr(line + 2, " |");
        const char *found = cell_end ? strstr(line, code) : NULL;
        if ((found && found < cell_end) || !strncmp(line, "## ", 3))
            break;
    }
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
    SCOPED_BY(buffer_release) struct buffer text = {0};
    const char *end = strchr(row, '\n') - strlen(" |"), *at = end;
    while (strncmp(at, "| ", 2))
        at--;
    for (at += strlen("| "); at < end; at++)
        if (*at == ']' && at[1] == '(')
            at = strchr(at, ')');
        else if (*at != '[')
            buffer_add(&text, at, 1);
    return text.length ? text_value(text.text) : NULL;
}

/* -- What a value may be ------------------------------------------------------------------------------------- */

static json_t *mapping(const struct setting *rows, const char *section);

/* Takes what is empty away. */
static json_t *unless_empty(json_t *items)
{
    if (json_array_size(items) || json_object_size(items))
        return items;
    json_decref(items);
    return NULL;
}

static json_t *number(const char *type, struct range range)
{
    return json_pack("{s:s, s:o, s:o}", "type", type, "minimum", number_value(range.least, 4), "maximum",
                     number_value(range.most, 4));
}

/* `then` for values of the type, and `other` for the rest: editors show the messages of the one that a value is judged by,
 * and none of the other. Uses both up; without one of them it is the other. */
static json_t *by_type(json_t *type, json_t *then, json_t *other)
{
    if (then && other)
        return json_pack("{s:{s:o}, s:o, s:o}", "if", "type", type, "then", then, "else", other);
    json_decref(type);
    return then ? then : other;
}

/* Text. Without quotes it may look like a number or boolean. Editors do not offer what `if` asks for. */
static json_t *text(bool may_be_number)
{
    json_t *others = json_pack("[s, s*]", "boolean", may_be_number ? "number" : NULL);
    return by_type(others, json_object(), json_pack("{s:s, s:i}", "type", "string", "minLength", 1));
}

/* Uses up the array. NULL: it is empty. */
static json_t *any_of(json_t *choices)
{
    size_t count = json_array_size(choices);
    json_t *one = count == 1 ? json_incref(json_array_get(choices, 0)) : NULL;
    if (count > 1)
        return json_pack("{s:o}", "anyOf", choices);
    json_decref(choices);
    return one;
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
        [SETTING_KIND_COLOR] = FORM_COLOR,
        [SETTING_KIND_FLAGS] = FORM_LIST,
        [SETTING_KIND_TEXT] = FORM_TEXT,
        [SETTING_KIND_NAMES] = FORM_TEXT | FORM_LIST,
        [SETTING_KIND_MAPPING] = FORM_MAPPING,
        [SETTING_KIND_LIST] = FORM_PAIRS,
        [SETTING_KIND_CALL] = 0,
    };
    unsigned of_kind =
        !row->list ? forms[row->kind] : FORM_LIST | (row->list->is_of_names ? FORM_TEXT : FORM_MAPPING);
    return (row->forms ? row->forms : of_kind) | (row->is_percent ? FORM_PERCENT : 0) |
           (row->times && !row->forms ? FORM_IN_LIST : 0);
}

/* The row with all its forms and items, and with what is short for its mapping. */
static struct setting in_full(const struct setting *row)
{
    struct setting full = *row;
    full.forms = forms_of(row);
    const struct setting *brief = full.forms & FORM_MAPPING ? rows_short(row->rows) : NULL;
    if (brief) {
        full.forms |= forms_of(brief);
        full.range = brief->range;
        full.is_opaque = brief->is_opaque;
        full.items = brief->items;
        full.presets = brief->presets ? brief->presets : row->presets;
        full.words = brief->words ? brief->words : row->words;
        full.word_count = brief->words ? brief->word_count : row->word_count;
    }
    if (row->times)
        full.items = (struct range){(double)row->times, (double)row->times};
    else if (row->list)
        full.items = (struct range){0, (double)row->list->most};
    return full;
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
    return by_type(json_string("array"), channels, json_pack("{s:s, s:s}", "type", "string", "pattern", pattern));
}

static json_t *value(const struct setting *given, const char *section);

/* A mapping that the row's value may be. NULL: none. */
static json_t *mapping_of(const struct setting *row, unsigned forms, const char *section)
{
    if (forms & FORM_MAPPING) /* of the rows that read it */
        return mapping(row->rows, section);
    if (forms & FORM_PAIRS)
        return json_pack("{s:s, s:o, s:o}", "type", "object", "additionalProperties",
                         value(row->rows + 1, section), "minProperties", number_value(row->items.least, 0));
    if (!(forms & FORM_EVENTS))
        return NULL;
    json_t *names = by_type(json_string("array"), list(text(true), (struct range){0, 0}), text(true));
    return json_pack("{s:s, s:{s:s, s:{s:o}, s:b}}", "type", "object", "additionalProperties", "type", "object",
                     "patternProperties", "^[0-9]{1,7}$", names, "additionalProperties", 0);
}

/* All that a value may be besides a list; NULL: nothing. `in_list` it is an item, which is none of the words that stand
 * for a list. */
static json_t *one_value(const struct setting *row, const char *section, bool in_list)
{
    json_t *plain = json_array();
    unsigned forms = !in_list && row->forms & FORM_IN_LIST ? 0 : row->forms;
    if (row->takes_auto && (!in_list || forms & FORM_IN_LIST))
        json_array_append_new(plain, json_pack("{s:s}", "const", "auto"));
    if (row->words && (!in_list || row->kind == SETTING_KIND_FLAGS))
        json_array_append_new(plain, words(row));
    if (forms & FORM_BOOL)
        json_array_append_new(plain, json_pack("{s:s}", "type", "boolean"));
    if (forms & (FORM_WHOLE | FORM_NUMBER))
        json_array_append_new(plain, number(forms & FORM_WHOLE ? "integer" : "number", row->range));
    if (forms & FORM_COLOR)
        json_array_append_new(plain, color(row->is_opaque));
    if (forms & (FORM_TEXT | FORM_NAME))
        json_array_append_new(plain, text(forms & FORM_TEXT));
    if (forms & FORM_RUN)
        json_array_append_new(plain,
                              json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9]+ *(- *[0-9]+)?$"));
    if (forms & FORM_PERCENT)
        json_array_append_new(plain, json_pack("{s:s, s:s}", "type", "string", "pattern", "^[0-9.]+ *%$"));
    if (forms & FORM_ENDING)
        json_array_append_new(plain,
                              json_pack("{s:s, s:s++}", "type", "string", "pattern", ".\\", row->ending, "$"));
    return by_type(json_string("object"), mapping_of(row, forms, section), any_of(plain));
}

/* Lets editors complete words and built-in presets, because they look for none below `if`: in items as examples, elsewhere as
 * another choice, since they tell each example wherever one points. Takes nothing that the value does not. */
static json_t *offer(const struct setting *row, json_t *value, bool in_list)
{
    json_t *offered = json_array();
    SCOPED_BY(arena_release) struct arena arena = {0};
    struct problems problems = {0};
    struct source_files sources = {0};
    source_add_built_in(&(struct reader){.arena = &arena, .problems = &problems}, &sources);
    const struct node *map = row->presets ? node_get(sources.items[0].root, row->presets) : NULL;
    for (size_t i = 0; map && i < map->count; i++)
        json_array_append_new(offered, json_string(map->keys[i]->text));
    for (unsigned i = 0; i < row->word_count && !in_list; i++)
        json_array_append_new(offered, json_string(row->words[i]));
    for (int i = 1; i >= 0 && row->forms & FORM_BOOL; i--)
        json_array_append_new(offered, json_boolean(i));
    offered = json_object_get(value, "if") ? unless_empty(offered) : (json_decref(offered), NULL);
    if (offered && !in_list)
        return any_of(json_pack("[o, {s:o}]", value, "enum", offered));
    json_object_set_new(value, "examples", offered);
    return value;
}

static json_t *value(const struct setting *given, const char *section)
{
    const struct setting full = in_full(given), *row = &full;
    json_t *one = one_value(row, section, false), *items = NULL;
    if (row->forms & (FORM_LIST | FORM_IN_LIST))
        items = list(offer(row, one_value(row, section, true), true), row->items);
    if (row->kind == SETTING_KIND_FLAGS)
        json_object_set_new(items, "uniqueItems", json_true());
    return offer(row, by_type(json_string("array"), items, one), false);
}

/* -- Mappings ------------------------------------------------------------------------------------------------- */

static json_t *required(const char *key)
{
    return json_pack("{s:[s]}", "required", key);
}

/* The keys that a mapping with the row's key must have, and must not; NULL: it may have any. Editors put the message at
 * the other key. */
static json_t *company(const struct setting *rows, const struct setting *row)
{
    json_t *excluded = json_object();
    for (size_t i = 0; i < COUNT(row->not_with) && row->not_with[i]; i++)
        json_object_set_new(excluded, row->not_with[i], json_false());
    for (const struct setting *other = rows; row->is_one_of && (other->key || other->size); other++)
        if (other->is_one_of && other != row)
            json_object_set_new(excluded, other->key, json_false());
    excluded = unless_empty(excluded);
    json_t *message = excluded ? json_sprintf("cannot be given together with '%s'", row->key) : NULL;
    json_t *all =
        json_pack("[o*, o*]", row->only_with ? required(row->only_with) : NULL,
                  message ? json_pack("{s:o, s:o}", "properties", excluded, "errorMessage", message) : NULL);
    all = unless_empty(all);
    return all ? json_pack("{s:o}", "allOf", all) : NULL;
}

static json_t *mapping(const struct setting *rows, const char *section)
{
    json_t *properties = json_object(), *needed = json_array(), *any = json_array();
    json_t *companies = json_object();
    for (const struct setting *row = rows; row->key || row->size; row++) {
        if (!row->key)
            continue;
        const char *docs = find_row(section, row->key), *linked = section_of(docs, section);
        const char *nearer = find_row(linked, row->key);
        json_t *property = value(row, linked);
        json_object_set_new(property, "description", describe(nearer ? nearer : docs));
        json_object_set_new(properties, row->key, property);
        json_object_set_new(companies, row->key, company(rows, row));
        if (row->is_needed)
            json_array_append_new(needed, json_string(row->key));
        if (row->is_one_of || row->is_any_of)
            json_array_append_new(any, required(row->key));
    }
    return json_pack("{s:s, s:o, s:b, s:o*, s:o*, s:o*}", "type", "object", "properties", properties,
                     "additionalProperties", 0, "required", unless_empty(needed), "anyOf", unless_empty(any),
                     "dependencies", unless_empty(companies));
}

/* -- Lists ---------------------------------------------------------------------------------------------------- */

int job_schema(struct blob *out, struct error *err)
{
    /* Keys at the top of a list; source.c reads them. */
    const struct setting paths = {.forms = FORM_TEXT | FORM_LIST}, path = {.forms = FORM_TEXT};
    const char *const keys[] = {"version", "assets", "output", "include", "cameras", "lights", "defaults", "jobs"};
    const char *section = find_section("the-list", 8), *jobs = find_section("a-job", 5);
    const char *of_cameras = find_section("cameras", 7), *of_lights = find_section("light", 5);
    json_t *properties = json_pack(
        "{s:{s:i}, s:o, s:o, s:o, s:{s:s, s:o}, s:{s:s, s:o}, s:o, s:o}", keys[0], "const", 1, keys[1],
        value(&paths, section), keys[2], value(&path, section), keys[3], value(&paths, section), keys[4], "type",
        "object", "additionalProperties", mapping(camera_rows + 1, of_cameras), keys[5], "type", "object",
        "additionalProperties", value(&preset_light_row, of_lights), keys[6],
        mapping(job_rows + OF_JOBS_ALONE, jobs), keys[7], list(mapping(job_rows, jobs), (struct range){0, 0}));
    for (size_t i = 0; i < COUNT(keys); i++)
        json_object_set_new(json_object_get(properties, keys[i]), "description",
                            describe(find_row(section, keys[i])));
    json_t *root =
        json_pack("{s:s, s:s, s:s, s:o, s:b, s:[s]}", "$schema", "http://json-schema.org/draft-07/schema#",
                  "description", "A job list of sheetbake", "type", "object", "properties", properties,
                  "additionalProperties", 0, "required", keys[0]);
    return json_save(root, JSON_INDENT(1) | JSON_REAL_PRECISION(15), out, err);
}
