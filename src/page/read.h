/* One output folder, read to be compared with another: its sheets, from the records beside their pages and the JSON
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
#include "base/strings.h"
#include "page/record.h"
#include "image/image.h"
#include "sheet/layout.h"

enum { SIDE_MOST_PASSES = 16 }; /* those of both sides fit in the bits of struct review_change */

struct side_pass {
    const char *name;    /* "color", "normal" */
    const char *picture; /* file name beside the record */
    const char *hash;    /* of its bytes as recorded; "" where the record does not have it */
    bool was_read;
};

struct side_page {
    const char *stem; /* below the folder, without suffix: "orcs/grunt@walk@1" */
    struct record record;
    struct side_pass *passes; /* "color" first */
    size_t pass_count;
};

struct side_socket {
    const char *name;
    double px[2]; /* in the untrimmed cell, from its top left; may lie outside */
};

struct side_frame {
    const char *name;      /* "grunt/walk/east/0003" */
    uint32_t clip;         /* in the sheet's clips */
    uint32_t page;         /* in the sheet's pages */
    struct rect rect;      /* in the page */
    struct rect source;    /* where rect lay in the untrimmed cell; as large as rect */
    uint32_t source_px[2]; /* the untrimmed cell */
    double pivot[2];       /* the world origin in 0..1 of source_px, y down; may lie outside */
    double duration_ms;
    double time_ms; /* when it is shown, from the start of its clip */
    const struct side_socket *sockets;
    size_t socket_count;
};

struct side_clip {
    const char *name; /* "walk/east" */
    bool loop;
    size_t first_frame, frame_count; /* in the sheet's frames */
};

/* All pages of a job. */
struct side_sheet {
    struct arena arena;
    const struct side *side; /* borrowed */
    const char *name;        /* below the folder, as files start: "orcs/grunt" */
    const char *list, *job;
    struct side_page *pages; /* sorted by page and part */
    size_t page_count;
    struct side_frame *frames; /* clip after clip, each in the order in which it plays */
    size_t frame_count;
    struct side_clip *clips; /* sorted by name */
    size_t clip_count;
    const struct side_frame **by_name; /* the frames, sorted */
    const char *problem;               /* why it cannot be compared, or NULL. Then it may have no frames */
};

/* The records of a job: nothing is parsed yet. */
struct side_files {
    char *name; /* below the folder: "orcs/grunt" */
    size_t first_record, record_count;
};

struct side {
    const char *folder;      /* borrowed */
    int fd;                  /* the folder */
    struct strings records;  /* paths below the folder, those of a job together */
    struct side_files *jobs; /* sorted by name */
    size_t job_count;
};

/* Finds the records in a folder and all folders below. Fails if one of them cannot be read, or there is no record, unless it
 * `may_be_empty`. */
int side_open(const char *folder, bool may_be_empty, struct side *out, struct error *err);
void side_release(struct side *side);

/* Whether both sides have the same records of a job, byte for byte. */
bool side_files_are_same(const struct side *a, const struct side_files *a_files, const struct side *b,
                         const struct side_files *b_files);

/* Of the records of a job, and of the size and time of each JSON beside them: "" where one is missing. The same hash: the
 * same sheet. */
void side_files_hash(const struct side *side, const struct side_files *files, char hash[HASH_SIZE]);

/* Reads the records and JSON of a job. The caller frees it. If anything is wrong, its `problem` says what. */
struct side_sheet *side_read(const struct side *side, const struct side_files *files);
void side_sheet_free(struct side_sheet *sheet);

/* Fills in the frames, clips and passes of a sheet from the JSON of each page. Public for tests and fuzzing. */
int side_describe(struct side_sheet *sheet, const struct bytes *jsons, struct error *err);

/* NULL where there is no such thing. */
struct side_pass *side_find_pass(const struct side_page *page, const char *name);
const struct side_frame *side_find_frame(const struct side_sheet *sheet, const char *name);

/* Whether they lie at one place of their pages and of their untrimmed cells. */
bool side_is_same_place(const struct side_frame *a, const struct side_frame *b);

/* -- Pixels ------------------------------------------------------------------------------------------------- */

/* An untrimmed cell: a part of it is stored, the rest is transparent. */
struct pixel_view {
    const uint8_t *pixels; /* RGBA, straight alpha: the top left of that part */
    size_t stride;         /* bytes from row to row */
    struct rect shown;     /* that part, in the cell */
    uint32_t width, height;
};

enum { SIDE_PICTURES = 4 };

/* The latest few pictures that were read of a sheet. A zeroed struct is empty. */
struct side_pictures {
    struct {
        const struct side_sheet *sheet;
        size_t page;
        const char *pass;
        uint64_t used;
        struct image image;
        char *problem; /* why there is no image, or NULL */
    } items[SIDE_PICTURES];
    uint64_t clock;
    uint64_t read_px, distinct_px; /* of all pictures read, and without those that were read again */
};

/* A frame's cell in one pass. *out borrows the picture until another one is read. Fails if the picture is damaged or
 * smaller than the frame needs, or the page has no such pass. */
int side_cell(struct side_pictures *pictures, const struct side_sheet *sheet, const struct side_frame *frame,
              const char *pass, struct pixel_view *out, struct error *err);
void side_pictures_release(struct side_pictures *pictures);
