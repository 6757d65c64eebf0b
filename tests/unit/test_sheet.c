#include <dlfcn.h>
#include <libdeflate.h>
#include <png.h>

#include "sheet/png.h"
#include "test.h"

/* -- What is given to libdeflate ------------------------------------------------------------------------------- */

static size_t compressed;

/* In place of the library's own, which does the work. */
size_t libdeflate_zlib_compress(struct libdeflate_compressor *compressor, const void *in, size_t in_size,
                                void *out, size_t out_size)
{
    size_t (*real)(struct libdeflate_compressor *, const void *, size_t, void *, size_t);
    *(void **)&real = dlsym(RTLD_NEXT, "libdeflate_zlib_compress");
    compressed += in_size;
    return real(compressor, in, in_size, out, out_size);
}

/* -- Pages ------------------------------------------------------------------------------------------------------ */

static struct sheet new_sheet(uint32_t width, uint32_t height)
{
    struct sheet sheet;
    struct error err = {""};
    if (sheet_init(&sheet, SHEET_COLOR, width, height, &err) < 0)
        fail_msg("%s", err.text);
    return sheet;
}

static struct blob save(struct sheet *sheet)
{
    struct blob png;
    struct error err = {""};
    if (sheet_save_png(sheet, &png, &err) < 0)
        fail_msg("%s", err.text);
    return png;
}

/* Gives the pixels as libpng's own reader sees them; it also checks every checksum. */
static uint8_t *decode(const struct blob *png, uint32_t width, uint32_t height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_memory(&image, png->data, png->size));
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_int_equal(image.format, PNG_FORMAT_RGBA);
    assert_int_equal(image.flags & PNG_IMAGE_FLAG_COLORSPACE_NOT_sRGB, 0);
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    assert_int_equal(image.warning_or_error, 0);
    return pixels;
}

typedef uint32_t paint(uint32_t x, uint32_t y); /* a pixel as four bytes in memory order */

static uint32_t flat(uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    return 0x80402010;
}

static uint32_t transparent(uint32_t x, uint32_t y)
{
    (void)x, (void)y;
    return 0;
}

static uint32_t noise(uint32_t x, uint32_t y)
{
    uint32_t h = x * 2654435761u ^ y * 2246822519u;
    h = (h ^ h >> 15) * 3266489917u;
    return h ^ h >> 13;
}

static uint32_t gradient(uint32_t x, uint32_t y)
{
    return 0xff000000 | ((x + y) / 3 & 255) << 16 | (y & 255) << 8 | (x & 255);
}

static uint32_t stripes(uint32_t x, uint32_t y)
{
    return x / 7 % 2 ? 0xffffffff : y % 3 ? 0xff0000ff : 0;
}

static void fill(const struct sheet *sheet, paint *color)
{
    for (uint32_t y = 0; y < sheet->height; y++)
        for (uint32_t x = 0; x < sheet->width; x++) {
            uint32_t pixel = color(x, y);
            memcpy(sheet_row(sheet, y) + 4 * (size_t)x, &pixel, 4);
        }
}

static size_t expect_round_trip(uint32_t width, uint32_t height, paint *color)
{
    struct sheet sheet = new_sheet(width, height);
    fill(&sheet, color);
    struct blob png = save(&sheet);
    uint8_t *pixels = decode(&png, width, height);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t pixel = color(x, y);
            if (memcmp(pixels + ((size_t)y * width + x) * 4, &pixel, 4))
                fail_msg("%ux%u: pixel %u,%u differs", width, height, x, y);
        }
    size_t size = png.size;
    free(pixels);
    blob_release(&png);
    sheet_release(&sheet);
    return size;
}

/* Rows that change from left to right only, from top to bottom only, both ways, at sharp edges of both
 * directions, and dots: each is the best case of a filter. */
static uint32_t mixture(uint32_t x, uint32_t y)
{
    uint32_t value;
    switch (y / 16 % 5) {
    case 0:
        value = y * 50 + x / 8;
        break;
    case 1:
        value = (noise(x, 0) & 255) + y;
        break;
    case 2:
        value = (noise(x, y) & 31) + x + y * 2;
        break;
    case 3:
        value = (noise(x / 9, 0) & 255) + (noise(y / 3, 1) & 255);
        break;
    default:
        return (x * 7 + y * 3) % 11 == 0 ? 0x01010101 : 0;
    }
    return 0xff000000 | (value & 255) * 0x010101;
}

TEST(deciding_about_filters_costs_little)
{
    enum { WIDTH = 100, HEIGHT = 1000, ROW = 1 + 4 * WIDTH };
    compressed = 0;
    expect_round_trip(WIDTH, HEIGHT, gradient);
    assert_in_range(compressed, HEIGHT * ROW + 1, (HEIGHT + HEIGHT / 16) * ROW);
}

TEST(levels_change_bytes_and_no_pixels)
{
    size_t sizes[PNG_SMALLEST + 1];
    for (uint32_t level = PNG_FASTEST; level <= PNG_SMALLEST; level++) {
        struct sheet sheet = new_sheet(300, 200);
        fill(&sheet, gradient);
        sheet.png.level = level;
        struct blob png = save(&sheet);
        uint8_t *pixels = decode(&png, 300, 200);
        fill(&sheet, gradient); /* saving used them up */
        for (uint32_t y = 0; y < 200; y++)
            assert_memory_equal(pixels + (size_t)y * 300 * 4, sheet_row(&sheet, y), (size_t)300 * 4);
        sizes[level] = png.size;
        free(pixels);
        blob_release(&png);
        sheet_release(&sheet);
    }
    assert_in_range(sizes[PNG_LEVEL], sizes[PNG_SMALLEST] + 1, sizes[PNG_FASTEST] - 1);
}

TEST(every_filter_comes_back)
{
    enum { SIDE = 160 };
    struct sheet sheet = new_sheet(SIDE, SIDE);
    fill(&sheet, mixture);
    struct blob png = save(&sheet);
    bool used[256] = {false};
    for (uint32_t y = 0; y < SIDE; y++)
        used[sheet_row(&sheet, y)[-1]] = true;
    for (int filter = 0; filter < 5; filter++)
        if (!used[filter])
            fail_msg("filter %d is not used", filter);
    blob_release(&png);
    sheet_release(&sheet);
    expect_round_trip(SIDE, SIDE, mixture);
}

TEST(same_pixels_give_the_same_bytes)
{
    struct blob png[2];
    for (int i = 0; i < 2; i++) {
        struct sheet sheet = new_sheet(200, 200);
        fill(&sheet, gradient);
        png[i] = save(&sheet);
        sheet_release(&sheet);
    }
    assert_int_equal(png[0].size, png[1].size);
    assert_memory_equal(png[0].data, png[1].data, png[0].size);
    blob_release(&png[0]);
    blob_release(&png[1]);
}

TEST(file_holds_these_chunks_only)
{
    struct sheet sheet = new_sheet(5, 5);
    struct blob png = save(&sheet);
    struct cursor cursor = cursor_at(blob_bytes(&png), 8);
    char names[64] = "";
    while (cursor_left(&cursor) > 0) {
        const uint8_t *length = cursor_take(&cursor, 4), *name = cursor_take(&cursor, 4);
        assert_non_null(name);
        strncat(names, (const char *)name, 4);
        assert_non_null(cursor_take(&cursor, png_get_uint_32(length) + 4));
    }
    assert_string_equal(names, "IHDRsRGBIDATIEND");
    blob_release(&png);
    sheet_release(&sheet);
}

/* Pages in tests of sheet_extrude are drawn as text: a letter per pixel, which is the pixel's first byte. */
static void expect_drawing(const struct sheet *sheet, const char *drawing)
{
    char text[256];
    size_t at = 0;
    for (uint32_t y = 0; y < sheet->height; y++) {
        for (uint32_t x = 0; x < sheet->width; x++) {
            const uint8_t *pixel = sheet_row(sheet, y) + 4 * x;
            text[at++] = (char)(pixel[0] ? pixel[0] : '.');
            assert_int_equal(pixel[3], pixel[0] ? 255 : 0);
        }
        text[at++] = ' ';
    }
    text[at - 1] = '\0';
    assert_string_equal(text, drawing);
}

#define PIXEL(letter) (letter), 0, 0, 255

static const uint8_t cell[] = {PIXEL('a'), PIXEL('b'), PIXEL('c'), 9, 9, 9, 9,
                               PIXEL('d'), PIXEL('e'), PIXEL('f'), 9, 9, 9, 9};

static void expect_extruded(uint32_t width, uint32_t height, struct rect rect, uint32_t extrude,
                            const char *drawing)
{
    struct sheet sheet = new_sheet(width, height);
    for (uint32_t y = 0; y < rect.height; y++)
        memcpy(sheet_row(&sheet, rect.y + y) + 4 * rect.x, cell + 16 * y, 4 * rect.width);
    sheet_extrude(&sheet, &rect, extrude);
    expect_drawing(&sheet, drawing);
    sheet_release(&sheet);
}

TEST(cells_are_resampled_and_extruded)
{
    fact("page of one pixel");
    expect_round_trip(1, 1, flat);
    expect_round_trip(1, 1, transparent);
    fact("gradients are filtered");
    assert_in_range(expect_round_trip(512, 512, gradient), 1, 20 * 1000); /* 170,000 bytes without filters */
    fact("no extrusion changes nothing");
    expect_extruded(5, 4, (struct rect){1, 1, 3, 2}, 0, "..... .abc. .def. .....");
    expect_extruded(3, 2, (struct rect){0, 0, 3, 2}, 0, "abc def");
    fact("edges are extruded with corners");
    expect_extruded(6, 5, (struct rect){1, 1, 3, 2}, 1, "aabcc. aabcc. ddeff. ddeff. ......");
    expect_extruded(7, 6, (struct rect){2, 2, 3, 2}, 2, "aaabccc aaabccc aaabccc dddefff dddefff dddefff");
    fact("single pixel is extruded");
    expect_extruded(3, 3, (struct rect){1, 1, 1, 1}, 1, "aaa aaa aaa");
}

TEST(grey_pages_keep_all_sixteen_bits)
{
    struct sheet sheet;
    struct error err;
    uint16_t pixels[33 * 5], read[33 * 5];
    for (uint32_t i = 0; i < 33 * 5; i++)
        pixels[i] = (uint16_t)(i * 397);
    assert_int_equal(sheet_init(&sheet, SHEET_GREY16, 33, 5, &err), 0);
    sheet_place(&sheet, &(struct rect){0, 0, 33, 5}, pixels, 33 * sizeof *pixels);
    struct blob png = save(&sheet);
    assert_int_equal(png.data[24], 16);
    assert_int_equal(png.data[25], PNG_COLOR_TYPE_GRAY);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_memory(&image, png.data, png.size));
    assert_int_equal(image.format, PNG_FORMAT_LINEAR_Y);
    assert_true(png_image_finish_read(&image, NULL, read, 0, NULL));
    assert_memory_equal(read, pixels, sizeof pixels);
    blob_release(&png);
    sheet_release(&sheet);
}

TEST(pages_are_saved)
{
    fact("pages of all sorts come back");
    static paint *const paints[] = {flat, transparent, noise, gradient, stripes};
    for (size_t i = 0; i < sizeof paints / sizeof *paints; i++) {
        expect_round_trip(300, 200, paints[i]);
        expect_round_trip(1, 300, paints[i]);
        expect_round_trip(300, 1, paints[i]);
        expect_round_trip(64, 65, paints[i]);
    }
    fact("pages of every small size come back");
    for (uint32_t size = 1; size < 40; size++) {
        expect_round_trip(size, 3, gradient);
        expect_round_trip(3, size, gradient);
    }
    fact("new page is transparent");
    struct sheet sheet = new_sheet(3, 2);
    for (uint32_t y = 0; y < 2; y++)
        for (int i = 0; i < 12; i++)
            assert_int_equal(sheet_row(&sheet, y)[i], 0);
    sheet_release(&sheet);
    fact("page without pixels fails");
    struct error err = {""};
    assert_int_equal(sheet_init(&sheet, SHEET_COLOR, 0, 5, &err), -1);
    assert_int_equal(sheet_init(&sheet, SHEET_COLOR, 5, 0, &err), -1);
    assert_string_equal(err.text, "a page of 5x0 pixels, each side must be at least 1");
    fact("page larger than memory fails");
    err = (struct error){""};
    assert_int_equal(sheet_init(&sheet, SHEET_COLOR, UINT32_MAX, UINT32_MAX, &err), -1);
    assert_non_null(strstr(err.text, "memory"));
    fact("grey cells are extruded");
    const uint16_t pixels[] = {0x1234, 0x5678}, wanted[] = {0x1234, 0x1234, 0x5678, 0x5678};
    assert_int_equal(sheet_init(&sheet, SHEET_GREY16, 4, 3, &err), 0);
    struct rect rect = {1, 1, 2, 1};
    sheet_place(&sheet, &rect, pixels, sizeof pixels);
    sheet_extrude(&sheet, &rect, 1);
    for (uint32_t y = 0; y < 3; y++)
        assert_memory_equal(sheet_row(&sheet, y), wanted, sizeof wanted);
    sheet_release(&sheet);
    fact("only colors are marked as srgb");
    for (int kind = SHEET_COLOR; kind <= SHEET_GREY16; kind++) {
        assert_int_equal(sheet_init(&sheet, (enum sheet_kind)kind, 2, 2, &err), 0);
        struct blob png = save(&sheet);
        assert_int_equal(memmem(png.data, png.size, "sRGB", 4) != NULL, kind == SHEET_COLOR);
        blob_release(&png);
        sheet_release(&sheet);
    }
}
