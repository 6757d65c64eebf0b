/* The pixels of one page, kept as the scanlines of the PNG they will become.
 *
 * Rows from the top, each with one byte in front, for PNG's filter, so that a page of 64 MiB is filtered and
 * compressed without a second copy of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sheet/layout.h"

enum sheet_kind {
    SHEET_COLOR,   /* RGBA, 8 bits, straight alpha, sRGB */
    SHEET_DATA,    /* the same without the mark for sRGB: normals, masks, coordinates */
    SHEET_GREY16,  /* 16 bits in the byte order of this machine until the page is saved */
    SHEET_INDEXED, /* 8 bits: only within sheet_save_png */
};

/* Levels of libdeflate. To render the 859 sheets of jobs/ufoai.yaml takes 0.88 of the time with 1 and with 2, and 6 times
 * as long with 12; they have 5.1 and 3.5 % more bytes, and 7 % fewer. Level 0 does not compress at all: 7 times the bytes. */
enum { PNG_FASTEST = 1, PNG_LEVEL = 4, PNG_SMALLEST = 12 };

/* Whether rows of cells are compressed together, or each by itself, so that a change in one leaves the bytes of the
 * others as they are. */
enum png_rows { PNG_JOINED, PNG_FLUSH };

struct png_settings {
    uint32_t level;
    bool indexed; /* a palette in place of RGBA, where the picture has no more than 256 colours */
    enum png_rows rows;
};

struct sheet {
    enum sheet_kind kind;
    uint32_t width, height;
    struct png_settings png; /* PNG_LEVEL, unless the caller sets another */
    uint32_t row_px;         /* of PNG_FLUSH: what a row of cells takes; 0: there are none */
    bool has_place;          /* it is a frame, cut from its cell: */
    int32_t place_px[2];     /* its top left in the cell, */
    int32_t origin_px[2];    /* and the world's origin from there */
    uint8_t *scanlines;      /* height rows of 1 + width * pixel size bytes */
};

size_t sheet_pixel_size(enum sheet_kind kind); /* bytes */

int sheet_init(struct sheet *sheet, enum sheet_kind kind, uint32_t width, uint32_t height,
               struct error *err); /* transparent, or 0 */
void sheet_release(struct sheet *sheet);

size_t sheet_row_size(const struct sheet *sheet); /* bytes, without the filter */

/* The pixel bytes of a row, after its filter byte. */
uint8_t *sheet_row(const struct sheet *sheet, uint32_t y);

/* Copies pixels of the sheet's kind, `stride` bytes a row, to `rect`. For what is not drawn in place: the rows of
 * a sheet are not aligned for 16 bits. */
void sheet_place(struct sheet *sheet, const struct rect *rect, const void *pixels, size_t stride);

/* Repeats the edge of the cell at `rect`, which is drawn in place, `extrude` pixels outwards, corners included.
 * The border must fit the page. */
void sheet_extrude(struct sheet *sheet, const struct rect *rect, uint32_t extrude);

/* The visible pixels of the cell at `rect` bleed `settings->bleed` pixels far: inside the cell, under its extruded
 * border, and into the cell's share of the padding (half of it; left and above rounded up, right and below down).
 * After sheet_extrude. Pixels of any alpha but 0 stay as they are. Not for SHEET_GREY16, which has no alpha. */
int bleed_cell(struct sheet *sheet, const struct rect *rect, const struct sheet_settings *settings,
               struct error *err);
