/* From supersampled pixels to those of a cell: RGBA, 8 bits a channel, with straight alpha. A pixel that is wholly
 * transparent is 0 in all channels, which also compresses best.
 *
 * Colours go in as linear light, multiplied by alpha, 16 bits a channel, and are encoded once they are averaged,
 * correct to the nearest code: a half-covered edge keeps the pure colour of what covers it, with neither a dark
 * nor a light fringe, and a fine black and white pattern becomes as bright a grey as it looks from afar. Light
 * that was added over transparent ground, a glow, is colour that has more than its alpha allows. Straight alpha
 * cannot say that; such a pixel gets as much alpha as its strongest channel needs, and looks as it should over
 * black. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DOWNSAMPLE_MAX_FACTOR = 4 };

/* Makes a pixel of a block of factor * factor samples that are not colours, 8 bits a channel. Strides are in bytes. */
typedef void reducer(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t out[4]);

/* Unit vectors, coded as 128 + 127 * v, of samples with alpha: the direction of their sum; (0, 0, 1) if they
 * cancel out. Alpha is the part of the samples that have any. */
reducer reduce_normals;

/* Codes that must not be mixed: the one that most samples have. Of two the one that comes first. */
reducer reduce_majority;

/* Codes that must not be mixed, all different: that of the sample with alpha nearest to the middle. Alpha is
 * averaged. */
reducer reduce_middle;

/* Make width * height pixels, rows from the top, each from a block of the source, whose rows run from the bottom, as GL
 * reads them. The two must not overlap. */
void downsample(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height, uint32_t factor,
                reducer *reduce, uint8_t *out, size_t out_stride);

/* The stride of colours is in channels. */
void downsample_light(const uint16_t *source, size_t source_stride, uint32_t width, uint32_t height,
                      uint32_t factor, uint8_t *out, size_t out_stride);
