#include "image/srgb.h"
#include "job/settings.h"

/* A rig has only the lights it describes. Those it has not are ready to be switched on: white, from the viewer. */
#define LIGHT_OFF                                                                                                 \
    {                                                                                                             \
        .direction = {0, 0, 1}, .color = { 255, 255, 255, 255 }                                                   \
    }
static const struct light_settings darkness = {LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF, LIGHT_OFF};

const struct setting light_source_rows[] = {
    {"direction", SETTING_VECTOR(struct light_source, direction, -1000, 1000)},
    {"color", SETTING_COLOR(struct light_source, color), .is_opaque = true},
    {"strength", SETTING_NUMBER(struct light_source, strength, 0, 100)},
    {0},
};

/* Has no direction, so a colour alone will do, too. */
const struct setting ambient_rows[] = {
    {"color", SETTING_COLOR(struct light_source, color), .is_opaque = true},
    {"strength", SETTING_NUMBER(struct light_source, strength, 0, 100)},
    {NULL, SETTING_COLOR(struct light_source, color), .noun = "the colour of a light", .is_opaque = true,
     .is_short = true},
    {0},
};

/* A light that is described is on, unless its strength says otherwise. */
static void check_light(const struct reader *reader, const struct node *node, void *member)
{
    struct light_source *source = member;
    const bool is_map = node->kind == NODE_MAPPING;
    const struct node *direction = is_map ? node_get(node, "direction") : NULL;
    const float *d = source->direction;
    if (direction && d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 1e-6f)
        problems_add(reader->problems, direction->mark, "'direction' must not be [0, 0, 0]");
    if (source->strength == 0 && !(is_map && node_get(node, "strength")))
        source->strength = 1;
}

static void read_rig(const struct reader *reader, const struct node *node, void *whole)
{
    const char *name;
    const struct preset *preset = NULL;
    if (read_text(reader, node, "'rig'", &name))
        preset = preset_find(reader, &reader->presets->lights, node, "light rig");
    if (preset)
        *(struct light_settings *)whole = preset->light;
}

#define LIGHT(name, table)                                                                                        \
#name, SETTING_MAPPING(struct light_settings, name, table), .noun = "a light", .check = check_light,          \
                                                                .of_member = true
const struct setting light_settings_rows[] = {
    {"rig", .kind = SETTING_KIND_PART, .read = read_rig, .is_short = true, .forms = FORM_TEXT,
     .presets = "lights"}, /* first */
    {LIGHT(key, light_source_rows)},
    {LIGHT(fill, light_source_rows)},
    {LIGHT(rim, light_source_rows)},
    {LIGHT(sky, ambient_rows)},
    {LIGHT(ground, ambient_rows)},
    {LIGHT(ambient, ambient_rows)},
    {0},
};

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

const struct setting preset_light_row = {"light", LIGHT_SETTINGS(struct preset)};

void read_preset_light(const struct reader *reader, const struct node *node, struct preset *out)
{
    out->light = darkness;
    row_read(reader, node, &preset_light_row, "'light'", out);
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
