#include <stdlib.h>
#include <string.h>

#include "image/srgb.h"
#include "job/settings.h"

/* A rig has only the lights it describes. Those it has not are ready to be switched on: white, from the viewer. */
#define LIGHT_OFF                                                                                                 \
    {                                                                                                             \
        .direction = {0, 0, 1}, .color = { 255, 255, 255, 255 }                                                   \
    }
static const struct light_settings darkness = {LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF};

/* A light that is described is on, unless its strength says otherwise. */
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

static void read_rig(const struct reader *reader, const struct node *node, struct light_settings *light)
{
    static const char *const keys[] = {"rig", "key", "fill", "rim", "sky", "ground", "ambient"};
    struct light_source *const sources[] = {&light->key, &light->fill,   &light->rim,
                                            &light->sky, &light->ground, &light->ambient};
    if (node->kind == NODE_SEQUENCE || node_is_null(node)) {
        reader_expected(reader, node, "'light' must be the name of a light rig, or a mapping");
        return;
    }
    const struct node *rig = node->kind == NODE_SCALAR ? node : node_get(node, "rig");
    const char *name;
    if (node->kind == NODE_MAPPING && !read_keys(reader, node, "'light'", keys, COUNT(keys)))
        return;
    if (rig == node || (rig && read_text(reader, rig, "'rig'", &name))) {
        const struct preset *preset = preset_find(reader, &reader->presets->lights, rig, "light rig");
        if (preset)
            *light = preset->light;
    }
    if (rig != node) {
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
    read_rig(reader, node, &((struct settings *)whole)->light);
}

/* A record has the resulting light, not the keys that it comes from. */
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

void read_preset_light(const struct reader *reader, const struct node *node, struct preset *out)
{
    out->light = darkness;
    read_rig(reader, node, &out->light);
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

void light_finish(const struct light_settings *light, struct light_rig *out)
{
    directional_light(&light->key, &out->key);
    directional_light(&light->fill, &out->fill);
    directional_light(&light->rim, &out->rim);
    linear_color(&light->sky, out->sky);
    linear_color(&light->ground, out->ground);
    linear_color(&light->ambient, out->ambient);
}
