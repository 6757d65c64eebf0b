#include "sheet/png.h"

#include <endian.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/memory.h"

enum {
    MOST_PIXEL = 4, /* bytes of the largest pixel */

    /* What decides about filters: these rows are compressed both ways, at the fastest level. Rows one by one, all over the
     * page, say more than as many that lie together: on 1,264 sheets of our lists 128 rows of eight bands, at level 2, took
     * three times as long, and gave 0.1 % more bytes. */
    SAMPLE_LEVEL = 1,
    SAMPLE_ROWS = 16,

    BLOCK = 64, /* bytes filtered at a time: a length known to the compiler makes it use vector instructions */
};

enum filter { FILTER_NONE, FILTER_SUB, FILTER_UP, FILTER_AVERAGE, FILTER_PAETH, FILTER_COUNT };

/* -- Filters -------------------------------------------------------------------------------------------------------- */

/* Filtering. A row and the one above it are copied to scratch memory with a pixel of zeros in front and zeros up
 * to a whole number of blocks behind, so that the loops below have no special cases. */

struct filters {
    size_t size, padded_size; /* of a row in bytes */
    size_t pixel;             /* of a pixel */
    bool is_apart;            /* filters may not look at the row above */
    uint8_t *memory;
    uint8_t *row, *above;
    uint8_t *filtered[FILTER_COUNT];
};

static int filters_init(struct filters *filters, const struct sheet *sheet, struct error *err)
{
    size_t size = sheet_row_size(sheet), padded_size = (size + BLOCK - 1) / BLOCK * BLOCK;
    uint8_t *memory = memory_alloc(1 + FILTER_COUNT, padded_size + MOST_PIXEL, err);
    if (!memory)
        return -1;
    *filters = (struct filters){
        .size = size, .padded_size = padded_size, .pixel = sheet_pixel_size(sheet->kind), .memory = memory};
    filters->row = memory + MOST_PIXEL;
    filters->above = filters->row + padded_size + MOST_PIXEL;
    for (int i = FILTER_SUB; i < FILTER_COUNT; i++)
        filters->filtered[i] = filters->above + padded_size + (size_t)(i - FILTER_SUB) * padded_size;
    filters->filtered[FILTER_NONE] = filters->row;
    return 0;
}

static void filter_sub(size_t pixel, const uint8_t *restrict x, uint8_t *restrict out)
{
    const uint8_t *left = x - pixel;
    for (size_t i = 0; i < BLOCK; i++)
        out[i] = (uint8_t)(x[i] - left[i]);
}

static void filter_up(const uint8_t *restrict x, const uint8_t *restrict above, uint8_t *restrict out)
{
    for (size_t i = 0; i < BLOCK; i++)
        out[i] = (uint8_t)(x[i] - above[i]);
}

static void filter_average(size_t pixel, const uint8_t *restrict x, const uint8_t *restrict above,
                           uint8_t *restrict out)
{
    const uint8_t *left = x - pixel;
    for (size_t i = 0; i < BLOCK; i++)
        out[i] = (uint8_t)(x[i] - ((left[i] + above[i]) >> 1));
}

/* Predicts from the neighbour (left a, above b, above left c) that is nearest to a + b - c, in this order. */
static void filter_paeth(size_t pixel, const uint8_t *restrict x, const uint8_t *restrict above,
                         uint8_t *restrict out)
{
    const uint8_t *left = x - pixel, *above_left = above - pixel;
    for (size_t i = 0; i < BLOCK; i++) {
        int16_t a = left[i], b = above[i], c = above_left[i];
        int16_t from_b = (int16_t)(b - c), from_a = (int16_t)(a - c), both = (int16_t)(from_a + from_b);
        int16_t to_a = from_b < 0 ? (int16_t)-from_b : from_b;
        int16_t to_b = from_a < 0 ? (int16_t)-from_a : from_a;
        int16_t to_c = both < 0 ? (int16_t)-both : both;
        int16_t nearer = to_b <= to_c ? b : c;
        int16_t least = to_b <= to_c ? to_b : to_c;
        out[i] = (uint8_t)(x[i] - (to_a <= least ? a : nearer));
    }
}

/* The sum of the bytes as distances from 0: the smaller, the better they tend to compress. */
static unsigned block_cost(const uint8_t *restrict bytes)
{
    uint16_t sum = 0; /* at most 64 * 128 */
    for (size_t i = 0; i < BLOCK; i++) {
        uint8_t byte = bytes[i], negative = (uint8_t)-byte;
        sum = (uint16_t)(sum + (byte < negative ? byte : negative));
    }
    return sum;
}

/* Runs all filters over the scratch rows and gives the best one. */
static enum filter choose_filter(const struct filters *filters)
{
    const int end = filters->is_apart ? FILTER_UP : FILTER_COUNT;
    uint64_t costs[FILTER_COUNT] = {0};
    for (size_t at = 0; at < filters->padded_size; at += BLOCK) {
        const uint8_t *x = filters->row + at, *above = filters->above + at;
        uint8_t any = 0;
        for (size_t i = 0; i < BLOCK; i++)
            any |= x[i] | above[i] | (x - filters->pixel)[i] | (above - filters->pixel)[i];
        for (int i = FILTER_SUB; any == 0 && i < FILTER_COUNT; i++)
            memset(filters->filtered[i] + at, 0, BLOCK);
        if (any == 0) /* as most of a page of sprites is */
            continue;
        filter_sub(filters->pixel, x, filters->filtered[FILTER_SUB] + at);
        filter_up(x, above, filters->filtered[FILTER_UP] + at);
        filter_average(filters->pixel, x, above, filters->filtered[FILTER_AVERAGE] + at);
        filter_paeth(filters->pixel, x, above, filters->filtered[FILTER_PAETH] + at);
        for (int i = 0; i < FILTER_COUNT; i++)
            costs[i] += block_cost(filters->filtered[i] + at);
    }
    enum filter best = FILTER_NONE;
    for (int i = FILTER_SUB; i < end; i++)
        if (costs[i] < costs[best])
            best = i;
    return best;
}

/* Writes scanline y, filtered, to `out`, which may be the scanline itself: nothing below it needs it any more
 * when rows are taken from the bottom upwards. */
static void filter_row(const struct sheet *sheet, struct filters *filters, uint32_t y, uint8_t *out)
{
    memcpy(filters->row, sheet_row(sheet, y), filters->size);
    if (y > 0)
        memcpy(filters->above, sheet_row(sheet, y - 1), filters->size);
    else
        memset(filters->above, 0, filters->size);
    filters->is_apart = y == 0 && sheet->png.rows == PNG_FLUSH;
    enum filter best = choose_filter(filters);
    out[0] = best;
    memcpy(out + 1, filters->filtered[best], filters->size);
}

static int out_of_memory(const struct sheet *sheet, struct error *err)
{
    memory_failed(0);
    return error_set(err, "out of memory for compressing a page of %ux%u", sheet->width, sheet->height);
}

static struct libdeflate_compressor *new_compressor(int level, const struct sheet *sheet, struct error *err)
{
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    if (!compressor)
        out_of_memory(sheet, err);
    return compressor;
}

/* Copies rows, spread by the golden ratio so that no regular grid of cells hides from them, as they are and filtered.
 * Small pages are taken whole. */
static void take_sample(const struct sheet *sheet, struct filters *filters, struct blob *plain,
                        struct blob *filtered)
{
    size_t line = 1 + filters->size;
    bool whole = sheet->height <= SAMPLE_ROWS;
    uint32_t rows = whole ? sheet->height : SAMPLE_ROWS;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t turn = i * UINT32_C(2654435769); /* wraps: in 2^-32 of the page */
        uint32_t y = whole ? i : (uint32_t)((uint64_t)turn * sheet->height >> 32);
        memcpy(plain->data + i * line, sheet_row(sheet, y) - 1, line);
        filter_row(sheet, filters, y, filtered->data + i * line);
    }
    plain->size = filtered->size = rows * line;
}

/* Whether filters make the page smaller. On sheets of small sprites they do not: the repetitions that deflate
 * finds in unchanged pixels are worth more, and no filter at all gave files 5-15 % smaller than choosing per row
 * did. Large opaque or smooth pictures are the other way round. So a sample is compressed both ways; a gain
 * under 3 % is within its error and not worth the time. */
static int filters_pay(const struct sheet *sheet, struct filters *filters, bool *pay, struct error *err)
{
    struct libdeflate_compressor *compressor = new_compressor(SAMPLE_LEVEL, sheet, err);
    if (!compressor)
        return -1;
    size_t limit = SAMPLE_ROWS * (1 + filters->size);
    size_t bound = libdeflate_zlib_compress_bound(compressor, limit);
    uint8_t *memory = memory_alloc(1, 2 * limit + bound, err);
    if (memory) {
        struct blob plain = {memory, limit}, filtered = {memory + limit, limit};
        uint8_t *scratch = memory + 2 * limit;
        take_sample(sheet, filters, &plain, &filtered);
        size_t plain_size = libdeflate_zlib_compress(compressor, plain.data, plain.size, scratch, bound);
        size_t filtered_size = libdeflate_zlib_compress(compressor, filtered.data, filtered.size, scratch, bound);
        *pay = filtered_size + filtered_size / 32 < plain_size;
        free(memory);
    }
    libdeflate_free_compressor(compressor);
    return memory ? 0 : -1;
}

static int filter_page(struct sheet *sheet, struct error *err)
{
    struct filters filters;
    if (filters_init(&filters, sheet, err) < 0)
        return -1;
    bool pay = false;
    int result = filters_pay(sheet, &filters, &pay, err);
    if (result == 0 && pay)
        for (uint32_t y = sheet->height; y-- > 0;)
            filter_row(sheet, &filters, y, sheet_row(sheet, y) - 1);
    free(filters.memory);
    return result;
}

/* Each row of cells is filtered as a page of its own, and begins where deflate has forgotten all before: by zlib, for
 * libdeflate has no such flush. Its levels end at 9, and find as much as libdeflate's next but one. */
static int deflate_rows(const struct sheet *sheet, struct blob *out, struct error *err)
{
    enum { MOST_LEVEL = 9, FLUSH_BYTES = 64 };
    const int level = (int)sheet->png.level + 2;
    const size_t line = 1 + sheet_row_size(sheet), count = (sheet->height - 1) / sheet->row_px + 1;
    z_stream stream = {0};
    if (deflateInit(&stream, level < MOST_LEVEL ? level : MOST_LEVEL) != Z_OK)
        return out_of_memory(sheet, err);
    const size_t bound = deflateBound(&stream, sheet->height * line) + count * FLUSH_BYTES;
    uint8_t *data = memory_alloc(bound, 1, err);
    int result = data ? 0 : -1;
    stream.next_out = data;
    stream.avail_out = (uInt)bound; /* pages are at most 1 GiB */
    for (uint32_t y = 0; y < sheet->height && result == 0; y += sheet->row_px) {
        struct sheet row = *sheet;
        row.scanlines += y * line;
        row.height = sheet->height - y < sheet->row_px ? sheet->height - y : sheet->row_px;
        result = filter_page(&row, err);
        stream.next_in = row.scanlines;
        stream.avail_in = (uInt)(row.height * line);
        const bool is_last = y + row.height == sheet->height;
        if (result == 0 && deflate(&stream, is_last ? Z_FINISH : Z_FULL_FLUSH) != (is_last ? Z_STREAM_END : Z_OK))
            result = out_of_memory(sheet, err);
    }
    *out = (struct blob){data, stream.total_out};
    deflateEnd(&stream);
    if (result < 0)
        blob_release(out);
    return result;
}

int sheet_deflate(struct sheet *sheet, struct blob *out, struct error *err)
{
    if (sheet->png.rows == PNG_FLUSH && sheet->row_px)
        return deflate_rows(sheet, out, err);
    if (filter_page(sheet, err) < 0)
        return -1;
    struct libdeflate_compressor *compressor = new_compressor((int)sheet->png.level, sheet, err);
    if (!compressor)
        return -1;
    size_t size = sheet->height * (1 + sheet_row_size(sheet));
    size_t bound = libdeflate_zlib_compress_bound(compressor, size);
    uint8_t *data = memory_alloc(bound, 1, err);
    if (data)
        *out = (struct blob){data, libdeflate_zlib_compress(compressor, sheet->scanlines, size, data, bound)};
    libdeflate_free_compressor(compressor);
    return data ? 0 : -1;
}

void png_add_chunk(struct buffer *png, const char type[4], struct bytes front, struct bytes data)
{
    uint32_t size = htobe32((uint32_t)(front.size + data.size));
    buffer_add(png, (const char *)&size, sizeof size);
    size_t start = png->length;
    buffer_add(png, type, 4);
    buffer_add(png, (const char *)front.data, front.size);
    buffer_add(png, (const char *)data.data, data.size);
    uint32_t crc = htobe32(libdeflate_crc32(0, png->text + start, png->length - start));
    buffer_add(png, (const char *)&crc, sizeof crc);
}

void png_begin(struct buffer *png, enum sheet_kind kind, bool is_indexed, uint32_t width, uint32_t height)
{
    enum { GREY = 0, INDEXED = 3, RGBA = 6 };
    const uint32_t size[2] = {htobe32(width), htobe32(height)};
    const uint8_t rest[5] = {kind == SHEET_GREY16 ? 16 : 8, /* bits a channel */
                             is_indexed             ? INDEXED
                             : kind == SHEET_GREY16 ? GREY
                                                    : RGBA};
    const uint8_t perceptual[1] = {0}; /* the intent of sRGB */
    buffer_add(png, "\x89PNG\r\n\x1a\n", 8);
    png_add_chunk(png, "IHDR", CHUNK(size), CHUNK(rest));
    if (kind == SHEET_COLOR)
        png_add_chunk(png, "sRGB", CHUNK(perceptual), (struct bytes){0});
}

/* PNG has the high byte first. */
static void swap_grey(struct sheet *sheet)
{
    for (uint32_t y = 0; y < sheet->height; y++)
        for (size_t i = 0; i < sheet_row_size(sheet); i += 2) {
            uint16_t value;
            memcpy(&value, sheet_row(sheet, y) + i, 2);
            value = htobe16(value);
            memcpy(sheet_row(sheet, y) + i, &value, 2);
        }
}

/* -- Palettes ---------------------------------------------------------------------------------------------- */

enum { MOST_COLORS = 256, SLOTS = 1024 };

/* Colours as A, R, G, B from the highest byte, ascending: the transparent ones first, so that tRNS is short. */
struct palette {
    uint32_t colors[MOST_COLORS];
    unsigned count;
    uint32_t slots[SLOTS];  /* colours by their hash */
    int16_t numbers[SLOTS]; /* of these; -1: the slot is free */
};

static uint32_t color_of(const uint8_t *pixel)
{
    return (uint32_t)pixel[3] << 24 | (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

/* Where the colour is, or would be: there are four times as many slots as colours. */
static unsigned find_slot(const struct palette *palette, uint32_t color)
{
    unsigned slot = color * UINT32_C(2654435769) >> 22;
    while (palette->numbers[slot] >= 0 && palette->slots[slot] != color)
        slot = (slot + 1) % SLOTS;
    return slot;
}

static int compare_colors(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* False where there are too many. */
static bool find_palette(const struct sheet *sheet, struct palette *palette)
{
    memset(palette->numbers, -1, sizeof palette->numbers);
    palette->count = 0;
    for (uint32_t y = 0; y < sheet->height; y++)
        for (size_t i = 0; i < sheet_row_size(sheet); i += 4) {
            const uint32_t color = color_of(sheet_row(sheet, y) + i);
            const unsigned slot = find_slot(palette, color);
            if (palette->numbers[slot] >= 0)
                continue;
            if (palette->count == MOST_COLORS)
                return false;
            palette->slots[slot] = palette->colors[palette->count] = color;
            palette->numbers[slot] = (int16_t)palette->count++;
        }
    qsort(palette->colors, palette->count, sizeof *palette->colors, compare_colors);
    for (unsigned i = 0; i < palette->count; i++)
        palette->numbers[find_slot(palette, palette->colors[i])] = (int16_t)i;
    return true;
}

/* Works in place: the rows move together. */
static void index_pixels(struct sheet *sheet, const struct palette *palette)
{
    const struct sheet colored = *sheet;
    sheet->kind = SHEET_INDEXED;
    for (uint32_t y = 0; y < sheet->height; y++) {
        uint8_t *out = sheet_row(sheet, y);
        const uint8_t *row = sheet_row(&colored, y);
        for (uint32_t x = 0; x < sheet->width; x++)
            out[x] = (uint8_t)palette->numbers[find_slot(palette, color_of(row + 4 * (size_t)x))];
        out[-1] = FILTER_NONE;
    }
}

static void add_palette(struct buffer *png, const struct palette *palette)
{
    uint8_t colors[MOST_COLORS][3], alphas[MOST_COLORS];
    size_t alpha_count = 0;
    for (unsigned i = 0; i < palette->count; i++) {
        const uint32_t color = palette->colors[i];
        for (int c = 0; c < 3; c++)
            colors[i][c] = (uint8_t)(color >> (16 - 8 * c));
        alphas[i] = (uint8_t)(color >> 24);
        alpha_count = alphas[i] < 255 ? i + 1 : alpha_count;
    }
    png_add_chunk(png, "PLTE", (struct bytes){colors[0], palette->count * sizeof *colors}, (struct bytes){0});
    if (alpha_count)
        png_add_chunk(png, "tRNS", (struct bytes){alphas, alpha_count}, (struct bytes){0});
}

/* -- The file ------------------------------------------------------------------------------------------------ */

/* oFFs, which image editors read, and grAb of ZDoom. */
static void add_place(struct buffer *png, const struct sheet *sheet)
{
    uint32_t place[2], origin[2];
    const uint8_t pixels[1] = {0}; /* the unit */
    for (int axis = 0; axis < 2; axis++) {
        place[axis] = htobe32((uint32_t)sheet->place_px[axis]);
        origin[axis] = htobe32((uint32_t)sheet->origin_px[axis]);
    }
    png_add_chunk(png, "oFFs", CHUNK(place), CHUNK(pixels));
    png_add_chunk(png, "grAb", CHUNK(origin), (struct bytes){0});
}

int sheet_save_png(struct sheet *sheet, struct blob *out, struct error *err)
{
    const enum sheet_kind kind = sheet->kind;
    struct palette palette;
    struct blob compressed;
    struct buffer png = {0};
    const bool is_indexed = sheet->png.indexed && kind != SHEET_GREY16 && find_palette(sheet, &palette);
    if (is_indexed)
        index_pixels(sheet, &palette);
    if (kind == SHEET_GREY16)
        swap_grey(sheet);
    if (sheet_deflate(sheet, &compressed, err) < 0)
        return -1;
    png_begin(&png, kind, is_indexed, sheet->width, sheet->height);
    if (is_indexed)
        add_palette(&png, &palette);
    if (sheet->has_place)
        add_place(&png, sheet);
    png_add_chunk(&png, "IDAT", blob_bytes(&compressed), (struct bytes){0});
    png_add_chunk(&png, "IEND", (struct bytes){0}, (struct bytes){0});
    blob_release(&compressed);
    *out = (struct blob){(uint8_t *)png.text, png.length};
    return 0;
}
