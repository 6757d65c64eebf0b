/* Mip levels of a picture, built on the CPU.
 *
 * glGenerateMipmap compiles code on llvmpipe and took 60-90 ms for one 512x512 texture; this takes about one.
 * Each level halves the one above (rounding down, at least 1) with a box filter in linear light, weighted by
 * alpha, so that the colour of transparent texels never bleeds into edges. With an alpha test, alpha of each level is
 * scaled so that about as large a part of it passes as of the picture: leaves do not grow thin or dense as they get small. */
#pragma once

#include "image/image.h"

enum { MIPMAP_MAX_LEVELS = 15 };

enum mipmap_kind {
    MIPMAP_COLOR,  /* sRGB colour and straight alpha */
    MIPMAP_OPAQUE, /* sRGB colour; alpha hides nothing and is averaged by itself */
    MIPMAP_DATA,   /* linear numbers, such as normal maps: all four channels averaged alike */
};

/* Levels 1, 2, ... down to 1x1 of `base` (level 0 is the picture itself and is not copied). */
struct mipmap {
    uint32_t level_count; /* of the levels here, so without level 0 */
    struct image levels[MIPMAP_MAX_LEVELS];
};

int mipmap_build(const struct image *base, enum mipmap_kind kind, struct mipmap *out, struct error *err);
void mipmap_release(struct mipmap *mipmap);
