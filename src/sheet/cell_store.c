#include "sheet/cell_store.h"

#include <assert.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sheet/pack.h"

/* The most bytes that are kept of cells before the pages of their sheet are made. A page of 16384 x 16384 has as much. */
#define CELL_STORE_MOST_BYTES ((uint64_t)1 << 30)

int cell_store_init(struct cell_store *store, const enum sheet_kind *kinds, size_t plane_count,
                    const uint32_t cell_px[2], size_t cell_count, uint32_t trim, struct error *err)
{
    struct cell_store fresh = {
        .plane_count = plane_count,
        .cell_px = {cell_px[0], cell_px[1]},
        .trim = trim,
        .cell_count = cell_count,
    };
    fresh.cells = memory_alloc(cell_count, sizeof *fresh.cells, err);
    if (!fresh.cells)
        return -1;
    fresh.kinds = must_alloc(plane_count, sizeof *kinds);
    memcpy(fresh.kinds, kinds, plane_count * sizeof *kinds);
    *store = fresh;
    return 0;
}

static void free_picture(void *item)
{
    struct stored_picture *picture = item;
    free(picture->pixels);
    free(picture);
}

void cell_store_release(struct cell_store *store)
{
    tdestroy(store->pictures, free_picture);
    free(store->kinds);
    free(store->cells);
    *store = (struct cell_store){0};
}

/* -- Trimming ---------------------------------------------------------------------------------------------- */

/* Depth is of what colour shows, too: it counts only where any colour does. */
static bool shows(enum sheet_kind kind, const uint8_t *pixel, uint32_t trim)
{
    return kind == SHEET_GREY16 ? trim == 1 && (pixel[0] || pixel[1]) : pixel[3] >= trim;
}

/* Joins what shows of a row to *shown. */
static void add_row(struct rect *shown, enum sheet_kind kind, const uint8_t *row, uint32_t y, uint32_t width,
                    uint32_t trim)
{
    size_t size = sheet_pixel_size(kind);
    uint32_t left = 0, right = width;
    while (left < width && !shows(kind, row + left * size, trim))
        left++;
    if (left == width)
        return;
    while (!shows(kind, row + (right - 1) * size, trim))
        right--;
    rect_join(shown, &(struct rect){left, y, right - left, 1});
}

static void find_source(const struct cell_store *store, const void *const *planes, struct stored_cell *cell)
{
    uint32_t width = store->cell_px[0], height = store->cell_px[1];
    cell->source = (struct rect){0, 0, width, height};
    if (!store->trim)
        return;
    struct rect shown = {0};
    for (size_t plane = 0; plane < store->plane_count; plane++) {
        size_t stride = width * sheet_pixel_size(store->kinds[plane]);
        for (uint32_t y = 0; y < height; y++)
            add_row(&shown, store->kinds[plane], (const uint8_t *)planes[plane] + y * stride, y, width,
                    store->trim);
    }
    cell->is_empty = shown.width == 0;
    cell->source = cell->is_empty ? (struct rect){0, 0, 1, 1} : shown;
}

/* -- Pictures ---------------------------------------------------------------------------------------------- */

/* Bytes that a pixel takes in the first `planes` planes. */
static size_t size_in_planes(const struct cell_store *store, size_t planes)
{
    size_t size = 0;
    for (size_t plane = 0; plane < planes; plane++)
        size += sheet_pixel_size(store->kinds[plane]);
    return size;
}

static struct stored_picture *cut_picture(const struct cell_store *store, const void *const *planes,
                                          const struct rect *source, struct error *err)
{
    size_t size = size_in_planes(store, store->plane_count) * source->width * source->height;
    uint8_t *pixels = memory_alloc(size, 1, err), *out = pixels;
    if (!pixels)
        return NULL;
    for (size_t plane = 0; plane < store->plane_count; plane++) {
        size_t pixel = sheet_pixel_size(store->kinds[plane]), row = source->width * pixel;
        for (uint32_t y = source->y; y < source->y + source->height; y++, out += row)
            memcpy(out, (const uint8_t *)planes[plane] + ((size_t)y * store->cell_px[0] + source->x) * pixel, row);
    }
    struct stored_picture *picture = must_alloc(1, sizeof *picture);
    *picture = (struct stored_picture){store->picture_count, source->width, source->height, size, pixels};
    return picture;
}

static int compare_pictures(const void *a_item, const void *b_item)
{
    const struct stored_picture *a = a_item, *b = b_item;
    int order = (a->size > b->size) - (a->size < b->size);
    order = order ? order : (a->width > b->width) - (a->width < b->width);
    return order ? order : memcmp(a->pixels, b->pixels, a->size);
}

int cell_store_add(struct cell_store *store, size_t cell, const void *const *planes, struct error *err)
{
    assert(cell < store->cell_count);
    struct stored_cell added = {0};
    find_source(store, planes, &added);
    struct stored_picture *picture = cut_picture(store, planes, &added.source, err);
    if (!picture)
        return -1;
    struct stored_picture **stored = tsearch(picture, &store->pictures, compare_pictures);
    if (!stored)
        abort(); /* out of memory */
    if (*stored != picture) {
        free_picture(picture);
    } else {
        store->picture_count++;
        store->byte_count += picture->size;
        if (store->byte_count > CELL_STORE_MOST_BYTES)
            return error_set(err,
                             "the pictures of the sheet take more than %ju MiB, and all of them have to be drawn "
                             "before it is laid out: split it, or use a grid without trim",
                             (uintmax_t)(CELL_STORE_MOST_BYTES >> 20));
    }
    added.picture = *stored;
    store->cells[cell] = added;
    return 0;
}

/* -- Grids ------------------------------------------------------------------------------------------------- */

/* Cuts all cells to what shows in any of them. */
static int lay_out_grid(const struct cell_store *store, const struct sheet_settings *settings,
                        const struct strips *strips, struct layout *layout, struct error *err)
{
    struct rect source = {0};
    for (size_t i = 0; i < store->cell_count; i++)
        if (!store->cells[i].is_empty)
            rect_join(&source, &store->cells[i].source);
    if (source.width == 0)
        source = (struct rect){0, 0, 1, 1};
    if (layout_init(layout, settings, (const uint32_t[2]){source.width, source.height}, strips, err) < 0)
        return -1;
    for (size_t i = 0; i < store->cell_count; i++)
        layout->cells[i].source = source;
    return 0;
}

/* -- Packed pages ------------------------------------------------------------------------------------------ */

/* The pictures of one page in the order of the cells that show them first, as boxes with their borders. */
struct packing {
    const struct cell_store *store;
    const struct sheet_settings *settings;
    size_t *places; /* by picture: its place among the boxes, and 1 */
    struct rect *boxes;
    size_t box_count;
    struct layout layout;
    size_t page_capacity;
};

/* Makes the boxes of the cells from `first` to `end`, excluded. */
static void make_boxes(struct packing *packing, size_t first, size_t end)
{
    const struct cell_store *store = packing->store;
    uint32_t border = packing->settings->padding + 2 * packing->settings->extrude;
    memset(packing->places, 0, store->picture_count * sizeof *packing->places);
    packing->box_count = 0;
    for (size_t i = first; i < end; i++) {
        const struct stored_picture *picture = store->cells[i].picture;
        size_t *place = &packing->places[picture->number];
        if (*place)
            continue;
        packing->boxes[packing->box_count] =
            (struct rect){0, 0, picture->width + border, picture->height + border};
        *place = ++packing->box_count;
    }
}

/* The first cell whose picture is not among the first `packed` boxes, or the start of its strip where that leaves
 * the page any cells. */
static size_t find_end(const struct packing *packing, const struct strips *strips, size_t first, size_t packed)
{
    size_t end = first, start = 0;
    while (packing->places[packing->store->cells[end].picture->number] <= packed)
        end++;
    for (size_t i = 0; start + strips->lengths[i] <= end; i++)
        start += strips->lengths[i];
    return start > first ? start : end;
}

static void place_cells(struct packing *packing, size_t first, size_t end)
{
    const struct cell_store *store = packing->store;
    uint32_t margin = (packing->settings->padding + 1) / 2 + packing->settings->extrude;
    uint32_t page = packing->layout.page_count - 1;
    for (size_t i = first; i < end; i++) {
        const struct stored_cell *cell = &store->cells[i];
        const struct rect *box = &packing->boxes[packing->places[cell->picture->number] - 1];
        packing->layout.cells[i] = (struct placement){
            .page = page,
            .rect = {box->x + margin, box->y + margin, cell->source.width, cell->source.height},
            .source = cell->source,
        };
    }
    packing->layout.pages[page].cell_count = end - first;
}

/* Adds a page with the cells from `first` on, and says where it ends. */
static int add_page(struct packing *packing, const struct strips *strips, size_t first, size_t *end,
                    struct error *err)
{
    struct layout *layout = &packing->layout;
    size_t packed;
    if (layout->page_count == LAYOUT_MOST_PAGES)
        return error_set(err, "the pictures make more than %d pages", LAYOUT_MOST_PAGES);
    struct pack_page page = {
        .most_side = layout_most_side(packing->settings),
        .unused = packing->settings->padding % 2,
        .power_of_two = packing->settings->power_of_two,
    };
    for (*end = layout->cell_count;; *end = find_end(packing, strips, first, packed)) {
        make_boxes(packing, first, *end);
        packed = pack_boxes(&page, packing->boxes, packing->box_count);
        if (packed == packing->box_count)
            break;
    }
    *MUST_ADD(layout->pages, layout->page_count, packing->page_capacity) =
        (struct layout_page){.width = page.width, .height = page.height, .first_cell = first};
    place_cells(packing, first, *end);
    return 0;
}

static int lay_out_packed(const struct cell_store *store, const struct sheet_settings *settings,
                          const struct strips *strips, struct layout *layout, struct error *err)
{
    for (size_t i = 0; i < store->cell_count; i++) {
        const struct stored_picture *picture = store->cells[i].picture;
        if (layout_check_cell(settings, picture->width, picture->height, err) < 0)
            return -1;
    }
    struct packing packing = {.store = store, .settings = settings, .layout.cell_count = store->cell_count};
    packing.places = must_alloc(store->picture_count, sizeof *packing.places);
    packing.boxes = must_alloc(store->picture_count, sizeof *packing.boxes);
    packing.layout.cells = must_alloc(store->cell_count, sizeof *packing.layout.cells);
    int result = 0;
    for (size_t first = 0, end = 0; result == 0 && first < store->cell_count; first = end)
        result = add_page(&packing, strips, first, &end, err);
    if (result == 0)
        *layout = packing.layout;
    else
        layout_release(&packing.layout);
    free(packing.places);
    free(packing.boxes);
    return result;
}

int cell_store_lay_out(const struct cell_store *store, const struct sheet_settings *settings,
                       const struct strips *strips, struct layout *layout, struct error *err)
{
    if (store->cell_count == 0)
        return error_set(err, "a sheet without cells");
    return settings->layout == LAYOUT_PACKED ? lay_out_packed(store, settings, strips, layout, err)
                                             : lay_out_grid(store, settings, strips, layout, err);
}

/* -- Painting ---------------------------------------------------------------------------------------------- */

/* A packed picture has one place on a page, which is painted once; in a grid only what shows has to be painted. */
int cell_store_paint(const struct cell_store *store, const struct sheet_settings *settings,
                     const struct layout *layout, uint32_t page, size_t plane, struct sheet *sheet,
                     struct error *err)
{
    assert(sheet->kind == store->kinds[plane]);
    bool *done = must_alloc(store->picture_count, sizeof *done);
    int result = 0;
    for (size_t i = 0; i < store->cell_count && result == 0; i++) {
        const struct placement *at = &layout->cells[i];
        const struct stored_cell *cell = &store->cells[i];
        const struct stored_picture *picture = cell->picture;
        if (at->page != page || (settings->layout == LAYOUT_GRID ? cell->is_empty : done[picture->number]))
            continue;
        done[picture->number] = true;
        struct rect rect = {at->rect.x + cell->source.x - at->source.x, at->rect.y + cell->source.y - at->source.y,
                            picture->width, picture->height};
        const uint8_t *pixels = picture->pixels + size_in_planes(store, plane) * picture->width * picture->height;
        sheet_place(sheet, &rect, pixels, picture->width * sheet_pixel_size(sheet->kind));
        sheet_extrude(sheet, &at->rect, settings->extrude);
        if (sheet->kind != SHEET_GREY16)
            result = bleed_cell(sheet, &at->rect, settings, err);
    }
    free(done);
    return result;
}
