/* Posing a second time, for tests to compare with: in double, straight from the descriptions of the formats, by
 * readers that know well-formed files only. Nothing here uses what is in src/. */
#ifndef UNIT_PLAIN_H
#define UNIT_PLAIN_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Keyframes of a clip, counted from its first, and how far the way from `a` to `b`. */
struct plain_moment {
    int a, b;
    double blend;
};

/* What happens past the last keyframe: it stays, blends into the first, or is the first again. */
enum plain_end { PLAIN_STAYS, PLAIN_OPEN, PLAIN_CLOSED };

/* `position` is the time in keyframes. */
static inline struct plain_moment plain_moment(double position, int count, enum plain_end end)
{
    double period = end == PLAIN_CLOSED ? count - 1 : count;
    if (end != PLAIN_STAYS)
        position -= period * floor(position / period);
    else
        position = position < 0 ? 0 : position > count - 1 ? count - 1 : position;
    int a = (int)position;
    return (struct plain_moment){a, (a + 1) % count, position - a};
}

static inline void plain_cross(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static inline void plain_normalise(double v[3])
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] /= length;
}

/* For the readers, whose files are ours. */
static inline void plain_expect(bool is_so, const char *path)
{
    if (is_so)
        return;
    fprintf(stderr, "%s is not as expected\n", path);
    abort();
}

static inline FILE *plain_open(const char *path)
{
    FILE *file = fopen(path, "rb");
    plain_expect(file, path);
    return file;
}

#endif
