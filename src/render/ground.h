/* The ground of a cell, painted under the finished model: shadows and grid.
 *
 * It is computed pixel by pixel from the plane's place in the view, not drawn: it is smooth, so it needs no
 * supersampling, and its pixels have partial alpha, so the sprite can be laid over anything. It is under the model
 * everywhere, also where the model sinks into it. It fades out towards the edges of the cell, where it would
 * otherwise be cut off. From below, or edge on, no ground is seen. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "model/camera.h"
#include "render/style.h"

/* What lies over the plane, in a square of texels: first the heights, then, softened, how dark it is. */
struct shadow {
    uint32_t side; /* in texels; 0: no shadow */
    float *
        texels; /* side * side, rows along y; malloc'd. Heights in model units, INFINITY over nothing; then 0..1 */
    float low[2];  /* world x, y of the corner of the first texel */
    float size[2]; /* of the square in model units */
};

/* About how long the picture is in model units, the same for all cells of a scope: what shadows and grid measure
 * themselves by. */
float ground_scale(const struct view *view, const uint32_t cell_px[2]);

/* Between the lines of a grid in a picture so long: 1, 2 or 5 times a power of ten, so that about eight cross it. */
float ground_spacing(float scale);

/* Turns heights into darkness. Near the plane a contact shadow is dark and sharp, higher up faint and wide; the
 * shadow of a light keeps its strength and only its edge softens. `scale` is that of ground_scale. */
int shadow_soften(struct shadow *shadow, enum ground_kind kind, float scale, struct error *err);
void shadow_release(struct shadow *shadow);

/* Paints the ground under the pixels (RGBA, sRGB, straight alpha, rows from the top). `shadow` is for the two
 * kinds of shadow. */
void ground_paint(const struct ground *ground, float height, const struct shadow *shadow, const struct view *view,
                  const uint32_t cell_px[2], uint8_t *pixels, size_t stride);
