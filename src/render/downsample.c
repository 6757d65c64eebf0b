#include "render/downsample.h"

#include <assert.h>
#include <string.h>

#include "base/srgb.h"

/* The functions that take `factor` are inlined into one loop for each of its values, with all inner loops
 * unrolled, which takes a third off the time of a typical picture. */
#define INLINE static inline __attribute__((always_inline))

static const uint8_t ALPHA_BYTE[4] = {0, 0, 0, 255};

INLINE uint32_t load_pixel(const uint8_t *pixel)
{
    uint32_t bits;
    memcpy(&bits, pixel, sizeof bits);
    return bits;
}

INLINE void store_pixel(uint8_t *pixel, uint32_t bits)
{
    memcpy(pixel, &bits, sizeof bits);
}

INLINE void average_opaque(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t *out)
{
    float red = 0, green = 0, blue = 0, weight = 1.0f / (float)(factor * factor);
    for (uint32_t y = 0; y < factor; y++)
        for (uint32_t x = 0; x < factor; x++) {
            const uint8_t *pixel = block + (ptrdiff_t)y * stride + 4 * x;
            red += srgb_to_linear[pixel[0]];
            green += srgb_to_linear[pixel[1]];
            blue += srgb_to_linear[pixel[2]];
        }
    out[0] = srgb_from_linear(red * weight);
    out[1] = srgb_from_linear(green * weight);
    out[2] = srgb_from_linear(blue * weight);
    out[3] = 255;
}

INLINE void average_blended(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t *out)
{
    float red = 0, green = 0, blue = 0;
    uint32_t alpha_sum = 0, count = factor * factor;
    for (uint32_t y = 0; y < factor; y++)
        for (uint32_t x = 0; x < factor; x++) {
            const uint8_t *pixel = block + (ptrdiff_t)y * stride + 4 * x;
            float alpha = pixel[3];
            red += alpha * srgb_to_linear[pixel[0]];
            green += alpha * srgb_to_linear[pixel[1]];
            blue += alpha * srgb_to_linear[pixel[2]];
            alpha_sum += pixel[3];
        }
    uint32_t alpha = (alpha_sum + count / 2) / count;
    if (alpha == 0) {
        store_pixel(out, 0);
        return;
    }
    float weight = 1.0f / (float)alpha_sum;
    out[0] = srgb_from_linear(red * weight);
    out[1] = srgb_from_linear(green * weight);
    out[2] = srgb_from_linear(blue * weight);
    out[3] = (uint8_t)alpha;
}

INLINE void average(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t *out)
{
    uint32_t alpha = load_pixel(ALPHA_BYTE), any = 0, all = ~0u;
    for (uint32_t y = 0; y < factor; y++)
        for (uint32_t x = 0; x < factor; x++) {
            uint32_t pixel = load_pixel(block + (ptrdiff_t)y * stride + 4 * x);
            any |= pixel;
            all &= pixel;
        }
    if ((any & alpha) == 0)
        store_pixel(out, 0);
    else if (any == all) /* all are the same pixel */
        store_pixel(out, any);
    else if ((all & alpha) == alpha)
        average_opaque(block, stride, factor, out);
    else
        average_blended(block, stride, factor, out);
}

INLINE void downsample_rows(const uint8_t *source, ptrdiff_t stride, uint32_t width, uint32_t height,
                            uint32_t factor, uint8_t *out, size_t out_stride)
{
    for (uint32_t y = 0; y < height; y++) {
        const uint8_t *blocks = source + (ptrdiff_t)y * factor * stride;
        for (uint32_t x = 0; x < width; x++)
            average(blocks + (size_t)4 * factor * x, stride, factor, out + y * out_stride + (size_t)4 * x);
    }
}

void downsample(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height, uint32_t factor,
                bool flip_rows, uint8_t *out, size_t out_stride)
{
    assert(factor >= 1 && factor <= DOWNSAMPLE_MAX_FACTOR);
    ptrdiff_t stride = (ptrdiff_t)source_stride;
    if (flip_rows && height > 0) {
        source += ((size_t)height * factor - 1) * source_stride;
        stride = -stride;
    }
    switch (factor) {
    case 1:
        downsample_rows(source, stride, width, height, 1, out, out_stride);
        break;
    case 2:
        downsample_rows(source, stride, width, height, 2, out, out_stride);
        break;
    case 3:
        downsample_rows(source, stride, width, height, 3, out, out_stride);
        break;
    default:
        downsample_rows(source, stride, width, height, 4, out, out_stride);
    }
}
