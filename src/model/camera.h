/* Cameras, and how they are framed.
 *
 * A camera either looks from a direction (yaw, pitch, roll) and is moved by the framing until the model
 * fills the cell, or stands at an explicit place. Angles are in degrees. Yaw 0 looks at the front of the
 * model (from +X, for models face +X); a growing yaw walks the camera counter-clockwise as seen from above, so
 * yaw 90 sees the model's left side. Pitch raises the camera: 90 looks straight down, with the model's front
 * (+X) towards the bottom of the picture. Roll turns the camera clockwise, so the picture counter-clockwise.
 *
 * View space: x right, y up, the camera looks along -z. Cell space: pixels, x right, y down from the cell's
 * top-left corner.
 *
 * Framing is exact, not a bounding sphere: over all points seen, a camera needs only the extremes of four
 * linear functions (left, right, bottom, top; for a perspective camera those of its side planes) and of the
 * depth. struct extent holds them; extents of several moments or models merge. */
#ifndef MODEL_CAMERA_H
#define MODEL_CAMERA_H

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum projection { PROJECTION_ORTHOGRAPHIC, PROJECTION_PERSPECTIVE };

struct camera {
    const char *name;
    enum projection projection;
    float fov_deg;        /* vertical, perspective only: above 0, below 180 */
    bool has_eye;         /* stands at `eye` looking at `target`, and yaw, pitch, roll say nothing */
    float yaw_deg, pitch_deg, roll_deg;
    vec3 eye, target, up; /* model space; `up` is not along the line of sight */
};

enum fit_scope {
    FIT_FRAME,     /* every cell by itself */
    FIT_ANIMATION, /* all samples and cameras of an animation */
    FIT_JOB,       /* all cells of a job */
    FIT_GROUP,     /* all cells of all jobs that name the group */
};

struct fit {
    enum fit_scope scope;
    const char *group;     /* FIT_GROUP only */
    float margin;          /* free on each side, as a part of the cell's size: 0 <= margin < 0.5 */
    float pixels_per_unit; /* 0: fit. Otherwise the scale is this (for a perspective camera at the depth of the
                              centre of the model), and the scope only places the centre */
};

/* The extremes of what one camera has seen. */
struct extent {
    bool is_empty;
    float most[4]; /* the maxima of the functions for left, right, bottom, top, in view orientation */
    float nearest, farthest; /* view-space depth along the line of sight, from the world origin */
};

/* Camera, cell and framing together: all that drawing needs. */
struct view {
    mat4 world_to_view;
    mat4 view_to_clip;   /* GL clip space: x, y, z in -w..w */
    float pixels_per_unit; /* at the origin's depth */
    vec2 pivot_px;       /* the world origin in the cell; may lie outside it */
};

/* The rotation from the world to view space, without the place. */
void camera_orientation(const struct camera *camera, mat3 world_to_view);

void extent_init(struct extent *extent);
void extent_add(struct extent *extent, const struct camera *camera, float aspect, const struct model *model,
                const struct mesh *mesh);
void extent_merge(struct extent *extent, const struct extent *other);

/* The scale this camera would need for its own extent in a cell of that size: pixels per unit for an
 * orthographic camera, distance in units for a perspective one. Cells of one scope share the smallest scale
 * or the largest distance, so that the same length in the model is the same length in each. */
float camera_scale(const struct camera *camera, const struct fit *fit, const uint32_t cell_px[2],
                   const struct extent *extent);

/* The view for a cell: `extent` of this camera over the scope (it places the centre and the depth range),
 * `scale` from camera_scale over all cameras of the same projection in the scope. */
void camera_view(const struct camera *camera, const struct fit *fit, const uint32_t cell_px[2],
                 const struct extent *extent, float scale, struct view *out);

#endif
