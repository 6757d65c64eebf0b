/* Measures where the time of a sheet goes: draws 64 cells of 128x128 and writes their page, in one process.
 *
 *     stages SKIN MODEL [ANIMATION]
 *
 * Times are milliseconds of the processor for each cell, the least of several rounds. The last row is the same page
 * written by libpng with its default settings. */
#include <cglm/mat4.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/memory.h"
#include "image/image_format.h"
#include "render/renderer.h"
#include "sheet/sheet.h"

enum { ROUNDS = 15, CELLS = 64, COLUMNS = 8, CELL_PX = 128, SUPERSAMPLE = 2, FILE_LIMIT = 64 << 20 };

enum stage { POSE, FRAME, UPLOAD, DRAW, READ, ENCODE, LIBPNG, DRAW_FULL, STAGE_COUNT };

static const char *const stage_names[STAGE_COUNT] = {
    "pose",
    "frame",
    "upload the pose",
    "draw",
    "read back and downsample",
    "write the PNG",
    "libpng, default settings",
    "draw with normal and specular maps",
};

/* What the page is drawn with. */
struct scene {
    struct context *context;
    struct renderer *renderer;
    struct texture skin, bumps;
    struct model *model;
    struct mesh mesh;
    struct drawable *drawable;
    struct look *looks, *full_looks; /* the same with normal and specular maps */
    struct camera camera;
    struct fit fit;
    struct view view;
};

static const struct light_rig light = {
    .key = {{-0.5f, 0.75f, 0.7f}, {1, 0.92f, 0.82f}},
    .fill = {{0.9f, 0.1f, 0.5f}, {0.15f, 0.17f, 0.25f}},
    .sky = {0.33f, 0.36f, 0.45f},
    .ground = {0.08f, 0.06f, 0.05f},
};

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Adds the time since *last to a stage. */
static void lap(double spent_ms[STAGE_COUNT], enum stage stage, double *last)
{
    double now = cpu_ms();
    spent_ms[stage] += now - *last;
    *last = now;
}

/* -- Opening ----------------------------------------------------------------------------------------------- */

static int load_model(struct scene *scene, const char *path, const char *animation, struct error *err)
{
    struct blob blob;
    if (file_read(path, FILE_LIMIT, &blob, err) < 0)
        return -1;
    int result = model_load(blob_bytes(&blob), NULL, &scene->model, err);
    blob_release(&blob);
    if (result < 0 || !animation)
        return result;
    if (file_read(animation, FILE_LIMIT, &blob, err) < 0)
        return -1;
    result = model_add_animation(scene->model, "", blob_bytes(&blob), err);
    blob_release(&blob);
    return result;
}

/* A normal map as large as the skin, leaning by the skin's own colours. */
static int add_bumps(struct scene *scene, struct image *image, struct error *err)
{
    for (size_t i = 0; i < (size_t)image->width * image->height * 4; i += 4) {
        image->pixels[i] = (uint8_t)(96 + image->pixels[i] / 4);
        image->pixels[i + 1] = (uint8_t)(96 + image->pixels[i + 1] / 4);
        image->pixels[i + 2] = 255;
    }
    return renderer_add_texture(scene->renderer, image, MIPMAP_DATA, &scene->bumps, err);
}

static int load_skin(struct scene *scene, const char *path, struct error *err)
{
    struct blob blob;
    struct image image;
    if (file_read(path, FILE_LIMIT, &blob, err) < 0)
        return -1;
    int result = image_load(blob_bytes(&blob), &image, err);
    blob_release(&blob);
    if (result < 0)
        return -1;
    result = renderer_add_texture(scene->renderer, &image, MIPMAP_COLOR, &scene->skin, err);
    if (result == 0)
        result = add_bumps(scene, &image, err);
    image_release(&image);
    return result;
}

static int scene_open(struct scene *scene, const char *skin, const char *model, const char *animation,
                      struct error *err)
{
    const uint32_t cell_px[2] = {CELL_PX, CELL_PX};
    if (load_model(scene, model, animation, err) < 0 || context_open(BACKEND_AUTO, &scene->context, err) < 0 ||
        renderer_new(scene->context, &scene->renderer, err) < 0 || load_skin(scene, skin, err) < 0 ||
        mesh_init(&scene->mesh, scene->model, err) < 0 ||
        drawable_new(scene->renderer, scene->model, &scene->drawable, err) < 0 ||
        renderer_set_target(scene->renderer, cell_px, SUPERSAMPLE, err) < 0)
        return -1;
    scene->looks = must_alloc(scene->model->surface_count, sizeof *scene->looks);
    scene->full_looks = must_alloc(scene->model->surface_count, sizeof *scene->full_looks);
    for (uint32_t i = 0; i < scene->model->surface_count; i++) {
        scene->looks[i] = scene->full_looks[i] = (struct look){.diffuse = scene->skin, .alpha_test = -1};
        scene->full_looks[i].normal = scene->bumps;
        scene->full_looks[i].specular = scene->skin;
    }
    scene->camera = (struct camera){.name = "three_quarter", .yaw_deg = 30, .pitch_deg = 20};
    scene->fit = (struct fit){.scope = FIT_JOB, .margin = 0.05f};
    return 0;
}

static void scene_close(struct scene *scene)
{
    drawable_free(scene->drawable);
    mesh_release(&scene->mesh);
    model_free(scene->model);
    free(scene->looks);
    free(scene->full_looks);
    renderer_free(scene->renderer);
    context_close(scene->context);
}

/* -- Measuring --------------------------------------------------------------------------------------------- */

static void pose_cell(struct scene *scene, int cell)
{
    const struct clip *clip = &scene->model->clips[0];
    double time_s = clip_duration_s(clip, true) * cell / CELLS;
    struct pose pose = {.animation = (int32_t)clip->animation, .moment = clip_moment(clip, time_s, true)};
    model_pose(scene->model, &pose, &scene->mesh);
}

static void frame_cells(struct scene *scene, double spent_ms[STAGE_COUNT])
{
    struct framing framing;
    const uint32_t cell_px[2] = {CELL_PX, CELL_PX};
    framing_init(&framing, &scene->camera, &scene->fit, cell_px);
    double last = cpu_ms();
    for (int cell = 0; cell < CELLS; cell++) {
        pose_cell(scene, cell);
        lap(spent_ms, POSE, &last);
        framing_add(&framing, scene->model->used_points, scene->model->used_point_count, &scene->mesh,
                    (mat4)GLM_MAT4_IDENTITY_INIT);
        lap(spent_ms, FRAME, &last);
    }
    framing_view(&framing, framing_scale(&framing), &scene->view);
}

/* OpenGL does what it is told when the pixels are asked for: the first read draws, a second one reads only. */
static int draw_cell(struct scene *scene, const struct look *looks, enum stage stage, uint8_t *pixels,
                     size_t stride, double spent_ms[STAGE_COUNT], struct error *err)
{
    struct shot_part part = {scene->drawable, looks, GLM_MAT4_IDENTITY_INIT, 1};
    struct shot shot = {.parts = &part, .part_count = 1, .light = &light, .view = &scene->view};
    double last = cpu_ms();
    renderer_draw(scene->renderer, &shot, PASS_COLOR);
    if (renderer_read(scene->renderer, pixels, stride, err) < 0)
        return -1;
    lap(spent_ms, stage, &last);
    if (renderer_read(scene->renderer, pixels, stride, err) < 0)
        return -1;
    double before = last;
    lap(spent_ms, READ, &last);
    spent_ms[stage] -= last - before;
    return 0;
}

static int draw_cells(struct scene *scene, struct sheet *sheet, double spent_ms[STAGE_COUNT], struct error *err)
{
    size_t stride = 1 + (size_t)sheet->width * 4;
    double last = cpu_ms();
    for (int cell = 0; cell < CELLS; cell++) {
        uint8_t *pixels = sheet_row(sheet, (uint32_t)(cell / COLUMNS * CELL_PX)) + cell % COLUMNS * CELL_PX * 4;
        pose_cell(scene, cell);
        lap(spent_ms, POSE, &last);
        drawable_set_pose(scene->drawable, &scene->mesh);
        lap(spent_ms, UPLOAD, &last);
        if (draw_cell(scene, scene->full_looks, DRAW_FULL, pixels, stride, spent_ms, err) < 0 ||
            draw_cell(scene, scene->looks, DRAW, pixels, stride, spent_ms, err) < 0)
            return -1;
        last = cpu_ms();
    }
    spent_ms[READ] /= 2; /* read after both */
    return 0;
}

static void append(png_structp png, png_bytep data, size_t size)
{
    struct blob *out = png_get_io_ptr(png);
    out->data = must_realloc(out->data, out->size + size, 1);
    memcpy(out->data + out->size, data, size);
    out->size += size;
}

static struct blob write_with_libpng(const struct sheet *sheet)
{
    struct blob out = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL); /* errors abort */
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(png, &out, append, NULL);
    png_set_IHDR(png, info, sheet->width, sheet->height, 8, PNG_COLOR_TYPE_RGB_ALPHA, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (uint32_t y = 0; y < sheet->height; y++)
        png_write_row(png, sheet_row(sheet, y));
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return out;
}

/* Encodes the page both ways; the second is slow, and measured in the first rounds only. */
static int encode(struct sheet *sheet, bool with_libpng, double spent_ms[STAGE_COUNT], size_t sizes[2],
                  struct error *err)
{
    double last = cpu_ms();
    if (with_libpng) {
        struct blob slow = write_with_libpng(sheet);
        lap(spent_ms, LIBPNG, &last);
        sizes[1] = slow.size;
        blob_release(&slow);
    }
    last = cpu_ms();
    struct blob png;
    if (sheet_save_png(sheet, &png, err) < 0)
        return -1;
    lap(spent_ms, ENCODE, &last);
    sizes[0] = png.size;
    blob_release(&png);
    return 0;
}

static int measure_round(struct scene *scene, bool with_libpng, double spent_ms[STAGE_COUNT], size_t sizes[2],
                         struct error *err)
{
    struct sheet sheet;
    if (sheet_init(&sheet, SHEET_COLOR, COLUMNS * CELL_PX, CELLS / COLUMNS * CELL_PX, err) < 0)
        return -1;
    frame_cells(scene, spent_ms);
    int result = draw_cells(scene, &sheet, spent_ms, err);
    if (result == 0)
        result = encode(&sheet, with_libpng, spent_ms, sizes, err);
    sheet_release(&sheet);
    return result;
}

static int measure(struct scene *scene, double least_ms[STAGE_COUNT], size_t sizes[2], struct error *err)
{
    enum { ROUNDS_WITH_LIBPNG = 3 };
    for (int i = 0; i < STAGE_COUNT; i++)
        least_ms[i] = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        bool with_libpng = round < ROUNDS_WITH_LIBPNG;
        double spent_ms[STAGE_COUNT] = {0};
        if (measure_round(scene, with_libpng, spent_ms, sizes, err) < 0)
            return -1;
        for (int i = 0; i < STAGE_COUNT; i++)
            if (i != LIBPNG || with_libpng)
                least_ms[i] = fmin(least_ms[i], spent_ms[i]);
    }
    return 0;
}

static void report(const double least_ms[STAGE_COUNT], const size_t sizes[2])
{
    double sum_ms = 0;
    for (int i = POSE; i <= ENCODE; i++) {
        printf("  %-54s %8.3f ms%s\n", stage_names[i], least_ms[i] / CELLS,
               i == POSE ? "   (twice: to frame the cells, and to draw them)" : "");
        sum_ms += least_ms[i];
    }
    printf("  %-54s %8.3f ms\n", "together", sum_ms / CELLS);
    printf("  %-54s %8.3f ms   (%.2f times)\n", stage_names[DRAW_FULL], least_ms[DRAW_FULL] / CELLS,
           least_ms[DRAW_FULL] / least_ms[DRAW]);
    printf("  %-54s %8.1f ms   (%zu bytes)\n", "the PNG of the 1024x1024 sheet", least_ms[ENCODE], sizes[0]);
    printf("  %-54s %8.1f ms   (%zu bytes)\n", stage_names[LIBPNG], least_ms[LIBPNG], sizes[1]);
}

int main(int argc, char **argv)
{
    struct error err;
    struct scene scene = {0};
    double least_ms[STAGE_COUNT];
    size_t sizes[2];
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: %s SKIN MODEL [ANIMATION]\n", argv[0]);
        return 2;
    }
    if (scene_open(&scene, argv[1], argv[2], argc > 3 ? argv[3] : NULL, &err) < 0 ||
        measure(&scene, least_ms, sizes, &err) < 0) {
        fprintf(stderr, "%s: %s\n", argv[0], err.text);
        return 1;
    }
    report(least_ms, sizes);
    scene_close(&scene);
    return 0;
}
