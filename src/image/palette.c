#include "image/palette.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"
#include "base/memory.h"
#include "image/image_format.h"
#include "image/srgb.h"

/* Rounded, so that all machines find the same colour nearest. */
static void find_oklab(const uint8_t color[3], int32_t lab[3])
{
    static const double cones[3][3] = {{0.4122214708, 0.5363325363, 0.0514459929},
                                       {0.2119034982, 0.6806995451, 0.1073969566},
                                       {0.0883024619, 0.2817188376, 0.6299787005}};
    static const double axes[3][3] = {{0.2104542553, 0.7936177850, -0.0040720468},
                                      {1.9779984951, -2.4285922050, 0.4505937099},
                                      {0.0259040371, 0.7827717662, -0.8086757660}};
    const double light[3] = {srgb_to_linear[color[0]], srgb_to_linear[color[1]], srgb_to_linear[color[2]]};
    double roots[3];
    for (int i = 0; i < 3; i++)
        roots[i] = cbrt(dvec_dot(cones[i], light));
    for (int i = 0; i < 3; i++)
        lab[i] = (int32_t)lround(65536 * dvec_dot(axes[i], roots));
}

/* a - origin times b - origin. */
static double dot(const int32_t a[3], const int32_t b[3], const int32_t origin[3])
{
    double sum = 0; /* exact: they have 18 bits */
    for (int i = 0; i < 3; i++)
        sum += (double)(a[i] - origin[i]) * (b[i] - origin[i]);
    return sum;
}

bool palette_add(struct palette *palette, const uint8_t color[3])
{
    for (uint32_t i = palette->count; i-- > 0;)
        if (!memcmp(palette->colors[i], color, 3))
            return true;
    if (palette->count == PALETTE_MOST)
        return false;
    memcpy(palette->colors[palette->count], color, 3);
    find_oklab(color, palette->labs[palette->count++]);
    return true;
}

/* -- Files ------------------------------------------------------------------------------------------------- */

/* "255 128 0" and whatever follows; or "ff8000", or "#ff8000", alone. */
static bool parse_color(const char *line, uint8_t color[3])
{
    const char *digits = line + (*line == '#');
    bool is_hex = strspn(digits, "0123456789abcdefABCDEF") == 6 && !digits[6 + strspn(digits + 6, " \t\r")];
    unsigned red, green, blue;
    int count =
        is_hex ? sscanf(digits, "%2x%2x%2x", &red, &green, &blue) : sscanf(line, "%9u%9u%9u", &red, &green, &blue);
    if (count != 3 || (red | green | blue) > 255)
        return false;
    memcpy(color, (const uint8_t[]){(uint8_t)red, (uint8_t)green, (uint8_t)blue}, 3);
    return true;
}

/* 1 where the first words are not those of a palette. */
static int load_text(char *rest, struct palette *out, struct error *err)
{
    bool has_begun = false;
    if (!strncmp(rest, "\xEF\xBB\xBF", 3)) /* the mark that editors of Windows begin a text with */
        rest += 3;
    const bool is_jasc = !strncmp(rest, "JASC-PAL", 8), has_words = is_jasc || !strncmp(rest, "GIMP Palette", 12);
    const char *line;
    for (unsigned number = 1; (line = strsep(&rest, "\n")); number++) {
        /* JASC has a version and a count in lines 2 and 3; GIMP has comments and words on the whole. */
        bool is_other = (is_jasc && number <= 3) || (has_words && (*line == '#' || isalpha((unsigned char)*line)));
        uint8_t color[3];
        if (!line[strspn(line, " \t\r")])
            continue;
        if (parse_color(line, color)) {
            if (!palette_add(out, color))
                return error_set(err, "line %u: a palette has at most %d colours", number, PALETTE_MOST);
        } else if (!is_other && !has_begun) {
            return 1;
        } else if (!is_other) {
            return error_set(err, "line %u: neither three numbers up to 255 nor six hexadecimal digits", number);
        }
        has_begun = true;
    }
    return !has_begun;
}

int palette_load(struct bytes bytes, struct palette *out, struct error *err)
{
    struct palette palette = {0};
    struct image image = {0};
    char *text = must_printf("%.*s", (int)bytes.size, (const char *)bytes.data);
    int result = load_text(text, &palette, err);
    free(text);
    if (result > 0 && (result = image_load(bytes, &image, err)) < 0)
        error_add(err, "neither a palette of GIMP, JASC or hexadecimal digits nor a picture");
    for (size_t i = 0; i < image_pixel_count(&image) && result == 0; i++)
        if (image.pixels[4 * i + 3] >= 128 && !palette_add(&palette, &image.pixels[4 * i]))
            result = error_set(err, "a picture of more than %d colours is no palette", PALETTE_MOST);
    image_release(&image);
    if (result == 0 && palette.count == 0)
        result = error_set(err, "a palette without colours");
    if (result == 0)
        *out = palette;
    return result;
}

/* -- Found for pixels --------------------------------------------------------------------------------------- */

void color_counts_add(struct color_counts *counts, const uint8_t *pixels, size_t pixel_count)
{
    for (const uint8_t *pixel = pixels; pixel < pixels + 4 * pixel_count; pixel += 4) {
        struct color_count *item = &counts->items[pixel[0] >> 3 << 10 | pixel[1] >> 3 << 5 | pixel[2] >> 3];
        if (pixel[3] < 255 || item->count++ > 0)
            continue;
        item->apart = 1e12; /* more than any two are */
        memcpy(item->color, pixel, 3);
        find_oklab(pixel, item->lab);
    }
}

/* A colour is missed by how far away the nearest one is, and by its pixels, of which a thousand times as many count ten
 * times: so a few bright ones get a colour, too. */
void palette_find(struct palette *palette, struct color_counts *counts, uint32_t most)
{
    for (uint32_t first = 0; palette->count < most;) { /* of those that are new */
        const struct color_count *missed = NULL;
        double how_much = 0;
        for (struct color_count *item = counts->items; item < counts->items + COLOR_COUNTS; item++) {
            if (item->count == 0)
                continue;
            for (uint32_t i = first; i < palette->count; i++)
                item->apart = fmin(item->apart, dot(item->lab, item->lab, palette->labs[i]));
            const double missed_by = item->apart * cbrt((double)item->count);
            if (missed_by > how_much) {
                how_much = missed_by;
                missed = item;
            }
        }
        if (!missed)
            return;
        first = palette->count;
        palette_add(palette, missed->color);
    }
}

/* -- Pixels of few colours ---------------------------------------------------------------------------------- */

/* 16 rows of 0 to 255 as hexadecimal digits, by void and cluster (Ulichney 1993): the lowest are spread evenly. */
static const char blue_noise[] =
    "ea32bc133aab792fa303f76816840e41d1087661f0cd17e48a407baa48e06395558be5a54e926f54b0d81ee799c92ab4193ec31d"
    "2bb907f92964bf30570580f3dd9865fd82dc3bc89c0c8870feae456d2ebd0249ac5a8e7450edd23d9321cea0517cd971d00ff11b"
    "a82db214c160e112f2a43c239d35b544df697d53ec83378dc50ae386f65f7ec69400f4a14709b66a285db34bc006da245b39ca22"
    "d79be94afc7896186e3fa677e8b7856731751fa710d433eecf89ff154c970dfabe58cb8766b852a92659bb34cc62ad438104de38"
    "e690017fe20b9a72ef27db1ceb91af4dc425f8466bc742b1118f739f562c6c1a7a5c9ed68c20f55ed54fc236d3bafba2";

/* From 0 to 1, without either. */
static double threshold(enum dither dither, uint32_t x, uint32_t y)
{
    static const uint8_t bayer[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
    const char *noise = &blue_noise[(y % 16 * 16 + x % 16) * 2];
    return dither == DITHER_NONE ? 0.5
           : dither == DITHER_BAYER
               ? (bayer[y % 4][x % 4] + 0.5) / 16
               : ((double)strtoul((const char[]){noise[0], noise[1], 0}, NULL, 16) + 0.5) / 256;
}

/* The nearest colour, of two the first. With a pattern one of it and the other with which it makes the mixture nearest to
 * `lab`; colours far apart make a coarse pattern, which counts as an error. */
static uint32_t choose_color(const struct palette *palette, const int32_t lab[3], enum dither dither, double at)
{
    uint32_t nearest = 0;
    for (uint32_t i = 1; i < palette->count; i++)
        if (dot(lab, lab, palette->labs[i]) < dot(lab, lab, palette->labs[nearest]))
            nearest = i;
    const int32_t *from = palette->labs[nearest];
    const double alone = dot(lab, lab, from);
    uint32_t other = nearest;
    double part = 0, least = alone;
    for (uint32_t i = 0; i < palette->count && dither; i++) {
        double length = dot(palette->labs[i], palette->labs[i], from), along = dot(lab, palette->labs[i], from);
        double apart = alone - along * along / length + length / 8;
        if (along > 0 && apart < least) {
            least = apart;
            other = i;
            part = along / length;
        }
    }
    bool is_lighter = palette->labs[other][0] > from[0]; /* of which the pattern is made */
    return (is_lighter ? part > at : 1 - part <= at) ? other : nearest;
}

void palette_apply(const struct palette *palette, enum dither dither, uint8_t *pixels, size_t stride,
                   uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint8_t *pixel = pixels + y * stride + (size_t)4 * x;
            double at = threshold(dither, x, y);
            int32_t lab[3];
            if (pixel[3] <= 255 * at) {
                memset(pixel, 0, 4);
                continue;
            }
            pixel[3] = 255;
            find_oklab(pixel, lab);
            if (palette->count > 0)
                memcpy(pixel, palette->colors[choose_color(palette, lab, dither, at)], 3);
        }
}
