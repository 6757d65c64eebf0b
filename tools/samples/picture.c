#include "picture.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void add_bytes(struct buffer *out, const void *data, size_t size)
{
    buffer_add(out, data, size);
}

static void add_u8(struct buffer *out, unsigned value)
{
    uint8_t byte = (uint8_t)value;
    add_bytes(out, &byte, 1);
}

static void add_u16(struct buffer *out, unsigned value)
{
    add_u8(out, value & 255);
    add_u8(out, value >> 8);
}

static void on_png_data(png_structp png, png_bytep data, png_size_t size)
{
    add_bytes(png_get_io_ptr(png), data, size);
}

static void on_png_flush(png_structp png)
{
    (void)png;
}

void picture_save_png(const uint8_t *pixels, int size, struct buffer *out)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (!png || !info || setjmp(png_jmpbuf(png)))
        abort(); /* out of memory: nothing else can fail here */
    png_set_write_fn(png, out, on_png_data, on_png_flush);
    png_set_IHDR(png, info, (png_uint_32)size, (png_uint_32)size, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_compression_level(png, 9);
    png_set_filter(png, 0, PNG_ALL_FILTERS);
    png_write_info(png, info);
    for (int y = 0; y < size; y++)
        png_write_row(png, pixels + (size_t)y * (size_t)size * 3);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
}

/* Chooses 256 colours by median cut, then moves each to the mean of its pixels. */

enum { PALETTE_SIZE = 256, REFINEMENTS = 6 };

struct box {
    size_t first, count;
};

static int compare_channel(const uint8_t *a, const uint8_t *b, int channel)
{
    if (a[channel] != b[channel])
        return a[channel] - b[channel];
    return memcmp(a, b, 3);
}

static int by_red(const void *a, const void *b)
{
    return compare_channel(a, b, 0);
}

static int by_green(const void *a, const void *b)
{
    return compare_channel(a, b, 1);
}

static int by_blue(const void *a, const void *b)
{
    return compare_channel(a, b, 2);
}

/* The channel that spreads widest in the box, and how wide, with the size of the box in mind. */
static double widest(const uint8_t *colors, const struct box *box, int *channel)
{
    int low[3] = {255, 255, 255}, high[3] = {0, 0, 0}, best = 0;
    for (size_t i = 0; i < box->count; i++) {
        for (int k = 0; k < 3; k++) {
            int value = colors[(box->first + i) * 3 + (size_t)k];
            low[k] = value < low[k] ? value : low[k];
            high[k] = value > high[k] ? value : high[k];
        }
    }
    for (int k = 1; k < 3; k++)
        best = high[k] - low[k] > high[best] - low[best] ? k : best;
    *channel = best;
    return (double)(high[best] - low[best]) * (box->count > 400 ? 1 : 0.25);
}

static void mean_color(const uint8_t *colors, const struct box *box, uint8_t out[3])
{
    size_t sum[3] = {0, 0, 0};
    for (size_t i = 0; i < box->count; i++)
        for (size_t k = 0; k < 3; k++)
            sum[k] += colors[(box->first + i) * 3 + k];
    for (size_t k = 0; k < 3; k++)
        out[k] = (uint8_t)((sum[k] + box->count / 2) / box->count);
}

static void median_cut(uint8_t *colors, size_t count, uint8_t palette[PALETTE_SIZE][3])
{
    static int (*const orders[3])(const void *, const void *) = {by_red, by_green, by_blue};
    struct box boxes[PALETTE_SIZE] = {{0, count}};
    for (int used = 1; used < PALETTE_SIZE; used++) {
        int split = 0, channel = 0, split_channel = 0;
        double most = -1;
        for (int i = 0; i < used; i++) {
            double width = boxes[i].count > 1 ? widest(colors, &boxes[i], &channel) : -1;
            if (width > most) {
                most = width;
                split = i;
                split_channel = channel;
            }
        }
        struct box *box = &boxes[split];
        qsort(colors + box->first * 3, box->count, 3, orders[split_channel]);
        size_t half = box->count / 2;
        boxes[used] = (struct box){box->first + half, box->count - half};
        box->count = half;
    }
    for (int i = 0; i < PALETTE_SIZE; i++)
        mean_color(colors, &boxes[i], palette[i]);
}

static unsigned nearest(const uint8_t *color, uint8_t palette[PALETTE_SIZE][3])
{
    unsigned best = 0;
    int least = 1 << 30;
    for (unsigned i = 0; i < PALETTE_SIZE; i++) {
        int r = color[0] - palette[i][0], g = color[1] - palette[i][1], b = color[2] - palette[i][2];
        int distance = 3 * r * r + 4 * g * g + 2 * b * b;
        if (distance < least) {
            least = distance;
            best = i;
        }
    }
    return best;
}

static void refine(const uint8_t *pixels, size_t count, uint8_t palette[PALETTE_SIZE][3])
{
    size_t sums[PALETTE_SIZE][4] = {{0}};
    for (size_t i = 0; i < count; i++) {
        size_t *sum = sums[nearest(pixels + i * 3, palette)];
        for (size_t k = 0; k < 3; k++)
            sum[k] += pixels[i * 3 + k];
        sum[3]++;
    }
    for (int i = 0; i < PALETTE_SIZE; i++)
        for (size_t k = 0; k < 3 && sums[i][3]; k++)
            palette[i][k] = (uint8_t)((sums[i][k] + sums[i][3] / 2) / sums[i][3]);
}

/* Passes three quarters of a pixel's error to the next ones (Floyd and Steinberg), so that smooth shades stay smooth
 * when the texture is filtered. */
static void diffuse(const uint8_t *pixels, int size, uint8_t palette[PALETTE_SIZE][3], uint8_t *indices)
{
    int *errors = must_alloc((size_t)(size + 2) * 6, sizeof(int)), *here = errors + 3,
        *below = here + (size + 2) * 3;
    for (int y = 0; y < size; y++) {
        for (int x = 0; x < size; x++) {
            size_t at = (size_t)y * (size_t)size + (size_t)x;
            uint8_t wanted[3];
            for (int k = 0; k < 3; k++) {
                int value = pixels[at * 3 + (size_t)k] + here[x * 3 + k] * 3 / 64;
                wanted[k] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
            }
            indices[at] = (uint8_t)nearest(wanted, palette);
            for (int k = 0; k < 3; k++) {
                int lost = wanted[k] - palette[indices[at]][k];
                here[(x + 1) * 3 + k] += lost * 7;
                below[(x - 1) * 3 + k] += lost * 3;
                below[x * 3 + k] += lost * 5;
                below[(x + 1) * 3 + k] += lost;
            }
        }
        memcpy(here - 3, below - 3, sizeof(int) * (size_t)(size + 2) * 3);
        memset(below - 3, 0, sizeof(int) * (size_t)(size + 2) * 3);
    }
    free(errors);
}

static uint8_t *to_palette(const uint8_t *pixels, int size, uint8_t palette[PALETTE_SIZE][3])
{
    size_t count = (size_t)size * (size_t)size;
    uint8_t *indices = must_alloc(count, 1), *copy = must_alloc(count, 3);
    memcpy(copy, pixels, count * 3);
    median_cut(copy, count, palette);
    free(copy);
    for (int i = 0; i < REFINEMENTS; i++)
        refine(pixels, count, palette);
    diffuse(pixels, size, palette, indices);
    return indices;
}

static void pcx_header(int size, struct buffer *out)
{
    add_u8(out, 10); /* ZSoft */
    add_u8(out, 5);  /* version 3.0 */
    add_u8(out, 1);  /* run-length encoded */
    add_u8(out, 8);  /* bits a pixel and plane */
    add_u16(out, 0);
    add_u16(out, 0);
    add_u16(out, (unsigned)size - 1);
    add_u16(out, (unsigned)size - 1);
    add_u16(out, 72); /* dots an inch */
    add_u16(out, 72);
    for (int i = 0; i < 48; i++) /* the palette of 16 colours, unused */
        add_u8(out, 0);
    add_u8(out, 0);
    add_u8(out, 1); /* planes */
    add_u16(out, (unsigned)size);
    add_u16(out, 1); /* the palette is in colour */
    for (int i = 0; i < 58; i++)
        add_u8(out, 0);
}

/* A byte above 191 says how often the next one is repeated, 63 times at most; runs end with their row. */
static void pcx_row(const uint8_t *row, int size, struct buffer *out)
{
    for (int x = 0; x < size;) {
        int run = 1;
        while (x + run < size && run < 63 && row[x + run] == row[x])
            run++;
        if (run > 1 || row[x] >= 192)
            add_u8(out, 192 + (unsigned)run);
        add_u8(out, row[x]);
        x += run;
    }
}

void picture_save_pcx(const uint8_t *pixels, int size, struct buffer *out)
{
    uint8_t palette[PALETTE_SIZE][3];
    uint8_t *indices = to_palette(pixels, size, palette);
    pcx_header(size, out);
    for (int y = 0; y < size; y++)
        pcx_row(indices + (size_t)y * (size_t)size, size, out);
    add_u8(out, 12); /* "a palette follows" */
    add_bytes(out, palette, sizeof(palette));
    free(indices);
}

static void add_bgr(struct buffer *out, const uint8_t *rgb)
{
    add_u8(out, rgb[2]);
    add_u8(out, rgb[1]);
    add_u8(out, rgb[0]);
}

static int equal_run(const uint8_t *row, int left)
{
    int run = 1;
    while (run < left && run < 128 && memcmp(row, row + run * 3, 3) == 0)
        run++;
    return run;
}

/* Packets of up to 128 pixels: repeated (high bit set) or as they are. */
static void tga_row(const uint8_t *row, int size, struct buffer *out)
{
    for (int x = 0; x < size;) {
        int run = equal_run(row + x * 3, size - x), raw = 0;
        if (run > 1) {
            add_u8(out, 127 + (unsigned)run);
            add_bgr(out, row + x * 3);
            x += run;
            continue;
        }
        while (x + raw < size && raw < 128 && equal_run(row + (x + raw) * 3, size - x - raw) == 1)
            raw++;
        add_u8(out, (unsigned)raw - 1);
        for (int i = 0; i < raw; i++)
            add_bgr(out, row + (x + i) * 3);
        x += raw;
    }
}

void picture_save_tga(const uint8_t *pixels, int size, struct buffer *out)
{
    const uint8_t before[12] = {[2] = 10}; /* true colour, run-length encoded; no palette; origin 0, 0 */
    add_bytes(out, before, sizeof(before));
    add_u16(out, (unsigned)size);
    add_u16(out, (unsigned)size);
    add_u8(out, 24);
    add_u8(out, 0); /* from the bottom-left */
    for (int y = size - 1; y >= 0; y--)
        tga_row(pixels + (size_t)y * (size_t)size * 3, size, out);
}
