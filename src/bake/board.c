/* A board: the cells of a job's first sheet as one picture, a column for each camera and a row for each pass, on a grid
 * of known units. All cameras are orthographic and of one scale.
 *
 * Where a camera looks along an axis, the grid stands behind the model and goes through the origin; else it lies on the
 * ground under the model. Its lines through the origin are red (x), green (y) and blue (z); a corner of each cell shows
 * how the axes lie. A line below says how much a square is, and how large the model is. */
#include "bake/pages.h"

#include <cglm/cglm.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "image/image.h"
#include "image/letters.h"
#include "render/ground.h"
#include "sheet/png.h"

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
            float distance = glm_vec2_norm((vec2){from[0] - part * along[0], from[1] - part * along[1]});
            paint(area, x, y, color, glm_clamp(width / 2 + 0.5f - distance, 0, 1));
        }
}

/* Letters that do not fit are left out. */
static void paint_text(const struct area *area, int left, int top, const char *text, const uint8_t color[4])
{
    const int zoom = (int)area->zoom, width = LETTER_WIDTH * zoom, height = LETTER_HEIGHT * zoom;
    const bool fits = left >= 0 && top >= 0 && top + height <= (int)area->height;
    for (; *text && fits && left + width <= (int)area->width; text++, left += LETTER_STEP * zoom)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                if (letter_has(*text, (uint32_t)(x / zoom), (uint32_t)(y / zoom)))
                    memcpy(pixel_of(area, (uint32_t)(left + x), (uint32_t)(top + y)), color, 4);
}

/* Of the area's size. */
static void paint_pixels(const struct area *area, const uint8_t *pixels)
{
    for (uint32_t i = 0; i < area->width * area->height; i++)
        paint(area, i % area->width, i / area->width, pixels + (size_t)4 * i, 1);
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
            ends[0][i] = ends[1][i] = floorf(ends[0][i] + 0.01f) + 0.5f;
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
        const int along = i % 2 ? u : v, across = i % 2 ? v : u,
                  count = (int)roundf((high[across] - low[across]) / spacing);
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
        if (glm_vec2_norm((float *)shown) < 0.1f)
            continue;
        paint_line(cell, center, tip, 1.3f * zoom, axis_colors[axis]);
        paint_text(cell, (int)floorf(center[0] + letter * shown[0] - 2.5f * zoom),
                   (int)floorf(center[1] - letter * shown[1] - 3.5f * zoom), &"x\0y\0z"[2 * axis],
                   axis_colors[axis]);
    }
}

/* -- The board --------------------------------------------------------------------------------------------- */

/* The cell's grid, pixels, axes and names, over what is there. */
static void paint_cell(const struct pages *pages, const struct cell *cell, enum pass pass, const struct area *out,
                       const uint8_t *pixels)
{
    const struct view *view = views_of(pages->views, cell);
    const float reach = ground_scale(view, pages->plan->job->cell_px);
    const int edge = 4 * (int)out->zoom;
    vec3 box[2] = {{0}};
    scene_box(studio_scene(pages->studio), box);
    fill(out, panel);
    paint_grid(out, view, box, ground_spacing(reach), reach);
    paint_pixels(out, pixels);
    paint_axes(out, view);
    paint_text(out, edge, edge, pages->plan->job->cameras[cell->camera].name, ink);
    if (pass != PASS_MAIN)
        paint_text(out, edge, (int)out->height - edge - LETTER_HEIGHT * (int)out->zoom, pass_names[pass], ink);
}

/* "1 square = 0.5 units   model x 1.2  y 0.8  z 1.9" */
static void paint_legend(const struct pages *pages, const struct area *board, uint32_t top)
{
    const struct view *view = views_of(pages->views, &pages->plan->sheets[0].cells[0]);
    double spacing = (double)ground_spacing(ground_scale(view, pages->plan->job->cell_px));
    vec3 box[2] = {{0}}, size;
    scene_box(studio_scene(pages->studio), box);
    glm_vec3_sub(box[1], box[0], size);
    char *text = must_printf("1 square = %g unit%s   model x %.3g  y %.3g  z %.3g", spacing,
                             spacing == 1 ? "" : "s", (double)size[0], (double)size[1], (double)size[2]);
    paint_text(board, 4 * (int)board->zoom, (int)top + 4 * (int)board->zoom, text, ink);
    free(text);
}

/* The first row has the colours, the others what `order` names. */
static enum pass pass_of_row(const char *order, uint32_t row)
{
    for (const char *word = order; row > 0 && *word; word += strspn(word, ",")) {
        const size_t length = strcspn(word, ",");
        for (unsigned pass = PASS_MAIN + 1; pass < PASS_COUNT; pass++)
            if (strlen(pass_names[pass]) == length && !strncmp(word, pass_names[pass], length) && --row == 0)
                return pass;
        word += length;
    }
    return PASS_MAIN;
}

/* With cells of the job's size. */
static int draw(const struct pages *pages, const char *order, struct image *out, struct error *err)
{
    const bool is_plain = !order;
    const struct job *job = pages->plan->job;
    const struct sheet_plan *sheet = &pages->plan->sheets[0];
    const uint32_t side = job->cell_px[0], columns = sheet->layout.cell_count;
    const uint32_t zoom = side < 256 ? 1 : (side + 85) / 170, space = is_plain ? 0 : zoom, step = side + space;
    const uint32_t rows = (uint32_t)__builtin_popcount(job->passes);
    const uint32_t width = columns * step - space, height = rows * step - space;
    uint8_t *pixels = memory_alloc((size_t)side * side, 4, err);
    int result = pixels ? image_init(out, width, height + 15 * space, err) : -1;
    const struct area board = {result < 0 ? NULL : out->pixels, (size_t)4 * width, width, height + 15 * space,
                               zoom};
    if (result == 0 && !is_plain)
        fill(&board, gap);
    for (uint32_t row = 0; row < rows; row++) {
        const enum pass pass = pass_of_row(is_plain ? "" : order, row);
        for (uint32_t i = 0; i < columns && result == 0; i++) {
            const struct area area = {pixel_of(&board, i * step, row * step), board.stride, side, side, zoom};
            result = studio_draw(pages->studio, &sheet->cells[i], pass, 0, false, is_plain ? area.pixels : pixels,
                                 is_plain ? area.stride : (size_t)4 * side, err);
            if (result == 0 && !is_plain)
                paint_cell(pages, &sheet->cells[i], pass, &area, pixels);
        }
    }
    if (result == 0 && !is_plain)
        paint_legend(pages, &board, height);
    free(pixels);
    return result;
}

/* With cells of another size. */
static int save(const struct pages *pages, const struct image *image, uint32_t side, struct blob *file,
                struct error *err)
{
    const uint32_t whole = pages->plan->job->cell_px[0], from_px[2] = {image->width, image->height};
    const uint32_t to_px[2] = {(image->width * side + whole - 1) / whole,
                               (image->height * side + whole - 1) / whole};
    struct sheet sheet;
    struct image scaled;
    if (image_init(&scaled, to_px[0], to_px[1], err) < 0)
        return -1;
    int result = side == whole ? 0 : scale_pixels(image->pixels, from_px, scaled.pixels, to_px, err);
    result = result < 0 ? -1 : sheet_init(&sheet, SHEET_COLOR, to_px[0], to_px[1], err);
    if (result == 0) {
        sheet.png = pages->png;
        sheet_place(&sheet, &(struct rect){0, 0, to_px[0], to_px[1]},
                    side == whole ? image->pixels : scaled.pixels, (size_t)4 * to_px[0]);
        if (side == whole)
            pages_warn_invisible(pages, &pages->plan->sheets[0], PASS_MAIN, &sheet);
        result = sheet_save_png(&sheet, file, err);
        sheet_release(&sheet);
    }
    image_release(&scaled);
    return result;
}

int board_draw(const struct pages *pages, const char *order, const uint32_t *sizes_px, size_t count,
               struct blob *files, struct error *err)
{
    struct image image = {0};
    int result = draw(pages, order, &image, err);
    for (size_t i = 0; i < count && result == 0; i++)
        result = save(pages, &image, sizes_px[i], &files[i], err);
    image_release(&image);
    return result;
}
