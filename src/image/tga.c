/* Truevision TGA, little-endian, no magic number:
 *
 *   0 u8  id_length          bytes of free text between header and colour map
 *   1 u8  color_map_type     0 none, 1 present (also, unused, in pictures without indices)
 *   2 u8  image_type         1 indices, 2 colours, 3 greys; 9, 10 and 11 the same run-length encoded
 *   3 u16 color_map_first    index of the first entry stored
 *   5 u16 color_map_length
 *   7 u8  color_map_depth    15, 16, 24 or 32 bits
 *   8 u16 x_origin, u16 y_origin
 *  12 u16 width, u16 height
 *  16 u8  pixel_depth
 *  17 u8  descriptor         bits 0-3 alpha bits, 4 columns from the right, 5 rows from the top, 6-7 interleaving
 *
 * then the id, the colour map and the pixels. Colours are stored as blue, green, red, alpha. */
#include "image/image_format.h"

#include <string.h>

#include "base/memory.h"

enum {
    HEADER_SIZE = 18,
    INDICES = 1,
    COLORS = 2,
    GREYS = 3,
    RUN_LENGTH = 8,
    FROM_RIGHT = 0x10,
    FROM_TOP = 0x20,
    INTERLEAVING = 0xc0,
    RUN_MAX = 128,
};

struct tga {
    struct cursor cursor;
    uint8_t id_length, color_map_type, image_type, color_map_depth, pixel_depth, descriptor;
    uint16_t color_map_first, color_map_length, width, height;
    const uint8_t *color_map; /* borrowed from the file */
    size_t pixel_size;        /* bytes */
};

static struct tga read_header(struct bytes bytes)
{
    struct tga tga = {.cursor = cursor_at(bytes, 0)};
    struct cursor *cursor = &tga.cursor;
    tga.id_length = cursor_u8(cursor);
    tga.color_map_type = cursor_u8(cursor);
    tga.image_type = cursor_u8(cursor);
    tga.color_map_first = cursor_u16(cursor);
    tga.color_map_length = cursor_u16(cursor);
    tga.color_map_depth = cursor_u8(cursor);
    cursor_take(cursor, 4);
    tga.width = cursor_u16(cursor);
    tga.height = cursor_u16(cursor);
    tga.pixel_depth = cursor_u8(cursor);
    tga.descriptor = cursor_u8(cursor);
    tga.pixel_size = (tga.pixel_depth + 7u) / 8;
    return tga;
}

static unsigned kind_of(const struct tga *tga)
{
    return tga->image_type & ~(unsigned)RUN_LENGTH;
}

static bool is_color_depth(unsigned depth)
{
    return depth == 15 || depth == 16 || depth == 24 || depth == 32;
}

/* Greys of 16 bits are a grey and an alpha. */
static int check_header(const struct tga *tga, struct error *err)
{
    unsigned kind = kind_of(tga), depth = tga->pixel_depth;
    if (tga->cursor.overrun)
        return error_set(err, "%zu bytes, the header alone has %d", tga->cursor.bytes.size, HEADER_SIZE);
    if (kind < INDICES || kind > GREYS)
        return error_set(err, "image type %u, must be 1, 2, 3, 9, 10 or 11", tga->image_type);
    if (tga->color_map_type > 1 || (kind == INDICES && tga->color_map_type == 0))
        return error_set(err, "color map type %u with image type %u, must be %s", tga->color_map_type,
                         tga->image_type, kind == INDICES ? "1" : "0 or 1");
    if (kind == COLORS ? !is_color_depth(depth) : depth != 8 && depth != 16)
        return error_set(err, "%u bits per pixel with image type %u, must be %s", depth, tga->image_type,
                         kind == COLORS ? "15, 16, 24 or 32" : "8 or 16");
    if (tga->descriptor & INTERLEAVING)
        return error_set(err, "interleaved rows (descriptor 0x%02x) are not supported", tga->descriptor);
    if (kind == INDICES && !is_color_depth(tga->color_map_depth))
        return error_set(err, "%u bits per color map entry, must be 15, 16, 24 or 32", tga->color_map_depth);
    return 0;
}

static uint8_t expand_5_bits(unsigned value)
{
    value &= 31;
    return (uint8_t)(value << 3 | value >> 2);
}

static void store_color(const uint8_t *data, unsigned depth, bool alpha_bit, uint8_t *pixel)
{
    if (depth <= 16) {
        unsigned value = data[0] | (unsigned)data[1] << 8;
        pixel[0] = expand_5_bits(value >> 10);
        pixel[1] = expand_5_bits(value >> 5);
        pixel[2] = expand_5_bits(value);
        pixel[3] = depth == 16 && alpha_bit && !(value & 0x8000) ? 0 : 255;
        return;
    }
    pixel[0] = data[2];
    pixel[1] = data[1];
    pixel[2] = data[0];
    pixel[3] = depth == 32 ? data[3] : 255;
}

/* One stored pixel as RGBA. The alpha of 16-bit colours counts only where the header declares it, because many
 * writers leave that bit 0; that of 32-bit colours counts even undeclared, because many forget to declare it. */
static int store_pixel(const struct tga *tga, const uint8_t *data, uint8_t *pixel, struct error *err)
{
    bool alpha_bit = tga->descriptor & 15;
    if (kind_of(tga) == COLORS) {
        store_color(data, tga->pixel_depth, alpha_bit, pixel);
        return 0;
    }
    if (kind_of(tga) == GREYS) {
        memset(pixel, data[0], 3);
        pixel[3] = tga->pixel_size == 2 ? data[1] : 255;
        return 0;
    }
    unsigned index = tga->pixel_size == 2 ? data[0] | (unsigned)data[1] << 8 : data[0];
    unsigned first = tga->color_map_first, length = tga->color_map_length;
    if (index < first || index - first >= length)
        return error_set(err, "a pixel has color %u, the color map holds %u from %u", index, length, first);
    size_t entry_size = (tga->color_map_depth + 7u) / 8;
    store_color(tga->color_map + (index - first) * entry_size, tga->color_map_depth, alpha_bit, pixel);
    return 0;
}

static int fail_at_end(const struct tga *tga, size_t done, size_t count, struct error *err)
{
    return error_set(err, "the file ends at byte %zu, inside pixel %zu of %zu", tga->cursor.bytes.size, done,
                     count);
}

/* A run-length stream is made of packets: a pixel to repeat, or so many plain pixels. Packets do not care where a row
 * ends. Without one, all pixels are as one plain packet. */
static int read_pixels(struct tga *tga, uint8_t *pixels, size_t count, struct error *err)
{
    bool packed = tga->image_type & RUN_LENGTH;
    size_t whole = cursor_left(&tga->cursor) / tga->pixel_size;
    if (!packed && whole < count)
        return fail_at_end(tga, whole, count, err);
    for (size_t done = 0, length = count; done < count; done += length) {
        bool repeat = false;
        if (packed) {
            size_t at = tga->cursor.at;
            uint8_t head = cursor_u8(&tga->cursor);
            length = (head & 127u) + 1;
            repeat = head & 128;
            if (tga->cursor.overrun)
                return fail_at_end(tga, done, count, err);
            if (length > count - done)
                return error_set(err, "a run of %zu pixels at byte %zu, only %zu are left", length, at,
                                 count - done);
        }
        size_t stored = repeat ? 1 : length;
        const uint8_t *data = cursor_take(&tga->cursor, stored * tga->pixel_size);
        uint8_t *out = pixels + done * 4;
        if (!data)
            return fail_at_end(tga, done, count, err);
        for (size_t i = 0; i < stored; i++)
            if (store_pixel(tga, data + i * tga->pixel_size, out + i * 4, err) < 0)
                return -1;
        for (size_t i = stored; i < length; i++)
            memcpy(out + i * 4, out, 4);
    }
    return 0;
}

/* Turns the order of `count` items of `size` bytes around. */
static void reverse(uint8_t *items, size_t count, size_t size)
{
    uint8_t *first = items, *last = items + (count - 1) * size;
    for (; first < last; first += size, last -= size)
        for (size_t i = 0; i < size; i++) {
            uint8_t kept = first[i];
            first[i] = last[i];
            last[i] = kept;
        }
}

static bool tga_matches(struct bytes bytes)
{
    struct tga tga = read_header(bytes);
    struct error ignored;
    return check_header(&tga, &ignored) == 0;
}

static int tga_load(struct bytes bytes, struct image *image, struct error *err)
{
    struct tga tga = read_header(bytes);
    if (check_header(&tga, err) < 0)
        return -1;
    size_t map_size = tga.color_map_type ? (size_t)tga.color_map_length * ((tga.color_map_depth + 7u) / 8) : 0;
    cursor_take(&tga.cursor, tga.id_length);
    size_t map_at = tga.cursor.at;
    tga.color_map = cursor_take(&tga.cursor, map_size);
    if (tga.cursor.overrun)
        return error_set(err, "a color map of %zu bytes from byte %zu, the file has %zu", map_size, map_at,
                         bytes.size);
    bool packed = tga.image_type & RUN_LENGTH;
    if (image_init_packed(image, tga.width, tga.height, cursor_left(&tga.cursor), packed ? RUN_MAX : 1, err) < 0 ||
        read_pixels(&tga, image->pixels, (size_t)tga.width * tga.height, err) < 0)
        return -1;

    size_t stride = (size_t)image->width * 4;
    if (!(tga.descriptor & FROM_TOP))
        reverse(image->pixels, image->height, stride);
    for (uint32_t y = 0; tga.descriptor & FROM_RIGHT && y < image->height; y++)
        reverse(image->pixels + y * stride, image->width, 4);
    image_drop_empty_alpha(image);
    return 0;
}

int tga_save(const uint8_t *pixels, uint32_t width, uint32_t height, uint32_t channels, struct blob *out,
             struct error *err)
{
    if (width > UINT16_MAX || height > UINT16_MAX)
        return error_set(err, "%u x %u pixels (a side has at most %d)", width, height, UINT16_MAX);
    const uint8_t header[HEADER_SIZE] = {
        [2] = COLORS,
        [12] = width & 255,
        [13] = (uint8_t)(width >> 8),
        [14] = height & 255,
        [15] = (uint8_t)(height >> 8),
        [16] = (uint8_t)(8 * channels),
        [17] = FROM_TOP | (channels == 4 ? 8 : 0), /* and the bits of alpha */
    };
    const size_t size = (size_t)width * height * channels;
    struct blob blob = {memory_alloc(sizeof header + size, 1, err), sizeof header + size};
    if (!blob.data)
        return -1;
    memcpy(blob.data, header, sizeof header);
    memcpy(blob.data + sizeof header, pixels, size);
    *out = blob;
    return 0;
}

const struct image_format tga_format = {"TGA", {".tga"}, NULL, tga_matches, tga_load};
