#include "job/job_light.h"

#include "base/srgb.h"
#include "job/color.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void read_strength_and_color(const struct reader *reader, const struct node *map,
                                    struct light_source *source)
{
    const struct node *color = node_get(map, "color");
    if (color)
        read_color(reader, color, "'color'", false, source->color);
    read_f32(reader, map, "strength", (struct range){0, 100}, &source->strength);
}

static void read_directional(const struct reader *reader, const struct node *map, const char *what,
                             struct light_source *source)
{
    static const char *const keys[] = {"direction", "color", "strength"};
    if (!read_keys(reader, map, what, keys, COUNT(keys)))
        return;
    read_strength_and_color(reader, map, source);
    const float *d = source->direction;
    if (read_vec3(reader, map, "direction", (struct range){-1000, 1000}, source->direction) &&
        d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1e-6f)
        problems_add(reader->problems, node_get(map, "direction")->mark, "'direction' must not be [0, 0, 0]");
}

/* A colour alone, or a mapping. */
static void read_ambient(const struct reader *reader, const struct node *node, const char *what,
                         struct light_source *source)
{
    static const char *const keys[] = {"color", "strength"};
    if (node->kind != NODE_MAPPING)
        read_color(reader, node, what, false, source->color);
    else if (read_keys(reader, node, what, keys, COUNT(keys)))
        read_strength_and_color(reader, node, source);
}

void light_read(const struct reader *reader, const struct node *map, struct light_settings *light)
{
    static const char *const keys[] = {"key", "fill", "sky", "ground"};
    if (!read_keys(reader, map, "'light'", keys, COUNT(keys)))
        return;
    const struct node *node;
    if ((node = node_get(map, "key")))
        read_directional(reader, node, "'key'", &light->key);
    if ((node = node_get(map, "fill")))
        read_directional(reader, node, "'fill'", &light->fill);
    if ((node = node_get(map, "sky")))
        read_ambient(reader, node, "'sky'", &light->sky);
    if ((node = node_get(map, "ground")))
        read_ambient(reader, node, "'ground'", &light->ground);
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
    linear_color(&light->sky, out->sky);
    linear_color(&light->ground, out->ground);
}
