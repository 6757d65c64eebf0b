#include "render/background.h"

#include <string.h>

#include "image/srgb.h"

/* Amounts are of the pixel and of what is under it in the result, times 255 squared. */
static void mix_over(uint8_t pixel[4], const uint8_t under[4])
{
    uint32_t upper = pixel[3] * 255u, lower = under[3] * (255u - pixel[3]), sum = upper + lower;
    float upper_part = (float)upper / (float)sum, lower_part = (float)lower / (float)sum;
    for (int i = 0; i < 3; i++)
        pixel[i] = srgb_from_linear(upper_part * srgb_to_linear[pixel[i]] + lower_part * srgb_to_linear[under[i]]);
    pixel[3] = (uint8_t)((sum + 127) / 255);
}

void pixel_over(uint8_t pixel[4], const uint8_t under[4])
{
    static const uint8_t nothing[4];
    if (pixel[3] == 0)
        memcpy(pixel, under[3] ? under : nothing, 4);
    else if (pixel[3] < 255 && under[3] > 0)
        mix_over(pixel, under);
}

/* Row `y` of `height` between two colours. As everything that mixes, in linear light, weighted by alpha. */
static void gradient_color(const uint8_t colors[2][4], uint32_t y, uint32_t height, uint8_t out[4])
{
    float down = height > 1 ? (float)y / (float)(height - 1) : 0;
    float top = colors[0][3] * (1 - down), bottom = colors[1][3] * down, sum = top + bottom;
    for (int i = 0; i < 3; i++)
        out[i] = sum > 0 ? srgb_from_linear(
                               (top * srgb_to_linear[colors[0][i]] + bottom * srgb_to_linear[colors[1][i]]) / sum)
                         : 0;
    out[3] = (uint8_t)(sum + 0.5f);
}

/* The colours of a row: they alternate every `run` pixels, starting with the first. */
static void row_colors(const struct background *background, uint32_t y, uint32_t height, uint8_t colors[2][4],
                       uint32_t *run)
{
    memcpy(colors, background->colors, 8);
    *run = UINT32_MAX;
    if (background->kind == BACKGROUND_GRADIENT) {
        gradient_color(background->colors, y, height, colors[0]);
    } else if (background->kind == BACKGROUND_CHECKER) {
        *run = background->checker_px ? background->checker_px : 1;
        uint32_t odd = y / *run % 2;
        memcpy(colors[0], background->colors[odd], 4);
        memcpy(colors[1], background->colors[!odd], 4);
    }
}

void background_apply(const struct background *background, uint8_t *pixels, size_t stride, uint32_t width,
                      uint32_t height)
{
    if (background->kind == BACKGROUND_TRANSPARENT)
        return;
    for (uint32_t y = 0; y < height; y++) {
        uint8_t colors[2][4];
        uint32_t run;
        row_colors(background, y, height, colors, &run);
        uint8_t *pixel = pixels + y * stride;
        for (uint32_t x = 0; x < width; x++, pixel += 4)
            pixel_over(pixel, colors[x / run % 2]);
    }
}
