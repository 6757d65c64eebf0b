/* A board: the cells of a job's first sheet as one picture, a column for each camera and a row for each pass, on a grid
 * of known units. All cameras are orthographic and of one scale.
 *
 * Where a camera looks along an axis, the grid stands behind the model and goes through the origin; else it lies on the
 * ground under the model. Its lines through the origin are red (x), green (y) and blue (z); a corner of each cell shows
 * how the axes lie. A line below says how much a square is, and how large the model is. */
#pragma once

#include "bake/pages.h"

/* A PNG for each size of a cell. One that is not the job's own is made of the finished picture. `order` names the
 * passes after the colours, with commas between them; NULL: nothing but the cells. After a failure, too, the files are the caller's. */
int board_draw(const struct pages *pages, const char *order, const uint32_t *sizes_px, size_t count,
               struct blob *files, struct error *err);
