/* Reads the sheets of an output folder, to compare or show them, from the records beside their pages and the JSON
 * that describes them. It needs no list, no assets and no GL, and writes nothing.
 *
 * The folder may be a stranger's: the readers of records and JSON have limits, and every frame is checked against its
 * picture. A file that cannot be read costs only its own sheet. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "page/set.h"
#include "image/image.h"
#include "page/metadata.h"

enum { MADE_MOST_PASSES = 16 }; /* those of two versions fit in the bits of struct review_change */

/* All pages of a job. */
struct made_sheet {
    struct arena arena;
    const struct page_set *set; /* borrowed */
    const char *name;           /* below the folder, as files start: "orcs/grunt" */
    const char *list, *job;
    struct page *pages; /* by page and part */
    size_t page_count;
    struct atlas_frame *frames; /* clip after clip, each in the order in which it plays */
    size_t frame_count;
    struct atlas_clip *clips; /* sorted by name */
    size_t clip_count;
    const struct atlas_frame **by_name; /* the frames, sorted */
    const char *problem;                /* why it cannot be compared, or NULL. Then it may have no frames */
};

/* Reads the records and JSON of a job. The caller frees it. If anything is wrong, its `problem` says what. */
struct made_sheet *made_sheet_read(const struct page_set *set, const struct page_sheet *files);
void made_sheet_free(struct made_sheet *sheet);

/* The record of its first page; an empty one of no sheet, or one without pages. */
const struct record *made_sheet_record(const struct made_sheet *sheet);

/* Fills in the frames, clips and passes of a sheet from the JSON of each page. Public for tests and fuzzing. */
int made_sheet_describe(struct made_sheet *sheet, const struct bytes *jsons, struct error *err);

/* NULL where there is no such thing. */
struct made_pass *made_page_pass(const struct page *page, const char *name);
const struct atlas_frame *made_sheet_frame(const struct made_sheet *sheet, const char *name);

/* Whether they have the same sockets, boxes and events. */
bool made_frame_is_told_alike(const struct atlas_frame *a, const struct atlas_frame *b);

/* Whether they lie at one place of their pages and of their untrimmed cells. */
bool made_frame_is_same_place(const struct atlas_frame *a, const struct atlas_frame *b);

/* -- Pixels ------------------------------------------------------------------------------------------------- */

/* An untrimmed cell: a part of it is stored, the rest is transparent. */
struct pixel_view {
    const uint8_t *pixels; /* RGBA, straight alpha: the top left of that part */
    size_t stride;         /* bytes from row to row */
    struct rect shown;     /* that part, in the cell */
    uint32_t width, height;
};

enum { MADE_PICTURES = 4 };

/* The latest few pictures that were read of a sheet. A zeroed struct is empty. */
struct made_pictures {
    struct made_picture {
        const struct made_sheet *sheet;
        size_t page;
        const char *pass;
        uint64_t used;
        struct image image;
        char *problem; /* why there is no image, or NULL */
    } items[MADE_PICTURES];
    uint64_t clock;
    uint64_t read_px, distinct_px; /* of all pictures read, and without those that were read again */
};

/* A frame's cell in one pass. *out borrows the picture until another one is read. Fails if the picture is damaged or
 * smaller than the frame needs, or the page has no such pass. */
int made_frame_cell(struct made_pictures *pictures, const struct made_sheet *sheet,
                    const struct atlas_frame *frame, const char *pass, struct pixel_view *out, struct error *err);
void made_pictures_release(struct made_pictures *pictures);
