/* Strips: small moving pictures for a comment. Each shows of a sheet the clip that differs most, as one camera sees it:
 * before, after and the difference side by side, in step, with these words above them in the picture's own pixels. */
#pragma once

#include "review/review.h"
#include "sheet/movie.h"

struct strips_settings {
    const char *folder; /* it exists; files of other names stay there */
    enum movie_format format;
    unsigned most;
    float tolerance; /* pixels that differ by no more are not marked (review/pixels.h) */
};

/* Writes strips of sheets in which a frame looks otherwise, and sets their `strip`: of each cause the sheet that shows it
 * best, then of each cause the next one. A sheet whose pixels cannot be read is one of the review's problems. Fails where a
 * file cannot be written. */
int strips_write(struct review *review, const struct strips_settings *settings, struct error *err);
