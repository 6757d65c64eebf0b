/* Movements: a pose as a function of time, and the recorder that samples it into keyframes and lets dangling parts
 * swing. */
#ifndef GENERATOR_MOTION_H
#define GENERATOR_MOTION_H

#include <stdbool.h>

#include "rig.h"

struct motion {
    const char *name;
    int frame_count;
    double rate_hz;
    bool loops;
    /* Poses `who` (the figure's own struct) at t: 0..1 through a loop, seconds otherwise. The pose arrives at
     * rest, and leaves built. */
    void (*pose)(const void *who, const struct rig *rig, double t, struct stance *pose);
};

/* Fills frame_count poses. A loop has run for a while before its first frame, so that it closes. */
void motion_record(const struct motion *motion, const void *who, const struct rig *rig,
                   const struct dangle *dangles, int dangle_count, struct stance *frames);

/* A curve through keys of {time, value}, flat before the first and after the last. It overshoots no key. */
struct key {
    double t, value;
};

double curve(double t, const struct key *keys, int count);
#define CURVE(t, ...)                                                                                             \
    curve(t, (const struct key[]){__VA_ARGS__},                                                                   \
          (int)(sizeof((const struct key[]){__VA_ARGS__}) / sizeof(struct key)))

/* sin and cos of whole turns. */
double turn_sin(double turns);
double turn_cos(double turns);

/* stance_turn for the left joint of a pair, or mirrored for its right twin (side -1). */
void stance_turn_side(struct stance *pose, int left, int side, double about_x, double about_y, double about_z);

#endif
