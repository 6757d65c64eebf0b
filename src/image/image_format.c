#include "image/image_format.h"

#include <strings.h>

#include "base/buffer.h"

static const struct image_format *const formats[] = {
#define X(format) &format,
    IMAGE_FORMATS(X)
#undef X
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const char *image_suffix(size_t i)
{
    for (size_t format = 0; format < FORMAT_COUNT; format++)
        for (const char *const *suffix = formats[format]->suffixes; *suffix; suffix++)
            if (i-- == 0)
                return *suffix;
    return NULL;
}

bool image_has_suffix(const char *suffix)
{
    for (size_t i = 0; image_suffix(i); i++)
        if (!strcasecmp(suffix, image_suffix(i)))
            return true;
    return false;
}

bool image_is_in(struct bytes bytes, const struct image_format *format)
{
    return format->magic ? bytes_start_with(bytes, format->magic) : format->matches(bytes);
}

int image_load(struct bytes bytes, struct image *out, struct error *err)
{
    size_t number = FORMAT_COUNT;
    if (bytes.size == 0)
        return error_set(err, "the file is empty");
    if (bytes_start_with(bytes, "\xABKTX 20\xBB"))
        return error_set(err, "pictures in KTX2 are not read");
    while (number > 0 && !image_is_in(bytes, formats[number - 1]))
        number--;
    if (number == 0) {
        struct buffer names = {0};
        for (size_t i = 0; i < FORMAT_COUNT; i++)
            buffer_printf(&names, "%s%s", i == 0 ? "" : i + 1 < FORMAT_COUNT ? ", " : " or ", formats[i]->name);
        error_set(err, "%zu bytes that are not a picture in %s", bytes.size, names.text);
        buffer_release(&names);
        return -1;
    }

    struct image image = {0};
    if (formats[number - 1]->load(bytes, &image, err) < 0) {
        image_release(&image);
        return error_add(err, "%s", formats[number - 1]->name);
    }
    image_update_alpha(&image);
    *out = image;
    return 0;
}

void masks_read(const struct pixel_masks *masks, const uint8_t *data, size_t count, uint8_t *pixels)
{
    const uint8_t color = masks->red || masks->green || masks->blue ? 0 : 255;
    const uint8_t missing[4] = {color, color, color, 255};
    const uint32_t channels[4] = {masks->red, masks->green, masks->blue, masks->alpha};
    unsigned shifts[4];
    for (int i = 0; i < 4; i++)
        shifts[i] = channels[i] ? (unsigned)__builtin_ctz(channels[i]) : 0;
    size_t size = masks->bits / 8;
    for (; count-- > 0; data += size, pixels += 4) {
        uint32_t pixel = 0;
        for (size_t i = 0; i < size; i++)
            pixel |= (uint32_t)data[i] << i * 8;
        for (int i = 0; i < 4; i++) {
            uint64_t max = channels[i] >> shifts[i], value = (pixel & channels[i]) >> shifts[i];
            pixels[i] = max == 0     ? missing[i]
                        : max == 255 ? (uint8_t)value
                                     : (uint8_t)((value * 255 + max / 2) / max);
        }
    }
}
