/* Plum, a chunky young dragon: the MD2 sample. A skeleton like that of the MD5 sample poses the points of its keyframes. */
#ifndef GENERATOR_PLUM_H
#define GENERATOR_PLUM_H

#include "figure.h"
#include "motion.h"

/* Joints of the left side; each has its right twin at the next number. */
struct plum_joints {
    int origin, hips, chest, neck, head, jaw, eye, fin, tail;
    int upper_arm, forearm, hand;
    int thigh, shin, foot, toes;
    int wing, wing_tip;
};

enum { PLUM_TAIL_JOINTS = 4, PLUM_MOTIONS = 7, PLUM_SKINS = 2, PLUM_MAX_FRAMES = 128 };

struct plum {
    struct plum_joints joints;
    struct figure figure;
};

struct plum_colors {
    const char *name;
    uint32_t back, body, spots, belly, membrane, membrane_edge, spine, horn, iris;
};

/* Where the left eye looks. */
static const struct v3 PLUM_GAZE = {0.87, 0.47, 0.12};

extern const struct plum_colors plum_skins[PLUM_SKINS];
extern const struct motion plum_motions[PLUM_MOTIONS];

void plum_build(struct plum *plum);
void plum_record(const struct plum *plum, const struct motion *motion, struct stance *frames);

#endif
