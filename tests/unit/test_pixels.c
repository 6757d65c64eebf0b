/* How much two cells differ. */
#include <math.h>
#include <string.h>

#include "review/pixels.h"
#include "test.h"

enum { SIDE = 8 };

struct cell {
    uint8_t pixels[SIDE][SIDE][4];
};

static const int32_t in_place[2] = {0, 0};

static struct pixel_view view_of(const struct cell *cell)
{
    return (struct pixel_view){&cell->pixels[0][0][0], SIDE * 4, {0, 0, SIDE, SIDE}, SIDE, SIDE};
}

static void set(struct cell *cell, int x, int y, uint32_t color)
{
    for (int i = 0; i < 4; i++)
        cell->pixels[y][x][i] = (uint8_t)(color >> (24 - 8 * i));
}

static struct cell filled(uint32_t color)
{
    struct cell cell;
    for (int i = 0; i < SIDE * SIDE; i++)
        set(&cell, i % SIDE, i / SIDE, color);
    return cell;
}

static struct pixel_change compare(const struct cell *before, const struct cell *after, float tolerance)
{
    struct pixel_view a = view_of(before), b = view_of(after);
    struct pixel_change change;
    pixels_compare(&a, &b, in_place, tolerance, &change);
    return change;
}

/* The distance of two colours, each all over a cell. */
static float distance(uint32_t a, uint32_t b)
{
    struct cell before = filled(a), after = filled(b);
    return compare(&before, &after, 0).max;
}

static void expect_near(float found, double wanted)
{
    if (fabs((double)found - wanted) > 0.0001)
        fail_msg("%g, not %g", (double)found, wanted);
}

TEST(equal_cells_have_no_change)
{
    struct cell cell = filled(0x11223344);
    struct pixel_change change = compare(&cell, &cell, 0);
    assert_int_equal(change.pixels, 0);
    assert_true(change.max == 0 && change.mean == 0);
}

/* Computed in double precision. */
TEST(distances_are_those_of_oklab)
{
    expect_near(distance(0x000000ff, 0xffffffff), 1);
    expect_near(distance(0x000000ff, 0xff0000ff), 0.67877);
    expect_near(distance(0x0000ffff, 0xff0000ff), 0.53709);
    expect_near(distance(0xffffffff, 0xff0000ff), 0.45257);
    expect_near(distance(0x808080ff, 0x818181ff), 0.00338);
}

TEST(alpha_alone_is_a_difference)
{
    expect_near(distance(0x00000000, 0x000000ff), 1);
    expect_near(distance(0x000000ff, 0x000000cc), 0.2);
}

TEST(color_under_full_transparency_is_none)
{
    struct cell before = filled(0xff000000), after = filled(0x00ff0000);
    assert_int_equal(compare(&before, &after, 0).pixels, 0);
}

TEST(every_change_of_one_step_counts)
{
    for (int code = 0; code < 255; code++)
        for (int channel = 0; channel < 3; channel++)
            for (int alpha = 1; alpha <= 255; alpha += 127) {
                uint32_t color = (uint32_t)code << (24 - 8 * channel) | (uint32_t)alpha;
                assert_true(distance(color, color + (1u << (24 - 8 * channel))) > 0);
            }
}

TEST(the_box_and_the_count_are_those_of_what_differs)
{
    struct cell before = filled(0x000000ff), after = before;
    set(&after, 2, 1, 0xffffffff);
    set(&after, 5, 6, 0xffffffff);
    struct pixel_change change = compare(&before, &after, 0);
    assert_int_equal(change.pixels, 2);
    assert_memory_equal(change.box, ((const int32_t[]){2, 1, 4, 6}), sizeof change.box);
    expect_near(change.mean, 2.0 / (SIDE * SIDE));
}

TEST(the_mean_is_that_of_the_pixels_that_either_cell_shows)
{
    struct cell before = filled(0x00000000), after = before;
    set(&before, 2, 1, 0x000000ff);
    set(&before, 3, 1, 0x000000ff);
    set(&after, 3, 1, 0x000000ff);
    set(&after, 6, 6, 0x00000080);
    struct pixel_change change = compare(&before, &after, 0);
    assert_int_equal(change.pixels, 2);
    expect_near(change.mean, (1 + 128 / 255.0) / 3);
}

TEST(the_tolerance_leaves_out_small_differences)
{
    struct cell before = filled(0x808080ff), after = before;
    set(&after, 3, 3, 0x818181ff);
    assert_int_equal(compare(&before, &after, 0.003f).pixels, 1);
    struct pixel_change change = compare(&before, &after, 0.004f);
    assert_int_equal(change.pixels, 0);
    assert_true(change.mean == 0 && change.max == 0 && change.box[2] == 0);
}

/* The same pixels, once in the whole cell, once trimmed to 2x2 of it. */
static void make_trimmed(struct cell *whole, struct cell *part, struct pixel_view *view)
{
    memset(whole, 0, sizeof *whole);
    memset(part, 0, sizeof *part);
    for (int i = 0; i < 4; i++) {
        set(whole, 3 + i % 2, 4 + i / 2, 0x10203040u + (uint32_t)i);
        set(part, i % 2, i / 2, 0x10203040u + (uint32_t)i);
    }
    *view = (struct pixel_view){&part->pixels[0][0][0], SIDE * 4, {3, 4, 2, 2}, SIDE, SIDE};
}

TEST(a_trimmed_cell_is_put_back_into_its_size)
{
    struct cell whole, part;
    struct pixel_view a, b;
    struct pixel_change change;
    make_trimmed(&whole, &part, &b);
    a = view_of(&whole);
    pixels_compare(&a, &b, in_place, 0, &change);
    assert_int_equal(change.pixels, 0);
    b.shown.x++;
    pixels_compare(&a, &b, in_place, 0, &change);
    assert_int_equal(change.pixels, 6);
    assert_memory_equal(change.box, ((const int32_t[]){3, 4, 3, 2}), sizeof change.box);
}

TEST(cells_are_compared_at_an_offset)
{
    struct cell before = filled(0), after = filled(0);
    struct pixel_view a = view_of(&before), b = view_of(&after);
    struct pixel_change change;
    set(&before, 1, 1, 0xffffffff);
    set(&after, 3, 0, 0xffffffff);
    pixels_compare(&a, &b, (const int32_t[]){2, -1}, 0, &change);
    assert_int_equal(change.pixels, 0);
    set(&before, 0, 0, 0xffffffff); /* above the cell after */
    pixels_compare(&a, &b, (const int32_t[]){2, -1}, 0, &change);
    assert_memory_equal(change.box, ((const int32_t[]){2, -1, 1, 1}), sizeof change.box);
}

TEST(a_hash_is_that_of_what_is_seen)
{
    struct cell whole, part;
    struct pixel_view a, b;
    char a_hash[HASH_SIZE], b_hash[HASH_SIZE];
    make_trimmed(&whole, &part, &b);
    set(&whole, 0, 0, 0xff00ff00); /* of no alpha */
    a = view_of(&whole);
    pixels_hash(&a, a_hash);
    pixels_hash(&b, b_hash);
    assert_string_equal(a_hash, b_hash);
    b.shown.x--;
    pixels_hash(&b, b_hash);
    assert_string_not_equal(a_hash, b_hash);
}

TEST(an_empty_cell_has_a_hash_of_its_size)
{
    struct cell empty = filled(0xff00ff00);
    struct pixel_view whole = view_of(&empty), trimmed = whole, larger = whole;
    char hash[HASH_SIZE], other[HASH_SIZE];
    trimmed.shown = (struct rect){0, 0, 1, 1};
    larger.width = 2 * SIDE;
    pixels_hash(&whole, hash);
    pixels_hash(&trimmed, other);
    assert_string_equal(hash, other);
    pixels_hash(&larger, other);
    assert_string_not_equal(hash, other);
}
