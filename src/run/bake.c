#include "run/bake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "render/context.h"
#include "render/renderer.h"
#include "run/describe.h"
#include "run/studio.h"
#include "run/textures.h"
#include "run/views.h"
#include "sheet/sheet.h"

struct bake {
    char *note;
    size_t note_size;
    struct context *context;
    struct renderer *renderer;

    /* Of the list whose assets are open. */
    const struct job_list *list;
    struct assets *assets;
    struct textures *textures;
    struct group *groups; /* framed so far: jobs of several groups may alternate */
    size_t group_count, group_capacity;

    /* Of the open job. */
    struct plan *plan;
    struct views views;
    struct studio *studio;
    struct sources sources; /* every file that went into the job */
};

struct bake *bake_new(char *note, size_t note_size)
{
    struct bake *bake = must_alloc(1, sizeof *bake);
    bake->note = note;
    bake->note_size = note_size;
    return bake;
}

static void close_job(struct bake *bake)
{
    studio_close(bake->studio);
    views_release(&bake->views);
    plan_free(bake->plan);
    sources_release(&bake->sources);
    bake->studio = NULL;
    bake->plan = NULL;
}

static void close_list(struct bake *bake)
{
    close_job(bake);
    for (size_t i = 0; i < bake->group_count; i++)
        group_release(&bake->groups[i]);
    free(bake->groups);
    bake->groups = NULL;
    bake->group_count = bake->group_capacity = 0;
    textures_free(bake->textures);
    assets_close(bake->assets);
    bake->textures = NULL;
    bake->assets = NULL;
    bake->list = NULL;
}

void bake_free(struct bake *bake)
{
    if (!bake)
        return;
    close_list(bake);
    renderer_free(bake->renderer);
    context_close(bake->context);
    free(bake);
}

int bake_start(struct bake *bake, enum backend_choice backend, struct error *err)
{
    if (context_open(backend, &bake->context, err) < 0)
        return -1;
    return renderer_new(bake->context, &bake->renderer, err);
}

/* -- Opening a job ----------------------------------------------------------------------------------------- */

static int open_list(struct bake *bake, const struct job_list *list, struct error *err)
{
    if (bake->list == list)
        return 0;
    close_list(bake);
    if (assets_open(list->roots, list->root_count, &bake->assets, err) < 0)
        return -1;
    bake->textures = textures_new(bake->renderer, bake->assets);
    bake->list = list;
    return 0;
}

static void add_sources(struct bake *bake, const struct sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        sources_add(&bake->sources, sources->items[i].path, sources->items[i].hash);
}

static void add_plan_sources(struct bake *bake)
{
    const struct plan *plan = bake->plan;
    add_sources(bake, &plan->sources);
    for (size_t i = 0; i < plan->part_count; i++)
        for (size_t j = 0; j < plan->parts[i].file.input_count; j++) {
            const struct input_file *input = &plan->parts[i].file.inputs[j];
            sources_add(&bake->sources, input->path, input->hash);
        }
}

static const struct group *find_group(const struct bake *bake, const char *name)
{
    for (size_t i = 0; i < bake->group_count; i++)
        if (!strcmp(bake->groups[i].name, name))
            return &bake->groups[i];
    return NULL;
}

/* What the job's group shows, or NULL where the job is framed by itself. */
static int frame_group(struct bake *bake, const struct group **out, struct error *err)
{
    const struct fit *fit = &bake->plan->job->fit;
    const struct group *group = fit->scope == FIT_GROUP ? find_group(bake, fit->group) : NULL;
    if (fit->scope == FIT_GROUP && !group) {
        struct group fresh;
        if (group_frame(&fresh, bake->assets, bake->list, fit->group, err) < 0)
            return -1;
        bake->groups = must_grow(bake->groups, bake->group_count, &bake->group_capacity, sizeof *bake->groups);
        bake->groups[bake->group_count] = fresh;
        group = &bake->groups[bake->group_count++];
    }
    *out = group;
    return 0;
}

static void warn_flat_depths(struct bake *bake)
{
    const struct views *views = &bake->views;
    bool is_flat = false;
    for (size_t i = 0; i < views->row_count * views->camera_count; i++)
        is_flat |= views->items[i].is_flat;
    if (is_flat && bake->plan->job->passes & 1u << PASS_DEPTH)
        strings_printf(&bake->plan->warnings, "%s: the depth pass shows nothing: all of it lies at one distance",
                       bake->plan->job->model);
}

static int open_job(struct bake *bake, const struct job *job, struct error *err)
{
    const struct group *group;
    if (plan_open(bake->assets, job, &bake->plan, err) < 0 || frame_group(bake, &group, err) < 0 ||
        views_init(&bake->views, bake->plan, group, err) < 0)
        return -1;
    warn_flat_depths(bake);
    add_plan_sources(bake);
    textures_trim(bake->textures);
    return studio_open(&bake->studio, bake->renderer, bake->textures, bake->plan, &bake->views, &bake->sources,
                       err);
}

int bake_open(struct bake *bake, const struct bake_job *job, const struct plan **plan, struct error *err)
{
    if (open_list(bake, job->list, err) < 0)
        return -1;
    if (!bake->plan || bake->plan->job != job->job) {
        close_job(bake);
        if (open_job(bake, job->job, err) < 0) {
            close_job(bake);
            return -1;
        }
    }
    *plan = bake->plan;
    return 0;
}

/* -- Drawing a page ---------------------------------------------------------------------------------------- */

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

static enum sheet_kind kind_of(enum pass pass)
{
    switch (pass) {
    case PASS_NORMAL:
    case PASS_MASK:
    case PASS_UV:
        return SHEET_DATA;
    case PASS_DEPTH:
        return SHEET_GREY16;
    default:
        return SHEET_COLOR;
    }
}

/* In place, but for pixels of 16 bits, for which the rows of a sheet are not aligned. */
static int draw_cell(struct bake *bake, const struct cell *cell, enum pass pass, const struct rect *rect,
                     struct sheet *sheet, struct error *err)
{
    size_t pixel_size = sheet_pixel_size(sheet->kind);
    int result;
    if (sheet->kind == SHEET_GREY16) {
        size_t stride = rect->width * pixel_size;
        uint16_t *pixels = memory_alloc(rect->height, stride, err);
        if (!pixels)
            return -1;
        result = studio_draw(bake->studio, cell, pass, pixels, stride, err);
        sheet_place(sheet, rect, pixels, stride);
        free(pixels);
    } else {
        uint8_t *pixels = sheet_row(sheet, rect->y) + rect->x * pixel_size;
        result = studio_draw(bake->studio, cell, pass, pixels, 1 + sheet->width * pixel_size, err);
    }
    sheet_extrude(sheet, rect, bake->plan->job->sheet.extrude);
    return result;
}

static int draw_cells(struct bake *bake, const struct sheet_plan *plan, const struct layout_page *page,
                      enum pass pass, struct sheet *sheet, struct error *err)
{
    const struct cell **order = must_alloc(page->cell_count, sizeof *order);
    for (size_t i = 0; i < page->cell_count; i++)
        order[i] = &plan->cells[page->first_cell + i];
    qsort(order, page->cell_count, sizeof *order, compare_by_sample);

    int result = 0;
    for (size_t i = 0; i < page->cell_count && result == 0; i++)
        result = draw_cell(bake, order[i], pass, &plan->layout.cells[order[i] - plan->cells].rect, sheet, err);
    free(order);
    return result;
}

/* One pass after another, though each poses anew: a page may take 64 MiB, and only one is kept. */
static int draw_pass(struct bake *bake, const struct sheet_plan *plan, uint32_t page_of_sheet, enum pass pass,
                     struct blob *png, struct error *err)
{
    const struct job *job = bake->plan->job;
    const struct layout_page *page = &plan->layout.pages[page_of_sheet];
    struct sheet sheet;
    if (renderer_set_target(bake->renderer, job->cell_px, job->supersample, err) < 0 ||
        sheet_init(&sheet, kind_of(pass), page->width, page->height, err) < 0)
        return -1;
    int result = draw_cells(bake, plan, page, pass, &sheet, err);
    if (result == 0)
        result = sheet_save_png(&sheet, png, err);
    sheet_release(&sheet);
    return result;
}

/* The files of a page as they are made. */
struct page_file {
    char *name; /* below the output folder */
    struct blob blob;
    bool is_written;
};

struct page_files {
    struct page_file items[PASS_COUNT + 1];
    size_t count;
};

static struct blob *add_file(struct page_files *files, char *name)
{
    struct page_file *file = &files->items[files->count++];
    *file = (struct page_file){.name = name};
    return &file->blob;
}

static int make_page(struct bake *bake, const struct sheet_plan *plan, uint32_t page_of_sheet,
                     struct page_files *files, struct error *err)
{
    const struct description description = {bake->plan, &bake->views, &bake->sources,
                                            context_description(bake->context)};
    for (unsigned pass = 0; pass < PASS_COUNT; pass++) {
        if (!(bake->plan->job->passes & 1u << pass))
            continue;
        struct blob *png = add_file(files, plan_pass_name(plan, page_of_sheet, (enum pass)pass));
        if (draw_pass(bake, plan, page_of_sheet, (enum pass)pass, png, err) < 0)
            return -1;
    }
    struct blob *json = add_file(files, plan_page_name(plan, page_of_sheet, ".json"));
    return describe_page(&description, plan, page_of_sheet, json, err);
}

/* -- Writing a page ---------------------------------------------------------------------------------------- */

/* Workers in different containers that share the output may have one process number. */
static uint32_t random_number(void)
{
    uint32_t number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = (uint32_t)time(NULL);
    return number;
}

/* Writes under a temporary name in the same folder: ".NAME.PID-RANDOM.tmp", known to the supervisor by the note. */
static int write_output(struct bake *bake, const char *name, struct bytes bytes, struct error *err)
{
    char *path = path_join(bake->list->output, name);
    char *folder = path_folder(path);
    int length = snprintf(bake->note, bake->note_size, "%s/.%s.%ld-%08x.tmp", folder, path_base(path),
                          (long)getpid(), random_number());
    int result;
    if (length < 0 || (size_t)length >= bake->note_size)
        result = error_set(err, "%s: this path is too long", path);
    else if ((result = file_make_folders(folder, err)) == 0)
        result = file_replace(path, bake->note, bytes, err);
    bake->note[0] = '\0';
    free(folder);
    free(path);
    return result;
}

/* All files or none: a picture without its description would pass for a finished page. */
static int write_page(struct bake *bake, struct page_files *files, struct error *err)
{
    int result = 0;
    for (size_t i = 0; i < files->count && result == 0; i++) {
        result = write_output(bake, files->items[i].name, blob_bytes(&files->items[i].blob), err);
        files->items[i].is_written = result == 0;
    }
    for (size_t i = 0; i < files->count && result < 0; i++) {
        if (!files->items[i].is_written)
            continue;
        char *path = path_join(bake->list->output, files->items[i].name);
        unlink(path);
        free(path);
    }
    return result;
}

int bake_page(struct bake *bake, uint32_t page, struct error *err)
{
    uint32_t page_of_sheet;
    const struct sheet_plan *plan = plan_sheet_of_page(bake->plan, page, &page_of_sheet);
    struct page_files files = {0};
    int result = make_page(bake, plan, page_of_sheet, &files, err);
    if (result == 0)
        result = write_page(bake, &files, err);
    for (size_t i = 0; i < files.count; i++) {
        blob_release(&files.items[i].blob);
        free(files.items[i].name);
    }
    return result;
}

int bake_picture(struct bake *bake, struct blob *png, struct error *err)
{
    return draw_pass(bake, &bake->plan->sheets[0], 0, PASS_COLOR, png, err);
}
