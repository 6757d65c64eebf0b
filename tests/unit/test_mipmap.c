#include <math.h>

#include "image/mipmap.h"
#include "test.h"

static struct image make_image(uint32_t width, uint32_t height)
{
    struct image image;
    struct error err;
    assert_int_equal(image_init(&image, width, height, &err), 0);
    return image;
}

static struct mipmap must_build(const struct image *image, enum mipmap_kind kind)
{
    struct mipmap mipmap;
    struct error err;
    struct image known = *image;
    image_update_alpha(&known); /* as whoever loads a picture does */
    assert_int_equal(mipmap_build(&known, kind, &mipmap, &err), 0);
    return mipmap;
}

/* A picture of one row, and the only pixel of its last level. */
static void check_last(const uint8_t *pixels, uint32_t width, enum mipmap_kind kind, const uint8_t wanted[4])
{
    struct image image = make_image(width, 1);
    memcpy(image.pixels, pixels, (size_t)width * 4);
    struct mipmap mipmap = must_build(&image, kind);
    assert_memory_equal(mipmap.levels[mipmap.level_count - 1].pixels, wanted, 4);
    mipmap_release(&mipmap);
    image_release(&image);
}

#define PIXELS(...) ((const uint8_t[]){__VA_ARGS__})

TEST(levels_halve_down_to_one_pixel)
{
    struct image image = make_image(13, 5);
    struct mipmap mipmap = must_build(&image, MIPMAP_COLOR);
    static const uint32_t sizes[][2] = {{6, 2}, {3, 1}, {1, 1}};
    assert_int_equal(mipmap.level_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(mipmap.levels[i].width, sizes[i][0]);
        assert_int_equal(mipmap.levels[i].height, sizes[i][1]);
    }
    mipmap_release(&mipmap);
    assert_int_equal(mipmap.level_count, 0);
    mipmap_release(&mipmap);
    image_release(&image);
}

/* Two channels are the value, the others far from it, so that a mixed up channel shows. */
static void check_flat(uint32_t width, uint32_t height, enum mipmap_kind kind, uint8_t value)
{
    struct image image = make_image(width, height);
    const uint8_t color[4] = {value, (uint8_t)(255 - value), (uint8_t)(value ^ 85), value};
    for (size_t i = 0; i < (size_t)width * height; i++)
        memcpy(image.pixels + i * 4, color, 4);
    struct mipmap mipmap = must_build(&image, kind);
    for (uint32_t level = 0; level < mipmap.level_count; level++) {
        const struct image *small = &mipmap.levels[level];
        for (size_t i = 0; i < (size_t)small->width * small->height; i++)
            if (memcmp(small->pixels + i * 4, color, 4))
                fail_msg("%u x %u of %u: level %u is not flat", width, height, value, level + 1);
    }
    mipmap_release(&mipmap);
    image_release(&image);
}

/* Of which all weights are the same; the work is done otherwise. */
TEST(opaque_pictures_have_the_same_levels)
{
    struct image image = make_image(64, 32);
    struct mipmap opaque, other;
    struct error err;
    for (size_t i = 0; i < 4 * image_pixel_count(&image); i++)
        image.pixels[i] = i % 4 == 3 ? 255 : (uint8_t)(i * i * 2654435761u >> 13);
    assert_int_equal(mipmap_build(&image, MIPMAP_COLOR, &opaque, &err), 0);
    image.has_alpha = true;
    assert_int_equal(mipmap_build(&image, MIPMAP_COLOR, &other, &err), 0);
    assert_int_equal(opaque.level_count, 6);
    for (uint32_t level = 0; level < opaque.level_count; level++)
        assert_memory_equal(opaque.levels[level].pixels, other.levels[level].pixels,
                            4 * image_pixel_count(&other.levels[level]));
    mipmap_release(&opaque);
    mipmap_release(&other);
    image_release(&image);
}

TEST(texels_are_averaged)
{
    fact("colors are averaged as light");
    check_last(PIXELS(0, 255, 0, 255, 255, 255, 0, 255), 2, MIPMAP_COLOR, PIXELS(188, 255, 0, 255));
    fact("data are averaged as numbers");
    check_last(PIXELS(0, 255, 10, 0, 255, 255, 11, 100), 2, MIPMAP_DATA, PIXELS(128, 255, 11, 50));
    fact("transparent texels lend no color");
    check_last(PIXELS(200, 100, 50, 255, 0, 255, 0, 0), 2, MIPMAP_COLOR, PIXELS(200, 100, 50, 128));
    check_last(PIXELS(200, 100, 50, 1, 0, 255, 0, 0), 2, MIPMAP_COLOR, PIXELS(200, 100, 50, 1));
    fact("all transparent texels keep their color");
    check_last(PIXELS(200, 100, 50, 0, 200, 100, 50, 0), 2, MIPMAP_COLOR, PIXELS(200, 100, 50, 0));
    fact("an odd side weighs its texels alike");
    check_last(PIXELS(30, 0, 0, 0, 0, 30, 0, 0, 0, 0, 30, 0), 3, MIPMAP_DATA, PIXELS(10, 10, 10, 0));
}

static double light_of(uint8_t code)
{
    double s = code / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

TEST(levels_keep_the_mean_light)
{
    struct image image = make_image(37, 23);
    double sum = 0;
    uint32_t random = 1;
    for (size_t i = 0; i < 37 * 23; i++) {
        random = random * 1664525 + 1013904223;
        image.pixels[i * 4] = (uint8_t)(random >> 24);
        image.pixels[i * 4 + 3] = 255;
        sum += light_of(image.pixels[i * 4]) / (37 * 23);
    }
    struct mipmap mipmap = must_build(&image, MIPMAP_COLOR);
    double last = light_of(mipmap.levels[mipmap.level_count - 1].pixels[0]);
    assert_true(fabs(last - sum) < 0.004); /* half a code */
    mipmap_release(&mipmap);
    image_release(&image);
}

TEST(alpha_that_hides_nothing_weighs_nothing)
{
    check_last(PIXELS(255, 255, 255, 0, 0, 0, 0, 255), 2, MIPMAP_OPAQUE, PIXELS(188, 188, 188, 128));
    check_last(PIXELS(255, 255, 255, 0, 0, 0, 0, 255), 2, MIPMAP_COLOR, PIXELS(0, 0, 0, 128));
}

TEST(levels_are_made)
{
    fact("one pixel has no levels");
    struct image image = make_image(1, 1);
    struct mipmap mipmap = must_build(&image, MIPMAP_COLOR);
    assert_int_equal(mipmap.level_count, 0);
    mipmap_release(&mipmap);
    image_release(&image);
    fact("the longest side fits");
    image = make_image(1, IMAGE_MAX_SIDE);
    mipmap = must_build(&image, MIPMAP_DATA);
    assert_int_equal(mipmap.level_count, 14);
    mipmap_release(&mipmap);
    image_release(&image);
    fact("flat colors stay the same at every level");
    for (unsigned value = 0; value < 256; value++) {
        check_flat(16, 16, MIPMAP_COLOR, (uint8_t)value);
        check_flat(29, 15, MIPMAP_COLOR, (uint8_t)value);
        check_flat(29, 15, MIPMAP_DATA, (uint8_t)value);
    }
    fact("colors weigh as much as their alpha");
    /* A third of full light is code 156. */
    check_last(PIXELS(255, 0, 0, 60, 0, 0, 0, 120), 2, MIPMAP_COLOR, PIXELS(156, 0, 0, 90));
    /* 5 texels to 2: each covers two and a half. */
    fact("an odd side shares its middle");
    image = make_image(1, 5);
    static const uint8_t column[5] = {100, 50, 200, 20, 60};
    for (size_t i = 0; i < 5; i++)
        image.pixels[i * 4] = column[i];
    mipmap = must_build(&image, MIPMAP_DATA);
    assert_int_equal(mipmap.levels[0].height, 2);
    assert_int_equal(mipmap.levels[0].pixels[0], 100); /* (100 + 50 + 200 / 2) / 2.5 */
    assert_int_equal(mipmap.levels[0].pixels[4], 72);  /* (200 / 2 + 20 + 60) / 2.5 */
    mipmap_release(&mipmap);
    image_release(&image);
    fact("levels are rounded once");
    /* Rounding at each level would make 1 of 0 1, 1 of 1 0, and so 1 of all four; the mean is 0.25 of them. */
    check_last(PIXELS(0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), 4, MIPMAP_DATA, PIXELS(0, 0, 0, 0));
    fact("levels tell of alpha as the picture does");
    image = make_image(4, 4);
    image.has_alpha = true;
    mipmap = must_build(&image, MIPMAP_COLOR);
    assert_true(mipmap.levels[1].has_alpha);
    mipmap_release(&mipmap);
    image_release(&image);
}

/* How large a part of a picture passes a test of alpha. */
static double part_that_passes(const struct image *image, double alpha_test)
{
    size_t passing = 0, count = (size_t)image->width * image->height;
    for (size_t i = 0; i < count; i++)
        passing += image->pixels[4 * i + 3] / 255. >= alpha_test;
    return (double)passing / (double)count;
}

TEST(levels_of_a_mask_cover_as_much_as_the_picture)
{
    static const float tests[] = {0.5f, 0.3f, 0.9f};
    for (uint32_t covered = 1; covered < 8; covered += 2)
        for (int t = 0; t < 3; t++) {
            struct image image = make_image(64, 64);
            uint32_t dice = 1; /* leaves are scattered */
            for (size_t i = 0; i < 64 * 64; i++) {
                dice = dice * 1664525 + 1013904223;
                image.pixels[4 * i + 3] = dice >> 29 < covered ? 255 : 0;
            }
            image.has_alpha = true;
            image.alpha_test = tests[t];
            double part = part_that_passes(&image, (double)tests[t]);
            struct mipmap mipmap = must_build(&image, MIPMAP_COLOR);
            /* A texel of the first level is one of five alphas, one of the second of 17, and so on. */
            static const double off[] = {0.2, 0.11, 0.07, 0.07};
            for (uint32_t i = 0; i < 4; i++)
                if (fabs(part_that_passes(&mipmap.levels[i], (double)tests[t]) - part) > off[i])
                    fail_msg("%u of 8, test %g: %g of level %u, %g of the picture", covered, (double)tests[t],
                             part_that_passes(&mipmap.levels[i], (double)tests[t]), i + 1, part);
            mipmap_release(&mipmap);
            image_release(&image);
        }
}

TEST(levels_of_a_mask_keep_alpha_where_it_covers_as_much)
{
    struct image image = make_image(8, 8);
    for (size_t i = 0; i < 64; i++)
        image.pixels[4 * i + 3] = i % 8 < 4 ? 255 : 0;
    image.alpha_test = 0.5f;
    struct mipmap mipmap = must_build(&image, MIPMAP_COLOR);
    for (size_t i = 0; i < 16; i++)
        assert_int_equal(mipmap.levels[0].pixels[4 * i + 3], i % 4 < 2 ? 255 : 0);
    mipmap_release(&mipmap);
    image_release(&image);
}
