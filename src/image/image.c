#include "image/image.h"
#include "image/image_format.h"

#include <stdlib.h>

#include "base/memory.h"

/* TGA stays last: it has no magic number and is taken for any plausible header. */
static const struct image_format *const formats[] = {
    &png_format, &jpeg_format, &dds_format, &bmp_format, &pcx_format, &tga_format,
};

static const struct image_format *find_format(struct bytes bytes)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i]->matches(bytes))
            return formats[i];
    return NULL;
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
    size_t size = (size_t)image->width * image->height * 4;
    *all = 255;
    *any = 0;
    for (size_t i = 3; i < size; i += 4) {
        *all &= image->pixels[i];
        *any |= image->pixels[i];
    }
}

/* docs/formats.md says where the fifth comes from. */
static bool is_mask(const struct image *image)
{
    size_t count = (size_t)image->width * image->height, low = 0, between = 0;
    for (size_t i = 0; i < count; i++) {
        uint8_t alpha = image->pixels[4 * i + 3];
        low += alpha < 128;
        between += alpha >= 8 && alpha < 248;
    }
    return low > 0 && low < count && between <= count / 5;
}

void image_update_alpha(struct image *image)
{
    uint8_t all, any;
    fold_alpha(image, &all, &any);
    image->has_alpha = all != 255;
    image->alpha_is_mask = image->has_alpha && is_mask(image);
}

void image_drop_empty_alpha(struct image *image)
{
    uint8_t all, any;
    fold_alpha(image, &all, &any);
    size_t size = (size_t)image->width * image->height * 4;
    for (size_t i = 3; !any && i < size; i += 4)
        image->pixels[i] = 255;
}

int image_load(struct bytes bytes, struct image *out, struct error *err)
{
    const struct image_format *format = find_format(bytes);
    if (!format)
        return error_set(err, "%zu bytes that are no PNG, JPEG, DDS, BMP, PCX or TGA picture", bytes.size);

    struct image image = {0};
    if (format->load(bytes, &image, err)) {
        image_release(&image);
        return error_add(err, "%s", format->name);
    }
    image_update_alpha(&image);
    *out = image;
    return 0;
}
