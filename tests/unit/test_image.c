#include "image_check.h"
#include "test.h"

/* What image_load takes these bytes for, told by its message: they are only the beginning of a picture. */
static void check_taken_for(const char *bytes, size_t size, const char *name)
{
    struct image image;
    struct error err = {""};
    assert_int_equal(load_bytes((const uint8_t *)bytes, size, &image, &err), -1);
    assert_memory_equal(err.text, name, strlen(name));
    assert_int_equal(err.text[strlen(name)], ':');
}

static void check_unknown(const char *bytes, size_t size)
{
    struct image image;
    struct error err = {""};
    assert_int_equal(load_bytes((const uint8_t *)bytes, size, &image, &err), -1);
    assert_non_null(strstr(err.text, "bytes that are not a picture in LMP, TGA, PNG"));
}

TEST(pictures_start_zeroed)
{
    struct image image;
    struct error err;
    assert_int_equal(image_init(&image, 3, 2, &err), 0);
    assert_int_equal(image.width, 3);
    assert_int_equal(image.height, 2);
    assert_false(image.has_alpha);
    for (size_t i = 0; i < 3 * 2 * 4; i++)
        assert_int_equal(image.pixels[i], 0);
    image_release(&image);
    assert_null(image.pixels);
    image_release(&image);
}

static void check_sides(uint32_t width, uint32_t height, const char *part)
{
    struct image image = {.width = 77};
    struct error err = {""};
    assert_int_equal(image_init(&image, width, height, &err), -1);
    assert_int_equal(image.width, 77);
    assert_non_null(strstr(err.text, part));
}

TEST(sizes_and_alpha_are_checked)
{
    fact("other bytes are not a picture");
    struct file empty = {.size = 0}, text = {.size = 0};
    put(&text, "MD5Version 10 commandline", 25);
    check_error(&text, "25 bytes that are not a picture in LMP, TGA, PNG, JPEG, PCX, DDS, WebP or BMP");
    check_error(&empty, "the file is empty");
    struct file ktx2 = {.size = 0};
    put(&ktx2, "\xABKTX 20\xBB\r\n\x1A\n", 12);
    check_error(&ktx2, "pictures in KTX2 are not read");
    fact("pictures have at most as many pixels as 8192 by 8192");
    check_sides(8193, 8192, "a picture of 8193 x 8192 is 67117056 pixels, at most 67108864 are allowed");
    check_sides(16384, 16384, "268435456 pixels");
    struct image image;
    struct error err;
    assert_int_equal(image_init(&image, 16384, 4096, &err), 0);
    image_release(&image);
    fact("packed size is checked to the byte");
    image = (struct image){0};
    assert_int_equal(image_init_packed(&image, 100, 3, 2, 128, &err), -1);
    assert_null(image.pixels);
    assert_int_equal(image_init_packed(&image, 100, 3, 3, 128, &err), 0);
    image_release(&image);
    fact("empty alpha is dropped but only when all is empty");
    uint8_t pixels[8] = {1, 2, 3, 0, 4, 5, 6, 0};
    image = (struct image){.width = 2, .height = 1, .pixels = pixels};
    image_drop_empty_alpha(&image);
    assert_memory_equal(pixels, ((uint8_t[]){1, 2, 3, 255, 4, 5, 6, 255}), 8);
    pixels[3] = 0;
    image_drop_empty_alpha(&image);
    assert_int_equal(pixels[3], 0);
}

/* Ten pixels: `low` of alpha 0, then `between` of `alpha`, the others opaque. */
static bool is_mask(int low, int between, uint8_t alpha)
{
    uint8_t pixels[40];
    struct image image = {.width = 5, .height = 2, .pixels = pixels};
    for (int i = 0; i < 10; i++)
        memset(&pixels[(size_t)4 * i], i < low ? 0 : i < low + between ? alpha : 255, 4);
    image_update_alpha(&image);
    return image.alpha_is_mask;
}

TEST(pictures_are_recognised)
{
    fact("formats are known by their first bytes");
    check_taken_for("\x89PNG\r\n\x1a\n", 8, "PNG");
    check_taken_for("\xff\xd8\xff\xe0", 4, "JPEG");
    check_taken_for("DDS ", 4, "DDS");
    check_taken_for("BM", 2, "BMP");
    check_taken_for("\x0a\x05\x01\x08", 4, "PCX");
    fact("tga is known by a plausible header");
    check_taken_for("\0\0\x02\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x18\0", 18, "TGA");
    check_unknown("\0\0\x04\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x18\0", 18);
    check_unknown("\0\0\x02\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x11\0", 18);
    check_unknown("\0\0\x02\0\0\0\0\0\0\0\0\0\x01\0\x01\0\x18", 17);
    fact("sides have limits");
    check_sides(0, 1, "a picture of 0 x 1 pixels, each side must be 1 to 16384");
    check_sides(1, 0, "1 x 0");
    check_sides(16385, 1, "16385 x 1");
    check_sides(1, UINT32_MAX, "1 x 4294967295");
    fact("alpha is a mask where hardly any is between");
    assert_true(is_mask(1, 0, 0));
    assert_true(is_mask(9, 0, 0));
    assert_true(is_mask(3, 2, 128));
    assert_false(is_mask(3, 3, 128));
    assert_true(is_mask(3, 3, 7));
    assert_true(is_mask(3, 3, 248));
    assert_false(is_mask(3, 3, 8));
    assert_false(is_mask(3, 3, 247));
    assert_false(is_mask(0, 0, 0));
    assert_false(is_mask(10, 0, 0));
    assert_false(is_mask(0, 2, 128));
    assert_false(is_mask(8, 2, 127));
}
