/* Picture files: PNG, JPEG, TGA, PCX, BMP, DDS, WebP and LMP.
 *
 * Loaders take bytes; they open no file. 16-bit channels are rounded to 8, palettes and greys expanded, DDS blocks
 * (BC1-BC5) decoded: GL could do that, but mip levels and image programs need the texels on the CPU, and so both
 * rendering back ends start from the same ones. A format is one file and one row here. */
#pragma once

#include "image/image.h"

struct image_format {
    const char *name;
    /* With which names are tried, in this order; NULL ends them. Each is a question in the record of every page with a
     * picture that is looked for by its name: a new one makes these stale. */
    const char *suffixes[3];
    const char *magic; /* with which files begin, or NULL: then they match */
    bool (*matches)(struct bytes bytes);
    /* Fills a zeroed image; on failure image_load releases what is in it. image_load also sets `has_alpha`. */
    int (*load)(struct bytes bytes, struct image *image, struct error *err);
};

/* Names are tried with the suffixes of the first format first. Content is compared with the last format first, for TGA
 * has no magic number and is taken for any plausible header. An LMP has neither: it is one where its size fits, and is
 * looked for under no name. So a new row goes to the end, unless other formats take its files for theirs. */
#define IMAGE_FORMATS(X)                                                                                          \
    X(lmp_format)                                                                                                 \
    X(tga_format)                                                                                                 \
    X(png_format)                                                                                                 \
    X(jpeg_format)                                                                                                \
    X(pcx_format)                                                                                                 \
    X(dds_format)                                                                                                 \
    X(webp_format)                                                                                                \
    X(bmp_format)

#define X(format) extern const struct image_format format;
IMAGE_FORMATS(X)
#undef X

/* Whether the content is one of this format. */
bool image_is_in(struct bytes bytes, const struct image_format *format);

/* Recognises the format by content, whatever the name of the file. *out is the caller's; on failure it is untouched. */
int image_load(struct bytes bytes, struct image *out, struct error *err);

/* The i-th suffix of all formats, in the order in which names are tried; NULL after the last. */
const char *image_suffix(size_t i);

/* Whether it is one of these, in any case. */
bool image_has_suffix(const char *suffix);

/* A picture of B, G, R and maybe A as a TGA, for formats that hold bare pixels. */
int tga_save(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels, struct blob *out,
             struct error *err);

/* The colours of Quake, which its pictures and skins name by number. Other games have a gfx/palette.lmp of their own. */
enum { QUAKE_PALETTE_SIZE = 256 * 3 };
void quake_palette(uint8_t palette[QUAKE_PALETTE_SIZE]);

/* Pixels of BMP and DDS may be integers of any layout: the file says which bits are the red, the green, the blue and the
 * alpha. A channel without bits is missing. */
struct pixel_masks {
    uint32_t bits; /* of a pixel: 8, 16, 24 or 32 */
    uint32_t red, green, blue, alpha;
};

/* Reads `count` pixels, little-endian, as RGBA. Each channel is scaled to 0..255, to the nearest. A missing alpha is 255, a
 * missing colour 0, and pixels without any colour are white. */
void masks_read(const struct pixel_masks *masks, const uint8_t *data, size_t count, uint8_t *pixels);
