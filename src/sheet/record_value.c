#include "sheet/record_value.h"

#include <string.h>

#include "sheet/json_value.h"

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

json_t *record_pairs_value(const struct record_pairs *pairs)
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
    return json_pack("{s:o, s:o, s:o, s:o}", "backend", text_value(record->backend), "cpu",
                     text_value(record->cpu), "library", text_value(record->library), "program",
                     text_value(record->program));
}

json_t *record_value(const struct record *record)
{
    char zeros[HASH_SIZE];
    memset(zeros, '0', sizeof zeros - 1);
    zeros[sizeof zeros - 1] = '\0';
    json_t *value = json_pack(
        "{s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "list", exact_value(record->list),
        "job", text_value(record->job), "page", (json_int_t)record->page, "pages", (json_int_t)record->page_count,
        "output", (json_int_t)record->output, "renderer", renderer_value(record), "settings",
        record_pairs_value(&record->settings), "found", record_pairs_value(&record->found), "listed",
        record_pairs_value(&record->listed), "declared", record_pairs_value(&record->declared), "absent",
        absent_value(record), "files", files_value(record), "self", zeros);
    if (value && record->group)
        value = with(value, "group", text_value(record->group));
    if (value && record->part_count > 1) {
        value = with(value, "part", json_integer(record->part));
        value = value ? with(value, "parts", json_integer(record->part_count)) : NULL;
    }
    return value;
}
