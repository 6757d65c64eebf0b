#include "review/pixels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/srgb.h"

/* Pixels that differ never get 0 by rounding. */
static const float least_difference = 1e-6f;

/* -- Colours ------------------------------------------------------------------------------------------------ */

/* Three numbers that are computed at once, and one that is not used. */
typedef float lanes __attribute__((vector_size(16)));
typedef int32_t bits __attribute__((vector_size(16)));

/* Returns the cube roots of numbers from 0 to 1, to some 1e-5: a guess from their bits, and one step of Halley's method. */
static inline lanes cube_roots(lanes x)
{
    x += 1e-18f; /* numbers near 0 would be computed slowly */
    bits guess = __builtin_convertvector(__builtin_convertvector((bits)x, lanes) * (1.0f / 3), bits) + 709921077;
    lanes y = (lanes)guess;
    lanes cube = y * y * y;
    return y * (cube + 2 * x) / (2 * cube + x);
}

/* On the way to OKLab, of colour multiplied by alpha; what remains is linear. */
static inline lanes cone_roots(const uint8_t pixel[4])
{
    float alpha = pixel[3] * (1 / 255.0f);
    float r = srgb_to_linear[pixel[0]] * alpha, g = srgb_to_linear[pixel[1]] * alpha,
          b = srgb_to_linear[pixel[2]] * alpha;
    return cube_roots((lanes){0.4122214708f, 0.2119034982f, 0.0883024619f} * r +
                      (lanes){0.5363325363f, 0.6806995451f, 0.2817188376f} * g +
                      (lanes){0.0514459929f, 0.1073969566f, 0.6299787005f} * b);
}

/* https://bottosson.github.io/posts/oklab */
float pixels_difference(const uint8_t a[4], const uint8_t b[4])
{
    if (a[3] == 0 && b[3] == 0)
        return 0;
    lanes cones = cone_roots(a) - cone_roots(b);
    lanes step = (lanes){0.2104542553f, 1.9779984951f, 0.0259040371f} * cones[0] +
                 (lanes){0.7936177850f, -2.4285922050f, 0.7827717662f} * cones[1] +
                 (lanes){-0.0040720468f, 0.4505937099f, -0.8086757660f} * cones[2];
    lanes square = step * step;
    float color = sqrtf(square[0] + square[1] + square[2]), alpha = fabsf((float)a[3] - (float)b[3]) / 255;
    float larger = color > alpha ? color : alpha;
    return larger > 1 ? 1 : larger > least_difference ? larger : least_difference;
}

/* -- Cells -------------------------------------------------------------------------------------------------- */

/* A part of the plane, in the cell `after`. */
struct area {
    int64_t left, top, right, bottom;
};

static struct area area_of(const struct rect *rect, int64_t x, int64_t y)
{
    return (struct area){rect->x + x, rect->y + y, rect->x + x + rect->width, rect->y + y + rect->height};
}

static struct area area_of_both(struct area a, struct area b)
{
    return (struct area){a.left < b.left ? a.left : b.left, a.top < b.top ? a.top : b.top,
                         a.right > b.right ? a.right : b.right, a.bottom > b.bottom ? a.bottom : b.bottom};
}

static uint64_t count_visible(const uint8_t *a, const uint8_t *b, size_t count)
{
    uint64_t visible = 0;
    for (size_t i = 3; i < 4 * count; i += 4)
        visible += (a[i] | b[i]) != 0;
    return visible;
}

/* Row y of the area: of the picture if it has the whole row, else a copy in `scratch` with transparent pixels around. */
static const uint8_t *row_of(const struct pixel_view *view, const struct area *shown, const struct area *area,
                             int64_t y, uint8_t *scratch)
{
    size_t size = (size_t)(area->right - area->left) * 4;
    bool has_row = y >= shown->top && y < shown->bottom;
    const uint8_t *row = has_row ? view->pixels + (size_t)(y - shown->top) * view->stride : NULL;
    if (has_row && shown->left == area->left && shown->right == area->right)
        return row;
    memset(scratch, 0, size);
    if (has_row && shown->right > shown->left)
        memcpy(scratch + (shown->left - area->left) * 4, row, (size_t)(shown->right - shown->left) * 4);
    return scratch;
}

struct sum {
    double total;
    uint64_t visible;
    float max, tolerance;
    uint32_t pixels;
    struct area box;
};

static void compare_row(const uint8_t *before, const uint8_t *after, const struct area *area, int64_t y,
                        struct sum *sum)
{
    size_t count = (size_t)(area->right - area->left);
    int64_t first = -1, last = -1;
    for (size_t x = 0; x < count; x++, before += 4, after += 4) {
        uint32_t a, b;
        memcpy(&a, before, sizeof a);
        memcpy(&b, after, sizeof b);
        if (a == b)
            continue;
        float found = pixels_difference(before, after);
        sum->total += (double)found;
        if (found <= sum->tolerance)
            continue;
        sum->max = found > sum->max ? found : sum->max;
        sum->pixels++;
        last = (int64_t)x;
        first = first < 0 ? last : first;
    }
    if (first < 0)
        return;
    struct area row = {area->left + first, y, area->left + last + 1, y + 1};
    sum->box = sum->box.bottom > sum->box.top ? area_of_both(sum->box, row) : row;
}

uint64_t pixels_compare(const struct pixel_view *before, const struct pixel_view *after, const int32_t offset[2],
                        float tolerance, struct pixel_change *out)
{
    struct area a = area_of(&before->shown, offset[0], offset[1]), b = area_of(&after->shown, 0, 0);
    struct area area = area_of_both(a, b);
    struct sum sum = {.tolerance = tolerance};
    size_t size = (size_t)(area.right - area.left) * 4;
    SCOPED uint8_t *scratch = must_alloc(2, size);
    for (int64_t y = area.top; y < area.bottom; y++) {
        const uint8_t *a_row = row_of(before, &a, &area, y, scratch);
        const uint8_t *b_row = row_of(after, &b, &area, y, scratch + size);
        if (memcmp(a_row, b_row, size) != 0)
            compare_row(a_row, b_row, &area, y, &sum);
        sum.visible += count_visible(a_row, b_row, size / 4);
    }
    const float mean = sum.pixels ? (float)(sum.total / (double)sum.visible) : 0;
    *out =
        (struct pixel_change){sum.pixels,
                              sum.max,
                              mean,
                              {(int32_t)sum.box.left, (int32_t)sum.box.top,
                               (int32_t)(sum.box.right - sum.box.left), (int32_t)(sum.box.bottom - sum.box.top)}};
    return size / 4 * (uint64_t)(area.bottom - area.top);
}

/* -- Hashes ------------------------------------------------------------------------------------------------- */

static bool is_empty(const uint8_t *pixels, size_t count, size_t step)
{
    for (size_t i = 0; i < count; i++)
        if (pixels[i * step + 3])
            return false;
    return true;
}

/* Hashes the smallest part that has all visible pixels, and its place. */
void pixels_hash(const struct pixel_view *view, char hash[HASH_SIZE])
{
    struct rect part = view->shown;
    const uint8_t *pixels = view->pixels;
    while (part.height && is_empty(pixels, part.width, 4))
        part.height--, part.y++, pixels += view->stride;
    while (part.height && is_empty(pixels + (part.height - 1) * view->stride, part.width, 4))
        part.height--;
    while (part.height && part.width && is_empty(pixels, part.height, view->stride))
        part.width--, part.x++, pixels += 4;
    while (part.height && part.width && is_empty(pixels + (part.width - 1) * (size_t)4, part.height, view->stride))
        part.width--;
    if (!part.height || !part.width)
        part = (struct rect){0};
    size_t row = (size_t)part.width * 4, head = sizeof part + 2 * sizeof(uint32_t);
    SCOPED uint8_t *copy = must_alloc(1, head + row * part.height);
    memcpy(copy, &part, sizeof part);
    memcpy(copy + sizeof part, (const uint32_t[]){view->width, view->height}, 2 * sizeof(uint32_t));
    for (uint32_t y = 0; y < part.height; y++) {
        uint8_t *to = copy + head + y * row;
        memcpy(to, pixels + y * view->stride, row);
        for (size_t x = 0; x < row; x += 4)
            if (to[x + 3] == 0)
                memset(to + x, 0, 4);
    }
    hash_bytes((struct bytes){copy, head + row * part.height}, hash);
}
