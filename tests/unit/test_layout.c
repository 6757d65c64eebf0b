

#include "sheet/layout.h"
#include "test.h"

static const struct sheet_settings plain = {.max_size = 4096};

static struct layout lay_out(struct sheet_settings settings, uint32_t width, uint32_t height, size_t count,
                             size_t strip_length)
{
    struct layout layout;
    struct error err = {""};
    size_t lengths[256], strip_count = 0, left = count;
    for (size_t strip; left > 0; left -= strip) {
        strip = strip_length && strip_length < left ? strip_length : strip_length ? left : 1;
        lengths[strip_count++] = strip;
    }
    if (layout_init(&layout, &settings, (uint32_t[]){width, height}, &(struct strips){lengths, strip_count},
                    &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(layout.cell_count, count);
    return layout;
}

static void expect_page(const struct layout *layout, uint32_t page, uint32_t width, uint32_t height)
{
    assert_in_range(page, 0, layout->page_count - 1);
    assert_int_equal(layout->pages[page].width, width);
    assert_int_equal(layout->pages[page].height, height);
}

static void expect_one_page(struct layout layout, uint32_t width, uint32_t height)
{
    assert_int_equal(layout.page_count, 1);
    expect_page(&layout, 0, width, height);
    layout_release(&layout);
}

static void expect_cell(const struct layout *layout, size_t cell, uint32_t page, uint32_t x, uint32_t y)
{
    assert_int_equal(layout->cells[cell].page, page);
    assert_int_equal(layout->cells[cell].rect.x, x);
    assert_int_equal(layout->cells[cell].rect.y, y);
}

static void expect_failure(struct sheet_settings settings, uint32_t width, uint32_t height, size_t count,
                           const char *reason)
{
    struct layout layout;
    struct error err = {""};
    assert_int_equal(
        layout_init(&layout, &settings, (uint32_t[]){width, height}, &(struct strips){&count, 1}, &err), -1);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say '%s'", err.text, reason);
}

TEST(full_page_is_followed_by_another)
{
    struct sheet_settings settings = {.max_size = 256};
    struct layout layout = lay_out(settings, 128, 128, 10, 0);
    assert_int_equal(layout.page_count, 3);
    expect_page(&layout, 0, 256, 256);
    expect_page(&layout, 1, 256, 256);
    expect_page(&layout, 2, 256, 128);
    expect_cell(&layout, 4, 1, 0, 0);
    expect_cell(&layout, 9, 2, 128, 0);
    assert_int_equal(layout.pages[1].first_cell, 4);
    assert_int_equal(layout.pages[1].cell_count, 4);
    assert_int_equal(layout.pages[2].first_cell, 8);
    assert_int_equal(layout.pages[2].cell_count, 2);
    layout_release(&layout);
}

TEST(strips_of_different_lengths_are_not_torn_either)
{
    struct sheet_settings settings = {.max_size = 300}; /* 9 cells */
    const struct strips strips = {(const size_t[]){4, 3, 4, 12, 3}, 5};
    static const char pages[] = "aaaaaaabbbbbbbbbcccccccddd"; /* the fourth goes on: it fits no page */
    struct layout layout;
    struct error err;
    size_t first = 0;
    assert_int_equal(layout_init(&layout, &settings, (uint32_t[]){100, 100}, &strips, &err), 0);
    for (size_t i = 0; i < 26; i++)
        if (layout.cells[i].page != (uint32_t)(pages[i] - 'a'))
            fail_msg("cell %zu is on page %u", i, layout.cells[i].page);
    assert_int_equal(layout_find_torn(&layout, &strips, &first), 1);
    assert_int_equal(first, 11);
    layout_release(&layout);
}

/* Every cell with its border lies on its page, and on no other cell. */
TEST(cells_never_overlap)
{
    for (size_t count = 1; count < 60; count++)
        for (size_t strip = 0; strip < 9; strip++) {
            struct sheet_settings settings = {.padding = 1, .extrude = 1, .max_size = 75};
            struct layout layout = lay_out(settings, 10, 7, count, strip);
            size_t total = 0;
            for (uint32_t page = 0; page < layout.page_count; page++) {
                assert_true(layout.pages[page].width <= 75 && layout.pages[page].height <= 75);
                assert_int_equal(layout.pages[page].first_cell, total);
                total += layout.pages[page].cell_count;
            }
            assert_int_equal(total, count);
            for (size_t i = 0; i < count; i++) {
                const struct placement *a = &layout.cells[i];
                assert_true(a->rect.x >= 2 && a->rect.x + 10 + 2 <= layout.pages[a->page].width);
                assert_true(a->rect.y >= 2 && a->rect.y + 7 + 2 <= layout.pages[a->page].height);
                for (size_t j = 0; j < i; j++) {
                    const struct placement *b = &layout.cells[j];
                    assert_true(a->page != b->page || a->rect.x >= b->rect.x + 13 || b->rect.x >= a->rect.x + 13 ||
                                a->rect.y >= b->rect.y + 10 || b->rect.y >= a->rect.y + 10);
                }
            }
            layout_release(&layout);
        }
}

TEST(cells_strips_and_pages_are_laid_out)
{
    fact("cells fill rows from the top left");
    struct layout layout = lay_out(plain, 10, 20, 6, 3);
    expect_cell(&layout, 0, 0, 0, 0);
    expect_cell(&layout, 2, 0, 20, 0);
    expect_cell(&layout, 3, 0, 0, 20);
    assert_int_equal(layout.cells[5].rect.width, 10);
    assert_int_equal(layout.cells[5].rect.height, 20);
    layout_release(&layout);
    fact("long strips make even rows");
    layout = lay_out(plain, 128, 128, 74, 37); /* 32 fit a row: 19 and 18 */
    expect_page(&layout, 0, 19 * 128, 4 * 128);
    expect_cell(&layout, 18, 0, 18 * 128, 0);
    expect_cell(&layout, 19, 0, 0, 128);
    expect_cell(&layout, 37, 0, 0, 256);
    layout_release(&layout);
    fact("columns are as asked for");
    struct sheet_settings settings = {.columns = 5, .max_size = 4096};
    expect_one_page(lay_out(settings, 128, 128, 16, 8), 640, 512);
    expect_one_page(lay_out(settings, 128, 128, 3, 0), 384, 128);
    fact("padding and extrusion lie between cells");
    settings = (struct sheet_settings){.columns = 2, .padding = 3, .extrude = 2, .max_size = 4096};
    layout = lay_out(settings, 10, 10, 4, 0);
    expect_cell(&layout, 0, 0, 4, 4);
    expect_cell(&layout, 1, 0, 4 + 10 + 7, 4);
    expect_cell(&layout, 2, 0, 4, 4 + 10 + 7);
    expect_page(&layout, 0, 4 + 10 + 7 + 10 + 4, 35);
    layout_release(&layout);
    fact("strips are not torn between pages");
    settings = (struct sheet_settings){.max_size = 300}; /* 3x3 cells; a strip of 4 needs two rows */
    layout = lay_out(settings, 100, 100, 8, 4);
    assert_int_equal(layout.page_count, 2);
    expect_page(&layout, 0, 200, 200);
    expect_cell(&layout, 4, 1, 0, 0);
    layout_release(&layout);
    fact("strips longer than a page go on");
    settings = (struct sheet_settings){.max_size = 200};
    layout = lay_out(settings, 100, 100, 12, 6);
    assert_int_equal(layout.page_count, 3);
    expect_cell(&layout, 4, 1, 0, 0);
    expect_cell(&layout, 6, 1, 0, 100);
    expect_cell(&layout, 8, 2, 0, 0);
    layout_release(&layout);
    fact("pages of powers of two");
    settings = (struct sheet_settings){.max_size = 4096, .power_of_two = true};
    expect_one_page(lay_out(settings, 100, 100, 4, 0), 256, 256);
    expect_one_page(lay_out(settings, 100, 100, 8, 8), 1024, 128);
    expect_one_page(lay_out(settings, 128, 64, 1, 0), 128, 64);
    expect_one_page(lay_out(settings, 60, 60, 5, 0), 256, 128); /* 4 + 1, not 3 + 2 */
    settings.columns = 3;
    expect_one_page(lay_out(settings, 100, 100, 4, 0), 512, 256);
    fact("page of a power of two stays below max size");
    settings = (struct sheet_settings){.max_size = 300, .power_of_two = true};
    layout = lay_out(settings, 100, 100, 5, 0);
    assert_int_equal(layout.page_count, 2);
    expect_page(&layout, 0, 256, 256);
    expect_page(&layout, 1, 128, 128);
    layout_release(&layout);
    expect_failure(settings, 257, 1, 1, "page of 256 pixels");
    settings.columns = 3;
    expect_failure(settings, 100, 1, 1, "at most 256");
    fact("cells of a grid are whole");
    layout = lay_out(plain, 10, 20, 2, 0);
    assert_memory_equal(&layout.cells[1].source, (&(struct rect){0, 0, 10, 20}), sizeof(struct rect));
    layout_release(&layout);
    fact("cell may fill max size");
    settings = (struct sheet_settings){.max_size = 128};
    expect_one_page(lay_out(settings, 128, 128, 1, 0), 128, 128);
    fact("cell larger than a page fails");
    settings = (struct sheet_settings){.max_size = 128};
    expect_failure(settings, 129, 1, 1, "129x1");
    expect_failure(settings, 1, 129, 1, "page of 128");
    settings.extrude = 1;
    expect_failure(settings, 128, 1, 1, "extrude 1");
}

TEST(too_many_columns_fail)
{
    struct sheet_settings settings = {.columns = 9, .max_size = 1024};
    expect_failure(settings, 128, 128, 1, "9 columns are 1152 pixels wide");
}

TEST(cells_of_one_page_are_laid_out)
{
    fact("one cell is the page");
    expect_one_page(lay_out(plain, 128, 64, 1, 0), 128, 64);
    fact("cells without strips make a square");
    expect_one_page(lay_out(plain, 128, 128, 16, 0), 512, 512);
    expect_one_page(lay_out(plain, 128, 128, 7, 0), 384, 384);
    expect_one_page(lay_out(plain, 128, 128, 2, 0), 256, 128);
    fact("tall cells make a square of more columns");
    expect_one_page(lay_out(plain, 50, 100, 8, 0), 200, 200);
    fact("equal strips make a row each");
    expect_one_page(lay_out(plain, 128, 128, 24, 8), 1024, 384);
    expect_one_page(lay_out(plain, 128, 128, 8, 8), 1024, 128);
    fact("strips of one cell make a square");
    expect_one_page(lay_out(plain, 128, 128, 9, 1), 384, 384);
    fact("extreme numbers fail");
    expect_failure(plain, 0, 10, 1, "0x10");
    expect_failure(plain, UINT32_MAX, UINT32_MAX, 1, "does not fit");
    expect_failure((struct sheet_settings){.padding = UINT32_MAX, .extrude = UINT32_MAX, .max_size = UINT32_MAX},
                   1, 1, 1, "does not fit");
    expect_failure((struct sheet_settings){.columns = UINT32_MAX, .max_size = 4096}, 1, 1, 1, "columns");
    expect_failure((struct sheet_settings){0}, 1, 1, 1, "page of 0");
    expect_failure(plain, 10, 10, 0, "without cells");
}
