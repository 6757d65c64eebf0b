#include "sheet/sheet.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

size_t sheet_pixel_size(enum sheet_kind kind)
{
    return kind == SHEET_INDEXED ? 1 : kind == SHEET_GREY16 ? 2 : 4;
}

int sheet_init(struct sheet *sheet, enum sheet_kind kind, uint32_t width, uint32_t height, struct error *err)
{
    if (width == 0 || height == 0)
        return error_set(err, "a page of %ux%u pixels, each side must be at least 1", width, height);
    uint8_t *scanlines = memory_alloc(height, 1 + width * sheet_pixel_size(kind), err);
    if (!scanlines)
        return -1;
    *sheet = (struct sheet){kind, width, height, {.level = PNG_LEVEL}, .scanlines = scanlines};
    return 0;
}

void sheet_release(struct sheet *sheet)
{
    free(sheet->scanlines);
    *sheet = (struct sheet){0};
}

size_t sheet_row_size(const struct sheet *sheet)
{
    return sheet->width * sheet_pixel_size(sheet->kind);
}

uint8_t *sheet_row(const struct sheet *sheet, uint32_t y)
{
    return sheet->scanlines + y * (1 + sheet_row_size(sheet)) + 1;
}

void sheet_place(struct sheet *sheet, const struct rect *rect, const void *pixels, size_t stride)
{
    assert((uint64_t)rect->x + rect->width <= sheet->width && (uint64_t)rect->y + rect->height <= sheet->height);
    size_t pixel = sheet_pixel_size(sheet->kind);
    for (uint32_t y = 0; y < rect->height; y++)
        memcpy(sheet_row(sheet, rect->y + y) + rect->x * pixel, (const uint8_t *)pixels + y * stride,
               rect->width * pixel);
}

void sheet_extrude(struct sheet *sheet, const struct rect *rect, uint32_t extrude)
{
    assert(rect->width > 0 && rect->height > 0 && rect->x >= extrude && rect->y >= extrude);
    assert((uint64_t)rect->x + rect->width + extrude <= sheet->width);
    assert((uint64_t)rect->y + rect->height + extrude <= sheet->height);

    size_t pixel = sheet_pixel_size(sheet->kind), width = rect->width * pixel;
    for (uint32_t y = 0; y < rect->height; y++) {
        uint8_t *cell = sheet_row(sheet, rect->y + y) + rect->x * pixel;
        for (size_t i = 1; i <= extrude; i++) {
            memcpy(cell - i * pixel, cell, pixel);
            memcpy(cell + width + (i - 1) * pixel, cell + width - pixel, pixel);
        }
    }

    size_t left = (rect->x - extrude) * pixel, bordered = width + 2 * (size_t)extrude * pixel;
    const uint8_t *top = sheet_row(sheet, rect->y) + left;
    const uint8_t *bottom = sheet_row(sheet, rect->y + rect->height - 1) + left;
    for (uint32_t i = 1; i <= extrude; i++) {
        memcpy(sheet_row(sheet, rect->y - i) + left, top, bordered);
        memcpy(sheet_row(sheet, rect->y + rect->height - 1 + i) + left, bottom, bordered);
    }
}

/* -- Bleeding ---------------------------------------------------------------------------------------------- */

/* Colour under full transparency.
 *
 * Bilinear filtering mixes the pixels at an edge with their transparent neighbours. Engines that do not
 * premultiply alpha mix in the neighbours' colour too, and black shows as a dark fringe. So the colours at the
 * edges run on, outwards, under an alpha that stays 0. */

/* Pixels of the region get their colour in rings: first those that touch what is visible, then those that touch
 * the first, and so on. */
struct region {
    struct sheet *sheet;
    struct rect rect;
    uint16_t *rings;       /* by pixel: the ring it is in; VISIBLE, or NO_RING yet */
    uint32_t *ring, *next; /* pixels of the ring at hand, and of the one after it */
    size_t ring_count, next_count;
};

enum { VISIBLE = 0, NO_RING = UINT16_MAX };

static uint8_t *pixel_at(const struct region *region, uint32_t x, uint32_t y)
{
    return sheet_row(region->sheet, region->rect.y + y) + (size_t)(region->rect.x + x) * 4;
}

/* The cell with its border and its share of the padding. */
static struct rect bleeding_rect(const struct rect *rect, const struct sheet_settings *settings)
{
    uint32_t left = settings->extrude + (settings->padding + 1) / 2;
    uint32_t both = left + settings->extrude + settings->padding / 2;
    assert(rect->x >= left && rect->y >= left);
    return (struct rect){rect->x - left, rect->y - left, rect->width + both, rect->height + both};
}

/* The neighbours of a pixel as a small rectangle, cut at the region's border. */
static void neighbours_of(const struct region *region, uint32_t pixel, uint32_t from[2], uint32_t to[2])
{
    uint32_t at[2] = {pixel % region->rect.width, pixel / region->rect.width};
    uint32_t size[2] = {region->rect.width, region->rect.height};
    for (int axis = 0; axis < 2; axis++) {
        from[axis] = at[axis] > 0 ? at[axis] - 1 : 0;
        to[axis] = at[axis] + 1 < size[axis] ? at[axis] + 1 : at[axis];
    }
}

/* Finds the pixels without a ring that touch this one: they are in ring `number`. */
static void spread(struct region *region, uint32_t pixel, uint16_t number)
{
    uint32_t from[2], to[2];
    neighbours_of(region, pixel, from, to);
    for (uint32_t y = from[1]; y <= to[1]; y++)
        for (uint32_t x = from[0]; x <= to[0]; x++) {
            uint32_t neighbour = y * region->rect.width + x;
            if (region->rings[neighbour] != NO_RING)
                continue;
            region->rings[neighbour] = number;
            region->next[region->next_count++] = neighbour;
        }
}

/* The mean of the neighbours of smaller rings; what is hardly visible counts for little. */
static void color_pixel(struct region *region, uint32_t pixel)
{
    uint32_t sum[3] = {0}, weights = 0, from[2], to[2];
    uint16_t ring = region->rings[pixel];
    neighbours_of(region, pixel, from, to);
    for (uint32_t y = from[1]; y <= to[1]; y++)
        for (uint32_t x = from[0]; x <= to[0]; x++) {
            uint16_t other = region->rings[y * region->rect.width + x];
            if (other >= ring)
                continue;
            const uint8_t *color = pixel_at(region, x, y);
            uint32_t weight = other == VISIBLE ? color[3] : 1;
            for (int i = 0; i < 3; i++)
                sum[i] += weight * color[i];
            weights += weight;
        }
    uint8_t *out = pixel_at(region, pixel % region->rect.width, pixel / region->rect.width);
    for (int i = 0; i < 3; i++)
        out[i] = (uint8_t)((sum[i] + weights / 2) / weights);
}

int bleed_cell(struct sheet *sheet, const struct rect *rect, const struct sheet_settings *settings,
               struct error *err)
{
    if (settings->bleed == 0)
        return 0;
    struct region region = {.sheet = sheet, .rect = bleeding_rect(rect, settings)};
    size_t count = (size_t)region.rect.width * region.rect.height;
    uint32_t *memory = memory_alloc(count, 2 * sizeof *region.ring + sizeof *region.rings, err);
    if (!memory)
        return -1;
    region.ring = memory;
    region.next = memory + count;
    region.rings = (uint16_t *)(memory + 2 * count);
    for (uint32_t pixel = 0; pixel < count; pixel++) {
        bool is_visible = pixel_at(&region, pixel % region.rect.width, pixel / region.rect.width)[3] > 0;
        region.rings[pixel] = is_visible ? VISIBLE : NO_RING;
        if (is_visible)
            region.ring[region.ring_count++] = pixel;
    }
    for (uint16_t number = 1; number <= settings->bleed && region.ring_count > 0; number++) {
        region.next_count = 0;
        for (size_t i = 0; i < region.ring_count; i++)
            spread(&region, region.ring[i], number);
        for (size_t i = 0; i < region.next_count; i++)
            color_pixel(&region, region.next[i]);
        uint32_t *done = region.ring;
        region.ring = region.next;
        region.ring_count = region.next_count;
        region.next = done;
    }
    free(memory);
    return 0;
}
