#include "run/bake.h"

#include <cglm/mat4.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "render/background.h"
#include "render/context.h"
#include "render/renderer.h"
#include "run/looks.h"
#include "run/textures.h"
#include "run/views.h"
#include "sheet/atlas.h"
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
    struct drawable *drawable;
    struct mesh mesh;
    struct looks looks;
    struct sources sources;     /* every file that went into the job */
    struct atlas_input *inputs; /* the same, sorted by path */
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
    drawable_free(bake->drawable);
    views_release(&bake->views);
    mesh_release(&bake->mesh);
    plan_free(bake->plan);
    looks_release(&bake->looks);
    sources_release(&bake->sources);
    free(bake->inputs);
    bake->drawable = NULL;
    bake->plan = NULL;
    bake->inputs = NULL;
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

static int compare_inputs(const void *a, const void *b)
{
    return strcmp(((const struct atlas_input *)a)->path, ((const struct atlas_input *)b)->path);
}

/* Turns the files that went into the job into the list of them in its JSON. */
static void list_inputs(struct bake *bake)
{
    const struct sources *sources = &bake->sources;
    bake->inputs = must_alloc(sources->count, sizeof *bake->inputs);
    for (size_t i = 0; i < sources->count; i++) {
        bake->inputs[i].path = sources->items[i].path;
        memcpy(bake->inputs[i].hash, sources->items[i].hash, HASH_SIZE);
    }
    qsort(bake->inputs, sources->count, sizeof *bake->inputs, compare_inputs);
}

/* Loads what the surfaces look like, and lists every file that went into the job. */
static int load_looks(struct bake *bake, struct error *err)
{
    const struct plan *plan = bake->plan;
    for (size_t i = 0; i < plan->file.input_count; i++)
        sources_add(&bake->sources, plan->file.inputs[i].path, plan->file.inputs[i].hash);
    textures_trim(bake->textures);
    if (looks_load(&bake->looks, bake->textures, plan->model, plan->materials, &bake->sources, err) < 0)
        return -1;
    list_inputs(bake);
    return 0;
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

static int open_job(struct bake *bake, const struct job *job, struct error *err)
{
    const struct group *group;
    if (plan_open(bake->assets, job, &bake->plan, err) < 0 || load_looks(bake, err) < 0 ||
        frame_group(bake, &group, err) < 0 || views_init(&bake->views, bake->plan, group, err) < 0 ||
        mesh_init(&bake->mesh, bake->plan->model, err) < 0)
        return -1;
    return drawable_new(bake->renderer, bake->plan->model, &bake->drawable, err);
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

/* Orders cells by sample first, so that each is posed once and drawn for every camera. */
static int compare_by_sample(const void *a, const void *b)
{
    const struct cell *left = *(const struct cell *const *)a, *right = *(const struct cell *const *)b;
    if (left->take != right->take)
        return left->take < right->take ? -1 : 1;
    if (left->sample != right->sample)
        return left->sample < right->sample ? -1 : 1;
    return left->camera < right->camera ? -1 : left->camera > right->camera;
}

static void pose_cell(struct bake *bake, const struct cell *cell)
{
    const struct plan *plan = bake->plan;
    struct pose pose = take_pose(&plan->takes[cell->take], cell->sample, plan->job->interpolation);
    model_pose(plan->model, &pose, &bake->mesh);
    drawable_set_pose(bake->drawable, &bake->mesh);
}

static int draw_cell(struct bake *bake, const struct cell *cell, const struct rect *rect, struct sheet *sheet,
                     struct error *err)
{
    const struct job *job = bake->plan->job;
    size_t stride = 1 + (size_t)sheet->width * 4;
    uint8_t *pixels = sheet_row(sheet, rect->y) + (size_t)rect->x * 4;
    struct shot_part part = {bake->drawable, bake->looks.items, GLM_MAT4_IDENTITY_INIT, 1};
    struct shot shot = {.parts = &part, .part_count = 1, .light = &job->light, .view = views_of(&bake->views, cell)};
    renderer_draw(bake->renderer, &shot, PASS_COLOR);
    if (renderer_read(bake->renderer, pixels, stride, err) < 0)
        return -1;
    background_apply(&job->background, pixels, stride, rect->width, rect->height);
    sheet_extrude(sheet, rect, job->sheet.extrude);
    return 0;
}

static int draw_cells(struct bake *bake, const struct sheet_plan *plan, const struct layout_page *page,
                      struct sheet *sheet, struct error *err)
{
    const struct cell **order = must_alloc(page->cell_count, sizeof *order);
    for (size_t i = 0; i < page->cell_count; i++)
        order[i] = &plan->cells[page->first_cell + i];
    qsort(order, page->cell_count, sizeof *order, compare_by_sample);

    int result = 0;
    for (size_t i = 0; i < page->cell_count && result == 0; i++) {
        if (i == 0 || order[i]->take != order[i - 1]->take || order[i]->sample != order[i - 1]->sample)
            pose_cell(bake, order[i]);
        result = draw_cell(bake, order[i], &plan->layout.cells[order[i] - plan->cells].rect, sheet, err);
    }
    free(order);
    return result;
}

static int draw_page(struct bake *bake, const struct sheet_plan *plan, uint32_t page_of_sheet, struct blob *png,
                     struct error *err)
{
    const struct job *job = bake->plan->job;
    const struct layout_page *page = &plan->layout.pages[page_of_sheet];
    struct sheet sheet;
    if (renderer_set_target(bake->renderer, job->cell_px, job->supersample, err) < 0 ||
        sheet_init(&sheet, SHEET_COLOR, page->width, page->height, err) < 0)
        return -1;
    int result = draw_cells(bake, plan, page, &sheet, err);
    if (result == 0)
        result = sheet_save_png(&sheet, png, err);
    sheet_release(&sheet);
    return result;
}

/* -- Describing a page ------------------------------------------------------------------------------------- */

/* Frame numbers have four digits, or as many as the last one needs: names sort as the frames play. */
static int frame_digits(size_t sample_count)
{
    int digits = 4;
    for (size_t most = 10000; most < sample_count; most *= 10)
        digits++;
    return digits;
}

static struct atlas_frame describe_frame(struct arena *arena, const struct bake *bake, const struct cell *cell,
                                         const struct rect *rect)
{
    const struct plan *plan = bake->plan;
    const struct job *job = plan->job;
    const struct take *take = &plan->takes[cell->take];
    const struct view *view = views_of(&bake->views, cell);
    struct atlas_frame frame = {
        .name = arena_printf(arena, "%s/%s/%s/%0*u", job->name, take->name, job->cameras[cell->camera].name,
                             frame_digits(take->sample_count), cell->sample),
        .rect = *rect,
        .source_rect = {0, 0, rect->width, rect->height},
        .source_px = {rect->width, rect->height},
        .pivot = {view->pivot_px[0] / rect->width, view->pivot_px[1] / rect->height},
        .time_s = take->times_s[cell->sample],
    };
    if (take->clip)
        frame.duration_ms = 1000 * sampling_shown_s(take->sampling, take->clip, take->loop, take->times_s,
                                                    take->sample_count, cell->sample);
    return frame;
}

/* Frames and animations of a whole sheet: cells of one take and camera follow each other. */
static void describe_cells(struct arena *arena, const struct bake *bake, const struct sheet_plan *plan,
                           struct atlas *atlas)
{
    size_t count = plan->layout.cell_count;
    struct atlas_frame *frames = arena_must_alloc(arena, count, sizeof *frames);
    struct atlas_animation *animations = arena_must_alloc(arena, count, sizeof *animations);
    for (size_t i = 0; i < count; i++) {
        const struct cell *cell = &plan->cells[i];
        const struct take *take = &bake->plan->takes[cell->take];
        frames[i] = describe_frame(arena, bake, cell, &plan->layout.cells[i].rect);
        if (i == 0 || cell->take != cell[-1].take || cell->camera != cell[-1].camera)
            animations[atlas->animation_count++] = (struct atlas_animation){
                .name = arena_printf(arena, "%s/%s", take->name, bake->plan->job->cameras[cell->camera].name),
                .first_frame = i,
                .loop = take->loop,
            };
        animations[atlas->animation_count - 1].frame_count++;
    }
    atlas->frames = frames;
    atlas->frame_count = count;
    atlas->animations = animations;
}

static void describe_cameras(struct arena *arena, const struct bake *bake, const struct sheet_plan *plan,
                             struct atlas *atlas)
{
    const struct job *job = bake->plan->job;
    struct atlas_camera *cameras = arena_must_alloc(arena, job->camera_count, sizeof *cameras);
    for (uint32_t c = 0; c < job->camera_count; c++) {
        const struct cell *cell = NULL; /* the first one this camera sees */
        for (size_t i = 0; i < plan->layout.cell_count && !cell; i++)
            if (plan->cells[i].camera == c)
                cell = &plan->cells[i];
        if (!cell)
            continue;
        cameras[atlas->camera_count++] = (struct atlas_camera){
            .name = job->cameras[c].name,
            .projection = job->cameras[c].projection == PROJECTION_PERSPECTIVE ? "perspective" : "orthographic",
            .pixels_per_unit = views_of(&bake->views, cell)->pixels_per_unit,
        };
    }
    atlas->cameras = cameras;
}

static void describe_siblings(struct arena *arena, const struct sheet_plan *plan, uint32_t page_of_sheet,
                              struct atlas *atlas)
{
    const char **siblings = arena_must_alloc(arena, plan->layout.page_count, sizeof *siblings);
    for (uint32_t i = 0; i < plan->layout.page_count; i++) {
        if (i == page_of_sheet)
            continue;
        char *name = plan_page_name(plan, i, ".json");
        siblings[atlas->sibling_count++] = arena_strdup(arena, path_base(name));
        free(name);
    }
    atlas->siblings = siblings;
}

static int describe_page(const struct bake *bake, const struct sheet_plan *plan, uint32_t page_of_sheet,
                         const char *png_name, struct blob *json, struct error *err)
{
    struct arena arena = {0};
    const struct layout_page *page = &plan->layout.pages[page_of_sheet];
    struct atlas atlas = {
        .image = path_base(png_name),
        .width = page->width,
        .height = page->height,
        .first_frame = page->first_cell,
        .page_frame_count = page->cell_count,
        .renderer = context_description(bake->context),
        .inputs = bake->inputs,
        .input_count = bake->sources.count,
        .warnings = (const char *const *)bake->plan->file.warnings.items,
        .warning_count = bake->plan->file.warnings.count,
    };
    describe_cells(&arena, bake, plan, &atlas);
    describe_cameras(&arena, bake, plan, &atlas);
    describe_siblings(&arena, plan, page_of_sheet, &atlas);
    int result = atlas_save_json(&atlas, json, err);
    arena_release(&arena);
    return result;
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

/* Both files or neither: a picture without its description would pass for a finished page. */
static int write_page(struct bake *bake, const char *png_name, const struct blob *png, const char *json_name,
                      const struct blob *json, struct error *err)
{
    if (write_output(bake, png_name, blob_bytes(png), err) < 0)
        return -1;
    if (write_output(bake, json_name, blob_bytes(json), err) < 0) {
        char *path = path_join(bake->list->output, png_name);
        unlink(path);
        free(path);
        return -1;
    }
    return 0;
}

int bake_page(struct bake *bake, uint32_t page, struct error *err)
{
    uint32_t page_of_sheet;
    const struct sheet_plan *plan = plan_sheet_of_page(bake->plan, page, &page_of_sheet);
    char *png_name = plan_page_name(plan, page_of_sheet, ".png");
    char *json_name = plan_page_name(plan, page_of_sheet, ".json");
    struct blob png = {0}, json = {0};
    int result = -1;
    if (draw_page(bake, plan, page_of_sheet, &png, err) == 0 &&
        describe_page(bake, plan, page_of_sheet, png_name, &json, err) == 0)
        result = write_page(bake, png_name, &png, json_name, &json, err);
    blob_release(&png);
    blob_release(&json);
    free(png_name);
    free(json_name);
    return result;
}

int bake_picture(struct bake *bake, struct blob *png, struct error *err)
{
    return draw_page(bake, &bake->plan->sheets[0], 0, png, err);
}
