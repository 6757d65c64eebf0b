/* DirectDraw surfaces, little-endian:
 *
 *   0 "DDS ", u32 size of this header (124), u32 flags
 *  12 u32 height, u32 width, u32 pitch (often wrong, not used), u32 depth, u32 mip levels
 *  76 u32 size of the pixel format (32)
 *  80 u32 flags of the pixel format
 *  84     four-character code, when the flags say so
 *  88 u32 bits per pixel, u32 masks of red, green, blue, alpha, when they do not
 * 128     with the code "DX10": u32 DXGI format, and 16 bytes more
 *
 * then the pixels. Of mip levels, cube faces and slices the first comes first, and only that is read.
 *
 * Blocks are 4 x 4 pixels. Interpolated colours are rounded to the nearest; the formats leave hardware a
 * tolerance here, so other decoders may differ by one. */
#include "image/image_format.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { HEADER_SIZE = 128, DX10_HEADER_SIZE = 20, BLOCK_PIXELS = 16 };

/* Flags of the pixel format. */
enum { ALPHA_PIXELS = 1, ALPHA_ONLY = 2, FOUR_CC = 4, RGB = 0x40, LUMINANCE = 0x20000 };

/* How pixels are stored: in blocks, or plain with masks. */
struct pixel_layout {
    enum { PLAIN, BC1, BC2, BC3, BC4, BC5 } blocks;
    bool is_signed;           /* of BC4 and BC5 */
    bool is_premultiplied;    /* colours are multiplied by alpha; ours are not */
    bool has_red_as_alpha;    /* Doom 3's normal maps: alpha has the finer steps */
    struct pixel_masks masks; /* of PLAIN */
};

static const struct dds_format {
    char code[5];         /* four characters, or "" */
    uint32_t first, last; /* numbers of DXGI: typeless, linear and sRGB variants hold the same bits */
    struct pixel_layout layout;
} formats[] = {
    {"DXT1", 70, 72, {.blocks = BC1}},
    {"DXT2", 0, 0, {.blocks = BC2, .is_premultiplied = true}},
    {"DXT3", 73, 75, {.blocks = BC2}},
    {"DXT4", 0, 0, {.blocks = BC3, .is_premultiplied = true}},
    {"DXT5", 76, 78, {.blocks = BC3}},
    {"RXGB", 0, 0, {.blocks = BC3, .has_red_as_alpha = true}},
    {"ATI1", 0, 0, {.blocks = BC4}},
    {"BC4U", 79, 80, {.blocks = BC4}},
    {"BC4S", 81, 81, {.blocks = BC4, .is_signed = true}},
    {"ATI2", 0, 0, {.blocks = BC5}},
    {"BC5U", 82, 83, {.blocks = BC5}},
    {"BC5S", 84, 84, {.blocks = BC5, .is_signed = true}},
    {"", 27, 29, {.masks = {32, 0xff, 0xff00, 0xff0000, 0xff000000}}},
    {"", 61, 61, {.masks = {8, 0xff, 0xff, 0xff, 0}}},
    {"", 85, 85, {.masks = {16, 0xf800, 0x7e0, 0x1f, 0}}},
    {"", 86, 86, {.masks = {16, 0x7c00, 0x3e0, 0x1f, 0x8000}}},
    {"", 87, 87, {.masks = {32, 0xff0000, 0xff00, 0xff, 0xff000000}}},
    {"", 88, 88, {.masks = {32, 0xff0000, 0xff00, 0xff, 0}}},
    {"", 90, 91, {.masks = {32, 0xff0000, 0xff00, 0xff, 0xff000000}}},
    {"", 92, 93, {.masks = {32, 0xff0000, 0xff00, 0xff, 0}}},
    {"", 115, 115, {.masks = {16, 0xf00, 0xf0, 0xf, 0xf000}}},
};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

/* -- Blocks ------------------------------------------------------------------------------------------------ */

static uint8_t scale(unsigned value, unsigned max)
{
    return (uint8_t)((value * 255 + max / 2) / max);
}

/* Two colours of 16 bits, then 2 bits a pixel that choose one of them or of two between. BC1 may trade the last
 * for transparent black, by the order of the two colours. */
static void decode_colors(const uint8_t *block, bool may_be_transparent, uint8_t *pixels)
{
    static const unsigned shifts[3] = {11, 5, 0}, maxima[3] = {31, 63, 31};
    unsigned first = block[0] | (unsigned)block[1] << 8, second = block[2] | (unsigned)block[3] << 8;
    bool thirds = first > second || !may_be_transparent;
    uint8_t colors[4][4] = {{0, 0, 0, 255}, {0, 0, 0, 255}, {0, 0, 0, 255}, {0, 0, 0, thirds ? 255 : 0}};
    for (int i = 0; i < 3; i++) {
        unsigned max = maxima[i], a = first >> shifts[i] & max, b = second >> shifts[i] & max;
        colors[0][i] = scale(a, max);
        colors[1][i] = scale(b, max);
        colors[2][i] = thirds ? scale(2 * a + b, 3 * max) : scale(a + b, 2 * max);
        colors[3][i] = thirds ? scale(a + 2 * b, 3 * max) : 0;
    }
    for (int i = 0; i < BLOCK_PIXELS; i++)
        memcpy(pixels + i * 4, colors[block[4 + i / 4] >> i % 4 * 2 & 3], 4);
}

/* Two values of 8 bits, then 3 bits a pixel that choose one of them or of six between, or, by the order of the
 * two, of four between and both extremes. Signed values run from -127 to 127 (-128 counts as -127) and come out as
 * 0 to 255. */
static void decode_values(const uint8_t *block, bool is_signed, unsigned channel, uint8_t *pixels)
{
    unsigned range = is_signed ? 254 : 255;
    unsigned first = block[0], second = block[1];
    if (is_signed) {
        first = (first ^ 128) > 0 ? (first ^ 128) - 1 : 0;
        second = (second ^ 128) > 0 ? (second ^ 128) - 1 : 0;
    }
    unsigned steps = first > second ? 7 : 5;
    uint8_t values[8] = {scale(first, range), scale(second, range), 0, 0, 0, 0, 0, 255};
    for (unsigned i = 1; i < steps; i++)
        values[i + 1] = scale((steps - i) * first + i * second, steps * range);

    uint64_t indices = 0;
    for (unsigned i = 0; i < 6; i++)
        indices |= (uint64_t)block[2 + i] << i * 8;
    for (unsigned i = 0; i < BLOCK_PIXELS; i++)
        pixels[i * 4 + channel] = values[indices >> i * 3 & 7];
}

/* What is left to do for a pixel of a decoded block. */
static void finish_pixel(const struct pixel_layout *layout, uint8_t *pixel)
{
    if (layout->blocks == BC4) {
        /* One channel comes out as a grey. */
        pixel[1] = pixel[2] = pixel[0];
        pixel[3] = 255;
    } else if (layout->blocks == BC5) {
        /* x and y of a normal: z points outwards, and follows from its length of 1. */
        float x = pixel[0] / 127.5f - 1, y = pixel[1] / 127.5f - 1, zz = 1 - x * x - y * y;
        pixel[2] = (uint8_t)((zz > 0 ? sqrtf(zz) : 0) * 127.5f + 128);
        pixel[3] = 255;
    } else if (layout->has_red_as_alpha) {
        pixel[0] = pixel[3];
        pixel[3] = 255;
    }
    for (int i = 0; layout->is_premultiplied && i < 3 && pixel[3]; i++) {
        unsigned value = (pixel[i] * 255u + pixel[3] / 2u) / pixel[3];
        pixel[i] = (uint8_t)(value < 255 ? value : 255);
    }
}

/* To 16 pixels of RGBA, row by row. */
static void decode_block(const struct pixel_layout *layout, const uint8_t *block, uint8_t *pixels)
{
    if (layout->blocks == BC1)
        decode_colors(block, true, pixels);
    if (layout->blocks == BC2 || layout->blocks == BC3)
        decode_colors(block + 8, false, pixels);
    for (int i = 0; layout->blocks == BC2 && i < BLOCK_PIXELS; i++)
        pixels[i * 4 + 3] = (uint8_t)((block[i / 2] >> i % 2 * 4 & 15) * 17);
    if (layout->blocks >= BC3)
        decode_values(block, layout->is_signed, layout->blocks == BC3 ? 3 : 0, pixels);
    if (layout->blocks == BC5)
        decode_values(block + 8, layout->is_signed, 1, pixels);
    for (int i = 0; i < BLOCK_PIXELS; i++)
        finish_pixel(layout, pixels + i * 4);
}

/* -- The header -------------------------------------------------------------------------------------------- */

static int find_dxgi_layout(struct cursor *cursor, struct pixel_layout *out, struct error *err)
{
    uint32_t format = cursor_u32(cursor);
    cursor_take(cursor, DX10_HEADER_SIZE - 4);
    if (cursor->overrun)
        return error_set(err, "%zu bytes, the two headers alone have %d", cursor->bytes.size,
                         HEADER_SIZE + DX10_HEADER_SIZE);
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (format && format >= formats[i].first && format <= formats[i].last) {
            *out = formats[i].layout;
            return 0;
        }
    return error_set(err, "DXGI format %u is not supported: BC1 to BC5 are, and plain pixels of 8 to 32 bits",
                     format);
}

static int find_code_layout(const uint8_t *code, struct pixel_layout *out, struct error *err)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].code[0] && memcmp(code, formats[i].code, 4) == 0) {
            *out = formats[i].layout;
            return 0;
        }
    char shown[5] = {0};
    for (int i = 0; i < 4; i++)
        shown[i] = isprint(code[i]) ? (char)code[i] : '?';
    return error_set(
        err, "pixel format '%s' is not supported: DXT1 to DXT5, BC4, BC5, ATI1 and ATI2 are, and plain pixels",
        shown);
}

/* A grey is in the red mask. What a file that has only alpha means by it is its shape: white in that alpha. */
static int read_mask_layout(struct cursor *cursor, uint32_t flags, struct pixel_layout *out, struct error *err)
{
    struct pixel_layout layout = {0};
    struct pixel_masks *masks = &layout.masks;
    masks->bits = cursor_u32(cursor);
    masks->red = cursor_u32(cursor);
    masks->green = cursor_u32(cursor);
    masks->blue = cursor_u32(cursor);
    masks->alpha = cursor_u32(cursor);
    if (!(flags & (RGB | LUMINANCE | ALPHA_ONLY)))
        return error_set(err, "pixel format flags 0x%x name neither a code nor RGB, grey or alpha", flags);
    if (masks->bits != 8 && masks->bits != 16 && masks->bits != 24 && masks->bits != 32)
        return error_set(err, "%u bits per pixel, must be 8, 16, 24 or 32", masks->bits);
    if (!(flags & (ALPHA_PIXELS | ALPHA_ONLY)))
        masks->alpha = 0;
    if (flags & LUMINANCE)
        masks->green = masks->blue = masks->red;
    if (flags & ALPHA_ONLY)
        masks->red = masks->green = masks->blue = 0;
    *out = layout;
    return 0;
}

/* Leaves the cursor at the pixels. */
static int read_layout(struct cursor *cursor, struct pixel_layout *out, struct error *err)
{
    struct cursor format = cursor_at(cursor->bytes, 80);
    uint32_t flags = cursor_u32(&format);
    const uint8_t *code = cursor_take(&format, 4);
    *cursor = cursor_at(cursor->bytes, HEADER_SIZE);
    if (cursor->overrun)
        return error_set(err, "%zu bytes, the header alone has %d", cursor->bytes.size, HEADER_SIZE);
    if (!(flags & FOUR_CC))
        return read_mask_layout(&format, flags, out, err);
    if (memcmp(code, "DX10", 4) == 0)
        return find_dxgi_layout(cursor, out, err);
    return find_code_layout(code, out, err);
}

static void read_blocks(const uint8_t *block, size_t block_size, const struct pixel_layout *layout,
                        struct image *image)
{
    for (uint32_t y = 0; y < image->height; y += 4)
        for (uint32_t x = 0; x < image->width; x += 4, block += block_size) {
            uint8_t pixels[BLOCK_PIXELS * 4];
            decode_block(layout, block, pixels);
            /* Blocks may stick out at the right and at the bottom. */
            uint32_t width = image->width - x < 4 ? image->width - x : 4;
            for (uint32_t row = 0; row < 4 && y + row < image->height; row++)
                memcpy(image->pixels + ((size_t)(y + row) * image->width + x) * 4, pixels + row * 16,
                       (size_t)width * 4);
        }
}

static int dds_load(struct bytes bytes, struct image *image, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 4);
    uint32_t header_size = cursor_u32(&cursor);
    cursor_u32(&cursor);
    uint32_t height = cursor_u32(&cursor), width = cursor_u32(&cursor);
    struct pixel_layout layout = {0};
    if (read_layout(&cursor, &layout, err))
        return -1;
    if (header_size != HEADER_SIZE - 4)
        return error_set(err, "a header of %u bytes, must be %d", header_size, HEADER_SIZE - 4);
    /* The densest blocks, of 8 bytes, hold 16 pixels. */
    if (image_init_packed(image, width, height, cursor_left(&cursor), 2, err))
        return -1;
    size_t count = image_pixel_count(image), blocks = (size_t)((width + 3) / 4) * ((height + 3) / 4);
    size_t block_size = layout.blocks == BC1 || layout.blocks == BC4 ? 8 : 16;
    size_t size = layout.blocks ? blocks * block_size : count * layout.masks.bits / 8, at = cursor.at;
    const uint8_t *pixels = cursor_take(&cursor, size);
    if (!pixels)
        return error_set(err, "%zu bytes of pixels from byte %zu, the file has %zu", size, at, bytes.size);
    if (layout.blocks)
        read_blocks(pixels, block_size, &layout, image);
    else
        masks_read(&layout.masks, pixels, count, image->pixels);
    return 0;
}

const struct image_format dds_format = {"DDS", {".dds"}, "DDS ", NULL, dds_load};
