/* Lights and surroundings of the model in a cell: lights, the ground it stands on (painted by render/ground.h), an outline,
 * the background.
 *
 * The pixels of a cell are RGBA, sRGB, with straight alpha, rows from the top. Everything mixes in linear light. */
#pragma once

#include <cglm/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "image/palette.h"

/* Lights, as data. Directions point from the model to the light. Colours are linear, with their strength
 * multiplied in.
 *
 * Key, fill and rim stay with the camera (their directions are in view space: x right, y up, z towards the
 * viewer), so that every direction of a sprite is lit from the same side of the screen. The hemisphere belongs to
 * the world. */
struct directional_light {
    vec3 direction; /* any length above 0 */
    vec3 color;
};

struct light_rig {
    struct directional_light key, fill;
    struct directional_light rim; /* from behind: brightens the edges of the form. Black: none */
    vec3 sky, ground;             /* hemisphere light from above and below in world space (Z up) */
    vec3 ambient;                 /* from everywhere alike */
};

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

enum { OUTLINE_MAX_PX = 64 };

/* A line around the silhouette, drawn outside it. */
struct outline {
    float width_px;   /* of the finished cell; 0: none */
    uint8_t color[4]; /* sRGB, straight alpha */
};

enum pixel_outline { PIXEL_OUTLINE_NONE, PIXEL_OUTLINE_OUTSIDE, PIXEL_OUTLINE_INSIDE };

/* How a cell becomes pixel art. */
struct pixel_art {
    bool is_wanted;
    const char *palette_file; /* an asset; or NULL: */
    uint32_t color_count;     /* of the palette that is found for the job; 0: as many as there are */
    enum dither dither;
    uint32_t light_steps; /* from black to full light; 0: smooth */
    enum pixel_outline outline;
    uint8_t outline_color[4]; /* opaque */
};

enum background_kind { BACKGROUND_TRANSPARENT, BACKGROUND_COLOR, BACKGROUND_GRADIENT, BACKGROUND_CHECKER };

struct background {
    enum background_kind kind;
    uint8_t colors[2][4]; /* sRGB, straight: the colour; top and bottom; the two of the checkerboard */
    uint32_t checker_px;  /* side of a square */
};

/* Draws the line outside the silhouette, under the pixels, which stay as they are where they are opaque. The silhouette
 * is where alpha passes one half, found to a part of a pixel from alpha itself, so the line is as smooth as the edge it
 * follows. Where the silhouette reaches the edge of the cell there is no room for a line: frame with a margin. Widths
 * above OUTLINE_MAX_PX count as that. `alone`: the line replaces the pixels. */
int outline_apply(const struct outline *outline, bool alone, uint8_t *pixels, size_t stride, uint32_t width,
                  uint32_t height, struct error *err);

/* Makes each pixel opaque that is covered by half or more, all others clear, and draws the line on pixels beside the
 * silhouette's other side. Drops single stray pixels unless `keeps_single`: those of a mask lie within the silhouette. */
void pixel_edges_apply(const struct pixel_art *pixel, bool keeps_single, uint8_t *pixels, size_t stride,
                       uint32_t width, uint32_t height);

/* Lays the pixels over the background. The gradient runs from the middle of the top row to the middle of the bottom
 * row; the checkerboard starts with its first colour at the top left. A translucent background leaves the cell
 * translucent. */
void background_apply(const struct background *background, uint8_t *pixels, size_t stride, uint32_t width,
                      uint32_t height);

/* One layer of straight alpha over another: replaces `pixel` by `pixel` over `under`. */
void pixel_over(uint8_t pixel[4], const uint8_t under[4]);
