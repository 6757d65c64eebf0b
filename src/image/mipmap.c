#include "image/mipmap.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "image/srgb.h"

/* One texel while it is filtered: for colours linear red, green and blue times the weight, and the weight, which
 * is the alpha (0 to 255), or without weights where it hides nothing; for data the four channels. Levels are filtered
 * from texels like these, not from the rounded level above, so errors do not pile up. */
typedef float texel __attribute__((vector_size(16)));

/* Added to each weight, so that texels that are all transparent keep a colour of their own. Among others it
 * changes no result: it is 1/65536 of the least alpha, and alpha plus this is still exact in a float. */
static const float LEAST_WEIGHT = 0x1p-16f;

static texel decode(const uint8_t *pixel, enum mipmap_kind kind)
{
    if (kind == MIPMAP_DATA)
        return (texel){pixel[0], pixel[1], pixel[2], pixel[3]};
    texel color = {srgb_to_linear[pixel[0]], srgb_to_linear[pixel[1]], srgb_to_linear[pixel[2]], 1};
    if (kind == MIPMAP_COLOR)
        return color * (pixel[3] + LEAST_WEIGHT);
    color[3] = pixel[3];
    return color;
}

static inline void encode(texel value, enum mipmap_kind kind, uint8_t *pixel)
{
    if (kind == MIPMAP_DATA) {
        for (int i = 0; i < 4; i++)
            pixel[i] = (uint8_t)(value[i] + 0.5f);
        return;
    }
    texel color = kind == MIPMAP_COLOR ? value * (1 / value[3]) : value;
    pixel[0] = srgb_from_linear(color[0]); /* a loop takes a fifth longer */
    pixel[1] = srgb_from_linear(color[1]);
    pixel[2] = srgb_from_linear(color[2]);
    pixel[3] = (uint8_t)(value[3] + 0.5f);
}

/* The level being read: the picture itself, or, below it, texels in memory. */
struct mip_level {
    uint32_t width, height;
    const uint8_t *pixels; /* NULL below the picture */
    bool is_opaque;        /* these, and they are colours */
    texel *texels;
};

/* What one texel of the smaller level covers of the larger along one side: two whole ones, or, where the larger
 * has an odd number, one whole and parts of its neighbours. */
struct taps {
    uint32_t first, count;
    float weights[3]; /* sum to 1 */
};

static struct taps taps_of(uint32_t at, uint32_t larger, uint32_t smaller)
{
    if (larger == 1)
        return (struct taps){0, 1, {1}};
    if (larger % 2 == 0)
        return (struct taps){at * 2, 2, {0.5f, 0.5f}};
    float all = (float)larger;
    return (struct taps){at * 2, 3, {(float)(smaller - at) / all, (float)smaller / all, (float)(at + 1) / all}};
}

static void add_row(const struct mip_level *level, uint32_t y, float weight, enum mipmap_kind kind, texel *sums)
{
    size_t start = (size_t)y * level->width;
    if (!level->pixels) {
        for (uint32_t x = 0; x < level->width; x++)
            sums[x] += level->texels[start + x] * weight;
        return;
    }
    const uint8_t *pixel = level->pixels + start * 4;
    for (uint32_t x = 0; x < level->width; x++, pixel += 4)
        sums[x] += decode(pixel, kind) * weight;
}

static void shrink_row(const texel *row, uint32_t larger, texel *out, uint32_t smaller)
{
    if (larger % 2 == 0) { /* the common case, for speed */
        for (uint32_t x = 0; x < smaller; x++)
            out[x] = (row[x * 2] + row[x * 2 + 1]) * 0.5f;
        return;
    }
    for (uint32_t x = 0; x < smaller; x++) {
        struct taps taps = taps_of(x, larger, smaller);
        texel sum = {0};
        for (uint32_t i = 0; i < taps.count; i++)
            sum += row[taps.first + i] * taps.weights[i];
        out[x] = sum;
    }
}

static inline texel opaque_texel(const float weighted[256], const uint8_t *pixel)
{
    return (texel){weighted[pixel[0]], weighted[pixel[1]], weighted[pixel[2]], weighted[255]};
}

/* Halves an opaque picture with even sides: the weights are all the same and halves of floats exact, so these are the texels
 * of the two functions above, in half of the time. */
static void halve_opaque(const struct mip_level *level, texel *out)
{
    const size_t row = (size_t)level->width * 4;
    float weighted[256];
    for (int i = 0; i < 256; i++)
        weighted[i] = srgb_to_linear[i] * (255 + LEAST_WEIGHT);
    for (uint32_t y = 0; y < level->height; y += 2)
        for (const uint8_t *at = level->pixels + y * row, *end = at + row; at < end; at += 8) {
            const texel left = opaque_texel(weighted, at) + opaque_texel(weighted, at + row);
            const texel right = opaque_texel(weighted, at + 4) + opaque_texel(weighted, at + row + 4);
            *out++ = (left + right) * 0.25f;
        }
}

static uint32_t half(uint32_t side)
{
    return side > 1 ? side / 2 : 1;
}

/* Replaces *level by the next smaller one. Its texels may overwrite those of the larger: a row is written only
 * when the rows it comes from are in `sums`, and lies before all that are still to be read. */
static void shrink(struct mip_level *level, enum mipmap_kind kind, texel *sums)
{
    struct mip_level next = {.width = half(level->width), .height = half(level->height), .texels = level->texels};
    if (level->is_opaque && level->width % 2 == 0 && level->height % 2 == 0) {
        halve_opaque(level, next.texels);
        *level = next;
        return;
    }
    for (uint32_t y = 0; y < next.height; y++) {
        struct taps taps = taps_of(y, level->height, next.height);
        memset(sums, 0, level->width * sizeof *sums);
        for (uint32_t i = 0; i < taps.count; i++)
            add_row(level, taps.first + i, taps.weights[i], kind, sums);
        shrink_row(sums, level->width, next.texels + (size_t)y * next.width, next.width);
    }
    *level = next;
}

/* How many texels have each alpha. */
static void count_alphas(const struct image *image, size_t counts[256])
{
    memset(counts, 0, 256 * sizeof *counts);
    for (size_t i = 0; i < image_pixel_count(image); i++)
        counts[image->pixels[4 * i + 3]]++;
}

/* Which part of the picture passes its test, and the least alpha that does. */
static double find_coverage(const struct image *base, int *least)
{
    size_t counts[256], passing = 0;
    *least = (int)ceilf(base->alpha_test * 255);
    count_alphas(base, counts);
    for (int alpha = 255; alpha >= *least; alpha--)
        passing += counts[alpha];
    return (double)passing / (double)image_pixel_count(base);
}

/* Has about as large a part of a level pass the test as is wanted: the alpha that has to pass becomes the least that does.
 * Of those that do as well, the one nearest to that is chosen. */
static void keep_coverage(struct image *level, double wanted, int least)
{
    size_t counts[256], passing = 0;
    count_alphas(level, counts);
    double best_off = INFINITY;
    int best = least;
    for (int alpha = 255; alpha > 0; alpha--) {
        passing += counts[alpha];
        double off = fabs((double)passing / (double)image_pixel_count(level) - wanted);
        if (off < best_off || (off == best_off && abs(alpha - least) < abs(best - least))) {
            best_off = off;
            best = alpha;
        }
    }
    for (size_t i = 0; i < image_pixel_count(level) && best != least; i++) {
        uint8_t *alpha = &level->pixels[4 * i + 3];
        int scaled = *alpha * least / best; /* rounded down: what passes is as many as were counted */
        *alpha = (uint8_t)(scaled < 255 ? scaled : 255);
    }
}

int mipmap_build(const struct image *base, enum mipmap_kind kind, struct mipmap *out, struct error *err)
{
    struct mipmap mipmap = {0};
    texel *sums = memory_alloc(base->width, sizeof *sums, err);
    texel *texels = memory_alloc((size_t)half(base->width) * half(base->height), sizeof *texels, err);
    struct mip_level level = {base->width, base->height, base->pixels, !base->has_alpha && kind == MIPMAP_COLOR,
                              texels};
    int result = sums && texels ? 0 : -1, least = 0;
    const bool is_tested = base->has_alpha && base->alpha_test > 0 && base->alpha_test <= 1; /* opaque stays so */
    const double coverage = is_tested ? find_coverage(base, &least) : 0;
    while (result == 0 && (level.width > 1 || level.height > 1)) {
        shrink(&level, kind, sums);
        struct image *image = &mipmap.levels[mipmap.level_count];
        result = image_init(image, level.width, level.height, err);
        if (result < 0)
            break;
        mipmap.level_count++;
        image->has_alpha = base->has_alpha;
        for (size_t i = 0; i < (size_t)level.width * level.height; i++)
            encode(texels[i], kind, image->pixels + i * 4);
        if (is_tested)
            keep_coverage(image, coverage, least);
    }
    free(texels);
    free(sums);
    if (result < 0) {
        mipmap_release(&mipmap);
        return -1;
    }
    *out = mipmap;
    return 0;
}

void mipmap_release(struct mipmap *mipmap)
{
    for (uint32_t i = 0; i < mipmap->level_count; i++)
        image_release(&mipmap->levels[i]);
    *mipmap = (struct mipmap){0};
}
