#include "sheet/layout.h"

#include <stdlib.h>

#include "base/memory.h"

/* Lengths are added up in 64 bits: settings and cell sizes of 32 bits cannot overflow them. */
struct grid {
    uint64_t margin[2]; /* before the first cell and after the last */
    uint64_t cell[2], step[2];
    uint64_t fit[2]; /* cells that a page of max_size can hold */
    uint64_t columns;
    uint64_t strip_length; /* cells that start a new row together; all of them where there are no strips */
    uint64_t strip_rows;
    uint64_t page_strips; /* whole strips on a page, 0 when one does not fit */
};

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

/* The size of a page with `count` cells side by side. */
static uint64_t length_of(const struct grid *grid, int axis, uint64_t count)
{
    return 2 * grid->margin[axis] + grid->cell[axis] + (count - 1) * grid->step[axis];
}

static int measure(struct grid *grid, const struct sheet_settings *settings, const uint32_t cell_px[2],
                   struct error *err)
{
    for (int axis = 0; axis < 2; axis++) {
        grid->margin[axis] = divide_up(settings->padding, 2) + settings->extrude;
        grid->cell[axis] = cell_px[axis];
        grid->step[axis] = (uint64_t)cell_px[axis] + settings->padding + 2 * (uint64_t)settings->extrude;
        uint64_t least = length_of(grid, axis, 1);
        if (cell_px[axis] == 0 || least > settings->max_size)
            return error_set(err,
                             "a cell of %ux%u with padding %u and extrude %u does not fit a page of %u pixels",
                             cell_px[0], cell_px[1], settings->padding, settings->extrude, settings->max_size);
        grid->fit[axis] = 1 + (settings->max_size - least) / grid->step[axis];
    }
    return 0;
}

/* The number of columns for which the longer side of the page is shortest; of equals, the wider page. */
static uint64_t squarest(const struct grid *grid, uint64_t cell_count)
{
    if (divide_up(cell_count, grid->fit[0]) >= grid->fit[1])
        return grid->fit[0];
    uint64_t best = 0, best_length = UINT64_MAX;
    for (uint64_t columns = 1; columns <= grid->fit[0] && columns <= cell_count; columns++) {
        uint64_t rows = divide_up(cell_count, columns);
        uint64_t width = length_of(grid, 0, columns), height = length_of(grid, 1, rows);
        uint64_t length = width > height ? width : height;
        if (rows <= grid->fit[1] && length <= best_length) {
            best_length = length;
            best = columns;
        }
    }
    return best;
}

static int choose_columns(struct grid *grid, const struct sheet_settings *settings, size_t cell_count,
                          size_t strip_length, struct error *err)
{
    if (settings->columns > grid->fit[0])
        return error_set(err, "%u columns are %ju pixels wide, at most %u (max_size) are allowed",
                         settings->columns, (uintmax_t)length_of(grid, 0, settings->columns), settings->max_size);
    grid->strip_length = cell_count;
    if (settings->columns > 0) {
        grid->columns = settings->columns;
    } else if (strip_length > 1) {
        grid->strip_length = strip_length;
        grid->columns = divide_up(strip_length, divide_up(strip_length, grid->fit[0]));
    } else {
        grid->columns = squarest(grid, cell_count);
    }
    grid->strip_rows = divide_up(grid->strip_length, grid->columns);
    grid->page_strips = grid->fit[1] / grid->strip_rows;
    return 0;
}

/* Which page a cell is on, and its row there. Strips stay whole where a page can hold one. */
static uint64_t find_page(const struct grid *grid, uint64_t cell, uint64_t *row)
{
    uint64_t strip = cell / grid->strip_length;
    uint64_t row_in_strip = cell % grid->strip_length / grid->columns;
    if (grid->page_strips > 0) {
        *row = strip % grid->page_strips * grid->strip_rows + row_in_strip;
        return strip / grid->page_strips;
    }
    uint64_t sheet_row = strip * grid->strip_rows + row_in_strip;
    *row = sheet_row % grid->fit[1];
    return sheet_row / grid->fit[1];
}

static void place_cell(struct layout *layout, const struct grid *grid, size_t cell)
{
    uint64_t row, page = find_page(grid, cell, &row);
    uint64_t column = cell % grid->strip_length % grid->columns;
    struct rect rect = {
        .x = (uint32_t)(grid->margin[0] + column * grid->step[0]),
        .y = (uint32_t)(grid->margin[1] + row * grid->step[1]),
        .width = (uint32_t)grid->cell[0],
        .height = (uint32_t)grid->cell[1],
    };
    layout->cells[cell] = (struct placement){.page = (uint32_t)page, .rect = rect};

    struct layout_page *on = &layout->pages[page];
    if (on->cell_count++ == 0)
        on->first_cell = cell;
    uint32_t right = (uint32_t)(rect.x + grid->cell[0] + grid->margin[0]);
    uint32_t bottom = (uint32_t)(rect.y + grid->cell[1] + grid->margin[1]);
    on->width = right > on->width ? right : on->width;
    on->height = bottom > on->height ? bottom : on->height;
}

int layout_init(struct layout *layout, const struct sheet_settings *settings, const uint32_t cell_px[2],
                size_t cell_count, size_t strip_length, struct error *err)
{
    struct grid grid = {0};
    if (cell_count == 0)
        return error_set(err, "a sheet without cells");
    if (measure(&grid, settings, cell_px, err) < 0 ||
        choose_columns(&grid, settings, cell_count, strip_length, err) < 0)
        return -1;

    uint64_t row;
    struct layout made = {
        .cell_count = cell_count,
        .page_count = (uint32_t)find_page(&grid, cell_count - 1, &row) + 1,
    };
    made.cells = memory_alloc(cell_count, sizeof *made.cells, err);
    made.pages = made.cells ? memory_alloc(made.page_count, sizeof *made.pages, err) : NULL;
    if (!made.pages) {
        layout_release(&made);
        return -1;
    }
    for (size_t i = 0; i < cell_count; i++)
        place_cell(&made, &grid, i);
    *layout = made;
    return 0;
}

void layout_release(struct layout *layout)
{
    free(layout->cells);
    free(layout->pages);
    *layout = (struct layout){0};
}
