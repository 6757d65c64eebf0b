/* How much two cells differ.
 *
 * Two pixels differ by the larger of two numbers: the distance of their colours in OKLab, where equal steps look equal,
 * and the difference of their alphas; 0 is the same, 1 is black and white, or nothing and something. Colour is
 * multiplied by alpha, in linear light, so colours of transparent pixels do not count. Anti-aliasing is not detected:
 * both versions usually come from one machine. */
#pragma once

#include <stdint.h>

#include "base/hash.h"
#include "page/read.h"

struct pixel_change {
    uint32_t pixels; /* that differ by more than the tolerance */
    float max, mean; /* 0..1; mean over what either cell shows; 0 where no difference exceeds the tolerance */
    int32_t box[4];  /* x, y, width, height of what differs, in the cell `after`; may reach out of it */
};

/* Returns the difference of two pixels that are not equal: above 0, unless both are transparent. */
float pixels_difference(const uint8_t a[4], const uint8_t b[4]);

/* Compares over the union of both cells. `offset` is where the top left of `before` lies in the cell `after`. Returns how
 * many pixels it looked at: the smallest rectangle around what both show. */
uint64_t pixels_compare(const struct pixel_view *before, const struct pixel_view *after, const int32_t offset[2],
                        float tolerance, struct pixel_change *out);

/* Gives cells that look the same, trimmed or not, the same hash. */
void pixels_hash(const struct pixel_view *view, char hash[HASH_SIZE]);
