/* libpng reads all kinds of PNG. The kind that sprite sheets are, and most textures, is read in less than half of its
 * time here: RGBA of 8 bits, not interlaced, by libdeflate. What is not exactly as that expects goes to libpng, which
 * also says what is wrong with it. */
#include "image/image_format.h"
#include "base/memory.h"

#include <assert.h>
#include <libdeflate.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Deflate makes at most 1032 bytes from one: 258 from two bits. */
enum { MOST_FROM_BYTE = 1032 };

/* -- RGBA of 8 bits ---------------------------------------------------------------------------------------- */

/* The chunks of such a file that count. */
struct plain {
    uint32_t width, height;
    struct blob data; /* of all IDAT chunks */
};

/* False for all other files, and damaged ones. Chunks that may be left out mean nothing to us. There is room for as many
 * data as the file has bytes. */
static bool find_chunks(struct bytes file, struct plain *plain)
{
    static const uint8_t kind[5] = {8, PNG_COLOR_TYPE_RGB_ALPHA, 0, 0, 0};
    struct cursor cursor = cursor_at(file, 8);
    for (bool is_first = true;; is_first = false) {
        const uint8_t *head = cursor_take(&cursor, 8);
        size_t size = head ? png_get_uint_32(head) : 0;
        const uint8_t *data = head ? cursor_take(&cursor, size) : NULL, *sum = cursor_take(&cursor, 4);
        if (!data || !sum || libdeflate_crc32(0, head + 4, size + 4) != png_get_uint_32(sum))
            return false;
        bool is_header = !memcmp(head + 4, "IHDR", 4), is_data = !memcmp(head + 4, "IDAT", 4);
        if (!memcmp(head + 4, "IEND", 4))
            return plain->data.size > 0;
        if (is_header != is_first || (is_header && (size != 13 || memcmp(data + 8, kind, sizeof kind))))
            return false;
        if (is_header) {
            plain->width = png_get_uint_32(data);
            plain->height = png_get_uint_32(data + 4);
        } else if (is_data) {
            assert(plain->data.size + size <= file.size);
            memcpy(plain->data.data + plain->data.size, data, size);
            plain->data.size += size;
        } else if (!(head[4] & 0x20)) {
            return false;
        }
    }
}

/* A pixel, and as numbers that have room for sums and differences of two. */
typedef uint8_t quad __attribute__((vector_size(4)));
typedef int16_t lanes __attribute__((vector_size(8)));

static inline lanes load_pixel(const uint8_t *at)
{
    quad pixel;
    memcpy(&pixel, at, sizeof pixel);
    return __builtin_convertvector(pixel, lanes);
}

static inline void store_pixel(uint8_t *at, lanes numbers)
{
    quad pixel = __builtin_convertvector(numbers, quad);
    memcpy(at, &pixel, sizeof pixel);
}

/* Whether the bytes of four pixels are zero. */
static inline bool is_empty(const uint8_t *at)
{
    uint64_t words[2];
    memcpy(words, at, sizeof words);
    return (words[0] | words[1]) == 0;
}

static inline lanes magnitude(lanes x)
{
    lanes sign = x >> 15;
    return (x ^ sign) - sign;
}

static inline lanes choose(lanes mask, lanes a, lanes b)
{
    return (mask & a) | (~mask & b);
}

static void unfilter_paeth(const uint8_t *row, const uint8_t *above, uint8_t *out, size_t width)
{
    lanes left = {0}, corner = {0};
    bool was_empty = true; /* the pixels to the left, and above that */
    for (size_t x = 0; x < width; x++, row += 4, above += 4, out += 4) {
        while (was_empty && x + 4 < width && is_empty(row) && is_empty(above)) {
            memset(out, 0, 16);
            x += 4, row += 16, above += 16, out += 16;
        }
        lanes up = load_pixel(above), to_left = up - corner, to_up = left - corner;
        lanes left_off = magnitude(to_left), up_off = magnitude(to_up), corner_off = magnitude(to_left + to_up);
        lanes guess = choose((lanes)(left_off <= up_off) & (lanes)(left_off <= corner_off), left,
                             choose((lanes)(up_off <= corner_off), up, corner));
        left = (guess + load_pixel(row)) & 255;
        corner = up;
        store_pixel(out, left);
        uint64_t before = (uint64_t)left | (uint64_t)corner;
        was_empty = before == 0;
    }
}

/* `out` may overlap `row` where it starts before it. `above` is the row above as it was before filtering. */
static bool unfilter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t size)
{
    lanes left = {0};
    switch (filter) {
    case PNG_FILTER_VALUE_NONE:
        memmove(out, row, size);
        return true;
    case PNG_FILTER_VALUE_SUB:
        for (size_t i = 0; i < size; i += 4)
            store_pixel(out + i, left = (left + load_pixel(row + i)) & 255);
        return true;
    case PNG_FILTER_VALUE_UP:
        for (size_t i = 0; i < size; i += 4)
            store_pixel(out + i, (load_pixel(row + i) + load_pixel(above + i)) & 255);
        return true;
    case PNG_FILTER_VALUE_AVG:
        for (size_t i = 0; i < size; i++)
            out[i] = (uint8_t)(row[i] + ((i < 4 ? 0 : out[i - 4]) + above[i]) / 2);
        return true;
    case PNG_FILTER_VALUE_PAETH:
        unfilter_paeth(row, above, out, size / 4);
        return true;
    }
    return false;
}

/* The filtered rows, each with the number of its filter in front, become those of the picture in the same memory. */
static bool unfilter_all(struct image *image)
{
    size_t size = (size_t)image->width * 4;
    uint8_t *zeros = calloc(1, size);
    bool is_good = zeros != NULL;
    for (uint32_t y = 0; y < image->height && is_good; y++) {
        const uint8_t *row = image->pixels + y * (size + 1);
        uint8_t *out = image->pixels + y * size;
        is_good = unfilter(row[0], row + 1, y ? out - size : zeros, out, size);
    }
    free(zeros);
    return is_good;
}

/* Memory that is written from end to end comes in pages of 2 MiB where the kernel has them: a quarter of the time of a
 * large picture goes into pages of 4 KiB. */
static void use_large_pages(uint8_t *memory, size_t size)
{
    enum { LARGE_PAGE = 2 << 20 };
    size_t before = -(uintptr_t)memory % LARGE_PAGE;
    if (size >= before + LARGE_PAGE)
        madvise(memory + before, (size - before) / LARGE_PAGE * LARGE_PAGE, MADV_HUGEPAGE);
}

/* False where libpng has to have a look. */
static bool load_plain(struct bytes file, struct image *out)
{
    struct plain plain = {.data.data = malloc(file.size)};
    struct image image = {0};
    struct error ignored;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    bool is_good =
        decompressor && plain.data.data && find_chunks(file, &plain) &&
        image_init_packed(&image, plain.width, plain.height, file.size, MOST_FROM_BYTE / 4, &ignored) == 0;
    if (is_good) {
        size_t size = (size_t)image.height * (1 + (size_t)image.width * 4);
        uint8_t *pixels = realloc(image.pixels, size);
        image.pixels = pixels ? pixels : image.pixels;
        if (pixels)
            use_large_pages(pixels, size);
        is_good = pixels &&
                  libdeflate_zlib_decompress(decompressor, plain.data.data, plain.data.size, pixels, size, NULL) ==
                      LIBDEFLATE_SUCCESS &&
                  unfilter_all(&image);
    }
    libdeflate_free_decompressor(decompressor);
    blob_release(&plain.data);
    if (is_good)
        *out = image;
    else
        image_release(&image);
    return is_good;
}

/* -- All others -------------------------------------------------------------------------------------------- */

/* libpng reports an error through this and then jumps back to png_load. */
struct png_source {
    struct cursor cursor;
    struct error *err;
};

static void on_error(png_structp png, png_const_charp message)
{
    struct png_source *source = png_get_error_ptr(png);
    error_set(source->err, "%s, before byte %zu of %zu", message, source->cursor.at, source->cursor.bytes.size);
    png_longjmp(png, 1);
}

/* Most warnings are about chunks that we do not use, such as a colour profile. */
static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void read_bytes(png_structp png, png_bytep out, size_t size)
{
    struct png_source *source = png_get_io_ptr(png);
    const uint8_t *data = cursor_take(&source->cursor, size);
    if (!data)
        png_error(png, "the file ends inside a chunk");
    memcpy(out, data, size);
}

static int read_picture(png_structp png, png_infop info, struct png_source *source, struct image *image)
{
    /* image_init_packed checks the sides, with a message of ours. */
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    /* Compressed text and profiles would cost memory; of all chunks that can be left out only tRNS is used. */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    /* Old optimisers declared a smaller window than their data need. */
    png_set_option(png, PNG_MAXIMUM_INFLATE_WINDOW, PNG_OPTION_ON);
    png_read_info(png, info);
    unsigned bits_per_pixel = png_get_bit_depth(png, info) * png_get_channels(png, info);
    if (image_init_packed(image, png_get_image_width(png, info), png_get_image_height(png, info),
                          source->cursor.bytes.size, MOST_FROM_BYTE * 8 / bits_per_pixel, source->err))
        return -1;

    /* Whatever the file holds, rows come out as RGBA with 8 bits a channel. What it says about gamma is not applied:
     * games never did, and in game data it is often wrong. */
    png_set_expand(png);
    png_set_scale_16(png);
    png_set_gray_to_rgb(png);
    png_set_add_alpha(png, 255, PNG_FILLER_AFTER);
    int passes = png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_rowbytes(png, info) != (size_t)image->width * 4)
        return error_set(source->err, "rows of %zu bytes for %u pixels", png_get_rowbytes(png, info),
                         image->width);
    for (int pass = 0; pass < passes; pass++)
        for (uint32_t y = 0; y < image->height; y++)
            png_read_row(png, image->pixels + (size_t)y * image->width * 4, NULL);
    png_read_end(png, NULL);
    return 0;
}

static int png_load(struct bytes bytes, struct image *image, struct error *err)
{
    if (load_plain(bytes, image))
        return 0;
    struct png_source source = {.cursor = cursor_at(bytes, 0), .err = err};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_read_struct(&png, NULL, NULL);
        memory_failed(0);
        return error_set(err, "out of memory starting libpng");
    }
    /* Nothing local to this function changes after setjmp but `result`, hence volatile. */
    volatile int result = -1;
    if (setjmp(png_jmpbuf(png)) == 0) {
        png_set_read_fn(png, &source, read_bytes);
        result = read_picture(png, info, &source, image);
    }
    png_destroy_read_struct(&png, &info, NULL);
    return result;
}

const struct image_format png_format = {"PNG", {".png"}, "\x89PNG\r\n\x1a\n", NULL, png_load};
