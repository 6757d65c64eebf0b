/* A picture in another size.
 *
 * Averaged in linear light, weighted by alpha: each pixel is made of all those it covers and half of its neighbours
 * (a triangle filter), and larger pictures are interpolated. Pixels are RGBA, 8 bits, straight alpha, sRGB, without gaps
 * between rows. */
#ifndef IMAGE_SCALE_H
#define IMAGE_SCALE_H

#include <stdint.h>

#include "base/error.h"

int scale_pixels(const uint8_t *from, const uint32_t from_px[2], uint8_t *to, const uint32_t to_px[2],
                 struct error *err);

#endif
