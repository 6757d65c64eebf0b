/* Rectangles on one page, wherever they fit: stb_rect_pack's skyline packer, with the size of the page chosen.
 *
 * The same boxes give the same places with any C library, whose sort that packer calls. Nothing is rotated. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sheet/layout.h"

struct pack_page {
    uint32_t most_side; /* of the page */
    uint32_t unused;    /* pixels at the right and the bottom that no box may touch */
    bool power_of_two;

    uint32_t width, height; /* out: the smallest page that was found */
};

/* Places the first boxes, as many as one page holds, at least one: their x and y, from their width and height. Returns how
 * many. The rest is for the pages that follow, so that boxes which belong together stay together. Every box must fit a page by
 * itself. */
size_t pack_boxes(struct pack_page *page, struct rect *boxes, size_t count);
