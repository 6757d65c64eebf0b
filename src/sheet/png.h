/* A page as a PNG file. */
#pragma once

#include <stdint.h>

#include "base/buffer.h"
#include "base/bytes.h"
#include "base/error.h"
#include "sheet/sheet.h"

/* The page as a PNG file (sRGB chunk only for SHEET_COLOR, no time), as its `png` says. Filters in place: the sheet's pixels are used
 * up. *out is the caller's. The same pixels give the same bytes. */
int sheet_save_png(struct sheet *sheet, struct blob *out, struct error *err);

/* The bytes of that file's IDAT, of a sheet of 8 bits: the rows, filtered and compressed. */
int sheet_deflate(struct sheet *sheet, struct blob *out, struct error *err);

/* The bytes of an array, for a chunk. */
#define CHUNK(array) ((struct bytes){(const uint8_t *)(array), sizeof(array)})

/* Begins a PNG of that size, with the mark for sRGB where the kind has it; a palette is to follow. Adds a chunk, in which `front` and `data` follow
 * each other. */
void png_begin(struct buffer *png, enum sheet_kind kind, bool is_indexed, uint32_t width, uint32_t height);
void png_add_chunk(struct buffer *png, const char type[4], struct bytes front, struct bytes data);
