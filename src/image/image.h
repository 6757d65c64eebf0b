/* Pictures in memory; image/image_format.h reads them from files, image/image_program.h computes some.
 *
 * Always RGBA, 8 bits a channel, straight (unassociated) alpha, sRGB-encoded colour, rows from the top,
 * no padding. */
#pragma once

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
    float alpha_test;       /* pixels of less alpha will be holes, 0 to 1; 0: none will. No reader sets it */
};

size_t image_pixel_count(const struct image *image);

/* Allocates width * height pixels, zeroed, after checking them against the limits. */
int image_init(struct image *image, uint32_t width, uint32_t height, struct error *err);
void image_release(struct image *image);

/* image_init for a size that a file claims: fails first when even the best packing the format knows, in pixels for
 * each byte, could not get that many out of the `data_size` bytes there are. So no allocation, which costs 4 bytes
 * a pixel, is more than a known multiple of the file. */
int image_init_packed(struct image *image, uint32_t width, uint32_t height, size_t data_size,
                      size_t pixels_per_byte, struct error *err);

/* Makes a picture opaque that is transparent everywhere: TGA and BMP files often have a fourth channel that their
 * writer left at 0. */
void image_drop_empty_alpha(struct image *image);

/* Sets has_alpha and alpha_is_mask from the pixels. */
void image_update_alpha(struct image *image);

/* -- Pictures for people -- */

/* To another size, averaged in linear light and weighted by alpha: each pixel is made of all those it covers and half of
 * its neighbours (a triangle filter), and larger pictures are interpolated. No gaps between rows. */
int scale_pixels(const uint8_t *from, const uint32_t from_px[2], uint8_t *to, const uint32_t to_px[2],
                 struct error *err);
