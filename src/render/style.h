/* What surrounds the model in a cell, as data: the ground it stands on, an outline, the background. */
#ifndef RENDER_STYLE_H
#define RENDER_STYLE_H

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

enum ground_kind {
    GROUND_NONE,
    GROUND_CONTACT, /* a soft dark patch where the model is near the ground */
    GROUND_SHADOW,  /* the shadow that the key light throws on it */
    GROUND_GRID,    /* lines, for judging size and footing */
};

struct ground {
    enum ground_kind kind;
    bool has_height;  /* else: the lowest point of the job in the scope of `fit` */
    float height;     /* world z */
    float strength;   /* of a shadow: 0..1 */
    float spacing;    /* of the grid in model units; 0: chosen from the model's size */
    uint8_t color[4]; /* of shadow or lines; sRGB, straight alpha */
};

/* A line around the silhouette, drawn outside it. */
struct outline {
    float width_px;   /* of the finished cell; 0: none */
    uint8_t color[4]; /* sRGB, straight alpha */
};

enum background_kind { BACKGROUND_TRANSPARENT, BACKGROUND_COLOR, BACKGROUND_GRADIENT, BACKGROUND_CHECKER };

struct background {
    enum background_kind kind;
    uint8_t colors[2][4]; /* sRGB, straight: the colour; top and bottom; the two of the checkerboard */
    uint32_t checker_px;  /* side of a square */
};

#endif
