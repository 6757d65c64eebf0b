/* Cells of two planes, colour and depth, painted onto pages and put together again from those. */

#include "base/memory.h"
#include "sheet/cell_store.h"
#include "test.h"

enum { WIDTH = 20, HEIGHT = 16, PIXELS = WIDTH * HEIGHT, MOST_CELLS = 64 };

static const uint32_t cell_px[2] = {WIDTH, HEIGHT};
static const enum sheet_kind kinds[] = {SHEET_COLOR, SHEET_GREY16};

struct cell_pixels {
    uint8_t color[PIXELS][4];
    uint16_t depth[PIXELS];
};

static struct cell_pixels cells[MOST_CELLS];

static uint32_t random_number(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* A blot of `seed`'s colours somewhere in the cell; its place and colours are the same for the same seed. */
static void draw_blot(struct cell_pixels *cell, uint32_t seed)
{
    uint32_t state = seed * 7919 + 1;
    uint32_t left = random_number(&state) % 12, top = random_number(&state) % 9;
    uint32_t width = 1 + random_number(&state) % 8, height = 1 + random_number(&state) % 7;
    memset(cell, 0, sizeof *cell);
    for (uint32_t y = top; y < top + height; y++)
        for (uint32_t x = left; x < left + width; x++) {
            uint32_t color = random_number(&state);
            if (color % 5 == 0)
                continue; /* a hole */
            uint8_t *out = cell->color[y * WIDTH + x];
            out[0] = (uint8_t)color;
            out[1] = (uint8_t)(color >> 8);
            out[2] = (uint8_t)(color >> 16);
            out[3] = (uint8_t)(1 + color % 255);
            cell->depth[y * WIDTH + x] = (uint16_t)(1 + color % 65535);
        }
}

/* Cells 0 to 63: every fourth is empty, every third of the others is the same as the one twelve before it. */
static void draw_cells(void)
{
    for (uint32_t i = 0; i < MOST_CELLS; i++)
        if (i % 4 == 3)
            memset(&cells[i], 0, sizeof cells[i]);
        else
            draw_blot(&cells[i], i % 3 == 0 ? i % 12 : i);
}

static struct cell_store add_cells(size_t count, bool trim)
{
    struct cell_store store;
    struct error err = {""};
    assert_int_equal(cell_store_init(&store, kinds, 2, cell_px, count, trim, &err), 0);
    for (size_t i = 0; i < count; i++) {
        size_t cell = (i * 7 + 3) % count; /* any order does */
        if (count % 7 == 0)
            cell = i;
        const void *planes[] = {cells[cell].color, cells[cell].depth};
        if (cell_store_add(&store, cell, planes, &err) < 0)
            fail_msg("%s", err.text);
    }
    return store;
}

static struct layout lay_out(const struct cell_store *store, const struct sheet_settings *settings)
{
    size_t ones[MOST_CELLS];
    for (size_t i = 0; i < MOST_CELLS; i++)
        ones[i] = 1;
    struct layout layout;
    struct error err = {""};
    if (cell_store_lay_out(store, settings, &(struct strips){ones, store->cell_count}, &layout, &err) < 0)
        fail_msg("%s", err.text);
    return layout;
}

static struct sheet paint(const struct cell_store *store, const struct sheet_settings *settings,
                          const struct layout *layout, uint32_t page, size_t plane)
{
    struct sheet sheet;
    struct error err = {""};
    assert_int_equal(sheet_init(&sheet, kinds[plane], layout->pages[page].width, layout->pages[page].height, &err),
                     0);
    if (cell_store_paint(store, settings, layout, page, plane, &sheet, &err) < 0)
        fail_msg("%s", err.text);
    return sheet;
}

/* Puts a cell together as an engine does: an empty one, and on it what its placement says. */
static void recompose(const struct placement *at, const struct sheet *sheet, void *out)
{
    size_t pixel = sheet_pixel_size(sheet->kind);
    memset(out, 0, PIXELS * pixel);
    assert_true(at->rect.width == at->source.width && at->rect.height == at->source.height);
    assert_true(at->source.x + at->source.width <= WIDTH && at->source.y + at->source.height <= HEIGHT);
    for (uint32_t y = 0; y < at->rect.height; y++)
        memcpy((uint8_t *)out + ((size_t)(at->source.y + y) * WIDTH + at->source.x) * pixel,
               sheet_row(sheet, at->rect.y + y) + at->rect.x * pixel, at->rect.width * pixel);
}

static void expect_color(const struct placement *at, const struct sheet *sheet, const struct cell_pixels *cell)
{
    uint8_t color[PIXELS][4];
    recompose(at, sheet, color);
    for (size_t i = 0; i < PIXELS; i++)
        if (color[i][3] == 0)
            memset(color[i], 0, 4); /* what bled does not show */
    assert_memory_equal(color, cell->color, sizeof color);
}

static void expect_depth(const struct placement *at, const struct sheet *sheet, const struct cell_pixels *cell)
{
    uint16_t depth[PIXELS];
    recompose(at, sheet, depth);
    assert_memory_equal(depth, cell->depth, sizeof depth);
}

static uint32_t expect_all_cells(struct sheet_settings settings, size_t count)
{
    struct cell_store store = add_cells(count, settings.trim);
    struct layout layout = lay_out(&store, &settings);
    uint32_t pages = layout.page_count;
    size_t seen = 0;
    for (uint32_t page = 0; page < pages; page++) {
        struct sheet color = paint(&store, &settings, &layout, page, 0);
        struct sheet depth = paint(&store, &settings, &layout, page, 1);
        assert_true(color.width <= settings.max_size && color.height <= settings.max_size);
        for (size_t i = 0; i < count; i++) {
            if (layout.cells[i].page != page)
                continue;
            expect_color(&layout.cells[i], &color, &cells[i]);
            expect_depth(&layout.cells[i], &depth, &cells[i]);
            seen++;
        }
        sheet_release(&color);
        sheet_release(&depth);
    }
    assert_int_equal(seen, count);
    layout_release(&layout);
    cell_store_release(&store);
    return pages;
}

TEST(every_cell_comes_back)
{
    draw_cells();
    for (uint32_t i = 0; i < 128; i++) {
        struct sheet_settings settings = {
            .layout = i & 1 ? LAYOUT_PACKED : LAYOUT_GRID,
            .trim = i & 2,
            .power_of_two = i & 4,
            .padding = i & 8 ? 3 : 0,
            .extrude = i & 16 ? 2 : 0,
            .bleed = i & 32 ? 4 : 0,
            .max_size = i & 64 ? 48 : 4096,
        };
        uint32_t pages = expect_all_cells(settings, 60);
        assert_true(settings.max_size == 4096 ? pages == 1 : settings.trim || pages > 1);
    }
}

/* The same picture at another place of the cell shares pixels once both are trimmed. */
TEST(moved_cells_share_a_place_when_trimmed)
{
    const struct sheet_settings settings = {.layout = LAYOUT_PACKED, .trim = true, .max_size = 4096};
    memset(cells, 0, 2 * sizeof *cells);
    memset(cells[0].color[3 * WIDTH + 2], 200, 4);
    memset(cells[1].color[9 * WIDTH + 11], 200, 4);
    struct cell_store store = add_cells(2, true);
    struct layout layout = lay_out(&store, &settings);
    assert_int_equal(store.picture_count, 1);
    assert_int_equal(layout.pages[0].width, 1);
    assert_int_equal(layout.cells[0].source.x, 2);
    assert_int_equal(layout.cells[1].source.x, 11);
    assert_int_equal(layout.cells[1].source.y, 9);
    layout_release(&layout);
    cell_store_release(&store);
}

TEST(cells_of_a_trimmed_grid_are_cut_alike)
{
    memset(cells, 0, 3 * sizeof *cells);
    cells[0].color[2 * WIDTH + 3][3] = 255;
    cells[1].color[7 * WIDTH + 8][3] = 255; /* cell 2 is empty, and does not count */
    struct cell_store store = add_cells(3, true);
    struct layout layout =
        lay_out(&store, &(struct sheet_settings){.layout = LAYOUT_GRID, .columns = 3, .max_size = 4096});
    for (size_t i = 0; i < 3; i++)
        assert_memory_equal(&layout.cells[i].source, (&(struct rect){3, 2, 6, 6}), sizeof(struct rect));
    assert_int_equal(layout.pages[0].width, 18);
    assert_int_equal(layout.pages[0].height, 6);
    layout_release(&layout);
    cell_store_release(&store);
}

/* Strips of the given lengths; a page holds 20 cells. Returns the page of each cell as a letter. */
static const char *pages_of(const size_t *lengths, size_t count)
{
    static char text[MOST_CELLS + 2];
    struct sheet_settings settings = {.layout = LAYOUT_PACKED, .max_size = 80};
    struct strips strips = {lengths, count};
    size_t cell_count = 0, first;
    for (size_t i = 0; i < count; i++)
        cell_count += lengths[i];
    struct cell_store store = add_cells(cell_count, false);
    struct layout layout;
    struct error err = {""};
    assert_int_equal(cell_store_lay_out(&store, &settings, &strips, &layout, &err), 0);
    for (size_t i = 0; i < cell_count; i++)
        text[i] = (char)('a' + layout.cells[i].page);
    text[cell_count] = layout_find_torn(&layout, &strips, &first) ? '!' : '\0';
    text[cell_count + 1] = '\0';
    for (uint32_t page = 0; page < layout.page_count; page++) {
        struct sheet sheet = paint(&store, &settings, &layout, page, 0);
        for (size_t i = 0; i < cell_count; i++)
            if (layout.cells[i].page == page)
                expect_color(&layout.cells[i], &sheet, &cells[i]);
        sheet_release(&sheet);
    }
    layout_release(&layout);
    cell_store_release(&store);
    return text;
}

TEST(cell_that_fits_no_page_fails)
{
    draw_cells();
    struct cell_store store = add_cells(1, false);
    struct layout layout;
    struct error err = {""};
    struct sheet_settings settings = {.layout = LAYOUT_PACKED, .max_size = 21, .padding = 1};
    assert_int_equal(cell_store_lay_out(&store, &settings, &(struct strips){(size_t[]){1}, 1}, &layout, &err), -1);
    assert_string_equal(err.text, "a cell of 20x16 with padding 1 and extrude 0 does not fit a page of 21 pixels");
    settings.max_size = 22;
    layout = lay_out(&store, &settings);
    layout_release(&layout);
    cell_store_release(&store);
}

TEST(cells_are_stored_once_and_placed)
{
    fact("single cells come back");
    draw_cells();
    for (size_t count = 1; count < 9; count++)
        for (int trim = 0; trim < 2; trim++)
            for (int layout = 0; layout < 2; layout++)
                expect_all_cells((struct sheet_settings){.layout = layout, .trim = trim, .max_size = 256}, count);
    fact("same cells share a place");
    const struct sheet_settings settings = {.layout = LAYOUT_PACKED, .max_size = 4096};
    draw_cells();
    struct cell_store store = add_cells(24, false);
    struct layout layout = lay_out(&store, &settings);
    assert_memory_equal(&layout.cells[0].rect, &layout.cells[12].rect, sizeof(struct rect));
    assert_memory_equal(&layout.cells[3].rect, &layout.cells[7].rect, sizeof(struct rect)); /* empty ones */
    assert_memory_not_equal(&layout.cells[0].rect, &layout.cells[1].rect, sizeof(struct rect));
    assert_int_equal(store.picture_count, 16); /* 24 less 5 of 6 empty ones, and 12, 18 and 21 */
    layout_release(&layout);
    cell_store_release(&store);
    fact("cells that differ in one plane differ");
    draw_blot(&cells[0], 1);
    cells[1] = cells[0];
    cells[1].depth[100]++;
    store = add_cells(2, false);
    assert_int_equal(store.picture_count, 2);
    cell_store_release(&store);
    /* The colour alone shows in one corner, the depth alone in the other: both are kept. */
    fact("trimmed cell keeps what shows in any plane");
    memset(cells, 0, sizeof *cells);
    cells[0].color[2 * WIDTH + 3][3] = 1;
    cells[0].depth[8 * WIDTH + 9] = 256; /* its low byte is 0 */
    store = add_cells(1, true);
    assert_memory_equal(&store.cells[0].source, (&(struct rect){3, 2, 7, 7}), sizeof(struct rect));
    cell_store_release(&store);
    fact("empty cell is one pixel");
    memset(cells, 0, sizeof *cells);
    store = add_cells(1, true);
    layout = lay_out(&store, &(struct sheet_settings){.layout = LAYOUT_PACKED, .max_size = 16});
    assert_int_equal(layout.pages[0].width * layout.pages[0].height, 1);
    layout_release(&layout);
    layout = lay_out(&store, &(struct sheet_settings){.layout = LAYOUT_GRID, .max_size = 16});
    assert_int_equal(layout.pages[0].width * layout.pages[0].height, 1);
    layout_release(&layout);
    cell_store_release(&store);
    fact("pages take cells in their order");
    for (uint32_t i = 0; i < MOST_CELLS; i++)
        draw_blot(&cells[i], i);
    store = add_cells(MOST_CELLS, false);
    layout = lay_out(&store, &(struct sheet_settings){.layout = LAYOUT_PACKED, .max_size = 80});
    assert_in_range(layout.page_count, 4, 5);
    for (size_t i = 0; i < MOST_CELLS; i++)
        assert_int_equal(layout.cells[i].page, i / 20);
    layout_release(&layout);
    cell_store_release(&store);
    fact("strips are not torn between packed pages");
    for (uint32_t i = 0; i < MOST_CELLS; i++)
        draw_blot(&cells[i], i);
    assert_string_equal(pages_of((const size_t[]){12, 8, 6}, 3), "aaaaaaaaaaaaaaaaaaaabbbbbb");
    assert_string_equal(pages_of((const size_t[]){12, 9, 6}, 3), "aaaaaaaaaaaabbbbbbbbbbbbbbb");
    assert_string_equal(pages_of((const size_t[]){2, 23}, 2), "aabbbbbbbbbbbbbbbbbbbbccc!");
    /* The second strip shows again what the first has on another page. */
    fact("a strip has its pictures on its own page");
    for (uint32_t i = 0; i < 12; i++)
        draw_blot(&cells[i], i);
    for (uint32_t i = 12; i < 27; i++)
        draw_blot(&cells[i], i == 20 ? 3 : i);
    assert_string_equal(pages_of((const size_t[]){12, 15}, 2), "aaaaaaaaaaaabbbbbbbbbbbbbbb");
    fact("trimmed cell may fit where the whole does not");
    draw_cells();
    expect_all_cells((struct sheet_settings){.layout = LAYOUT_PACKED, .trim = true, .max_size = 16}, 60);
    fact("cells may have any number of planes");
    enum { MANY = 40 };
    enum sheet_kind many[MANY] = {SHEET_COLOR};
    const void *planes[MANY];
    struct error err = {""};
    for (size_t i = 0; i < MANY; i++)
        planes[i] = cells[0].color;
    assert_int_equal(cell_store_init(&store, many, MANY, cell_px, 1, 1, &err), 0);
    assert_int_equal(cell_store_add(&store, 0, planes, &err), 0);
    cell_store_release(&store);
}
