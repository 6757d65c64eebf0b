#include "render/downsample.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "image/srgb.h"

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

/* Sums are of colour times alpha, in linear light, and of alpha. */
INLINE void average_blended(const uint8_t *block, ptrdiff_t stride, uint32_t factor, uint8_t *out)
{
    float red = 0, green = 0, blue = 0;
    uint32_t alpha_sum = 0;
    for (uint32_t y = 0; y < factor; y++)
        for (uint32_t x = 0; x < factor; x++) {
            const uint8_t *pixel = block + (ptrdiff_t)y * stride + 4 * x;
            red += srgb_to_linear[pixel[0]];
            green += srgb_to_linear[pixel[1]];
            blue += srgb_to_linear[pixel[2]];
            alpha_sum += pixel[3];
        }
    float strongest = red > green ? red : green;
    float needed = (float)alpha_sum / 255, count = (float)(factor * factor);
    strongest = strongest > blue ? strongest : blue;
    needed = needed > strongest ? needed : strongest;
    uint32_t alpha = (uint32_t)(needed / count * 255 + 0.5f);
    if (alpha == 0) {
        store_pixel(out, 0);
        return;
    }
    float weight = 1 / needed;
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
    if (any == 0)
        store_pixel(out, 0);
    else if ((all & alpha) != alpha)
        average_blended(block, stride, factor, out);
    else if (any == all) /* all are the same pixel */
        store_pixel(out, any);
    else
        average_opaque(block, stride, factor, out);
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

/* Turns the source over: its last row first. */
static ptrdiff_t start_of_rows(const uint8_t **source, size_t stride, uint32_t rows, bool flip_rows)
{
    if (!flip_rows || rows == 0)
        return (ptrdiff_t)stride;
    *source += ((size_t)rows - 1) * stride;
    return -(ptrdiff_t)stride;
}

void downsample(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height, uint32_t factor,
                bool flip_rows, uint8_t *out, size_t out_stride)
{
    assert(factor >= 1 && factor <= DOWNSAMPLE_MAX_FACTOR);
    ptrdiff_t stride = start_of_rows(&source, source_stride, height * factor, flip_rows);
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

/* -- What is no colour ------------------------------------------------------------------------------------- */

enum { MOST_SAMPLES = DOWNSAMPLE_MAX_FACTOR * DOWNSAMPLE_MAX_FACTOR };

/* Makes a pixel of its samples, `side` in a row. */
typedef void reducer(const uint8_t (*samples)[4], uint32_t side, uint8_t out[4]);

static void reduce_rows(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height,
                        uint32_t factor, bool flip_rows, uint8_t *out, size_t out_stride, reducer *reduce)
{
    assert(factor >= 1 && factor <= DOWNSAMPLE_MAX_FACTOR);
    ptrdiff_t stride = start_of_rows(&source, source_stride, height * factor, flip_rows);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t samples[MOST_SAMPLES][4];
            for (uint32_t row = 0; row < factor; row++)
                memcpy(samples[row * factor],
                       source + (ptrdiff_t)(y * factor + row) * stride + (size_t)4 * factor * x,
                       (size_t)4 * factor);
            reduce((const uint8_t(*)[4])samples, factor, out + y * out_stride + (size_t)4 * x);
        }
}

static void reduce_normals(const uint8_t (*samples)[4], uint32_t side, uint8_t out[4])
{
    uint32_t count = side * side, covered = 0;
    int sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        if (samples[i][3] == 0)
            continue;
        covered++;
        for (int axis = 0; axis < 3; axis++)
            sum[axis] += samples[i][axis] - 128;
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

static void reduce_majority(const uint8_t (*samples)[4], uint32_t side, uint8_t out[4])
{
    uint32_t count = side * side, best = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t alike = 0;
        for (uint32_t j = 0; j < count; j++)
            alike += load_pixel(samples[i]) == load_pixel(samples[j]);
        if (alike > most) {
            most = alike;
            best = i;
        }
    }
    memcpy(out, samples[best], 4);
}

static void reduce_middle(const uint8_t (*samples)[4], uint32_t side, uint8_t out[4])
{
    uint32_t count = side * side, alpha = 0, nearest = UINT32_MAX;
    store_pixel(out, 0);
    for (uint32_t i = 0; i < count; i++) {
        int across = 2 * (int)(i % side) + 1 - (int)side, down = 2 * (int)(i / side) + 1 - (int)side;
        uint32_t distance = (uint32_t)(across * across + down * down);
        alpha += samples[i][3];
        if (samples[i][3] > 0 && distance < nearest) {
            nearest = distance;
            memcpy(out, samples[i], 3);
        }
    }
    out[3] = (uint8_t)((alpha + count / 2) / count);
}

void downsample_normals(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height,
                        uint32_t factor, bool flip_rows, uint8_t *out, size_t out_stride)
{
    reduce_rows(source, source_stride, width, height, factor, flip_rows, out, out_stride, reduce_normals);
}

void downsample_majority(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height,
                         uint32_t factor, bool flip_rows, uint8_t *out, size_t out_stride)
{
    reduce_rows(source, source_stride, width, height, factor, flip_rows, out, out_stride, reduce_majority);
}

void downsample_middle(const uint8_t *source, size_t source_stride, uint32_t width, uint32_t height,
                       uint32_t factor, bool flip_rows, uint8_t *out, size_t out_stride)
{
    reduce_rows(source, source_stride, width, height, factor, flip_rows, out, out_stride, reduce_middle);
}
