/* A board: the cells of a job side by side as one picture, a column for each camera and a row for each pass, on a grid of
 * known units. All cameras are orthographic and of one scale.
 *
 * Where a camera looks along an axis, the grid stands behind the model and goes through the origin; else it lies on the
 * ground under the model. In it the axes are x red, y green and z blue, and a corner of each cell shows how they lie. A line
 * below says how much a square is, and how large the model is. */
#pragma once

#include "bake/pages.h"

struct board {
    const enum pass *passes; /* of pixels of four bytes */
    size_t pass_count;
    bool is_plain; /* nothing but the cells */
    const uint32_t *sizes_px; /* of a cell, a picture for each. Those that are not the job's are made of its cells */
    size_t size_count;
};

/* A PNG for each size. On failure none is left. */
int board_draw(const struct pages *pages, const struct board *board, struct blob *files, struct error *err);
