/* Where each cell goes: on which page, at which place.
 *
 * A sheet holds cells in a given order. The grid is for cells of one size: it fills rows from the top-left, and a
 * page that is full (max_size) is followed by another. Its layout is known before anything is drawn. Packed pages
 * hold cells of any size wherever they fit; sheet/cell_store.h makes the layout of those, and of cells that are
 * trimmed.
 *
 * Around each cell lies its extruded border (`extrude` copies of its edge pixels, so that bilinear filtering at
 * the edge meets the cell's own colour), around that `padding` transparent pixels: the distance of two cells is
 * padding + 2 * extrude, and the page's border has half of the padding, rounded up. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The most cells of a job, and so the most pages: as many as a page of 4096 pixels could hold at 8x8. Each costs memory
 * in the plan, the views and the JSON, so that without a limit a short list could ask for all there is. */
enum { LAYOUT_MOST_CELLS = 1 << 18 };

/* Pages of a sheet: each is some files, and the first page's JSON names all others. */
enum { LAYOUT_MOST_PAGES = 65536 };

enum layout_kind { LAYOUT_GRID, LAYOUT_PACKED };
enum split { SPLIT_NONE, SPLIT_ANIMATION, SPLIT_CAMERA };

struct sheet_settings {
    enum layout_kind layout;
    uint32_t columns;  /* 0: chosen (see layout_init) */
    uint32_t padding;  /* pixels */
    uint32_t extrude;  /* pixels */
    uint32_t max_size; /* longest side of a page in pixels */
    enum split split;
    uint32_t
        trim; /* cells are cut to their pixels of at least this alpha, and the JSON says where they lay; 0: not */
    bool power_of_two; /* pages have sides of a power of two */
    uint32_t bleed;    /* pixels by which edge colours run on under full transparency */
};

struct rect {
    uint32_t x, y, width, height; /* pixels, from the top-left */
};

/* Makes *all the smallest rectangle that holds both; without a width it is none yet. */
void rect_join(struct rect *all, const struct rect *other);

struct placement {
    uint32_t page;
    struct rect rect;   /* on the page, without extrusion */
    struct rect source; /* the part of the cell that is there: all of it unless it was trimmed */
};

struct layout_page {
    uint32_t width, height;
    size_t first_cell, cell_count; /* that follow each other */
};

struct layout {
    size_t cell_count;
    struct placement *cells;
    uint32_t page_count;
    struct layout_page *pages;
};

/* The cells of a sheet as runs that belong together: a clip seen by a camera. None is empty. */
struct strips {
    const size_t *lengths; /* in the order of the cells */
    size_t count;
};

/* Without `columns`, strips of one length, two cells or more, make one row each (or, where a row would be longer
 * than max_size, several of about the same length); otherwise the page is as square as can be. A strip is not torn
 * apart between pages where a page can hold it. Fails when one cell does not fit max_size, or the columns do not.
 */
int layout_init(struct layout *layout, const struct sheet_settings *settings, const uint32_t cell_px[2],
                const struct strips *strips, struct error *err);

/* The number of strips that are on several pages, and the first cell of the first of them. */
size_t layout_find_torn(const struct layout *layout, const struct strips *strips, size_t *first_cell);

/* Whether the layout depends on the pixels of the cells (sheet/cell_store.h). */
bool layout_needs_pixels(const struct sheet_settings *settings);

/* A placeholder until there are pixels: one page without a size, with all cells. */
int layout_reserve(struct layout *layout, size_t cell_count, struct error *err);

/* Fails where a cell of that size, with its borders, does not fit a page. */
int layout_check_cell(const struct sheet_settings *settings, uint32_t width, uint32_t height, struct error *err);

/* The longest side a page may have: max_size, or the power of two below. */
uint32_t layout_most_side(const struct sheet_settings *settings);

/* The smallest power of two that is not below `length`, which is at most 2^31. */
uint32_t layout_power_of_two(uint32_t length);

void layout_release(struct layout *layout);
