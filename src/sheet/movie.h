/* Moving pictures: APNG and animated WebP.
 *
 *     movie_new(&settings, &movie, err);
 *     movie_add(movie, pixels, duration_ms, err);      for each frame, in their order
 *     movie_save(movie, &file, err);
 *     movie_free(movie);
 *
 * Frames are RGBA, 8 bits, straight alpha, sRGB, without gaps between rows. Only the latest is kept; of each, the file
 * has the rectangle that differs from the one before. The same frames give the same bytes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "sheet/sheet.h"

enum movie_format {
    MOVIE_APNG, /* a PNG to programs that do not know it: its first frame */
    MOVIE_WEBP, /* frames that are the same become one */
    MOVIE_FORMAT_COUNT,
};

extern const char *const movie_suffixes[MOVIE_FORMAT_COUNT];

struct movie_settings {
    enum movie_format format;
    uint32_t width, height;
    uint32_t frame_count; /* how many frames are added: APNG says so in front */
    bool loop;            /* for ever; else it plays once */
    uint32_t quality;     /* of WebP: 1 to 100; 0: lossless. An APNG is always lossless */
    uint32_t png_level;   /* of APNG (sheet/sheet.h) */
};

struct movie;

int movie_new(const struct movie_settings *settings, struct movie **out, struct error *err);
void movie_free(struct movie *movie);

/* Durations are from 1 to 65,535 ms; those outside are taken as the nearest. */
int movie_add(struct movie *movie, const uint8_t *pixels, uint32_t duration_ms, struct error *err);

int movie_save(struct movie *movie, struct blob *out, struct error *err);

/* A sheet of RGBA as a WebP that does not move: of a quality from 1 to 100, or 0 without loss, in little time. */
int sheet_save_webp(const struct sheet *sheet, uint32_t quality, struct blob *out, struct error *err);
