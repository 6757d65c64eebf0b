/* Palettes: files of them, those that are found for pixels, and pixels that get their colours. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/palette.h"
#include "image_check.h"
#include "test.h"

static int load(const char *data, size_t size, struct palette *out, struct error *err)
{
    uint8_t *copy = malloc(size ? size : 1); /* exactly that size, so that ASan sees a read past the end */
    assert_non_null(copy);
    memcpy(copy, data, size);
    int result = palette_load((struct bytes){copy, size}, out, err);
    free(copy);
    return result;
}

static void expect_colors(const char *text, uint32_t count, const uint8_t (*colors)[3])
{
    struct palette palette = {0};
    struct error err = {""};
    if (load(text, strlen(text), &palette, &err))
        fail_msg("%s", err.text);
    assert_int_equal(palette.count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_memory_equal(palette.colors[i], colors[i], 3);
}

static void expect_error(const char *text, const char *message)
{
    struct palette palette = {.count = 77};
    struct error err = {""};
    assert_int_equal(load(text, strlen(text), &palette, &err), -1);
    assert_string_equal(err.text, message);
    assert_int_equal(palette.count, 77);
}

static const char gimp[] = "GIMP Palette\r\nName: Some: more\r\nColumns: 2\r\n#\r\n  0   0   0\tBlack \"\r\n"
                           "255 128   7 Orange // 1\r\n# 1 2 3\r\n\r\n0 0 0 Black again\r\n";
static const char jasc[] = "JASC-PAL\r\n0100\r\n2\r\n0 0 0\r\n255 128 7\r\n";
static const char hex[] = "000000\nFF8007\r\n#ff8007\n\n";

TEST(palettes_are_read)
{
    static const uint8_t two[2][3] = {{0, 0, 0}, {255, 128, 7}};
    const char *const texts[] = {gimp,
                                 jasc,
                                 hex,
                                 "000000\nff8007",
                                 "\r\n\n000000\nff8007",
                                 "\xEF\xBB\xBF"
                                 "000000\nff8007",
                                 "#000000 \n255 128 7"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_colors(texts[i], 2, two);
    fact("cut anywhere they have fewer colours, or a message");
    for (size_t i = 0; i < 3; i++)
        for (size_t length = 0; length < strlen(texts[i]); length++) {
            struct palette palette = {0};
            struct error err = {""};
            if (load(texts[i], length, &palette, &err) == 0)
                assert_in_range(palette.count, 1, 3);
            else
                assert_true(err.text[0]);
        }
}

TEST(what_is_no_palette_has_a_message)
{
    static const char number[] = "line 4: neither three numbers up to 255 nor six hexadecimal digits";
    char many[257 * 7 + 1] = "";
    for (unsigned i = 0; i < 257; i++)
        snprintf(many + 7 * i, 8, "%06x\n", i);
    expect_error(many, "line 257: a palette has at most 256 colours");
    many[256 * 7] = '\0';
    struct palette palette;
    struct error err;
    assert_int_equal(load(many, strlen(many), &palette, &err), 0);
    assert_int_equal(palette.count, 256);
    expect_error("GIMP Palette\nName: x\nColumns: 1\n256 0 0\n", number);
    expect_error("GIMP Palette\nName: x\nColumns: 1\n-1 0 0\n", number);
    expect_error("GIMP Palette\nName: x\nColumns: 1\n1 2\n", number);
    expect_error("JASC-PAL\n0100\n1\n99999999999999999999 1 2\n", number);
    expect_error("000000\n000001\n000002\n00000\n", number);
    expect_error("000000\n000001\n000002\n0000000\n", number);
    expect_error("000000\n000001\n000002\n00000g\n", number);
    expect_error("GIMP Palette\nName: x\n", "a palette without colours");
    expect_error("JASC-PAL\n", "a palette without colours");
    assert_int_equal(load("colours", 7, &palette, &err), -1);
    assert_non_null(strstr(err.text, "neither a palette of GIMP, JASC or hexadecimal digits nor a picture"));
}

/* An uncompressed TGA of a row, with alpha. */
static struct file picture(unsigned width)
{
    struct file file = {.size = 0};
    put(&file, "\0\0\2\0\0\0\0\0\0\0\0\0", 12);
    put_u16(&file, width);
    put_u16(&file, 1);
    put_u8(&file, 32);
    put_u8(&file, 0x28);
    return file;
}

TEST(a_picture_of_few_colours_is_a_palette)
{
    struct palette palette;
    struct error err;
    struct file file = picture(4);
    put(&file, "\1\2\3\xff\1\2\3\x80\x9\x9\x9\x7f\4\5\6\xff", 16);
    assert_int_equal(load((const char *)file.data, file.size, &palette, &err), 0);
    assert_int_equal(palette.count, 2);
    assert_memory_equal(palette.colors[0], ((const uint8_t[]){3, 2, 1}), 3);
    assert_memory_equal(palette.colors[1], ((const uint8_t[]){6, 5, 4}), 3);
    file = picture(257);
    for (unsigned i = 0; i < 257; i++)
        put_u32(&file, 0xff000000u | i);
    assert_int_equal(load((const char *)file.data, file.size, &palette, &err), -1);
    assert_string_equal(err.text, "a picture of more than 256 colours is no palette");
}

/* -- Found for pixels ---------------------------------------------------------------------------------------- */

static void put_pixel(uint8_t *pixel, uint32_t rgba)
{
    for (int c = 0; c < 4; c++)
        pixel[c] = (uint8_t)(rgba >> (24 - 8 * c));
}

TEST(few_colours_are_all_found_and_rare_ones_that_stand_out)
{
    enum { COUNT = 10000 };
    struct color_counts *counts = must_alloc(1, sizeof *counts);
    uint8_t *pixels = must_alloc(COUNT, 4);
    for (uint32_t i = 0; i < COUNT; i++) /* greys; some red; a blue that cannot be seen */
        put_pixel(pixels + 4 * i, i < 30 ? 0xff0000ff : i == 30 ? 0x0000ff00 : 0x01010100 * (i % 64) | 0xff);
    color_counts_add(counts, pixels, COUNT);
    struct palette palette = {0};
    palette_find(&palette, counts, 4);
    assert_int_equal(palette.count, 4);
    bool has_red = false;
    for (uint32_t i = 0; i < palette.count; i++) {
        has_red |= !memcmp(palette.colors[i], "\xff\0\0", 3);
        assert_int_not_equal(palette.colors[i][2], 255);
    }
    assert_true(has_red);
    fact("all there are, where these are fewer; those that it had stay, and come first");
    memset(counts, 0, sizeof *counts);
    color_counts_add(counts, pixels, COUNT);
    palette = (struct palette){0};
    palette_add(&palette, (const uint8_t[]){1, 200, 3});
    palette_find(&palette, counts, 256);
    assert_int_equal(palette.count, 1 + 1 + 8); /* the greys are in 8 steps of 8 */
    assert_int_equal(palette.colors[0][1], 200);
    free(pixels);
    free(counts);
}

/* -- Pixels of few colours ----------------------------------------------------------------------------------- */

enum { SIDE = 32 };

/* The part of a grey's pixels that are white, in black and white; alpha goes the same way. */
static double part_of_white(enum dither dither, uint32_t rgba, int channel)
{
    static uint8_t pixels[SIDE * SIDE][4];
    struct palette palette = {0};
    int white = 0;
    palette_add(&palette, (const uint8_t[]){0, 0, 0});
    palette_add(&palette, (const uint8_t[]){255, 255, 255});
    for (int i = 0; i < SIDE * SIDE; i++)
        put_pixel(pixels[i], rgba);
    palette_apply(&palette, dither, pixels[0], SIDE * sizeof pixels[0], SIDE, SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) {
        uint8_t value = pixels[i][channel];
        assert_true(value == 0 || value == 255);
        assert_true(pixels[i][3] == 255 || !memcmp(pixels[i], "\0\0\0\0", 4));
        white += value == 255;
    }
    return white / (double)(SIDE * SIDE);
}

TEST(patterns_mix_as_much_of_a_colour_as_it_has)
{
    /* The lightness of OKLab at 0x63, linear light 0.125, is one half. */
    for (int dither = DITHER_BAYER; dither <= DITHER_BLUE_NOISE; dither++) {
        assert_true(fabs(part_of_white((enum dither)dither, 0x636363ff, 0) - 0.5) < 0.04);
        assert_true(fabs(part_of_white((enum dither)dither, 0x4a4a4aff, 0) - 0.41) < 0.04);
        assert_true(fabs(part_of_white((enum dither)dither, 0xffffff40, 3) - 0.25) < 0.04);
    }
    assert_true(part_of_white(DITHER_NONE, 0x646464ff, 0) == 1);
    assert_true(part_of_white(DITHER_NONE, 0x626262ff, 0) == 0);
    assert_true(part_of_white(DITHER_NONE, 0xffffff80, 3) == 1);
    assert_true(part_of_white(DITHER_NONE, 0xffffff7f, 3) == 0);
    fact("a colour of the palette is no mixture");
    for (int dither = DITHER_NONE; dither <= DITHER_BLUE_NOISE; dither++)
        assert_true(part_of_white((enum dither)dither, 0xffffffff, 0) == 1);
}
