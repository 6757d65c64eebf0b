#include "image/palette.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "image/image_format.h"
#include "image/srgb.h"

static struct oklab oklab_of(const uint8_t color[3])
{
    static const double cones[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                       {0.2119034982, 0.6806995451, 0.1073969566},
                                       {0.0883024619, 0.2817188376, 0.6299787005}};
    static const double axes[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                      {1.9779984951, -2.4285922050, 0.4505937099},
                                      {0.0259040371, 0.7827717662, -0.8086757660}};
    struct oklab lab;
    double roots[3];
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int c = 0; c < 3; c++)
            sum += cones[i][c] * (double)srgb_to_linear[color[c]];
        roots[i] = cbrt(sum);
    }
    for (int i = 0; i < 3; i++) {
        double sum = 0;
        for (int c = 0; c < 3; c++)
            sum += axes[i][c] * roots[c];
        lab.axes[i] = (int32_t)lround(65536 * sum);
    }
    return lab;
}

/* Of a - origin and b - origin, times each other. */
static int64_t dot(const struct oklab *a, const struct oklab *b, const struct oklab *origin)
{
    int64_t sum = 0;
    for (int i = 0; i < 3; i++)
        sum += (int64_t)(a->axes[i] - origin->axes[i]) * (b->axes[i] - origin->axes[i]);
    return sum;
}

static int64_t distance(const struct oklab *a, const struct oklab *b)
{
    return dot(a, a, b);
}

/* Of two the first. */
static uint32_t find_nearest(const struct palette *palette, const struct oklab *lab)
{
    uint32_t nearest = 0;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < palette->count; i++) {
        int64_t apart = distance(lab, &palette->labs[i]);
        if (apart < least) {
            least = apart;
            nearest = i;
        }
    }
    return nearest;
}

bool palette_add(struct palette *palette, const uint8_t color[3])
{
    for (uint32_t i = palette->count; i-- > 0;)
        if (!memcmp(palette->colors[i], color, 3))
            return true;
    if (palette->count == PALETTE_MOST)
        return false;
    memcpy(palette->colors[palette->count], color, 3);
    palette->labs[palette->count++] = oklab_of(color);
    return true;
}

/* -- Files ------------------------------------------------------------------------------------------------- */

bool palette_has_suffix(const char *suffix)
{
    return !strcasecmp(suffix, ".gpl") || !strcasecmp(suffix, ".pal") || !strcasecmp(suffix, ".hex");
}

/* "255 128 0", before whatever the line has more. */
static bool parse_numbers(const char *at, uint8_t color[3])
{
    for (int i = 0; i < 3; i++) {
        char *end;
        at += strspn(at, " \t");
        unsigned long value = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || value > 255)
            return false;
        color[i] = (uint8_t)value;
        at = end;
    }
    return true;
}

/* "ff8000" or "#ff8000", alone in its line. */
static bool parse_hex(const char *at, uint8_t color[3])
{
    at += *at == '#';
    unsigned long value = strtoul(at, NULL, 16);
    for (int i = 0; i < 3; i++)
        color[i] = (uint8_t)(value >> (16 - 8 * i));
    size_t digits = strspn(at, "0123456789abcdefABCDEF");
    return digits == 6 && at[6 + strspn(at + 6, " \t\r")] == '\0';
}

/* Lines of text: the first says which format they are in. 1 where it is none. */
static int load_text(struct bytes bytes, struct palette *out, struct error *err)
{
    bool is_gimp = false, is_jasc = false;
    size_t at = 0;
    for (unsigned number = 1; at < bytes.size; number++) {
        const char *text = (const char *)bytes.data + at, *end = memchr(text, '\n', bytes.size - at);
        size_t length = end ? (size_t)(end - text) : bytes.size - at;
        char line[128];
        uint8_t color[3];
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line), text);
        at += length + 1;
        if (number == 1) {
            is_gimp = !strncmp(line, "GIMP Palette", 12);
            is_jasc = !strncmp(line, "JASC-PAL", 8);
            if (!is_gimp && !is_jasc && !parse_hex(line, color))
                return 1;
        }
        /* JASC has two more lines before its colours, GIMP comments and what it says of the whole. */
        bool is_other = is_jasc ? number <= 3 : is_gimp && (*line == '#' || isalpha((unsigned char)*line));
        if (is_other || !line[strspn(line, " \t\r")])
            continue;
        if (!(is_gimp || is_jasc ? parse_numbers(line, color) : parse_hex(line, color)))
            return error_set(err, "line %u: a colour is %s", number,
                             is_gimp || is_jasc ? "three numbers from 0 to 255" : "six hexadecimal digits");
        if (!palette_add(out, color))
            return error_set(err, "line %u: a palette has at most %d colours", number, PALETTE_MOST);
    }
    return 0;
}

static int load_picture(struct bytes bytes, struct palette *out, struct error *err)
{
    struct image image;
    if (image_load(bytes, &image, err) < 0)
        return error_add(err, "no palette of GIMP, JASC or six digits a line, nor a picture");
    bool fits = true;
    for (size_t i = 0; i < image_pixel_count(&image) && fits; i++)
        fits = image.pixels[4 * i + 3] < 128 || palette_add(out, &image.pixels[4 * i]);
    image_release(&image);
    return fits ? 0 : error_set(err, "the picture has more than the %d colours of a palette", PALETTE_MOST);
}

int palette_load(struct bytes bytes, struct palette *out, struct error *err)
{
    struct palette palette = {0};
    int result = load_text(bytes, &palette, err);
    if (result < 0 || (result > 0 && load_picture(bytes, &palette, err) < 0))
        return -1;
    if (palette.count == 0)
        return error_set(err, "a palette without colours");
    *out = palette;
    return 0;
}

/* -- Found for pixels --------------------------------------------------------------------------------------- */

struct color_counts {
    struct color_count {
        uint64_t count, sums[3]; /* of pixels, and of their channels */
        uint8_t color[3];        /* their mean */
        struct oklab lab;        /* the same */
        int64_t apart;           /* from the nearest colour of the palette, squared */
        uint32_t nearest;
    } items[1 << 3 * 5];
};

#define FOR_EACH_COUNT(item, counts)                                                                              \
    for (struct color_count *item = (counts)->items; item < (counts)->items + (1 << 3 * 5); item++)               \
        if (item->count > 0)

struct color_counts *color_counts_new(void)
{
    return must_alloc(1, sizeof(struct color_counts));
}

void color_counts_add(struct color_counts *counts, const uint8_t *pixels, size_t pixel_count)
{
    for (const uint8_t *pixel = pixels; pixel < pixels + 4 * pixel_count; pixel += 4) {
        struct color_count *item = &counts->items[pixel[0] >> 3 << 10 | pixel[1] >> 3 << 5 | pixel[2] >> 3];
        if (pixel[3] < 128)
            continue;
        item->count++;
        for (int c = 0; c < 3; c++)
            item->sums[c] += pixel[c];
    }
}

/* Finds what is nearest among the colours before and those from `first` on. Returns what is to be added next, or NULL: by
 * how badly it is served, times its pixels. */
static const struct color_count *serve(const struct palette *palette, uint32_t first, struct color_counts *counts)
{
    const struct color_count *worst = NULL;
    FOR_EACH_COUNT(item, counts)
    {
        for (uint32_t i = first; i < palette->count; i++) {
            int64_t apart = distance(&item->lab, &palette->labs[i]);
            if (i == 0 || apart < item->apart) {
                item->apart = apart;
                item->nearest = i;
            }
        }
        if (item->apart > 0 &&
            (!worst || (double)item->apart * sqrt((double)item->count) > (double)worst->apart * sqrt((double)worst->count)))
            worst = item;
    }
    return worst;
}

/* Moves a colour to the middle of those that are nearest to it: onto what was counted nearest there. */
static void center(struct palette *palette, uint32_t i, struct color_counts *counts)
{
    int64_t sums[3] = {0}, weight = 1, least = INT64_MAX;
    FOR_EACH_COUNT(item, counts)
    {
        weight += item->nearest == i ? (int64_t)item->count : 0;
        for (int axis = 0; axis < 3 && item->nearest == i; axis++)
            sums[axis] += item->lab.axes[axis] * (int64_t)item->count;
    }
    const struct oklab middle = {
        {(int32_t)(sums[0] / weight), (int32_t)(sums[1] / weight), (int32_t)(sums[2] / weight)}};
    FOR_EACH_COUNT(item, counts)
    {
        if (item->nearest == i && distance(&item->lab, &middle) < least) {
            least = distance(&item->lab, &middle);
            palette->labs[i] = item->lab;
            memcpy(palette->colors[i], item->color, 3);
        }
    }
}

/* Colours are added where they are missed most, and then moved to where they serve best. */
void palette_find(struct palette *palette, struct color_counts *counts, uint32_t most)
{
    enum { ROUNDS = 8 };
    const uint32_t kept = palette->count;
    FOR_EACH_COUNT(item, counts)
    {
        for (int c = 0; c < 3; c++)
            item->color[c] = (uint8_t)((item->sums[c] + item->count / 2) / item->count);
        item->lab = oklab_of(item->color);
        item->apart = 1;
    }
    const struct color_count *worst = serve(palette, 0, counts);
    for (; worst && palette->count < most; worst = serve(palette, palette->count - 1, counts))
        palette_add(palette, worst->color);
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = kept; i < palette->count; i++)
            center(palette, i, counts);
        serve(palette, 0, counts);
    }
}

/* -- Pixels of few colours ---------------------------------------------------------------------------------- */

/* 0 to 255 in 16 rows, as hexadecimal digits: by void and cluster (Ulichney 1993), so that any number of the lowest are
 * spread evenly. */
static const char blue_noise[16][16 * 2 + 1] = {
    "ea32bc133aab792fa303f76816840e41", "d1087661f0cd17e48a407baa48e06395", "558be5a54e926f54b0d81ee799c92ab4",
    "193ec31d2bb907f92964bf30570580f3", "dd9865fd82dc3bc89c0c8870feae456d", "2ebd0249ac5a8e7450edd23d9321cea0",
    "517cd971d00ff11ba82db214c160e112", "f2a43c239d35b544df697d53ec83378d", "c50ae386f65f7ec69400f4a14709b66a",
    "285db34bc006da245b39ca22d79be94a", "fc7896186e3fa677e8b7856731751fa7", "10d433eecf89ff154c970dfabe58cb87",
    "66b852a92659bb34cc62ad438104de38", "e690017fe20b9a72ef27db1ceb91af4d", "c425f8466bc742b1118f739f562c6c1a",
    "7a5c9ed68c20f55ed54fc236d3bafba2",
};

/* From 0 to 1, without either. */
static double threshold(enum dither dither, uint32_t x, uint32_t y)
{
    static const uint8_t bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    if (dither == DITHER_BAYER)
        return (bayer[y % 4][x % 4] + 0.5) / 16;
    if (dither == DITHER_NONE)
        return 0.5;
    char digits[3] = {0};
    memcpy(digits, &blue_noise[y % 16][x % 16 * 2], 2);
    return ((double)strtoul(digits, NULL, 16) + 0.5) / 256;
}

/* One of the nearest colour and the one with which it makes the mixture nearest to `lab`. Colours far apart make a coarse
 * pattern: they count as that much farther away. */
static uint32_t choose_mixed(const struct palette *palette, const struct oklab *lab, double at)
{
    const double coarseness = 1.0 / 8;
    const uint32_t nearest = find_nearest(palette, lab);
    const struct oklab *from = &palette->labs[nearest];
    uint32_t other = nearest;
    double part = 0, least = (double)distance(lab, from);
    for (uint32_t i = 0; i < palette->count; i++) {
        double length = (double)distance(&palette->labs[i], from);
        double along = (double)dot(lab, &palette->labs[i], from);
        double apart = (double)distance(lab, from) - along * along / length + coarseness * length;
        if (i != nearest && along > 0 && apart < least) {
            least = apart;
            other = i;
            part = along / length;
        }
    }
    bool is_darker = palette->labs[other].axes[0] < from->axes[0]; /* the pattern is that of the lighter one */
    return is_darker ? (1 - part > at ? nearest : other) : (part > at ? other : nearest);
}

void palette_apply(const struct palette *palette, enum dither dither, uint8_t *pixels, size_t stride,
                   uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *pixel = pixels + y * stride + (size_t)4 * x;
            double at = threshold(dither, x, y);
            if (pixel[3] <= 255 * at) {
                memset(pixel, 0, 4);
                continue;
            }
            pixel[3] = 255;
            if (palette->count == 0)
                continue;
            struct oklab lab = oklab_of(pixel);
            uint32_t color = dither == DITHER_NONE ? find_nearest(palette, &lab) : choose_mixed(palette, &lab, at);
            memcpy(pixel, palette->colors[color], 3);
        }
}
