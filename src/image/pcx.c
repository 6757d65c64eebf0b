/* ZSoft PCX, little-endian:
 *
 *   0 u8  manufacturer     10
 *   1 u8  version          0, 2, 3, 4 or 5
 *   2 u8  encoding         0 plain, 1 run-length
 *   3 u8  bits_per_pixel   of one plane
 *   4 u16 xmin, ymin, xmax, ymax; the last column and row belong to the picture
 *  12 u16 hdpi, vdpi
 *  16     16 colours of an EGA palette
 *  64 u8  reserved
 *  65 u8  planes
 *  66 u16 bytes_per_line   of one plane; even by the book, but odd ones exist
 *  68     not used here, up to byte 128
 *
 * then the rows from the top, each as `planes` lines of bytes_per_line. In a run-length stream a byte of 0xc0
 * and more says how often, in its lower 6 bits, the next byte repeats; runs may cross lines. A picture of one
 * plane ends with the byte 12 and 256 colours of 3 bytes. */
#include "image/image_format.h"

#include <string.h>

enum {
    HEADER_SIZE = 128,
    MANUFACTURER = 10,
    RUN_MARK = 0xc0,
    RUN_MAX = 63,
    PALETTE_MARK = 12,
    PALETTE_SIZE = 256 * 3,
};

struct pcx {
    struct cursor cursor;
    uint8_t manufacturer, version, encoding, bits_per_pixel, planes;
    uint16_t xmin, ymin, xmax, ymax, bytes_per_line;
    uint8_t run_value;
    unsigned run_left; /* how often run_value is still to come */
};

static struct pcx read_header(struct bytes bytes)
{
    struct pcx pcx = {.cursor = cursor_at(bytes, 0)};
    struct cursor *cursor = &pcx.cursor;
    pcx.manufacturer = cursor_u8(cursor);
    pcx.version = cursor_u8(cursor);
    pcx.encoding = cursor_u8(cursor);
    pcx.bits_per_pixel = cursor_u8(cursor);
    pcx.xmin = cursor_u16(cursor);
    pcx.ymin = cursor_u16(cursor);
    pcx.xmax = cursor_u16(cursor);
    pcx.ymax = cursor_u16(cursor);
    cursor_take(cursor, 65 - 12);
    pcx.planes = cursor_u8(cursor);
    pcx.bytes_per_line = cursor_u16(cursor);
    cursor_take(cursor, HEADER_SIZE - 68);
    return pcx;
}

static int check_header(const struct pcx *pcx, uint32_t width, struct error *err)
{
    if (pcx->cursor.overrun)
        return error_set(err, "%zu bytes, the header alone has %d", pcx->cursor.bytes.size, HEADER_SIZE);
    if (pcx->encoding > 1)
        return error_set(err, "encoding %u, must be 0 or 1", pcx->encoding);
    if (pcx->bits_per_pixel != 8 || (pcx->planes != 1 && pcx->planes != 3 && pcx->planes != 4))
        return error_set(err, "%u planes of %u bits, must be 1, 3 or 4 planes of 8 bits", pcx->planes,
                         pcx->bits_per_pixel);
    if (pcx->xmax < pcx->xmin || pcx->ymax < pcx->ymin)
        return error_set(err, "a window from %u,%u to %u,%u, which ends before it begins", pcx->xmin, pcx->ymin,
                         pcx->xmax, pcx->ymax);
    if (pcx->bytes_per_line < width)
        return error_set(err, "lines of %u bytes for %u pixels, which need a byte each", pcx->bytes_per_line,
                         width);
    return 0;
}

static uint8_t next_byte(struct pcx *pcx)
{
    while (pcx->run_left == 0 && !pcx->cursor.overrun) { /* some writers leave runs of length 0 */
        uint8_t head = cursor_u8(&pcx->cursor);
        bool is_run = pcx->encoding == 1 && (head & RUN_MARK) == RUN_MARK;
        pcx->run_left = is_run ? head & RUN_MAX : 1;
        pcx->run_value = is_run ? cursor_u8(&pcx->cursor) : head;
    }
    pcx->run_left -= pcx->run_left > 0;
    return pcx->run_value;
}

/* Plane p becomes channel p; the alpha of three planes, and all but the first channel of one, come later. */
static int read_rows(struct pcx *pcx, struct image *image, struct error *err)
{
    for (uint32_t y = 0; y < image->height; y++) {
        uint8_t *row = image->pixels + (size_t)y * image->width * 4;
        for (unsigned plane = 0; plane < pcx->planes; plane++)
            for (unsigned x = 0; x < pcx->bytes_per_line; x++) {
                uint8_t value = next_byte(pcx);
                if (x < image->width)
                    row[x * 4 + plane] = value;
            }
        if (pcx->cursor.overrun)
            return error_set(err, "the file ends at byte %zu, inside row %u of %u", pcx->cursor.bytes.size, y,
                             image->height);
    }
    return 0;
}

static bool pcx_matches(struct bytes bytes)
{
    struct pcx pcx = read_header(bytes);
    return pcx.manufacturer == MANUFACTURER && pcx.version <= 5 && pcx.version != 1 && pcx.encoding <= 1 &&
           pcx.bits_per_pixel <= 8;
}

static int pcx_load(struct bytes bytes, struct image *image, struct error *err)
{
    struct pcx pcx = read_header(bytes);
    uint32_t width = pcx.xmax - pcx.xmin + 1u, height = pcx.ymax - pcx.ymin + 1u;
    if (check_header(&pcx, width, err))
        return -1;
    /* Two bytes make a run of at most 63, and a pixel has at least one byte in each row. */
    if (image_init_packed(image, width, height, cursor_left(&pcx.cursor), RUN_MAX / 2 + 1, err) ||
        read_rows(&pcx, image, err))
        return -1;

    size_t count = (size_t)width * height;
    if (pcx.planes == 1) {
        /* The palette is at the very end, or else (in files with something appended) where the rows stopped. */
        size_t size = 1 + PALETTE_SIZE;
        const uint8_t *palette = bytes.data + pcx.cursor.at;
        if (bytes.size - pcx.cursor.at >= size && bytes.data[bytes.size - size] == PALETTE_MARK)
            palette = bytes.data + bytes.size - size;
        if (bytes.size - pcx.cursor.at < size || *palette != PALETTE_MARK)
            return error_set(
                err, "no palette (the byte 12 and 768 more) after the pixels, which end at byte %zu of %zu",
                pcx.cursor.at, bytes.size);
        for (uint8_t *pixel = image->pixels; pixel < image->pixels + count * 4; pixel += 4)
            memcpy(pixel, palette + 1 + pixel[0] * 3, 3);
    }
    for (size_t i = 0; pcx.planes < 4 && i < count; i++)
        image->pixels[i * 4 + 3] = 255;
    return 0;
}

const struct image_format pcx_format = {"PCX", {".pcx"}, NULL, pcx_matches, pcx_load};
