/* What lies behind a finished cell. */
#ifndef RENDER_BACKGROUND_H
#define RENDER_BACKGROUND_H

#include <stddef.h>
#include <stdint.h>

#include "render/style.h"

/* Lays the pixels (RGBA, sRGB, straight alpha, rows from the top) over the background, in linear light, in place.
 * The gradient runs from the middle of the top row to the middle of the bottom row; the checkerboard starts with
 * its first colour at the top left. A translucent background leaves the cell translucent. */
void background_apply(const struct background *background, uint8_t *pixels, size_t stride, uint32_t width,
                      uint32_t height);

/* One layer of straight alpha over another, in linear light: replaces `pixel` by `pixel` over `under`. */
void pixel_over(uint8_t pixel[4], const uint8_t under[4]);

#endif
