#include "render/style.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 48 };

static const uint8_t white[4] = {255, 255, 255, 255}, black[4] = {0, 0, 0, 255};

struct cell {
    uint8_t pixels[SIDE][SIDE][4];
};

/* The part of a pixel that a disc covers, by 16 x 16 samples. */
static uint8_t disc_cover(double x, double y, double radius)
{
    int inside = 0;
    for (int i = 0; i < 256; i++) {
        double u = x + (i % 16 + 0.5) / 16, v = y + (i / 16 + 0.5) / 16;
        inside += hypot(u - SIDE / 2.0, v - SIDE / 2.0) < radius;
    }
    return (uint8_t)(inside * 255 / 256.0 + 0.5);
}

static void draw_disc(struct cell *cell, double radius, uint8_t most_alpha)
{
    memset(cell, 0, sizeof *cell);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            uint8_t alpha = (uint8_t)(disc_cover(x, y, radius) * most_alpha / 255);
            if (alpha)
                memcpy(cell->pixels[y][x], white, 3);
            cell->pixels[y][x][3] = alpha;
        }
}

static void apply(struct cell *cell, float width_px, const uint8_t color[4])
{
    struct outline outline = {.width_px = width_px};
    struct error err;
    memcpy(outline.color, color, 4);
    assert_int_equal(outline_apply(&outline, cell->pixels[0][0], sizeof cell->pixels[0], SIDE, SIDE, &err), 0);
}

/* Alpha, in pixels. */
static double area(const struct cell *cell)
{
    double sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += cell->pixels[i / SIDE][i % SIDE][3] / 255.0;
    return sum;
}

static void a_disc_grows_by_the_width_of_its_line(void **state)
{
    (void)state;
    for (int tenths = 5; tenths <= 60; tenths += 5) {
        struct cell cell;
        double radius = 12.3, width = tenths / 10.0;
        draw_disc(&cell, radius, 255);
        apply(&cell, (float)width, black);
        double grown = sqrt(area(&cell) / M_PI);
        if (fabs(grown - radius - width) > 0.12)
            fail_msg("a line of %g makes the radius %g, not %g", width, grown, radius + width);
    }
}

static void the_line_is_as_smooth_as_the_edge(void **state)
{
    (void)state;
    struct cell cell;
    draw_disc(&cell, 12.3, 255);
    apply(&cell, 3, black);
    double worst = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            worst = fmax(worst, fabs(cell.pixels[y][x][3] - (double)disc_cover(x, y, 15.3)) / 255);
    assert_true(worst < 0.3);
}

static void the_line_is_under_and_around_the_model(void **state)
{
    (void)state;
    struct cell before, after;
    draw_disc(&before, 12.3, 255);
    after = before;
    apply(&after, 2, (const uint8_t[4]){255, 0, 0, 255});
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            const uint8_t *old = before.pixels[y][x], *new = after.pixels[y][x];
            if (old[3] == 255)
                assert_memory_equal(new, old, 4);
            else if (old[3] > 0) /* the edge of white over red */
                assert_true(new[3] == 255 && new[0] == 255 && new[1] < 255);
            else if (new[3] > 0)
                assert_true(new[0] == 255 && new[1] == 0 && new[2] == 0);
        }
    assert_int_equal(after.pixels[0][0][3], 0);
    assert_int_equal(after.pixels[SIDE / 2][SIDE / 2 + 13][3], 255);
    assert_int_equal(after.pixels[SIDE / 2][SIDE / 2 + 16][3], 0);
}

static void a_line_of_a_pixel_around_a_square_is_a_pixel(void **state)
{
    (void)state;
    struct cell cell = {0};
    for (int y = 10; y < 20; y++)
        for (int x = 10; x < 20; x++)
            memcpy(cell.pixels[y][x], white, 4);
    apply(&cell, 1, black);
    for (int i = 10; i < 20; i++) {
        assert_memory_equal(cell.pixels[9][i], black, 4);
        assert_memory_equal(cell.pixels[20][i], black, 4);
        assert_memory_equal(cell.pixels[i][9], black, 4);
        assert_int_equal(cell.pixels[8][i][3], 0);
        assert_int_equal(cell.pixels[i][21][3], 0);
    }
}

static void what_lets_light_through_is_not_filled(void **state)
{
    (void)state;
    struct cell before, after;
    draw_disc(&before, 12.3, 128);
    after = before;
    apply(&after, 2, black);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            if (hypot(x + 0.5 - SIDE / 2.0, y + 0.5 - SIDE / 2.0) < 10)
                assert_memory_equal(after.pixels[y][x], before.pixels[y][x], 4);
    assert_true(after.pixels[SIDE / 2][SIDE / 2 + 13][3] > 200);
}

static void a_line_may_be_translucent(void **state)
{
    (void)state;
    struct cell cell;
    draw_disc(&cell, 12.3, 255);
    apply(&cell, 3, (const uint8_t[4]){10, 20, 30, 100});
    assert_memory_equal(cell.pixels[SIDE / 2][SIDE / 2 + 13], ((const uint8_t[4]){10, 20, 30, 100}), 4);
}

static void the_edge_of_the_cell_is_no_silhouette(void **state)
{
    (void)state;
    struct cell cell, full;
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(full.pixels[i / SIDE][i % SIDE], (const uint8_t[4]){9, 9, 9, 200}, 4);
    cell = full;
    apply(&cell, 4, black);
    assert_memory_equal(&cell, &full, sizeof cell);
}

static void no_width_or_no_model_is_no_line(void **state)
{
    (void)state;
    struct cell cell, same;
    draw_disc(&cell, 12.3, 255);
    same = cell;
    apply(&cell, 0, black);
    assert_memory_equal(&cell, &same, sizeof cell);
    memset(&cell, 0, sizeof cell);
    apply(&cell, 5, black);
    assert_true(area(&cell) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disc_grows_by_the_width_of_its_line),
        cmocka_unit_test(the_line_is_as_smooth_as_the_edge),
        cmocka_unit_test(the_line_is_under_and_around_the_model),
        cmocka_unit_test(a_line_of_a_pixel_around_a_square_is_a_pixel),
        cmocka_unit_test(what_lets_light_through_is_not_filled),
        cmocka_unit_test(a_line_may_be_translucent),
        cmocka_unit_test(the_edge_of_the_cell_is_no_silhouette),
        cmocka_unit_test(no_width_or_no_model_is_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
