#include "image_check.h"
#include "test.h"

enum { PLAIN = 0, RUNS = 1 };

/* Everything up to the pixels, of a picture whose window starts at 5,7. */
static struct file begin(unsigned encoding, unsigned planes, unsigned width, unsigned height,
                         unsigned bytes_per_line)
{
    struct file file = {.size = 0};
    put_u8(&file, 10);
    put_u8(&file, 5);
    put_u8(&file, encoding);
    put_u8(&file, 8);
    put_u16(&file, 5);
    put_u16(&file, 7);
    put_u16(&file, 5 + width - 1);
    put_u16(&file, 7 + height - 1);
    put_zeros(&file, 65 - 12);
    put_u8(&file, planes);
    put_u16(&file, bytes_per_line);
    put_zeros(&file, 60);
    return file;
}

/* Colour i is i, i + 1, i + 2 (255 at most). */
static void put_palette(struct file *file)
{
    put_u8(file, 12);
    for (unsigned i = 0; i < 256; i++) {
        put_u8(file, i);
        put_u8(file, i < 255 ? i + 1 : 255);
        put_u8(file, i < 254 ? i + 2 : 255);
    }
}

static void put_text(struct file *file, const char *text)
{
    put(file, text, strlen(text));
}

static struct file small_indexed(void)
{
    struct file file = begin(RUNS, 1, 3, 2, 4);
    put_text(&file, "\xc3\x10\x7f");         /* 16 16 16, and a byte of padding */
    put_text(&file, "\xc1\xf0\x20\xc2\x21"); /* 240, which needs a run of one, 32 33, padding */
    put_palette(&file);
    return file;
}

TEST(pcx_files_are_read_or_rejected)
{
    fact("pcx looks indices up in the palette at the end");
    struct file file = small_indexed();
    CHECK_PICTURE(&file, 3, 2, 0x101112ff, 0x101112ff, 0x101112ff, 0xf0f1f2ff, 0x202122ff, 0x212223ff);
    fact("pcx finds the palette before appended bytes");
    file = begin(RUNS, 1, 2, 1, 2);
    put_text(&file, "\xc2\x10");
    put_palette(&file);
    put_text(&file, "a note");
    CHECK_PICTURE(&file, 2, 1, 0x101112ff, 0x101112ff);
    fact("pcx runs may cross lines");
    file = begin(RUNS, 1, 2, 2, 2);
    put_text(&file, "\xc3\x10\x20");
    put_palette(&file);
    CHECK_PICTURE(&file, 2, 2, 0x101112ff, 0x101112ff, 0x101112ff, 0x202122ff);
    fact("pcx skips runs of length 0");
    file = begin(RUNS, 1, 2, 1, 2);
    put_text(&file, "\xc0\x55\xc0\x66\x10\x20");
    put_palette(&file);
    CHECK_PICTURE(&file, 2, 1, 0x101112ff, 0x202122ff);
    fact("pcx reads plain bytes");
    file = begin(PLAIN, 1, 2, 1, 2);
    put_text(&file, "\xc2\x10");
    put_palette(&file);
    CHECK_PICTURE(&file, 2, 1, 0xc2c3c4ff, 0x101112ff);
    fact("pcx reads three planes with odd lines");
    file = begin(RUNS, 3, 2, 2, 3);
    put_text(&file, "\x11\x12\x55\x21\x22\x55\x31\x32\x55");
    put_text(&file, "\x13\x14\x55\x23\x24\x55\x33\x34\x55");
    CHECK_PICTURE(&file, 2, 2, 0x112131ff, 0x122232ff, 0x132333ff, 0x142434ff);
    fact("pcx reads lines without padding");
    file = begin(PLAIN, 3, 1, 2, 1);
    put_text(&file, "\x11\x21\x31\x12\x22\x32");
    CHECK_PICTURE(&file, 1, 2, 0x112131ff, 0x122232ff);
    fact("pcx reads a fourth plane as alpha");
    file = begin(PLAIN, 4, 1, 1, 2);
    put_text(&file, "\x11\x55\x21\x55\x31\x55\x80\x55");
    CHECK_PICTURE(&file, 1, 1, 0x11213180);
    fact("pcx rejects a missing palette");
    file = begin(RUNS, 1, 2, 1, 2);
    put_text(&file, "\x10\x20");
    check_error(&file,
                "PCX: no palette (the byte 12 and 768 more) after the pixels, which end at byte 130 of 130");
    put_zeros(&file, 769);
    check_error(&file, "no palette");
    fact("pcx rejects lines shorter than the picture");
    file = begin(RUNS, 3, 5, 1, 4);
    check_error(&file, "lines of 4 bytes for 5 pixels, which need a byte each");
    fact("pcx rejects a window inside out");
    file = begin(RUNS, 3, (unsigned)-1, 1, 4);
    check_error(&file, "a window from 5,7 to 3,7, which ends before it begins");
    fact("pcx rejects planes it does not know");
    file = begin(RUNS, 2, 4, 1, 4);
    check_error(&file, "2 planes of 8 bits");
    fact("pcx says where the file ends");
    file = begin(RUNS, 3, 2, 2, 2);
    put_text(&file, "\xc6\x10\x20");
    check_error(&file, "the file ends at byte 131, inside row 1 of 2");
    fact("pcx of few bytes allocates no gigabyte");
    file = begin(RUNS, 1, 16384, 16384, 16384);
    put_zeros(&file, 12);
    check_error(&file, "16384 x 16384 pixels need at least 8388608 bytes, there are 12");
    fact("pcx rejects sides out of range");
    file = begin(RUNS, 1, 1, 1, 65535);
    memset(file.data + 4, 0, 4);
    memset(file.data + 8, 255, 2);
    file.data[66] = 255;
    check_error(&file, "lines of 65535 bytes for 65536 pixels, which need a byte each");
    file.data[9] = 64;
    check_error(&file, "16640 x 8 pixels, each side must be 1 to 16384");
    fact("pcx fails when cut anywhere");
    struct file indexed = small_indexed(), planes = begin(RUNS, 3, 2, 2, 2);
    put_text(&planes, "\xc6\x10\xc2\xf0\xc4\x7f");
    check_fails_when_cut(&indexed);
    check_fails_when_cut(&planes);
}

TEST(pcx_survives_any_header)
{
    struct file indexed = small_indexed();
    for (size_t offset = 4; offset < 12; offset += 2)
        check_extremes(&indexed, offset, 2);
    check_extremes(&indexed, 66, 2);
    struct file planes = begin(RUNS, 3, 2, 2, 2);
    put_text(&planes, "\xc6\x10\xc2\xf0\xc4\x7f");
    check_survives_any_byte(&planes);
}
