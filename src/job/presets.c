#include <stdlib.h>
#include <string.h>

#include "job/names.h"
#include "job/settings.h"

enum { MOST_PRESETS = 1000 };

static struct preset *find(const struct preset_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i].name, name))
            return &set->items[i];
    return NULL;
}

const struct preset *preset_find(const struct reader *reader, const struct preset_set *set,
                                 const struct node *node, const char *noun)
{
    const struct preset *found = find(set, node->text);
    if (!found) {
        const char **names = must_alloc(set->count, sizeof *names);
        for (size_t i = 0; i < set->count; i++)
            names[i] = set->items[i].name;
        reader_unknown(reader, node, noun, names, set->count);
        free(names);
    }
    return found;
}

static void read_set(const struct reader *reader, const struct node *map, const char *form, const char *noun,
                     bool is_built_in, preset_read *read, struct preset_set *set)
{
    struct error err;
    if (map && map->kind != NODE_MAPPING)
        reader_expected(reader, map, "%s", form);
    for (size_t i = 0; map && map->kind == NODE_MAPPING && i < map->count; i++) {
        const struct node *key = map->keys[i];
        if (node_key(map, key->text) != key) /* given twice, which was reported */
            continue;
        if (set->count == MOST_PRESETS) {
            problems_add(reader->problems, key->mark, "more than %d %ss", MOST_PRESETS, noun);
            return;
        }
        if (names_check_label(key->text, &err) < 0)
            problems_add(reader->problems, key->mark, "a %s's name %s", noun, err.text);
        struct preset preset = {.name = key->text, .mark = key->mark, .is_built_in = is_built_in};
        read(reader, map->values[i], &preset);
        struct preset *other = find(set, preset.name);
        if (other && other->is_built_in) {
            *other = preset;
        } else if (other) {
            problems_add(reader->problems, preset.mark, "%s '%s' is already described at %s:%u:%u", noun,
                         preset.name, other->mark.file, other->mark.line, other->mark.column);
        } else {
            set->items = must_grow(set->items, set->count, &set->capacity, sizeof *set->items);
            set->items[set->count++] = preset;
        }
    }
}

void presets_read(const struct reader *reader, const struct node *root, bool is_built_in, struct presets *presets)
{
    struct reader level = *reader;
    level.presets = presets; /* a rig may start from another */
    read_set(&level, node_get(root, "cameras"), "'cameras' must be a mapping (name: camera)", "camera",
             is_built_in, read_preset_camera, &presets->cameras);
    read_set(&level, node_get(root, "lights"), "'lights' must be a mapping (name: light)", "light rig",
             is_built_in, read_preset_light, &presets->lights);
}

void presets_release(struct presets *presets)
{
    free(presets->cameras.items);
    free(presets->lights.items);
    *presets = (struct presets){0};
}
