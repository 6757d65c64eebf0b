#include "image/image.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/srgb.h"

static size_t texel_count(const struct image *image)
{
    return (size_t)image->width * image->height;
}

static uint8_t to_byte(float value)
{
    return (uint8_t)(value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5f);
}

static int check_sides(uint32_t width, uint32_t height, struct error *err)
{
    if (width == 0 || height == 0 || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE)
        return error_set(err, "a picture of %u x %u pixels, each side must be 1 to %d", width, height,
                         IMAGE_MAX_SIDE);
    return 0;
}

int image_init(struct image *image, uint32_t width, uint32_t height, struct error *err)
{
    if (check_sides(width, height, err))
        return -1;
    if ((size_t)width * height > IMAGE_MAX_PIXELS)
        return error_set(err, "a picture of %u x %u is %zu pixels, at most %d are allowed", width, height,
                         (size_t)width * height, IMAGE_MAX_PIXELS);
    uint8_t *pixels = memory_alloc((size_t)width * height, 4, err);
    if (!pixels)
        return -1;
    *image = (struct image){.width = width, .height = height, .pixels = pixels};
    return 0;
}

int image_init_packed(struct image *image, uint32_t width, uint32_t height, size_t data_size,
                      size_t pixels_per_byte, struct error *err)
{
    if (check_sides(width, height, err))
        return -1;
    size_t least = ((size_t)width * height + pixels_per_byte - 1) / pixels_per_byte;
    if (data_size < least)
        return error_set(err, "%u x %u pixels need at least %zu bytes, there are %zu", width, height, least,
                         data_size);
    return image_init(image, width, height, err);
}

void image_release(struct image *image)
{
    free(image->pixels);
    *image = (struct image){0};
}

/* All alpha values and-ed and or-ed together. */
static void fold_alpha(const struct image *image, uint8_t *all, uint8_t *any)
{
    size_t size = texel_count(image) * 4;
    *all = 255;
    *any = 0;
    for (size_t i = 3; i < size; i += 4) {
        *all &= image->pixels[i];
        *any |= image->pixels[i];
    }
}

void image_update_alpha(struct image *image)
{
    size_t count = texel_count(image), low = 0, between = 0;
    uint8_t all, any;
    fold_alpha(image, &all, &any);
    image->has_alpha = all != 255;
    for (size_t i = 0; image->has_alpha && i < count; i++) {
        uint8_t alpha = image->pixels[4 * i + 3];
        low += alpha < 128;
        between += alpha >= 8 && alpha < 248;
    }
    /* Of 90 skins with holes in ufoai-data and cube2-data, soft edges of leaves included, 87 have less than a fifth.
     * No colour map with gloss or heights in alpha has less than two fifths. */
    image->alpha_is_mask = low > 0 && low < count && between <= count / 5;
}

void image_drop_empty_alpha(struct image *image)
{
    uint8_t all, any;
    fold_alpha(image, &all, &any);
    size_t size = texel_count(image) * 4;
    for (size_t i = 3; !any && i < size; i += 4)
        image->pixels[i] = 255;
}

/* -- Normals ----------------------------------------------------------------------------------------------- */

/* Normals are stored as 128 + 127 n. */
static void load_normal(const uint8_t *texel, float n[3])
{
    for (int i = 0; i < 3; i++)
        n[i] = ((float)texel[i] - 128) / 127;
}

/* Any length but zero; zero becomes straight up. */
static void store_normal(const float n[3], uint8_t *texel)
{
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    float unit = length > 0 ? 127 / length : 0;
    for (int i = 0; i < 3; i++)
        texel[i] = to_byte(128 + n[i] * unit);
    if (length <= 0)
        texel[2] = 255;
    texel[3] = 255;
}

/* Adds the unit normal of a slope. */
static void add_slope(float dx, float dy, float n[3])
{
    float unit = 1 / sqrtf(dx * dx + dy * dy + 1);
    n[0] -= dx * unit;
    n[1] -= dy * unit;
    n[2] += unit;
}

int image_heightmap(struct image *image, float scale, struct error *err)
{
    uint32_t width = image->width, height = image->height;
    uint8_t *heights = memory_alloc(texel_count(image), 1, err);
    if (!heights)
        return -1;
    for (size_t i = 0; i < texel_count(image); i++) {
        const uint8_t *texel = image->pixels + i * 4;
        heights[i] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
    }
    /* A texel with its right and lower neighbours makes two triangles; the normal is the mean of theirs. */
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *row = heights + (size_t)y * width, *next = heights + (size_t)((y + 1) % height) * width;
            uint32_t right = (x + 1) % width;
            float here = row[x], below = next[x], unit = scale / 256, n[3] = {0};
            add_slope((row[right] - here) * unit, (below - here) * unit, n);
            add_slope((next[right] - below) * unit, (below - here) * unit, n);
            store_normal(n, image->pixels + ((size_t)y * width + x) * 4);
        }
    free(heights);
    return 0;
}

int image_smooth_normals(struct image *image, struct error *err)
{
    uint32_t width = image->width, height = image->height;
    struct image before;
    if (image_init(&before, width, height, err) < 0)
        return -1;
    memcpy(before.pixels, image->pixels, texel_count(image) * 4);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            float sum[3] = {0}, n[3];
            for (uint32_t i = 0; i < 9; i++) {
                uint32_t from_x = (x + width - 1 + i % 3) % width, from_y = (y + height - 1 + i / 3) % height;
                const uint8_t *texel = before.pixels + ((size_t)from_y * width + from_x) * 4;
                bool is_grey = texel[0] == texel[1] && texel[1] == texel[2];
                if (is_grey && (texel[0] == 0 || texel[0] == 128)) /* stands for no normal */
                    continue;
                load_normal(texel, n);
                for (int k = 0; k < 3; k++)
                    sum[k] += n[k];
            }
            store_normal(sum, image->pixels + ((size_t)y * width + x) * 4);
        }
    image_release(&before);
    return 0;
}

void image_add_normals(struct image *image, const struct image *bumps)
{
    for (size_t i = 0; i < texel_count(image); i++) {
        float n[3], bump[3];
        load_normal(image->pixels + i * 4, n);
        load_normal(bumps->pixels + i * 4, bump);
        /* Some normal maps fade to nothing at their edges: that is meant to be flat. */
        float flat = n[0] * n[0] + n[1] * n[1];
        if (flat + n[2] * n[2] < 1)
            n[2] = sqrtf(1 - flat);
        n[0] += bump[0];
        n[1] += bump[1];
        store_normal(n, image->pixels + i * 4);
    }
}

/* -- Colours ----------------------------------------------------------------------------------------------- */

void image_add(struct image *image, const struct image *other)
{
    for (size_t i = 0; i < texel_count(image) * 4; i++) {
        unsigned sum = (unsigned)image->pixels[i] + other->pixels[i];
        image->pixels[i] = (uint8_t)(sum < 255 ? sum : 255);
    }
}

void image_scale(struct image *image, const float factors[4])
{
    for (size_t i = 0; i < texel_count(image) * 4; i++)
        image->pixels[i] = to_byte((float)image->pixels[i] * factors[i % 4]);
}

void image_invert_alpha(struct image *image)
{
    for (size_t i = 0; i < texel_count(image); i++)
        image->pixels[i * 4 + 3] = (uint8_t)(255 - image->pixels[i * 4 + 3]);
}

void image_invert_color(struct image *image)
{
    for (size_t i = 0; i < texel_count(image) * 4; i++)
        if (i % 4 < 3)
            image->pixels[i] = (uint8_t)(255 - image->pixels[i]);
}

void image_make_intensity(struct image *image)
{
    for (size_t i = 0; i < texel_count(image); i++)
        memset(image->pixels + i * 4, image->pixels[i * 4], 4);
}

void image_make_alpha(struct image *image)
{
    for (size_t i = 0; i < texel_count(image); i++) {
        uint8_t *texel = image->pixels + i * 4;
        texel[3] = (uint8_t)((texel[0] + texel[1] + texel[2]) / 3);
        texel[0] = texel[1] = texel[2] = 255;
    }
}

/* -- Size -------------------------------------------------------------------------------------------------- */

/* Two neighbouring texels along one side, and how much the second counts. */
struct taps {
    uint32_t first, second;
    float weight;
};

static struct taps taps_of(uint32_t at, uint32_t size, uint32_t from_size)
{
    float place = ((float)at + 0.5f) * (float)from_size / (float)size - 0.5f;
    float below = floorf(place);
    uint32_t first = below < 0 ? from_size - 1 : (uint32_t)below % from_size;
    return (struct taps){first, (first + 1) % from_size, place - below};
}

int image_resize(struct image *image, uint32_t width, uint32_t height, struct error *err)
{
    if (image->width == width && image->height == height)
        return 0;
    struct image resized;
    if (image_init(&resized, width, height, err) < 0)
        return -1;
    resized.has_alpha = image->has_alpha;
    size_t stride = (size_t)image->width * 4;
    uint8_t *out = resized.pixels;
    for (uint32_t y = 0; y < height; y++) {
        struct taps down = taps_of(y, height, image->height);
        const uint8_t *row = image->pixels + down.first * stride, *next = image->pixels + down.second * stride;
        for (uint32_t x = 0; x < width; x++) {
            struct taps across = taps_of(x, width, image->width);
            for (int i = 0; i < 4; i++) {
                float above =
                    row[across.first * 4 + i] * (1 - across.weight) + row[across.second * 4 + i] * across.weight;
                float below =
                    next[across.first * 4 + i] * (1 - across.weight) + next[across.second * 4 + i] * across.weight;
                *out++ = to_byte(above * (1 - down.weight) + below * down.weight);
            }
        }
    }
    image_release(image);
    *image = resized;
    return 0;
}

/* -- Size in linear light ---------------------------------------------------------------------------------- */

enum { CHANNELS = 4 };

/* One line of pixels in another length. Steps are in floats, from a pixel of a line to the next. */
static void scale_line(const float *from, size_t from_step, uint32_t from_count, float *to, size_t to_step,
                       uint32_t to_count)
{
    double ratio = (double)from_count / to_count, reach = ratio > 1 ? ratio : 1;
    for (uint32_t i = 0; i < to_count; i++) {
        double middle = (i + 0.5) * ratio - 0.5, sum = 0, total[CHANNELS] = {0};
        double first = ceil(middle - reach), last = floor(middle + reach);
        uint32_t begin = first > 0 ? (uint32_t)first : 0;
        uint32_t end = last < from_count - 1 ? (uint32_t)last : from_count - 1;
        for (uint32_t at = begin; at <= end; at++) {
            double weight = 1 - fabs(at - middle) / reach;
            sum += weight;
            for (int c = 0; c < CHANNELS; c++)
                total[c] += weight * from[at * from_step + (size_t)c];
        }
        for (int c = 0; c < CHANNELS; c++)
            to[i * to_step + (size_t)c] = (float)(total[c] / sum);
    }
}

int scale_pixels(const uint8_t *from, const uint32_t from_px[2], uint8_t *to, const uint32_t to_px[2],
                 struct error *err)
{
    size_t from_row = (size_t)from_px[0] * CHANNELS, row = (size_t)to_px[0] * CHANNELS;
    float *line = memory_alloc(from_row, sizeof *line, err);
    float *narrow = line ? memory_alloc(from_px[1], row * sizeof *narrow, err) : NULL; /* or wide */
    float *column = narrow ? memory_alloc(to_px[1], CHANNELS * sizeof *column, err) : NULL;
    for (uint32_t y = 0; column && y < from_px[1]; y++) {
        for (size_t i = 0; i < from_row; i += CHANNELS) {
            const uint8_t *pixel = from + y * from_row + i;
            line[i + 3] = (float)pixel[3] / 255;
            for (size_t c = 0; c < 3; c++)
                line[i + c] = srgb_to_linear[pixel[c]] * line[i + 3];
        }
        scale_line(line, CHANNELS, from_px[0], narrow + y * row, CHANNELS, to_px[0]);
    }
    for (uint32_t x = 0; column && x < to_px[0]; x++) {
        scale_line(narrow + (size_t)x * CHANNELS, row, from_px[1], column, CHANNELS, to_px[1]);
        for (uint32_t y = 0; y < to_px[1]; y++) {
            const float *pixel = column + (size_t)y * CHANNELS;
            uint8_t *out = to + y * row + (size_t)x * CHANNELS;
            out[3] = (uint8_t)(pixel[3] * 255 + 0.5f);
            for (int c = 0; c < 3; c++)
                out[c] = out[3] ? srgb_from_linear(pixel[c] / pixel[3]) : 0;
        }
    }
    int result = column ? 0 : -1;
    free(column);
    free(narrow);
    free(line);
    return result;
}
