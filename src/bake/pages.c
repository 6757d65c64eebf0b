#include "bake/pages.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "plan/expected.h"
#include "base/file.h"
#include "base/memory.h"
#include "image/image.h"
#include "job/rules.h"
#include "page/names.h"
#include "sheet/movie.h"
#include "sheet/png.h"

/* -- Invisible sheets -------------------------------------------------------------------------------------- */

/* A clip may well end with empty cells, even with a page of them, but a sheet of nothing else is a mistake. Of one
 * with several pages this one may be drawn alone. What has nothing to draw had its warning (plan/skins.c). */
void pages_warn_invisible(const struct pages *pages, const struct sheet_plan *sheet, enum pass pass,
                          const struct sheet *pixels)
{
    struct plan *plan = pages->plan;
    const unsigned traits = pass_rows[pass].traits;
    bool has_points = false;
    for (size_t i = 0; i < plan->part_count; i++)
        has_points |= plan->parts[i].visible_point_count > 0;
    if (pixels->kind != SHEET_COLOR || sheet->layout.page_count > 1 || !has_points)
        return;
    for (uint32_t y = 0; y < pixels->height; y++) {
        const uint8_t *row = sheet_row(pixels, y);
        for (uint32_t x = 0; x < pixels->width; x++)
            if (traits & ONLY_EMISSION ? row[4 * x] || row[4 * x + 1] || row[4 * x + 2] : row[4 * x + 3])
                return;
    }
    if (traits & IS_LAYER && plan->job->atlas)
        return; /* it is there for other jobs of the atlas */
    if (traits & IS_LAYER)
        strings_printf(&plan->warnings, "%s: the pass '%s' of '%s' shows nothing", plan->job->model,
                       pass_names[pass], sheet->base);
    else
        strings_printf(&plan->warnings, "%s: nothing is visible in any cell of '%s'", plan->job->model,
                       sheet->base);
}

/* -- Cells ------------------------------------------------------------------------------------------------- */

/* Orders cells by sample first, so that each is posed once and drawn for every camera and in every skin. */
static int compare_by_sample(const void *a, const void *b)
{
    const struct cell *left = *(const struct cell *const *)a, *right = *(const struct cell *const *)b;
    const uint32_t numbers[][2] = {{left->take, right->take},
                                   {left->sample, right->sample},
                                   {left->skin, right->skin},
                                   {left->camera, right->camera}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i][0] != numbers[i][1])
            return numbers[i][0] < numbers[i][1] ? -1 : 1;
    return 0;
}

/* `count` cells in the order in which they are best drawn. The caller frees it. */
static const struct cell **order_cells(const struct cell *cells, size_t count)
{
    const struct cell **order = must_alloc(count, sizeof *order);
    for (size_t i = 0; i < count; i++)
        order[i] = &cells[i];
    qsort(order, count, sizeof *order, compare_by_sample);
    return order;
}

/* Whether a pixel near x, y is alike; colours are compared as they are seen, multiplied by alpha. */
static bool has_alike(const uint8_t *pixels, const uint32_t size_px[2], uint32_t x, uint32_t y,
                      const uint8_t *wanted)
{
    for (uint32_t v = y > MIRROR_PX ? y - MIRROR_PX : 0; v <= y + MIRROR_PX && v < size_px[1]; v++)
        for (uint32_t u = x > MIRROR_PX ? x - MIRROR_PX : 0; u <= x + MIRROR_PX && u < size_px[0]; u++) {
            const uint8_t *pixel = &pixels[4 * ((size_t)v * size_px[0] + u)];
            bool is_alike = abs(pixel[3] - wanted[3]) <= MIRROR_LEVELS;
            for (int i = 0; i < 3; i++)
                is_alike &= abs(pixel[i] * pixel[3] - wanted[i] * wanted[3]) <= MIRROR_LEVELS * 255;
            if (is_alike)
                return true;
        }
    return false;
}

/* Whether the cell, flipped, may stand for the direction that is left out. */
static int check_mirrored(const struct pages *pages, const struct cell *cell, const uint8_t *pixels,
                          struct error *err)
{
    const struct plan *plan = pages->plan;
    const struct camera *camera = &plan->job->cameras[cell->camera];
    const uint32_t *px = plan->job->cell_px;
    size_t unlike = 0, drawn = 0;
    uint8_t *other = memory_alloc((size_t)px[0] * px[1], 4, err);
    int result = other ? studio_draw(pages->studio, cell, PASS_MAIN, pages->plan->job->passes, true, other,
                                     (size_t)px[0] * 4, err)
                       : -1;
    for (uint32_t y = 0; y < px[1] && result == 0; y++)
        for (uint32_t x = 0; x < px[0]; x++) {
            uint32_t flipped = px[0] - 1 - x;
            const uint8_t *a = &pixels[4 * ((size_t)y * px[0] + x)],
                          *b = &other[4 * ((size_t)y * px[0] + flipped)];
            drawn += a[3] || b[3];
            unlike += !has_alike(other, px, flipped, y, a) || !has_alike(pixels, px, x, y, b);
        }
    free(other);
    if (unlike)
        return error_set(err,
                         "frame %u of '%s', seen by '%s', is not '%s' flipped: of %zu pixels %zu differ; "
                         "`mirror: force` flips it all the same",
                         cell->sample, plan->takes[cell->take].name, camera->name, camera->mirrored, drawn,
                         unlike);
    return result;
}

/* Finds what the pose of a cell tells unless that is known, and poses it for that, or to be drawn. */
static void look_at(const struct pages *pages, const struct sheet_plan *sheet, const struct cell *cell,
                    bool is_drawn)
{
    struct cell_facts *facts = &pages->facts[cell - sheet->cells];
    stopwatch_enter(pages->stopwatch, STAGE_POSE);
    if (is_drawn || (!facts->are_known && describe_needs_pose(pages, cell)))
        studio_pose(pages->studio, cell);
    if (!facts->are_known)
        describe_cell(pages, cell, facts);
}

/* -- Planes ------------------------------------------------------------------------------------------------ */

/* A pass of the job that is drawn, and its page. */
struct plane {
    enum pass pass;
    struct sheet page; /* empty while the sheet is drawn as a whole */
    void *pixels;      /* of one cell */
    size_t stride;     /* bytes of a row of these */
};

static size_t list_planes(const struct job *job, struct plane planes[PASS_COUNT])
{
    size_t count = 0;
    for (unsigned pass = 0; pass < PASS_COUNT; pass++)
        if (passes_have(job->passes, (enum pass)pass))
            planes[count++] = (struct plane){.pass = (enum pass)pass};
    return count;
}

/* How many planes are made together: more than one where their pages are small. */
static size_t count_at_once(const struct layout_page *page, const struct cell_store *store, size_t most)
{
    const uint64_t bytes = 64 << 20, count = bytes / ((uint64_t)4 * page->width * page->height);
    return store || count < 1 ? 1 : count < most ? (size_t)count : most;
}

static int draw_plane(const struct pages *pages, const struct sheet_plan *sheet, const struct cell *cell,
                      const struct plane *plane, struct error *err)
{
    const struct camera *camera = &pages->plan->job->cameras[cell->camera];
    if (studio_draw(pages->studio, cell, plane->pass, pages->plan->job->passes, false, plane->pixels,
                    plane->stride, err) < 0)
        return -1;
    if (plane->pass != PASS_MAIN)
        return 0;
    pages->facts[cell - sheet->cells].lightness = studio_lightness(pages->studio);
    return camera->mirrored && !camera->is_forced ? check_mirrored(pages, cell, plane->pixels, err) : 0;
}

static int place_cell(const struct sheet_settings *settings, const struct rect *rect, struct plane *plane,
                      struct error *err)
{
    sheet_place(&plane->page, rect, plane->pixels, plane->stride);
    sheet_extrude(&plane->page, rect, settings->extrude);
    return plane->page.kind == SHEET_GREY16 ? 0 : bleed_cell(&plane->page, rect, settings, err);
}

/* -- Cells of several processes ----------------------------------------------------------------------------- */

/* Cells are drawn in groups, in order. Where that takes long, the process that makes the page (the owner) shares memory: it
 * goes on from the first group, the others (helpers) begin with the last. Where they meet, the owner takes what helpers
 * have finished, and draws itself what they have not: so it never waits, and a helper that dies costs nothing more. A group
 * may be drawn twice, which gives the same pixels. */
struct shared_cells {
    atomic_uint front, back; /* groups that the owner has begun, and helpers have; a front of 0: wait */
    uint64_t files;          /* sum_files: a helper opens the job later, and one may have changed */
    struct palette palette;  /* what the plan has of it, found by the owner */
    atomic_uchar is_done[];  /* by group; then the lightness of each cell, and its planes (find_shared) */
};

/* With fewer, they start more often than it is worth; more wait longer at the end. All show one sample. */
enum { MOST_CELLS_OF_GROUP = 4 };

/* Others are asked when more seconds are likely left: they have to start, and to open the job, which takes them as long as it
 * took the owner. */
static const double WORTH_SHARING_S = 0.4, LEAST_SPENT_S = 0.01;

/* Cells of a sheet to draw, in these planes. */
struct drawing {
    const struct pages *pages;
    const struct sheet_plan *sheet;
    struct plane *planes;
    size_t plane_count;
    const struct cell **order;
    size_t cell_count;
    size_t *groups, group_count; /* the first of each group in `order`, and at the end cell_count */
    size_t drawn;                /* cells, by the owner before it shares them */
    double since_s;              /* the first of these, for which shaders may have been compiled */
    struct shared_cells *shared; /* NULL: not shared */
    bool has_asked;              /* for it */
};

static int drawing_init(struct drawing *drawing, const struct pages *pages, const struct sheet_plan *sheet,
                        size_t first, size_t count, struct plane *planes, size_t plane_count, struct error *err)
{
    *drawing = (struct drawing){.pages = pages,
                                .sheet = sheet,
                                .planes = planes,
                                .plane_count = plane_count,
                                .order = order_cells(sheet->cells + first, count),
                                .cell_count = count,
                                .groups = must_alloc(count + 1, sizeof *drawing->groups)};
    for (size_t i = 0, start = 0; i < count; i++) {
        const struct cell *cell = drawing->order[i], *before = i ? drawing->order[i - 1] : NULL;
        if (!before || cell->take != before->take || cell->sample != before->sample ||
            i - start == MOST_CELLS_OF_GROUP)
            drawing->groups[drawing->group_count++] = start = i;
    }
    drawing->groups[drawing->group_count] = count;
    const uint32_t *cell_px = pages->plan->job->cell_px;
    for (struct plane *plane = planes; plane < planes + plane_count; plane++) {
        plane->stride = cell_px[0] * sheet_pixel_size(pass_rows[plane->pass].sheet);
        plane->pixels = memory_alloc(cell_px[1], plane->stride, err);
        if (!plane->pixels)
            return -1;
    }
    return 0;
}

static void drawing_release(struct drawing *drawing)
{
    for (size_t p = 0; p < drawing->plane_count; p++)
        free(drawing->planes[p].pixels);
    free(drawing->order);
    free(drawing->groups);
}

/* Where a cell has its lightness and its planes, one after the other, in what is shared; 0 is the first. */
static uint64_t find_shared(const struct drawing *drawing, size_t cell, uint64_t *pixels)
{
    const uint64_t start = (sizeof *drawing->shared + drawing->group_count + 63) / 64 * 64;
    uint64_t cell_size = 0;
    for (size_t p = 0; p < drawing->plane_count; p++)
        cell_size += (uint64_t)drawing->planes[p].stride * drawing->pages->plan->job->cell_px[1];
    *pixels = start + sizeof(float) * drawing->cell_count + cell_size * cell;
    return start + sizeof(float) * cell;
}

static uint64_t shared_size(const struct drawing *drawing)
{
    uint64_t end;
    find_shared(drawing, drawing->cell_count, &end);
    return end;
}

/* Copies a drawn cell from what is shared, once, for anybody may change it there; or to it. */
static void copy_cell(const struct drawing *drawing, size_t i, bool is_taken)
{
    struct cell_facts *facts = &drawing->pages->facts[drawing->order[i] - drawing->sheet->cells];
    uint64_t at;
    float *lightness = (float *)((uint8_t *)drawing->shared + find_shared(drawing, i, &at));
    if (drawing->planes[0].pass == PASS_MAIN) /* which tells it */
        *(is_taken ? &facts->lightness : lightness) = is_taken ? *lightness : facts->lightness;
    for (struct plane *plane = drawing->planes; plane < drawing->planes + drawing->plane_count; plane++) {
        const size_t size = plane->stride * drawing->pages->plan->job->cell_px[1];
        uint8_t *shared = (uint8_t *)drawing->shared + at;
        memcpy(is_taken ? plane->pixels : shared, is_taken ? shared : plane->pixels, size);
        at += size;
    }
}

/* Draws a cell in all planes, posed once, into their pixels. */
static int draw_cell(const struct drawing *drawing, const struct cell *cell, struct error *err)
{
    int result = 0;
    look_at(drawing->pages, drawing->sheet, cell, true);
    stopwatch_enter(drawing->pages->stopwatch, STAGE_DRAW);
    for (size_t p = 0; p < drawing->plane_count && result == 0; p++)
        result = draw_plane(drawing->pages, drawing->sheet, cell, &drawing->planes[p], err);
    return result;
}

/* A sum over the files that the job has read: the same where these are the same. */
static uint64_t sum_files(const struct trace *trace)
{
    uint64_t sum = 0;
    for (const struct look_up *at = trace->items; at < trace->items + trace->count; at++)
        if (at->kind == LOOK_READ)
            sum += hash_number((struct bytes){(const uint8_t *)at->value, strlen(at->value)});
    return sum;
}

/* Shares what is left where that is worth it, while a group is drawn. The first plane tells helpers which ones these are. */
static void share_rest(struct drawing *drawing, size_t group)
{
    const struct sharer *sharer = &drawing->pages->sharer;
    if (!sharer->share)
        return;
    const bool is_first = drawing->drawn++ == 0;
    drawing->since_s = is_first ? clock_now_s() : drawing->since_s;
    const double spent_s = clock_now_s() - drawing->since_s;
    if (is_first || spent_s < LEAST_SPENT_S)
        return;
    const double *stages_s = drawing->pages->stopwatch->seconds;
    const double left_s = spent_s / (double)(drawing->drawn - 1) * (double)(drawing->cell_count - drawing->drawn);
    if (left_s < WORTH_SHARING_S + 2 * (stages_s[STAGE_LOAD] + stages_s[STAGE_POSE]))
        return;
    drawing->has_asked = true;
    drawing->shared = sharer->share(sharer->context, shared_size(drawing), drawing->planes[0].pass);
    if (!drawing->shared)
        return;
    drawing->shared->files = sum_files(drawing->pages->trace);
    drawing->shared->palette = drawing->pages->plan->palette;
    atomic_store(&drawing->shared->front, (unsigned)group + 1);
}

/* Takes a group from the helper that has drawn it, or draws it; and keeps its cells: whole, in the store, or where that is NULL,
 * in their places on the pages of the planes. */
static int make_group(struct drawing *drawing, size_t group, struct cell_store *store, struct error *err)
{
    const struct pages *pages = drawing->pages;
    const struct sheet_settings *settings = &pages->plan->job->sheet;
    const bool is_done = drawing->shared && atomic_load(&drawing->shared->is_done[group]);
    const void *pixels[PASS_COUNT];
    int result = 0;
    for (size_t p = 0; p < drawing->plane_count; p++)
        pixels[p] = drawing->planes[p].pixels;
    for (size_t i = drawing->groups[group]; i < drawing->groups[group + 1] && result == 0; i++) {
        const struct cell *cell = drawing->order[i];
        const size_t number = (size_t)(cell - drawing->sheet->cells);
        if (is_done) {
            look_at(pages, drawing->sheet, cell, false);
            stopwatch_enter(pages->stopwatch, STAGE_DRAW);
            copy_cell(drawing, i, true);
        } else {
            result = draw_cell(drawing, cell, err);
            if (result == 0 && !drawing->has_asked)
                share_rest(drawing, group);
        }
        for (size_t p = 0; p < drawing->plane_count && result == 0 && !store; p++)
            result = place_cell(settings, &drawing->sheet->layout.cells[number].rect, &drawing->planes[p], err);
        if (result == 0 && store)
            result = cell_store_add(store, number, pixels, err);
    }
    return result;
}

/* Takes the palette that the owner has found: nothing but its colours, as they are now. */
static void take_palette(struct palette *palette, const struct palette *found)
{
    *palette = (struct palette){0};
    for (uint32_t i = 0, count = found->count; i < count && i < PALETTE_MOST; i++)
        palette_add(palette, (const uint8_t[]){found->colors[i][0], found->colors[i][1], found->colors[i][2]});
}

/* Draws groups for the owner, the last first, until there are no more. */
static void help_draw(struct drawing *drawing, void *memory)
{
    const struct timespec pause = {.tv_nsec = 1000 * 1000};
    struct shared_cells *shared = drawing->shared = memory;
    struct plan *plan = drawing->pages->plan;
    struct error ignored; /* the owner finds the same, and says so */
    for (int i = 0; i < 1000 && atomic_load(&shared->front) == 0; i++)
        nanosleep(&pause, NULL); /* it has asked just now */
    if (atomic_load(&shared->front) == 0 || shared->files != sum_files(drawing->pages->trace))
        return;
    if (plan->job->pixel.color_count)
        take_palette(&plan->palette, &shared->palette);
    for (size_t round = 0; round < drawing->group_count; round++) {
        const unsigned begun = atomic_fetch_add(&shared->back, 1);
        if (begun >= drawing->group_count || drawing->group_count - 1 - begun < atomic_load(&shared->front))
            return;
        const size_t group = drawing->group_count - 1 - begun;
        for (size_t i = drawing->groups[group]; i < drawing->groups[group + 1]; i++) {
            if (draw_cell(drawing, drawing->order[i], &ignored) < 0)
                return;
            copy_cell(drawing, i, false);
        }
        atomic_store(&shared->is_done[group], 1);
    }
}

/* Draws `count` cells from number `first` on, each posed once for all planes. */
static int draw_cells(const struct pages *pages, const struct sheet_plan *sheet, size_t first, size_t count,
                      struct plane *planes, size_t plane_count, struct cell_store *store, struct error *err)
{
    struct drawing drawing;
    int result = drawing_init(&drawing, pages, sheet, first, count, planes, plane_count, err);
    for (size_t group = 0; group < drawing.group_count && result == 0; group++) {
        if (drawing.shared)
            atomic_store(&drawing.shared->front, (unsigned)group + 1);
        result = make_group(&drawing, group, store, err);
    }
    if (drawing.shared)
        atomic_store(&drawing.shared->front,
                     (unsigned)drawing.group_count); /* also after a failure: helpers stop */
    drawing_release(&drawing);
    return result;
}

int pages_draw_sheet(const struct pages *pages, struct sheet_plan *sheet, struct cell_store *store,
                     struct error *err)
{
    const struct job *job = pages->plan->job;
    struct cell_store fresh;
    struct plane planes[PASS_COUNT];
    enum pass passes[PASS_COUNT];
    enum sheet_kind kinds[PASS_COUNT];
    const size_t count = list_planes(job, planes);
    for (size_t p = 0; p < count; p++) {
        passes[p] = planes[p].pass;
        kinds[p] = pass_rows[passes[p]].sheet;
    }
    if (cell_store_init(&fresh, kinds, count, job->cell_px, sheet->layout.cell_count, job->sheet.trim, err) < 0)
        return -1;
    int result = sheet->joined ? joined_store(sheet->joined, passes, &fresh, err)
                               : draw_cells(pages, sheet, 0, sheet->layout.cell_count, planes, count, &fresh, err);
    stopwatch_enter(pages->stopwatch, STAGE_ENCODE);
    if (result == 0)
        result = cell_store_lay_out(&fresh, &job->sheet, &sheet->strips, &sheet->layout, err);
    if (result == 0)
        *store = fresh;
    else
        cell_store_release(&fresh);
    return result;
}

void pages_help(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet, void *memory,
                uint64_t size, uint64_t part)
{
    const struct layout_page *page = &sheet->layout.pages[page_of_sheet];
    const bool is_whole = layout_needs_pixels(&pages->plan->job->sheet);
    struct plane planes[PASS_COUNT];
    struct drawing drawing;
    struct error ignored;
    size_t count = list_planes(pages->plan->job, planes), first = 0;
    while (first < count && planes[first].pass != part)
        first++;
    if (first == count)
        return;
    if (!is_whole)
        count = first + count_at_once(page, NULL, count - first);
    if (drawing_init(&drawing, pages, sheet, is_whole ? 0 : page->first_cell,
                     is_whole ? sheet->layout.cell_count : page->cell_count, planes + first, count - first,
                     &ignored) == 0 &&
        shared_size(&drawing) == size)
        help_draw(&drawing, memory);
    drawing_release(&drawing);
}

/* -- Previews ---------------------------------------------------------------------------------------------- */

/* The cells are drawn once more: they may be on several pages, and have there the colours that `bleed` gives
 * transparent pixels. */

static const double turn_s = 3; /* of the cameras around a model that does not move */

/* Of pixel art each stays what it is. */
static void repeat_pixels(const uint8_t *from, const uint32_t from_px[2], uint8_t *to, const uint32_t to_px[2])
{
    for (size_t y = 0; y < to_px[1]; y++)
        for (size_t x = 0; x < to_px[0]; x++, to += 4)
            memcpy(to, from + 4 * (y * from_px[1] / to_px[1] * from_px[0] + x * from_px[0] / to_px[0]), 4);
}

/* Times are rounded to milliseconds, and not their differences: so all of it takes as long as the clip. */
static int draw_frames(const struct pages *pages, const struct preview_plan *preview, struct movie *movie,
                       const uint32_t size_px[2], struct error *err)
{
    const struct job *job = pages->plan->job;
    const uint32_t *cell_px = job->cell_px;
    bool is_scaled = memcmp(size_px, cell_px, 2 * sizeof *cell_px) != 0;
    uint8_t *pixels = memory_alloc((size_t)cell_px[0] * cell_px[1], 4, err);
    uint8_t *frame = pixels && is_scaled ? memory_alloc((size_t)size_px[0] * size_px[1], 4, err) : pixels;
    int result = frame ? 0 : -1;
    double end_ms = 0;
    for (size_t i = 0; i < preview->cell_count && result == 0; i++) {
        const struct take *take = &pages->plan->takes[preview->cells[i].take];
        double start_ms = end_ms;
        end_ms += 1000 * (take->sample_count == 1
                              ? turn_s / (double)preview->cell_count
                              : sampling_shown_s(take->sampling, take->clip, take->loop, take->times_s,
                                                 take->sample_count, preview->cells[i].sample));
        double duration_ms = fmin(round(end_ms) - round(start_ms), UINT32_MAX);
        result = studio_draw(pages->studio, &preview->cells[i], PASS_MAIN, 0, false, pixels,
                             (size_t)cell_px[0] * 4, err);
        if (result == 0 && is_scaled && job->pixel.is_wanted)
            repeat_pixels(pixels, cell_px, frame, size_px);
        else if (result == 0 && is_scaled)
            result = scale_pixels(pixels, cell_px, frame, size_px, err);
        if (result < 0)
            break;
        background_apply(&job->previews.background, frame, (size_t)size_px[0] * 4, size_px[0], size_px[1]);
        result = movie_add(movie, frame, (uint32_t)duration_ms, err);
    }
    if (frame != pixels)
        free(frame);
    free(pixels);
    return result;
}

int pages_draw_preview(const struct pages *pages, const struct preview_plan *preview, struct blob *file,
                       struct error *err)
{
    const struct preview_settings *settings = &pages->plan->job->previews;
    const uint32_t *cell_px = pages->plan->job->cell_px;
    const uint32_t longer = cell_px[0] > cell_px[1] ? cell_px[0] : cell_px[1];
    const struct take *take = &pages->plan->takes[preview->cells[0].take];
    struct movie *movie;
    uint32_t size_px[2];
    stopwatch_enter(pages->stopwatch, STAGE_DRAW);
    for (int i = 0; i < 2; i++) {
        double side = settings->size_px ? (double)cell_px[i] * settings->size_px / longer : cell_px[i];
        size_px[i] = side < 1 ? 1 : (uint32_t)(side + 0.5);
    }
    if (movie_new(&(struct movie_settings){settings->format, size_px[0], size_px[1], (uint32_t)preview->cell_count,
                                           take->sample_count == 1 || take->loop, settings->quality,
                                           pages->png.level},
                  &movie, err) < 0)
        return -1;
    int result = draw_frames(pages, preview, movie, size_px, err);
    if (result == 0)
        result = movie_save(movie, file, err);
    movie_free(movie);
    return result;
}

/* -- Files ------------------------------------------------------------------------------------------------- */

/* Good until the next one is added. */
static struct blob *add_file(struct page_files *files, char *name)
{
    struct page_file *file = MUST_ADD(files->items, files->count, files->capacity);
    *file = (struct page_file){.name = name};
    return &file->blob;
}

static int cut_frame(const struct sheet *pixels, const struct placement *at, const struct view *view,
                     struct blob *png, struct error *err)
{
    const struct rect *rect = &at->rect, all = {0, 0, rect->width, rect->height};
    struct sheet frame;
    if (sheet_init(&frame, pixels->kind, rect->width, rect->height, err) < 0)
        return -1;
    frame.png = pixels->png;
    frame.has_place = true;
    for (int axis = 0; axis < 2; axis++) {
        frame.place_px[axis] = (int32_t)(axis ? at->source.y : at->source.x);
        frame.origin_px[axis] = (int32_t)floorf(view->pivot_px[axis] + 0.5f) - frame.place_px[axis];
    }
    sheet_place(&frame, &all, sheet_row(pixels, rect->y) + (size_t)rect->x * sheet_pixel_size(pixels->kind),
                1 + sheet_row_size(pixels));
    int result = sheet_save_png(&frame, png, err);
    sheet_release(&frame);
    return result;
}

/* Adds the frames of a page: PNGs with their places in chunks oFFs, in the cell, and grAb, of the origin (ZDoom). */
static int add_frames(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page,
                      const struct sheet *pixels, struct page_files *files, struct error *err)
{
    int result = 0;
    for (size_t i = 0; i < sheet->layout.cell_count && pages->plan->job->frame_name && result == 0; i++) {
        const struct placement *at = &sheet->layout.cells[i];
        if (at->page != page)
            continue;
        char *name = frame_file_name(pages->plan, sheet, page, &sheet->cells[i], err);
        struct blob *file = add_file(files, name);
        files->items[files->count - 1].is_frame = true;
        result = name ? cut_frame(pixels, at, views_of(pages->views, &sheet->cells[i]), file, err) : -1;
    }
    return result;
}

/* The picture of a pass, and with that of the colours the frames that are files. */
static int save_plane(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                      struct plane *plane, struct page_files *files, struct error *err)
{
    const size_t number = files->count;
    add_file(files, names_picture(sheet->base, page_of_sheet, plane->pass));
    pages_warn_invisible(pages, sheet, plane->pass, &plane->page);
    if (plane->pass == PASS_MAIN && add_frames(pages, sheet, page_of_sheet, &plane->page, files, err) < 0)
        return -1;
    return sheet_save_png(&plane->page, &files->items[number].blob, err);
}

static int make_planes(const struct pages *pages, const struct sheet_plan *sheet, const struct cell_store *store,
                       uint32_t page_of_sheet, struct plane *planes, size_t first, size_t end,
                       struct page_files *files, struct error *err)
{
    const struct sheet_settings *settings = &pages->plan->job->sheet;
    const struct layout_page *page = &sheet->layout.pages[page_of_sheet];
    int result = 0;
    for (size_t p = first; p < end && result == 0; p++) {
        struct sheet *pixels = &planes[p].page;
        result = sheet_init(pixels, pass_rows[planes[p].pass].sheet, page->width, page->height, err);
        pixels->png = pages->png;
        if (settings->layout == LAYOUT_GRID)
            pixels->row_px =
                sheet->layout.cells[page->first_cell].rect.height + settings->padding + 2 * settings->extrude;
        if (store && result == 0)
            result = cell_store_paint(store, settings, &sheet->layout, page_of_sheet, p, pixels, err);
    }
    if (!store && result == 0)
        result =
            draw_cells(pages, sheet, page->first_cell, page->cell_count, planes + first, end - first, NULL, err);
    stopwatch_enter(pages->stopwatch, STAGE_ENCODE);
    for (size_t p = first; p < end; p++) {
        if (result == 0)
            result = save_plane(pages, sheet, page_of_sheet, &planes[p], files, err);
        sheet_release(&planes[p].page);
    }
    return result;
}

/* A warning about the list says where: "orcs.yaml:7:5: ...". The record does not, because it would change with
 * every line that is added above, and with the folder in which the list was opened. */
static const char *without_place(const char *warning)
{
    const char *end = strstr(warning, ": "), *at = end;
    for (int numbers = 0; at && numbers < 2; numbers++) {
        const char *digits = at;
        while (digits > warning && digits[-1] >= '0' && digits[-1] <= '9')
            digits--;
        at = digits < at && digits > warning && digits[-1] == ':' ? digits - 1 : NULL;
    }
    return at ? end + 2 : warning;
}

/* Has the hashes of all other files. A sheet that is laid out only when it is drawn is one page of the job, in
 * parts. */
static int add_record(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                      struct page_files *files, struct error *err)
{
    const struct strings *warnings = &pages->plan->warnings;
    bool has_parts = layout_needs_pixels(&pages->plan->job->sheet);
    struct record record = pages->record;
    record.arena = (struct arena){0};
    record.page = sheet->first_page + (has_parts ? 0 : page_of_sheet);
    record.page_count = pages->plan->page_count;
    record.part = has_parts ? page_of_sheet : 0;
    record.part_count = has_parts ? sheet->layout.page_count : 1;
    if (record.page || record.part) { /* the first tells the clips, and what came and went */
        record.clips = NULL, record.clip_count = 0;
        record.names = (struct record_pairs){0};
    }
    if (!sheet->joined)
        describe_picture(pages, sheet, page_of_sheet, &record);

    const char **texts = arena_must_alloc(&record.arena, warnings->count, sizeof *texts);
    for (size_t i = 0; i < warnings->count; i++)
        texts[i] = without_place(warnings->items[i]);
    record.warnings = texts;
    record.warning_count = warnings->count;

    struct record_file *sorted = arena_must_alloc(&record.arena, files->count, sizeof *sorted);
    for (size_t i = 0; i < files->count; i++) {
        const struct page_file *file = &files->items[i];
        const char *name = file->name + (path_base(sheet->base) - sheet->base);
        char *hash = arena_must_alloc(&record.arena, HASH_SIZE, 1);
        hash_bytes(blob_bytes(&file->blob), hash);
        sorted[i] = (struct record_file){arena_strdup(&record.arena, name), file->blob.size, hash};
    }
    qsort(sorted, files->count, sizeof *sorted, strings_compare);
    record.files = sorted;
    record.file_count = files->count;
    const size_t judged = pages->findings ? pages->findings->count : 0;
    expected_add_unused(pages->plan->job, pages->assets, &record);
    if (pages->findings) {
        rules_judge(pages->plan->job->rules, &record, false, NULL, pages->findings);
        record.finding_count = pages->findings->count - judged;
        if (record.finding_count)
            record.findings = (const char *const *)pages->findings->items + judged;
    }
    int result = record_save(&record, add_file(files, names_page(sheet->base, page_of_sheet, RECORD_SUFFIX)), err);
    record_release(&record);
    return result;
}

int pages_make(const struct pages *pages, const struct sheet_plan *sheet, const struct cell_store *store,
               uint32_t page_of_sheet, struct page_files *files, struct error *err)
{
    struct plane planes[PASS_COUNT];
    const size_t plane_count = list_planes(pages->plan->job, planes);
    int result = 0;
    stopwatch_enter(pages->stopwatch, STAGE_ENCODE);
    for (size_t first = 0, end; first < plane_count && result == 0; first = end) {
        end = first + count_at_once(&sheet->layout.pages[page_of_sheet], store, plane_count - first);
        result = make_planes(pages, sheet, store, page_of_sheet, planes, first, end, files, err);
    }
    for (size_t i = 0; page_of_sheet == 0 && i < sheet->preview_count && result == 0; i++) {
        const struct preview_plan *preview = &sheet->previews[i];
        result = pages_draw_preview(pages, preview, add_file(files, must_strdup(preview->name)), err);
    }
    files->picture_count = files->count;
    if (result < 0)
        return -1;

    for (size_t i = 0; page_of_sheet == 0 && describe_all_cells(pages->plan) && i < sheet->layout.cell_count; i++)
        if (!pages->facts[i].are_known) /* it is on another page */
            look_at(pages, sheet, &sheet->cells[i], false);
    stopwatch_enter(pages->stopwatch, STAGE_ENCODE);
    struct blob texts[METADATA_MOST_FILES] = {{0}};
    result = describe_page(pages, sheet, page_of_sheet, texts, err);
    for (unsigned i = 0; i < METADATA_MOST_FILES; i++) {
        if (!texts[i].data)
            continue;
        const char *suffix =
            i < METADATA_COUNT ? metadata_formats[i].suffix : pages->plan->templates[i - METADATA_COUNT].suffix;
        *add_file(files, names_page(sheet->base, page_of_sheet, suffix)) = texts[i];
    }
    return result < 0 ? -1 : add_record(pages, sheet, page_of_sheet, files, err);
}
