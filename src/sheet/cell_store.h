/* Keeps the drawn cells of packed and trimmed sheets, whose layout depends on their pixels.
 *
 *     cell_store_init(&store, kinds, plane_count, cell_px, cell_count, trim, err);
 *     cell_store_add(&store, cell, planes, err);                    once per cell, in any order
 *     cell_store_lay_out(&store, &settings, &strips, &layout, err);
 *     cell_store_paint(&store, &settings, &layout, page, plane, &sheet, err);   for each page and plane
 *
 * A cell has a *plane* for each pass that is drawn of it: the picture in colour, its normals, its depth. All
 * planes of a sheet have one layout. A cell is cut to what shows in any of its planes, and a cell all of whose
 * planes are those of another shares its pixels, so what is kept is bounded by what the pages will hold. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sheet/layout.h"
#include "sheet/sheet.h"

/* Pixels that one cell or several have in common. */
struct stored_picture {
    size_t number; /* from 0, in the order in which they were first drawn */
    uint32_t width, height;
    size_t size;     /* of the pixels in bytes */
    uint8_t *pixels; /* a plane after another, without gaps */
};

struct stored_cell {
    struct rect source; /* what is kept of the cell; where nothing shows, its first pixel */
    bool is_empty;
    const struct stored_picture *picture;
};

struct cell_store {
    enum sheet_kind *kinds; /* by plane */
    size_t plane_count;
    uint32_t cell_px[2];
    uint32_t trim; /* of struct sheet_settings */
    struct stored_cell *cells;
    size_t cell_count;
    void *pictures; /* a tree of tsearch */
    size_t picture_count;
    uint64_t byte_count; /* of all pictures */
};

int cell_store_init(struct cell_store *store, const enum sheet_kind *kinds, size_t plane_count,
                    const uint32_t cell_px[2], size_t cell_count, uint32_t trim, struct error *err);
void cell_store_release(struct cell_store *store);

/* `planes`: the whole cell in each of them, without gaps between its rows. */
int cell_store_add(struct cell_store *store, size_t cell, const void *const *planes, struct error *err);

/* The layout of the sheet once all cells are there. Packed, each picture is stored once on a page, and cells that
 * share it share its place; pages take strips in their order, and a strip is torn apart only where it does not fit
 * a page. In a grid all cells are cut alike, to what shows in any of them, so that they stay equal. */
int cell_store_lay_out(const struct cell_store *store, const struct sheet_settings *settings,
                       const struct strips *strips, struct layout *layout, struct error *err);

/* Places the cells of a page on `sheet`, which has its size and the kind of the plane, with their borders. */
int cell_store_paint(const struct cell_store *store, const struct sheet_settings *settings,
                     const struct layout *layout, uint32_t page, size_t plane, struct sheet *sheet,
                     struct error *err);
