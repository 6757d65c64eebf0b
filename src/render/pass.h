/* Passes: the same cells, drawn to show something else than their colour. docs/passes.md describes each for users. */
#ifndef RENDER_PASS_H
#define RENDER_PASS_H

enum pass {
    PASS_COLOR,
    PASS_NORMAL,    /* view-space normals for 2D lighting: x right, y up, z to the viewer in r, g, b = 0.5 + 0.5 n */
    PASS_DEPTH,     /* 16-bit grey, linear along the line of sight; nearest white, nothing there 0 */
    PASS_MASK,      /* one flat colour per surface, never blended */
    PASS_UV,        /* s, t (wrapped into 0..1) in r, g; never sRGB-encoded */
    PASS_WIREFRAME, /* edges of triangles over clay */
    PASS_CLAY,      /* without textures */
    PASS_SKELETON,  /* joints over clay */
    PASS_BOUNDS,    /* the box of the pose over clay */
    PASS_COUNT,
};

/* "color", "normal", ...: as job lists and file names have it. */
extern const char *const pass_names[PASS_COUNT];

#endif
