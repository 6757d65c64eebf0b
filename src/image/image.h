/* Pictures in memory, whatever file they came from: PNG, JPEG, TGA, PCX, BMP or DDS.
 *
 * Always RGBA, 8 bits a channel, straight (unassociated) alpha, sRGB-encoded colour, rows from the top,
 * no padding. Loaders take bytes; they open no file. 16-bit channels are rounded to 8, palettes and greys
 * expanded, DDS blocks (BC1-BC5) decoded: GL could do that, but mip levels and image programs need the texels
 * on the CPU, and so both rendering back ends start from the same ones. */
#ifndef IMAGE_IMAGE_H
#define IMAGE_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum {
    IMAGE_MAX_SIDE = 16384, /* llvmpipe's own limit on a texture */

    /* A pixel takes some 10 bytes while its mip levels are built, and a PNG holds 8,000 of them in a byte: one of
     * 32 KiB with sides of 16384 took 2.8 GB. No game has pictures as large as this. */
    IMAGE_MAX_PIXELS = 8192 * 8192,
};

struct image {
    uint32_t width, height; /* both at least 1 */
    uint8_t *pixels;        /* width * height * 4 bytes from malloc */
    bool has_alpha;         /* some pixel is not opaque */
    bool alpha_is_mask;     /* hardly any pixel is neither transparent nor opaque, and there are some of both */
};

/* Recognises the format by content (TGA, which has no magic number, by a plausible header, last).
 * *out is the caller's; on failure it is untouched. */
int image_load(struct bytes bytes, struct image *out, struct error *err);

/* Allocates width * height pixels, zeroed, after checking them against the limits. */
int image_init(struct image *image, uint32_t width, uint32_t height, struct error *err);
void image_release(struct image *image);

/* Sets has_alpha and alpha_is_mask from the pixels. */
void image_update_alpha(struct image *image);

#endif
