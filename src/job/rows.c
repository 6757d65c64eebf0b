#include "job/rows.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"

enum { MOST_ROWS = 64 };

static bool is_last(const struct setting *row)
{
    return !row->key && !row->size;
}

static bool is_auto(const struct node *node)
{
    return node->kind == NODE_SCALAR && !strcmp(node->text, "auto");
}

static void read_row(const struct reader *reader, const struct node *map, const struct setting *row, void *whole)
{
    const struct node *node = node_get(map, row->key);
    void *member = (char *)whole + row->offset;
    unsigned word;
    if (!node || row->by_caller)
        return;
    if (row->read) {
        row->read(reader, node, row->of_member ? member : whole);
        return;
    }
    if (row->takes_auto && is_auto(node)) {
        memset(member, 0, row->size);
        return;
    }
    switch (row->kind) {
    case SETTING_KIND_BOOL:
        read_bool(reader, map, row->key, member);
        break;
    case SETTING_KIND_WHOLE:
        read_u32(reader, map, row->key, row->range, member);
        break;
    case SETTING_KIND_NUMBER:
        read_f32(reader, map, row->key, row->range, member);
        break;
    case SETTING_KIND_VECTOR:
        read_vec3(reader, map, row->key, row->range, member);
        break;
    case SETTING_KIND_COLOR:
        read_color(reader, node, "'color'", true, member);
        break;
    case SETTING_KIND_WORD:
        if (read_word(reader, map, row->key, row->words, row->word_count, &word))
            *(unsigned *)member = word;
        break;
    case SETTING_KIND_TEXT:
        read_string(reader, map, row->key, member);
        break;
    case SETTING_KIND_MAPPING: {
        char *what = must_printf("'%s'", row->key);
        rows_read(reader, node, what, row->rows, member);
        free(what);
        break;
    }
    case SETTING_KIND_LIST:
    case SETTING_KIND_CALL:
    case SETTING_KIND_PART:
    case SETTING_KIND_NOTE:
        assert(!"a row that nothing reads");
    }
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
    for (const struct setting *row = rows; !is_last(row); row++)
        if (row->key)
            read_row(reader, map, row, whole);
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
    recorder->items[recorder->count++] = (struct recorded_setting){recorder_join(recorder, prefix, key), value};
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

/* Of the kinds that are one text; else NULL. */
static const char *value_text(struct recorder *recorder, const struct setting *row, const void *member)
{
    const float *number = member;
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
    case SETTING_KIND_TEXT: {
        const char *text = *(const char *const *)member;
        return text ? arena_strdup(recorder->arena, text) : NULL;
    }
    default:
        return NULL;
    }
}

void rows_record(struct recorder *recorder, const char *prefix, const struct setting *rows, const void *whole)
{
    for (const struct setting *row = rows; !is_last(row); row++) {
        const char *member = (const char *)whole + row->offset;
        if (row->kind == SETTING_KIND_PART || row->kind == SETTING_KIND_NOTE)
            continue;
        if (row->record)
            row->record(recorder, prefix, row->of_member ? member : whole);
        else
            recorder_add(recorder, prefix, row->key, value_text(recorder, row, member));
        if (!row->rows)
            continue;
        const char *name = recorder_join(recorder, prefix, row->key);
        if (row->kind != SETTING_KIND_LIST) {
            rows_record(recorder, name, row->rows, member);
            continue;
        }
        const char *items = *(const char *const *)member;
        size_t count = *(const size_t *)((const char *)whole + row->count_offset);
        for (size_t i = 0; i < count; i++)
            rows_record(recorder, recorder_item(recorder, name, i), row->rows, items + i * row->item_size);
    }
}

const char *rows_text(struct recorder *recorder, const struct setting *rows, const void *whole)
{
    struct recorder parts = {.arena = recorder->arena};
    struct buffer text = {0};
    rows_record(&parts, "", rows, whole);
    for (size_t i = 0; i < parts.count; i++)
        buffer_printf(&text, "%s%s: %s", i ? ", " : "", parts.items[i].name, parts.items[i].value);
    const char *kept = arena_strdup(recorder->arena, text.text);
    buffer_release(&text);
    free(parts.items);
    return kept;
}
