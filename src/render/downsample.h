/* From supersampled pixels to those of a cell.
 *
 * All pixels here are RGBA, 8 bits a channel, colour sRGB-encoded, alpha straight. Averages are taken in linear
 * light and weighted by alpha, and are correct to the nearest code: a half-covered edge keeps the pure colour of
 * what covers it, with neither a dark nor a light fringe, and a fine black and white pattern becomes as bright
 * a grey as it looks from afar. A pixel that is wholly transparent is 0 in all channels, which also
 * compresses best. */
#ifndef RENDER_DOWNSAMPLE_H
#define RENDER_DOWNSAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DOWNSAMPLE_MAX_FACTOR = 4 };

/* Makes width * height pixels, rows from the top, each the average of factor * factor of the source, whose rows
 * run from the bottom (as GL reads them) when `flip_rows`. Strides are in bytes. The two must not overlap. */
void downsample(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height, uint32_t factor,
                bool flip_rows, uint8_t *out, size_t out_stride);

#endif
