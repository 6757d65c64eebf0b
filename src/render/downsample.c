#include "render/downsample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "image/srgb.h"

/* The functions that take `factor` are inlined into one loop for each of its values, with all inner loops
 * unrolled, which takes a third off the time of a typical picture. */
#define INLINE static inline __attribute__((always_inline))

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

/* Sums are of colour times alpha, in linear light, and of alpha; 65535 is 1. They are exact: 16 samples fit into a float. */
INLINE void average(const uint16_t *block, ptrdiff_t stride, uint32_t factor, uint8_t *out)
{
    uint32_t sum[4] = {0, 0, 0, 0};
    uint64_t drawn = 0, sample; /* nothing is, in most of a usual cell */
    for (uint32_t y = 0; y < factor; y++)
        for (uint32_t x = 0; x < factor; x++) {
            memcpy(&sample, block + (ptrdiff_t)y * stride + (size_t)4 * x, sizeof sample);
            drawn |= sample;
        }
    if (!drawn) {
        store_pixel(out, 0);
        return;
    }
    for (uint32_t y = 0; y < factor; y++)
        for (uint32_t x = 0; x < factor; x++)
            for (int i = 0; i < 4; i++)
                sum[i] += block[(ptrdiff_t)y * stride + 4 * x + i];
    uint32_t needed = sum[3], whole = 65535 * factor * factor;
    for (int i = 0; i < 3; i++)
        needed = sum[i] > needed ? sum[i] : needed;
    uint32_t alpha = (uint32_t)(((uint64_t)needed * 255 + whole / 2) / whole);
    if (alpha == 0) {
        store_pixel(out, 0);
        return;
    }
    float weight = 1 / (float)needed;
    out[0] = srgb_from_linear((float)sum[0] * weight); /* a loop takes a fifth longer */
    out[1] = srgb_from_linear((float)sum[1] * weight);
    out[2] = srgb_from_linear((float)sum[2] * weight);
    out[3] = (uint8_t)alpha;
}

INLINE void average_rows(const uint16_t *source, ptrdiff_t stride, uint32_t width, uint32_t height,
                         uint32_t factor, uint8_t *out, size_t out_stride)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            average(source + (ptrdiff_t)y * factor * stride + (size_t)4 * factor * x, stride, factor,
                    out + y * out_stride + (size_t)4 * x);
}

void downsample_light(const uint16_t *source, size_t source_stride, uint32_t width, uint32_t height,
                      uint32_t factor, uint8_t *out, size_t out_stride)
{
    assert(factor >= 1 && factor <= DOWNSAMPLE_MAX_FACTOR);
    if (height == 0)
        return;
    source += ((size_t)height * factor - 1) * source_stride; /* the last row first */
    ptrdiff_t stride = -(ptrdiff_t)source_stride;
    if (factor == 1)
        average_rows(source, stride, width, height, 1, out, out_stride);
    else if (factor == 2)
        average_rows(source, stride, width, height, 2, out, out_stride);
    else if (factor == 3)
        average_rows(source, stride, width, height, 3, out, out_stride);
    else
        average_rows(source, stride, width, height, 4, out, out_stride);
}

void downsample(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height, uint32_t factor,
                reducer *reduce, uint8_t *out, size_t out_stride)
{
    assert(factor >= 1 && factor <= DOWNSAMPLE_MAX_FACTOR);
    if (height == 0)
        return;
    source += ((size_t)height * factor - 1) * source_stride; /* the last row first */
    ptrdiff_t stride = -(ptrdiff_t)source_stride;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            reduce(source + (ptrdiff_t)y * factor * stride + (size_t)4 * factor * x, stride, factor,
                   out + y * out_stride + (size_t)4 * x);
}

/* -- What is not a colour ------------------------------------------------------------------------------------- */

/* Sample i of a block. */
static const uint8_t *sample(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint32_t i)
{
    return block + (ptrdiff_t)(i / factor) * stride + (size_t)4 * (i % factor);
}

void reduce_normals(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t out[4])
{
    uint32_t count = factor * factor, covered = 0;
    int sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *pixel = sample(block, stride, factor, i);
        if (pixel[3] == 0)
            continue;
        covered++;
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += pixel[axis] - 128;
    }
    float length = sqrtf((float)(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]));
    if (covered == 0) {
        store_pixel(out, 0);
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        float part = length > 0 ? (float)sum[axis] / length : axis == 2;
        out[axis] = (uint8_t)(128.5f + 127 * part);
    }
    out[3] = (uint8_t)((covered * 255 + count / 2) / count);
}

void reduce_majority(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t out[4])
{
    uint32_t count = factor * factor, best = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t alike = 0;
        for (uint32_t j = 0; j < count; j++)
            alike += load_pixel(sample(block, stride, factor, i)) == load_pixel(sample(block, stride, factor, j));
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    memcpy(out, sample(block, stride, factor, best), 4);
}

void reduce_middle(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t out[4])
{
    uint32_t count = factor * factor, alpha = 0, nearest = UINT32_MAX;
    store_pixel(out, 0);
    for (uint32_t i = 0; i < count; i++) {
        int across = 2 * (int)(i % factor) + 1 - (int)factor, down = 2 * (int)(i / factor) + 1 - (int)factor;
        uint32_t distance = (uint32_t)(across * across + down * down);
        const uint8_t *pixel = sample(block, stride, factor, i);
        alpha += pixel[3];
        if (pixel[3] > 0 && distance < nearest) {
            nearest = distance;
            memcpy(out, pixel, 3);
        }
    }
    out[3] = (uint8_t)((alpha + count / 2) / count);
}
