#include "review/film.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "sheet/sheet.h"

/* The frames of one side that have a cell of their own, by the cell's number. */
struct side_cells {
    const struct made_sheet *sheet;
    const struct made_frame **frames;
    uint32_t count;
    uint32_t cell_px[2]; /* the largest */
};

static bool clip_differs(const struct review_clip *clip)
{
    for (size_t i = 0; i < clip->frame_count; i++)
        if (clip->frames[i].state != REVIEW_SAME)
            return true;
    return false;
}

/* Whether the page needs the cell of `before`: else it shows that of `after` for both sides. */
static bool looks_otherwise(const struct review_frame *frame)
{
    return !frame->after || frame->state == REVIEW_CHANGED ||
           memcmp(frame->before->source_px, frame->after->source_px, sizeof frame->before->source_px) != 0;
}

/* Packed sheets store equal cells once: frames that share a place share a cell. Frames of one place are mostly
 * neighbours. */
static uint32_t add_cell(struct side_cells *cells, const struct made_frame *frame)
{
    enum { LOOK_BACK = 64 };
    for (uint32_t i = cells->count; i > 0 && cells->count - i < LOOK_BACK; i--)
        if (cells->frames[i - 1]->page == frame->page && made_frame_is_same_place(cells->frames[i - 1], frame))
            return i - 1;
    for (int axis = 0; axis < 2; axis++)
        if (frame->source_px[axis] > cells->cell_px[axis])
            cells->cell_px[axis] = frame->source_px[axis];
    cells->frames[cells->count] = frame;
    return cells->count++;
}

static void number_cells(const struct review_sheet *sheet, struct side_cells cells[FILM_SIDES], struct film *out)
{
    size_t at = 0;
    for (size_t c = 0; c < sheet->clip_count; c++) {
        const struct review_clip *clip = &sheet->clips[c];
        bool is_shown = clip_differs(clip);
        for (size_t i = 0; i < clip->frame_count; i++, at++) {
            const struct review_frame *frame = &clip->frames[i];
            out->cells[FILM_BEFORE][at] = out->cells[FILM_AFTER][at] = FILM_NO_CELL;
            if (is_shown && frame->before && looks_otherwise(frame))
                out->cells[FILM_BEFORE][at] = add_cell(&cells[FILM_BEFORE], frame->before);
            if (is_shown && frame->after)
                out->cells[FILM_AFTER][at] = add_cell(&cells[FILM_AFTER], frame->after);
        }
    }
    for (int side = 0; side < FILM_SIDES; side++)
        out->cell_count[side] = cells[side].count;
}

/* Whether the side before looks like the one after in this pass, though not in all: then it needs no strip. */
static bool is_unchanged(const struct review_sheet *sheet, size_t pass)
{
    for (size_t c = 0; c < sheet->clip_count; c++)
        for (size_t i = 0; i < sheet->clips[c].frame_count; i++) {
            const struct review_frame *frame = &sheet->clips[c].frames[i];
            if (frame->before && looks_otherwise(frame) &&
                (frame->state != REVIEW_CHANGED || !frame->after || frame->change.passes & 1u << pass))
                return false;
        }
    return true;
}

/* -- One strip ----------------------------------------------------------------------------------------------- */

/* As square as may be: browsers have limits on both sides. */
static int start_strip(const struct side_cells *cells, enum sheet_kind kind, struct film_strip *strip,
                       struct sheet *sheet, struct error *err)
{
    const uint32_t *px = cells->cell_px;
    double across = ceil(sqrt((double)cells->count * px[1] / px[0]));
    strip->columns = across < 1 ? 1 : across > cells->count ? cells->count : (uint32_t)across;
    memcpy(strip->cell_px, px, sizeof strip->cell_px);
    uint64_t width = (uint64_t)strip->columns * px[0];
    uint64_t height = (uint64_t)((cells->count + strip->columns - 1) / strip->columns) * px[1];
    if (width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE || width * height > IMAGE_MAX_PIXELS)
        return error_set(err, "%u cells of %ux%u make a picture of %llux%llu pixels, more than browsers show",
                         cells->count, px[0], px[1], (unsigned long long)width, (unsigned long long)height);
    return sheet_init(sheet, kind, (uint32_t)width, (uint32_t)height, err);
}

static void place_cell(const struct film_strip *strip, uint32_t number, const struct pixel_view *view,
                       struct sheet *sheet)
{
    struct rect rect = {
        .x = number % strip->columns * strip->cell_px[0] + view->shown.x,
        .y = number / strip->columns * strip->cell_px[1] + view->shown.y,
        .width = view->shown.width,
        .height = view->shown.height,
    };
    sheet_place(sheet, &rect, view->pixels, view->stride);
}

static int make_strip(const struct side_cells *cells, const char *pass, struct made_pictures *pictures,
                      struct film_strip *out, struct error *err)
{
    struct sheet sheet = {0};
    out->is_absent = true;
    if (start_strip(cells, strcmp(pass, "color") == 0 ? SHEET_COLOR : SHEET_DATA, out, &sheet, err) < 0)
        return -1;
    int result = 0;
    for (uint32_t i = 0; i < cells->count && result == 0; i++) {
        const struct made_frame *frame = cells->frames[i];
        struct pixel_view view;
        if (!made_page_pass(&cells->sheet->pages[frame->page], pass))
            continue;
        out->is_absent = false;
        result = made_frame_cell(pictures, cells->sheet, frame, pass, &view, err);
        if (result == 0)
            place_cell(out, i, &view, &sheet);
    }
    if (result == 0 && !out->is_absent)
        result = sheet_save_png(&sheet, &out->png, err);
    sheet_release(&sheet);
    return result;
}

int film_make(const struct review_sheet *sheet, struct film *out, struct error *err)
{
    size_t frame_count = 0;
    for (size_t c = 0; c < sheet->clip_count; c++)
        frame_count += sheet->clips[c].frame_count;
    struct side_cells cells[FILM_SIDES] = {{.sheet = sheet->before}, {.sheet = sheet->after}};
    *out = (struct film){.pass_count = sheet->pass_count};
    for (int side = 0; side < FILM_SIDES; side++) {
        cells[side].frames = must_alloc(frame_count, sizeof(*cells[side].frames));
        out->cells[side] = must_alloc(frame_count, sizeof(*out->cells[side]));
        out->passes[side] = must_alloc(sheet->pass_count, sizeof(*out->passes[side]));
    }
    number_cells(sheet, cells, out);

    struct made_pictures pictures = {0};
    int result = 0;
    for (int side = 0; side < FILM_SIDES; side++)
        for (size_t pass = 0; pass < sheet->pass_count && result == 0; pass++)
            if (cells[side].count && !(side == FILM_BEFORE && is_unchanged(sheet, pass)))
                result = make_strip(&cells[side], sheet->passes[pass], &pictures, &out->passes[side][pass], err);
    made_pictures_release(&pictures);
    for (int side = 0; side < FILM_SIDES; side++)
        free(cells[side].frames);
    if (result < 0)
        film_release(out);
    return result;
}

void film_release(struct film *film)
{
    for (int side = 0; side < FILM_SIDES; side++) {
        for (size_t pass = 0; film->passes[side] && pass < film->pass_count; pass++)
            blob_release(&film->passes[side][pass].png);
        free(film->passes[side]);
        free(film->cells[side]);
    }
    *film = (struct film){0};
}
