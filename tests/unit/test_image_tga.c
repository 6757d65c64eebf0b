#include "image_check.h"
#include "test.h"

enum { INDICES = 1, COLORS = 2, GREYS = 3, RUNS = 8, FROM_RIGHT = 0x10, FROM_TOP = 0x20 };

struct header {
    unsigned type, depth, width, height, descriptor;
    unsigned map_first, map_length, map_depth;
    const char *id;
};

static struct file begin_with(struct header header)
{
    struct file file = {.size = 0};
    put_u8(&file, (unsigned)strlen(header.id));
    put_u8(&file, header.map_depth != 0);
    put_u8(&file, header.type);
    put_u16(&file, header.map_first);
    put_u16(&file, header.map_length);
    put_u8(&file, header.map_depth);
    put_zeros(&file, 4);
    put_u16(&file, header.width);
    put_u16(&file, header.height);
    put_u8(&file, header.depth);
    put_u8(&file, header.descriptor);
    put(&file, header.id, strlen(header.id));
    return file;
}

static struct file begin(unsigned type, unsigned depth, unsigned width, unsigned height, unsigned descriptor)
{
    return begin_with((struct header){type, depth, width, height, descriptor, 0, 0, 0, ""});
}

static void put_rgb(struct file *file, uint32_t rgb)
{
    put_u16(file, rgb & 0xffff);
    put_u8(file, rgb >> 16);
}

/* 3 x 2 pixels, all different. */
static const uint32_t six[6] = {0x010203, 0x111213, 0x212223, 0x313233, 0x414243, 0x515253};

static struct file six_pixels(unsigned type, unsigned origin)
{
    struct file file = begin(type, 24, 3, 2, origin);
    for (unsigned i = 0; i < 6; i++) {
        unsigned x = i % 3, y = i / 3;
        if (origin & FROM_RIGHT)
            x = 2 - x;
        if (!(origin & FROM_TOP))
            y = 1 - y;
        if (type & RUNS && i % 2 == 0)
            put_u8(&file, 1); /* two plain pixels, in the middle pair from two rows */
        put_rgb(&file, six[y * 3 + x]);
    }
    return file;
}

static void check_six(unsigned type, unsigned origin)
{
    struct file file = six_pixels(type, origin);
    CHECK_PICTURE(&file, 3, 2, 0x010203ff, 0x111213ff, 0x212223ff, 0x313233ff, 0x414243ff, 0x515253ff);
}

TEST(tga_reads_every_kind_of_pixel)
{
    static const struct {
        unsigned type, depth, width, descriptor;
        uint8_t data[9];
        size_t size;
        uint32_t pixels[4];
    } kinds[] = {
        {COLORS, 32, 2, 8, "\x30\x20\x10\x40\x60\x50\x40\xff", 8, {0x10203040, 0x405060ff}},
        {COLORS, 32, 1, 0, "\x30\x20\x10\x40", 4, {0x10203040}}, /* alpha that the header forgot */
        {COLORS, 32, 2, 8, "\x30\x20\x10\0\x60\x50\x40\0", 8, {0x102030ff, 0x405060ff}}, /* all alpha is 0 */
        {COLORS, 16, 4, 0, "\0\x7c\0\2\1\0\x1e\x80", 8, {0xff0000ff, 0x008400ff, 0x000008ff, 0x0000f7ff}},
        {COLORS, 15, 4, 0, "\0\x7c\0\2\1\0\x1e\x80", 8, {0xff0000ff, 0x008400ff, 0x000008ff, 0x0000f7ff}},
        {COLORS, 16, 2, 1, "\xff\x7f\xff\xff", 4, {0xffffff00, 0xffffffff}}, /* the alpha bit, declared */
        {GREYS, 8, 2, 0, "\x40\x80", 2, {0x404040ff, 0x808080ff}},
        {GREYS | RUNS, 16, 2, 8, "\x81\x40\x80", 3, {0x40404080, 0x40404080}},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct file file = begin(kinds[i].type, kinds[i].depth, kinds[i].width, 1, FROM_TOP | kinds[i].descriptor);
        put(&file, kinds[i].data, kinds[i].size);
        check_picture(&file, kinds[i].width, 1, kinds[i].pixels);
    }
}

static struct file indexed(unsigned type, unsigned depth, unsigned first)
{
    struct file file = begin_with((struct header){type, depth, 2, 1, FROM_TOP, first, 2, 24, "a name"});
    put_rgb(&file, 0x102030);
    put_rgb(&file, 0x405060);
    return file;
}

TEST(tgas_are_read_or_rejected)
{
    fact("tga turns all four origins to the top left");
    check_six(COLORS, 0);
    check_six(COLORS, FROM_RIGHT);
    check_six(COLORS, FROM_TOP);
    check_six(COLORS, FROM_RIGHT | FROM_TOP);
    fact("tga packets may cross rows from any origin");
    check_six(COLORS | RUNS, 0);
    check_six(COLORS | RUNS, FROM_RIGHT);
    check_six(COLORS | RUNS, FROM_TOP);
    check_six(COLORS | RUNS, FROM_RIGHT | FROM_TOP);
    fact("tga repeats a run across rows");
    struct file file = begin(COLORS | RUNS, 24, 2, 2, FROM_TOP);
    put_u8(&file, 128 | 2);
    put_rgb(&file, 0x102030);
    put_u8(&file, 0);
    put_rgb(&file, 0x405060);
    CHECK_PICTURE(&file, 2, 2, 0x102030ff, 0x102030ff, 0x102030ff, 0x405060ff);
    fact("tga looks indices up");
    file = indexed(INDICES, 8, 0);
    put_u16(&file, 0x0001);
    CHECK_PICTURE(&file, 2, 1, 0x405060ff, 0x102030ff);
    fact("tga looks runs of indices up");
    file = indexed(INDICES | RUNS, 8, 0);
    put_u16(&file, 0x0181);
    CHECK_PICTURE(&file, 2, 1, 0x405060ff, 0x405060ff);
    fact("tga color map may start late");
    file = indexed(INDICES, 16, 300);
    put_u16(&file, 300);
    put_u16(&file, 301);
    CHECK_PICTURE(&file, 2, 1, 0x102030ff, 0x405060ff);
    fact("tga rejects an index outside the color map");
    file = indexed(INDICES, 16, 300);
    put_u16(&file, 300);
    put_u16(&file, 302);
    check_error(&file, "TGA: a pixel has color 302, the color map holds 2 from 300");
    file.size -= 2;
    put_u16(&file, 299);
    check_error(&file, "a pixel has color 299");
    fact("tga skips a color map it does not need");
    file = begin_with((struct header){COLORS, 24, 1, 1, FROM_TOP, 0, 2, 24, ""});
    put_zeros(&file, 6);
    put_rgb(&file, 0x102030);
    CHECK_PICTURE(&file, 1, 1, 0x102030ff);
    fact("tga rejects a run past the last pixel");
    file = begin(COLORS | RUNS, 24, 2, 2, FROM_TOP);
    put_u8(&file, 128 | 4);
    put_rgb(&file, 0x102030);
    check_error(&file, "a run of 5 pixels at byte 18, only 4 are left");
    fact("tga says where the file ends");
    file = six_pixels(COLORS, 0);
    file.size -= 4;
    check_error(&file, "the file ends at byte 32, inside pixel 4 of 6");
    fact("tga of few bytes allocates no gigabyte");
    file = begin(COLORS | RUNS, 24, 16384, 16384, 0);
    put_zeros(&file, 12);
    check_error(&file, "16384 x 16384 pixels need at least 2097152 bytes, there are 12");
    fact("tga rejects sides out of range");
    struct file wide = begin(COLORS, 24, 16385, 1, 0);
    check_error(&wide, "16385 x 1 pixels, each side must be 1 to 16384");
    struct file flat = begin(COLORS, 24, 5, 0, 0);
    check_error(&flat, "5 x 0 pixels");
    fact("tga fails when cut anywhere");
    struct file plain = six_pixels(COLORS, 0), runs = six_pixels(COLORS | RUNS, 0),
                indices = indexed(INDICES, 8, 0);
    put_u16(&indices, 0x0001);
    check_fails_when_cut(&plain);
    check_fails_when_cut(&runs);
    check_fails_when_cut(&indices);
}

TEST(tga_survives_any_header)
{
    static const uint8_t fields[][2] = {{3, 2}, {5, 2}, {12, 2}, {14, 2}};
    struct file indices = indexed(INDICES | RUNS, 8, 0);
    put_u16(&indices, 0x0181);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        check_extremes(&indices, fields[i][0], fields[i][1]);
    check_survives_any_byte(&indices);
    struct file colors = six_pixels(COLORS | RUNS, 0);
    check_survives_any_byte(&colors);
}
