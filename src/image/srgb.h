/* Between 8-bit sRGB codes and linear light (0 to 1). Filters work on linear light: averaging the codes
 * themselves darkens edges and fine patterns. */
#pragma once

#include <stdint.h>
#include <string.h>

/* Filled before main() begins, and never written again. */
extern float srgb_to_linear[256];

/* Of srgb_from_linear. Entry i of the thresholds is the least float that is nearer to code i than to i - 1; no value reaches
 * the last. The first codes are indexed by exponent and the top 7 bits of the mantissa of a value + 2^-5: the code of the least
 * float of that range. The ranges are so narrow that none holds two thresholds. */
enum { SRGB_RANGES = 5 * 128 + 5 };
extern float srgb_thresholds[257];
extern uint8_t srgb_first_codes[SRGB_RANGES];
#define SRGB_ADDED 0x1p-5f

/* The nearest code, exactly: srgb_from_linear(srgb_to_linear[i]) is i. Values below 0 and NaN give 0, values
 * above 1 give 255. The bits of a float pick a narrow range of values, in which the code changes at most once, so two
 * small tables and a comparison replace the powf. What is added has these ranges as narrow near 0 as the codes need,
 * and not more so. */
static inline uint8_t srgb_from_linear(float linear)
{
    const float added = SRGB_ADDED, place = linear + added;
    if (!(linear > 0))
        return 0;
    if (linear >= 1.0f)
        return 255;
    uint32_t bits, lowest_bits;
    memcpy(&bits, &place, sizeof bits);
    memcpy(&lowest_bits, &added, sizeof lowest_bits);
    unsigned code = srgb_first_codes[(bits - lowest_bits) >> 16];
    code += linear >= srgb_thresholds[code + 1];
    return (uint8_t)code;
}
