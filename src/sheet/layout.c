#include "sheet/layout.h"

#include <stdlib.h>

#include "base/memory.h"

/* Lengths are added up in 64 bits: settings and cell sizes of 32 bits cannot overflow them. */
struct grid {
    bool power_of_two;
    uint64_t margin[2]; /* before the first cell and after the last */
    uint64_t cell[2], step[2];
    uint64_t fit[2]; /* cells that a page of max_size can hold */
    uint64_t columns;
    bool has_strip_rows; /* each strip starts a row */
};

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

void rect_join(struct rect *all, const struct rect *other)
{
    if (all->width == 0)
        *all = *other;
    uint32_t right = larger(all->x + all->width, other->x + other->width);
    uint32_t bottom = larger(all->y + all->height, other->y + other->height);
    all->x = all->x < other->x ? all->x : other->x;
    all->y = all->y < other->y ? all->y : other->y;
    all->width = right - all->x;
    all->height = bottom - all->y;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

uint32_t layout_power_of_two(uint32_t length)
{
    uint32_t power = 1;
    while (power < length)
        power *= 2;
    return power;
}

uint32_t layout_most_side(const struct sheet_settings *settings)
{
    uint32_t most = settings->max_size;
    return settings->power_of_two && most ? layout_power_of_two(most / 2 + 1) : most;
}

int layout_check_cell(const struct sheet_settings *settings, uint32_t width, uint32_t height, struct error *err)
{
    const uint64_t borders = 2 * (divide_up(settings->padding, 2) + settings->extrude);
    const uint32_t most_side = layout_most_side(settings);
    if (width > 0 && height > 0 && larger(width, height) + borders <= most_side)
        return 0;
    return error_set(err, "a cell of %ux%u with padding %u and extrude %u does not fit a page of %u pixels", width,
                     height, settings->padding, settings->extrude, most_side);
}

/* `count` cells side by side, with their borders. */
static uint64_t length_of(const struct grid *grid, int axis, uint64_t count)
{
    return 2 * grid->margin[axis] + grid->cell[axis] + (count - 1) * grid->step[axis];
}

/* The size of the page that holds them; they must fit. */
static uint64_t page_length(const struct grid *grid, int axis, uint64_t count)
{
    uint64_t length = length_of(grid, axis, count);
    return grid->power_of_two ? layout_power_of_two((uint32_t)length) : length;
}

static int measure(struct grid *grid, const struct sheet_settings *settings, const uint32_t cell_px[2],
                   struct error *err)
{
    if (layout_check_cell(settings, cell_px[0], cell_px[1], err) < 0)
        return -1;
    grid->power_of_two = settings->power_of_two;
    for (int axis = 0; axis < 2; axis++) {
        grid->margin[axis] = divide_up(settings->padding, 2) + settings->extrude;
        grid->cell[axis] = cell_px[axis];
        grid->step[axis] = (uint64_t)cell_px[axis] + settings->padding + 2 * (uint64_t)settings->extrude;
        grid->fit[axis] = 1 + (layout_most_side(settings) - length_of(grid, axis, 1)) / grid->step[axis];
    }
    return 0;
}

/* The number of columns for which the longer side of the page is shortest; of equals, the one that leaves fewest
 * pixels empty, and of those the widest. */
static uint64_t squarest(const struct grid *grid, uint64_t cell_count)
{
    if (divide_up(cell_count, grid->fit[0]) >= grid->fit[1])
        return grid->fit[0];
    uint64_t best = 0, best_length = UINT64_MAX, best_area = UINT64_MAX;
    for (uint64_t columns = 1; columns <= grid->fit[0] && columns <= cell_count; columns++) {
        uint64_t rows = divide_up(cell_count, columns);
        if (rows > grid->fit[1])
            continue;
        uint64_t width = page_length(grid, 0, columns), height = page_length(grid, 1, rows);
        uint64_t length = width > height ? width : height, area = width * height;
        if (length < best_length || (length == best_length && area <= best_area)) {
            best_length = length;
            best_area = area;
            best = columns;
        }
    }
    return best;
}

static int choose_columns(struct grid *grid, const struct sheet_settings *settings, size_t cell_count,
                          const struct strips *strips, struct error *err)
{
    if (settings->columns > grid->fit[0])
        return error_set(err, "%u columns are %ju pixels wide, at most %u (max_size) are allowed",
                         settings->columns, (uintmax_t)length_of(grid, 0, settings->columns),
                         layout_most_side(settings));
    size_t length = strips->lengths[0];
    bool are_equal = length > 1;
    for (size_t i = 1; i < strips->count; i++)
        are_equal &= strips->lengths[i] == length;
    grid->has_strip_rows = settings->columns == 0 && are_equal;
    if (settings->columns > 0)
        grid->columns = settings->columns;
    else if (grid->has_strip_rows)
        grid->columns = divide_up(length, divide_up(length, grid->fit[0]));
    else
        grid->columns = squarest(grid, cell_count);
    return 0;
}

/* Returns the number of pages. A strip that would go on on another page starts there, where one page can hold it.
 */
static uint64_t place_cells(struct layout *layout, const struct grid *grid, const struct strips *strips)
{
    uint64_t page = 0, next = 0, page_cells = grid->columns * grid->fit[1];
    struct placement *cell = layout->cells;
    for (size_t i = 0; i < strips->count; i++) {
        if (grid->has_strip_rows)
            next = divide_up(next, grid->columns) * grid->columns;
        if (next + strips->lengths[i] > page_cells && strips->lengths[i] <= page_cells) {
            page++;
            next = 0;
        }
        for (size_t j = 0; j < strips->lengths[i]; j++) {
            if (next == page_cells) {
                page++;
                next = 0;
            }
            struct rect rect = {
                .x = (uint32_t)(grid->margin[0] + next % grid->columns * grid->step[0]),
                .y = (uint32_t)(grid->margin[1] + next / grid->columns * grid->step[1]),
                .width = (uint32_t)grid->cell[0],
                .height = (uint32_t)grid->cell[1],
            };
            *cell++ = (struct placement){(uint32_t)page, rect, {0, 0, rect.width, rect.height}};
            next++;
        }
    }
    return page + 1;
}

static void measure_pages(struct layout *layout, const struct grid *grid)
{
    for (size_t i = 0; i < layout->cell_count; i++) {
        const struct placement *cell = &layout->cells[i];
        struct layout_page *on = &layout->pages[cell->page];
        if (on->cell_count++ == 0)
            on->first_cell = i;
        uint32_t right = (uint32_t)(cell->rect.x + grid->cell[0] + grid->margin[0]);
        uint32_t bottom = (uint32_t)(cell->rect.y + grid->cell[1] + grid->margin[1]);
        on->width = larger(on->width, right);
        on->height = larger(on->height, bottom);
    }
}

int layout_init(struct layout *layout, const struct sheet_settings *settings, const uint32_t cell_px[2],
                const struct strips *strips, struct error *err)
{
    struct grid grid = {0};
    struct layout made = {0};
    for (size_t i = 0; i < strips->count; i++)
        made.cell_count += strips->lengths[i];
    if (made.cell_count == 0)
        return error_set(err, "a sheet without cells");
    if (measure(&grid, settings, cell_px, err) < 0 ||
        choose_columns(&grid, settings, made.cell_count, strips, err) < 0)
        return -1;
    made.cells = memory_alloc(made.cell_count, sizeof *made.cells, err);
    uint64_t page_count = made.cells ? place_cells(&made, &grid, strips) : 0;
    if (page_count > LAYOUT_MOST_PAGES)
        error_set(err, "%zu cells make %ju pages, at most %d are allowed", made.cell_count, (uintmax_t)page_count,
                  LAYOUT_MOST_PAGES);
    else if (made.cells)
        made.pages = memory_alloc(page_count, sizeof *made.pages, err);
    if (!made.pages) {
        layout_release(&made);
        return -1;
    }
    made.page_count = (uint32_t)page_count;
    measure_pages(&made, &grid);
    for (uint32_t i = 0; settings->power_of_two && i < made.page_count; i++) {
        made.pages[i].width = layout_power_of_two(made.pages[i].width);
        made.pages[i].height = layout_power_of_two(made.pages[i].height);
    }
    *layout = made;
    return 0;
}

size_t layout_find_torn(const struct layout *layout, const struct strips *strips, size_t *first_cell)
{
    size_t torn = 0, cell = 0;
    for (size_t i = 0; i < strips->count; cell += strips->lengths[i++]) {
        size_t last = cell + strips->lengths[i] - 1;
        if (layout->cells[cell].page != layout->cells[last].page && torn++ == 0)
            *first_cell = cell;
    }
    return torn;
}

bool layout_needs_pixels(const struct sheet_settings *settings)
{
    return settings->layout == LAYOUT_PACKED || settings->trim;
}

int layout_reserve(struct layout *layout, size_t cell_count, struct error *err)
{
    struct layout made = {.cell_count = cell_count, .page_count = 1};
    made.cells = memory_alloc(cell_count, sizeof *made.cells, err);
    made.pages = made.cells ? memory_alloc(1, sizeof *made.pages, err) : NULL;
    if (!made.pages) {
        layout_release(&made);
        return -1;
    }
    made.pages[0].cell_count = cell_count;
    *layout = made;
    return 0;
}

void layout_release(struct layout *layout)
{
    free(layout->cells);
    free(layout->pages);
    *layout = (struct layout){0};
}
