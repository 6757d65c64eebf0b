#include "job/rows.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "page/names.h"

enum { MOST_ROWS = 64 };

static bool is_last(const struct setting *row)
{
    return !row->key && !row->size;
}

static int compare_names(const void *a_item, const void *b_item, void *minds_case)
{
    const struct job_name *a = a_item, *b = b_item;
    int order = *(const bool *)minds_case ? strcmp(a->name, b->name) : strcasecmp(a->name, b->name);
    return order ? order : mark_compare(&a->mark, &b->mark);
}

void check_different(const struct reader *reader, const struct list_kind *kind, struct job_name *names,
                     size_t count)
{
    bool minds_case = kind->minds_case;
    if (count)
        qsort_r(names, count, sizeof *names, compare_names, &minds_case);
    for (size_t i = 1; i < count; i++) {
        const char *name = names[i].name, *other = names[i - 1].name;
        if (*name && !(minds_case ? strcmp(name, other) : strcasecmp(name, other)))
            problems_add(reader->problems, names[i].mark, "%s '%.64s' is twice in this list%s", kind->noun, name,
                         kind->mend ? kind->mend : "");
    }
}

bool read_name(const struct reader *reader, const struct node *node, const char *what, const char **out)
{
    struct error err;
    if (!read_text(reader, node, what, out))
        return false;
    if (names_check_text(*out, strlen(*out), &err) < 0)
        problems_add(reader->problems, node->mark, "%s %s", what, err.text);
    return true;
}

static void read_list(const struct reader *reader, const struct node *node, const struct setting *row, void *whole)
{
    struct node_list entries = node_one_or_many(&node);
    const struct list_kind *kind = row->list;
    if (entries.count > kind->most) {
        problems_add(reader->problems, node->mark, "%zu %ss, at most %zu are allowed", entries.count, kind->noun,
                     kind->most);
        return;
    }
    char *items = arena_must_alloc(reader->arena, entries.count, row->item_size);
    struct job_name *names = must_alloc(entries.count, sizeof *names);
    for (size_t i = 0; i < entries.count; i++) {
        struct job_name *item = (struct job_name *)(items + i * row->item_size);
        *item = (struct job_name){entries.items[i]->mark, ""};
        if (kind->read)
            kind->read(reader, entries.items[i], item);
        else
            read_name(reader, entries.items[i], arena_printf(reader->arena, "a %s", kind->noun), &item->name);
        names[i] = *item;
    }
    check_different(reader, kind, names, entries.count);
    if (kind->check)
        kind->check(reader, items, entries.count);
    memcpy((char *)whole + row->offset, &items, sizeof items);
    *(size_t *)((char *)whole + row->count_offset) = entries.count;
    free(names);
}

static void read_row(const struct reader *reader, const struct node *node, const struct setting *row, void *whole)
{
    void *member = (char *)whole + row->offset;
    unsigned word;
    char name[64];
    snprintf(name, sizeof name, "'%s'", row->key);
    if (row->mark_offset)
        *(struct mark *)((char *)whole + row->mark_offset) = node->mark;
    if (row->or_none && node->kind == NODE_SCALAR) {
        if (node_is_word(node, "none"))
            memset(member, 0, row->size);
        else
            reader_expected(reader, node, "%s", row->or_none);
        return;
    }
    if (row->read) {
        row->read(reader, node, row->of_member ? member : whole);
        return;
    }
    if (row->takes_auto && node_is_word(node, "auto")) {
        memset(member, 0, row->size);
        return;
    }
    switch (row->kind) {
    case SETTING_KIND_BOOL:
        read_bool(reader, node, name, member);
        break;
    case SETTING_KIND_WHOLE:
        read_integer(reader, node, name, row->range, member);
        break;
    case SETTING_KIND_NUMBER:
        read_float(reader, node, name, row->range, member);
        break;
    case SETTING_KIND_VECTOR:
        read_vector(reader, node, name, row->range, member);
        break;
    case SETTING_KIND_COLOR:
        read_color(reader, node, name, !row->is_opaque, member);
        break;
    case SETTING_KIND_WORD:
        if (read_one_word(reader, node, name, row->words, row->word_count, &word))
            *(unsigned *)member = word;
        break;
    case SETTING_KIND_FLAGS:
        read_flags(reader, node, row->noun, row->words, row->word_count, member);
        break;
    case SETTING_KIND_TEXT:
        read_text(reader, node, name, member);
        break;
    case SETTING_KIND_MAPPING:
        rows_read(reader, node, name, row->rows, member);
        break;
    case SETTING_KIND_LIST:
        read_list(reader, node, row, whole);
        break;
    case SETTING_KIND_PART:
    case SETTING_KIND_NOTE:
        break;
    case SETTING_KIND_NAMES:
    case SETTING_KIND_CALL:
        assert(!"a row that nothing reads");
    }
}

/* Which keys may stand beside a row's. */
static void check_company(const struct reader *reader, const struct node *map, const struct setting *row)
{
    const struct node *key = node_key(map, row->key);
    for (size_t i = 0; i < COUNT(row->not_with); i++)
        if (row->not_with[i] && node_get(map, row->not_with[i]))
            problems_add(reader->problems, key->mark, "'%s' cannot be given together with '%s'", row->key,
                         row->not_with[i]);
    if (row->only_with && !node_get(map, row->only_with))
        problems_add(reader->problems, key->mark, "'%s' has a meaning only together with '%s'", row->key,
                     row->only_with);
}

bool rows_read(const struct reader *reader, const struct node *map, const char *what, const struct setting *rows,
               void *whole)
{
    const char *keys[MOST_ROWS];
    size_t count = 0;
    for (const struct setting *row = rows; !is_last(row); row++) {
        assert(count < MOST_ROWS);
        if (row->key)
            keys[count++] = row->key;
    }
    if (!read_keys(reader, map, what, keys, count))
        return false;
    for (const struct setting *row = rows; !is_last(row); row++) {
        const struct node *node = row->key ? node_get(map, row->key) : NULL;
        if (row->is_needed)
            read_needed(reader, map, what, row->key);
        if (!node)
            continue;
        check_company(reader, map, row);
        read_row(reader, node, row, whole);
    }
    return true;
}

/* -- Records ------------------------------------------------------------------------------------------------- */

const char *recorder_join(struct recorder *recorder, const char *prefix, const char *key)
{
    return arena_printf(recorder->arena, "%s%s%s", prefix, *prefix ? "." : "", key);
}

const char *recorder_item(struct recorder *recorder, const char *name, size_t i)
{
    return arena_printf(recorder->arena, "%s[%zu]", name, i);
}

void recorder_add(struct recorder *recorder, const char *prefix, const char *key, const char *value)
{
    if (!value)
        return;
    recorder->items = must_grow(recorder->items, recorder->count, &recorder->capacity, sizeof *recorder->items);
    recorder->items[recorder->count++] = (struct record_pair){recorder_join(recorder, prefix, key), value};
}

void recorder_add_text(struct recorder *recorder, const char *prefix, const char *key, const char *value)
{
    recorder_add(recorder, prefix, key, value ? arena_strdup(recorder->arena, value) : NULL);
}

const char *recorder_float(struct recorder *recorder, float number)
{
    const char *text = NULL;
    for (int digits = 6; digits <= 9 && (!text || strtof(text, NULL) != number); digits++)
        text = arena_printf(recorder->arena, "%.*g", digits, (double)number);
    return text;
}

const char *recorder_double(struct recorder *recorder, double number)
{
    const char *text = NULL;
    for (int digits = 6; digits <= 17 && (!text || strtod(text, NULL) != number); digits++)
        text = arena_printf(recorder->arena, "%.*g", digits, number);
    return text;
}

const char *recorder_color(struct recorder *recorder, const uint8_t color[4])
{
    return arena_printf(recorder->arena, "#%02x%02x%02x%02x", color[0], color[1], color[2], color[3]);
}

const char *recorder_vector(struct recorder *recorder, const float v[3])
{
    return arena_printf(recorder->arena, "[%s, %s, %s]", recorder_float(recorder, v[0]),
                        recorder_float(recorder, v[1]), recorder_float(recorder, v[2]));
}

static bool is_zero(const char *member, size_t size)
{
    size_t i = 0;
    while (i < size && member[i] == 0)
        i++;
    return i == size;
}

/* Of the kinds that are one text; else NULL. */
static const char *value_text(struct recorder *recorder, const struct setting *row, const void *member)
{
    const float *number = member;
    const char *text = "";
    switch (row->kind) {
    case SETTING_KIND_BOOL:
        return *(const bool *)member ? "true" : "false";
    case SETTING_KIND_WHOLE:
        return arena_printf(recorder->arena, "%u", *(const uint32_t *)member);
    case SETTING_KIND_NUMBER:
        return recorder_float(recorder, *number);
    case SETTING_KIND_VECTOR:
        return recorder_vector(recorder, number);
    case SETTING_KIND_COLOR:
        return recorder_color(recorder, member);
    case SETTING_KIND_WORD:
        return row->words[*(const unsigned *)member];
    case SETTING_KIND_FLAGS:
        for (unsigned i = 0; i < row->word_count; i++)
            if (*(const uint32_t *)member & 1u << i)
                text = arena_printf(recorder->arena, "%s%s%s", text, *text ? ", " : "", row->words[i]);
        return text;
    case SETTING_KIND_TEXT:
        text = *(const char *const *)member;
        return text ? arena_strdup(recorder->arena, text) : NULL;
    default:
        return NULL;
    }
}

void rows_record(struct recorder *recorder, const char *prefix, const struct setting *rows, const void *whole)
{
    for (const struct setting *row = rows; !is_last(row); row++) {
        const char *member = (const char *)whole + row->offset;
        if (row->kind == SETTING_KIND_PART || row->kind == SETTING_KIND_NOTE ||
            (row->is_new && is_zero(member, row->size)))
            continue;
        if (row->record)
            row->record(recorder, prefix, row->of_member ? member : whole);
        else
            recorder_add(recorder, prefix, row->key, value_text(recorder, row, member));
        const struct preview_names *texts = row->kind == SETTING_KIND_NAMES ? (const void *)member : NULL;
        for (size_t i = 0; texts && i < texts->count; i++)
            recorder_add_text(recorder, prefix, recorder_item(recorder, row->key, i), texts->items[i]);
        const char *name = row->rows ? recorder_join(recorder, prefix, row->key) : NULL;
        if (row->kind == SETTING_KIND_LIST) {
            const char *items = *(const char *const *)member;
            size_t count = *(const size_t *)((const char *)whole + row->count_offset);
            for (size_t i = 0; i < count; i++)
                rows_record(recorder, recorder_item(recorder, name, i), row->rows, items + i * row->item_size);
        } else if (row->rows && !row->record) {
            rows_record(recorder, name, row->rows, member);
        }
    }
}

const char *rows_text(struct recorder *recorder, const struct setting *rows, const void *whole)
{
    struct recorder parts = {.arena = recorder->arena};
    struct buffer text = {0};
    rows_record(&parts, "", rows, whole);
    for (size_t i = 0; i < parts.count; i++)
        buffer_printf(&text, "%s%s: %s", i ? ", " : "", parts.items[i].name, parts.items[i].value);
    free(parts.items);
    return arena_take(recorder->arena, text.text);
}
