#include "image_check.h"

#include <webp/encode.h>

enum { WIDTH = 5, HEIGHT = 3 };

static const uint8_t pixels[HEIGHT][WIDTH][4] = {
    {{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {9, 8, 7, 128}, {1, 2, 3, 255}},
    {{40, 50, 60, 1}, {40, 50, 60, 254}, {0, 0, 0, 255}, {255, 255, 255, 255}, {128, 128, 128, 255}},
    {{7, 7, 7, 7}, {8, 8, 8, 8}, {9, 9, 9, 9}, {10, 10, 10, 10}, {11, 11, 11, 11}},
};

static struct file make_webp(float quality)
{
    uint8_t *data;
    size_t size = quality ? WebPEncodeRGBA(pixels[0][0], WIDTH, HEIGHT, WIDTH * 4, quality, &data)
                          : WebPEncodeLosslessRGBA(pixels[0][0], WIDTH, HEIGHT, WIDTH * 4, &data);
    struct file file = {.size = 0};
    put(&file, data, size);
    WebPFree(data);
    return file;
}

TEST(without_loss_pixels_are_as_they_were)
{
    struct file file = make_webp(0);
    struct image image = must_load(&file);
    assert_int_equal(image.width, WIDTH);
    assert_int_equal(image.height, HEIGHT);
    assert_true(image.has_alpha);
    assert_memory_equal(image.pixels, pixels, sizeof pixels);
    image_release(&image);
}

TEST(with_loss_alpha_stays)
{
    struct file file = make_webp(90);
    struct image image = must_load(&file);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(image.pixels[4 * i + 3], pixels[i / WIDTH][i % WIDTH][3]);
    image_release(&image);
}

TEST(a_cut_or_damaged_file_gives_a_message)
{
    for (float quality = 0; quality < 100; quality += 90) {
        struct file file = make_webp(quality);
        check_survives_any_byte(&file);
        for (size_t size = 0; size < file.size - 1; size++)
            check_survives(file.data, size);
        file.size /= 2;
        check_error(&file, "broken or cut off");
    }
}

TEST(an_animation_is_not_read)
{
    struct file file = make_webp(0);
    /* Of the extended header: the flags, and the sides less 1. */
    static const char header[] = "RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\x02\0\0\0\4\0\0\2\0\0";
    memcpy(file.data, header, sizeof header - 1);
    check_error(&file, "it is animated");
}
