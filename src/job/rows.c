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

static bool is_zero(const char *member, size_t size)
{
    return member[0] == 0 && !memcmp(member, member + 1, size - 1);
}

const struct setting *rows_short(const struct setting *rows)
{
    while (!is_last(rows) && !rows->is_short)
        rows++;
    return is_last(rows) ? NULL : rows;
}

/* The row whose key a number in place of the mapping is meant for. NULL: none. */
static const struct setting *number_row(const struct node *node, const struct setting *rows)
{
    double number;
    while (!is_last(rows) && !rows->is_meant)
        rows++;
    return !is_last(rows) && node_is_number(node, &number) ? rows : NULL;
}

/* Reads a mapping, or the value that is short for one. */
static bool read_mapping(const struct reader *reader, const struct node *node, const struct setting *row,
                         const char *name, void *whole)
{
    const struct setting *brief = rows_short(row->rows);
    bool is_brief =
        brief && (node->kind == NODE_SCALAR || (node->kind == NODE_SEQUENCE && brief->kind != SETTING_KIND_TEXT));
    if (row->expects && !number_row(node, row->rows) &&
        (brief ? node->kind == NODE_SEQUENCE || node_is_null(node) : node->kind == NODE_SCALAR)) {
        reader_expected(reader, node, "%s", row->expects);
        return false;
    }
    if (is_brief && brief->is_alone)
        memset(whole, 0, row->size);
    return is_brief ? row_read(reader, node, brief, brief->noun ? brief->noun : name, whole)
                    : rows_read(reader, node, name, row->rows, whole);
}

static void set_items(const struct setting *row, char *items, size_t count, void *whole)
{
    memcpy((char *)whole + row->offset, &items, sizeof items);
    *(size_t *)((char *)whole + row->count_offset) = count;
}

static bool read_list(const struct reader *reader, const struct node *node, const struct setting *row, void *whole)
{
    struct node_list entries = node_one_or_many(&node);
    const struct list_kind *kind = row->list;
    if (entries.count > kind->most) {
        problems_add(reader->problems, node->mark, "%zu %ss, at most %zu are allowed", entries.count, kind->noun,
                     kind->most);
        return false;
    }
    const char *what = arena_printf(reader->arena, "a%s %s", strchr("aeiou", *kind->noun) ? "n" : "", kind->noun);
    char *items = arena_must_alloc(reader->arena, entries.count, row->item_size);
    SCOPED struct job_name *names = must_alloc(entries.count, sizeof *names);
    for (size_t i = 0; i < entries.count; i++) {
        struct job_name *item = (struct job_name *)(items + i * row->item_size);
        if (row->starts)
            memcpy(item, row->starts, row->item_size);
        *item = (struct job_name){"", entries.items[i]->mark};
        if (kind->is_of_names)
            read_name(reader, entries.items[i], what, &item->name);
        else if (read_mapping(reader, entries.items[i], row, what, item) && row->check)
            row->check(reader, entries.items[i], item);
        names[i] = *item;
    }
    check_different(reader, kind, names, entries.count);
    if (kind->check)
        kind->check(reader, items, entries.count);
    set_items(row, items, entries.count, whole);
    return true;
}

/* Reads a mapping of names to values, or a value without a name where the row takes one. */
static bool read_pairs(const struct reader *reader, const struct node *node, const struct setting *row,
                       const char *name, void *whole)
{
    const struct setting *from = row->rows, *to = from + 1;
    const bool is_map = node->kind == NODE_MAPPING;
    const size_t count = is_map ? node->count : 1;
    double number;
    if (!is_map && row->expects && (!(row->forms & FORM_NAME) || node_is_number(node, &number))) {
        reader_expected(reader, node, "%s", row->expects);
        return false;
    }
    char *items = arena_must_alloc(reader->arena, count, row->item_size);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        char *item = items + kept * row->item_size;
        if (is_map) {
            memcpy(item + from->offset, &node->keys[i]->text, from->size);
            if (from->mark_offset)
                *(struct mark *)(item + from->mark_offset) = node->keys[i]->mark;
        }
        kept += row_read(reader, is_map ? node->values[i] : node, to, is_map ? to->noun : name, item);
    }
    set_items(row, items, kept, whole);
    return is_map || kept;
}

static bool read_texts(const struct reader *reader, const struct node *node, const struct setting *row,
                       struct patterns *out)
{
    struct node_list entries = node_one_or_many(&node);
    const char **items = arena_must_alloc(reader->arena, entries.count, sizeof *items);
    if (row->items.most > 0 && (double)entries.count > row->items.most)
        problems_add(reader->problems, node->mark, "%zu patterns, at most %.0f are allowed", entries.count,
                     row->items.most);
    if ((double)entries.count < row->items.least)
        reader_expected(reader, node, "%s", row->expects);
    for (size_t i = 0; i < entries.count; i++)
        if (!read_text(reader, entries.items[i], row->noun, &items[i]))
            return false;
    *out = (struct patterns){items, entries.count};
    return true;
}

/* The number of "20 %", or else the node. */
static const struct node *percentage(const struct reader *reader, const struct node *node)
{
    size_t length = node->kind == NODE_SCALAR ? strcspn(node->text, " %") : 0;
    if (!length || !node->text[length] || strcmp(node->text + length + strspn(node->text + length, " "), "%") != 0)
        return node;
    struct node *number = arena_copy(reader->arena, node, 1, sizeof *node);
    number->text = arena_strndup(reader->arena, node->text, length);
    number->is_plain = true; /* it may be quoted, as JSON has it */
    return number;
}

/* Reads a value of the row's kind. */
static bool read_kind(const struct reader *reader, const struct node *node, const struct setting *row,
                      const char *name, void *whole)
{
    char *member = (char *)whole + row->offset;
    double number;
    unsigned word;
    bool is;
    switch (row->kind) {
    case SETTING_KIND_BOOL: /* or 1 and 0 of a number */
        if (!read_bool(reader, node, name, &is))
            return false;
        if (row->size == sizeof(uint32_t))
            *(uint32_t *)member = is;
        else
            *(bool *)member = is;
        return true;
    case SETTING_KIND_WHOLE:
        return read_integer(reader, node, name, row->range, (uint32_t *)member);
    case SETTING_KIND_NUMBER:
        if (row->auto_is != 0 && node_is_word(node, "auto"))
            number = (double)row->auto_is;
        else if (!read_number(reader, row->is_percent ? percentage(reader, node) : node, name, row->range,
                              &number))
            return false;
        if (row->size == sizeof number)
            *(double *)member = number;
        else
            *(float *)member = (float)number;
        return true;
    case SETTING_KIND_COLOR:
        return read_color(reader, node, name, !row->is_opaque, (uint8_t *)member);
    case SETTING_KIND_WORD:
        if (!read_one_word(reader, node, name, row->words, row->word_count, &word))
            return false;
        *(unsigned *)member = word;
        return true;
    case SETTING_KIND_FLAGS:
        return read_flags(reader, node, row->noun, row->words, row->word_count, (uint32_t *)member);
    case SETTING_KIND_TEXT:
        return (row->is_name ? read_name : read_text)(reader, node, name, (const char **)member);
    case SETTING_KIND_NAMES:
        return read_texts(reader, node, row, (struct patterns *)member);
    case SETTING_KIND_MAPPING:
        if (row->starts && is_zero(member, row->size))
            memcpy(member, row->starts, row->size);
        return read_mapping(reader, node, row, name, row->is_own ? whole : member);
    case SETTING_KIND_LIST:
        return row->list ? read_list(reader, node, row, whole) : read_pairs(reader, node, row, name, whole);
    case SETTING_KIND_PART:
    case SETTING_KIND_NOTE:
        return true;
    case SETTING_KIND_CALL:
        assert(!"a row that nothing reads");
    }
    return false;
}

static bool read_several(const struct reader *reader, const struct node *node, const struct setting *row,
                         const char *name, void *whole)
{
    struct setting one = *row;
    one.times = 0;
    one.size /= row->times;
    const bool is_auto = row->auto_is != 0 && node_is_word(node, "auto");
    bool is_read = is_auto || (node->kind == NODE_SEQUENCE && node->count == row->times), has_all = is_read;
    if (!is_read && row->expects)
        reader_expected(reader, node, "%s", row->expects);
    else if (!is_read)
        reader_expected(reader, node, "%s must be a list of three numbers", name);
    for (size_t i = 0; i < row->times && has_all && (is_read || !row->tells_first); i++, one.offset += one.size)
        is_read &= read_kind(reader, is_auto ? node : node->values[i], &one, name, whole);
    return is_read;
}

/* Whether the value is the word for none. */
static bool is_none(const struct node *node, const struct setting *row)
{
    const bool has_none = row->words && row->kind != SETTING_KIND_WORD && row->kind != SETTING_KIND_FLAGS &&
                          (!row->read || row->has_offset);
    return (has_none && node_is_word(node, row->words[0])) ||
           (row->takes_auto && row->auto_is == 0 && node_is_word(node, "auto"));
}

bool row_read(const struct reader *reader, const struct node *node, const struct setting *row, const char *name,
              void *whole)
{
    char *member = (char *)whole + row->offset;
    const size_t problems_before = reader->problems->count;
    const bool is_given = !is_none(node, row);
    bool is_read = false, unused, *has = row->has_offset ? (bool *)((char *)whole + row->has_offset) : &unused;
    if (row->mark_offset)
        *(struct mark *)((char *)whole + row->mark_offset) = node->mark;
    if (!is_given || row->is_anew)
        memset(member, 0, row->size);
    if (!is_given)
        return *has = false;
    if (row->read) {
        row->read(reader, node, row->of_member ? member : whole);
        is_read = reader->problems->count == problems_before;
    } else {
        is_read = (row->times ? read_several : read_kind)(reader, node, row, name, whole);
        if (is_read && row->needs && node->kind == NODE_MAPPING && node->count == 0)
            problems_add(reader->problems, node->mark, "%s", row->needs);
    }
    if (is_read && row->check && !row->list)
        row->check(reader, node, row->of_member ? (void *)member : whole);
    return *has = is_read;
}

/* Checks the keys that stand beside a row's. */
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

/* Whether the mapping has one of the rows of which it must have one; else that is a problem. */
static bool has_one(const struct reader *reader, const struct node *map, const char *what,
                    const struct setting *rows)
{
    size_t found = 0;
    SCOPED_BY(buffer_release) struct buffer all = {0};
    for (; !is_last(rows); rows++) {
        if (!rows->is_one_of)
            continue;
        found += node_get(map, rows->key) != NULL;
        buffer_printf(&all, "%s%s", all.length ? ", " : "", rows->key);
    }
    const bool has = !all.length || found == 1;
    if (!has)
        problems_add(reader->problems, map->mark, "%s must have %sone of %s", what, found ? "only " : "",
                     all.text);
    return has;
}

/* Silent where a key of the mapping is a likely slip of this one: read_keys has reported it. */
static void read_needed(const struct reader *reader, const struct node *map, const char *what, const char *key)
{
    bool is_there = node_get(map, key);
    for (size_t i = 0; i < map->count && !is_there; i++)
        is_there = strings_nearest(map->keys[i]->text, &key, 1);
    if (!is_there)
        problems_add(reader->problems, map->mark, "%s must have a '%s'", what, key);
}

bool rows_read(const struct reader *reader, const struct node *map, const char *what, const struct setting *rows,
               void *whole)
{
    const char *keys[MOST_ROWS];
    char name[64];
    size_t count = 0;
    for (const struct setting *row = rows; !is_last(row); row++) {
        assert(count < MOST_ROWS);
        if (row->key)
            keys[count++] = row->key;
    }
    const struct setting *meant = number_row(map, rows);
    if (meant)
        problems_add(reader->problems, map->mark, "%s must be a mapping; did you mean {%s: %s}?", what, meant->key,
                     map->text);
    if (meant || !read_keys(reader, map, what, keys, count))
        return false;
    for (const struct setting *row = rows; !is_last(row); row++) {
        const struct node *node = row->key ? node_get(map, row->key) : NULL;
        if (row->is_needed)
            read_needed(reader, map, what, row->key);
        if (!node)
            continue;
        check_company(reader, map, row);
        snprintf(name, sizeof name, "'%s'", row->key);
        row_read(reader, node, row, row->noun ? row->noun : name, whole);
    }
    return has_one(reader, map, what, rows);
}

/* -- Records ------------------------------------------------------------------------------------------------- */

/* "attach[0]" and "scale" give "attach[0].scale". */
static const char *join(struct recorder *recorder, const char *prefix, const char *key)
{
    return !*prefix ? key : !*key ? prefix : arena_printf(recorder->arena, "%s.%s", prefix, key);
}

const char *recorder_item(struct recorder *recorder, const char *name, size_t i)
{
    return arena_printf(recorder->arena, "%s[%zu]", name, i);
}

void recorder_add(struct recorder *recorder, const char *prefix, const char *key, const char *value)
{
    if (!value)
        return;
    *MUST_ADD(recorder->items, recorder->count, recorder->capacity) =
        (struct record_pair){join(recorder, prefix, key), value};
}

void recorder_add_text(struct recorder *recorder, const char *prefix, const char *key, const char *value)
{
    recorder_add(recorder, prefix, key, value ? arena_strdup(recorder->arena, value) : NULL);
}

const char *recorder_number(struct recorder *recorder, double number, bool is_float)
{
    const char *text = arena_printf(recorder->arena, "%.6g", number);
    for (int digits = 7; digits <= 17 && (is_float ? (double)strtof(text, NULL) : strtod(text, NULL)) != number;
         digits++)
        text = arena_printf(recorder->arena, "%.*g", digits, number);
    return text;
}

const char *recorder_color(struct recorder *recorder, const uint8_t color[4])
{
    return arena_printf(recorder->arena, "#%02x%02x%02x%02x", color[0], color[1], color[2], color[3]);
}

/* The value of a kind that is one text; else NULL. */
static const char *value_text(struct recorder *recorder, const struct setting *row, const void *member)
{
    const float *number = member;
    const char *text = "";
    struct setting one = *row;
    one.times = 0;
    one.size /= row->times ? row->times : 1;
    for (size_t i = 0; i < row->times; i++)
        text = arena_printf(recorder->arena, "%s%s%s%s", text, i ? ", " : "[",
                            value_text(recorder, &one, (const char *)member + i * one.size),
                            i + 1 < row->times ? "" : "]");
    if (row->times)
        return text;
    switch (row->kind) {
    case SETTING_KIND_BOOL:
        return *(const bool *)member ? "true" : "false";
    case SETTING_KIND_WHOLE:
        return arena_printf(recorder->arena, "%u", *(const uint32_t *)member);
    case SETTING_KIND_NUMBER:
        if (row->auto_is != 0 && *number == row->auto_is)
            return "auto";
        return row->size == sizeof(double) ? recorder_number(recorder, *(const double *)member, false)
                                           : recorder_number(recorder, (double)*number, true);
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

/* Whether a plain value is that of the other struct. */
static bool is_shared(const struct recorder *recorder, const struct setting *row, const char *whole)
{
    const char *member = whole + row->offset, *has = whole + row->has_offset;
    return recorder->other && !row->record && row->kind >= SETTING_KIND_BOOL && row->kind <= SETTING_KIND_FLAGS &&
           !memcmp(member, member + recorder->other, row->size) &&
           (!row->has_offset || *has == has[recorder->other]);
}

void rows_record(struct recorder *recorder, const char *prefix, const struct setting *rows, const void *whole)
{
    for (const struct setting *row = rows; !is_last(row); row++) {
        const char *member = (const char *)whole + row->offset, *key = row->as ? row->as : row->key;
        if (row->kind == SETTING_KIND_PART || row->kind == SETTING_KIND_NOTE || row->is_unrecorded ||
            (row->is_new && (row->starts ? !memcmp(member, row->starts, row->size) : is_zero(member, row->size))))
            continue;
        const bool shared = is_shared(recorder, row, whole);
        if (shared && !recorder->others)
            continue;
        if (row->has_offset && !*((const bool *)whole + row->has_offset)) {
            recorder_add(recorder, prefix, key, row->without);
            continue;
        }
        const char *as = shared ? join(recorder, prefix, key) : NULL;
        const struct record_pair *same = shared ? record_find(recorder->others, as) : NULL;
        if (same) { /* the other may lack it: it was not given the mapping */
            recorder_add_text(recorder, "", as, same->value);
            continue;
        }
        if (row->record)
            row->record(recorder, prefix, row->of_member ? member : whole);
        else
            recorder_add(recorder, prefix, key, value_text(recorder, row, member));
        const struct patterns *texts = row->kind == SETTING_KIND_NAMES ? (const void *)member : NULL;
        for (size_t i = 0; texts && i < texts->count; i++)
            recorder_add_text(recorder, prefix, recorder_item(recorder, key, i), texts->items[i]);
        const char *name = row->rows ? join(recorder, prefix, key) : NULL;
        if (row->kind == SETTING_KIND_LIST) {
            const char *items = *(const char *const *)member;
            size_t count = *(const size_t *)((const char *)whole + row->count_offset);
            const ptrdiff_t other = recorder->other;
            recorder->other = 0;
            for (size_t i = 0; i < count; i++)
                rows_record(recorder, recorder_item(recorder, name, i), row->rows, items + i * row->item_size);
            recorder->other = other;
        } else if (row->rows && !row->record) {
            rows_record(recorder, name, row->rows, row->is_own ? whole : member);
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
