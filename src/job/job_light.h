/* `light` and `lights`: rigs with names, and the light of a job, which starts from one of them or from what it
 * inherits and changes parts of it. */
#ifndef JOB_JOB_LIGHT_H
#define JOB_JOB_LIGHT_H

#include "job/reader.h"
#include "render/light.h"

enum { LIGHT_MOST_NAMED = 1000 };

struct light_source {
    float direction[3]; /* of key, fill and rim */
    uint8_t color[4];   /* sRGB */
    float strength;
};

struct light_settings {
    struct light_source key, fill, rim, sky, ground, ambient;
};

struct named_light {
    const char *name;
    struct mark mark;
    bool is_preset;
    struct light_settings light;
};

struct light_set {
    struct named_light *items;
    size_t count, capacity;
};

/* Adds the rigs of a `lights` mapping; one may start from another that comes before it. A name may be used again
 * only where it is a preset. */
void light_set_read(const struct reader *reader, struct light_set *set, const struct node *map, bool is_preset);
void light_set_release(struct light_set *set);

void light_settings_rig(const struct light_settings *light, struct light_rig *out);

#endif
