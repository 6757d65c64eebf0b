#include "image/image.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "image/srgb.h"

size_t image_pixel_count(const struct image *image)
{
    return (size_t)image->width * image->height;
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

void image_update_alpha(struct image *image)
{
    size_t count = image_pixel_count(image), low = 0, between = 0;
    uint8_t common = 255;
    for (size_t i = 0; i < count; i++)
        common &= image->pixels[4 * i + 3];
    for (size_t i = 0; i < count && common < 255; i++) { /* most pictures are opaque */
        uint8_t alpha = image->pixels[4 * i + 3];
        low += alpha < 128;
        between += alpha >= 8 && alpha < 248;
    }
    image->has_alpha = common < 255;
    /* Of 90 skins with holes in ufoai-data and cube2-data, soft edges of leaves included, 87 have less than a fifth.
     * No colour map with gloss or heights in alpha has less than two fifths. */
    image->alpha_is_mask = low > 0 && low < count && between <= count / 5;
}

void image_drop_empty_alpha(struct image *image)
{
    size_t count = image_pixel_count(image);
    uint8_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= image->pixels[4 * i + 3];
    for (size_t i = 0; !any && i < count; i++)
        image->pixels[4 * i + 3] = 255;
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
