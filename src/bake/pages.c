#include "bake/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/names.h"
#include "sheet/bleed.h"

/* -- Cells ------------------------------------------------------------------------------------------------- */

/* Orders cells by sample first, so that each is posed once and drawn for every camera and in every skin. */
static int compare_by_sample(const void *a, const void *b)
{
    const struct cell *left = *(const struct cell *const *)a, *right = *(const struct cell *const *)b;
    if (left->take != right->take)
        return left->take < right->take ? -1 : 1;
    if (left->sample != right->sample)
        return left->sample < right->sample ? -1 : 1;
    if (left->skin != right->skin)
        return left->skin < right->skin ? -1 : 1;
    return left->camera < right->camera ? -1 : left->camera > right->camera;
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

static int draw(const struct pages *pages, const struct cell *cell, enum pass pass, void *pixels, size_t stride,
                struct error *err)
{
    stages_enter(pages->stages, STAGE_POSE);
    studio_pose(pages->studio, cell);
    stages_enter(pages->stages, STAGE_DRAW);
    return studio_draw(pages->studio, cell, pass, pixels, stride, err);
}

/* -- Pages with a layout of the plan ----------------------------------------------------------------------- */

/* In place, but for pixels of 16 bits, for which the rows of a sheet are not aligned. */
static int draw_pixels(const struct pages *pages, const struct cell *cell, enum pass pass, const struct rect *rect,
                       struct sheet *sheet, struct error *err)
{
    size_t pixel_size = sheet_pixel_size(sheet->kind), stride = rect->width * pixel_size;
    if (sheet->kind != SHEET_GREY16) {
        uint8_t *pixels = sheet_row(sheet, rect->y) + rect->x * pixel_size;
        return draw(pages, cell, pass, pixels, 1 + sheet->width * pixel_size, err);
    }
    uint16_t *pixels = memory_alloc(rect->height, stride, err);
    if (!pixels)
        return -1;
    int result = draw(pages, cell, pass, pixels, stride, err);
    sheet_place(sheet, rect, pixels, stride);
    free(pixels);
    return result;
}

static int draw_cell(const struct pages *pages, const struct cell *cell, enum pass pass, const struct rect *rect,
                     struct sheet *sheet, struct error *err)
{
    const struct sheet_settings *settings = &pages->about.plan->job->sheet;
    if (draw_pixels(pages, cell, pass, rect, sheet, err) < 0)
        return -1;
    sheet_extrude(sheet, rect, settings->extrude);
    return sheet->kind == SHEET_GREY16 ? 0 : bleed_cell(sheet, rect, settings, err);
}

static int draw_cells(const struct pages *pages, const struct sheet_plan *plan, const struct layout_page *page,
                      enum pass pass, struct sheet *sheet, struct error *err)
{
    const struct cell **order = order_cells(plan->cells + page->first_cell, page->cell_count);
    int result = 0;
    for (size_t i = 0; i < page->cell_count && result == 0; i++)
        result = draw_cell(pages, order[i], pass, &plan->layout.cells[order[i] - plan->cells].rect, sheet, err);
    free(order);
    return result;
}

static int set_target(const struct pages *pages, struct error *err)
{
    const struct job *job = pages->about.plan->job;
    return renderer_set_target(pages->renderer, job->cell_px, job->supersample, err);
}

/* One pass after another, though each poses anew: a page may take 64 MiB, and only one is kept. */
int pages_draw_pass(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                    enum pass pass, struct blob *png, struct error *err)
{
    const struct layout_page *page = &sheet->layout.pages[page_of_sheet];
    struct sheet pixels;
    if (set_target(pages, err) < 0 ||
        sheet_init(&pixels, pass_rows[pass].sheet, page->width, page->height, err) < 0)
        return -1;
    int result = draw_cells(pages, sheet, page, pass, &pixels, err);
    stages_enter(pages->stages, STAGE_ENCODE);
    if (result == 0)
        result = sheet_save_png(&pixels, png, err);
    sheet_release(&pixels);
    return result;
}

/* -- Sheets that are drawn as a whole ---------------------------------------------------------------------- */

/* The passes of a job as the planes of its cells. */
struct planes {
    enum pass passes[PASS_COUNT];
    enum sheet_kind kinds[PASS_COUNT];
    void *pixels[PASS_COUNT]; /* of one whole cell */
    size_t count;
};

static void list_planes(const struct job *job, struct planes *planes)
{
    *planes = (struct planes){0};
    for (unsigned pass = 0; pass < PASS_COUNT; pass++) {
        if (!(job->passes & 1u << pass))
            continue;
        planes->passes[planes->count] = (enum pass)pass;
        planes->kinds[planes->count++] = pass_rows[pass].sheet;
    }
}

static int planes_alloc(struct planes *planes, const uint32_t cell_px[2], struct error *err)
{
    for (size_t i = 0; i < planes->count; i++) {
        planes->pixels[i] = memory_alloc(cell_px[1], cell_px[0] * sheet_pixel_size(planes->kinds[i]), err);
        if (!planes->pixels[i])
            return -1;
    }
    return 0;
}

static void planes_release(struct planes *planes)
{
    for (size_t i = 0; i < planes->count; i++)
        free(planes->pixels[i]);
}

static int draw_planes(const struct pages *pages, const struct cell *cell, const struct planes *planes,
                       struct error *err)
{
    const uint32_t *cell_px = pages->about.plan->job->cell_px;
    for (size_t i = 0; i < planes->count; i++)
        if (draw(pages, cell, planes->passes[i], planes->pixels[i],
                 cell_px[0] * sheet_pixel_size(planes->kinds[i]), err) < 0)
            return -1;
    return 0;
}

static int draw_all(const struct pages *pages, const struct sheet_plan *sheet, const struct planes *planes,
                    struct drawn *drawn, struct error *err)
{
    const struct cell **order = order_cells(sheet->cells, sheet->layout.cell_count);
    int result = 0;
    for (size_t i = 0; i < sheet->layout.cell_count && result == 0; i++) {
        result = draw_planes(pages, order[i], planes, err);
        if (result == 0)
            result = drawn_add(drawn, (size_t)(order[i] - sheet->cells), (const void *const *)planes->pixels, err);
    }
    free(order);
    return result;
}

int pages_draw_sheet(const struct pages *pages, struct sheet_plan *sheet, struct drawn *drawn, struct error *err)
{
    const struct job *job = pages->about.plan->job;
    struct drawn fresh = {0};
    struct planes planes;
    list_planes(job, &planes);
    int result = planes_alloc(&planes, job->cell_px, err);
    if (result == 0)
        result = set_target(pages, err);
    if (result == 0)
        result = drawn_init(&fresh, planes.kinds, planes.count, job->cell_px, sheet->layout.cell_count,
                            job->sheet.trim, err);
    if (result == 0)
        result = draw_all(pages, sheet, &planes, &fresh, err);
    stages_enter(pages->stages, STAGE_ENCODE);
    if (result == 0)
        result = drawn_lay_out(&fresh, &job->sheet, &sheet->strips, &sheet->layout, err);
    planes_release(&planes);
    if (result == 0)
        *drawn = fresh;
    else
        drawn_release(&fresh);
    return result;
}

static int paint_plane(const struct pages *pages, const struct sheet_plan *sheet, const struct drawn *drawn,
                       uint32_t page_of_sheet, size_t plane, struct blob *png, struct error *err)
{
    const struct layout_page *page = &sheet->layout.pages[page_of_sheet];
    struct sheet pixels;
    if (sheet_init(&pixels, drawn->kinds[plane], page->width, page->height, err) < 0)
        return -1;
    int result =
        drawn_paint(drawn, &pages->about.plan->job->sheet, &sheet->layout, page_of_sheet, plane, &pixels, err);
    if (result == 0)
        result = sheet_save_png(&pixels, png, err);
    sheet_release(&pixels);
    return result;
}

/* -- Files ------------------------------------------------------------------------------------------------- */

static struct blob *add_file(struct page_files *files, char *name)
{
    struct page_file *file = &files->items[files->count++];
    *file = (struct page_file){.name = name};
    return &file->blob;
}

void page_files_release(struct page_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        blob_release(&files->items[i].blob);
        free(files->items[i].name);
    }
    *files = (struct page_files){0};
}

static int make_pictures(const struct pages *pages, const struct sheet_plan *sheet, const struct drawn *drawn,
                         uint32_t page_of_sheet, struct page_files *files, struct error *err)
{
    struct planes planes;
    list_planes(pages->about.plan->job, &planes);
    for (size_t i = 0; i < planes.count; i++) {
        struct blob *png = add_file(files, names_picture(sheet->base, page_of_sheet, planes.passes[i]));
        int result = drawn ? paint_plane(pages, sheet, drawn, page_of_sheet, i, png, err)
                           : pages_draw_pass(pages, sheet, page_of_sheet, planes.passes[i], png, err);
        if (result < 0)
            return -1;
    }
    files->picture_count = files->count;
    return 0;
}

static int describe(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                    struct page_files *files, struct error *err)
{
    struct blob texts[METADATA_COUNT] = {{0}};
    int result = describe_page(&pages->about, sheet, page_of_sheet, texts, err);
    for (unsigned i = 0; i < METADATA_COUNT; i++)
        if (texts[i].data)
            *add_file(files, names_page(sheet->base, page_of_sheet, metadata_formats[i].suffix)) = texts[i];
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

static void list_warnings(struct record *record, const struct strings *warnings)
{
    const char **texts = arena_must_alloc(&record->arena, warnings->count, sizeof *texts);
    for (size_t i = 0; i < warnings->count; i++)
        texts[i] = without_place(warnings->items[i]);
    record->warnings = texts;
    record->warning_count = warnings->count;
}

/* A sheet that is laid out only when it is drawn is one page of the job, in parts. */
static void init_record(const struct record *of_job, const struct plan *plan, const struct sheet_plan *sheet,
                        uint32_t page_of_sheet, struct record *out)
{
    bool has_parts = layout_needs_pixels(&plan->job->sheet);
    *out = *of_job;
    out->arena = (struct arena){0};
    out->page = sheet->first_page + (has_parts ? 0 : page_of_sheet);
    out->page_count = plan->page_count;
    out->part = has_parts ? page_of_sheet : 0;
    out->part_count = has_parts ? sheet->layout.page_count : 1;
    out->files = arena_must_alloc(&out->arena, PASS_COUNT + METADATA_COUNT, sizeof *out->files);
    out->file_count = 0;
    list_warnings(out, &plan->warnings);
}

static void add_hash(struct record *record, const char *name, struct bytes bytes)
{
    struct record_file *files = (struct record_file *)record->files; /* ours, from init_record */
    char *hash = arena_must_alloc(&record->arena, HASH_SIZE, 1);
    hash_bytes(bytes, hash);
    size_t at = record->file_count++;
    name = path_base(name);
    for (; at > 0 && strcmp(files[at - 1].name, name) > 0; at--)
        files[at] = files[at - 1];
    files[at] = (struct record_file){arena_strdup(&record->arena, name), bytes.size, hash};
}

/* Has the hashes of all other files. */
static int add_record(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                      struct page_files *files, struct error *err)
{
    struct record record;
    init_record(pages->record, pages->about.plan, sheet, page_of_sheet, &record);
    for (size_t i = 0; i < files->count; i++)
        add_hash(&record, files->items[i].name, blob_bytes(&files->items[i].blob));
    int result = record_save(&record, add_file(files, names_page(sheet->base, page_of_sheet, RECORD_SUFFIX)), err);
    record_release(&record);
    return result;
}

int pages_make(const struct pages *pages, const struct sheet_plan *sheet, const struct drawn *drawn,
               uint32_t page_of_sheet, struct page_files *files, struct error *err)
{
    stages_enter(pages->stages, STAGE_ENCODE);
    if (make_pictures(pages, sheet, drawn, page_of_sheet, files, err) < 0 ||
        describe(pages, sheet, page_of_sheet, files, err) < 0)
        return -1;
    return add_record(pages, sheet, page_of_sheet, files, err);
}
