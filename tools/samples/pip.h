/* Pip, a small robot with a big head and a red scarf: the MD5 sample. */
#ifndef GENERATOR_PIP_H
#define GENERATOR_PIP_H

#include "figure.h"
#include "motion.h"

/* Joints of the left side; each has its right twin at the next number. */
struct pip_joints {
    int origin, hips, spine, chest, neck, head, antenna, eye_top, eye_bottom;
    int upper_arm, forearm, hand, fingers, thumb;
    int thigh, shin, foot, toes;
    int scarf; /* the first of the tail's joints */
};

enum { PIP_SCARF_JOINTS = 4, PIP_ANTENNA_JOINTS = 2 };

struct pip {
    struct pip_joints joints;
    struct figure figure;
};

enum pip_coat { PIP_SHELL, PIP_CLOTH, PIP_FACE };

void pip_build(struct pip *pip);

enum { PIP_MOTIONS = 4, PIP_MAX_FRAMES = 64 };
extern const struct motion pip_motions[PIP_MOTIONS];

/* motion_record for one of them, with antenna and scarf. */
void pip_record(const struct pip *pip, const struct motion *motion, struct stance *frames);

#endif
