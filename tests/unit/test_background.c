#include "render/style.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t black[4] = {0, 0, 0, 255}, white[4] = {255, 255, 255, 255}, nothing[4];

/* One pixel of a row of three; the others stay as they are. */
static void assert_composes(const uint8_t pixel[4], const uint8_t color[4], const uint8_t expected[4])
{
    struct background background = {.kind = BACKGROUND_COLOR};
    memcpy(background.colors[0], color, 4);
    uint8_t pixels[12] = {1, 2, 3, 4, pixel[0], pixel[1], pixel[2], pixel[3], 1, 2, 3, 4};
    background_apply(&background, pixels + 4, 4, 1, 1);
    assert_memory_equal(pixels + 4, expected, 4);
    assert_memory_equal(pixels, pixels + 8, 4);
}

static void a_colour_shows_where_nothing_is(void **state)
{
    (void)state;
    const uint8_t sky[4] = {10, 20, 200, 255};
    assert_composes(nothing, sky, sky);
    assert_composes((const uint8_t[4]){9, 8, 7, 255}, sky, (const uint8_t[4]){9, 8, 7, 255});
}

static void colours_mix_in_linear_light(void **state)
{
    (void)state;
    assert_composes((const uint8_t[4]){255, 255, 255, 128}, black, (const uint8_t[4]){188, 188, 188, 255});
    assert_composes((const uint8_t[4]){0, 0, 0, 64}, white, (const uint8_t[4]){224, 224, 224, 255});
}

static void a_colour_over_itself_is_that_colour(void **state)
{
    (void)state;
    for (int code = 0; code < 256; code++)
        for (int alpha = 0; alpha < 256; alpha++) {
            const uint8_t c = (uint8_t)code, d = (uint8_t)(255 - code), color[4] = {c, d, c, 255};
            assert_composes((const uint8_t[4]){c, d, c, (uint8_t)alpha}, color, color);
        }
}

static void alpha_over_alpha_adds_up(void **state)
{
    (void)state;
    const uint8_t clear[4] = {50, 60, 70, 0}, half[4] = {50, 60, 70, 128};
    assert_composes((const uint8_t[4]){1, 2, 3, 77}, clear, (const uint8_t[4]){1, 2, 3, 77});
    assert_composes(nothing, clear, nothing);
    assert_composes((const uint8_t[4]){50, 60, 70, 128}, half, (const uint8_t[4]){50, 60, 70, 192});
}

/* What lies behind an empty cell of that size. */
static void paint(const struct background *background, uint32_t width, uint32_t height, uint8_t *pixels)
{
    memset(pixels, 0, (size_t)width * height * 4);
    background_apply(background, pixels, (size_t)width * 4, width, height);
}

static void transparent_changes_nothing(void **state)
{
    (void)state;
    struct background background = {.colors = {{1, 2, 3, 255}, {1, 2, 3, 255}}};
    uint8_t pixels[4];
    paint(&background, 1, 1, pixels);
    assert_memory_equal(pixels, nothing, 4);
}

static void a_gradient_runs_from_top_to_bottom_in_linear_light(void **state)
{
    (void)state;
    struct background background = {.kind = BACKGROUND_GRADIENT, .colors = {{255, 255, 255, 255}, {0, 0, 0, 255}}};
    const uint8_t expected[] = {255, 255, 255, 255, 188, 188, 188, 255, 0, 0, 0, 255};
    uint8_t pixels[12];
    paint(&background, 1, 3, pixels);
    assert_memory_equal(pixels, expected, 12);
}

static void a_gradient_to_nothing_keeps_its_colour(void **state)
{
    (void)state;
    struct background background = {.kind = BACKGROUND_GRADIENT, .colors = {{90, 80, 70, 255}, {0, 0, 0, 0}}};
    const uint8_t expected[] = {90, 80, 70, 255, 90, 80, 70, 128, 0, 0, 0, 0};
    uint8_t pixels[12];
    paint(&background, 1, 3, pixels);
    assert_memory_equal(pixels, expected, 12);
}

static void a_gradient_of_one_row_is_its_top(void **state)
{
    (void)state;
    struct background background = {.kind = BACKGROUND_GRADIENT, .colors = {{9, 8, 7, 255}, {0, 0, 0, 255}}};
    uint8_t pixels[4];
    paint(&background, 1, 1, pixels);
    assert_memory_equal(pixels, background.colors[0], 4);
}

static void a_checkerboard_starts_with_its_first_colour_at_the_top_left(void **state)
{
    (void)state;
    struct background background = {
        .kind = BACKGROUND_CHECKER, .colors = {{255, 255, 255, 255}, {0, 0, 0, 255}}, .checker_px = 2};
    static const char expected[] = "##..#"
                                   "##..#"
                                   "..##.";
    uint8_t pixels[5 * 3 * 4];
    paint(&background, 5, 3, pixels);
    for (size_t i = 0; i < 15; i++)
        assert_memory_equal(pixels + 4 * i, expected[i] == '#' ? white : black, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_colour_shows_where_nothing_is),
        cmocka_unit_test(colours_mix_in_linear_light),
        cmocka_unit_test(a_colour_over_itself_is_that_colour),
        cmocka_unit_test(alpha_over_alpha_adds_up),
        cmocka_unit_test(transparent_changes_nothing),
        cmocka_unit_test(a_gradient_runs_from_top_to_bottom_in_linear_light),
        cmocka_unit_test(a_gradient_to_nothing_keeps_its_colour),
        cmocka_unit_test(a_gradient_of_one_row_is_its_top),
        cmocka_unit_test(a_checkerboard_starts_with_its_first_colour_at_the_top_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
