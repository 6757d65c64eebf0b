/* Passes: the same cells, drawn to show something else than their colour. docs/looks.md describes each for users.
 */
#ifndef RENDER_PASS_H
#define RENDER_PASS_H

#include <stdint.h>

enum pass {
    PASS_COLOR,
    PASS_NORMAL, /* view-space normals for 2D lighting: x right, y up, z to the viewer in r, g, b as 128 + 127 n */
    PASS_DEPTH,  /* 16-bit grey, linear along the line of sight; nearest white, nothing there 0 */
    PASS_MASK,   /* one flat colour per surface, never blended */
    PASS_UV,     /* s, t (wrapped into 0..1) in r, g; never sRGB-encoded */
    PASS_WIREFRAME, /* edges of triangles over clay */
    PASS_CLAY,      /* without textures */
    PASS_SKELETON,  /* joints over clay */
    PASS_BOUNDS,    /* the box of the pose over clay */
    PASS_COUNT,
};

/* "color", "normal", ...: as job lists and file names have it. */
extern const char *const pass_names[PASS_COUNT];

/* The colour of an id in PASS_MASK, opaque, for 0 transparent. Stable, well spread, and different for each id
 * below 65536. */
void mask_color(uint32_t id, uint8_t rgba[4]);

#endif
