/* What is painted around a finished cell: outlines and backgrounds. */
#include "render/style.h"
#include "test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Outlines ---------------------------------------------------------------------------------------------- */

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

static void apply_as(struct cell *cell, bool alone, float width_px, const uint8_t color[4])
{
    struct outline outline = {.width_px = width_px};
    struct error err;
    memcpy(outline.color, color, 4);
    assert_int_equal(outline_apply(&outline, alone, cell->pixels[0][0], sizeof cell->pixels[0], SIDE, SIDE, &err),
                     0);
}

static void apply(struct cell *cell, float width_px, const uint8_t color[4])
{
    apply_as(cell, false, width_px, color);
}

/* Alpha, in pixels. */
static double area(const struct cell *cell)
{
    double sum = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
        sum += cell->pixels[i / SIDE][i % SIDE][3] / 255.0;
    return sum;
}

TEST(the_line_is_under_and_around_the_model)
{
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

TEST(a_line_alone_below_the_model_is_the_line_around_it)
{
    const uint8_t color[4] = {255, 0, 0, 200};
    struct cell model, line, both;
    draw_disc(&model, 12.3, 255);
    line = both = model;
    apply_as(&line, true, 2, color);
    apply(&both, 2, color);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            uint8_t *pixel = line.pixels[y][x];
            assert_true(pixel[3] == 0 || (pixel[0] == 255 && pixel[1] == 0 && pixel[3] <= 200));
            pixel_over(model.pixels[y][x], pixel);
            assert_memory_equal(model.pixels[y][x], both.pixels[y][x], 4);
        }
}

TEST(a_line_of_a_pixel_around_a_square_is_a_pixel)
{
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

TEST(outlines_are_drawn)
{
    fact("a disc grows by the width of its line");
    for (int tenths = 5; tenths <= 60; tenths += 5) {
        struct cell cell;
        double radius = 12.3, width = tenths / 10.0;
        draw_disc(&cell, radius, 255);
        apply(&cell, (float)width, black);
        double grown = sqrt(area(&cell) / M_PI);
        if (fabs(grown - radius - width) > 0.12)
            fail_msg("a line of %g makes the radius %g, not %g", width, grown, radius + width);
    }
    fact("the line is as smooth as the edge");
    struct cell cell;
    draw_disc(&cell, 12.3, 255);
    apply(&cell, 3, black);
    double worst = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            worst = fmax(worst, fabs(cell.pixels[y][x][3] - (double)disc_cover(x, y, 15.3)) / 255);
    assert_true(worst < 0.3);
    fact("what lets light through is not filled");
    struct cell before, after;
    draw_disc(&before, 12.3, 128);
    after = before;
    apply(&after, 2, black);
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            if (hypot(x + 0.5 - SIDE / 2.0, y + 0.5 - SIDE / 2.0) < 10)
                assert_memory_equal(after.pixels[y][x], before.pixels[y][x], 4);
    assert_true(after.pixels[SIDE / 2][SIDE / 2 + 13][3] > 200);
    fact("a line may be translucent");
    draw_disc(&cell, 12.3, 255);
    apply(&cell, 3, (const uint8_t[4]){10, 20, 30, 100});
    assert_memory_equal(cell.pixels[SIDE / 2][SIDE / 2 + 13], ((const uint8_t[4]){10, 20, 30, 100}), 4);
}

TEST(the_edge_of_the_cell_is_no_silhouette)
{
    struct cell cell, full;
    for (int i = 0; i < SIDE * SIDE; i++)
        memcpy(full.pixels[i / SIDE][i % SIDE], (const uint8_t[4]){9, 9, 9, 200}, 4);
    cell = full;
    apply(&cell, 4, black);
    assert_memory_equal(&cell, &full, sizeof cell);
}

TEST(no_width_or_no_model_is_no_line)
{
    struct cell cell, same;
    draw_disc(&cell, 12.3, 255);
    same = cell;
    apply(&cell, 0, black);
    assert_memory_equal(&cell, &same, sizeof cell);
    memset(&cell, 0, sizeof cell);
    apply(&cell, 5, black);
    assert_true(area(&cell) == 0);
}

/* -- Pixel art --------------------------------------------------------------------------------------------- */

/* Cells as drawings: '#' is covered by more than half, '+' by less; then '#' is opaque and 'o' a line. */
static void expect_art(enum pixel_outline outline, const char *before, const char *after)
{
    enum { WIDTH = 8, HEIGHT = 6 };
    const struct pixel_art art = {.outline = outline, .outline_color = {9, 8, 7, 255}};
    uint8_t pixels[WIDTH * HEIGHT][4];
    char drawn[WIDTH * HEIGHT + 1] = "";
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        memset(pixels[i], before[i] == '.' ? 0 : 200, 4);
        pixels[i][3] = before[i] == '#' ? 128 + i : before[i] == '+' ? 127 : 0;
    }
    pixel_edges_apply(&art, false, pixels[0], WIDTH * sizeof pixels[0], WIDTH, HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        drawn[i] = !memcmp(pixels[i], "\310\310\310\377", 4) ? '#'
                   : !memcmp(pixels[i], "\t\b\a\377", 4)     ? 'o'
                   : !memcmp(pixels[i], "\0\0\0\0", 4)       ? '.'
                                                             : '?';
    assert_string_equal(drawn, after);
}

TEST(pixel_art_has_hard_edges_and_a_line_of_one_pixel)
{
    static const char before[] = "........"
                                 "..++++.."
                                 ".+####.."
                                 ".+####.."
                                 "..####.."
                                 "...++...";
    fact("alone is nothing, but a corner joins");
    expect_art(PIXEL_OUTLINE_NONE,
               "........"
               ".#.+.#.."
               "...#...."
               "....##.."
               "+...##+."
               "........",
               "........"
               "........"
               "...#...."
               "....##.."
               "....##.."
               "........");
    expect_art(PIXEL_OUTLINE_OUTSIDE, before,
               "........"
               "..oooo.."
               ".o####o."
               ".o####o."
               ".o####o."
               "..oooo..");
    expect_art(PIXEL_OUTLINE_INSIDE, before,
               "........"
               "........"
               "..oooo.."
               "..o##o.."
               "..oooo.."
               "........");
    fact("at the side of the cell the silhouette goes on; a slope has no corners");
    static const char slope[] = "##......"
                                ".##....."
                                "..##...."
                                "...##..."
                                "....#..."
                                ".....#..";
    expect_art(PIXEL_OUTLINE_OUTSIDE, slope,
               "##o....."
               "o##o...."
               ".o##o..."
               "..o##o.."
               "...o#o.."
               "....o#o.");
    expect_art(PIXEL_OUTLINE_INSIDE,
               "########"
               "########"
               "########"
               "########"
               "########"
               "########",
               "########"
               "########"
               "########"
               "########"
               "########"
               "########");
}

/* -- Backgrounds ------------------------------------------------------------------------------------------- */

static const uint8_t nothing[4];

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

/* What lies behind an empty cell of that size. */
static void paint(const struct background *background, uint32_t width, uint32_t height, uint8_t *pixels)
{
    memset(pixels, 0, (size_t)width * height * 4);
    background_apply(background, pixels, (size_t)width * 4, width, height);
}

TEST(colours_lie_over_colours)
{
    fact("a colour shows where nothing is");
    const uint8_t sky[4] = {10, 20, 200, 255};
    assert_composes(nothing, sky, sky);
    assert_composes((const uint8_t[4]){9, 8, 7, 255}, sky, (const uint8_t[4]){9, 8, 7, 255});
    fact("colours mix in linear light");
    assert_composes((const uint8_t[4]){255, 255, 255, 128}, black, (const uint8_t[4]){188, 188, 188, 255});
    assert_composes((const uint8_t[4]){0, 0, 0, 64}, white, (const uint8_t[4]){224, 224, 224, 255});
    fact("a colour over itself is that colour");
    for (int code = 0; code < 256; code++)
        for (int alpha = 0; alpha < 256; alpha++) {
            const uint8_t c = (uint8_t)code, d = (uint8_t)(255 - code), color[4] = {c, d, c, 255};
            assert_composes((const uint8_t[4]){c, d, c, (uint8_t)alpha}, color, color);
        }
    fact("alpha over alpha adds up");
    const uint8_t clear[4] = {50, 60, 70, 0}, half[4] = {50, 60, 70, 128};
    assert_composes((const uint8_t[4]){1, 2, 3, 77}, clear, (const uint8_t[4]){1, 2, 3, 77});
    assert_composes(nothing, clear, nothing);
    assert_composes((const uint8_t[4]){50, 60, 70, 128}, half, (const uint8_t[4]){50, 60, 70, 192});
    fact("transparent changes nothing");
    struct background background = {.colors = {{1, 2, 3, 255}, {1, 2, 3, 255}}};
    uint8_t pixels[4];
    paint(&background, 1, 1, pixels);
    assert_memory_equal(pixels, nothing, 4);
}

/* From top to bottom in linear light, weighted by alpha. */
TEST(gradients_mix_in_linear_light)
{
    static const struct {
        uint8_t colors[2][4];
        uint32_t height;
        uint8_t expected[12];
    } gradients[] = {
        {{{255, 255, 255, 255}, {0, 0, 0, 255}}, 3, {255, 255, 255, 255, 188, 188, 188, 255, 0, 0, 0, 255}},
        {{{90, 80, 70, 255}, {0, 0, 0, 0}}, 3, {90, 80, 70, 255, 90, 80, 70, 128}},
        {{{9, 8, 7, 255}, {0, 0, 0, 255}}, 1, {9, 8, 7, 255}},
    };
    for (size_t i = 0; i < sizeof gradients / sizeof *gradients; i++) {
        struct background background = {.kind = BACKGROUND_GRADIENT};
        uint8_t pixels[12] = {0};
        memcpy(background.colors, gradients[i].colors, sizeof background.colors);
        paint(&background, 1, gradients[i].height, pixels);
        assert_memory_equal(pixels, gradients[i].expected, 12);
    }
}

TEST(a_checkerboard_starts_with_its_first_colour_at_the_top_left)
{
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
