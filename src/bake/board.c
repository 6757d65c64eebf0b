#include "bake/board.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"
#include "image/letters.h"
#include "render/ground.h"

static const uint8_t panel[4] = {58, 63, 71, 255}, gap[4] = {36, 39, 45, 255}, line_color[4] = {88, 95, 106, 255},
                     ink[4] = {222, 226, 232, 255},
                     axis_colors[3][4] = {{226, 76, 76, 255}, {104, 196, 72, 255}, {84, 140, 255, 255}};
static const char *const axis_names[3] = {"x", "y", "z"};

/* -- Paint ------------------------------------------------------------------------------------------------- */

static void fill(const struct image *image, const uint8_t color[4])
{
    for (size_t i = 0; i < image_pixel_count(image); i++)
        memcpy(image->pixels + 4 * i, color, 4);
}

static void paint(const struct image *image, uint32_t x, uint32_t y, const uint8_t color[4], float cover)
{
    uint8_t over[4] = {color[0], color[1], color[2], (uint8_t)(cover * 255 + 0.5f)};
    uint8_t *pixel = image->pixels + 4 * ((size_t)y * image->width + x);
    pixel_over(over, pixel);
    memcpy(pixel, over, 4);
}

/* The pixels from `low` to `high` that a side has. */
static void clip(float low, float high, uint32_t side, uint32_t range[2])
{
    range[0] = (uint32_t)fminf(fmaxf(floorf(low), 0), (float)side);
    range[1] = (uint32_t)fminf(fmaxf(ceilf(high), 0), (float)side);
}

/* From a to b, `width` pixels wide, with round ends and soft edges. */
static void paint_line(const struct image *image, const vec2 a, const vec2 b, float width, const uint8_t color[4])
{
    float reach = width / 2 + 1, along[2] = {b[0] - a[0], b[1] - a[1]};
    float length2 = along[0] * along[0] + along[1] * along[1];
    uint32_t columns[2], rows[2];
    clip(fminf(a[0], b[0]) - reach, fmaxf(a[0], b[0]) + reach, image->width, columns);
    clip(fminf(a[1], b[1]) - reach, fmaxf(a[1], b[1]) + reach, image->height, rows);
    for (uint32_t y = rows[0]; y < rows[1]; y++)
        for (uint32_t x = columns[0]; x < columns[1]; x++) {
            float from[2] = {(float)x + 0.5f - a[0], (float)y + 0.5f - a[1]};
            float part = length2 > 0 ? (from[0] * along[0] + from[1] * along[1]) / length2 : 0;
            part = glm_clamp(part, 0, 1);
            float distance = hypotf(from[0] - part * along[0], from[1] - part * along[1]);
            float cover = glm_clamp(width / 2 + 0.5f - distance, 0, 1);
            if (cover > 0)
                paint(image, x, y, color, cover);
        }
}

/* Letters that do not fit are left out. */
static void paint_text(const struct image *image, uint32_t left, uint32_t top, uint32_t zoom, const char *text,
                       const uint8_t color[4])
{
    for (; *text; text++, left += LETTER_STEP * zoom)
        for (uint32_t y = 0; y < LETTER_HEIGHT * zoom && left + LETTER_WIDTH * zoom <= image->width; y++)
            for (uint32_t x = 0; x < LETTER_WIDTH * zoom && top + y < image->height; x++)
                if (letter_has(*text, x / zoom, y / zoom))
                    paint(image, left + x, top + y, color, 1);
}

/* -- A cell ------------------------------------------------------------------------------------------------ */

/* A place of the world in a cell of `side` pixels. The camera is orthographic. */
static void project(const struct view *view, const vec3 point, uint32_t side, vec2 out)
{
    vec4 seen, at = {point[0], point[1], point[2], 1};
    glm_mat4_mulv((vec4 *)view->world_to_view, at, seen);
    glm_mat4_mulv((vec4 *)view->view_to_clip, seen, seen);
    out[0] = (seen[0] + 1) / 2 * (float)side;
    out[1] = (1 - seen[1]) / 2 * (float)side;
}

/* One along an edge of a pixel would be two pixels wide: it is moved to the pixel's middle. */
static void paint_grid_line(const struct image *cell, const struct view *view, const vec3 from, const vec3 to,
                            const uint8_t color[4])
{
    vec2 ends[2];
    project(view, from, cell->width, ends[0]);
    project(view, to, cell->width, ends[1]);
    for (int i = 0; i < 2; i++)
        if (fabsf(ends[0][i] - ends[1][i]) < 0.01f)
            ends[0][i] = ends[1][i] = floorf(ends[0][i]) + 0.5f;
    paint_line(cell, ends[0], ends[1], 1, color);
}

/* The axis along which the camera looks, or -1. */
static int axis_of_sight(const struct view *view)
{
    for (int axis = 0; axis < 3; axis++)
        if (fabsf(view->world_to_view[axis][2]) > 0.999f)
            return axis;
    return -1;
}

/* Behind the model as far as the cell goes, or else on the ground, from a square before the model to one after it. */
static void paint_grid(const struct image *cell, const struct view *view, vec3 box[2], float spacing)
{
    int sight = axis_of_sight(view), flat = sight < 0 ? 2 : sight;
    vec3 low, high;
    for (int axis = 0; axis < 3; axis++) {
        float more = sight < 0 ? spacing : (float)cell->width / view->pixels_per_unit;
        low[axis] = axis == flat ? box[0][2] : floorf((box[0][axis] - more) / spacing) * spacing;
        high[axis] = axis == flat ? box[0][2] : ceilf((box[1][axis] + more) / spacing) * spacing;
    }
    for (int is_axis = 0; is_axis < 2; is_axis++) /* the axes over all other lines */
        for (int along = 0; along < 3; along++) {
            int across = 3 - flat - along;
            int count = along == flat ? -1 : (int)roundf((high[across] - low[across]) / spacing);
            for (int i = 0; i <= count; i++) {
                vec3 from, to;
                glm_vec3_copy(low, from);
                glm_vec3_copy(high, to);
                from[across] = to[across] = low[across] + (float)i * spacing;
                if ((fabsf(from[across]) < spacing / 2) == is_axis)
                    paint_grid_line(cell, view, from, to, is_axis ? axis_colors[along] : line_color);
            }
        }
}

/* How the axes lie, as far in the lower right corner as they go. One that points at the viewer is not shown. */
static void paint_axes(const struct image *cell, const struct view *view, uint32_t zoom)
{
    const float arm = 9 * (float)zoom, letter = 5 * (float)zoom, space = 6 * (float)zoom;
    vec2 tips[3], center = {(float)cell->width - space, (float)cell->height - space};
    for (int axis = 0; axis < 3; axis++) {
        const float *shown = view->world_to_view[axis];
        glm_vec2_copy((vec2){(arm + letter) * shown[0], -(arm + letter) * shown[1]}, tips[axis]);
        for (int i = 0; i < 2; i++)
            center[i] = fminf(center[i], (float)(i ? cell->height : cell->width) - space - tips[axis][i]);
    }
    for (int axis = 0; axis < 3; axis++) {
        const float *shown = view->world_to_view[axis];
        const vec2 end = {center[0] + arm * shown[0], center[1] - arm * shown[1]};
        if (hypotf(shown[0], shown[1]) < 0.1f)
            continue;
        paint_line(cell, center, end, 1.3f * (float)zoom, axis_colors[axis]);
        paint_text(cell, (uint32_t)(center[0] + tips[axis][0] - (float)(LETTER_WIDTH * zoom) / 2),
                   (uint32_t)(center[1] + tips[axis][1] - (float)(LETTER_HEIGHT * zoom) / 2), zoom,
                   axis_names[axis], axis_colors[axis]);
    }
}

/* -- The board --------------------------------------------------------------------------------------------- */

/* What is the same for all its sizes. */
struct drawing {
    const struct pages *pages;
    const struct board *board;
    const struct sheet_plan *sheet; /* a cell for each camera */
    uint8_t *cells;                 /* row upon row of the job's size */
    bool has_box;
    vec3 box[2]; /* of the model */
    float spacing;
};

static uint32_t zoom_of(uint32_t side)
{
    return side < 256 ? 1 : (side + 85) / 170;
}

/* Of the same size, it stays as it is. */
static int resize(const uint8_t *from, const uint32_t from_px[2], const struct image *out, struct error *err)
{
    const uint32_t to_px[2] = {out->width, out->height};
    if (memcmp(from_px, to_px, sizeof to_px))
        return scale_pixels(from, from_px, out->pixels, to_px, err);
    memcpy(out->pixels, from, image_pixel_count(out) * 4);
    return 0;
}

static int paint_cell(const struct drawing *drawing, size_t row, size_t column, const struct image *out,
                      struct error *err)
{
    const struct pages *pages = drawing->pages;
    const uint32_t *cell_px = pages->plan->job->cell_px, zoom = zoom_of(out->width);
    const uint8_t *from =
        drawing->cells + (row * drawing->sheet->layout.cell_count + column) * cell_px[0] * cell_px[1] * 4;
    if (drawing->board->is_plain)
        return resize(from, cell_px, out, err);
    struct image cell;
    if (image_init(&cell, out->width, out->height, err) < 0)
        return -1;
    const struct cell *shown = &drawing->sheet->cells[column];
    struct view view = *views_of(&pages->views, shown);
    view.pixels_per_unit *= (float)out->width / (float)cell_px[0];
    int result = resize(from, cell_px, &cell, err);
    fill(out, panel);
    if (drawing->has_box)
        paint_grid(out, &view, (vec3 *)drawing->box, drawing->spacing);
    for (size_t i = 0; i < image_pixel_count(out); i++) {
        pixel_over(cell.pixels + 4 * i, out->pixels + 4 * i);
        memcpy(out->pixels + 4 * i, cell.pixels + 4 * i, 4);
    }
    paint_axes(out, &view, zoom);
    paint_text(out, 4 * zoom, 4 * zoom, zoom, pages->plan->job->cameras[shown->camera].name, ink);
    enum pass pass = drawing->board->passes[row];
    if (pass != PASS_MAIN)
        paint_text(out, 4 * zoom, out->height - 11 * zoom, zoom, pass_names[pass], ink);
    image_release(&cell);
    return result;
}

/* "1 square = 0.5 units   model x 1.2  y 0.8  z 1.9" */
static int paint_legend(const struct drawing *drawing, const struct image *out)
{
    uint32_t zoom = out->height / 15;
    vec3 size;
    glm_vec3_sub((float *)drawing->box[1], (float *)drawing->box[0], size);
    char *text = must_printf("1 square = %g unit%s   model x %.3g  y %.3g  z %.3g", (double)drawing->spacing,
                             drawing->spacing == 1 ? "" : "s", (double)size[0], (double)size[1], (double)size[2]);
    fill(out, gap);
    if (drawing->has_box)
        paint_text(out, 4 * zoom, 4 * zoom, zoom, text, ink);
    free(text);
    return 0;
}

static int lay_out(const struct drawing *drawing, uint32_t side, struct blob *file, struct error *err)
{
    size_t columns = drawing->sheet->layout.cell_count, rows = drawing->board->pass_count;
    uint32_t space = drawing->board->is_plain ? 0 : zoom_of(side), foot = 15 * space;
    uint32_t width = (uint32_t)columns * (side + space) - space, height = (uint32_t)rows * (side + space) - space;
    struct image cell = {0}, legend = {0};
    struct sheet sheet;
    if (sheet_init(&sheet, SHEET_COLOR, width, height + foot, err) < 0)
        return -1;
    sheet.level = drawing->pages->png_level;
    for (uint32_t y = 0; y < height && space; y++)
        for (uint32_t x = 0; x < width; x++)
            memcpy(sheet_row(&sheet, y) + (size_t)4 * x, gap, 4);
    int result = image_init(&cell, side, side, err);
    for (size_t i = 0; i < rows * columns && result == 0; i++) {
        const struct rect rect = {(uint32_t)(i % columns) * (side + space),
                                  (uint32_t)(i / columns) * (side + space), side, side};
        result = paint_cell(drawing, i / columns, i % columns, &cell, err);
        sheet_place(&sheet, &rect, cell.pixels, (size_t)4 * side);
    }
    if (result == 0 && foot)
        result = image_init(&legend, width, foot, err);
    if (result == 0 && foot) {
        paint_legend(drawing, &legend);
        sheet_place(&sheet, &(struct rect){0, height, width, foot}, legend.pixels, (size_t)4 * width);
    }
    if (result == 0)
        result = sheet_save_png(&sheet, file, err);
    image_release(&legend);
    image_release(&cell);
    sheet_release(&sheet);
    return result;
}

int board_draw(const struct pages *pages, const struct board *board, struct blob *files, struct error *err)
{
    const struct sheet_plan *sheet = &pages->plan->sheets[0];
    const uint32_t *cell_px = pages->plan->job->cell_px;
    const size_t cell_size = (size_t)cell_px[0] * cell_px[1] * 4, columns = sheet->layout.cell_count;
    struct drawing drawing = {.pages = pages, .board = board, .sheet = sheet};
    drawing.cells = memory_alloc(board->pass_count * columns, cell_size, err);
    int result = drawing.cells ? 0 : -1;
    for (size_t i = 0; i < board->pass_count * columns && result == 0; i++)
        result = studio_draw(pages->studio, &sheet->cells[i % columns], board->passes[i / columns],
                             drawing.cells + i * cell_size, (size_t)4 * cell_px[0], err);
    if (result == 0) {
        const struct view *view = views_of(&pages->views, &sheet->cells[0]);
        pages_warn_invisible(pages, sheet, drawing.cells, (size_t)4 * cell_px[0], cell_px[0],
                             cell_px[1] * (uint32_t)columns);
        drawing.has_box = studio_box(pages->studio, drawing.box);
        drawing.spacing = ground_spacing(ground_scale(view, cell_px));
    }
    size_t done = 0;
    while (done < board->size_count && result == 0) {
        result = lay_out(&drawing, board->sizes_px[done], &files[done], err);
        done += result == 0;
    }
    while (result < 0 && done > 0)
        blob_release(&files[--done]);
    free(drawing.cells);
    return result;
}
