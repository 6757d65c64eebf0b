/* A line around the silhouette of a finished cell. */
#ifndef RENDER_OUTLINE_H
#define RENDER_OUTLINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "render/style.h"

enum { OUTLINE_MAX_PX = 64 };

/* Draws the line outside the silhouette, under the pixels (RGBA, sRGB, straight alpha), which stay as they are
 * where they are opaque. The silhouette is where alpha passes one half, told to a part of a pixel from alpha
 * itself, so the line is as smooth as the edge it follows. Where the silhouette reaches the edge of the cell there
 * is no room for a line: frame with a margin. Widths above OUTLINE_MAX_PX count as that. */
int outline_apply(const struct outline *outline, uint8_t *pixels, size_t stride, uint32_t width, uint32_t height,
                  struct error *err);

#endif
