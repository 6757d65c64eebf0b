/* Moving pictures: limits, and another size. What decoders make of them is in tests/cli/previews.bats. */
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "sheet/movie.h"
#include "sheet/sheet.h"
#include "test.h"

static struct blob make(enum movie_format format, const uint8_t *pixels, uint32_t width, uint32_t frame_count,
                        uint32_t duration_ms)
{
    struct movie_settings settings = {format, width, 1, frame_count, true, 0, PNG_LEVEL};
    struct movie *movie;
    struct blob file;
    struct error err;
    assert_int_equal(movie_new(&settings, &movie, &err), 0);
    for (uint32_t i = 0; i < frame_count; i++)
        assert_int_equal(movie_add(movie, pixels + (size_t)i * width * 4, duration_ms, &err), 0);
    assert_int_equal(movie_save(movie, &file, &err), 0);
    movie_free(movie);
    return file;
}

/* The place after the nth chunk's type. */
static const uint8_t *find(const struct blob *file, const char *type, int n)
{
    for (size_t i = 0; i + 4 <= file->size; i++)
        if (!memcmp(file->data + i, type, 4) && n-- == 0)
            return file->data + i + 4;
    return NULL;
}

static uint32_t number(const uint8_t *data, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | data[i];
    return value;
}

TEST(an_apng_frame_has_the_rectangle_that_changed)
{
    static const uint8_t frames[4][5][4] = {{{9, 9, 9, 255}},
                                            {{9, 9, 9, 255}, {0}, {1, 1, 1, 1}, {2, 2, 2, 2}},
                                            {{9, 9, 9, 255}, {0}, {1, 1, 1, 1}, {2, 2, 2, 2}},
                                            {{8, 9, 9, 255}}};
    static const uint32_t places[4][2] = {{0, 5}, {2, 2}, {0, 1}, {0, 4}};
    struct blob file = make(MOVIE_APNG, frames[0][0], 5, 4, 40);
    for (int i = 0; i < 4; i++) {
        const uint8_t *control = find(&file, "fcTL", i);
        assert_int_equal(number(control + 12, 4), places[i][0]);
        assert_int_equal(number(control + 4, 4), places[i][1]);
    }
    assert_null(find(&file, "fcTL", 4));
    blob_release(&file);
}

TEST(durations_stay_in_the_numbers_of_the_formats)
{
    static const uint8_t frames[2][4] = {{1, 2, 3, 255}, {200, 2, 3, 255}};
    static const uint32_t durations[][2] = {{0, 1}, {1, 1}, {65535, 65535}, {70000, 65535}, {UINT32_MAX, 65535}};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        struct blob file = make(MOVIE_APNG, frames[0], 1, 2, durations[i][0]);
        assert_int_equal(number(find(&file, "fcTL", 1) + 20, 2), durations[i][1]);
        assert_int_equal(number(find(&file, "fcTL", 1) + 22, 2), 1000);
        blob_release(&file);
        file = make(MOVIE_WEBP, frames[0], 1, 2, durations[i][0]);
        const uint8_t *control = find(&file, "ANMF", 1);
        assert_int_equal(control[16] | control[17] << 8 | control[18] << 16, durations[i][1]);
        blob_release(&file);
    }
}

TEST(a_picture_of_one_colour_keeps_it_in_any_size)
{
    static const uint32_t sizes[][2] = {{1, 1}, {7, 3}, {16, 16}, {5, 40}};
    uint8_t from[16 * 16 * 4], to[16 * 40 * 4];
    struct error err;
    for (size_t i = 0; i < sizeof from; i++)
        from[i] = (uint8_t[]){200, 100, 3, 77}[i % 4];
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        assert_int_equal(scale_pixels(from, (uint32_t[]){16, 16}, to, sizes[s], &err), 0);
        assert_memory_equal(to, from, (size_t)4 * sizes[s][0]);
        assert_memory_equal(to + (size_t)4 * sizes[s][0] * (sizes[s][1] - 1), from, (size_t)4 * sizes[s][0]);
    }
}

TEST(scaling_averages_light_and_leaves_the_colour_of_transparent_pixels_out)
{
    uint8_t to[4];
    struct error err;
    static const uint8_t stripes[2][4] = {{0, 0, 0, 255}, {255, 255, 255, 255}},
                         edge[2][4] = {{255, 0, 0, 255}, {0, 255, 0, 0}};
    assert_int_equal(scale_pixels(stripes[0], (uint32_t[]){2, 1}, to, (uint32_t[]){1, 1}, &err), 0);
    assert_memory_equal(to, ((uint8_t[]){188, 188, 188, 255}), 4); /* half of the light */
    assert_int_equal(scale_pixels(edge[0], (uint32_t[]){2, 1}, to, (uint32_t[]){1, 1}, &err), 0);
    assert_memory_equal(to, ((uint8_t[]){255, 0, 0, 128}), 4);
}
