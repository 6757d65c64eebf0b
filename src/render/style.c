#include "render/style.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/srgb.h"

void pixel_over(uint8_t pixel[4], const uint8_t under[4])
{
    if (pixel[3] == 0) {
        static const uint8_t nothing[4];
        memcpy(pixel, under[3] ? under : nothing, 4);
    } else if (pixel[3] < 255 && under[3] > 0) {
        /* How much of each there is in the result, times 255 squared. */
        uint32_t upper = pixel[3] * 255u, lower = under[3] * (255u - pixel[3]), sum = upper + lower;
        float upper_part = (float)upper / (float)sum, lower_part = (float)lower / (float)sum;
        for (int i = 0; i < 3; i++)
            pixel[i] =
                srgb_from_linear(upper_part * srgb_to_linear[pixel[i]] + lower_part * srgb_to_linear[under[i]]);
        pixel[3] = (uint8_t)((sum + 127) / 255);
    }
}

/* -- Outline ----------------------------------------------------------------------------------------------- */

struct cell_pixels {
    uint8_t *pixels;
    size_t stride;
    int width, height;
};

/* Beyond the cell the picture goes on as it ends. */
static uint8_t alpha_at(const struct cell_pixels *picture, int x, int y)
{
    x = x < 0 ? 0 : x >= picture->width ? picture->width - 1 : x;
    y = y < 0 ? 0 : y >= picture->height ? picture->height - 1 : y;
    return picture->pixels[(size_t)y * picture->stride + (size_t)4 * (size_t)x + 3];
}

/* Whether a pixel beside it, or also one at its corners, has an alpha from `least` to `most`. */
static bool has_near(const struct cell_pixels *picture, int x, int y, bool corners, int least, int most)
{
    for (int i = corners ? 0 : 1; i < 9; i += corners ? 1 : 2) {
        int alpha = alpha_at(picture, x + i % 3 - 1, y + i / 3 - 1);
        if (i != 4 && alpha >= least && alpha <= most)
            return true;
    }
    return false;
}

/* Lowers the distances around a pixel to those from its part of the silhouette. A pixel that is covered by half
 * has the edge in its middle; more cover moves it outwards, by up to half a pixel. */
static void lower_around(const struct cell_pixels *picture, int x, int y, int reach, float *distances)
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

int outline_apply(const struct outline *outline, bool alone, uint8_t *pixels, size_t stride, uint32_t width,
                  uint32_t height, struct error *err)
{
    struct cell_pixels picture = {pixels, stride, (int)width, (int)height};
    float width_px = fminf(outline->width_px, OUTLINE_MAX_PX);
    int reach = (int)ceilf(width_px + 1);
    size_t count = (size_t)width * height;
    if (!(width_px > 0))
        return 0;
    float *distances = memory_alloc(count, sizeof *distances, err);
    if (!distances)
        return -1;
    for (size_t i = 0; i < count; i++)
        distances[i] = INFINITY;
    for (int y = 0; y < picture.height; y++)
        for (int x = 0; x < picture.width; x++) {
            uint8_t alpha = alpha_at(&picture, x, y);
            /* Only pixels at the silhouette can be nearest to one outside. */
            if (alpha > 0 && has_near(&picture, x, y, true, 0, alpha == 255 ? 254 : 0))
                lower_around(&picture, x, y, reach, distances);
        }

    /* Inside, where a pixel and all its neighbours are covered, there is no line, also where light comes through. The
     * line changes alpha, so all distances are computed before any of it is drawn. */
    for (int y = 0; y < picture.height; y++)
        for (int x = 0; x < picture.width; x++)
            if (alpha_at(&picture, x, y) > 0 && !has_near(&picture, x, y, true, 0, 0))
                distances[(size_t)y * width + (size_t)x] = INFINITY;
    for (size_t i = 0; i < count; i++) {
        float cover = fminf(width_px + 0.5f - distances[i], 1);
        uint8_t line[4], *pixel = pixels + i / width * stride + (size_t)4 * (i % width);
        if (alone)
            memset(pixel, 0, 4);
        if (!(cover > 0))
            continue;
        memcpy(line, outline->color, 4);
        line[3] = (uint8_t)(cover * (float)line[3] + 0.5f);
        pixel_over(pixel, line);
    }
    free(distances);
    return 0;
}

/* -- Pixel art --------------------------------------------------------------------------------------------- */

void pixel_edges_apply(const struct pixel_art *pixel, bool keeps_single, uint8_t *pixels, size_t stride,
                       uint32_t width, uint32_t height)
{
    enum { HARDEN, DRAW, FINISH, STEPS, LINE = 254 }; /* a line that is under way is no part of the silhouette */
    const struct cell_pixels picture = {pixels, stride, (int)width, (int)height};
    const int from = pixel->outline == PIXEL_OUTLINE_INSIDE ? 255 : 0, to = 255 - from;
    uint8_t line[4] = {[3] = LINE};
    memcpy(line, pixel->outline_color, 3);
    for (int step = HARDEN; step < STEPS; step++)
        for (int y = 0; y < picture.height; y++)
            for (int x = 0; x < picture.width; x++) {
                uint8_t *at = pixels + (size_t)y * stride + (size_t)4 * (size_t)x;
                if (step == HARDEN && (at[3] < 128 || !(keeps_single || has_near(&picture, x, y, true, 128, 255))))
                    memset(at, 0, 4);
                else if (step == HARDEN || at[3] == LINE)
                    at[3] = 255;
                else if (step == DRAW && pixel->outline && at[3] == from &&
                         has_near(&picture, x, y, false, to, to))
                    memcpy(at, line, 4);
            }
}

/* -- Background -------------------------------------------------------------------------------------------- */

void background_apply(const struct background *background, uint8_t *pixels, size_t stride, uint32_t width,
                      uint32_t height)
{
    const uint8_t(*ends)[4] = background->colors;
    if (background->kind == BACKGROUND_TRANSPARENT)
        return;
    for (uint32_t y = 0; y < height; y++) {
        uint8_t colors[2][4]; /* they alternate every `run` pixels */
        uint32_t run = UINT32_MAX;
        memcpy(colors, ends, sizeof colors);
        if (background->kind == BACKGROUND_GRADIENT) {
            float down = height > 1 ? (float)y / (float)(height - 1) : 0;
            float top = ends[0][3] * (1 - down), bottom = ends[1][3] * down, sum = top + bottom;
            for (int i = 0; i < 3; i++) {
                float linear = top * srgb_to_linear[ends[0][i]] + bottom * srgb_to_linear[ends[1][i]];
                colors[0][i] = sum > 0 ? srgb_from_linear(linear / sum) : 0;
            }
            colors[0][3] = (uint8_t)(sum + 0.5f);
        } else if (background->kind == BACKGROUND_CHECKER) {
            run = background->checker_px ? background->checker_px : 1;
            memcpy(colors[0], ends[y / run % 2], 4);
            memcpy(colors[1], ends[1 - y / run % 2], 4);
        }
        for (uint32_t x = 0; x < width; x++)
            pixel_over(pixels + y * stride + (size_t)4 * x, colors[x / run % 2]);
    }
}
