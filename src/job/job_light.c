#include <stdlib.h>
#include <string.h>

#include "image/srgb.h"
#include "job/names.h"
#include "job/settings.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A rig has only the lights it describes. Those it has not are ready to be switched on: white, from the viewer. */
#define LIGHT_OFF                                                                                                 \
    {                                                                                                             \
        .direction = {0, 0, 1}, .color = { 255, 255, 255, 255 }                                                   \
    }
static const struct light_settings darkness = {LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF};

/* Whoever describes a light wants to see it: one that was off is on then, unless its strength says otherwise. */
static void switch_on(struct light_source *source)
{
    if (source->strength == 0)
        source->strength = 1;
}

/* Key, fill and rim have a direction; of the others a colour alone will do, too. */
static void read_source(const struct reader *reader, const struct node *node, const char *what,
                        bool is_directional, struct light_source *source)
{
    static const char *const keys[] = {"color", "strength", "direction"};
    if (node->kind != NODE_MAPPING && !is_directional) {
        if (read_color(reader, node, what, false, source->color))
            switch_on(source);
        return;
    }
    if (!read_keys(reader, node, what, keys, is_directional ? 3 : 2))
        return;
    const struct node *color = node_get(node, "color");
    if (color)
        read_color(reader, color, "'color'", false, source->color);
    if (!read_f32(reader, node, "strength", (struct range){0, 100}, &source->strength))
        switch_on(source);
    const float *d = source->direction;
    if (is_directional && read_vec3(reader, node, "direction", (struct range){-1000, 1000}, source->direction) &&
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1e-6f)
        problems_add(reader->problems, node_get(node, "direction")->mark, "'direction' must not be [0, 0, 0]");
}

static struct named_light *find_named(const struct light_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->items[i].name, name))
            return &set->items[i];
    return NULL;
}

static void add_unknown_light(const struct reader *reader, const struct light_set *set, const struct node *node)
{
    if (reader->problems->count >= PROBLEM_LIMIT)
        return problems_add(reader->problems, node->mark, "no light rig of this name");
    const char **names = must_alloc(set->count, sizeof *names);
    for (size_t i = 0; i < set->count; i++)
        names[i] = set->items[i].name;
    reader_unknown(reader, node, "light rig", names, set->count);
    free(names);
}

static void read_rig_name(const struct reader *reader, const struct light_set *set, const struct node *node,
                          struct light_settings *light)
{
    const struct named_light *named = find_named(set, node->text);
    if (named)
        *light = named->light;
    else
        add_unknown_light(reader, set, node);
}

static void read_rig(const struct reader *reader, const struct light_set *set, const struct node *node,
                     struct light_settings *light)
{
    static const char *const keys[] = {"rig", "key", "fill", "rim", "sky", "ground", "ambient"};
    struct light_source *const sources[] = {&light->key, &light->fill,   &light->rim,
                                            &light->sky, &light->ground, &light->ambient};
    const char *name;
    if (node->kind == NODE_SEQUENCE || node_is_null(node)) {
        reader_expected(reader, node, "'light' must be the name of a light rig, or a mapping");
    } else if (node->kind == NODE_SCALAR) {
        read_rig_name(reader, set, node, light);
    } else if (read_keys(reader, node, "'light'", keys, COUNT(keys))) {
        if (read_string(reader, node, "rig", &name))
            read_rig_name(reader, set, node_get(node, "rig"), light);
        for (size_t i = 0; i < COUNT(sources); i++) {
            const struct node *source = node_get(node, keys[i + 1]);
            char *what = must_printf("'%s'", keys[i + 1]);
            if (source)
                read_source(reader, source, what, i < 3, sources[i]);
            free(what);
        }
    }
}

void read_light(const struct reader *reader, const struct node *node, void *whole)
{
    read_rig(reader, &reader->presets->lights, node, &((struct settings *)whole)->light);
}

/* As it is recorded: the light that arrives, whatever was said to get it. */
const struct setting light_rows[] = {
    {"key.direction", SETTING_VECTOR(struct light_rig, key.direction, 0, 0)},
    {"key.color", SETTING_VECTOR(struct light_rig, key.color, 0, 0)},
    {"fill.direction", SETTING_VECTOR(struct light_rig, fill.direction, 0, 0)},
    {"fill.color", SETTING_VECTOR(struct light_rig, fill.color, 0, 0)},
    {"rim.direction", SETTING_VECTOR(struct light_rig, rim.direction, 0, 0)},
    {"rim.color", SETTING_VECTOR(struct light_rig, rim.color, 0, 0)},
    {"sky", SETTING_VECTOR(struct light_rig, sky, 0, 0)},
    {"ground", SETTING_VECTOR(struct light_rig, ground, 0, 0)},
    {"ambient", SETTING_VECTOR(struct light_rig, ambient, 0, 0)},
    {0},
};

static void add_named(const struct reader *reader, struct light_set *set, const struct named_light *light)
{
    struct named_light *other = find_named(set, light->name);
    if (other && other->is_preset) {
        *other = *light;
    } else if (other) {
        problems_add(reader->problems, light->mark, "light rig '%s' is already described at %s:%u:%u", light->name,
                     other->mark.file, other->mark.line, other->mark.column);
    } else {
        set->items = must_grow(set->items, set->count, &set->capacity, sizeof *set->items);
        set->items[set->count++] = *light;
    }
}

void light_set_read(const struct reader *reader, struct light_set *set, const struct node *map, bool is_preset)
{
    struct error err;
    if (map->kind != NODE_MAPPING) {
        reader_expected(reader, map, "'lights' must be a mapping (name: light)");
        return;
    }
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->keys[i];
        if (node_key(map, key->text) != key) /* given twice, which was reported */
            continue;
        if (set->count == LIGHT_MOST_NAMED) {
            problems_add(reader->problems, key->mark, "more than %d light rigs", LIGHT_MOST_NAMED);
            return;
        }
        if (names_check_label(key->text, &err) < 0)
            problems_add(reader->problems, key->mark, "a light rig's name %s", err.text);
        struct named_light light = {key->text, key->mark, is_preset, darkness};
        read_rig(reader, set, map->values[i], &light.light);
        add_named(reader, set, &light);
    }
}

void light_set_release(struct light_set *set)
{
    free(set->items);
    *set = (struct light_set){0};
}

static void linear_color(const struct light_source *source, vec3 out)
{
    for (int i = 0; i < 3; i++)
        out[i] = srgb_to_linear[source->color[i]] * source->strength;
}

static void directional_light(const struct light_source *source, struct directional_light *out)
{
    for (int i = 0; i < 3; i++)
        out->direction[i] = source->direction[i];
    linear_color(source, out->color);
}

void light_settings_rig(const struct light_settings *light, struct light_rig *out)
{
    directional_light(&light->key, &out->key);
    directional_light(&light->fill, &out->fill);
    directional_light(&light->rim, &out->rim);
    linear_color(&light->sky, out->sky);
    linear_color(&light->ground, out->ground);
    linear_color(&light->ambient, out->ambient);
}
