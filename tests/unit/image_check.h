/* What the tests of the picture formats share: a file under construction, and the checks that each format must
 * pass. Functions are static inline, so that a test need not use all of them. */
#ifndef IMAGE_CHECK_H
#define IMAGE_CHECK_H

#include "image/image_format.h"
#include "test.h"

struct file {
    uint8_t data[1 << 16];
    size_t size;
};

static inline void put(struct file *file, const void *data, size_t size)
{
    assert_true(size <= sizeof file->data - file->size);
    memcpy(file->data + file->size, data, size);
    file->size += size;
}

static inline void put_u8(struct file *file, unsigned value)
{
    put(file, &(uint8_t){(uint8_t)value}, 1);
}

static inline void put_u16(struct file *file, unsigned value)
{
    put_u8(file, value & 255);
    put_u8(file, value >> 8 & 255);
}

static inline void put_u32(struct file *file, uint32_t value)
{
    put_u16(file, value & 65535);
    put_u16(file, value >> 16);
}

static inline void put_zeros(struct file *file, size_t count)
{
    while (count-- > 0)
        put_u8(file, 0);
}

/* From a copy of exactly that size, so that ASan sees a read past the end. */
static inline int load_bytes(const uint8_t *data, size_t size, struct image *out, struct error *err)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, data, size);
    int result = image_load((struct bytes){copy, size}, out, err);
    free(copy);
    return result;
}

static inline struct image must_load(const struct file *file)
{
    struct image image = {0};
    struct error err = {""};
    if (load_bytes(file->data, file->size, &image, &err))
        fail_msg("%s", err.text);
    return image;
}

static inline uint32_t pixel(const struct image *image, uint32_t x, uint32_t y)
{
    const uint8_t *p = image->pixels + ((size_t)y * image->width + x) * 4;
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The whole picture, row by row, as 0xRRGGBBAA; and whether has_alpha tells the truth about it. */
static inline void check_picture(const struct file *file, uint32_t width, uint32_t height, const uint32_t *pixels)
{
    struct image image = must_load(file);
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    bool has_alpha = false;
    for (uint32_t i = 0; i < width * height; i++) {
        if (pixel(&image, i % width, i / width) != pixels[i])
            fail_msg("pixel %u,%u is %08x, not %08x", i % width, i / width, pixel(&image, i % width, i / width),
                     pixels[i]);
        has_alpha |= (pixels[i] & 255) != 255;
    }
    assert_int_equal(image.has_alpha, has_alpha);
    image_release(&image);
}

#define CHECK_PICTURE(file, width, height, ...)                                                                   \
    check_picture(file, width, height, (const uint32_t[(width) * (height)]){__VA_ARGS__})

static inline void check_error(const struct file *file, const char *part)
{
    struct image image = {0};
    struct error err = {""};
    assert_int_equal(load_bytes(file->data, file->size, &image, &err), -1);
    assert_null(image.pixels);
    if (!strstr(err.text, part))
        fail_msg("'%s' does not say '%s'", err.text, part);
}

/* Whatever the bytes are: a picture, or a message. Returns what image_load did. */
static inline int check_survives(const uint8_t *data, size_t size)
{
    struct image image = {0};
    struct error err = {""};
    int result = load_bytes(data, size, &image, &err);
    if (result) {
        assert_null(image.pixels);
        assert_true(err.text[0] != '\0');
    } else {
        assert_true(image.width >= 1 && image.height >= 1);
    }
    image_release(&image);
    return result;
}

static inline void check_fails_when_cut(const struct file *file)
{
    assert_int_equal(check_survives(file->data, file->size), 0);
    for (size_t size = 0; size < file->size; size++)
        if (check_survives(file->data, size) == 0)
            fail_msg("cut to %zu of %zu bytes it still loads", size, file->size);
}

/* A little-endian field at 0, 1, its largest value as signed and as unsigned, and the one between. */
static inline void check_extremes(const struct file *file, size_t offset, size_t size)
{
    uint64_t sign = (uint64_t)1 << (size * 8 - 1);
    const uint64_t values[] = {0, 1, sign - 1, sign, sign * 2 - 1};
    struct file changed = *file;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (size_t byte = 0; byte < size; byte++)
            changed.data[offset + byte] = (uint8_t)(values[i] >> byte * 8);
        check_survives(changed.data, changed.size);
    }
}

/* Each byte of the file, one at a time, at 0, 127, 128 and 255. */
static inline void check_survives_any_byte(const struct file *file)
{
    static const uint8_t values[] = {0, 127, 128, 255};
    struct file changed = *file;
    for (size_t at = 0; at < file->size; at++) {
        for (size_t i = 0; i < sizeof values; i++) {
            changed.data[at] = values[i];
            check_survives(changed.data, changed.size);
        }
        changed.data[at] = file->data[at];
    }
}

#endif
