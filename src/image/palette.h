/* Palettes: read from files or found for pixels, and pixels made of their colours, the nearest ones in OKLab, where
 * distances are as large as they look (https://bottosson.github.io/posts/oklab/). */
#pragma once

#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"

enum { PALETTE_MOST = 256, COLOR_COUNTS = 32 * 32 * 32 };

struct palette {
    uint32_t count;                  /* 0: none */
    uint8_t colors[PALETTE_MOST][3]; /* sRGB, each once */
    int32_t labs[PALETTE_MOST][3];   /* L, a and b of the same in units of 1/65536 */
};

/* How many opaque pixels have a colour, or one with the same upper five bits. */
struct color_counts {
    struct color_count {
        uint64_t count;
        uint8_t color[3]; /* of the first */
        int32_t lab[3];
        double apart; /* from the palette: for palette_find */
    } items[COLOR_COUNTS];
};

enum dither { DITHER_NONE, DITHER_BAYER, DITHER_BLUE_NOISE };

/* GIMP's .gpl, JASC's .pal (of Paint Shop Pro), .hex as of Lospec, or a picture of at most so many colours. */
int palette_load(struct bytes bytes, struct palette *out, struct error *err);

/* Unless the palette has the colour; false where it is full. */
bool palette_add(struct palette *palette, const uint8_t color[3]);

void color_counts_add(struct color_counts *counts, const uint8_t *pixels, size_t pixel_count);

/* Adds colours of the pixels where they are missed most, up to `most` in all. The counts serve once. */
void palette_find(struct palette *palette, struct color_counts *counts, uint32_t most);

/* Each pixel of the cell gets the nearest colour, or one of the two between which it lies: by a pattern that starts at the
 * cell's corner. Alpha becomes 0 or 255, by the same pattern. An empty palette leaves colours alone. */
void palette_apply(const struct palette *palette, enum dither dither, uint8_t *pixels, size_t stride,
                   uint32_t width, uint32_t height);
