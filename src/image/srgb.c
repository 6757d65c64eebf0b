#include "image/srgb.h"

#include <math.h>

float srgb_to_linear[256], srgb_thresholds[257];
uint8_t srgb_first_codes[SRGB_RANGES];

static double decode(double code)
{
    const double value = code / 255;
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/* No value is so near to the middle of two floats that another pow() could change it: by a hundred thousand times what the
 * C libraries differ by. */
__attribute__((constructor)) static void fill_tables(void)
{
    const float added = SRGB_ADDED;
    uint32_t bits, code = 0;
    for (int i = 0; i < 256; i++) {
        const double half_way = i ? decode(i - 0.5) : 0;
        srgb_to_linear[i] = (float)decode(i);
        srgb_thresholds[i] = (float)half_way;
        if ((double)srgb_thresholds[i] < half_way)
            srgb_thresholds[i] = nextafterf(srgb_thresholds[i], 1);
    }
    srgb_thresholds[256] = INFINITY;
    memcpy(&bits, &added, sizeof bits);
    for (uint32_t i = 0; i < SRGB_RANGES; i++, bits += 1u << 16) {
        float least;
        memcpy(&least, &bits, sizeof least);
        while (srgb_thresholds[code + 1] <= least - added)
            code++;
        srgb_first_codes[i] = (uint8_t)code;
    }
}
