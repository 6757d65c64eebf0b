#include "page/record.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"
#include "sheet/json_value.h"
#include "page/metadata.h"
#include "sheet/layout.h"
#include "page/names.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What drew and wrote the page: members that are texts. */
static const struct {
    const char *key;
    size_t offset;
} renderer_keys[] = {
    {"backend", offsetof(struct record, backend)}, {"cpu", offsetof(struct record, cpu)},
    {"library", offsetof(struct record, library)}, {"name", offsetof(struct record, renderer)},
    {"program", offsetof(struct record, program)},
};

/* The job, and how its look-ups ended: members that are pairs. */
enum pair_value { PAIR_TEXT, PAIR_HASH, PAIR_TEXT_OR_NULL };

static const struct {
    const char *key;
    size_t offset;
    enum pair_value value;
    bool is_optional;
} pair_keys[] = {
    {"settings", offsetof(struct record, settings), PAIR_TEXT, false},
    {"inputs", offsetof(struct record, inputs), PAIR_HASH, false},
    {"found", offsetof(struct record, found), PAIR_TEXT, false},
    {"listed", offsetof(struct record, listed), PAIR_HASH, false},
    {"declared", offsetof(struct record, declared), PAIR_TEXT_OR_NULL, false},
    {"facts", offsetof(struct record, facts), PAIR_TEXT, true},
};

/* -- Reading ----------------------------------------------------------------------------------------------- */

static bool is_hash(const char *text)
{
    return strlen(text) == HASH_SIZE - 1 && strspn(text, "0123456789abcdef") == HASH_SIZE - 1;
}

/* A run removes files that a record names, so these must be plain ones beside it. */
static bool is_plain_name(const char *name)
{
    return *name && strcmp(name, ".") && strcmp(name, "..") && !strchr(name, '/');
}

static json_t *member(json_t *object, const char *key, json_type type, const char *what, struct error *err)
{
    json_t *value = json_object_get(object, key);
    if (value && json_typeof(value) == type)
        return value;
    error_set(err, "it has no '%s' that is %s", key, what);
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
        return error_set(err, "its '%s' is %" JSON_INTEGER_FORMAT ", not from 0 to %u", key, number, UINT32_MAX);
    *out = (uint32_t)number;
    return 0;
}

/* Keys of a file of ours are sorted; what reads the pairs depends on it. */
static int check_pair(const char *key, const char *before, const char *name, const json_t *value,
                      enum pair_value kind, struct error *err)
{
    const char *text = json_string_value(value);
    if (!*name || (before && strcmp(before, name) >= 0))
        return error_set(err, "the names in its '%s' are not sorted", key);
    if (!text && !(kind == PAIR_TEXT_OR_NULL && json_is_null(value)))
        return error_set(err, "its '%s' has no text for '%.200s'", key, name);
    if (kind == PAIR_HASH && !is_hash(text))
        return error_set(err, "its '%s' has no hash for '%.200s'", key, name);
    return 0;
}

static int compare_pairs(const void *a, const void *b)
{
    return strcmp(((const struct record_pair *)a)->name, ((const struct record_pair *)b)->name);
}

void record_sort_pairs(struct record_pair *pairs, size_t count)
{
    if (count)
        qsort(pairs, count, sizeof *pairs, compare_pairs);
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
    record_sort_pairs(pairs, count); /* names that are not UTF-8 stand elsewhere in JSON */
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
            return error_set(err, "its 'absent' is no sorted list of paths");
    }
    record->absent = absent;
    record->absent_count = json_array_size(values);
    return 0;
}

/* What describes pictures first. */
static int compare_files(const void *a_item, const void *b_item)
{
    const struct record_file *a = a_item, *b = b_item;
    int order = metadata_is_picture(a->name) - metadata_is_picture(b->name);
    return order ? order : strcmp(a->name, b->name);
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

        const json_t *bytes = json_object_get(value, "bytes");
        const char *hash = json_string_value(json_object_get(value, "hash"));
        if (!is_plain_name(name))
            return error_set(err, "it names '%.200s', which is no file beside it", name);
        if (!json_is_integer(bytes) || json_integer_value(bytes) < 0 || !hash || !is_hash(hash))
            return error_set(err, "it has no size and hash of '%.200s'", name);
        *file = (struct record_file){
            .name = arena_strdup(&record->arena, name),
            .bytes = (uint64_t)json_integer_value(bytes),
            .hash = arena_strdup(&record->arena, hash),
        };

        if (record->file_count > 0 && strcmp(file[-1].name, file->name) >= 0)
            return error_set(err, "the names in its 'files' are not sorted");
        record->file_count++;
    }
    if (record->file_count)
        qsort(files, record->file_count, sizeof *files, compare_files);
    return 0;
}

static int take_renderer(struct record *record, json_t *root, struct error *err)
{
    json_t *renderer = member(root, "renderer", JSON_OBJECT, "an object", err);
    int result = renderer ? 0 : -1;
    for (size_t i = 0; result == 0 && i < COUNT(renderer_keys); i++)
        result = take_text(record, renderer, renderer_keys[i].key,
                           (const char **)((char *)record + renderer_keys[i].offset), err);
    return result;
}

static int take_page(struct record *record, json_t *root, struct error *err)
{
    if (take_text(record, root, "list", &record->list, err) < 0 ||
        take_text(record, root, "job", &record->job, err) < 0 ||
        take_number(root, "page", &record->page, err) < 0 ||
        take_number(root, "pages", &record->page_count, err) < 0 ||
        take_number(root, "output", &record->output, err) < 0)
        return -1;
    record->list = exact_text(&record->arena, record->list);
    if (record->page_count > LAYOUT_MOST_CELLS)
        return error_set(err, "it tells of %u pages, at most %d are allowed", record->page_count,
                         LAYOUT_MOST_CELLS);
    if (record->page >= record->page_count)
        return error_set(err, "it calls itself page %u of %u", record->page, record->page_count);
    /* Only sheets in several parts say so. */
    record->part_count = 1;
    if (!json_object_get(root, "parts"))
        return 0;
    if (take_number(root, "part", &record->part, err) < 0 ||
        take_number(root, "parts", &record->part_count, err) < 0)
        return -1;
    if (record->part >= record->part_count)
        return error_set(err, "it calls itself part %u of %u", record->part, record->part_count);
    return 0;
}

static int take_group(struct record *record, json_t *root, struct error *err)
{
    if (!json_object_get(root, "group"))
        return 0;
    if (take_text(record, root, "group", &record->group, err) < 0)
        return -1;
    return is_hash(record->group) ? 0 : error_set(err, "its 'group' is no hash");
}

/* Information for people: values that are no texts are left out. */
static int take_warnings(struct record *record, json_t *object, struct error *err)
{
    json_t *values = member(object, "warnings", JSON_ARRAY, "a list", err), *value;
    if (!values)
        return -1;
    const char **warnings = arena_must_alloc(&record->arena, json_array_size(values), sizeof *warnings);
    size_t i;
    json_array_foreach(values, i, value) if (json_is_string(value)) warnings[record->warning_count++] =
        arena_strdup(&record->arena, json_string_value(value));
    record->warnings = warnings;
    return 0;
}

static int take_all(struct record *record, json_t *root, struct error *err)
{
    int result = take_page(record, root, err) < 0 || take_renderer(record, root, err) < 0 ||
                         take_group(record, root, err) < 0 || take_absent(record, root, err) < 0 ||
                         take_files(record, root, err) < 0 || take_warnings(record, root, err) < 0
                     ? -1
                     : 0;
    for (size_t i = 0; result == 0 && i < COUNT(pair_keys); i++)
        if (!pair_keys[i].is_optional || json_object_get(root, pair_keys[i].key))
            result = take_pairs(record, root, pair_keys[i].key, pair_keys[i].value,
                                (struct record_pairs *)((char *)record + pair_keys[i].offset), err);
    return result;
}

/* -- The file ---------------------------------------------------------------------------------------------- */

/* A line break is never part of a text in JSON, so what follows one is a key of the record itself. */
int record_hash(struct bytes file, size_t *at, char hash[HASH_SIZE])
{
    static const char key[] = "\n \"self\": \"";
    const uint8_t *line = file.size ? memmem(file.data, file.size, key, sizeof key - 1) : NULL;
    size_t start = line ? (size_t)(line - file.data) + sizeof key - 1 : 0;
    if (!line || file.size - start < HASH_SIZE - 1)
        return -1;
    uint8_t zeros[HASH_SIZE - 1];
    memset(zeros, '0', sizeof zeros);
    size_t after = start + sizeof zeros;
    const struct bytes pieces[] = {
        {file.data, start}, {zeros, sizeof zeros}, {file.data + after, file.size - after}};
    hash_pieces(pieces, 3, hash);
    *at = start;
    return 0;
}

int record_load(struct bytes file, struct record *out, struct error *err)
{
    size_t at;
    char hash[HASH_SIZE];
    if (file.size > RECORD_MOST_TEXT)
        return error_set(err, "it has %zu bytes, at most %d are allowed", file.size, RECORD_MOST_TEXT);
    if (record_hash(file, &at, hash) < 0)
        return error_set(err, "it is no record of a sheet, or is cut off");
    if (memcmp(file.data + at, hash, HASH_SIZE - 1))
        return error_set(err, "it is cut off, or was changed since it was written");
    json_error_t problem;
    json_t *root = json_loadb((const char *)file.data, file.size, JSON_REJECT_DUPLICATES, &problem);
    if (!root)
        return error_set(err, "it cannot be read: %s", problem.text);
    struct record record = {0};
    int result = take_all(&record, root, err);
    json_decref(root);
    if (result < 0)
        record_release(&record);
    else
        *out = record;
    return result;
}

void record_release(struct record *record)
{
    arena_release(&record->arena);
    *record = (struct record){0};
}

const struct record_pair *record_find(const struct record_pairs *pairs, const char *name)
{
    const struct record_pair key = {.name = name};
    return pairs->count ? bsearch(&key, pairs->items, pairs->count, sizeof key, compare_pairs) : NULL;
}

/* -- Writing ----------------------------------------------------------------------------------------------- */

/* Fails by giving up the object. Takes the key. */
static json_t *with_key(json_t *object, json_t *key, json_t *value)
{
    int result = json_object_set_new(object, json_string_value(key), value);
    json_decref(key);
    if (result == 0)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *with(json_t *object, const char *name, json_t *value)
{
    return with_key(object, text_value(name), value);
}

static json_t *pairs_value(const struct record_pairs *pairs)
{
    json_t *object = json_object();
    for (size_t i = 0; i < pairs->count; i++) {
        const struct record_pair *pair = &pairs->items[i];
        object = with_key(object, exact_value(pair->name), pair->value ? exact_value(pair->value) : json_null());
    }
    return object;
}

static json_t *files_value(const struct record *record)
{
    json_t *object = json_object();
    for (size_t i = 0; i < record->file_count; i++) {
        const struct record_file *file = &record->files[i];
        object = with(object, file->name,
                      json_pack("{s:I, s:s}", "bytes", (json_int_t)file->bytes, "hash", file->hash));
    }
    return object;
}

static json_t *record_value(const struct record *record, const char *self)
{
    json_t *renderer = json_object();
    for (size_t i = 0; i < COUNT(renderer_keys); i++)
        renderer = with(renderer, renderer_keys[i].key,
                        text_value(*(const char *const *)((const char *)record + renderer_keys[i].offset)));
    json_t *value = json_pack(
        "{s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:s}", "list", exact_value(record->list), "job",
        text_value(record->job), "page", (json_int_t)record->page, "pages", (json_int_t)record->page_count,
        "output", (json_int_t)record->output, "renderer", renderer, "absent",
        texts_value(record->absent, record->absent_count, exact_value), "files", files_value(record), "warnings",
        texts_value(record->warnings, record->warning_count, text_value), "self", self);
    for (size_t i = 0; value && i < COUNT(pair_keys); i++)
        value = with(value, pair_keys[i].key,
                     pairs_value((const struct record_pairs *)((const char *)record + pair_keys[i].offset)));
    if (value && record->group)
        value = with(value, "group", text_value(record->group));
    if (value && record->part_count > 1) {
        value = with(value, "part", json_integer(record->part));
        value = value ? with(value, "parts", json_integer(record->part_count)) : NULL;
    }
    return value;
}

int record_save(const struct record *record, struct blob *out, struct error *err)
{
    char hash[HASH_SIZE] = {0};
    size_t at;
    memset(hash, '0', sizeof hash - 1);
    json_t *root = record_value(record, hash);
    if (json_save(root, root, JSON_SORTED, out, err) < 0)
        return -1;
    if (record_hash(blob_bytes(out), &at, hash) == 0)
        memcpy(out->data + at, hash, HASH_SIZE - 1);
    return 0;
}

/* -- In an output folder ------------------------------------------------------------------------------------ */

/* Whether the record is that of the page which it is called after: by its job, and by each of its files. */
static bool is_own_record(const struct record *record, const char *path)
{
    char *page = path_stem(path_base(path));
    bool result = names_is_page_of(page, path_base(record->job));
    for (size_t i = 0; i < record->file_count; i++)
        result = result && names_is_file_of(record->files[i].name, page);
    free(page);
    return result;
}

enum record_kind recorded_load(const char *path, const char *final, struct record *out, struct error *err)
{
    struct stat info;
    struct blob file;
    if (lstat(path, &info) < 0 && errno == ENOENT)
        return RECORD_NONE;
    if (file_read(path, RECORD_MOST_TEXT, &file, err) < 0)
        return RECORD_BROKEN;
    int result = record_load(blob_bytes(&file), out, err);
    blob_release(&file);
    if (result == 0 && !is_own_record(out, final)) {
        result = error_set(err, "it is the record of another page, of job '%s'", out->job);
        record_release(out);
    }
    return result < 0 ? RECORD_BROKEN : RECORD_GOOD;
}

static enum recorded_state check_bytes(const char *path, const struct record_file *file, struct error *err)
{
    struct blob blob;
    char hash[HASH_SIZE];
    if (file_read(path, file->bytes, &blob, err) < 0)
        return RECORDED_UNREADABLE;
    hash_bytes(blob_bytes(&blob), hash);
    blob_release(&blob);
    return strcmp(hash, file->hash) ? RECORDED_CHANGED : RECORDED_SAME;
}

enum recorded_state recorded_check(const char *folder, const struct record_file *file, struct error *err)
{
    char *path = path_join(folder, file->name);
    struct stat info;
    enum recorded_state state;
    if (lstat(path, &info) < 0) {
        state = errno == ENOENT ? RECORDED_MISSING : RECORDED_UNREADABLE;
        error_set(err, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode) || (uintmax_t)info.st_size != file->bytes) {
        state = RECORDED_CHANGED;
    } else {
        state = check_bytes(path, file, err);
    }
    free(path);
    return state;
}

bool recorded_has(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record->file_count; i++)
        if (!strcmp(record->files[i].name, name))
            return true;
    return false;
}
