#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "job/settings.h"

/* Of one name the last counts. */
struct word {
    const char *name, *text;
    struct mark mark; /* without a file where it is built in */
    size_t order;
};

struct written {
    const struct job_list *list;
    struct arena *arena;
    struct word *items;
    size_t count, capacity;
    bool is_built_in; /* what is being added */
};

/* An item of a list that is a mapping is called after one of these, or by its number. */
static const char *item_name(const struct written *written, const struct node *item, size_t i)
{
    static const char *const keys[] = {"name", "clip", "file", "model"};
    for (size_t k = 0; k < COUNT(keys); k++) {
        const struct node *name = node_get(item, keys[k]);
        if (name && name->kind == NODE_SCALAR)
            return name->text;
    }
    return arena_printf(written->arena, "%zu", i + 1);
}

/* "[front, compass]" */
static const char *value_text(const struct written *written, const struct node *node)
{
    if (node->kind == NODE_SCALAR)
        return node->text;
    struct buffer text = {0};
    buffer_printf(&text, "[");
    for (size_t i = 0; i < node->count; i++) {
        const struct node *item = node->values[i];
        buffer_printf(&text, "%s%s", i ? ", " : "",
                      item->kind == NODE_MAPPING ? item_name(written, item, i) : value_text(written, item));
    }
    buffer_printf(&text, "]");
    return arena_take(written->arena, text.text);
}

static void add_value(struct written *written, const char *name, const struct node *node)
{
    if (node->kind == NODE_MAPPING) {
        for (size_t i = 0; i < node->count; i++)
            add_value(written, arena_printf(written->arena, "%s.%s", name, node->keys[i]->text), node->values[i]);
        return;
    }
    written->items =
        must_grow(written->items, written->count, &written->capacity, sizeof *written->items);
    written->items[written->count] = (struct word){
        .name = strcmp(name, "light.rig") ? name : "light", /* `light: NAME` is short for it */
        .text = value_text(written, node),
        .mark = written->is_built_in ? (struct mark){0} : node->mark,
        .order = written->count,
    };
    written->count++;
    for (size_t i = 0; node->kind == NODE_SEQUENCE && i < node->count; i++) {
        const struct node *item = node->values[i];
        if (item->kind == NODE_MAPPING)
            add_value(written, arena_printf(written->arena, "%s[%s]", name, item_name(written, item, i)), item);
    }
}

/* What a list's own preset is made of, as a part of the key that names it. */
static void add_preset(struct written *written, const char *set, const char *key, const struct node *name)
{
    const struct job_list *list = written->list;
    for (size_t i = 0; i < list->file_count && name->kind == NODE_SCALAR; i++) {
        const struct node *presets = node_get(list->trees[i], set);
        const struct node *preset = presets ? node_get(presets, name->text) : NULL;
        if (preset) {
            add_value(written, arena_printf(written->arena, "%s[%s]", key, name->text), preset);
            return;
        }
    }
}

/* What a level below has said about a key. */
static void forget(struct written *written, const char *key)
{
    size_t kept = 0, length = strlen(key);
    for (size_t i = 0; i < written->count; i++) {
        const char *name = written->items[i].name;
        if (strncmp(name, key, length) || !strchr(".[", name[length])) /* its NUL, too */
            written->items[kept++] = written->items[i];
    }
    written->count = kept;
}

/* Whether a key only changes what its mapping names, and leaves the rest as a level below has it. */
static bool is_changed_by_part(const char *key, const struct node *value)
{
    const struct setting *row = job_rows;
    while (row->key ? strcmp(row->key, key) != 0 : row->size != 0)
        row++;
    return value->kind == NODE_MAPPING && row->kind == SETTING_KIND_MAPPING && !node_get(value, "rig");
}

static void add_level(struct written *written, const struct node *map)
{
    for (size_t i = 0; map && i < map->count; i++) {
        const char *key = map->keys[i]->text;
        const struct node *value = map->values[i];
        if (strcmp(key, "name") == 0) /* is no setting */
            continue;
        if (!is_changed_by_part(key, value))
            forget(written, key);
        add_value(written, key, value);
        if (strcmp(key, "light") == 0 && (value->kind == NODE_SCALAR || node_get(value, "rig")))
            add_preset(written, "lights", key, value->kind == NODE_SCALAR ? value : node_get(value, "rig"));
        struct node_list cameras = {0};
        if (strcmp(key, "cameras") == 0)
            cameras = node_one_or_many(&value);
        for (size_t c = 0; c < cameras.count; c++)
            add_preset(written, "cameras", key, cameras.items[c]);
    }
}

static int compare_words(const void *a_item, const void *b_item)
{
    const struct word *a = a_item, *b = b_item;
    int order = strcmp(a->name, b->name);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

void job_written_settings(const struct job_list *list, const struct job *job, const struct record_pairs *settings,
                          struct arena *arena, struct record_pairs *out, struct record_pairs *places)
{
    struct written written = {.list = list, .arena = arena};
    *out = *places = (struct record_pairs){0};
    if (!job->written)
        return;
    for (size_t i = list->file_count + 1; i-- > 0;) {
        written.is_built_in = i == list->file_count;
        add_level(&written, node_get(list->trees[i], "defaults"));
    }
    add_level(&written, job->written);
    qsort(written.items, written.count, sizeof *written.items, compare_words);

    struct record_pair *words = arena_must_alloc(arena, written.count, sizeof *words);
    struct record_pair *marks = arena_must_alloc(arena, written.count, sizeof *marks);
    for (size_t i = 0; i < written.count; i++) {
        const struct word *word = &written.items[i];
        const struct record_pair *setting = record_find(settings, word->name);
        if (i + 1 < written.count && !strcmp(word->name, word[1].name))
            continue;
        if (!setting || strcmp(setting->value, word->text))
            words[out->count++] = (struct record_pair){word->name, word->text};
        if (word->mark.file)
            marks[places->count++] = (struct record_pair){
                word->name, arena_printf(arena, "%s:%u", word->mark.file, word->mark.line)};
    }
    out->items = words;
    places->items = marks;
    free(written.items);
}
