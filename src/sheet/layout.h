/* Where each cell goes: on which page, at which place.
 *
 * A sheet holds cells of one size in a given order. The grid fills rows from the top-left; a page that is full
 * (max_size) is followed by another. Around each cell lies its extruded border (`extrude` copies of its edge
 * pixels, so that bilinear filtering at the edge meets the cell's own colour), around that `padding`
 * transparent pixels: the distance of two cells is padding + 2 * extrude, and the page's border has half of the
 * padding, rounded up. */
#ifndef SHEET_LAYOUT_H
#define SHEET_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum layout_kind { LAYOUT_GRID };
enum split { SPLIT_NONE, SPLIT_ANIMATION, SPLIT_CAMERA };

struct sheet_settings {
    enum layout_kind layout;
    uint32_t columns;  /* 0: chosen (see layout_init) */
    uint32_t padding;  /* pixels */
    uint32_t extrude;  /* pixels */
    uint32_t max_size; /* longest side of a page in pixels */
    enum split split;
};

struct rect {
    uint32_t x, y, width, height; /* pixels, from the top-left */
};

struct placement {
    uint32_t page;
    struct rect rect; /* of the cell itself, without extrusion */
};

struct layout_page {
    uint32_t width, height;
    size_t first_cell, cell_count;
};

struct layout {
    size_t cell_count;
    struct placement *cells;
    uint32_t page_count;
    struct layout_page *pages;
};

/* `strip_length` is the number of cells in each clip of the sheet where all have the same, else 0. Without
 * `columns`, equal strips of two cells or more make one row each (or, where a row would be longer than max_size,
 * several of about the same length) and are not torn apart between pages where a page can hold one; otherwise
 * the page is as square as can be. Fails when one cell does not fit max_size, or the columns do not. */
int layout_init(struct layout *layout, const struct sheet_settings *settings, const uint32_t cell_px[2],
                size_t cell_count, size_t strip_length, struct error *err);
void layout_release(struct layout *layout);

#endif
