/* Picture files: PNG, JPEG, TGA, PCX, BMP, DDS, WebP and LMP.
 *
 * Loaders take bytes; they open no file. 16-bit channels are rounded to 8, palettes and greys expanded, DDS blocks
 * (BC1-BC5) decoded: GL could do that, but mip levels and image programs need the texels on the CPU, and so both
 * rendering back ends start from the same ones. A format is one file and one row here. */
#pragma once

#include "image/image.h"

struct image_format {
    const char *name;
    const char *suffixes[3]; /* with which names are tried, in this order; NULL ends them */
    bool (*matches)(struct bytes bytes);
    /* Fills a zeroed image; on failure image_load releases what is in it. image_load also sets `has_alpha`. */
    int (*load)(struct bytes bytes, struct image *image, struct error *err);
};

/* Names are tried with the suffixes of the first format first. Content is compared with the last format first, for TGA
 * has no magic number and is taken for any plausible header. An LMP has neither: it is one where its size fits, and is
 * looked for under no name. */
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

/* Recognises the format by content, whatever the name of the file. *out is the caller's; on failure it is untouched. */
int image_load(struct bytes bytes, struct image *out, struct error *err);

/* The i-th suffix of all formats, in the order in which names are tried; NULL after the last. */
const char *image_suffix(size_t i);

/* Whether it is one of these, in any case. */
bool image_has_suffix(const char *suffix);

/* The colours of Quake, which its pictures and skins name by number. Other games have a gfx/palette.lmp of their own. */
enum { QUAKE_PALETTE_SIZE = 256 * 3 };
void quake_palette(uint8_t palette[QUAKE_PALETTE_SIZE]);

/* Channels that a file describes by masks: BMP and DDS both let a pixel be an integer of any layout, and say which
 * of its bits are the red, the green, the blue and the alpha. */
struct channel {
    uint32_t mask;
    unsigned shift;
    uint32_t max; /* 0 when the mask is: no such channel */
};

static inline struct channel channel_from_mask(uint32_t mask)
{
    unsigned shift = mask ? (unsigned)__builtin_ctz(mask) : 0;
    return (struct channel){.mask = mask, .shift = shift, .max = mask >> shift};
}

/* The channel's bits of `pixel` scaled to 0..255, to the nearest; `missing` when there is no such channel. */
static inline uint8_t channel_value(const struct channel *channel, uint32_t pixel, uint8_t missing)
{
    if (channel->max == 0)
        return missing;
    uint32_t value = (pixel & channel->mask) >> channel->shift;
    if (channel->max == 255)
        return (uint8_t)value;
    return (uint8_t)(((uint64_t)value * 255 + channel->max / 2) / channel->max);
}
