/* `light`: read in parts, so that a job can change one of them, and put together at the end. */
#ifndef JOB_JOB_LIGHT_H
#define JOB_JOB_LIGHT_H

#include "job/reader.h"
#include "render/light.h"

struct light_source {
    float direction[3]; /* key and fill only */
    uint8_t color[4];   /* sRGB */
    float strength;
};

struct light_settings {
    struct light_source key, fill, sky, ground;
};

/* Changes what the mapping gives, and leaves the rest. */
void light_read(const struct reader *reader, const struct node *map, struct light_settings *light);

void light_settings_rig(const struct light_settings *light, struct light_rig *out);

#endif
