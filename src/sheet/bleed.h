/* Colour under full transparency.
 *
 * Bilinear filtering mixes the pixels at an edge with their transparent neighbours. Engines that do not
 * premultiply alpha mix in the neighbours' colour too, and black shows as a dark fringe. So the colours at the
 * edges run on, outwards, under an alpha that stays 0. */
#ifndef SHEET_BLEED_H
#define SHEET_BLEED_H

#include "base/error.h"
#include "sheet/layout.h"
#include "sheet/sheet.h"

/* The visible pixels of the cell at `rect` bleed `settings->bleed` pixels far: inside the cell, under its extruded
 * border, and into the cell's share of the padding (half of it; left and above rounded up, right and below down).
 * After sheet_extrude. Pixels of any alpha but 0 stay as they are. Not for SHEET_GREY16, which has no alpha. */
int bleed_cell(struct sheet *sheet, const struct rect *rect, const struct sheet_settings *settings,
               struct error *err);

#endif
