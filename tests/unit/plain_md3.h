/* MD3 in the words of its description; see plain.h. */
#ifndef UNIT_PLAIN_MD3_H
#define UNIT_PLAIN_MD3_H

#include "plain_md2.h"

struct plain_md3 {
    uint8_t *bytes;
    int frame_count, tag_count, surface_count, tags_at, surfaces_at;
};

static inline struct plain_md3 plain_read_md3(const char *path)
{
    size_t size;
    struct plain_md3 md3 = {.bytes = plain_read(path, "IDP3", 108, &size)};
    md3.frame_count = plain_int(md3.bytes + 76);
    md3.tag_count = plain_int(md3.bytes + 80);
    md3.surface_count = plain_int(md3.bytes + 84);
    md3.tags_at = plain_int(md3.bytes + 96);
    md3.surfaces_at = plain_int(md3.bytes + 100);
    return md3;
}

/* Coordinates are 64ths. A normal has two angles, of which 256 are a full turn: from the z axis, and around it from the
 * x axis. Returns whether there is such a point, counted over all surfaces. */
static inline bool plain_md3_point(const struct plain_md3 *md3, int frame, int point, double position[3],
                                   double normal[3])
{
    const uint8_t *surface = md3->bytes + md3->surfaces_at;
    for (int s = 0; s < md3->surface_count; s++, surface += plain_int(surface + 104)) {
        int count = plain_int(surface + 80);
        if (point >= count) {
            point -= count;
            continue;
        }
        const uint8_t *vertex = surface + plain_int(surface + 100) + 8 * (frame * count + point);
        for (int i = 0; i < 3; i++)
            position[i] = (int16_t)(vertex[2 * i] | vertex[2 * i + 1] << 8) / 64.0;
        double turn = 2 * 3.14159265358979323846 / 256, from_z = vertex[6] * turn, around = vertex[7] * turn;
        normal[0] = cos(around) * sin(from_z);
        normal[1] = sin(around) * sin(from_z);
        normal[2] = cos(from_z);
        return true;
    }
    return false;
}

/* Moves a point, or without the place a direction, from the space of a tag to that of its model. */
static inline void plain_md3_on_tag(const struct plain_md3 *md3, int frame, const char *name, bool is_point,
                                    double p[3])
{
    const uint8_t *tag = md3->bytes + md3->tags_at + (ptrdiff_t)112 * frame * md3->tag_count;
    while (strcmp((const char *)tag, name) != 0)
        tag += 112;
    double old[3] = {p[0], p[1], p[2]};
    for (int i = 0; i < 3; i++) {
        p[i] = is_point ? plain_float(tag + 64 + 4 * i) : 0;
        for (int axis = 0; axis < 3; axis++)
            p[i] += old[axis] * plain_float(tag + 76 + 12 * axis + 4 * i);
    }
}

#endif
