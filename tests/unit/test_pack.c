

#include "base/memory.h"
#include "sheet/pack.h"
#include "test.h"

enum { MOST_BOXES = 2000 };

static struct rect boxes[MOST_BOXES];

/* Boxes of all sorts of sizes, always the same ones. */
static void make_boxes(size_t count, uint32_t most)
{
    uint32_t random = 12345;
    for (size_t i = 0; i < count; i++) {
        random = random * 1664525 + 1013904223;
        boxes[i] = (struct rect){0, 0, 1 + (random >> 8) % most, 1 + (random >> 20) % most};
    }
}

static void make_equal_boxes(size_t count, uint32_t width, uint32_t height)
{
    for (size_t i = 0; i < count; i++)
        boxes[i] = (struct rect){0, 0, width, height};
}

static size_t pack(struct pack_page *page, size_t count)
{
    size_t packed = pack_boxes(page, boxes, count);
    assert_in_range(packed, 1, count);
    return packed;
}

static void expect_no_overlap(const struct pack_page *page, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct rect *a = &boxes[i];
        assert_true(a->x + a->width + page->unused <= page->width);
        assert_true(a->y + a->height + page->unused <= page->height);
        for (size_t j = 0; j < i; j++) {
            const struct rect *b = &boxes[j];
            assert_true(a->x >= b->x + b->width || b->x >= a->x + a->width || a->y >= b->y + b->height ||
                        b->y >= a->y + a->height);
        }
    }
}

static bool is_power_of_two(uint32_t number)
{
    return number && !(number & (number - 1));
}

TEST(boxes_are_packed)
{
    fact("one box is the page");
    struct pack_page page = {.most_side = 4096};
    make_equal_boxes(1, 37, 21);
    assert_int_equal(pack(&page, 1), 1);
    assert_int_equal(page.width, 37);
    assert_int_equal(page.height, 21);
    fact("box may fill the page");
    page = (struct pack_page){.most_side = 64, .unused = 1};
    make_equal_boxes(3, 63, 63);
    assert_int_equal(pack(&page, 3), 1);
    assert_int_equal(page.width, 64);
    assert_int_equal(page.height, 64);
    fact("equal boxes leave nothing empty");
    page = (struct pack_page){.most_side = 4096};
    make_equal_boxes(16, 128, 128);
    assert_int_equal(pack(&page, 16), 16);
    assert_int_equal(page.width, 512);
    assert_int_equal(page.height, 512);
    fact("equal boxes go by rows in their order");
    page = (struct pack_page){.most_side = 4096};
    make_equal_boxes(16, 128, 128);
    pack(&page, 16);
    for (size_t i = 0; i < 16; i++) {
        assert_int_equal(boxes[i].x, i % 4 * 128);
        assert_int_equal(boxes[i].y, i / 4 * 128);
    }
    fact("boxes never overlap");
    for (size_t count = 1; count <= 300; count += 13)
        for (uint32_t unused = 0; unused < 2; unused++) {
            page = (struct pack_page){.most_side = 4096, .unused = unused, .power_of_two = count % 2};
            make_boxes(count, 90);
            assert_int_equal(pack(&page, count), count);
            expect_no_overlap(&page, count);
        }
    fact("little is left empty");
    page = (struct pack_page){.most_side = 4096};
    uint64_t area = 0;
    make_boxes(500, 90);
    for (size_t i = 0; i < 500; i++)
        area += (uint64_t)boxes[i].width * boxes[i].height;
    pack(&page, 500);
    assert_true((uint64_t)page.width * page.height < area + area / 10);
    assert_true(page.width < 2 * page.height && page.height < 2 * page.width);
    fact("pages of powers of two are the smallest that do");
    page = (struct pack_page){.most_side = 4096, .power_of_two = true};
    make_equal_boxes(8, 64, 64);
    assert_int_equal(pack(&page, 8), 8);
    assert_int_equal(page.width * page.height, 8 * 64 * 64);
    assert_true(is_power_of_two(page.width) && is_power_of_two(page.height));
    make_equal_boxes(9, 64, 64);
    assert_int_equal(pack(&page, 9), 9);
    assert_int_equal(page.width * page.height, 16 * 64 * 64);
    /* Whatever does not fit is left for the next page, and what was placed is a beginning of the boxes. */
    fact("full page leaves the rest");
    page = (struct pack_page){.most_side = 256};
    make_boxes(400, 60);
    size_t packed = pack(&page, 400);
    assert_in_range(packed, 40, 100);
    assert_true(page.width <= 256 && page.height <= 256);
    expect_no_overlap(&page, packed);
    for (size_t i = packed; i < 400; i++)
        assert_true(boxes[i].x == 0 && boxes[i].y == 0);
    fact("page holds as many equal boxes as fit");
    page = (struct pack_page){.most_side = 256};
    make_equal_boxes(100, 64, 50);
    assert_int_equal(pack(&page, 100), 20);
    fact("many boxes are packed");
    page = (struct pack_page){.most_side = 4096};
    make_boxes(MOST_BOXES, 60);
    assert_int_equal(pack(&page, MOST_BOXES), MOST_BOXES);
    expect_no_overlap(&page, MOST_BOXES);
}

TEST(same_boxes_get_the_same_places)
{
    struct pack_page page = {.most_side = 4096};
    make_boxes(200, 20);
    pack(&page, 200);
    struct rect *first = must_alloc(200, sizeof *first);
    memcpy(first, boxes, 200 * sizeof *first);
    make_boxes(200, 20);
    pack(&page, 200);
    assert_memory_equal(first, boxes, 200 * sizeof *first);
    free(first);
}
