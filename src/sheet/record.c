/* Reading and sealing a record; sheet/record_value.h writes it.
 *
 * A JSON of ours has one line for each key, indented by its depth, and no text in JSON holds a line break. So a
 * line that starts with `  "sheetbake": {` is that key and nothing else, and the record is found without parsing
 * what comes before: a run with nothing to do reads thousands of these files. */
#include "sheet/record.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "sheet/json_value.h"

#define OWN_LINE "  \"sheetbake\": {"
#define BUILD_LINE "   \"build\": {"

/* Where `line` starts after a line break at or after `from`, or SIZE_MAX. */
static size_t find_line(struct bytes text, size_t from, const char *line)
{
    size_t length = strlen(line);
    while (from < text.size) {
        const uint8_t *next = memchr(text.data + from, '\n', text.size - from);
        if (!next)
            break;
        from = (size_t)(next - text.data) + 1;
        if (text.size - from >= length && !memcmp(text.data + from, line, length))
            return from;
    }
    return SIZE_MAX;
}

/* The same from the end: what is looked for is near it. */
static size_t find_last_line(struct bytes text, const char *line)
{
    size_t length = strlen(line), end = text.size;
    while (end > 0) {
        const uint8_t *before = memrchr(text.data, '\n', end);
        if (!before)
            break;
        end = (size_t)(before - text.data);
        if (text.size - end - 1 >= length && !memcmp(before + 1, line, length))
            return end + 1;
    }
    return SIZE_MAX;
}

/* -- Values ------------------------------------------------------------------------------------------------ */

static bool is_hash(const char *text)
{
    return strlen(text) == HASH_SIZE - 1 && strspn(text, "0123456789abcdef") == HASH_SIZE - 1;
}

/* Whoever reads a record acts on these files: they are to be plain ones beside it. */
static bool is_plain_name(const char *name)
{
    return *name && strcmp(name, ".") && strcmp(name, "..") && !strchr(name, '/');
}

static json_t *member(json_t *object, const char *key, json_type type, const char *what, struct error *err)
{
    json_t *value = json_object_get(object, key);
    if (value && json_typeof(value) == type)
        return value;
    error_set(err, "its record has no '%s' that is %s", key, what);
    return NULL;
}

static int take_text(struct record *record, json_t *object, const char *key, const char **out, struct error *err)
{
    json_t *value = member(object, key, JSON_STRING, "a text", err);
    if (!value)
        return -1;
    *out = arena_strdup(&record->arena, json_string_value(value));
    return 0;
}

static int take_number(json_t *object, const char *key, uint32_t *out, struct error *err)
{
    json_t *value = member(object, key, JSON_INTEGER, "a whole number", err);
    if (!value)
        return -1;
    json_int_t number = json_integer_value(value);
    if (number < 0 || number > UINT32_MAX)
        return error_set(err, "its record's '%s' is %" JSON_INTEGER_FORMAT ", not from 0 to %u", key, number,
                         UINT32_MAX);
    *out = (uint32_t)number;
    return 0;
}

enum pair_value { PAIR_TEXT, PAIR_HASH, PAIR_TEXT_OR_NULL };

/* Keys of a file of ours are sorted; what reads the pairs depends on it. */
static int check_pair(const char *key, const char *before, const char *name, const json_t *value,
                      enum pair_value kind, struct error *err)
{
    const char *text = json_string_value(value);
    if (!*name || (before && strcmp(before, name) >= 0))
        return error_set(err, "the names in its record's '%s' are not sorted", key);
    if (!text && !(kind == PAIR_TEXT_OR_NULL && json_is_null(value)))
        return error_set(err, "its record's '%s' has no text for '%.200s'", key, name);
    if (kind == PAIR_HASH && !is_hash(text))
        return error_set(err, "its record's '%s' has no hash for '%.200s'", key, name);
    return 0;
}

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const struct record_pair *)a)->name, ((const struct record_pair *)b)->name);
}

static int take_pairs(struct record *record, json_t *object, const char *key, enum pair_value kind,
                      struct record_pairs *out, struct error *err)
{
    json_t *values = member(object, key, JSON_OBJECT, "an object", err), *value;
    if (!values)
        return -1;
    struct record_pair *pairs = arena_must_alloc(&record->arena, json_object_size(values), sizeof *pairs);
    size_t count = 0;
    const char *name, *before = NULL;
    json_object_foreach(values, name, value)
    {
        if (check_pair(key, before, name, value, kind, err) < 0)
            return -1;
        const char *text = json_string_value(value);
        before = name;
        pairs[count++] =
            (struct record_pair){exact_text(&record->arena, name), text ? exact_text(&record->arena, text) : NULL};
    }
    if (count)
        qsort(pairs, count, sizeof *pairs, compare_pairs); /* names that are not UTF-8 stand elsewhere in JSON */
    *out = (struct record_pairs){pairs, count};
    return 0;
}

static int take_absent(struct record *record, json_t *object, struct error *err)
{
    json_t *values = member(object, "absent", JSON_ARRAY, "a list", err), *value;
    if (!values)
        return -1;
    const char **absent = arena_must_alloc(&record->arena, json_array_size(values), sizeof *absent);
    size_t i;
    json_array_foreach(values, i, value)
    {
        const char *path = json_string_value(value);
        absent[i] = exact_text(&record->arena, path ? path : "");
        if (!*absent[i] || (i > 0 && strcmp(absent[i - 1], absent[i]) >= 0))
            return error_set(err, "its record's 'absent' is no sorted list of paths");
    }
    record->absent = absent;
    record->absent_count = json_array_size(values);
    return 0;
}

static int take_file(struct record *record, const char *name, json_t *value, struct record_file *out,
                     struct error *err)
{
    const json_t *bytes = json_object_get(value, "bytes");
    const char *hash = json_string_value(json_object_get(value, "hash"));
    if (!is_plain_name(name))
        return error_set(err, "its record names '%.200s', which is no file beside it", name);
    if (!json_is_integer(bytes) || json_integer_value(bytes) < 0 || !hash || !is_hash(hash))
        return error_set(err, "its record has no size and hash of '%.200s'", name);
    *out = (struct record_file){
        .name = arena_strdup(&record->arena, name),
        .bytes = (uint64_t)json_integer_value(bytes),
        .hash = arena_strdup(&record->arena, hash),
    };
    return 0;
}

static int take_files(struct record *record, json_t *object, struct error *err)
{
    json_t *values = member(object, "files", JSON_OBJECT, "an object", err), *value;
    if (!values)
        return -1;
    struct record_file *files = arena_must_alloc(&record->arena, json_object_size(values), sizeof *files);
    const char *name;
    record->files = files;
    json_object_foreach(values, name, value)
    {
        struct record_file *file = &files[record->file_count];
        if (take_file(record, name, value, file, err) < 0)
            return -1;
        if (record->file_count > 0 && strcmp(file[-1].name, file->name) >= 0)
            return error_set(err, "the names in its record's 'files' are not sorted");
        record->file_count++;
    }
    return 0;
}

static int take_renderer(struct record *record, json_t *build, struct error *err)
{
    json_t *renderer = member(build, "renderer", JSON_OBJECT, "an object", err);
    if (!renderer || take_text(record, renderer, "backend", &record->backend, err) < 0 ||
        take_text(record, renderer, "cpu", &record->cpu, err) < 0)
        return -1;
    if (take_text(record, renderer, "library", &record->library, err) < 0)
        return -1;
    return take_text(record, renderer, "program", &record->program, err);
}

/* Only sheets in several parts say so. */
static int take_part(struct record *record, json_t *build, struct error *err)
{
    record->part_count = 1;
    if (!json_object_get(build, "parts"))
        return 0;
    if (take_number(build, "part", &record->part, err) < 0 || take_number(build, "parts", &record->part_count, err) < 0)
        return -1;
    if (record->part >= record->part_count)
        return error_set(err, "its record calls it part %u of %u", record->part, record->part_count);
    return 0;
}

static int take_page(struct record *record, json_t *build, struct error *err)
{
    if (take_text(record, build, "list", &record->list, err) < 0 ||
        take_text(record, build, "job", &record->job, err) < 0 ||
        take_number(build, "page", &record->page, err) < 0 ||
        take_number(build, "pages", &record->page_count, err) < 0 ||
        take_number(build, "output", &record->output, err) < 0)
        return -1;
    record->list = exact_text(&record->arena, record->list);
    if (record->page >= record->page_count)
        return error_set(err, "its record calls it page %u of %u", record->page, record->page_count);
    return take_part(record, build, err);
}

static int take_group(struct record *record, json_t *build, struct error *err)
{
    if (!json_object_get(build, "group"))
        return 0;
    if (take_text(record, build, "group", &record->group, err) < 0)
        return -1;
    return is_hash(record->group) ? 0 : error_set(err, "its record's 'group' is no hash");
}

static int take_build(struct record *record, json_t *build, struct error *err)
{
    if (take_page(record, build, err) < 0 || take_renderer(record, build, err) < 0 ||
        take_group(record, build, err) < 0 || take_absent(record, build, err) < 0 ||
        take_files(record, build, err) < 0 ||
        take_pairs(record, build, "settings", PAIR_TEXT, &record->settings, err) < 0 ||
        take_pairs(record, build, "found", PAIR_TEXT, &record->found, err) < 0 ||
        take_pairs(record, build, "listed", PAIR_HASH, &record->listed, err) < 0)
        return -1;
    return take_pairs(record, build, "declared", PAIR_TEXT_OR_NULL, &record->declared, err);
}

/* -- The file ---------------------------------------------------------------------------------------------- */

/* The object, or list, on the line that starts at `line`. The caller's to release. */
static json_t *parse_value(struct bytes json, size_t line, char opening, const char *what, struct error *err)
{
    const uint8_t *open = memchr(json.data + line, opening, json.size - line);
    size_t start = (size_t)(open - json.data);
    json_error_t problem;
    json_t *object = json_loadb((const char *)json.data + start, json.size - start,
                                JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &problem);
    if (!object)
        error_set(err, "its %s cannot be read: %s", what, problem.text);
    return object;
}

/* Where the record's hash of the file itself is, or SIZE_MAX. */
static size_t find_self(struct bytes json, size_t build_line)
{
    static const char key[] = "    \"self\": \"";
    size_t line = find_line(json, build_line, key), at = line + sizeof key - 1;
    return line != SIZE_MAX && json.size - at >= HASH_SIZE - 1 ? at : SIZE_MAX;
}

/* The hash of the file with zeros in the place of the hash. */
static void hash_around(struct bytes json, size_t at, char hash[HASH_SIZE])
{
    uint8_t zeros[HASH_SIZE - 1];
    memset(zeros, '0', sizeof zeros);
    size_t after = at + sizeof zeros;
    const struct bytes pieces[] = {{json.data, at}, {zeros, sizeof zeros}, {json.data + after, json.size - after}};
    hash_pieces(pieces, 3, hash);
}

static int check_self(struct record *record, struct bytes json, size_t build_line, struct error *err)
{
    size_t at = find_self(json, build_line);
    if (at == SIZE_MAX)
        return error_set(err, "its record has no 'self' that is a hash");
    char hash[HASH_SIZE];
    hash_around(json, at, hash);
    record->is_intact = !memcmp(json.data + at, hash, HASH_SIZE - 1);
    return 0;
}

/* They only inform: what is no text is left out. */
static int load_warnings(struct record *record, struct bytes json, size_t own_line, struct error *err)
{
    size_t line = find_line(json, own_line, "   \"warnings\": [");
    if (line == SIZE_MAX)
        return 0;
    json_t *values = parse_value(json, line, '[', "list of warnings", err), *value;
    if (!values)
        return -1;
    const char **warnings = arena_must_alloc(&record->arena, json_array_size(values), sizeof *warnings);
    size_t i;
    json_array_foreach(values, i, value)
        if (json_is_string(value))
            warnings[record->warning_count++] = arena_strdup(&record->arena, json_string_value(value));
    record->warnings = warnings;
    json_decref(values);
    return 0;
}

static int load(struct bytes json, size_t own_line, struct record *record, struct error *err)
{
    size_t build_line = find_line(json, own_line, BUILD_LINE);
    if (build_line == SIZE_MAX)
        return error_set(err, "it has no record of what it was made of");
    if (json.size - build_line > RECORD_MOST_TEXT)
        return error_set(err, "its record has %zu bytes, at most %d are allowed", json.size - build_line, RECORD_MOST_TEXT);
    size_t inputs_line = find_line(json, build_line, "   \"inputs\": {");
    if (inputs_line == SIZE_MAX)
        return error_set(err, "it has no inputs after its record");
    if (json.size < 3 || memcmp(json.data + json.size - 3, "\n}\n", 3))
        return error_set(err, "its end is missing");
    json_t *build = parse_value(json, build_line, '{', "record", err);
    int result = build ? take_build(record, build, err) : -1;
    json_decref(build);
    if (result < 0)
        return -1;
    json_t *inputs = parse_value(json, inputs_line, '{', "list of inputs", err), *own;
    if (!inputs)
        return -1;
    own = json_pack("{s:o}", "inputs", inputs);
    result =
        own ? take_pairs(record, own, "inputs", PAIR_HASH, &record->inputs, err) : error_set(err, "out of memory");
    json_decref(own);
    if (result < 0 || load_warnings(record, json, inputs_line, err) < 0)
        return -1;
    return check_self(record, json, build_line, err);
}

enum record_kind record_load(struct bytes json, struct record *out, struct error *err)
{
    size_t own_line = find_last_line(json, OWN_LINE);
    if (own_line == SIZE_MAX) {
        if (json.size == 0 || !memmem(json.data, json.size, "\"sheetbake\":", strlen("\"sheetbake\":")))
            return RECORD_NONE;
        error_set(err, "it is no longer as sheetbake writes it");
        return RECORD_BROKEN;
    }
    struct record record = {.is_intact = false};
    if (load(json, own_line, &record, err) < 0) {
        record_release(&record);
        return RECORD_BROKEN;
    }
    *out = record;
    return RECORD_GOOD;
}

void record_seal(struct blob *json)
{
    size_t own_line = find_last_line(blob_bytes(json), OWN_LINE);
    size_t build_line = own_line == SIZE_MAX ? own_line : find_line(blob_bytes(json), own_line, BUILD_LINE);
    size_t at = build_line == SIZE_MAX ? build_line : find_self(blob_bytes(json), build_line);
    if (at == SIZE_MAX)
        return;
    char hash[HASH_SIZE];
    hash_around(blob_bytes(json), at, hash);
    memcpy(json->data + at, hash, HASH_SIZE - 1);
}

void record_release(struct record *record)
{
    arena_release(&record->arena);
    *record = (struct record){.is_intact = false};
}

static int compare_name(const void *name, const void *pair)
{
    return strcmp(name, ((const struct record_pair *)pair)->name);
}

const struct record_pair *record_find(const struct record_pairs *pairs, const char *name)
{
    return pairs->count ? bsearch(name, pairs->items, pairs->count, sizeof *pairs->items, compare_name) : NULL;
}
