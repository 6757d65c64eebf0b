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

static void decode_bc1(const uint8_t *block, uint8_t *pixels)
{
    decode_colors(block, true, pixels);
}

static void decode_bc2(const uint8_t *block, uint8_t *pixels)
{
    decode_colors(block + 8, false, pixels);
    for (int i = 0; i < BLOCK_PIXELS; i++)
        pixels[i * 4 + 3] = (uint8_t)((block[i / 2] >> i % 2 * 4 & 15) * 17);
}

static void decode_bc3(const uint8_t *block, uint8_t *pixels)
{
    decode_colors(block + 8, false, pixels);
    decode_values(block, false, 3, pixels);
}

/* DXT2 and DXT4: colours that were multiplied by alpha; ours are not. */
static void divide_by_alpha(uint8_t *pixels)
{
    for (uint8_t *pixel = pixels; pixel < pixels + BLOCK_PIXELS * 4; pixel += 4)
        for (int i = 0; i < 3 && pixel[3]; i++) {
            unsigned value = (pixel[i] * 255u + pixel[3] / 2u) / pixel[3];
            pixel[i] = (uint8_t)(value < 255 ? value : 255);
        }
}

static void decode_premultiplied_bc2(const uint8_t *block, uint8_t *pixels)
{
    decode_bc2(block, pixels);
    divide_by_alpha(pixels);
}

static void decode_premultiplied_bc3(const uint8_t *block, uint8_t *pixels)
{
    decode_bc3(block, pixels);
    divide_by_alpha(pixels);
}

/* Doom 3's normal maps: BC3 with red where alpha is, which has the finer steps. */
static void decode_rxgb(const uint8_t *block, uint8_t *pixels)
{
    decode_bc3(block, pixels);
    for (int i = 0; i < BLOCK_PIXELS; i++) {
        pixels[i * 4] = pixels[i * 4 + 3];
        pixels[i * 4 + 3] = 255;
    }
}

/* One channel comes out as a grey. */
static void spread_grey(uint8_t *pixels)
{
    for (uint8_t *pixel = pixels; pixel < pixels + BLOCK_PIXELS * 4; pixel += 4) {
        pixel[1] = pixel[2] = pixel[0];
        pixel[3] = 255;
    }
}

static void decode_bc4(const uint8_t *block, uint8_t *pixels)
{
    decode_values(block, false, 0, pixels);
    spread_grey(pixels);
}

static void decode_signed_bc4(const uint8_t *block, uint8_t *pixels)
{
    decode_values(block, true, 0, pixels);
    spread_grey(pixels);
}

/* Two channels are the x and y of a normal; z, which points outwards, follows from its length of 1. */
static void add_z(uint8_t *pixels)
{
    for (uint8_t *pixel = pixels; pixel < pixels + BLOCK_PIXELS * 4; pixel += 4) {
        float x = pixel[0] / 127.5f - 1, y = pixel[1] / 127.5f - 1, zz = 1 - x * x - y * y;
        pixel[2] = (uint8_t)((zz > 0 ? sqrtf(zz) : 0) * 127.5f + 128);
        pixel[3] = 255;
    }
}

static void decode_bc5(const uint8_t *block, uint8_t *pixels)
{
    decode_values(block, false, 0, pixels);
    decode_values(block + 8, false, 1, pixels);
    add_z(pixels);
}

static void decode_signed_bc5(const uint8_t *block, uint8_t *pixels)
{
    decode_values(block, true, 0, pixels);
    decode_values(block + 8, true, 1, pixels);
    add_z(pixels);
}

/* A picture's layout: blocks, or else plain pixels with masks, whose first may be a grey. */
struct layout {
    void (*decode)(const uint8_t *block, uint8_t *pixels); /* 16 pixels of RGBA, row by row */
    size_t block_size;
    uint32_t bits, red, green, blue, alpha;
    bool is_grey;
};

static const struct block_code {
    char code[5];
    struct layout layout;
} block_codes[] = {
    {"DXT1", {.decode = decode_bc1, .block_size = 8}},
    {"DXT2", {.decode = decode_premultiplied_bc2, .block_size = 16}},
    {"DXT3", {.decode = decode_bc2, .block_size = 16}},
    {"DXT4", {.decode = decode_premultiplied_bc3, .block_size = 16}},
    {"DXT5", {.decode = decode_bc3, .block_size = 16}},
    {"RXGB", {.decode = decode_rxgb, .block_size = 16}},
    {"ATI1", {.decode = decode_bc4, .block_size = 8}},
    {"BC4U", {.decode = decode_bc4, .block_size = 8}},
    {"BC4S", {.decode = decode_signed_bc4, .block_size = 8}},
    {"ATI2", {.decode = decode_bc5, .block_size = 16}},
    {"BC5U", {.decode = decode_bc5, .block_size = 16}},
    {"BC5S", {.decode = decode_signed_bc5, .block_size = 16}},
};

/* First and last number of a DXGI format: typeless, linear and sRGB variants hold the same bits. */
static const struct dxgi_range {
    uint32_t first, last;
    struct layout layout;
} dxgi_ranges[] = {
    {27, 29, {.bits = 32, .red = 0xff, .green = 0xff00, .blue = 0xff0000, .alpha = 0xff000000}},
    {61, 61, {.bits = 8, .red = 0xff, .is_grey = true}},
    {70, 72, {.decode = decode_bc1, .block_size = 8}},
    {73, 75, {.decode = decode_bc2, .block_size = 16}},
    {76, 78, {.decode = decode_bc3, .block_size = 16}},
    {79, 80, {.decode = decode_bc4, .block_size = 8}},
    {81, 81, {.decode = decode_signed_bc4, .block_size = 8}},
    {82, 83, {.decode = decode_bc5, .block_size = 16}},
    {84, 84, {.decode = decode_signed_bc5, .block_size = 16}},
    {85, 85, {.bits = 16, .red = 0xf800, .green = 0x7e0, .blue = 0x1f}},
    {86, 86, {.bits = 16, .red = 0x7c00, .green = 0x3e0, .blue = 0x1f, .alpha = 0x8000}},
    {87, 87, {.bits = 32, .red = 0xff0000, .green = 0xff00, .blue = 0xff, .alpha = 0xff000000}},
    {88, 88, {.bits = 32, .red = 0xff0000, .green = 0xff00, .blue = 0xff}},
    {90, 91, {.bits = 32, .red = 0xff0000, .green = 0xff00, .blue = 0xff, .alpha = 0xff000000}},
    {92, 93, {.bits = 32, .red = 0xff0000, .green = 0xff00, .blue = 0xff}},
    {115, 115, {.bits = 16, .red = 0xf00, .green = 0xf0, .blue = 0xf, .alpha = 0xf000}},
};

static int find_dxgi_layout(struct cursor *cursor, struct layout *out, struct error *err)
{
    uint32_t format = cursor_u32(cursor);
    cursor_take(cursor, DX10_HEADER_SIZE - 4);
    if (cursor->overrun)
        return error_set(err, "%zu bytes, the two headers alone have %d", cursor->bytes.size,
                         HEADER_SIZE + DX10_HEADER_SIZE);
    for (size_t i = 0; i < sizeof dxgi_ranges / sizeof *dxgi_ranges; i++)
        if (format >= dxgi_ranges[i].first && format <= dxgi_ranges[i].last) {
            *out = dxgi_ranges[i].layout;
            return 0;
        }
    return error_set(err, "DXGI format %u is not supported: BC1 to BC5 are, and plain pixels of 8 to 32 bits",
                     format);
}

static int find_code_layout(const uint8_t *code, struct layout *out, struct error *err)
{
    for (size_t i = 0; i < sizeof block_codes / sizeof *block_codes; i++)
        if (memcmp(code, block_codes[i].code, 4) == 0) {
            *out = block_codes[i].layout;
            return 0;
        }
    char shown[5] = {0};
    for (int i = 0; i < 4; i++)
        shown[i] = isprint(code[i]) ? (char)code[i] : '?';
    return error_set(
        err, "pixel format '%s' is not supported: DXT1 to DXT5, BC4, BC5, ATI1 and ATI2 are, and plain pixels",
        shown);
}

/* Greys are in the red mask. What a file that has only alpha means by it is its shape: white in that alpha. */
static int read_mask_layout(struct cursor *cursor, uint32_t flags, struct layout *out, struct error *err)
{
    struct layout layout = {.bits = cursor_u32(cursor), .is_grey = flags & LUMINANCE};
    layout.red = cursor_u32(cursor);
    layout.green = cursor_u32(cursor);
    layout.blue = cursor_u32(cursor);
    layout.alpha = cursor_u32(cursor);
    if (!(flags & (RGB | LUMINANCE | ALPHA_ONLY)))
        return error_set(err, "pixel format flags 0x%x name neither a code nor RGB, grey or alpha", flags);
    if (layout.bits != 8 && layout.bits != 16 && layout.bits != 24 && layout.bits != 32)
        return error_set(err, "%u bits per pixel, must be 8, 16, 24 or 32", layout.bits);
    if (!(flags & (ALPHA_PIXELS | ALPHA_ONLY)))
        layout.alpha = 0;
    if (flags & ALPHA_ONLY)
        layout.red = layout.green = layout.blue = 0;
    *out = layout;
    return 0;
}

/* Leaves the cursor at the pixels. */
static int read_layout(struct cursor *cursor, struct layout *out, struct error *err)
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

static int fail_at_end(const struct cursor *cursor, size_t size, struct error *err)
{
    return error_set(err, "%zu bytes of pixels from byte %zu, the file has %zu", size, cursor->at,
                     cursor->bytes.size);
}

static int read_blocks(struct cursor *cursor, const struct layout *layout, struct image *image, struct error *err)
{
    size_t columns = (image->width + 3) / 4, rows = (image->height + 3) / 4;
    size_t size = columns * rows * layout->block_size;
    if (size > cursor_left(cursor))
        return fail_at_end(cursor, size, err);
    for (uint32_t y = 0; y < image->height; y += 4)
        for (uint32_t x = 0; x < image->width; x += 4) {
            uint8_t pixels[BLOCK_PIXELS * 4];
            layout->decode(cursor_take(cursor, layout->block_size), pixels);
            /* Blocks may stick out at the right and at the bottom. */
            uint32_t width = image->width - x < 4 ? image->width - x : 4;
            for (uint32_t row = 0; row < 4 && y + row < image->height; row++)
                memcpy(image->pixels + ((size_t)(y + row) * image->width + x) * 4, pixels + row * 16,
                       (size_t)width * 4);
        }
    return 0;
}

static int read_pixels(struct cursor *cursor, const struct layout *layout, struct image *image, struct error *err)
{
    size_t count = (size_t)image->width * image->height, pixel_size = layout->bits / 8;
    if (count * pixel_size > cursor_left(cursor))
        return fail_at_end(cursor, count * pixel_size, err);
    struct channel red = channel_from_mask(layout->red);
    struct channel green = channel_from_mask(layout->is_grey ? layout->red : layout->green);
    struct channel blue = channel_from_mask(layout->is_grey ? layout->red : layout->blue);
    struct channel alpha = channel_from_mask(layout->alpha);
    bool only_alpha = !layout->red && !layout->green && !layout->blue;
    uint8_t missing = only_alpha ? 255 : 0;

    const uint8_t *data = cursor_take(cursor, count * pixel_size);
    for (uint8_t *pixel = image->pixels; count-- > 0; pixel += 4, data += pixel_size) {
        uint32_t value = 0;
        for (size_t i = 0; i < pixel_size; i++)
            value |= (uint32_t)data[i] << i * 8;
        pixel[0] = channel_value(&red, value, missing);
        pixel[1] = channel_value(&green, value, missing);
        pixel[2] = channel_value(&blue, value, missing);
        pixel[3] = channel_value(&alpha, value, 255);
    }
    return 0;
}

static bool dds_matches(struct bytes bytes)
{
    return bytes.size >= 4 && memcmp(bytes.data, "DDS ", 4) == 0;
}

static int dds_load(struct bytes bytes, struct image *image, struct error *err)
{
    struct cursor cursor = cursor_at(bytes, 4);
    uint32_t header_size = cursor_u32(&cursor);
    cursor_u32(&cursor);
    uint32_t height = cursor_u32(&cursor), width = cursor_u32(&cursor);
    struct layout layout = {0};
    if (read_layout(&cursor, &layout, err))
        return -1;
    if (header_size != HEADER_SIZE - 4)
        return error_set(err, "a header of %u bytes, must be %d", header_size, HEADER_SIZE - 4);
    /* The densest blocks, of 8 bytes, hold 16 pixels. */
    if (image_init_packed(image, width, height, cursor_left(&cursor), 2, err))
        return -1;
    return (layout.decode ? read_blocks : read_pixels)(&cursor, &layout, image, err);
}

const struct image_format dds_format = {"DDS", {".dds"}, dds_matches, dds_load};
