/* Cameras, and how they are framed.
 *
 * A camera either looks from a direction (yaw, pitch, roll) and is moved by the framing until the model fills the
 * cell, or stands at an explicit place. Angles are in degrees. Yaw 0 looks at the front of the model (from +X, for
 * models face +X), so its left side (+Y) is on the right of the picture, as in a portrait; a growing yaw walks the
 * camera counter-clockwise as seen from above, and yaw 90 sees the model's left side. Pitch raises the camera: 90
 * looks straight down, with the model's front (+X) towards the bottom of the picture. Roll turns the camera clockwise,
 * so the picture counter-clockwise.
 *
 * Framing does not change an explicit perspective camera. An explicit orthographic one stays centred on its line of
 * sight and takes only its scale from the framing, or keeps only its direction where the fit has an origin. The
 * position of the eye on that line does not matter: nothing behind it is cut off.
 *
 * View space: x right, y up, the camera looks along -z. Cell space: pixels, x right, y down from the cell's top-left
 * corner.
 *
 * Framing is exact, not a bounding sphere, and needs no iteration: over all points seen, a camera needs the maxima of
 * four linear functions (left, right, bottom, top; for a perspective camera those of its side planes) and the range of
 * depth. struct framing gathers them for one camera over one scope:
 *
 *     framing_init(&framings[c], &camera[c], &fit, cell_px);         for each camera of the scope
 *     framing_add(&framings[c], points, point_count, mesh, model_to_world);
 *                                                                    for each posed moment in it, each model
 *     scale = fminf(scale, framing_scale(&framings[c]));             over all cameras, from INFINITY
 *     framing_view(&framings[c], scale, &view);                      once: it serves all cells of that camera
 *
 * All cells of a camera in one scope share one view, so the pivot does not move from frame to frame. */
#pragma once

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"

enum projection { PROJECTION_ORTHOGRAPHIC, PROJECTION_PERSPECTIVE };

struct camera {
    const char *name;
    enum projection projection;
    float fov_deg; /* vertical, perspective only: above 0, below 180 */
    bool has_eye;  /* stands at `eye` and looks at `target`; yaw, pitch and roll are ignored */
    float yaw_deg, pitch_deg, roll_deg;
    vec3 eye, target, up; /* model space; eye is not target, `up` is not along the line of sight */
    const char *mirrored; /* the direction that is left out, -yaw_deg, for its cells are these, flipped; or NULL */
    bool is_forced;       /* however unlike they are */
};

/* Which cells share a scale. Within a scope the same length in the model has the same length in every cell, from every
 * camera, and cells of the same camera show the origin at the same place. */
enum fit_scope {
    FIT_FRAME,     /* Every cell by itself, as large as possible, for thumbnails and icons. The scale and the place
                      of the origin change from cell to cell. */
    FIT_ANIMATION, /* All samples and cameras of an animation. Scales differ between animations: a crouch is drawn
                      larger than a jump. */
    FIT_JOB,       /* All cells of a job: its animations share one scale. */
    FIT_GROUP,     /* All cells of all jobs that name the group: a dwarf stays smaller than a troll. */
};

struct fit {
    enum fit_scope scope;
    const char *group;     /* FIT_GROUP only */
    float margin;          /* free on each side, as a part of the cell's size: 0 <= margin < 0.5 */
    float pixels_per_unit; /* 0: fit. Otherwise the scale is this (for a perspective camera at the depth of the
                              centre of what it sees), and the scope only places the centre */
    bool has_origin;       /* the world origin stands at one place in all cells, which fit around it: */
    vec2 origin;           /* in parts of the cell from its top left, at the nearest whole pixel; or ORIGIN_AUTO */
    uint32_t origin_step_px; /* that pixel is a multiple of so many, which is the job's scale; 0: of 1 */
};

/* Along this axis the origin is where all is largest (framings_place). */
#define ORIGIN_AUTO (-1.f)

/* The linear functions whose maxima frame the points, and -z and z for the ground below them. Eight fill two SIMD
 * registers. */
enum {
    FRAMING_LEFT,
    FRAMING_RIGHT,
    FRAMING_BOTTOM,
    FRAMING_TOP,
    FRAMING_NEAR,
    FRAMING_FAR,
    FRAMING_DOWN,
    FRAMING_UP,
    FRAMING_LANES = 8,
};

/* What one camera has seen of a scope. Plain data that may be copied; camera and fit are borrowed and must
 * stay. */
struct framing {
    const struct camera *camera;
    const struct fit *fit;
    uint32_t cell_px[2];
    float weights[3][FRAMING_LANES]; /* of x, y and z in the world */
    float most[FRAMING_LANES];       /* -INFINITY until something was seen */
    vec2 pivot_px;                   /* the pixel of fit.origin */
};

/* Camera, cell and framing together: all that drawing needs. Always finite. */
struct view {
    mat4 world_to_view;
    mat4 view_to_clip;       /* GL clip space: x, y, z in -w..w */
    float pixels_per_unit;   /* at the origin's depth; 0 where the origin is not in front of the camera, or cannot
                              be where fit.origin puts it */
    vec2 pivot_px;           /* the world origin in the cell; may lie outside it. The cell's centre where the
                              origin is not in front of the camera */
    float nearest, farthest; /* distances from the camera's plane, along the line of sight, between which lies all
                                that was seen (and may be drawn): 0 <= nearest < farthest */
    bool is_cut;             /* some of it lies nearer than what is drawn */
    bool is_cropped;         /* the cell does not hold all of it, at the scale that was asked for; */
    float fitting_scale;     /* this one would (in perspective, with the margin left free) */
    bool is_flat;            /* all that was seen lies at one distance; these two are a little around it */
};

/* Sets yaw, pitch and roll to the side that shows the most of the model (see facing.c), or to the first candidate for a
 * model that shows nothing from any side. */
void camera_choose_side(const struct model *model, const struct mesh *mesh, struct camera *camera);

/* The rotation from the world to view space, without the translation. */
void camera_orientation(const struct camera *camera, mat3 world_to_view);

void framing_init(struct framing *framing, const struct camera *camera, const struct fit *fit,
                  const uint32_t cell_px[2]);

/* `points` are the numbers of those that can be seen (model.used_points, or fewer). `model_to_world` is affine. */
void framing_add(struct framing *framing, const uint32_t *points, uint32_t point_count, const struct mesh *mesh,
                 const mat4 model_to_world);

/* The lowest world z that was seen; INFINITY where nothing was. */
float framing_lowest(const struct framing *framing);

/* Whether two framings look the same way at cells of the same size. Those of one scope then belong merged, so
 * that equal cameras of a group's jobs show the origin at the same place. */
bool framing_matches(const struct framing *a, const struct framing *b);
void framing_merge(struct framing *framing, const struct framing *other);

/* The largest scale at which this camera's cells hold what it has seen, in pixels per unit (for a perspective camera
 * at the depth of its centre). INFINITY where nothing limits it: no points, a single one, or an explicit perspective
 * camera. */
float framing_fitting_scale(const struct framing *framing);

/* The same, or fit.pixels_per_unit where that is set. A scope's scale is the smallest over its cameras, of both
 * projections. */
float framing_scale(const struct framing *framing);

/* Finds the origins that are ORIGIN_AUTO: one place for all these framings, at which the smallest of their scales is the
 * largest that it is with any whole pixel. */
void framings_place(struct framing *framings, size_t count);

/* How many times as large all would be with the origin at the best place, in parts of the cell; one of its two numbers
 * stays as it is where moving the other does. 1 where no place is better. */
float framings_gain(const struct framing *framings, size_t count, vec2 best);

void framing_view(const struct framing *framing, float scale, struct view *out);
