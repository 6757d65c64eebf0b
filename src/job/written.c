#include "base/buffer.h"
#include "job/settings.h"

enum { MOST_WORDS = 1000 }; /* of a job: what is more is told as numbers */

struct written {
    const struct job_list *list;
    struct arena *arena;
    struct record_pair words[MOST_WORDS], places[MOST_WORDS];
    size_t count;
};

static bool has_word(const struct written *written, const char *name)
{
    return named_find(written->words, written->count, sizeof *written->words, name, false);
}

/* An item that is a mapping is called by its name, or else numbered. */
static const char *item_name(const struct written *written, const struct node *list, size_t i)
{
    const struct node *name = node_get(list->values[i], "name");
    return name && name->kind == NODE_SCALAR ? name->text : arena_printf(written->arena, "%zu", i + 1);
}

/* "[front, compass]" */
static const char *value_text(const struct written *written, const struct node *node)
{
    struct buffer text = {0};
    if (node->kind == NODE_SCALAR)
        return node->text;
    for (size_t i = 0; i < node->count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "[",
                      node->values[i]->kind == NODE_MAPPING ? item_name(written, node, i)
                                                            : value_text(written, node->values[i]));
    buffer_printf(&text, node->count ? "]" : "[]");
    return arena_take(written->arena, text.text);
}

/* The first of a name counts: levels are added from above. */
static void add_value(struct written *written, const char *name, const struct node *node)
{
    struct arena *arena = written->arena;
    for (size_t i = 0; node->kind == NODE_MAPPING && i < node->count; i++)
        add_value(written, arena_printf(arena, "%s.%s", name, node->keys[i]->text), node->values[i]);
    name = strcmp(name, "light.rig") ? name : "light"; /* `light: NAME` is short for it */
    if (node->kind == NODE_MAPPING || written->count == MOST_WORDS || has_word(written, name))
        return;
    const char *place = arena_printf(arena, "%s:%u", node->mark.file, node->mark.line);
    written->words[written->count] = (struct record_pair){name, value_text(written, node)};
    written->places[written->count++] = (struct record_pair){name, place};
    for (size_t i = 0; node->kind == NODE_SEQUENCE && i < node->count; i++)
        if (node->values[i]->kind == NODE_MAPPING)
            add_value(written, arena_printf(arena, "%s[%s]", name, item_name(written, node, i)), node->values[i]);
}

/* Adds the words of a preset, as a part of the key that names it. */
static void add_preset(struct written *written, const char *set, const char *key, const struct node *name)
{
    for (size_t i = 0; i < written->list->file_count && name->kind == NODE_SCALAR; i++) {
        const struct node *presets = node_get(written->list->trees[i], set);
        const struct node *preset = presets ? node_get(presets, name->text) : NULL;
        if (preset)
            add_value(written, arena_printf(written->arena, "%s[%s]", key, name->text), preset);
    }
}

/* A key of a level above ends those of levels below, but for parts of a mapping. */
static void add_level(struct written *written, const struct node *map)
{
    for (size_t i = 0; map && i < map->count; i++) {
        const char *key = map->keys[i]->text;
        const struct node *value = map->values[i];
        if (!strcmp(key, "name") || !strcmp(key, "rules") || !strcmp(key, "atlas") || has_word(written, key))
            continue; /* rules and atlases change no picture of the job */
        add_value(written, key, value);
        bool is_light = !strcmp(key, "light");
        if (is_light && value->kind == NODE_MAPPING)
            value = node_get(value, "rig");
        struct node_list names = value ? node_one_or_many(&value) : (struct node_list){0};
        for (size_t n = 0; n < names.count && (is_light || !strcmp(key, "cameras")); n++)
            add_preset(written, is_light ? "lights" : "cameras", key, names.items[n]);
    }
}

static struct record_pairs take(struct written *written, struct record_pair *pairs)
{
    record_sort_pairs(pairs, written->count);
    return (struct record_pairs){arena_copy(written->arena, pairs, written->count, sizeof *pairs), written->count};
}

void job_written_settings(const struct job_list *list, const struct job *job, struct arena *arena,
                          struct record_pairs *words, struct record_pairs *places)
{
    struct written written;
    written.list = list;
    written.arena = arena;
    written.count = 0;
    add_level(&written, job->written);
    for (size_t i = 0; i < list->file_count; i++)
        add_level(&written, node_get(list->trees[i], "defaults"));
    *words = take(&written, written.words);
    *places = take(&written, written.places);
}
