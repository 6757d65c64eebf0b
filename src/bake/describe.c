#include "bake/pages.h"

#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <math.h>
#include <string.h>

#include "plan/planner.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/names.h"
#include "model/root_motion.h"

/* One page being described. Everything made for it lives in the arena. */
struct described_page {
    const struct pages *pages;
    const struct plan *plan;
    const struct sheet_plan *sheet;
    uint32_t number; /* in the sheet */
    struct arena arena;
    struct atlas atlas;
};

/* -- Frames and clips -------------------------------------------------------------------------------------- */

/* The root motion from a clip's first keyframe to a pose, in the world. */
static void root_motion_since_start(const struct plan *plan, const struct take *take, const struct pose *pose,
                                    double out[2])
{
    const struct part *own = &plan->parts[0];
    const struct pose start = {.animation = pose->animation,
                               .moment = {take->clip->first_frame, take->clip->first_frame, 0}};
    vec3 from = {0}, moved = {0};
    root_motion_at(own->model, take->clip, &start, from);
    root_motion_at(own->model, take->clip, pose, moved);
    glm_vec3_sub(moved, from, moved);
    glm_mat4_mulv3((vec4 *)own->local, moved, 0, moved);
    out[0] = moved[0];
    out[1] = moved[1];
}

static struct atlas_frame describe_frame(struct described_page *page, const struct cell *cell,
                                         const struct placement *at)
{
    const struct plan *plan = page->plan;
    const uint32_t *cell_px = plan->job->cell_px;
    const struct take *take = &plan->takes[cell->take];
    const struct view *view = views_of(page->pages->views, cell);
    struct atlas_frame frame = {
        .name = plan_cell_name(plan, cell, &page->arena),
        .page = at->page,
        .rect = at->rect,
        .source = at->source,
        .source_px = {cell_px[0], cell_px[1]},
        .pivot = {view->pivot_px[0] / cell_px[0], view->pivot_px[1] / cell_px[1]},
        .time_s = take->times_s[cell->sample],
        .sample = cell->sample,
        .events = take->events,
        .event_count = take->event_count,
        .scale = {view->pixels_per_unit, view->nearest, view->farthest},
    };
    if (take->is_in_place) {
        struct pose pose = take_pose(take, cell->sample, plan->job->interpolation);
        if (pose.moment.frame_b < pose.moment.frame_a) /* an open loop that ends: the model has come all the way */
            pose.moment.blend = 0;
        root_motion_since_start(plan, take, &pose, frame.moved);
    }
    if (take->clip)
        frame.duration_ms = 1000 * sampling_shown_s(take->sampling, take->clip, take->loop, take->times_s,
                                                    take->sample_count, cell->sample);
    return frame;
}

/* Those of the whole sheet: cells of one clip follow each other. */
static void describe_cells(struct described_page *page)
{
    const struct sheet_plan *sheet = page->sheet;
    const struct cell_facts *facts = page->pages->facts;
    size_t count = sheet->layout.cell_count;
    struct atlas_frame *frames = arena_must_alloc(&page->arena, count, sizeof *frames);
    struct atlas_clip *clips = arena_must_alloc(&page->arena, count, sizeof *clips), *last = clips;
    for (size_t i = 0; i < count; i++) {
        const struct cell *cell = &sheet->cells[i];
        const struct take *take = &page->plan->takes[cell->take];
        if (i == 0 || cell->skin != cell[-1].skin || cell->take != cell[-1].take ||
            cell->camera != cell[-1].camera) {
            last = &clips[page->atlas.clip_count++];
            *last = (struct atlas_clip){
                .name = arena_take(&page->arena, plan_animation_name(page->plan, cell)),
                .animation = take->name,
                .camera = page->plan->job->cameras[cell->camera].name,
                .take = cell->skin * page->plan->take_count + cell->take,
                .first_frame = i,
                .loop = take->loop,
            };
            sprite_rotations(page->plan->job, cell->camera, last->rotations);
            if (take->is_in_place) {
                uint32_t end = take->clip->first_frame + take->clip->frame_count - 1;
                const struct pose pose = {.animation = take->animation, .moment = {end, end, 0}};
                last->travels = true;
                root_motion_since_start(page->plan, take, &pose, last->travel);
            }
        }
        last->frame_count++;
        frames[i] = describe_frame(page, cell, &sheet->layout.cells[i]);
        if (frames[i].page == page->number || (page->number == 0 && describe_all_cells(page->plan))) {
            frames[i].sockets = facts[i].sockets;
            frames[i].socket_count = facts[i].socket_count;
            frames[i].boxes = facts[i].boxes;
            frames[i].box_count = facts[i].box_count;
        }
        if (page->plan->job->frame_name) {
            struct error ignored; /* the plan was checked for it */
            char *file = frame_file_name(page->plan, sheet, frames[i].page, cell, &ignored);
            frames[i].file = arena_take(&page->arena, file) + (path_base(sheet->base) - sheet->base);
        }
    }
    page->atlas.frames = frames;
    page->atlas.frame_count = count;
    page->atlas.clips = clips;
    page->atlas.sockets = page->plan->socket_names;
    page->atlas.socket_count = page->plan->socket_count;
}

/* What the sheets of an atlas say, but for the places. */
static void describe_joined(struct described_page *page)
{
    const struct joined *joined = page->sheet->joined;
    for (size_t i = 0; i < joined->atlas.frame_count; i++) {
        const struct placement *at = &page->sheet->layout.cells[i];
        joined->frames[i].page = at->page;
        joined->frames[i].rect = at->rect;
        joined->frames[i].source = at->source;
    }
    page->atlas = joined->atlas;
}

/* -- Cameras ----------------------------------------------------------------------------------------------- */

/* Those that have cells in the sheet. A camera is steady when all its cells share one view. */
static void describe_cameras(struct described_page *page)
{
    const struct job *job = page->plan->job;
    const struct sheet_plan *sheet = page->sheet;
    const struct view **views = arena_must_alloc(&page->arena, job->camera_count, sizeof *views);
    bool *has_several_scales = arena_must_alloc(&page->arena, job->camera_count, sizeof *has_several_scales);
    for (size_t i = 0; i < sheet->layout.cell_count; i++) {
        uint32_t camera = sheet->cells[i].camera;
        const struct view *view = views_of(page->pages->views, &sheet->cells[i]);
        if (!views[camera])
            views[camera] = view;
        has_several_scales[camera] |= view != views[camera];
    }
    struct atlas_camera *cameras = arena_must_alloc(&page->arena, job->camera_count, sizeof *cameras);
    for (uint32_t c = 0; c < job->camera_count; c++) {
        const struct camera *camera = &job->cameras[c];
        if (!views[c])
            continue;
        cameras[page->atlas.camera_count++] = (struct atlas_camera){
            .name = camera->name,
            .projection = camera->projection == PROJECTION_PERSPECTIVE ? "perspective" : "orthographic",
            .mirrored = camera->mirrored,
            .has_one_scale = !has_several_scales[c],
            .scale = {views[c]->pixels_per_unit, views[c]->nearest, views[c]->farthest},
        };
        page->atlas.has_frame_scales |= has_several_scales[c];
    }
    page->atlas.cameras = cameras;
    page->atlas.has_pivot = job->fit.has_origin;
    for (int axis = 0; axis < 2 && job->fit.has_origin; axis++)
        page->atlas.pivot_px[axis] = views_of(page->pages->views, sheet->cells)->pivot_px[axis];
}

/* -- Passes ------------------------------------------------------------------------------------------------ */

static void describe_mask(struct described_page *page)
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

static void describe_passes(struct described_page *page)
{
    uint32_t passes = page->plan->job->passes;
    struct atlas_pass *items = arena_must_alloc(&page->arena, PASS_COUNT, sizeof *items);
    for (unsigned pass = PASS_MAIN + 1; pass < PASS_COUNT; pass++) {
        if (!passes_have(passes, (enum pass)pass))
            continue;
        const char *name =
            arena_take(&page->arena, names_picture(page->sheet->base, page->number, (enum pass)pass));
        items[page->atlas.pass_count++] = (struct atlas_pass){pass_names[pass], path_base(name)};
    }
    page->atlas.passes = items;
    page->atlas.has_depths = passes_need(passes, HAS_DISTANCES);
    page->atlas.palette = page->plan->palette.count ? &page->plan->palette : NULL;
    if (passes_need(passes, HAS_LEGEND))
        describe_mask(page);
}

/* -- What a pose tells ------------------------------------------------------------------------------------- */

/* Where a place of the world is seen: pixels of the untrimmed cell, and the distance along the line of sight. False where it
 * is behind the camera. */
static bool project(const uint32_t cell_px[2], const struct view *view, const vec3 place, struct atlas_socket *out)
{
    vec3 seen;
    vec4 clip;
    glm_mat4_mulv3((vec4 *)view->world_to_view, (float *)place, 1, seen);
    glm_mat4_mulv((vec4 *)view->view_to_clip, (vec4){seen[0], seen[1], seen[2], 1}, clip);
    if (!(clip[3] > 0))
        return false;
    out->px[0] = (1 + (double)clip[0] / clip[3]) / 2 * cell_px[0];
    out->px[1] = (1 - (double)clip[1] / clip[3]) / 2 * cell_px[1];
    out->depth = -seen[2];
    return true;
}

/* The whole pixels around what is seen of a box; without a width where that is nothing. */
static struct rect enclose(const struct scene *scene, const struct view *view, const struct box *box)
{
    const double rounding = 1e-3; /* pixels that processors may differ by */
    const uint32_t *cell_px = scene->plan->job->cell_px;
    double from[2] = {INFINITY, INFINITY}, to[2] = {-INFINITY, -INFINITY};
    for (size_t i = 0; i < box->point_count; i++) {
        const struct posed_part *part = &scene->parts[box->points[i].part];
        struct atlas_socket seen;
        vec3 place;
        glm_mat4_mulv3((vec4 *)part->to_world, part->mesh.positions[box->points[i].point], 1, place);
        bool is_seen = project(cell_px, view, place, &seen);
        for (int axis = 0; axis < 2 && is_seen; axis++) {
            from[axis] = fmin(from[axis], seen.px[axis]);
            to[axis] = fmax(to[axis], seen.px[axis]);
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        from[axis] = fmax(floor(from[axis] + rounding), 0);
        to[axis] = fmin(ceil(to[axis] - rounding), cell_px[axis]);
        if (!(from[axis] < to[axis]))
            return (struct rect){0};
    }
    return (struct rect){(uint32_t)from[0], (uint32_t)from[1], (uint32_t)(to[0] - from[0]),
                         (uint32_t)(to[1] - from[1])};
}

static float find_overhang(const struct scene *scene, const struct view *view)
{
    float most = 1;
    for (size_t i = 0; i < scene->plan->part_count; i++) {
        const struct part *part = &scene->plan->parts[i];
        mat4 to_clip;
        glm_mat4_mul((vec4 *)view->world_to_view, scene->parts[i].to_world, to_clip);
        glm_mat4_mul((vec4 *)view->view_to_clip, to_clip, to_clip);
        for (uint32_t p = 0; p < part->visible_point_count; p++) {
            const float *point = scene->parts[i].mesh.positions[part->visible_points[p]];
            vec4 clip;
            glm_mat4_mulv(to_clip, (vec4){point[0], point[1], point[2], 1}, clip);
            if (clip[3] > 0)
                most = fmaxf(most, fmaxf(fabsf(clip[0]), fabsf(clip[1])) / clip[3]);
        }
    }
    return most - 1;
}

/* A camera that was moved until the model fills the cell cuts nothing off. */
static bool may_cut(const struct camera *camera, const struct view *view)
{
    return view->is_cropped || (camera->has_eye && camera->projection == PROJECTION_PERSPECTIVE);
}

bool describe_needs_pose(const struct pages *pages, const struct cell *cell)
{
    const struct plan *plan = pages->plan;
    return plan->box_count || plan->socket_count ||
           may_cut(&plan->job->cameras[cell->camera], views_of(pages->views, cell));
}

void describe_cell(const struct pages *pages, const struct cell *cell, struct cell_facts *out)
{
    const struct plan *plan = pages->plan;
    const struct scene *scene = studio_scene(pages->studio);
    const struct view *view = views_of(pages->views, cell);
    struct atlas_socket *sockets = arena_must_alloc(pages->arena, plan->socket_count, sizeof *sockets);
    struct atlas_box *boxes = arena_must_alloc(pages->arena, plan->box_count, sizeof *boxes);
    *out = (struct cell_facts){.are_known = true, .sockets = sockets, .boxes = boxes};
    for (size_t b = 0; b < plan->box_count; b++) {
        struct rect rect = enclose(scene, view, &plan->boxes[b]);
        if (rect.width)
            boxes[out->box_count++] = (struct atlas_box){plan->job->boxes[b].name, rect};
    }
    for (size_t s = 0; s < plan->socket_count; s++) {
        struct atlas_socket socket = {.name = plan->socket_names[s]};
        mat4 place;
        scene_place(scene, &plan->sockets[s], place);
        if (project(plan->job->cell_px, view, place[3], &socket))
            sockets[out->socket_count++] = socket;
    }
    if (may_cut(&plan->job->cameras[cell->camera], view))
        out->overhang = find_overhang(scene, view);
}

bool describe_all_cells(const struct plan *plan)
{
    bool is_of_sheet = false;
    for (size_t i = 0; i < plan->job->template_count; i++)
        is_of_sheet |= plan->templates[i].is_of_sheet;
    return is_of_sheet && plan->socket_count + plan->box_count > 0;
}

/* -- The page ---------------------------------------------------------------------------------------------- */

static void describe_pages(struct described_page *page)
{
    const struct layout *layout = &page->sheet->layout;
    struct atlas_page *pages = arena_must_alloc(&page->arena, layout->page_count, sizeof *pages);
    for (uint32_t i = 0; i < layout->page_count; i++)
        pages[i] = (struct atlas_page){
            .image = path_base(arena_take(&page->arena, names_picture(page->sheet->base, i, PASS_MAIN))),
            .json = path_base(arena_take(
                &page->arena, names_page(page->sheet->base, i, metadata_formats[METADATA_JSON].suffix))),
            .width = layout->pages[i].width,
            .height = layout->pages[i].height,
        };
    page->atlas.name = page->sheet->base;
    page->atlas.pages = pages;
    size_t length;
    page->atlas.page_count = layout->page_count;
    page->atlas.scale = names_scale(page->plan->job->name, &length);
    page->atlas.page = page->number;
}

int describe_page(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                  struct blob files[METADATA_MOST_FILES], struct error *err)
{
    const struct plan *plan = pages->plan;
    struct described_page page = {.pages = pages, .plan = plan, .sheet = sheet, .number = page_of_sheet};
    if (sheet->joined) {
        describe_joined(&page);
    } else {
        describe_cells(&page);
        describe_cameras(&page);
    }
    describe_pages(&page);
    describe_passes(&page);
    int result = 0;
    for (unsigned i = 0; i < METADATA_COUNT && result == 0; i++)
        if (plan->job->metadata & 1u << i)
            result = metadata_save((enum metadata)i, &page.atlas, &files[i], err);
    for (size_t i = 0; i < plan->job->template_count && result == 0; i++) {
        result = template_save(&plan->templates[i], &page.atlas, &files[METADATA_COUNT + i], err);
        if (result < 0)
            error_add(err, "%s", plan->job->templates[i]);
    }
    arena_release(&page.arena);
    return result;
}

/* -- The page's picture ------------------------------------------------------------------------------------ */

void describe_picture(const struct pages *pages, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                      struct record *out)
{
    enum { EMPTY, CUT, DARK, BRIGHT, COUNT };
    const float seen = 0.005f; /* of half a cell: less than half a pixel of most */
    const struct plan *plan = pages->plan;
    const struct cell *worst[COUNT] = {NULL};
    float worst_cut = seen, dark = INFINITY, bright = -INFINITY;
    size_t empty = 0, cut = 0;
    for (size_t i = 0; i < sheet->layout.cell_count; i++) {
        const struct cell *cell = &sheet->cells[i];
        const float lightness = pages->facts[i].lightness, over = pages->facts[i].overhang;
        if (sheet->layout.cells[i].page != page_of_sheet)
            continue;
        if (isnan(lightness) && empty++ == 0)
            worst[EMPTY] = cell;
        if (lightness < dark)
            dark = lightness, worst[DARK] = cell;
        if (lightness > bright)
            bright = lightness, worst[BRIGHT] = cell;
        cut += over > seen;
        if (over > worst_cut)
            worst_cut = over, worst[CUT] = cell;
    }
    const char *names[COUNT] = {NULL};
    for (int i = 0; i < COUNT; i++)
        names[i] = worst[i] ? plan_cell_name(plan, worst[i], &out->arena) : NULL;
    const struct record_pair measured[] = {
        {"brightest", names[BRIGHT] ? facts_number(&out->arena, (double)bright, names[BRIGHT]) : "none"},
        {"cut_cells", facts_number(&out->arena, (double)cut, names[CUT])},
        {"darkest", names[DARK] ? facts_number(&out->arena, (double)dark, names[DARK]) : "none"},
        {"empty_cells", facts_number(&out->arena, (double)empty, names[EMPTY])},
    };
    out->measured = (struct record_pairs){arena_copy(&out->arena, measured, COUNT, sizeof *measured), COUNT};
}
