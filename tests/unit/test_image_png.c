#include "base/file.h"
#include "image_check.h"
#include "test.h"

#include <libdeflate.h>
#include <png.h>

static void append(png_structp png, png_bytep data, size_t size)
{
    put(png_get_io_ptr(png), data, size);
}

static void flush(png_structp png)
{
    (void)png;
}

struct picture {
    uint32_t width, height;
    int bits, type;
    bool interlaced;
    png_color palette[256];
    int palette_count;
    uint8_t palette_alpha[4];
    int palette_alpha_count;
    png_color_16 transparent;
    bool has_transparent;
    double gamma;
    int filter;      /* PNG_FILTER_...; 0: libpng chooses */
    int buffer_size; /* bytes of an IDAT; 0: libpng's */
};

/* Rows of `stride` bytes as the format packs them. */
static struct file make_png(const struct picture *picture, const void *rows, size_t stride)
{
    struct file file = {.size = 0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_int_equal(setjmp(png_jmpbuf(png)), 0);
    png_set_write_fn(png, &file, append, flush);
    png_set_IHDR(png, info, picture->width, picture->height, picture->bits, picture->type,
                 picture->interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (picture->palette_count)
        png_set_PLTE(png, info, picture->palette, picture->palette_count);
    if (picture->palette_alpha_count)
        png_set_tRNS(png, info, picture->palette_alpha, picture->palette_alpha_count, NULL);
    if (picture->has_transparent)
        png_set_tRNS(png, info, NULL, 0, &picture->transparent);
    if (picture->gamma > 0)
        png_set_gAMA(png, info, picture->gamma);
    png_text text = {
        .compression = PNG_TEXT_COMPRESSION_zTXt, .key = "Comment", .text = "not part of the picture"};
    png_set_text(png, info, &text, 1);
    png_write_info(png, info);
    png_set_check_for_invalid_index(png, 0); /* pixels may have numbers that the palette has not */
    if (picture->filter)
        png_set_filter(png, PNG_FILTER_TYPE_BASE, picture->filter);
    if (picture->buffer_size)
        png_set_compression_buffer_size(png, (size_t)picture->buffer_size);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < picture->height; y++)
            png_write_row(png, (png_const_bytep)rows + y * stride);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return file;
}

static struct file small_rgba(bool interlaced)
{
    return make_png(&(struct picture){2, 2, 8, PNG_COLOR_TYPE_RGB_ALPHA, interlaced, .gamma = 0},
                    "\x10\x20\x30\x00\x40\x50\x60\x80\x11\x21\x31\x90\x41\x51\x61\xff", 8);
}

static const struct kind {
    int type, bits, channels;
} kinds[] = {
    {PNG_COLOR_TYPE_GRAY, 1, 1},       {PNG_COLOR_TYPE_GRAY, 2, 1},      {PNG_COLOR_TYPE_GRAY, 4, 1},
    {PNG_COLOR_TYPE_GRAY, 8, 1},       {PNG_COLOR_TYPE_RGB, 8, 3},       {PNG_COLOR_TYPE_PALETTE, 1, 1},
    {PNG_COLOR_TYPE_PALETTE, 2, 1},    {PNG_COLOR_TYPE_PALETTE, 4, 1},   {PNG_COLOR_TYPE_PALETTE, 8, 1},
    {PNG_COLOR_TYPE_GRAY_ALPHA, 8, 2}, {PNG_COLOR_TYPE_RGB_ALPHA, 8, 4},
};

static unsigned noise = 1;

/* Below `count`. */
static unsigned roll(unsigned count)
{
    noise = noise * 1103515245 + 12345;
    return (noise >> 16) % count;
}

/* With a palette that lacks a colour; the transparent colours are those of which noise has many. */
static struct picture picture_of(const struct kind *kind, uint32_t width, uint32_t height, bool has_transparent)
{
    struct picture picture = {width, height, kind->bits, kind->type, .gamma = 0};
    if (kind->type == PNG_COLOR_TYPE_PALETTE) {
        picture.palette_count = (1 << kind->bits) - 1;
        for (int i = 0; i < picture.palette_count; i++)
            picture.palette[i] = (png_color){(uint8_t)roll(256), (uint8_t)roll(256), (uint8_t)roll(256)};
        picture.palette_alpha_count = !has_transparent ? 0 : kind->bits == 1 ? 1 : 3;
        memcpy(picture.palette_alpha, "\x80\xff\x00", 3);
    } else if (kind->channels % 2) {
        picture.has_transparent = has_transparent;
        picture.transparent = (png_color_16){.red = 1, .green = 0, .blue = 1, .gray = 1};
    }
    return picture;
}

/* libpng alone reads interlaced pictures. */
static void check_plain_is_as_interlaced(struct picture picture, const void *rows, size_t stride)
{
    struct file plain = make_png(&picture, rows, stride);
    picture.interlaced = true;
    picture.buffer_size = 0;
    struct file interlaced = make_png(&picture, rows, stride);
    struct image a = must_load(&plain), b = must_load(&interlaced);
    assert_int_equal(a.width, picture.width);
    assert_int_equal(a.height, picture.height);
    for (uint32_t i = 0; i < a.width * a.height; i++)
        if (memcmp(a.pixels + i * 4, b.pixels + i * 4, 4))
            fail_msg("type %d, %d bits, filter %d, %u wide: pixel %u is %08x, not %08x", picture.type,
                     picture.bits, picture.filter, a.width, i, pixel(&a, i % a.width, i / a.width),
                     pixel(&b, i % a.width, i / a.width));
    image_release(&a);
    image_release(&b);
}

/* Noise with empty parts, also wide enough for the steps by which rows are read, in one chunk or in many. */
TEST(png_plain_is_the_same_as_interlaced)
{
    enum { WIDEST = 49, HEIGHT = 9 };
    static const int filters[] = {PNG_FILTER_NONE, PNG_FILTER_SUB,   PNG_FILTER_UP,
                                  PNG_FILTER_AVG,  PNG_FILTER_PAETH, PNG_ALL_FILTERS};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t filter = 0; filter < sizeof filters / sizeof *filters; filter++)
            for (uint32_t width = 1; width <= WIDEST; width += width < 9 ? 1 : 20) {
                size_t stride = (width * (unsigned)(kinds[i].channels * kinds[i].bits) + 7) / 8;
                uint8_t rows[WIDEST * HEIGHT * 4] = {0};
                for (size_t at = 0; at < stride * HEIGHT; at++)
                    if (width <= 9 || at % stride < 6 || at % stride > stride - 6 || at / stride == 4)
                        rows[at] = (uint8_t)(roll(2) ? roll(256) : roll(2));
                for (int transparent = 0; transparent < 2; transparent++) {
                    struct picture picture = picture_of(&kinds[i], width, HEIGHT, transparent);
                    picture.filter = filters[filter];
                    picture.buffer_size = transparent ? 64 : 0;
                    check_plain_is_as_interlaced(picture, rows, stride);
                }
            }
}

/* In front of the first chunk of that name. */
static void add_chunk(struct file *file, const char *before, const char *name, const void *data, size_t size)
{
    uint8_t chunk[64], *at = memmem(file->data, file->size, before, 4);
    assert_non_null(at);
    at -= 4;
    assert_true(size + 12 <= sizeof chunk && file->size + sizeof chunk <= sizeof file->data);
    png_save_uint_32(chunk, (uint32_t)size);
    memcpy(chunk + 4, name, 4);
    memcpy(chunk + 8, data, size);
    png_save_uint_32(chunk + 8 + size, libdeflate_crc32(0, chunk + 4, size + 4));
    memmove(at + size + 12, at, file->size - (size_t)(at - file->data));
    memcpy(at, chunk, size + 12);
    file->size += size + 12;
}

static void add_empty_pixels(struct file *file, const char *before)
{
    for (int i = 0; i < 3; i++)
        add_chunk(file, before, "IDAT", "", 0);
}

TEST(png_reads_empty_chunks_of_pixels)
{
    struct file file = small_rgba(false);
    add_empty_pixels(&file, "IEND");
    CHECK_PICTURE(&file, 2, 2, 0x10203000, 0x40506080, 0x11213190, 0x415161ff);
    add_empty_pixels(&file, "IDAT");
    CHECK_PICTURE(&file, 2, 2, 0x10203000, 0x40506080, 0x11213190, 0x415161ff);
    fact("png with nothing but empty chunks of pixels is refused");
    struct error err;
    struct blob blob;
    assert_int_equal(file_read("tests/bad/png/empty-chunks", sizeof file.data, &blob, &err), 0);
    file.size = 0;
    put(&file, blob.data, blob.size);
    blob_release(&blob);
    check_error(&file, "PNG: ");
}

TEST(pngs_of_every_kind_are_read)
{
    fact("png reads rgb");
    struct file file = make_png(&(struct picture){2, 2, 8, PNG_COLOR_TYPE_RGB, .gamma = 0},
                                "\x10\x20\x30\x40\x50\x60\x11\x21\x31\x41\x51\x61", 6);
    CHECK_PICTURE(&file, 2, 2, 0x102030ff, 0x405060ff, 0x112131ff, 0x415161ff);
    fact("png reads rgba");
    file = small_rgba(false);
    CHECK_PICTURE(&file, 2, 2, 0x10203000, 0x40506080, 0x11213190, 0x415161ff);
    fact("png reads interlaced pictures");
    file = small_rgba(true);
    CHECK_PICTURE(&file, 2, 2, 0x10203000, 0x40506080, 0x11213190, 0x415161ff);
    fact("png expands greys of every depth");
    file = make_png(&(struct picture){3, 1, 1, PNG_COLOR_TYPE_GRAY, .gamma = 0}, "\xa0", 1);
    CHECK_PICTURE(&file, 3, 1, 0xffffffff, 0x000000ff, 0xffffffff);
    file = make_png(&(struct picture){3, 1, 2, PNG_COLOR_TYPE_GRAY, .gamma = 0}, "\x6c", 1);
    CHECK_PICTURE(&file, 3, 1, 0x555555ff, 0xaaaaaaff, 0xffffffff);
    file = make_png(&(struct picture){3, 1, 4, PNG_COLOR_TYPE_GRAY, .gamma = 0}, "\x1f\x80", 2);
    CHECK_PICTURE(&file, 3, 1, 0x111111ff, 0xffffffff, 0x888888ff);
    file = make_png(&(struct picture){2, 1, 8, PNG_COLOR_TYPE_GRAY, .gamma = 0}, "\x12\xfe", 2);
    CHECK_PICTURE(&file, 2, 1, 0x121212ff, 0xfefefeff);
}

TEST(png_reads_grey_with_alpha)
{
    struct file file =
        make_png(&(struct picture){2, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA, .gamma = 0}, "\x12\x80\xfe\xff", 4);
    CHECK_PICTURE(&file, 2, 1, 0x12121280, 0xfefefeff);
}

TEST(png_rounds_16_bits_to_8)
{
    /* Of 255: 0.502, 0.498 and 127.502. */
    struct file file =
        make_png(&(struct picture){1, 1, 16, PNG_COLOR_TYPE_RGB, .gamma = 0}, "\x00\x81\x00\x80\x80\x00", 6);
    CHECK_PICTURE(&file, 1, 1, 0x010080ff);
}

static struct file palette_png(int bits, const char *row, int alpha_count)
{
    struct picture picture = {3, 1, bits, PNG_COLOR_TYPE_PALETTE, .gamma = 0};
    picture.palette_count = bits == 1 ? 2 : 3;
    for (uint8_t i = 0; i < 3; i++)
        picture.palette[i] = (png_color){0x10 + i, 0x20 + i, 0x30 + i};
    picture.palette_alpha[0] = 0x80;
    picture.palette_alpha_count = alpha_count;
    return make_png(&picture, row, strlen(row));
}

enum { GREY = PNG_COLOR_TYPE_GRAY, RGB = PNG_COLOR_TYPE_RGB, INDEXED = PNG_COLOR_TYPE_PALETTE };

/* A picture of three pixels with one more chunk, and what libpng makes of it. */
static const struct odd {
    const char *what;
    int type; /* of colour; -1: it has a palette, but the chunk is missing */
    const char *before, *name, *data;
    size_t size;
    uint32_t pixels[3];
    const char *message; /* or this */
} odd[] = {
    {"palette twice", INDEXED, "IDAT", "PLTE", "\x01\x02\x03", 3, {0}, "PNG: PLTE: duplicate"},
    {"palette too late", -1, "IEND", "PLTE", "\x01\x02\x03", 3, {0}, "Missing PLTE before IDAT"},
    {"no palette", -1, "IEND", "tEXt", "Title", 6, {0}, "Missing PLTE before IDAT"},
    {"empty palette", -1, "IDAT", "PLTE", "", 0, {0}, "PNG: Invalid palette"},
    {"part of a palette", -1, "IDAT", "PLTE", "\x01\x02\x03\x04", 4, {0}, "PNG: PLTE: invalid"},
    {"too many colours", -1, "IDAT", "PLTE", "abcdefghijklmno", 15, {0x676869ff, 0x616263ff, 0x646566ff}, NULL},
    {"too few colours", -1, "IDAT", "PLTE", "abcdef", 6, {0x000000ff, 0x616263ff, 0x646566ff}, NULL},
    {"palette of colours", RGB, "IDAT", "PLTE", "abcdef", 6, {0x102030ff, 0x405060ff, 0x708090ff}, NULL},
    {"alpha", INDEXED, "IDAT", "tRNS", "\0\x80", 2, {0x122232ff, 0x10203000, 0x11213180}, NULL},
    {"alpha too early", INDEXED, "PLTE", "tRNS", "\0", 1, {0x122232ff, 0x102030ff, 0x112131ff}, NULL},
    {"alpha too late", INDEXED, "IEND", "tRNS", "\0", 1, {0x122232ff, 0x102030ff, 0x112131ff}, NULL},
    {"empty alpha", INDEXED, "IDAT", "tRNS", "", 0, {0x122232ff, 0x102030ff, 0x112131ff}, NULL},
    {"too much alpha", INDEXED, "IDAT", "tRNS", "\0\0\0\0", 4, {0x122232ff, 0x102030ff, 0x112131ff}, NULL},
    {"one colour", RGB, "IDAT", "tRNS", "\xff\x10\xff\x20\xff\x30", 6, {0x10203000, 0x405060ff, 0x708090ff}, NULL},
    {"one grey", GREY, "IDAT", "tRNS", "\xff\xfe", 2, {0xaaaaaa00, 0x000000ff, 0x555555ff}, NULL},
    {"grey of two colours", GREY, "IDAT", "tRNS", "\0\2\0\2\0\2", 6, {0xaaaaaaff, 0x000000ff, 0x555555ff}, NULL},
    {"palette of greys", GREY, "IDAT", "PLTE", "abcdef", 6, {0xaaaaaaff, 0x000000ff, 0x555555ff}, NULL},
    {"long colour", RGB, "IDAT", "tRNS", "\0\x10\0\x20\0\x30\0", 7, {0x102030ff, 0x405060ff, 0x708090ff}, NULL},
    {"colour too late", RGB, "IEND", "tRNS", "\0\x10\0\x20\0\x30", 6, {0x102030ff, 0x405060ff, 0x708090ff}, NULL},
};

static struct file base_of_odd(int type)
{
    if (type == RGB)
        return make_png(&(struct picture){3, 1, 8, RGB, .gamma = 0}, "\x10\x20\x30\x40\x50\x60\x70\x80\x90", 9);
    if (type == GREY)
        return make_png(&(struct picture){3, 1, 2, PNG_COLOR_TYPE_GRAY, .gamma = 0}, "\x84", 1);
    if (type == INDEXED)
        return palette_png(2, "\x84", 0);
    struct file file = base_of_odd(GREY);
    file.data[25] = INDEXED;
    png_save_uint_32(file.data + 29, libdeflate_crc32(0, file.data + 12, 17));
    return file;
}

TEST(pngs_with_odd_colors_are_as_libpng_reads_them)
{
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        fact(odd[i].what);
        struct file file = base_of_odd(odd[i].type);
        add_chunk(&file, odd[i].before, odd[i].name, odd[i].data, odd[i].size);
        if (odd[i].message)
            check_error(&file, odd[i].message);
        else
            check_picture(&file, 3, 1, odd[i].pixels);
    }
}

TEST(png_refuses_pixels_in_two_places)
{
    struct file file = small_rgba(false);
    add_chunk(&file, "IDAT", "tEXt", "Title", 6);
    add_chunk(&file, "tEXt", "IDAT", "", 0);
    check_error(&file, "PNG: Not enough image data");
}

/* The IHDR field at `offset`, big-endian, with the checksum made good. */
static void set_field(struct file *file, size_t offset, uint32_t value)
{
    for (size_t i = 0; i < 4; i++)
        file->data[offset + i] = (uint8_t)(value >> (24 - i * 8));
    uint32_t crc = libdeflate_crc32(0, file->data + 12, 17);
    for (size_t i = 0; i < 4; i++)
        file->data[29 + i] = (uint8_t)(crc >> (24 - i * 8));
}

TEST(palettes_and_broken_pngs)
{
    fact("png looks palettes up");
    struct file file = palette_png(1, "\xa0", 0);
    CHECK_PICTURE(&file, 3, 1, 0x112131ff, 0x102030ff, 0x112131ff);
    file = palette_png(2, "\x84", 0);
    CHECK_PICTURE(&file, 3, 1, 0x122232ff, 0x102030ff, 0x112131ff);
    file = palette_png(4, "\x20\x10", 0);
    CHECK_PICTURE(&file, 3, 1, 0x122232ff, 0x102030ff, 0x112131ff);
    file = palette_png(8, "\x02\x01\x01", 0);
    CHECK_PICTURE(&file, 3, 1, 0x122232ff, 0x112131ff, 0x112131ff);
    fact("png palettes may have alpha");
    file = palette_png(2, "\x84", 1);
    CHECK_PICTURE(&file, 3, 1, 0x122232ff, 0x10203080, 0x112131ff);
    fact("png one color may be transparent");
    struct picture picture = {2, 1, 8, PNG_COLOR_TYPE_RGB, .has_transparent = true};
    picture.transparent = (png_color_16){.red = 0x40, .green = 0x50, .blue = 0x60};
    file = make_png(&picture, "\x10\x20\x30\x40\x50\x60", 6);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x40506000);
    fact("png gamma is not applied");
    picture = (struct picture){1, 1, 8, PNG_COLOR_TYPE_RGB, .gamma = 2.2};
    file = make_png(&picture, "\x10\x20\x30", 3);
    CHECK_PICTURE(&file, 1, 1, 0x102030ff);
    fact("png errors name the place");
    file = small_rgba(false);
    struct file cut = file;
    cut.size = 40;
    check_error(&cut, "PNG: the file ends inside a chunk, before byte 40 of 40");
    file.data[30] ^= 1;
    check_error(&file, "PNG: IHDR: CRC error, before byte 33 of ");
    fact("png rejects sides out of range");
    file = small_rgba(false);
    set_field(&file, 16, 16385);
    check_error(&file, "16385 x 2 pixels, each side must be 1 to 16384");
    set_field(&file, 16, 0x7fffffff);
    check_error(&file, "2147483647 x 2 pixels");
    fact("png of few bytes allocates no gigabyte");
    file = small_rgba(false);
    set_field(&file, 16, 16384);
    set_field(&file, 20, 16384);
    check_error(&file, "16384 x 16384 pixels need at least 1040448 bytes, there are ");
    fact("png fails when cut anywhere");
    struct file plain = small_rgba(false), interlaced = small_rgba(true), palette = palette_png(2, "\x84", 1);
    check_fails_when_cut(&plain);
    check_fails_when_cut(&interlaced);
    check_fails_when_cut(&palette);
}

TEST(png_survives_any_header)
{
    static const uint32_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x08060001, 0x10060000};
    struct file file = small_rgba(false);
    for (size_t offset = 16; offset <= 25; offset++)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            struct file changed = file;
            set_field(&changed, offset, values[i]);
            check_survives(changed.data, changed.size);
        }
    struct file palette = palette_png(2, "\x84", 1);
    check_survives_any_byte(&file);
    check_survives_any_byte(&palette);
}
