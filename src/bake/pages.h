/* Draws the cells of a sheet onto its pages, and makes the files of a page: a picture for each pass, metadata,
 * and the record.
 *
 * Where the plan has the layout, each page is drawn by itself. A packed or trimmed sheet is drawn as a whole
 * first, by pages_draw_sheet; then its pages are made one after another. */
#pragma once

#include "base/bytes.h"
#include "page/record.h"
#include "bake/studio.h"
#include "sheet/cell_store.h"
#include "page/metadata.h"
#include "page/write.h"
#include "plan/stopwatch.h"

/* What is known of a cell once it is drawn. */
struct cell_facts {
    bool are_known;
    float lightness; /* of PASS_MAIN (render/renderer.h) */
    float
        overhang; /* how far, in parts of the cell's half, what is seen of the model leaves the cell; 0: it does not */
    const struct atlas_socket *sockets;
    size_t socket_count;
    const struct atlas_box *boxes;
    size_t box_count;
};

/* Gets `size` bytes, zeroed, that processes which can help draw a page see, too, and `part`; NULL where there are none. They
 * are good until it is called again. The function may be NULL. */
struct sharer {
    void *(*share)(void *context, uint64_t size, uint64_t part);
    void *context;
};

/* The open job. */
struct pages {
    struct studio *studio;
    struct stopwatch *stopwatch; /* may be NULL */
    struct plan *plan;           /* what drawing shows is added to its warnings */
    const struct views *views;
    struct arena *arena;      /* of the sheet that is drawn */
    struct cell_facts *facts; /* by its cells */
    struct assets *assets;
    struct strings *findings;  /* gets those of the rules about pages that are made; NULL: these are not judged */
    struct png_settings png;   /* of its pictures */
    struct sharer sharer;      /* asks others to help with its cells; then there is a stopwatch */
    const struct trace *trace; /* what the job has asked of its assets */
    struct record record;      /* what all pages of the job have in common (plan/expected.h), once one is made */
};

/* Draws all cells of `sheet` in all passes and gives it a layout, which the caller releases. */
int pages_draw_sheet(const struct pages *pages, struct sheet_plan *sheet, struct cell_store *store,
                     struct error *err);

/* `store` is NULL where the plan has the layout. `files` may be released after a failure, too. */
int pages_make(const struct pages *pages, const struct sheet_plan *sheet, const struct cell_store *store,
               uint32_t page_of_sheet, struct page_files *files, struct error *err);

/* Draws cells of a page that another process makes, into the memory that it shares. */
void pages_help(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet, void *memory,
                uint64_t size, uint64_t part);

/* Adds a warning where these are all pixels of the sheet, and nothing of it is visible. */
void pages_warn_invisible(const struct pages *pages, const struct sheet_plan *sheet, enum pass pass,
                          const struct sheet *pixels);

int pages_draw_preview(const struct pages *pages, const struct preview_plan *preview, struct blob *file,
                       struct error *err);

/* -- Boards (board.c): cells side by side ------------------------------------------------------------------- */

/* A PNG for each size of a cell. One that is not the job's own is made of the finished picture. `order` names the
 * passes after the colours, with commas between them; NULL: nothing but the cells. After a failure, too, the files are the caller's. */
int board_draw(const struct pages *pages, const char *order, const uint32_t *sizes_px, size_t count,
               struct blob *files, struct error *err);

/* -- What the files beside a page say (describe.c) --
 *
 * In metadata: frames, animations and cameras of its sheet, the files of its passes, the colours of its mask, and where
 * sockets are. */

/* Finds what the pose of a cell tells, which the studio has unless nothing is asked of it. */
bool describe_needs_pose(const struct pages *pages, const struct cell *cell);
void describe_cell(const struct pages *pages, const struct cell *cell, struct cell_facts *out);

/* Whether a template of the job tells sockets and boxes of a whole sheet. */
bool describe_all_cells(const struct plan *plan);

/* Makes the files that the job asks for, by enum metadata and then by its own templates, and leaves the others as they
 * are: what is not asked for, and on later pages what goes with the first alone. */
int describe_page(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                  struct blob files[METADATA_MOST_FILES], struct error *err);

/* What rules want to know of the picture of a page. */
void describe_picture(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                      struct record *out);
