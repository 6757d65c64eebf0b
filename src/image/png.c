/* libpng reads all kinds of PNG. Those of up to 8 bits a channel that are not interlaced, which sprite sheets and nearly
 * all textures are, are read in about half of its time here, by libdeflate. What is not exactly as that expects goes
 * to libpng, which also says what is wrong with it. */
#include "image/image_format.h"
#include "base/memory.h"

#include <assert.h>
#include <libdeflate.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Deflate makes at most 1032 bytes from one: 258 from two bits. */
    MOST_FROM_BYTE = 1032,
    /* Pixels of fewer than 4 bytes are read and written as 4: rows have so many bytes behind them. */
    SLACK = 3,
};

/* -- Up to 8 bits a channel, not interlaced ---------------------------------------------------------------- */

/* By the number that a header has for the type of colour; 0: it is none. */
static const uint8_t channel_counts[] = {
    [PNG_COLOR_TYPE_GRAY] = 1,       [PNG_COLOR_TYPE_RGB] = 3,       [PNG_COLOR_TYPE_PALETTE] = 1,
    [PNG_COLOR_TYPE_GRAY_ALPHA] = 2, [PNG_COLOR_TYPE_RGB_ALPHA] = 4,
};

/* The chunks of such a file that count. */
struct plain {
    uint32_t width, height;
    unsigned bits; /* of a channel */
    unsigned channels;
    bool has_palette;
    struct bytes palette, transparent; /* PLTE and tRNS */
    struct blob data;                  /* of all IDAT chunks */
    uint32_t colors[256];              /* pixels of one channel are their numbers */
    uint32_t transparent_color;        /* of opaque pixels of three channels this one is not; 0: none */
};

static bool read_header(struct bytes chunk, struct plain *plain)
{
    if (chunk.size != 13 || chunk.data[9] >= sizeof channel_counts)
        return false;
    plain->width = png_get_uint_32(chunk.data);
    plain->height = png_get_uint_32(chunk.data + 4);
    plain->bits = chunk.data[8];
    plain->channels = channel_counts[chunk.data[9]];
    plain->has_palette = chunk.data[9] == PNG_COLOR_TYPE_PALETTE;
    bool is_packed = plain->channels == 1 && (plain->bits == 1 || plain->bits == 2 || plain->bits == 4);
    return plain->channels && (plain->bits == 8 || is_packed) && !memcmp(chunk.data + 10, "\0\0\0", 3);
}

static size_t row_size(const struct plain *plain)
{
    return ((size_t)plain->width * plain->channels * plain->bits + 7) / 8;
}

static uint32_t pack(uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha)
{
    uint32_t pixel;
    memcpy(&pixel, (uint8_t[]){red, green, blue, alpha}, sizeof pixel);
    return pixel;
}

/* False where PLTE or tRNS of a palette is odd. Without one, a tRNS of another size does not count, as of libpng. */
static bool fill_colors(struct plain *plain)
{
    struct bytes palette = plain->palette, transparent = plain->transparent;
    unsigned count = 1u << plain->bits;
    if (plain->has_palette) {
        for (unsigned i = 0; i < count; i++) {
            bool is_black = i >= palette.size / 3; /* as of libpng */
            const uint8_t *color = is_black ? (const uint8_t *)"\0\0\0" : palette.data + i * 3;
            plain->colors[i] =
                pack(color[0], color[1], color[2], i < transparent.size ? transparent.data[i] : 255);
        }
        return palette.size > 0 && palette.size % 3 == 0 && palette.size <= count * 3 &&
               transparent.size <= palette.size / 3;
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t grey = (uint8_t)(i * 255 / (count - 1));
        bool is_transparent = transparent.size == 2 && transparent.data[1] % count == i;
        plain->colors[i] = pack(grey, grey, grey, is_transparent ? 0 : 255);
    }
    if (transparent.size == 6)
        plain->transparent_color = pack(transparent.data[1], transparent.data[3], transparent.data[5], 255);
    return true;
}

/* False for all other files, and damaged ones. Of the chunks that may be left out we read tRNS alone. There is room for
 * as many data as the file has bytes. */
static bool find_chunks(struct bytes file, struct plain *plain)
{
    struct cursor cursor = cursor_at(file, 8);
    bool has_data = false, is_past_data = false;
    for (bool is_first = true;; is_first = false) {
        const uint8_t *head = cursor_take(&cursor, 8);
        size_t size = head ? png_get_uint_32(head) : 0;
        const uint8_t *data = head ? cursor_take(&cursor, size) : NULL, *sum = cursor_take(&cursor, 4);
        if (!data || !sum || libdeflate_crc32(0, head + 4, size + 4) != png_get_uint_32(sum))
            return false;
        const char *name = (const char *)head + 4;
        bool is_header = !memcmp(name, "IHDR", 4), is_data = !memcmp(name, "IDAT", 4);
        struct bytes *colors = !memcmp(name, "PLTE", 4)   ? &plain->palette
                               : !memcmp(name, "tRNS", 4) ? &plain->transparent
                                                          : NULL;
        is_past_data = has_data && (is_past_data || !is_data);
        if (!memcmp(name, "IEND", 4))
            return plain->data.size > 0 && fill_colors(plain);
        if (is_header != is_first || (is_past_data && (is_data || colors)))
            return false;
        if (is_header) {
            if (!read_header((struct bytes){data, size}, plain))
                return false;
        } else if (is_data) {
            assert(plain->data.size + size <= file.size);
            memcpy(plain->data.data + plain->data.size, data, size);
            plain->data.size += size;
            has_data = true;
        } else if (colors) {
            if (colors->data || plain->transparent.data) /* twice, or PLTE behind tRNS */
                return false;
            *colors = (struct bytes){data, size};
        } else if (!(name[0] & 0x20)) {
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

/* Whether 16 bytes are zero. */
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

static void unfilter_paeth(const uint8_t *row, const uint8_t *above, uint8_t *out, size_t size, size_t step)
{
    lanes left = {0}, corner = {0};
    bool was_empty = true; /* the pixels to the left, and above that */
    for (size_t i = 0; i < size; i += step) {
        while (i + 16 < size && was_empty && is_empty(row + i) && is_empty(above + i)) {
            memset(out + i, 0, 16);
            i += 4 * step;
        }
        lanes up = load_pixel(above + i), to_left = up - corner, to_up = left - corner;
        lanes left_off = magnitude(to_left), up_off = magnitude(to_up), corner_off = magnitude(to_left + to_up);
        lanes guess = choose((lanes)(left_off <= up_off) & (lanes)(left_off <= corner_off), left,
                             choose((lanes)(up_off <= corner_off), up, corner));
        left = (guess + load_pixel(row + i)) & 255;
        corner = up;
        store_pixel(out + i, left);
        uint64_t before = (uint64_t)left | (uint64_t)corner;
        was_empty = before == 0;
    }
}

/* `step` is the size of a pixel, at least 1. The rows are followed by SLACK, of which `out` may change what is behind it.
 * `out` may overlap `row` where it starts before it and a pixel has 4 bytes. `above` is the row above as it was before
 * filtering. */
static bool unfilter(int filter, const uint8_t *row, const uint8_t *above, uint8_t *out, size_t size, size_t step)
{
    lanes left = {0};
    switch (filter) {
    case PNG_FILTER_VALUE_NONE:
        memmove(out, row, size);
        return true;
    case PNG_FILTER_VALUE_SUB:
        for (size_t i = 0; i < size; i += step)
            store_pixel(out + i, left = (left + load_pixel(row + i)) & 255);
        return true;
    case PNG_FILTER_VALUE_UP:
        for (size_t i = 0; i < size; i += 4)
            store_pixel(out + i, (load_pixel(row + i) + load_pixel(above + i)) & 255);
        return true;
    case PNG_FILTER_VALUE_AVG:
        for (size_t i = 0; i < size; i += step)
            store_pixel(out + i, left = (load_pixel(row + i) + ((left + load_pixel(above + i)) >> 1)) & 255);
        return true;
    case PNG_FILTER_VALUE_PAETH:
        unfilter_paeth(row, above, out, size, step);
        return true;
    }
    return false;
}

/* Also of four channels, which are in place. */
static void expand(const struct plain *plain, const uint8_t *row, uint8_t *out)
{
    const uint32_t opaque = pack(0, 0, 0, 255);
    unsigned bits = plain->bits, most = (1u << bits) - 1;
    switch (plain->channels) {
    case 1:
        for (size_t i = 0; i < plain->width; i++) {
            size_t bit = i * bits;
            unsigned number = row[bit / 8] >> (8 - bits - bit % 8) & most;
            memcpy(out + i * 4, &plain->colors[number], 4);
        }
        break;
    case 2:
        for (size_t i = 0; i < plain->width; i++) {
            memset(out + i * 4, row[i * 2], 3);
            out[i * 4 + 3] = row[i * 2 + 1];
        }
        break;
    case 3:
        for (size_t i = 0; i < plain->width; i++) {
            uint32_t pixel;
            memcpy(&pixel, row + i * 3, sizeof pixel);
            pixel |= opaque;
            pixel ^= pixel == plain->transparent_color ? opaque : 0;
            memcpy(out + i * 4, &pixel, sizeof pixel);
        }
        break;
    }
}

/* Each filtered row has the number of its filter in front. They lie at the end of the memory of the picture, and none is
 * longer than its pixels are with that number: these, from the start on, never reach the filtered rows below them. */
static bool unfilter_all(const struct plain *plain, const uint8_t *filtered, struct image *image)
{
    size_t size = row_size(plain);
    uint8_t *two_rows = calloc(2, size + SLACK);
    const uint8_t *above = two_rows ? two_rows + size + SLACK : NULL;
    bool is_good = two_rows != NULL;
    for (uint32_t y = 0; y < image->height && is_good; y++, filtered += size + 1) {
        uint8_t *out = image->pixels + (size_t)y * image->width * 4;
        uint8_t *row = plain->channels == 4 ? out : two_rows + y % 2 * (size + SLACK);
        is_good = unfilter(filtered[0], filtered + 1, above, row, size, plain->channels);
        if (is_good)
            expand(plain, row, out);
        above = row;
    }
    free(two_rows);
    return is_good;
}

static bool read_rows(const struct plain *plain, struct libdeflate_decompressor *decompressor, struct image *image)
{
    size_t all = (size_t)image->height * (1 + (size_t)image->width * 4);
    size_t size = image->height * (1 + row_size(plain));
    uint8_t *pixels = realloc(image->pixels, all + SLACK);
    if (!pixels)
        return false;
    image->pixels = pixels;
    memory_use_large_pages(pixels, all);
    uint8_t *filtered = pixels + all - size;
    return libdeflate_zlib_decompress(decompressor, plain->data.data, plain->data.size, filtered, size, NULL) ==
               LIBDEFLATE_SUCCESS &&
           unfilter_all(plain, filtered, image);
}

/* False where libpng has to have a look. */
static bool load_plain(struct bytes file, struct image *out)
{
    struct plain plain = {.data.data = malloc(file.size)};
    struct image image = {0};
    struct error ignored;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    bool is_good = decompressor && plain.data.data && find_chunks(file, &plain) &&
                   image_init_packed(&image, plain.width, plain.height, file.size,
                                     MOST_FROM_BYTE * 8 / (plain.channels * plain.bits), &ignored) == 0 &&
                   read_rows(&plain, decompressor, &image);
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
