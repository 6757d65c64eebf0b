/* Between 8-bit sRGB codes and linear light (0 to 1). Filters work on linear light: averaging the codes
 * themselves darkens edges and fine patterns. */
#pragma once

#include <stdint.h>
#include <string.h>

extern const float srgb_to_linear[256];

enum { SRGB_RANGES = 13 * 64 };
extern const float srgb_thresholds[257];
extern const uint8_t srgb_first_codes[SRGB_RANGES];

/* The nearest code, exactly: srgb_from_linear(srgb_to_linear[i]) is i. Values below 0 and NaN give 0, values
 * above 1 give 255. The bits of the float itself pick a narrow range of values, in which the code changes at
 * most twice, so two small tables and two comparisons replace the powf. */
static inline uint8_t srgb_from_linear(float linear)
{
    const float lowest = 0x1p-13f; /* below the first change of code, at 1.5e-4 */
    if (!(linear > lowest))
        return 0;
    if (linear >= 1.0f)
        return 255;
    uint32_t bits, lowest_bits;
    memcpy(&bits, &linear, sizeof bits);
    memcpy(&lowest_bits, &lowest, sizeof lowest_bits);
    unsigned code = srgb_first_codes[(bits - lowest_bits) >> 17];
    code += linear >= srgb_thresholds[code + 1];
    code += linear >= srgb_thresholds[code + 1];
    return (uint8_t)code;
}
