#include <stdlib.h>

#include "job/settings.h"
#include "page/names.h"

enum { MOST_PRESETS = 1000 };

const struct preset *preset_find(const struct reader *reader, const struct preset_set *set,
                                 const struct node *node, const char *noun)
{
    const struct preset *found = named_find(set->items, set->count, sizeof *found, node->text, false);
    if (!found)
        reader_unknown(reader, node, noun, set->items, set->count);
    return found;
}

static void add_preset(const struct reader *reader, struct preset_set *set, const struct preset *preset,
                       const char *noun)
{
    struct preset *other = named_find(set->items, set->count, sizeof *other, preset->name, false);
    if (other && !other->is_built_in) {
        problems_add(reader->problems, preset->mark, "%s '%s' is already described at %s:%u:%u", noun,
                     preset->name, MARK_OF(other->mark));
        return;
    }
    *(other ? other : MUST_ADD(set->items, set->count, set->capacity)) = *preset;
}

static void read_set(const struct reader *reader, const struct node *root, const char *name, const char *noun,
                     bool is_built_in, preset_read *read, struct preset_set *set)
{
    const struct node *map = node_get(root, name);
    struct error err;
    if (map && map->kind != NODE_MAPPING) {
        reader_expected(reader, map, "'%s' must be a mapping (name: %s)", name, noun);
        return;
    }
    for (size_t i = 0; map && i < map->count; i++) {
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
        add_preset(reader, set, &preset, noun);
    }
}

void presets_read(const struct reader *reader, const struct node *root, bool is_built_in)
{
    struct presets *presets = reader->presets;
    read_set(reader, root, "cameras", "camera", is_built_in, read_preset_camera, &presets->cameras);
    read_set(reader, root, "lights", "light rig", is_built_in, read_preset_light, &presets->lights);
}

void presets_release(struct presets *presets)
{
    free(presets->cameras.items);
    free(presets->lights.items);
    *presets = (struct presets){0};
}
