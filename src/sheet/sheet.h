/* The pixels of one page, kept as the scanlines of the PNG they will become.
 *
 * RGBA, 8 bits, straight alpha, sRGB, from the top. Each row has one byte in front, for PNG's filter, so that
 * a page of 64 MiB is filtered and compressed without a second copy of it. */
#ifndef SHEET_SHEET_H
#define SHEET_SHEET_H

#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "sheet/layout.h"

struct sheet {
    uint32_t width, height;
    uint8_t *scanlines; /* height rows of 1 + width * 4 bytes */
};

int sheet_init(struct sheet *sheet, uint32_t width, uint32_t height, struct error *err); /* transparent */
void sheet_release(struct sheet *sheet);

/* The pixel bytes of a row, after its filter byte. */
uint8_t *sheet_row(const struct sheet *sheet, uint32_t y);

/* Repeats the edge of the cell at `rect`, which is drawn in place, `extrude` pixels outwards, corners included. The
 * border must fit the page. */
void sheet_extrude(struct sheet *sheet, const struct rect *rect, uint32_t extrude);

/* The page as a PNG file (RGBA 8, sRGB chunk, no time). Filters in place: the sheet's pixels are used up.
 * *out is the caller's. The same pixels give the same bytes. */
int sheet_save_png(struct sheet *sheet, struct blob *out, struct error *err);

#endif
