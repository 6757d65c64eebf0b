/* Writing a record. */
#include <string.h>

#include "sheet/json_value.h"
#include "fresh/record.h"

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

static json_t *absent_value(const struct record *record)
{
    json_t *array = json_array();
    for (size_t i = 0; i < record->absent_count; i++)
        json_array_append_new(array, exact_value(record->absent[i]));
    return array;
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

static json_t *renderer_value(const struct record *record)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "backend", text_value(record->backend), "cpu",
                     text_value(record->cpu), "library", text_value(record->library), "name",
                     text_value(record->renderer), "program", text_value(record->program));
}

static json_t *warnings_value(const struct record *record)
{
    json_t *array = json_array();
    for (size_t i = 0; i < record->warning_count; i++)
        json_array_append_new(array, text_value(record->warnings[i]));
    return array;
}

static json_t *record_value(const struct record *record, const char *self)
{
    json_t *value = json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
                              "list", exact_value(record->list), "job", text_value(record->job), "page",
                              (json_int_t)record->page, "pages", (json_int_t)record->page_count, "output",
                              (json_int_t)record->output, "renderer", renderer_value(record), "settings",
                              pairs_value(&record->settings), "inputs", pairs_value(&record->inputs), "found",
                              pairs_value(&record->found), "listed", pairs_value(&record->listed), "declared",
                              pairs_value(&record->declared), "absent", absent_value(record), "files",
                              files_value(record), "warnings", warnings_value(record), "self", self);
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
