#include "bake/describe.h"

#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "job/names.h"
#include "model/root_motion.h"
#include "bake/scene.h"
#include "bake/skins.h"

/* One page being described. Everything made for it lives in the arena. */
struct page {
    const struct description *about;
    const struct plan *plan;
    const struct sheet_plan *sheet;
    uint32_t number; /* in the sheet */
    struct arena arena;
    struct atlas atlas;
};

static const struct view *view_of(const struct page *page, const struct cell *cell)
{
    return views_of(page->about->views, cell);
}

/* -- Frames and animations --------------------------------------------------------------------------------- */

/* Frame numbers have four digits, or as many as the last one needs: names sort as the frames play. */
static int frame_digits(size_t sample_count)
{
    int digits = 4;
    for (size_t most = 10000; most < sample_count; most *= 10)
        digits++;
    return digits;
}

static const char *animation_name(struct page *page, const struct cell *cell)
{
    char *name = plan_animation_name(page->plan, cell);
    const char *kept = arena_strdup(&page->arena, name);
    free(name);
    return kept;
}

/* The root motion from a clip's first keyframe to a pose, in the world. */
static void root_motion_since_start(const struct plan *plan, const struct take *take, const struct pose *pose,
                                    double out[2])
{
    const struct part *own = &plan->parts[0];
    const struct pose start = {.animation = pose->animation,
                               .moment = {take->clip->first_frame, take->clip->first_frame, 0}};
    vec3 from = {0}, moved = {0};
    root_motion_at(own->model, &start, (uint32_t)take->root, from);
    root_motion_at(own->model, pose, (uint32_t)take->root, moved);
    glm_vec3_sub(moved, from, moved);
    glm_mat4_mulv3((vec4 *)own->local, moved, 0, moved);
    out[0] = moved[0];
    out[1] = moved[1];
}

/* Of a sample. While an open loop blends its end into its start, the model has come all the way. */
static void describe_moved(const struct plan *plan, const struct take *take, uint32_t sample, double out[2])
{
    struct pose pose = take_pose(take, sample, plan->job->interpolation);
    if (pose.moment.frame_b < pose.moment.frame_a)
        pose.moment.blend = 0;
    root_motion_since_start(plan, take, &pose, out);
}

static void describe_travel(const struct plan *plan, const struct take *take, struct atlas_animation *out)
{
    uint32_t last = take->clip->first_frame + take->clip->frame_count - 1;
    const struct pose end = {.animation = take->animation, .moment = {last, last, 0}};
    out->travels = true;
    root_motion_since_start(plan, take, &end, out->travel);
}

static struct atlas_frame describe_frame(struct page *page, const struct cell *cell, const char *animation,
                                         const struct placement *at)
{
    const struct plan *plan = page->plan;
    const uint32_t *cell_px = plan->job->cell_px;
    const struct take *take = &plan->takes[cell->take];
    const struct view *view = view_of(page, cell);
    struct atlas_frame frame = {
        .name = arena_printf(&page->arena, "%s/%s/%0*u", plan->job->name, animation,
                             frame_digits(take->sample_count), cell->sample),
        .page = at->page,
        .rect = at->rect,
        .trimmed = at->source.width < cell_px[0] || at->source.height < cell_px[1],
        .source_rect = at->source,
        .source_px = {cell_px[0], cell_px[1]},
        .pivot = {view->pivot_px[0] / cell_px[0], view->pivot_px[1] / cell_px[1]},
        .time_s = take->times_s[cell->sample],
        .scale = {view->pixels_per_unit, view->nearest, view->farthest},
    };
    if (take->root >= 0)
        describe_moved(plan, take, cell->sample, frame.moved);
    if (take->clip)
        frame.duration_ms = 1000 * sampling_shown_s(take->sampling, take->clip, take->loop, take->times_s,
                                                    take->sample_count, cell->sample);
    return frame;
}

/* Those of the whole sheet: cells of one animation follow each other. */
static struct atlas_frame *describe_cells(struct page *page)
{
    const struct sheet_plan *sheet = page->sheet;
    size_t count = sheet->layout.cell_count;
    struct atlas_frame *frames = arena_must_alloc(&page->arena, count, sizeof *frames);
    struct atlas_animation *animations = arena_must_alloc(&page->arena, count, sizeof *animations);
    struct atlas_animation *last = animations;
    for (size_t i = 0; i < count; i++) {
        const struct cell *cell = &sheet->cells[i];
        if (i == 0 || cell->skin != cell[-1].skin || cell->take != cell[-1].take ||
            cell->camera != cell[-1].camera) {
            last = &animations[page->atlas.animation_count++];
            *last = (struct atlas_animation){
                .name = animation_name(page, cell),
                .first_frame = i,
                .loop = page->plan->takes[cell->take].loop,
            };
            if (page->plan->takes[cell->take].root >= 0)
                describe_travel(page->plan, &page->plan->takes[cell->take], last);
        }
        last->frame_count++;
        frames[i] = describe_frame(page, cell, last->name, &sheet->layout.cells[i]);
    }
    page->atlas.frames = frames;
    page->atlas.frame_count = count;
    page->atlas.animations = animations;
    return frames;
}

/* -- Cameras ----------------------------------------------------------------------------------------------- */

static void describe_camera(struct page *page, const struct camera *camera, const struct view *view,
                            bool is_steady, struct atlas_camera *out)
{
    *out = (struct atlas_camera){
        .name = camera->name,
        .projection = camera->projection == PROJECTION_PERSPECTIVE ? "perspective" : "orthographic",
        .is_steady = is_steady,
        .scale = {view->pixels_per_unit, view->nearest, view->farthest},
    };
    page->atlas.has_unsteady_cameras |= !is_steady;
}

/* Those that have cells in the sheet. A camera is steady when all its cells share one view. */
static void describe_cameras(struct page *page)
{
    const struct job *job = page->plan->job;
    const struct sheet_plan *sheet = page->sheet;
    const struct view **views = arena_must_alloc(&page->arena, job->camera_count, sizeof *views);
    bool *is_unsteady = arena_must_alloc(&page->arena, job->camera_count, sizeof *is_unsteady);
    for (size_t i = 0; i < sheet->layout.cell_count; i++) {
        uint32_t camera = sheet->cells[i].camera;
        const struct view *view = view_of(page, &sheet->cells[i]);
        if (!views[camera])
            views[camera] = view;
        is_unsteady[camera] |= view != views[camera];
    }
    struct atlas_camera *cameras = arena_must_alloc(&page->arena, job->camera_count, sizeof *cameras);
    for (uint32_t c = 0; c < job->camera_count; c++)
        if (views[c])
            describe_camera(page, &job->cameras[c], views[c], !is_unsteady[c],
                            &cameras[page->atlas.camera_count++]);
    page->atlas.cameras = cameras;
}

/* -- Passes ------------------------------------------------------------------------------------------------ */

static void describe_mask(struct page *page)
{
    const struct plan *plan = page->plan;
    size_t count = 0;
    for (size_t i = 0; i < plan->part_count; i++)
        count += plan->parts[i].model->surface_count;
    struct atlas_mask *masks = arena_must_alloc(&page->arena, count, sizeof *masks);
    uint32_t id = 0; /* as the studio counts: invisible surfaces have one, too, which no pixel has */
    for (size_t i = 0; i < plan->part_count; i++)
        for (uint32_t s = 0; s < plan->parts[i].model->surface_count; s++) {
            uint8_t color[4];
            mask_color(++id, color);
            if (!skins_is_visible(&plan->parts[i], s))
                continue;
            struct atlas_mask *mask = &masks[page->atlas.mask_count++];
            mask->part = plan->parts[i].name;
            mask->surface = plan->parts[i].model->surfaces[s].name;
            memcpy(mask->color, color, sizeof mask->color);
        }
    page->atlas.masks = masks;
}

static void describe_passes(struct page *page)
{
    uint32_t passes = page->plan->job->passes;
    struct atlas_pass *items = arena_must_alloc(&page->arena, PASS_COUNT, sizeof *items);
    for (unsigned pass = PASS_COLOR + 1; pass < PASS_COUNT; pass++) {
        if (!(passes & 1u << pass))
            continue;
        char *name = names_picture(page->sheet->base, page->number, (enum pass)pass);
        items[page->atlas.pass_count++] =
            (struct atlas_pass){pass_names[pass], arena_strdup(&page->arena, path_base(name))};
        free(name);
    }
    page->atlas.passes = items;
    page->atlas.has_depths = passes & 1u << PASS_DEPTH;
    if (passes & 1u << PASS_MASK)
        describe_mask(page);
}

/* -- Sockets ----------------------------------------------------------------------------------------------- */

/* Where a place of the world is seen: pixels of the untrimmed cell, and the distance along the line of sight. */
static struct atlas_point project(const struct page *page, const struct view *view, const vec3 place)
{
    const uint32_t *cell_px = page->plan->job->cell_px;
    vec3 seen;
    vec4 clip;
    glm_mat4_mulv3((vec4 *)view->world_to_view, (float *)place, 1, seen);
    glm_mat4_mulv((vec4 *)view->view_to_clip, (vec4){seen[0], seen[1], seen[2], 1}, clip);
    struct atlas_point point = {.depth = -seen[2], .is_seen = clip[3] > 0};
    if (point.is_seen) {
        point.px[0] = (1 + (double)clip[0] / clip[3]) / 2 * cell_px[0];
        point.px[1] = (1 - (double)clip[1] / clip[3]) / 2 * cell_px[1];
    }
    return point;
}

static const struct atlas_point *frame_sockets(struct page *page, const struct scene *scene,
                                               const struct cell *cell)
{
    const struct plan *plan = page->plan;
    struct atlas_point *points = arena_must_alloc(&page->arena, plan->socket_count, sizeof *points);
    for (size_t i = 0; i < plan->socket_count; i++) {
        mat4 place;
        scene_place(scene, &plan->sockets[i].place, place);
        points[i] = project(page, view_of(page, cell), place[3]);
    }
    return points;
}

/* In the frames of this page. */
static int describe_sockets(struct page *page, struct atlas_frame *frames, struct error *err)
{
    const struct plan *plan = page->plan;
    const struct sheet_plan *sheet = page->sheet;
    if (plan->socket_count == 0)
        return 0;
    struct scene scene;
    if (scene_init(&scene, plan, err) < 0)
        return -1;
    for (size_t i = 0; i < sheet->layout.cell_count; i++) {
        const struct cell *cell = &sheet->cells[i];
        if (sheet->layout.cells[i].page != page->number)
            continue;
        scene_pose_places(&scene, cell->take, cell->sample);
        frames[i].sockets = frame_sockets(page, &scene, cell);
    }
    scene_release(&scene);
    const char **names = arena_must_alloc(&page->arena, plan->socket_count, sizeof *names);
    for (size_t i = 0; i < plan->socket_count; i++)
        names[i] = plan->sockets[i].name;
    page->atlas.sockets = names;
    page->atlas.socket_count = plan->socket_count;
    return 0;
}

/* -- The page ---------------------------------------------------------------------------------------------- */

/* The last part of a path, which is freed. */
static const char *keep_base(struct page *page, char *path)
{
    const char *base = arena_strdup(&page->arena, path_base(path));
    free(path);
    return base;
}

static void describe_pages(struct page *page)
{
    const struct layout *layout = &page->sheet->layout;
    struct atlas_page *pages = arena_must_alloc(&page->arena, layout->page_count, sizeof *pages);
    for (uint32_t i = 0; i < layout->page_count; i++)
        pages[i] = (struct atlas_page){
            .image = keep_base(page, names_picture(page->sheet->base, i, PASS_COLOR)),
            .json = keep_base(page, names_page(page->sheet->base, i, metadata_formats[METADATA_JSON].suffix)),
            .width = layout->pages[i].width,
            .height = layout->pages[i].height,
        };
    page->atlas.pages = pages;
    page->atlas.page_count = layout->page_count;
    page->atlas.page = page->number;
}

static int save_files(const struct page *page, struct blob files[METADATA_COUNT], struct error *err)
{
    for (unsigned i = 0; i < METADATA_COUNT; i++) {
        const struct metadata_format *format = &metadata_formats[i];
        if (!(page->plan->job->metadata & 1u << i) || (page->number > 0 && format->is_of_sheet))
            continue;
        if (format->save(&page->atlas, &files[i], err) < 0)
            return -1;
    }
    return 0;
}

int describe_page(const struct description *description, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                  struct blob files[METADATA_COUNT], struct error *err)
{
    struct page page = {.about = description, .plan = description->plan, .sheet = sheet, .number = page_of_sheet};
    describe_pages(&page);
    struct atlas_frame *frames = describe_cells(&page);
    describe_cameras(&page);
    describe_passes(&page);
    int result = describe_sockets(&page, frames, err);
    if (result == 0)
        result = save_files(&page, files, err);
    arena_release(&page.arena);
    return result;
}
