#include "render/outline.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "render/background.h"

struct picture {
    uint8_t *pixels;
    size_t stride;
    int width, height;
};

/* Beyond the cell the picture goes on as it ends. */
static uint8_t alpha_at(const struct picture *picture, int x, int y)
{
    x = x < 0 ? 0 : x >= picture->width ? picture->width - 1 : x;
    y = y < 0 ? 0 : y >= picture->height ? picture->height - 1 : y;
    return picture->pixels[(size_t)y * picture->stride + (size_t)4 * (size_t)x + 3];
}

/* The least alpha of a pixel and its eight neighbours. */
static uint8_t least_alpha_around(const struct picture *picture, int x, int y)
{
    uint8_t least = 255;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            uint8_t alpha = alpha_at(picture, x + dx, y + dy);
            least = alpha < least ? alpha : least;
        }
    return least;
}

/* Lowers the distances around a pixel to those from its part of the silhouette. A pixel that is covered by half
 * has the edge in its middle; more cover moves it outwards, by up to half a pixel. */
static void lower_around(const struct picture *picture, int x, int y, int reach, float *distances)
{
    float outwards = (float)alpha_at(picture, x, y) / 255 - 0.5f;
    int left = x > reach ? x - reach : 0, right = x + reach < picture->width ? x + reach : picture->width - 1;
    int top = y > reach ? y - reach : 0, bottom = y + reach < picture->height ? y + reach : picture->height - 1;
    for (int v = top; v <= bottom; v++)
        for (int u = left; u <= right; u++) {
            float *distance = &distances[(size_t)v * (size_t)picture->width + (size_t)u];
            *distance = fminf(*distance, sqrtf((float)((u - x) * (u - x) + (v - y) * (v - y))) - outwards);
        }
}

/* Inside of what is drawn, as far as a pixel and its neighbours tell, there is no line, also where light comes
 * through. */
static bool is_inside(const struct picture *picture, int x, int y)
{
    return least_alpha_around(picture, x, y) > 0;
}

/* Only pixels at the silhouette can be nearest to one outside. */
static bool is_at_silhouette(const struct picture *picture, int x, int y)
{
    uint8_t alpha = alpha_at(picture, x, y);
    if (alpha == 0)
        return false;
    uint8_t least = least_alpha_around(picture, x, y);
    return least == 0 || (alpha == 255 && least < 255);
}

static void measure(const struct picture *picture, float width_px, float *distances)
{
    int reach = (int)ceilf(width_px + 1);
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++)
            if (is_at_silhouette(picture, x, y))
                lower_around(picture, x, y, reach, distances);
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++)
            if (is_inside(picture, x, y))
                distances[(size_t)y * (size_t)picture->width + (size_t)x] = INFINITY;
}

static void draw(const struct picture *picture, const struct outline *outline, float width_px,
                 const float *distances)
{
    for (int y = 0; y < picture->height; y++)
        for (int x = 0; x < picture->width; x++) {
            float distance = distances[(size_t)y * (size_t)picture->width + (size_t)x];
            float cover = fminf(width_px + 0.5f - distance, 1);
            uint8_t line[4];
            if (!(cover > 0))
                continue;
            memcpy(line, outline->color, 4);
            line[3] = (uint8_t)(cover * (float)line[3] + 0.5f);
            pixel_over(picture->pixels + (size_t)y * picture->stride + (size_t)4 * (size_t)x, line);
        }
}

int outline_apply(const struct outline *outline, uint8_t *pixels, size_t stride, uint32_t width, uint32_t height,
                  struct error *err)
{
    struct picture picture = {pixels, stride, (int)width, (int)height};
    float width_px = fminf(outline->width_px, OUTLINE_MAX_PX);
    size_t count = (size_t)width * height;
    if (!(width_px > 0))
        return 0;
    float *distances = memory_alloc(count, sizeof *distances, err);
    if (!distances)
        return -1;
    for (size_t i = 0; i < count; i++)
        distances[i] = INFINITY;
    measure(&picture, width_px, distances);
    draw(&picture, outline, width_px, distances);
    free(distances);
    return 0;
}
