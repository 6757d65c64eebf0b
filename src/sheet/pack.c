#include "sheet/pack.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define STBRP_STATIC
#define STB_RECT_PACK_IMPLEMENTATION
#include <stb/stb_rect_pack.h>

enum {
    /* Widths tried for a page, fewer of them for more boxes. Measured on trimmed sprites: 16 leave 9 % of the page
     * empty, 64 leave 7 %, 256 no less; and 4000 boxes take 2 ms a trial. */
    MOST_TRIALS = 64,
    FEWEST_TRIALS = 4,
    TRIED_BOXES = 64 * 1024,
};

struct packer {
    struct pack_page *page;
    const struct rect *boxes;
    uint64_t most_side; /* of the boxes together */
    stbrp_node *nodes;  /* most_side of them: fewer would make the packer round widths up */
    stbrp_rect *rects;
};

/* Whether the first `count` boxes fit a page of this size; then they are in packer->rects. */
static bool try_size(struct packer *packer, size_t count, uint64_t width, uint64_t height)
{
    for (size_t i = 0; i < count; i++)
        packer->rects[i] = (stbrp_rect){.w = (int)packer->boxes[i].width, .h = (int)packer->boxes[i].height};
    stbrp_context context;
    stbrp_init_target(&context, (int)width, (int)height, packer->nodes, (int)width);
    /* The packer's other rule, least waste, takes twice the time and left more empty. */
    stbrp_setup_heuristic(&context, STBRP_HEURISTIC_Skyline_BL_sortHeight);
    return stbrp_pack_rects(&context, packer->rects, (int)count);
}

static uint64_t area_of(const struct rect *box)
{
    return (uint64_t)box->width * box->height;
}

/* Counts the boxes that fit the largest page, at least one, by bisection from those whose areas together fit it. */
static size_t count_fitting(struct packer *packer, size_t count)
{
    uint64_t area = 0, page_area = packer->most_side * packer->most_side;
    size_t most = 0, fits = 1;
    while (most < count && (area += area_of(&packer->boxes[most])) <= page_area)
        most++;
    if (try_size(packer, most, packer->most_side, packer->most_side))
        return most;
    while (fits + 1 < most) {
        size_t middle = fits + (most - fits) / 2;
        if (try_size(packer, middle, packer->most_side, packer->most_side))
            fits = middle;
        else
            most = middle;
    }
    return fits;
}

/* -- The size of the page ---------------------------------------------------------------------------------- */

struct page_size {
    uint64_t packed_width; /* for the packer */
    uint32_t width, height;
};

static uint32_t side_of(const struct pack_page *page, uint64_t used)
{
    uint32_t side = (uint32_t)used + page->unused;
    return page->power_of_two ? layout_power_of_two(side) : side;
}

/* Pixels, and something for being long: a strip as long as a page allows may save a few, and is worse to handle.
 */
static uint64_t cost_of(const struct page_size *size)
{
    uint64_t longer = size->width > size->height ? size->width : size->height;
    return (uint64_t)size->width * size->height + longer * longer / 8;
}

static void try_width(struct packer *packer, size_t count, uint64_t width, struct page_size *best)
{
    if (!try_size(packer, count, width, packer->most_side))
        return;
    uint64_t right = 0, bottom = 0;
    for (size_t i = 0; i < count; i++) {
        const stbrp_rect *rect = &packer->rects[i];
        uint64_t end[2] = {(uint64_t)rect->x + (uint64_t)rect->w, (uint64_t)rect->y + (uint64_t)rect->h};
        right = end[0] > right ? end[0] : right;
        bottom = end[1] > bottom ? end[1] : bottom;
    }
    struct page_size size = {width, side_of(packer->page, right), side_of(packer->page, bottom)};
    if (best->packed_width == 0 || cost_of(&size) < cost_of(best))
        *best = size;
}

/* Tries each power of two, or the side of a square of the boxes' area and widths around it, from three quarters
 * to one and a half. The boxes fit a page of the most width, so that one is found. */
static struct page_size choose_size(struct packer *packer, size_t count)
{
    const struct pack_page *page = packer->page;
    uint64_t area = 0, widest = 0, last = packer->most_side;
    for (size_t i = 0; i < count; i++) {
        area += area_of(&packer->boxes[i]);
        widest = packer->boxes[i].width > widest ? packer->boxes[i].width : widest;
    }
    uint64_t square = (uint64_t)ceil(sqrt((double)area));
    size_t trials = TRIED_BOXES / count;
    trials = trials < FEWEST_TRIALS ? FEWEST_TRIALS : trials > MOST_TRIALS ? MOST_TRIALS : trials;
    if (page->power_of_two)
        trials = 32; /* powers of two: more than there are */
    struct page_size best = {0};
    try_width(packer, count, packer->most_side, &best);
    for (size_t i = 0; i < trials; i++) {
        uint64_t width = page->power_of_two ? ((uint64_t)1 << i) - (i ? page->unused : 0)
                         : i > 0            ? square * (trials + i) * 3 / (trials * 4)
                                            : square;
        width = width < packer->most_side ? width : packer->most_side;
        width = width > widest ? width : widest;
        if (width != last)
            try_width(packer, count, width, &best);
        last = width;
    }
    return best;
}

/* -- Places that do not depend on a sort -------------------------------------------------------------------  */

typedef uint32_t sort_key[4];

static int compare_keys(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    int i = 0;
    while (i < 3 && a[i] == b[i])
        i++;
    return (a[i] > b[i]) - (a[i] < b[i]);
}

/* Gives boxes of one size their places by rows, in the order of the boxes. The sort of the C library has decided otherwise
 * until here. */
static void take_places(const struct packer *packer, struct rect *boxes, size_t count)
{
    sort_key *places = must_alloc(2 * count, sizeof *places); /* width, height, y, x */
    sort_key *order = places + count;                         /* width, height, number of the box */
    for (size_t i = 0; i < count; i++) {
        const stbrp_rect *rect = &packer->rects[i];
        const sort_key place = {(uint32_t)rect->w, (uint32_t)rect->h, (uint32_t)rect->y, (uint32_t)rect->x};
        const sort_key box = {boxes[i].width, boxes[i].height, (uint32_t)i};
        memcpy(places[i], place, sizeof place);
        memcpy(order[i], box, sizeof box);
    }
    qsort(places, count, sizeof *places, compare_keys);
    qsort(order, count, sizeof *order, compare_keys);
    for (size_t i = 0; i < count; i++)
        boxes[order[i][2]] = (struct rect){places[i][3], places[i][2], places[i][0], places[i][1]};
    free(places);
}

size_t pack_boxes(struct pack_page *page, struct rect *boxes, size_t count)
{
    assert(count > 0);
    struct packer packer = {.page = page, .boxes = boxes, .most_side = page->most_side - page->unused};
    packer.nodes = must_alloc(packer.most_side, sizeof *packer.nodes);
    packer.rects = must_alloc(count, sizeof *packer.rects);
    size_t fits = count_fitting(&packer, count);
    struct page_size size = choose_size(&packer, fits);
    try_size(&packer, fits, size.packed_width, packer.most_side);
    page->width = size.width;
    page->height = size.height;
    take_places(&packer, boxes, fits);
    free(packer.nodes);
    free(packer.rects);
    return fits;
}
