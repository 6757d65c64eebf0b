/* The page of `sheetbake diff --html`: one file that shows what a review found, moving, and needs nothing else.
 *
 * review/page/diff.html is its frame, in which @@NAME@@ stands for what is put in. The data are those of
 * review_json, and for each sheet "strips", pictures of the cells of clip after clip, and for each version of a frame the
 * number of its "cell". A clip has "still", the number of a frame, if only that one has pictures, and is "lossy" if they are
 * not exact. */
#pragma once

#include "review/review.h"

struct diff_page_settings {
    /* A file; one that ends in '/' is a folder, with index.html and its pictures in index@files, which is removed first. */
    const char *path;
    /* Bytes of a file; a folder has no limit. Of each sheet there are the pictures of the clips that differ most, as far as
     * they fit, or of one frame; what does not fit is listed without. */
    uint64_t max_size;
};

struct diff_page_totals {
    size_t left_out;         /* sheets whose pictures were too much */
    size_t in_part;          /* sheets of which not all clips that differ have pictures, or only one frame */
    struct strings problems; /* of sheets whose pictures cannot be shown; the caller's to release */
};

/* The file of a page at `path`: index.html in a folder. The caller's to free. */
char *diff_page_file(const char *path);

/* Fails where the folder at `path` has an index.html that `diff` did not write. A file is the user's to choose. */
int diff_page_check(const char *path, struct error *err);

/* The page is written last, whole or not at all. */
int diff_page_write(const struct review *review, const struct diff_page_settings *settings,
                    struct diff_page_totals *totals, struct error *err);
