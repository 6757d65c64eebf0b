/* Windows and OS/2 bitmaps, little-endian:
 *
 *   0 "BM", u32 file size (often wrong), u32 reserved, u32 data_offset of the pixels
 *  14 u32 header_size: 12 is OS/2 1, which goes on with
 *  18 u16 width, u16 height, u16 planes, u16 bit_count
 *     and 40 or more is Windows (40, 52, 56, 108, 124) or OS/2 2 (64), which go on with
 *  18 i32 width, i32 height (negative: rows from the top), u16 planes, u16 bit_count
 *  30 u32 compression, u32 size of the pixels, i32 x, i32 y resolution
 *  46 u32 colors_used (0: as many as bit_count allows), u32 colors important
 *  54 u32 masks of red, green, blue and (header_size 56 and more, or compression 6) alpha: part of a larger
 *     header, or following one of 40 bytes when the compression says so
 *
 * then the palette of blue, green, red, unused (in OS/2 1 without the last). Rows start at the bottom and are
 * padded to 4 bytes. */
#include "image/image_format.h"

#include <string.h>

enum compression { PLAIN = 0, RLE8 = 1, RLE4 = 2, BIT_FIELDS = 3, ALPHA_BIT_FIELDS = 6 };
enum { FILE_HEADER_SIZE = 14, CORE_HEADER_SIZE = 12, MASKS_OFFSET = 54, OS2_HEADER_SIZE = 64 };

struct bmp {
    struct bytes bytes;
    uint32_t data_offset, header_size, compression, colors_used;
    int64_t width, height;
    uint16_t bit_count;
    struct pixel_masks masks; /* of 16 and more bits a pixel */
    const uint8_t *palette;   /* borrowed from the file */
    uint32_t palette_count;
    size_t palette_entry_size;
};

static int read_header(struct bytes bytes, struct bmp *bmp, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 10);
    bmp->bytes = bytes;
    bmp->data_offset = cursor_u32(&cursor);
    bmp->header_size = cursor_u32(&cursor);
    bool core = bmp->header_size == CORE_HEADER_SIZE;
    bmp->width = core ? cursor_u16(&cursor) : cursor_i32(&cursor);
    bmp->height = core ? cursor_u16(&cursor) : cursor_i32(&cursor);
    cursor_u16(&cursor);
    bmp->bit_count = cursor_u16(&cursor);
    if (!core) {
        bmp->compression = cursor_u32(&cursor);
        cursor_take(&cursor, 12);
        bmp->colors_used = cursor_u32(&cursor);
        cursor_u32(&cursor);
    }
    if (cursor.overrun)
        return error_set(err, "the file ends at byte %zu, inside the header", bytes.size);
    return 0;
}

static int check_header(const struct bmp *bmp, struct error *err)
{
    static const uint32_t sizes[] = {CORE_HEADER_SIZE, 40, 52, 56, OS2_HEADER_SIZE, 108, 124};
    size_t i = 0, count = sizeof sizes / sizeof *sizes;
    while (i < count && sizes[i] != bmp->header_size)
        i++;
    if (i == count)
        return error_set(err, "a header of %u bytes, must be 12, 40, 52, 56, 64, 108 or 124", bmp->header_size);

    unsigned bits = bmp->bit_count;
    if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32)
        return error_set(err, "%u bits per pixel, must be 1, 4, 8, 16, 24 or 32", bits);
    bool fields = bmp->compression == BIT_FIELDS || bmp->compression == ALPHA_BIT_FIELDS;
    bool known = bmp->compression == PLAIN || (bmp->compression == RLE8 && bits == 8) ||
                 (bmp->compression == RLE4 && bits == 4) ||
                 (fields && bits % 16 == 0 && bmp->header_size != OS2_HEADER_SIZE);
    if (!known)
        return error_set(err,
                         "compression %u with %u bits per pixel, must be 0, 1 with 8 bits, 2 with 4, or 3 or 6 "
                         "with 16 or 32",
                         bmp->compression, bits);
    if (bmp->width <= 0 || bmp->height == 0)
        return error_set(err, "a picture of %lld x %lld pixels, each side must be 1 to %d", (long long)bmp->width,
                         (long long)bmp->height, IMAGE_MAX_SIDE);
    return 0;
}

static int read_masks(struct bmp *bmp, struct error *err)
{
    struct pixel_masks masks = {bmp->bit_count, 0xff0000, 0xff00, 0xff, bmp->bit_count == 32 ? 0xff000000 : 0};
    if (bmp->bit_count == 16)
        masks = (struct pixel_masks){16, 0x7c00, 0x3e0, 0x1f, 0};
    if (bmp->compression == BIT_FIELDS || bmp->compression == ALPHA_BIT_FIELDS) {
        struct cursor cursor = cursor_at(bmp->bytes, MASKS_OFFSET);
        masks.red = cursor_u32(&cursor);
        masks.green = cursor_u32(&cursor);
        masks.blue = cursor_u32(&cursor);
        masks.alpha = bmp->header_size >= 56 || bmp->compression == ALPHA_BIT_FIELDS ? cursor_u32(&cursor) : 0;
        if (cursor.overrun)
            return error_set(err, "the file ends at byte %zu, inside the channel masks", bmp->bytes.size);
    }
    bmp->masks = masks;
    return 0;
}

/* The palette may be shorter than bit_count allows, and is then also cut by where the pixels start. */
static int read_palette(struct bmp *bmp, struct error *err)
{
    if (bmp->bit_count > 8)
        return 0;
    bmp->palette_entry_size = bmp->header_size == CORE_HEADER_SIZE ? 3 : 4;
    size_t offset = FILE_HEADER_SIZE + (size_t)bmp->header_size;
    uint32_t most = 1u << bmp->bit_count;
    bmp->palette_count = bmp->colors_used && bmp->colors_used < most ? bmp->colors_used : most;
    if (bmp->data_offset > offset) {
        size_t room = (bmp->data_offset - offset) / bmp->palette_entry_size;
        if (room < bmp->palette_count)
            bmp->palette_count = (uint32_t)room;
    }
    if (!bytes_hold(bmp->bytes, offset, bmp->palette_count, bmp->palette_entry_size))
        return error_set(err, "a palette of %u colors from byte %zu, the file has %zu", bmp->palette_count, offset,
                         bmp->bytes.size);
    bmp->palette = bmp->bytes.data + offset;
    return 0;
}

static uint8_t *row_of(const struct bmp *bmp, const struct image *image, uint32_t row)
{
    uint32_t y = bmp->height < 0 ? row : image->height - 1 - row;
    return image->pixels + (size_t)y * image->width * 4;
}

/* Unpacks `count` indices into the first channel of their pixels, where they wait for the palette. */
static void store_indices(const struct bmp *bmp, const uint8_t *data, uint8_t *pixels, uint32_t count)
{
    unsigned bits = bmp->bit_count, per_byte = 8 / bits, mask = (1u << bits) - 1;
    for (uint32_t x = 0; x < count; x++)
        pixels[(size_t)x * 4] = (uint8_t)(data[x / per_byte] >> (per_byte - 1 - x % per_byte) * bits & mask);
}

static int apply_palette(const struct bmp *bmp, struct image *image, struct error *err)
{
    uint8_t *end = image->pixels + image_pixel_count(image) * 4;
    for (uint8_t *pixel = image->pixels; pixel < end; pixel += 4) {
        if (pixel[0] >= bmp->palette_count)
            return error_set(err, "a pixel has color %u of %u", pixel[0], bmp->palette_count);
        const uint8_t *entry = bmp->palette + pixel[0] * bmp->palette_entry_size;
        pixel[0] = entry[2];
        pixel[1] = entry[1];
        pixel[2] = entry[0];
        pixel[3] = 255;
    }
    return 0;
}

static int read_plain(const struct bmp *bmp, struct image *image, struct error *err)
{
    struct cursor cursor = cursor_at(bmp->bytes, bmp->data_offset);
    size_t used = ((size_t)image->width * bmp->bit_count + 7) / 8, padding = -used & 3;
    for (uint32_t row = 0; row < image->height; row++) {
        const uint8_t *data = cursor_take(&cursor, used);
        if (!data)
            return error_set(err, "the file ends at byte %zu, inside row %u of %u", bmp->bytes.size, row,
                             image->height);
        if (bmp->bit_count <= 8)
            store_indices(bmp, data, row_of(bmp, image, row), image->width);
        else
            masks_read(&bmp->masks, data, image->width, row_of(bmp, image, row));
        cursor_take(&cursor, padding); /* which the last row may lack */
    }
    return 0;
}

enum command { END_OF_ROW = 0, END_OF_PICTURE = 1, MOVE = 2 };

/* A run-length stream is pairs of bytes: a count and indices to repeat, or, after a count of 0, a command, or the number
 * of indices that follow, padded to 2 bytes. Indices are packed as in a plain row. Pixels that the stream jumps over have
 * color 0. Some writers encode the padding of rows as well; what does not fit into the row is dropped. */
static int read_runs(const struct bmp *bmp, struct image *image, struct error *err)
{
    struct cursor cursor = cursor_at(bmp->bytes, bmp->data_offset);
    uint32_t x = 0,
             row = 0; /* of the next pixel; x may stand behind the last of a row, row behind the last of all */
    for (;;) {
        unsigned count = cursor_u8(&cursor), value = cursor_u8(&cursor);
        uint8_t repeated[UINT8_MAX];
        const uint8_t *data = memset(repeated, (int)value, sizeof repeated);
        bool is_command = count == 0 && value <= MOVE, is_move = is_command && value == MOVE;
        if (is_command && value == END_OF_PICTURE)
            return 0;
        if (cursor.overrun)
            break;
        if (is_move) {
            x += cursor_u8(&cursor);
            row += cursor_u8(&cursor);
        } else if (is_command) {
            x = 0;
            row++;
        } else if (count == 0) {
            size_t size = (value * bmp->bit_count + 7) / 8;
            count = value;
            data = cursor_take(&cursor, size);
            cursor_take(&cursor, size % 2);
        }
        if (cursor.overrun)
            break;
        if (is_move ? x > image->width || row > image->height : !is_command && row >= image->height)
            return error_set(err, "a %s before byte %zu leaves the picture of %u x %u, at column %u of row %u",
                             is_move ? "move" : "run", cursor.at, image->width, image->height, x, row);
        if (!is_command) {
            uint32_t room = image->width - x, fitting = count < room ? count : room;
            store_indices(bmp, data, row_of(bmp, image, row) + (size_t)x * 4, fitting);
            x += fitting;
        }
    }
    return row >= image->height ? 0
                                : error_set(err, "the file ends at byte %zu, inside row %u of %u", bmp->bytes.size,
                                            row, image->height);
}

static int bmp_load(struct bytes bytes, struct image *image, struct error *err)
{
    struct bmp bmp = {0};
    if (read_header(bytes, &bmp, err) || check_header(&bmp, err) || read_masks(&bmp, err) ||
        read_palette(&bmp, err))
        return -1;
    if (bmp.data_offset > bytes.size)
        return error_set(err, "pixels from byte %u, the file has %zu", bmp.data_offset, bytes.size);

    /* A plain byte has 8 pixels of 1 bit at most; two run-length bytes make a run of at most 255. */
    bool runs = bmp.compression == RLE8 || bmp.compression == RLE4;
    int64_t height = bmp.height < 0 ? -bmp.height : bmp.height;
    if (image_init_packed(image, (uint32_t)bmp.width, (uint32_t)height, bytes.size - bmp.data_offset,
                          runs ? 128 : 8, err) ||
        (runs ? read_runs : read_plain)(&bmp, image, err) ||
        (bmp.bit_count <= 8 && apply_palette(&bmp, image, err)))
        return -1;
    image_drop_empty_alpha(image);
    return 0;
}

const struct image_format bmp_format = {"BMP", {".bmp"}, "BM", NULL, bmp_load};
