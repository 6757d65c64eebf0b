/* The cells of a sheet that a reviewer looks at, as pictures for the page: one for each side and pass.
 *
 * A clip without any difference is left out. Of the others all frames are there, so that they play: of the side after,
 * and of the side before those that look otherwise. A cell that several frames share is there once. */
#pragma once

#include "base/bytes.h"
#include "review/review.h"

enum { FILM_BEFORE, FILM_AFTER, FILM_SIDES };

#define FILM_NO_CELL UINT32_MAX

struct film_strip {
    struct blob png;     /* without data: `columns` is 0 */
    uint32_t columns;    /* cells in a row */
    uint32_t cell_px[2]; /* of each cell; a frame lies at its top left */
    bool is_absent;      /* no page of that side has the pass */
};

struct film {
    uint32_t *cells[FILM_SIDES]; /* of each frame, clip after clip: its number in the strips, or FILM_NO_CELL */
    uint32_t cell_count[FILM_SIDES];       /* in a strip */
    struct film_strip *passes[FILM_SIDES]; /* in the order of the sheet's passes */
    size_t pass_count;
};

/* Fails where pixels cannot be read or a strip would be too large. The caller releases *out. */
int film_make(const struct review_sheet *sheet, struct film *out, struct error *err);
void film_release(struct film *film);
