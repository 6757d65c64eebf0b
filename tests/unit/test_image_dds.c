#include "image_check.h"
#include "test.h"

enum { ALPHA_PIXELS = 1, ALPHA_ONLY = 2, FOUR_CC = 4, RGB = 0x40, LUMINANCE = 0x20000 };

struct header {
    uint32_t width, height, flags;
    const char *code;
    uint32_t bits, masks[4];
};

static struct file begin(struct header header)
{
    struct file file = {.size = 0};
    put(&file, "DDS ", 4);
    put_u32(&file, 124);
    put_u32(&file, 0x1007);
    put_u32(&file, header.height);
    put_u32(&file, header.width);
    put_zeros(&file, 76 - 20);
    put_u32(&file, 32);
    put_u32(&file, header.flags);
    put(&file, header.code, 4);
    put_u32(&file, header.bits);
    for (int i = 0; i < 4; i++)
        put_u32(&file, header.masks[i]);
    put_zeros(&file, 128 - file.size);
    return file;
}

static struct file begin_code(const char *code, uint32_t width, uint32_t height)
{
    return begin((struct header){width, height, FOUR_CC, code, 0, {0}});
}

static struct file begin_dxgi(uint32_t format, uint32_t width, uint32_t height)
{
    struct file file = begin_code("DX10", width, height);
    put_u32(&file, format);
    put_u32(&file, 3);
    put_zeros(&file, 12);
    return file;
}

static struct file begin_masks(uint32_t flags, uint32_t bits, uint32_t red, uint32_t green, uint32_t blue,
                               uint32_t alpha)
{
    return begin((struct header){2, 1, flags, "\0\0\0", bits, {red, green, blue, alpha}});
}

/* Colours of 565, and indices 0 1 2 3 in each row. */
static void put_colors(struct file *file, unsigned first, unsigned second)
{
    put_u16(file, first);
    put_u16(file, second);
    put_u32(file, 0xe4e4e4e4);
}

/* Indices 0 to 7, twice. */
static void put_values(struct file *file, unsigned first, unsigned second)
{
    put_u8(file, first);
    put_u8(file, second);
    for (int i = 0; i < 2; i++)
        put(file, "\x88\xc6\xfa", 3);
}

static void check_row(const struct file *file, uint32_t y, const uint32_t pixels[4])
{
    struct image image = must_load(file);
    assert_int_equal(image.width, 4);
    for (uint32_t x = 0; x < 4; x++)
        if (pixel(&image, x, y) != pixels[x])
            fail_msg("pixel %u,%u is %08x, not %08x", x, y, pixel(&image, x, y), pixels[x]);
    image_release(&image);
}

#define CHECK_ROW(file, y, ...) check_row(file, y, (const uint32_t[4]){__VA_ARGS__})

TEST(blocks_are_decoded)
{
    fact("bc1 has thirds when the first color is larger");
    struct file file = begin_code("DXT1", 4, 4);
    put_colors(&file, 31 << 11 | 63 << 5, 31);
    CHECK_ROW(&file, 0, 0xffff00ff, 0x0000ffff, 0xaaaa55ff, 0x5555aaff);
    CHECK_ROW(&file, 3, 0xffff00ff, 0x0000ffff, 0xaaaa55ff, 0x5555aaff);
    fact("bc1 has a half and transparent black otherwise");
    file = begin_code("DXT1", 4, 4);
    put_colors(&file, 31, 31 << 11 | 63 << 5);
    CHECK_ROW(&file, 0, 0x0000ffff, 0xffff00ff, 0x808080ff, 0x00000000);
    fact("bc1 rounds to the nearest");
    file = begin_code("DXT1", 4, 4);
    put_colors(&file, 2 << 11, 1 << 5); /* 16.45 and 4.05, so 10.97, 5.48 and 1.35, 2.70 */
    CHECK_ROW(&file, 0, 0x100000ff, 0x000400ff, 0x0b0100ff, 0x050300ff);
    fact("bc2 has four bits of alpha and always thirds");
    file = begin_code("DXT3", 4, 4);
    for (int i = 0; i < 4; i++)
        put_u16(&file, 0xf810);
    put_colors(&file, 0, 0xffff);
    CHECK_ROW(&file, 2, 0x00000000, 0xffffff11, 0x55555588, 0xaaaaaaff);
    fact("bc3 has eight steps of alpha");
    file = begin_code("DXT5", 4, 4);
    put_values(&file, 255, 3);
    put_colors(&file, 0xffff, 0xffff);
    CHECK_ROW(&file, 0, 0xffffffff, 0xffffff03, 0xffffffdb, 0xffffffb7);
    CHECK_ROW(&file, 1, 0xffffff93, 0xffffff6f, 0xffffff4b, 0xffffff27);
    fact("bc3 has six steps and the extremes otherwise");
    file = begin_code("DXT5", 4, 4);
    put_values(&file, 50, 100);
    put_colors(&file, 0xffff, 0xffff);
    CHECK_ROW(&file, 2, 0xffffff32, 0xffffff64, 0xffffff3c, 0xffffff46);
    CHECK_ROW(&file, 3, 0xffffff50, 0xffffff5a, 0xffffff00, 0xffffffff);
    fact("equal ends count as the first being not larger");
    file = begin_code("DXT5", 4, 4);
    put_values(&file, 50, 50);
    put_colors(&file, 0xffff, 0xffff);
    CHECK_ROW(&file, 3, 0xffffff32, 0xffffff32, 0xffffff00, 0xffffffff);
    file = begin_code("DXT1", 4, 4);
    put_colors(&file, 0xffff, 0xffff);
    CHECK_ROW(&file, 0, 0xffffffff, 0xffffffff, 0xffffffff, 0x00000000);
    fact("dxt2 and dxt4 are divided by alpha");
    file = begin_code("DXT2", 4, 4);
    for (int i = 0; i < 4; i++)
        put_u16(&file, 0x888f);
    put_colors(&file, 8 << 11, 31 << 11); /* 66 and 255 */
    CHECK_ROW(&file, 0, 0x420000ff, 0xff000088, 0xf2000088, 0xff000088);
    file = begin_code("DXT4", 4, 4);
    put_values(&file, 0, 0);
    put_colors(&file, 8 << 11, 31 << 11);
    CHECK_ROW(&file, 0, 0x42000000, 0xff000000, 0x81000000, 0xc0000000);
    fact("rxgb has red where alpha is");
    file = begin_code("RXGB", 4, 4);
    put_values(&file, 255, 3);
    put_colors(&file, 63 << 5, 31);
    CHECK_ROW(&file, 0, 0xffff00ff, 0x0300ffff, 0xdbaa55ff, 0xb755aaff);
    fact("bc4 becomes a grey");
    static const char *const codes[] = {"ATI1", "BC4U"};
    for (size_t i = 0; i < 2; i++) {
        file = begin_code(codes[i], 4, 4);
        put_values(&file, 255, 3);
        CHECK_ROW(&file, 0, 0xffffffff, 0x030303ff, 0xdbdbdbff, 0xb7b7b7ff);
    }
    fact("signed bc4 becomes a grey");
    file = begin_code("BC4S", 4, 4);
    put_values(&file, 127, 0x81);
    CHECK_ROW(&file, 0, 0xffffffff, 0x000000ff, 0xdbdbdbff, 0xb6b6b6ff);
    file = begin_code("BC4S", 4, 4);
    put_values(&file, 0x80, 0); /* -128 counts as -127 */
    CHECK_ROW(&file, 0, 0x000000ff, 0x808080ff, 0x1a1a1aff, 0x333333ff);
    CHECK_ROW(&file, 1, 0x4d4d4dff, 0x666666ff, 0x000000ff, 0xffffffff);
}

TEST(dds_reads_pixels_by_their_masks)
{
    struct file file = begin_masks(RGB | ALPHA_PIXELS, 32, 0xff0000, 0xff00, 0xff, 0xff000000);
    put_u32(&file, 0x80102030);
    put_u32(&file, 0xff405060);
    CHECK_PICTURE(&file, 2, 1, 0x10203080, 0x405060ff);

    file = begin_masks(RGB, 32, 0xff0000, 0xff00, 0xff, 0xff000000);
    put_u32(&file, 0x80102030);
    put_u32(&file, 0x00405060);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x405060ff);

    file = begin_masks(RGB, 24, 0xff0000, 0xff00, 0xff, 0);
    put(&file, "\x30\x20\x10\x60\x50\x40", 6);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x405060ff);

    file = begin_masks(RGB, 16, 0xf800, 0x7e0, 0x1f, 0);
    put_u32(&file, 0x07e0f81f);
    CHECK_PICTURE(&file, 2, 1, 0xff00ffff, 0x00ff00ff);
}

TEST(dds_reads_greys_and_alphas)
{
    struct file file = begin_masks(LUMINANCE, 8, 0xff, 0, 0, 0);
    put_u16(&file, 0x8040);
    CHECK_PICTURE(&file, 2, 1, 0x404040ff, 0x808080ff);

    file = begin_masks(LUMINANCE | ALPHA_PIXELS, 16, 0xff, 0, 0, 0xff00);
    put_u32(&file, 0xff908040);
    CHECK_PICTURE(&file, 2, 1, 0x40404080, 0x909090ff);

    file = begin_masks(ALPHA_ONLY, 8, 0, 0, 0, 0xff);
    put_u16(&file, 0x8040);
    CHECK_PICTURE(&file, 2, 1, 0xffffff40, 0xffffff80);
}

TEST(dds_rejects_formats_it_does_not_know)
{
    struct file file = begin_code("UYV\x01", 4, 4);
    check_error(
        &file,
        "DDS: pixel format 'UYV?' is not supported: DXT1 to DXT5, BC4, BC5, ATI1 and ATI2 are, and plain pixels");
    file = begin_dxgi(98, 4, 4);
    check_error(&file, "DXGI format 98 is not supported: BC1 to BC5 are, and plain pixels of 8 to 32 bits");
    file = begin_masks(0x20, 8, 0, 0, 0, 0);
    check_error(&file, "pixel format flags 0x20");
    file = begin_masks(RGB, 64, 0, 0, 0, 0);
    check_error(&file, "64 bits per pixel, must be 8, 16, 24 or 32");
    file = begin_code("DXT1", 4, 4);
    file.data[4] = 0;
    check_error(&file, "a header of 0 bytes, must be 124");
}

static struct file small(const char *code)
{
    struct file file = begin_code(code, 3, 2);
    put_values(&file, 255, 3);
    put_colors(&file, 31, 0xffff);
    return file;
}

TEST(dds_files_are_read_or_rejected)
{
    fact("bc5 becomes a normal");
    struct file file = begin_code("ATI2", 4, 4);
    put_values(&file, 255, 128); /* x */
    put_values(&file, 128, 128); /* y */
    CHECK_ROW(&file, 0, 0xff8080ff, 0x8080ffff, 0xed80c1ff, 0xdb80d8ff);
    file = begin_code("BC5U", 4, 4);
    put_values(&file, 255, 255);
    put_values(&file, 0, 255); /* longer than 1: z is 0 */
    CHECK_ROW(&file, 0, 0xff0080ff, 0xffff80ff, 0xff3380ff, 0xff6680ff);
    fact("signed bc5 becomes a normal");
    file = begin_code("BC5S", 4, 4);
    put_values(&file, 0, 0);
    put_values(&file, 0, 127);
    CHECK_ROW(&file, 0, 0x8080ffff, 0x80ff80ff, 0x8099fcff, 0x80b3f4ff);
    fact("dds blocks may stick out");
    file = begin_code("DXT1", 5, 1);
    put_colors(&file, 0xffff, 0);
    put_colors(&file, 31, 0);
    CHECK_PICTURE(&file, 5, 1, 0xffffffff, 0x000000ff, 0xaaaaaaff, 0x555555ff, 0x0000ffff);
    fact("dds reads dxgi blocks");
    for (uint32_t format = 70; format <= 72; format++) {
        file = begin_dxgi(format, 4, 4);
        put_colors(&file, 0xffff, 0);
        CHECK_ROW(&file, 0, 0xffffffff, 0x000000ff, 0xaaaaaaff, 0x555555ff);
    }
    file = begin_dxgi(81, 4, 4);
    put_values(&file, 127, 0x81);
    CHECK_ROW(&file, 0, 0xffffffff, 0x000000ff, 0xdbdbdbff, 0xb6b6b6ff);
    fact("dds reads dxgi pixels");
    file = begin_dxgi(28, 1, 1);
    put_u32(&file, 0x80302010);
    CHECK_PICTURE(&file, 1, 1, 0x10203080);
    file = begin_dxgi(87, 1, 1);
    put_u32(&file, 0x80102030);
    CHECK_PICTURE(&file, 1, 1, 0x10203080);
    file = begin_dxgi(61, 1, 1);
    put_u8(&file, 0x40);
    CHECK_PICTURE(&file, 1, 1, 0x404040ff);
    fact("dds rejects too few blocks");
    file = begin_code("DXT5", 8, 4);
    put_zeros(&file, 31);
    check_error(&file, "32 bytes of pixels from byte 128, the file has 159");
    fact("dds of few bytes allocates no gigabyte");
    file = begin_code("DXT1", 16384, 16384);
    put_zeros(&file, 8);
    check_error(&file, "16384 x 16384 pixels need at least 134217728 bytes, there are 8");
    fact("dds fails when cut anywhere");
    struct file blocks = small("DXT5"), dx10 = begin_dxgi(28, 1, 1), pixels = begin_masks(RGB, 24, 255, 0, 0, 0);
    put_u32(&dx10, 0x12345678);
    put_zeros(&pixels, 6);
    check_fails_when_cut(&blocks);
    check_fails_when_cut(&dx10);
    check_fails_when_cut(&pixels);
    fact("dds survives any header");
    struct file files[] = {small("DXT5"), begin_dxgi(76, 3, 2), begin_masks(RGB, 24, 0xff0000, 0xff00, 0xff, 0)};
    put_values(&files[1], 255, 3);
    put_colors(&files[1], 31, 0xffff);
    put_zeros(&files[2], 6);
    for (size_t i = 0; i < 3; i++) {
        for (size_t offset = 4; offset < 148 && offset + 4 <= files[i].size; offset += 4)
            check_extremes(&files[i], offset, 4);
        check_survives_any_byte(&files[i]);
    }
}
