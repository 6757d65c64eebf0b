/* Transforms of joints, the pull of joints on points, and tags, which others hang on.
 *
 * Transforms stay in double until the matrices of a pose are made. Files store a unit quaternion without its w, and
 * where w is near 0 it hangs on the last digits of the others: single precision misses it by 3e-4. */
#pragma once

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/clip.h"

struct joint {
    const char *name;
    int32_t parent; /* index of an earlier joint, or -1 */
};

/* From a joint's space to its parent's, or to the model's: scales, then turns, then moves. */
struct transform {
    double translation[3];
    double rotation[4]; /* unit quaternion, w last */
    double scale[3];
};

/* One joint's pull on a point. The position lies in the joint's space, and is multiplied by the bias: so the sum over
 * bias * (joint.translation + turn(position)) needs no multiplication of its own. */
struct skin_weight {
    float biased_position[3];
    float bias;
    uint32_t joint;
};

/* The weights of a point; several points may share theirs. */
struct skin_span {
    uint32_t first, count;
};

/* Makes it unit; one without a direction becomes no turn. */
void quaternion_normalise(double q[4]);

/* Multiplies: the turn `b`, then `a`. The output may be either. */
void quaternion_multiply(const double a[4], const double b[4], double out[4]);

/* Turns back; the quaternion is unit. */
void quaternion_invert(const double q[4], double out[4]);

/* Turns about three axes by degrees, of X, Y and Z: first about the one that comes first in the order, and last whatever `turn`
 * was. The orders are those of FBX: XYZ, XZY, YZX, YXZ, ZXY, ZYX. */
void quaternion_turn_by(double turn[4], const double degrees[3], uint32_t order);

/* Turns a vector, which may be the output. */
void quaternion_turn(const double turn[4], const double v[3], double out[3]);

/* Finds the turn from the images of the axes: unit, at right angles, not mirrored. */
void quaternion_of_columns(double columns[3][3], double out[4]);

/* Turns `a` the shorter way towards `b`, both unit. */
void quaternion_blend(double a[4], const double b[4], double blend);

/* Blends `b` into `a`: along the line, and along the shorter arc. */
void transform_blend(struct transform *a, const struct transform *b, double blend);

/* Returns `own`, seen from `carrier`, as it is in the carrier's space; and the way back, where a scale of 0 counts as 1. A
 * joint whose carriers have a scale that differs by axis is scaled along its own axes: a transform cannot slant. */
struct transform transform_multiply(const struct transform *carrier, const struct transform *own);
struct transform transform_relative(const struct transform *carrier, const struct transform *carried);

/* The images of the three axes. */
void transform_columns(const struct transform *transform, double columns[3][3]);

/* -- Tags -------------------------------------------------------------------------------------------------- */

/* Tags: places on a model that others are hung on.
 *
 * A tag is a turn and a place for each keyframe of its model. Its x points forward out of a hand or a head, its y
 * to the left, its z up, as those of the model itself do: what is hung on it has its own axes there. */
struct tag_frame {
    versor orientation;
    vec3 position; /* model units */
};

struct tag {
    const char *name;
    const struct tag_frame *frames; /* tags.frame_count */
};

struct tags {
    uint32_t frame_count, tag_count;
    const struct tag *items;
};

/* The rotation nearest to the x, y and z axes of a file: x as it is, y at a right angle to it, z from both. False where
 * they have no direction. */
bool tag_frame_turn(const float axes[9], versor orientation);

/* From the tag's space to the model's at a moment, whose frames are below tags.frame_count. */
void tag_place(const struct tag *tag, const struct moment *moment, mat4 tag_to_model);
