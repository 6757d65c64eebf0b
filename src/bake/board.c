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

/* -- Paint ------------------------------------------------------------------------------------------------- */

/* A part of the picture. Places in it start at its upper left corner. */
struct area {
    uint8_t *pixels;
    size_t stride;
    uint32_t width, height, zoom; /* zoom: pixels for one of a letter */
};

static uint8_t *pixel_of(const struct area *area, uint32_t x, uint32_t y)
{
    return area->pixels + y * area->stride + (size_t)4 * x;
}

static void fill(const struct area *area, const uint8_t color[4])
{
    for (uint32_t i = 0; i < area->width * area->height; i++)
        memcpy(pixel_of(area, i % area->width, i / area->width), color, 4);
}

static void paint(const struct area *area, uint32_t x, uint32_t y, const uint8_t color[4], float cover)
{
    uint8_t over[4] = {color[0], color[1], color[2], (uint8_t)(cover * (float)color[3] + 0.5f)};
    pixel_over(over, pixel_of(area, x, y));
    memcpy(pixel_of(area, x, y), over, 4);
}

static uint32_t clip(float value, uint32_t side)
{
    return (uint32_t)glm_clamp(value, 0, (float)side);
}

/* With round ends and soft edges. */
static void paint_line(const struct area *area, const vec2 a, const vec2 b, float width, const uint8_t color[4])
{
    const float reach = width / 2 + 1, along[2] = {b[0] - a[0], b[1] - a[1]};
    const float length2 = fmaxf(along[0] * along[0] + along[1] * along[1], 1e-6f);
    const uint32_t right = clip(fmaxf(a[0], b[0]) + reach, area->width),
                   bottom = clip(fmaxf(a[1], b[1]) + reach, area->height);
    for (uint32_t y = clip(fminf(a[1], b[1]) - reach, area->height); y < bottom; y++)
        for (uint32_t x = clip(fminf(a[0], b[0]) - reach, area->width); x < right; x++) {
            float from[2] = {(float)x + 0.5f - a[0], (float)y + 0.5f - a[1]};
            float part = glm_clamp((from[0] * along[0] + from[1] * along[1]) / length2, 0, 1);
            float distance = hypotf(from[0] - part * along[0], from[1] - part * along[1]);
            paint(area, x, y, color, glm_clamp(width / 2 + 0.5f - distance, 0, 1));
        }
}

/* Letters that do not fit are left out. */
static void paint_text(const struct area *area, uint32_t left, uint32_t top, const char *text, const uint8_t color[4])
{
    const uint32_t zoom = area->zoom;
    for (; *text && left + LETTER_WIDTH * zoom <= area->width; text++, left += LETTER_STEP * zoom)
        for (uint32_t y = 0; y < LETTER_HEIGHT * zoom && top + y < area->height; y++)
            for (uint32_t x = 0; x < LETTER_WIDTH * zoom; x++)
                if (letter_has(*text, x / zoom, y / zoom))
                    memcpy(pixel_of(area, left + x, top + y), color, 4);
}

/* -- A cell ------------------------------------------------------------------------------------------------ */

static void project(const struct area *cell, const struct view *view, const vec3 point, vec2 out)
{
    vec4 seen, at = {point[0], point[1], point[2], 1};
    glm_mat4_mulv((vec4 *)view->world_to_view, at, seen);
    glm_mat4_mulv((vec4 *)view->view_to_clip, seen, seen);
    out[0] = (1 + seen[0]) / 2 * (float)cell->width;
    out[1] = (1 - seen[1]) / 2 * (float)cell->height;
}

/* One along an edge between pixels would be two of them wide: it is moved to the middle of one. */
static void paint_grid_line(const struct area *cell, const struct view *view, const vec3 from, const vec3 to,
                            const uint8_t color[4])
{
    vec2 ends[2];
    project(cell, view, from, ends[0]);
    project(cell, view, to, ends[1]);
    for (int i = 0; i < 2; i++)
        if (fabsf(ends[0][i] - ends[1][i]) < 0.01f)
            ends[0][i] = ends[1][i] = floorf(ends[0][i]) + 0.5f;
    paint_line(cell, ends[0], ends[1], 1, color);
}

/* Behind the model, over the whole cell; or on the ground, from a square before the model to one after it. */
static void paint_grid(const struct area *cell, const struct view *view, const vec3 box[2], float spacing,
                       float reach)
{
    int sight = 0;
    while (sight < 3 && fabsf(view->world_to_view[sight][2]) < 0.999f)
        sight++;
    const int flat = sight < 3 ? sight : 2, u = (flat + 1) % 3, v = (flat + 2) % 3;
    vec3 low, high;
    for (int axis = 0; axis < 3; axis++) {
        float more = sight < 3 ? reach : spacing;
        low[axis] = axis == flat ? box[0][2] : floorf((box[0][axis] - more) / spacing) * spacing;
        high[axis] = axis == flat ? box[0][2] : ceilf((box[1][axis] + more) / spacing) * spacing;
    }
    for (int i = 0; i < 4; i++) { /* the axes are painted over the other lines */
        const int along = i % 2 ? u : v, across = i % 2 ? v : u, count = (int)roundf((high[across] - low[across]) / spacing);
        for (int k = 0; k <= count; k++) {
            vec3 from = {low[0], low[1], low[2]}, to = {high[0], high[1], high[2]};
            from[across] = to[across] = low[across] + (float)k * spacing;
            bool is_axis = fabsf(from[across]) < spacing / 2;
            if (is_axis == (i >= 2))
                paint_grid_line(cell, view, from, to, is_axis ? axis_colors[along] : line_color);
        }
    }
}

/* How the axes lie, as far in the lower right corner as they go. One that points at the viewer is not shown. */
static void paint_axes(const struct area *cell, const struct view *view)
{
    const float zoom = (float)cell->zoom, arm = 9 * zoom, letter = 14 * zoom, space = 6 * zoom;
    vec2 center = {(float)cell->width - space, (float)cell->height - space};
    for (int axis = 0; axis < 3; axis++) {
        const float *shown = view->world_to_view[axis];
        center[0] = fminf(center[0], (float)cell->width - space - letter * shown[0]);
        center[1] = fminf(center[1], (float)cell->height - space + letter * shown[1]);
    }
    for (int axis = 0; axis < 3; axis++) {
        const float *shown = view->world_to_view[axis];
        const vec2 tip = {center[0] + arm * shown[0], center[1] - arm * shown[1]};
        if (hypotf(shown[0], shown[1]) < 0.1f)
            continue;
        paint_line(cell, center, tip, 1.3f * zoom, axis_colors[axis]);
        paint_text(cell, (uint32_t)(center[0] + letter * shown[0] - 2.5f * zoom),
                   (uint32_t)(center[1] - letter * shown[1] - 3.5f * zoom), &"x\0y\0z"[2 * axis], axis_colors[axis]);
    }
}

/* -- The board --------------------------------------------------------------------------------------------- */

struct drawing {
    const struct pages *pages;
    const struct sheet_plan *sheet; /* a cell for each camera */
    uint32_t row_count;
    enum pass rows[PASS_COUNT];
    uint8_t *cells; /* row upon row, of the job's size */
    bool is_plain;
    vec3 box[2]; /* of the model */
    float spacing, reach;
};

static int paint_cell(const struct drawing *drawing, uint32_t row, uint32_t column, const struct area *out,
                      struct error *err)
{
    const struct job *job = drawing->pages->plan->job;
    const struct cell *cell = &drawing->sheet->cells[column];
    const struct view *view = views_of(&drawing->pages->views, cell);
    const size_t cell_count = drawing->sheet->layout.cell_count, cell_size = (size_t)4 * job->cell_px[0] * job->cell_px[1];
    const uint8_t *pixels = drawing->cells + (row * cell_count + column) * cell_size;
    struct image scaled = {0};
    if (out->width != job->cell_px[0]) {
        const uint32_t to_px[2] = {out->width, out->height};
        if (image_init(&scaled, out->width, out->height, err) < 0 ||
            scale_pixels(pixels, job->cell_px, scaled.pixels, to_px, err) < 0) {
            image_release(&scaled);
            return -1;
        }
        pixels = scaled.pixels;
    }
    if (!drawing->is_plain) {
        fill(out, panel);
        paint_grid(out, view, drawing->box, drawing->spacing, drawing->reach);
    }
    for (uint32_t i = 0; i < out->width * out->height; i++) {
        uint8_t *to = pixel_of(out, i % out->width, i / out->width), over[4];
        memcpy(over, pixels + (size_t)4 * i, 4);
        if (!drawing->is_plain)
            pixel_over(over, to);
        memcpy(to, over, 4);
    }
    if (!drawing->is_plain) {
        paint_axes(out, view);
        paint_text(out, 4 * out->zoom, 4 * out->zoom, job->cameras[cell->camera].name, ink);
        if (drawing->rows[row] != PASS_MAIN)
            paint_text(out, 4 * out->zoom, out->height - 11 * out->zoom, pass_names[drawing->rows[row]], ink);
    }
    image_release(&scaled);
    return 0;
}

/* "1 square = 0.5 units   model x 1.2  y 0.8  z 1.9" */
static void paint_legend(const struct drawing *drawing, const struct area *out)
{
    const vec3 *box = drawing->box;
    char *text = must_printf("1 square = %g unit%s   model x %.3g  y %.3g  z %.3g", (double)drawing->spacing,
                             drawing->spacing == 1 ? "" : "s", (double)(box[1][0] - box[0][0]),
                             (double)(box[1][1] - box[0][1]), (double)(box[1][2] - box[0][2]));
    paint_text(out, 4 * out->zoom, 4 * out->zoom, text, ink);
    free(text);
}

static int lay_out(const struct drawing *drawing, uint32_t side, struct blob *file, struct error *err)
{
    const uint32_t columns = drawing->sheet->layout.cell_count, zoom = side < 256 ? 1 : (side + 85) / 170;
    const uint32_t space = drawing->is_plain ? 0 : zoom, foot = 15 * space, step = side + space;
    const uint32_t width = columns * step - space, height = drawing->row_count * step - space + foot;
    struct image image;
    struct sheet sheet;
    if (image_init(&image, width, height, err) < 0)
        return -1;
    struct area area = {image.pixels, (size_t)4 * width, width, height, zoom};
    fill(&area, gap);
    int result = 0;
    for (uint32_t i = 0; i < columns * drawing->row_count && result == 0; i++) {
        uint8_t *corner = pixel_of(&area, i % columns * step, i / columns * step);
        const struct area cell = {corner, area.stride, side, side, zoom};
        result = paint_cell(drawing, i / columns, i % columns, &cell, err);
    }
    area.pixels = pixel_of(&area, 0, height - foot);
    area.height = foot;
    paint_legend(drawing, &area);
    if (result == 0)
        result = sheet_init(&sheet, SHEET_COLOR, width, height, err);
    if (result == 0) {
        sheet.level = drawing->pages->png_level;
        sheet_place(&sheet, &(struct rect){0, 0, width, height}, image.pixels, area.stride);
        if (side == drawing->pages->plan->job->cell_px[0])
            pages_warn_invisible(drawing->pages, drawing->sheet, &sheet);
        result = sheet_save_png(&sheet, file, err);
        sheet_release(&sheet);
    }
    image_release(&image);
    return result;
}

int board_draw(const struct pages *pages, const struct board *board, struct blob *files, struct error *err)
{
    const struct job *job = pages->plan->job;
    const struct sheet_plan *sheet = &pages->plan->sheets[0];
    const size_t columns = sheet->layout.cell_count, row_size = (size_t)4 * job->cell_px[0];
    struct drawing drawing = {.pages = pages, .sheet = sheet, .is_plain = board->is_plain};
    for (unsigned pass = 0; pass < PASS_COUNT; pass++)
        if (passes_have(job->passes, pass) && sheet_pixel_size(pass_rows[pass].sheet) == 4)
            drawing.rows[drawing.row_count++] = (enum pass)pass;
    drawing.cells = memory_alloc(drawing.row_count * columns, row_size * job->cell_px[1], err);
    int result = drawing.cells ? 0 : -1;
    for (size_t i = 0; i < drawing.row_count * columns && result == 0; i++)
        result = studio_draw(pages->studio, &sheet->cells[i % columns], drawing.rows[i / columns],
                             drawing.cells + i * row_size * job->cell_px[1], row_size, err);
    drawing.reach = ground_scale(views_of(&pages->views, sheet->cells), job->cell_px);
    drawing.spacing = ground_spacing(drawing.reach);
    if (result == 0)
        studio_box(pages->studio, drawing.box);
    for (size_t i = 0; i < board->size_count && result == 0; i++)
        result = lay_out(&drawing, board->sizes_px[i], &files[i], err);
    free(drawing.cells);
    return result;
}
