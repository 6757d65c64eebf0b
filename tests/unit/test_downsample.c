#include "render/downsample.h"

#include <math.h>
#include <stdlib.h>

#include "image/srgb.h"
#include "test.h"

enum { SIDE = 8, MAX_SIDE = SIDE * DOWNSAMPLE_MAX_FACTOR };

/* Pixels of codes as drawing leaves them: linear light, 16 bits a channel. */
static void light_of(const uint8_t *codes, size_t count, uint16_t *out)
{
    for (size_t i = 0; i < 4 * count; i++)
        out[i] = (uint16_t)(i % 4 == 3 ? codes[i] * 257.0f : srgb_to_linear[codes[i]] * 65535 + 0.5f);
}

static void downsample_codes(const uint8_t *codes, uint32_t width, uint32_t height, uint32_t factor, uint8_t *out)
{
    uint16_t light[4 * MAX_SIDE * MAX_SIDE];
    light_of(codes, (size_t)width * height * factor * factor, light);
    downsample_light(light, (size_t)4 * width * factor, width, height, factor, out, (size_t)4 * width);
}

/* One block, its pixels in order from the top, made into one pixel. */
static void assert_reduces(reducer *reduce, const uint8_t *block, uint32_t factor, const uint8_t expected[4])
{
    uint8_t out[4] = {1, 2, 3, 4}, turned[4 * DOWNSAMPLE_MAX_FACTOR * DOWNSAMPLE_MAX_FACTOR];
    for (uint32_t y = 0; y < factor; y++)
        memcpy(turned + 4 * factor * y, block + 4 * factor * (factor - 1 - y), 4 * factor);
    downsample(turned, 4 * factor, 1, 1, factor, reduce, out, 4);
    assert_memory_equal(out, expected, 4);
}

static void assert_becomes(const uint8_t *block, uint32_t factor, const uint8_t expected[4])
{
    uint8_t out[4] = {1, 2, 3, 4};
    downsample_codes(block, 1, 1, factor, out);
    assert_memory_equal(out, expected, 4);
}

TEST(samples_are_averaged)
{
    fact("black and white average in linear light");
    const uint8_t block[16] = {0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 255};
    assert_becomes(block, 2, (const uint8_t[4]){188, 188, 188, 255});
    fact("a half covered edge keeps its pure colour");
    const uint8_t red[16] = {255, 0, 0, 255, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 0, 0};
    assert_becomes(red, 2, (const uint8_t[4]){255, 0, 0, 128});
    const uint8_t dim[16] = {90, 40, 7, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    assert_becomes(dim, 2, (const uint8_t[4]){90, 40, 7, 64});
    fact("a transparent pixel has no colour");
    const uint8_t none[16] = {0};
    assert_becomes(none, 2, none);
    assert_becomes(none, 1, none);
    const uint8_t almost[16] = {1, 1, 1, 1};
    assert_becomes(almost, 2, none);
    /* Black at half alpha is 0 times one half; white is code 188, which is half of white's light. */
    fact("colours come multiplied by alpha");
    const uint8_t black[16] = {0, 0, 0, 128, 0, 0, 0, 128, 0, 0, 0, 128, 0, 0, 0, 128};
    assert_becomes(black, 2, (const uint8_t[4]){0, 0, 0, 128});
    const uint8_t white[4] = {188, 188, 188, 128};
    assert_becomes(white, 1, (const uint8_t[4]){255, 255, 255, 128});
    const uint8_t both[16] = {188, 188, 188, 128, 0, 0, 0, 128, 188, 188, 188, 128, 0, 0, 0, 128};
    assert_becomes(both, 2, (const uint8_t[4]){188, 188, 188, 128});
}

/* Light without alpha: over black it must look as it is, so the strongest channel makes alpha. */
TEST(added_light_gets_the_alpha_it_needs)
{
    const uint8_t white[4] = {255, 255, 255, 0}, half_red[4] = {188, 0, 0, 0};
    assert_becomes(white, 1, (const uint8_t[4]){255, 255, 255, 255});
    assert_becomes(half_red, 1, (const uint8_t[4]){255, 0, 0, 128});
    const uint8_t quarter[16] = {255, 188, 0, 0};
    assert_becomes(quarter, 2, (const uint8_t[4]){255, 188, 0, 64});
}

/* All codes at once. */
TEST(flat_areas_stay_exact)
{
    for (uint32_t factor = 1; factor <= DOWNSAMPLE_MAX_FACTOR; factor++)
        for (int code = 0; code < 256; code++)
            for (int covered = 1; covered >= 0; covered--) {
                uint8_t block[4 * DOWNSAMPLE_MAX_FACTOR * DOWNSAMPLE_MAX_FACTOR] = {0}, out[4];
                for (uint32_t i = 0; i < factor * factor; i++) {
                    uint8_t pixel[4] = {(uint8_t)code, (uint8_t)(255 - code), (uint8_t)i, 255};
                    if (i == 0 || covered)
                        memcpy(block + 4 * i, pixel, 4);
                }
                downsample_codes(block, 1, 1, factor, out);
                assert_int_equal(out[0], code);
                assert_int_equal(out[1], 255 - code);
            }
}

/* The definition for any input, in double and with powf in place of tables. */
static double decode(uint8_t code)
{
    double c = code / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double encode(double linear)
{
    return 255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055);
}

static void reference(const uint16_t *block, size_t stride, uint32_t factor, double out[4])
{
    double sums[4] = {0};
    for (uint32_t y = 0; y < factor; y++)
        for (uint32_t x = 0; x < factor; x++)
            for (int i = 0; i < 4; i++)
                sums[i] += block[y * stride + 4 * x + i] / 65535.0;
    double needed = fmax(sums[3], fmax(sums[0], fmax(sums[1], sums[2])));
    out[3] = 255 * needed / (factor * factor);
    for (int i = 0; i < 3; i++)
        out[i] = out[3] >= 0.5 ? encode(sums[i] / needed) : 0;
}

static void fill_at_random(uint16_t *pixels, size_t count, int kind)
{
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 3; k++)
            pixels[4 * i + k] =
                (uint16_t)(rand() % (kind & 1 ? 65536 : 600)); /* dark codes lie closest together */
        int alpha = rand() % 65536;
        pixels[4 * i + 3] = (uint16_t)(kind < 2 ? 65535 : kind < 4 ? alpha : alpha & 1 ? 65535 : 0);
    }
}

TEST(any_input_is_right_to_the_nearest_code)
{
    static uint16_t source[MAX_SIDE * MAX_SIDE * 4];
    uint8_t out[SIDE * SIDE * 4];
    srand(1);
    for (int round = 0; round < 240; round++) {
        uint32_t factor = 1 + round % DOWNSAMPLE_MAX_FACTOR;
        size_t stride = 4 * SIDE * factor;
        fill_at_random(source, SIDE * factor * SIDE * factor, round / DOWNSAMPLE_MAX_FACTOR % 6);
        downsample_light(source, stride, SIDE, SIDE, factor, out, 4 * SIDE);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            double expected[4];
            reference(source + (SIDE - 1 - i / SIDE) * factor * stride + i % SIDE * factor * 4, stride, factor,
                      expected);
            for (int k = 0; k < 4; k++)
                assert_true(fabs(out[4 * i + k] - expected[k]) < 0.501);
        }
    }
}

/* All 256 * 256 pairs, both ways round: 0.53 leaves room for ties, and for light in 16 bits. */
TEST(every_pair_of_opaque_codes_is_right_to_the_nearest)
{
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            uint8_t block[16] = {(uint8_t)a, (uint8_t)b, 0, 255, (uint8_t)b, (uint8_t)a, 1, 255};
            memcpy(block + 8, block, 8);
            uint8_t out[4];
            downsample_codes(block, 1, 1, 2, out);
            double expected = encode((decode((uint8_t)a) + decode((uint8_t)b)) / 2);
            assert_true(fabs(out[0] - expected) < 0.53 && fabs(out[1] - expected) < 0.53);
        }
}

TEST(factor_1_is_the_same_picture_turned_over)
{
    uint8_t source[SIDE * SIDE * 4], out[SIDE * SIDE * 4];
    for (size_t i = 0; i < sizeof source; i++)
        source[i] = (uint8_t)(i % 4 == 3 ? 255 : rand());
    downsample_codes(source, SIDE, SIDE, 1, out);
    for (size_t y = 0; y < SIDE; y++)
        assert_memory_equal(out + 4 * SIDE * y, source + 4 * SIDE * (SIDE - 1 - y), 4 * SIDE);
}

TEST(only_the_pixels_of_the_result_are_written)
{
    uint16_t source[16 * 24];
    uint8_t out[5][40];
    fill_at_random(source, sizeof source / sizeof *source / 4, 1);
    memset(out, 7, sizeof out);
    downsample_light(source, 16, 2, 3, 2, &out[1][8], 40);
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 40; x++)
            if (y < 1 || y > 3 || x < 8 || x >= 16)
                assert_int_equal(out[y][x], 7);
    assert_int_equal(out[3][15], 255);
}

TEST(an_empty_picture_is_left_alone)
{
    const uint16_t none[4] = {0};
    uint8_t out[4] = {7, 7, 7, 7};
    downsample_light(none, 0, 0, 0, 2, out, 0);
    downsample(out, 0, 0, 0, 2, reduce_middle, out, 0);
    assert_int_equal(out[0], 7);
}

/* -- What is not a colour ------------------------------------------------------------------------------------- */

TEST(normals_are_averaged_as_vectors)
{
    const uint8_t right_and_front[4][4] = {
        {255, 128, 128, 255}, {128, 128, 255, 255}, {255, 128, 128, 255}, {128, 128, 255, 255}};
    assert_reduces(reduce_normals, right_and_front[0], 2, (const uint8_t[4]){218, 128, 218, 255});
    const uint8_t edge[4][4] = {{128, 255, 128, 255}, {0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    assert_reduces(reduce_normals, edge[0], 2, (const uint8_t[4]){128, 255, 128, 64});
    const uint8_t opposite[4][4] = {{255, 128, 128, 255}, {1, 128, 128, 255}, {0}, {0}};
    assert_reduces(reduce_normals, opposite[0], 2, (const uint8_t[4]){128, 128, 255, 128});
    const uint8_t none[4][4] = {{0}};
    assert_reduces(reduce_normals, none[0], 2, none[0]);
}

TEST(masks_keep_the_code_of_most_samples)
{
    const uint8_t nine[9][4] = {{1, 1, 1, 255}, {2, 2, 2, 255}, {2, 2, 2, 255},
                                {3, 3, 3, 255}, {2, 2, 2, 255}, {1, 1, 1, 255},
                                {1, 1, 1, 255}, {2, 2, 2, 255}, {0}};
    assert_reduces(reduce_majority, nine[0], 3, nine[1]);
    const uint8_t tie[4][4] = {{5, 5, 5, 255}, {6, 6, 6, 255}, {6, 6, 6, 255}, {5, 5, 5, 255}};
    assert_reduces(reduce_majority, tie[0], 2, tie[0]);
    const uint8_t mostly_empty[4][4] = {{5, 5, 5, 255}, {0}, {0}, {0}};
    assert_reduces(reduce_majority, mostly_empty[0], 2, mostly_empty[1]);
}

TEST(texture_coordinates_are_those_of_the_middle)
{
    uint8_t samples[9][4] = {{0}};
    for (uint8_t i = 0; i < 9; i++)
        memcpy(samples[i], (const uint8_t[4]){i, (uint8_t)(100 + i), 0, 255}, 4);
    assert_reduces(reduce_middle, samples[0], 3, (const uint8_t[4]){4, 104, 0, 255});
    samples[4][3] = 0;
    assert_reduces(reduce_middle, samples[0], 3, (const uint8_t[4]){1, 101, 0, 227});
    const uint8_t none[4][4] = {{0}};
    assert_reduces(reduce_middle, none[0], 2, none[0]);
}

TEST(data_of_rows_from_the_bottom_is_turned_over)
{
    const uint8_t source[2][4] = {{10, 0, 0, 255}, {20, 0, 0, 255}};
    reducer *const all[] = {reduce_majority, reduce_middle};
    for (size_t i = 0; i < 2; i++) {
        uint8_t out[8];
        downsample(source[0], 4, 1, 2, 1, all[i], out, 4);
        assert_int_equal(out[0], 20);
        assert_int_equal(out[4], 10);
    }
}
