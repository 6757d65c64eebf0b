#include "image_check.h"
#include "test.h"

enum { CORE = 12, INFO = 40, V2 = 52, V3 = 56, OS2 = 64, V4 = 108, V5 = 124 };
enum { PLAIN = 0, RLE8 = 1, RLE4 = 2, BIT_FIELDS = 3, ALPHA_BIT_FIELDS = 6 };

struct header {
    unsigned size, bits, compression, colors;
    int width, height;
    uint32_t masks[4];
};

/* Both headers, and the masks where they stand apart. What follows is the palette and then the pixels, which are
 * `palette_size` bytes further on. */
static struct file begin(const struct header *header, unsigned palette_size)
{
    struct file file = {.size = 0};
    unsigned mask_count = header->size >= V3 || header->compression == ALPHA_BIT_FIELDS ? 4
                          : header->size >= V2 || header->compression == BIT_FIELDS     ? 3
                                                                                        : 0;
    unsigned end = 14 + header->size;
    if (end < 54 + mask_count * 4 && mask_count > 0)
        end = 54 + mask_count * 4;
    put(&file, "BM", 2);
    put_zeros(&file, 8);
    put_u32(&file, end + palette_size);
    put_u32(&file, header->size);
    if (header->size == CORE) {
        put_u16(&file, (unsigned)header->width);
        put_u16(&file, (unsigned)header->height);
    } else {
        put_u32(&file, (uint32_t)header->width);
        put_u32(&file, (uint32_t)header->height);
    }
    put_u16(&file, 1);
    put_u16(&file, header->bits);
    if (header->size == CORE)
        return file;
    put_u32(&file, header->compression);
    put_zeros(&file, 12);
    put_u32(&file, header->colors);
    put_u32(&file, 0);
    for (unsigned i = 0; i < mask_count; i++)
        put_u32(&file, header->masks[i]);
    put_zeros(&file, end - file.size);
    return file;
}

/* Colours 0x102030, 0x112131, ... */
static void put_palette(struct file *file, unsigned count, unsigned entry_size)
{
    for (unsigned i = 0; i < count; i++) {
        put_u8(file, 0x30 + i);
        put_u8(file, 0x20 + i);
        put_u8(file, 0x10 + i);
        put_zeros(file, entry_size - 3);
    }
}

static void put_text(struct file *file, const char *text, size_t size)
{
    put(file, text, size);
}

static struct file rgb24(int height)
{
    struct file file = begin(&(struct header){.size = INFO, .bits = 24, .width = 1, .height = height}, 0);
    put_u32(&file, 0x00102030);
    put_u32(&file, 0x00405060);
    return file;
}

static struct file indexed(unsigned bits, int width, unsigned colors)
{
    struct header header = {.size = INFO, .bits = bits, .width = width, .height = 1, .colors = colors};
    struct file file = begin(&header, colors * 4);
    put_palette(&file, colors, 4);
    return file;
}

TEST(bmp_looks_indices_up)
{
    struct file file = indexed(8, 3, 3);
    put_u32(&file, 0x00000102);
    CHECK_PICTURE(&file, 3, 1, 0x122232ff, 0x112131ff, 0x102030ff);
    file = indexed(4, 3, 3);
    put_u32(&file, 0x00000012);
    CHECK_PICTURE(&file, 3, 1, 0x112131ff, 0x122232ff, 0x102030ff);
    file = indexed(1, 3, 2);
    put_u32(&file, 0x000000a0);
    CHECK_PICTURE(&file, 3, 1, 0x112131ff, 0x102030ff, 0x112131ff);
    file = indexed(8, 3, 3);
    put_u32(&file, 0x00030102);
    check_error(&file, "BMP: a pixel has color 3 of 3");
}

static struct file masked(unsigned size, unsigned compression)
{
    struct header header = {size, 32, compression, 0, 2, 1, {0xff, 0xff00, 0xff0000, 0xff000000}};
    struct file file = begin(&header, 0);
    put_u32(&file, 0x80302010);
    put_u32(&file, 0xff605040);
    return file;
}

TEST(bmp_reads_masks_of_every_header)
{
    struct file file = masked(INFO, BIT_FIELDS);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x405060ff);
    file = masked(V2, BIT_FIELDS);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x405060ff);
    static const unsigned with_alpha[] = {V3, V4, V5};
    for (size_t i = 0; i < 3; i++) {
        file = masked(with_alpha[i], BIT_FIELDS);
        CHECK_PICTURE(&file, 2, 1, 0x10203080, 0x405060ff);
    }
    file = masked(INFO, ALPHA_BIT_FIELDS);
    CHECK_PICTURE(&file, 2, 1, 0x10203080, 0x405060ff);
}

static struct file runs(unsigned compression, int width, int height)
{
    struct header header = {.size = INFO,
                            .bits = compression == RLE4 ? 4 : 8,
                            .compression = compression,
                            .width = width,
                            .height = height,
                            .colors = 4};
    struct file file = begin(&header, 16);
    put_palette(&file, 4, 4);
    return file;
}

static struct file small_runs(void)
{
    struct file file = runs(RLE8, 4, 2);
    put_text(&file, "\x01\x03\0\x03\x01\x02\x03\0", 8); /* 3, then 1 2 3 and padding */
    put_text(&file, "\0\0\x04\x01\0\x01", 6);           /* next row, 1 1 1 1, end */
    return file;
}

TEST(bmp_reads_runs)
{
    struct file file = small_runs();
    CHECK_PICTURE(&file, 4, 2, 0x112131ff, 0x112131ff, 0x112131ff, 0x112131ff, 0x132333ff, 0x112131ff, 0x122232ff,
                  0x132333ff);
    file = runs(RLE4, 6, 1);
    put_text(&file, "\x03\x12\0\x03\x32\x10\0\x01", 8); /* 1 2 1, then 3 2 1 */
    CHECK_PICTURE(&file, 6, 1, 0x112131ff, 0x122232ff, 0x112131ff, 0x132333ff, 0x122232ff, 0x112131ff);
    file = runs(RLE8, 2, -2); /* what runs jump over has colour 0 */
    put_text(&file, "\0\x02\x01\x01\x01\x02\0\x01", 8);
    CHECK_PICTURE(&file, 2, 2, 0x102030ff, 0x102030ff, 0x102030ff, 0x122232ff);
    file = runs(RLE8, 2, 2); /* what they encode of the padding is dropped */
    put_text(&file, "\x04\x01\0\0\x01\x02\0\x03\x03\x01\x01\0\0\x01", 14);
    CHECK_PICTURE(&file, 2, 2, 0x122232ff, 0x132333ff, 0x112131ff, 0x112131ff);
}

TEST(bmp_rejects_headers_it_does_not_know)
{
    struct file file = rgb24(2);
    file.data[14] = 41;
    check_error(&file, "a header of 41 bytes");
    file = rgb24(2);
    file.data[28] = 23;
    check_error(&file, "23 bits per pixel");
    file = rgb24(2);
    file.data[30] = 4;
    check_error(
        &file,
        "compression 4 with 24 bits per pixel, must be 0, 1 with 8 bits, 2 with 4, or 3 or 6 with 16 or 32");
    file = rgb24(0);
    check_error(&file, "1 x 0 pixels");
    file = rgb24(INT32_MIN);
    check_error(&file, "1 x 2147483648 pixels, each side must be 1 to 16384");
}

TEST(bmps_are_read_or_rejected)
{
    fact("bmp rows start at the bottom unless the height is negative");
    struct file file = rgb24(2);
    CHECK_PICTURE(&file, 1, 2, 0x405060ff, 0x102030ff);
    file = rgb24(-2);
    CHECK_PICTURE(&file, 1, 2, 0x102030ff, 0x405060ff);
    file.size--; /* the last row may lack its padding */
    CHECK_PICTURE(&file, 1, 2, 0x102030ff, 0x405060ff);
    fact("bmp reads os2 headers");
    file = begin(&(struct header){.size = CORE, .bits = 1, .width = 2, .height = 1}, 6);
    put_palette(&file, 2, 3);
    put_u32(&file, 0x40);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x112131ff);
    file = begin(&(struct header){.size = OS2, .bits = 24, .width = 1, .height = 1}, 0);
    put_u32(&file, 0x102030);
    CHECK_PICTURE(&file, 1, 1, 0x102030ff);
    fact("bmp 16 bits are 555 unless masks say otherwise");
    struct header header = {.size = INFO, .bits = 16, .width = 2, .height = 1};
    file = begin(&header, 0);
    put_u32(&file, 0x83e07c1f);
    CHECK_PICTURE(&file, 2, 1, 0xff00ffff, 0x00ff00ff);
    header = (struct header){INFO, 16, BIT_FIELDS, 0, 2, 1, {0xf800, 0x7e0, 0x1f, 0}};
    file = begin(&header, 0);
    put_u32(&file, 0x07e0f81f);
    CHECK_PICTURE(&file, 2, 1, 0xff00ffff, 0x00ff00ff);
    fact("bmp of 32 bits is opaque when all alpha is 0");
    file = begin(&(struct header){.size = INFO, .bits = 32, .width = 2, .height = 1}, 0);
    put_u32(&file, 0x00102030);
    put_u32(&file, 0x00405060);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x405060ff);
    file.data[file.size - 1] = 0x80;
    CHECK_PICTURE(&file, 2, 1, 0x10203000, 0x40506080);
    fact("bmp rejects runs that leave the picture");
    struct file far = runs(RLE8, 2, 1), low = far;
    put_text(&far, "\0\x02\x03\0", 4);
    check_error(&far, "a move before byte 74 leaves the picture of 2 x 1, at column 3 of row 0");
    put_text(&low, "\0\0\x01\x01", 4);
    check_error(&low, "a run before byte 74 leaves the picture of 2 x 1, at column 0 of row 1");
    fact("bmp rejects pixels past the end");
    file = rgb24(2);
    file.data[11] = 1;
    check_error(&file, "pixels from byte 310, the file has 62");
    fact("bmp of few bytes allocates no gigabyte");
    file = runs(RLE8, 16384, 16384);
    put_zeros(&file, 10);
    check_error(&file, "16384 x 16384 pixels need at least 2097152 bytes, there are 10");
    fact("bmp fails when cut anywhere");
    file = rgb24(2);
    file.size--; /* the padding of the last row may be missing */
    check_fails_when_cut(&file);
    file = indexed(8, 4, 3);
    put_u32(&file, 0x00000102);
    check_fails_when_cut(&file);
    file = masked(V5, BIT_FIELDS);
    check_fails_when_cut(&file);
    file = small_runs();
    check_fails_when_cut(&file);
    fact("bmp survives any header");
    struct file files[] = {rgb24(2), small_runs(), masked(V5, BIT_FIELDS), indexed(4, 3, 3)};
    put_u32(&files[3], 0x00000012);
    for (size_t i = 0; i < 4; i++) {
        for (size_t offset = 2; offset < 54; offset += 4)
            check_extremes(&files[i], offset, 4);
        check_survives_any_byte(&files[i]);
    }
}
