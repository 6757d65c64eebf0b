#include "plan/plan.h"

#include <assert.h>
#include <cglm/affine.h>
#include <cglm/mat4.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/missing.h"
#include "page/names.h"
#include "page/write.h"

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->sheet_count; i++) {
        layout_release(&plan->sheets[i].layout);
        joined_free(plan->sheets[i].joined);
    }
    for (size_t i = 0; i < plan->part_count; i++) {
        struct part *part = &plan->parts[i];
        struct look *looks = part->outfit_count ? part->outfits[0].looks : NULL;
        for (size_t l = 0; looks && l < part->outfit_count * part->model->surface_count; l++)
            material_release(&looks[l]);
        free(looks);
        model_file_release(&part->file);
    }
    for (size_t i = 0; i < plan->take_count; i++)
        free(plan->takes[i].times_s);
    free(plan->takes);
    for (size_t i = 0; i < plan->box_count; i++)
        free(plan->boxes[i].points);
    def_decl_release(&plan->def);
    strings_release(&plan->warnings);
    arena_release(&plan->arena);
    free(plan);
}

/* -- Places and poses -------------------------------------------------------------------------------------- */

int plan_find_place(const struct plan *plan, uint32_t number, const char *wanted, struct place *out,
                    struct error *err)
{
    const struct part *part = &plan->parts[number];
    const char *path = number == 0 ? plan->job->model : part->file.path;
    const struct model *model = part->model;
    const bool has_joints = model->joint_count > 0;
    const void *items = has_joints ? (const void *)model->joints : model->tags.items;
    const size_t count = has_joints ? model->joint_count : model->tags.tag_count;
    const size_t size = has_joints ? sizeof *model->joints : sizeof *model->tags.items;
    if (count == 0)
        return error_set(err, "%s: there is no '%s': it has neither joints nor a .tag file beside it", path,
                         wanted);
    size_t found = count, bare_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!strcmp(name_without_prefix(named_at(items, i, size)), wanted))
            found = i, bare_count++;
    const char *same = named_find(items, count, size, wanted, false);
    same = same ? same : named_find(items, count, size, wanted, true);
    if (same) {
        found = (size_t)(same - (const char *)items) / size;
    } else if (bare_count != 1) {
        missing_fail_named(has_joints ? "joint" : "tag", wanted, named_nearest(wanted, items, count, size), items,
                           count, size, err);
        return error_add(err, "%s", path);
    }
    *out = (struct place){number, has_joints ? PLACE_JOINT : PLACE_TAG, (uint32_t)found};
    return 0;
}

struct pose take_pose(const struct take *take, size_t sample, enum interpolation interpolation)
{
    struct pose pose = {.animation = take->animation, .interpolation = interpolation};
    if (take->clip)
        pose.moment = clip_moment(take->clip, take->times_s[sample], take->loop);
    return pose;
}

struct pose plan_pose(const struct plan *plan, uint32_t number, const struct take *take, size_t sample)
{
    const struct part *own = &plan->parts[number], *part = own;
    while (part->attachment && part->attachment->same_frame)
        part = &plan->parts[part->at.part];
    struct pose pose = {.animation = -1, .interpolation = plan->job->interpolation};
    if (!part->attachment) {
        pose = take_pose(take, sample, plan->job->interpolation);
    } else if (part->clip) {
        pose.animation = (int32_t)part->clip->animation;
        pose.moment = clip_moment(part->clip, take->times_s[sample], !clip_plays_once(part->clip));
    }
    if (part != own && pose.animation > 0)
        pose.animation = 0; /* a part has no clips of files that were added to its carrier */
    return pose;
}

/* -- What a plan tells of its sheets ------------------------------------------------------------------------ */

const struct sheet_plan *plan_sheet_of_page(const struct plan *plan, uint32_t page, uint32_t *page_of_sheet)
{
    assert(page < plan->page_count);
    size_t i = plan->sheet_count - 1;
    while (page < plan->sheets[i].first_page)
        i--;
    *page_of_sheet = page - plan->sheets[i].first_page;
    return &plan->sheets[i];
}

char *plan_animation_name(const struct plan *plan, const struct cell *cell)
{
    const char *skin = plan->parts[0].outfits[cell->skin].name;
    return must_printf("%s%s%s/%s", skin ? skin : "", skin ? "/" : "", plan->takes[cell->take].name,
                       plan->job->cameras[cell->camera].name);
}

const char *plan_cell_name(const struct plan *plan, const struct cell *cell, struct arena *arena)
{
    int digits = 4; /* or as many as the last frame needs: names sort as the frames play */
    for (size_t most = 10000; most < plan->takes[cell->take].sample_count; most *= 10)
        digits++;
    SCOPED char *animation = plan_animation_name(plan, cell);
    return arena_printf(arena, "%.*s/%s/%0*u", (int)strcspn(plan->job->name, "@"), plan->job->name, animation,
                        digits, cell->sample);
}

void plan_warn_torn(struct plan *plan, const struct sheet_plan *sheet)
{
    size_t first, torn = layout_find_torn(&sheet->layout, &sheet->strips, &first);
    if (torn == 0)
        return;
    const char *frame = sheet->joined ? sheet->joined->atlas.frames[first].name : NULL;
    SCOPED char *name = frame ? path_folder(frame) : plan_animation_name(plan, &sheet->cells[first]);
    SCOPED char *more = torn > 1 ? must_printf(" and %zu more are", torn - 1) : must_strdup(" is");
    strings_printf(
        &plan->warnings,
        "animation '%s'%s on several pages, because a page of %u pixels cannot hold its frames; engines play "
        "only what is on one page: see `max_size`, `trim` and `cell`",
        name, more, layout_most_side(&plan->job->sheet));
}

/* -- Parts ------------------------------------------------------------------------------------------------- */

static int open_model(struct plan *plan, struct assets *assets, struct part *part, const char *path,
                      const struct model_options *options, struct error *err)
{
    if (model_cache_open(plan->models, assets, path, options, &part->file, err) < 0)
        return -1;
    part->model = part->file.model;
    strings_add_all(&plan->warnings, &part->file.warnings);
    glm_mat4_identity(part->local);
    return 0;
}

/* Adds the place in the list that asks for the scene, if that is why the model fails: without it, the model opens. */
static int add_scene_place(struct assets *assets, const struct job *job, const char *path,
                           const struct model_options *options, struct error *err)
{
    struct model_options plain = *options;
    struct model_file file;
    struct error ignored;
    plain.scene = NULL;
    if (!job->scene || model_file_open(assets, path, &plain, &file, &ignored) < 0)
        return -1;
    model_file_release(&file);
    return error_add(err, "%s:%u:%u", MARK_OF(job->scene_mark));
}

/* Opens the job's own model, by its path or its declaration, as the only part. */
static int open_own_model(struct plan *plan, struct assets *assets, struct error *err)
{
    const struct job *job = plan->job;
    plan->parts = arena_must_alloc(&plan->arena, 1 + job->attachment_count, sizeof *plan->parts);
    if (job->def_name && def_decl_find(assets, job->def_name, &plan->def, err) < 0)
        return -1;
    strings_add_all(&plan->warnings, &plan->def.warnings);
    struct part *part = &plan->parts[0];
    const char *path = job->def_name ? plan->def.mesh : job->model;
    const char *base = path_base(path);
    part->name = arena_strndup(&plan->arena, base, (size_t)(path_suffix(base) - base));
    struct model_options options = {.geometry = job->geometry,
                                    .scene = job->scene,
                                    .via = job->via,
                                    .colors = job->colors,
                                    .transform = job->transform};
    if (job->skin_choice == SKIN_NAME)
        options.skin = job->skin_name;
    else if (job->skin_choice == SKIN_SEARCH && job->skin_count == 0)
        options.skin = "";
    if (open_model(plan, assets, part, path, &options, err) < 0) {
        if (job->def_name)
            error_add(err, "%s", plan->def.declared);
        return add_scene_place(assets, job, path, &options, err);
    }
    plan->part_count = 1;
    glm_translate(part->local, plan->def.offset);
    return 0;
}

/* Tags are read where the job names one. A broken .tag file fails these jobs; the skeleton of the job's
 * own model does without it, with a warning. */
static int read_tags(struct plan *plan, struct assets *assets, struct part *part, struct error *err)
{
    const struct job *job = plan->job;
    bool are_named = !part->attachment && (job->socket_count > 0 || job->box_count > 0);
    for (size_t i = 0; i < job->attachment_count; i++) {
        const struct attachment *other = &job->attachments[i];
        bool hangs_here = part->attachment ? other->to && !strcasecmp(other->to, part->name) : !other->to;
        are_named |= hangs_here && other->at;
    }
    bool are_drawn = !part->attachment && passes_need(job->passes, SHOWS_SKELETON);
    if ((!are_named && !are_drawn) || model_file_add_tags(&part->file, assets, err) == 0)
        return 0;
    if (are_named)
        return -1;
    strings_add(&plan->warnings, err->text);
    return 0;
}

static int find_clip(struct part *part, struct plan *plan, struct assets *assets, struct error *err)
{
    const struct attachment *attachment = part->attachment;
    const struct clip *clip;
    if (!attachment->animation)
        return 0;
    if (attachment->animation_file) {
        if (model_file_has_keyframes(&part->file) && !model_has_nodes(part->model))
            return error_set(err, "%s holds its animations itself, so `file` cannot add one", part->file.path);
        const struct clip_choice choice = {
            .path = attachment->animation_file, .clip = attachment->animation_clip, .name = attachment->animation};
        SCOPED_BY(strings_release) struct strings warnings = {0};
        int result = model_file_add_clips(&part->file, assets, &choice, &(uint32_t){0}, &warnings, err);
        for (size_t i = 0; i < warnings.count; i++)
            strings_printf(&plan->warnings, "%s:%u:%u: attachment '%s': %s: %s", MARK_OF(attachment->mark),
                           attachment->name, choice.path, warnings.items[i]);
        if (result < 0)
            return -1;
        clip = &part->model->clips[part->model->clip_count - 1];
    } else if (!(clip = takes_find_clip(part, assets, attachment->animation, err))) {
        return -1;
    }
    struct clip *copy = arena_must_alloc(&plan->arena, 1, sizeof *copy);
    *copy = *clip;
    part->clip = copy;
    return 0;
}

/* Whether the part has the keyframes of a clip that the model which carries it plays. */
static int check_keyframes(const struct part *part, const struct clip *clip, const char *name, struct error *err)
{
    uint32_t frames = part->model->animations[0].frame_count;
    if (!clip || clip->first_frame + clip->frame_count <= frames)
        return 0;
    return error_set(err, "`same_frame` of animation '%s': its keyframes %u-%u, but %s has 0-%u", name,
                     clip->first_frame, clip->first_frame + clip->frame_count - 1, part->file.path, frames - 1);
}

/* The model that carries it may have keyframes that are not shown and its attachment lacks: real weapons do. */
static int check_same_frames(const struct plan *plan, const struct part *part, struct error *err)
{
    const struct part *carrier = &plan->parts[part->at.part];
    const struct part *still = model_file_has_keyframes(&carrier->file) ? part : carrier;
    if (!model_file_has_keyframes(&still->file))
        return error_set(err, "`same_frame` needs two models with keyframes of their own, and %s has none",
                         still->file.path);
    while (carrier->attachment && carrier->attachment->same_frame)
        carrier = &plan->parts[carrier->at.part];
    if (carrier->attachment)
        return check_keyframes(part, carrier->clip, carrier->clip ? carrier->clip->name : "", err);
    for (size_t i = 0; i < plan->take_count; i++)
        if (check_keyframes(part, plan->takes[i].clip, plan->takes[i].name, err) < 0)
            return -1;
    return 0;
}

static int open_attachment(struct plan *plan, struct assets *assets, struct part *part, struct error *err)
{
    const struct attachment *attachment = part->attachment;
    const struct model_options options = {.transform.scale = 1, .skin = attachment->skin_count ? NULL : ""};
    if (open_model(plan, assets, part, attachment->model, &options, err) < 0 ||
        read_tags(plan, assets, part, err) < 0)
        return -1;
    part->outfit_count = 1;
    part->outfits = arena_must_alloc(&plan->arena, 1, sizeof *part->outfits);

    glm_translate_make(part->local, (float *)attachment->offset);
    turn_and_scale(part->local, attachment->rotation_deg, attachment->scale);

    uint32_t carrier = attachment->to ? 1 : 0; /* the list has put it before what it carries */
    while (attachment->to && strcasecmp(plan->parts[carrier].name, attachment->to))
        carrier++;
    part->at.part = carrier;
    if (attachment->at && plan_find_place(plan, carrier, attachment->at, &part->at, err) < 0)
        return -1;
    return attachment->same_frame ? check_same_frames(plan, part, err) : find_clip(part, plan, assets, err);
}

/* Opens the attachments and finds the places of all sockets. The takes are known. */
static int attach(struct plan *plan, struct assets *assets, struct error *err)
{
    const struct job *job = plan->job;
    if (read_tags(plan, assets, &plan->parts[0], err) < 0)
        return -1;
    for (size_t i = 0; i < job->attachment_count; i++) {
        const struct attachment *attachment = &job->attachments[i];
        struct part *part = &plan->parts[plan->part_count++];
        part->attachment = attachment;
        part->name = attachment->name;
        if (open_attachment(plan, assets, part, err) < 0)
            return error_add(err, "%s:%u:%u: attachment '%s'", MARK_OF(attachment->mark), attachment->name);
    }
    size_t joints = plan->parts[0].model->tags.tag_count;
    for (size_t i = 0; i < plan->part_count; i++)
        joints += plan->parts[i].model->joint_count;
    if (passes_need(job->passes, SHOWS_SKELETON) && joints == 0)
        strings_printf(&plan->warnings, "%s: nothing to show as a skeleton: it has neither joints nor tags",
                       job->model);

    plan->sockets = arena_must_alloc(&plan->arena, job->socket_count, sizeof *plan->sockets);
    plan->socket_names = arena_must_alloc(&plan->arena, job->socket_count, sizeof *plan->socket_names);
    for (size_t i = 0; i < job->socket_count; i++) {
        const struct job_name *asked = &job->sockets[i];
        plan->socket_names[i] = asked->name;
        if (plan_find_place(plan, 0, asked->name, &plan->sockets[plan->socket_count++], err) < 0)
            return error_add(err, "%s:%u:%u: socket '%s'", MARK_OF(asked->mark), asked->name);
    }
    return 0;
}

/* -- Boxes ------------------------------------------------------------------------------------------------- */

/* The joint that moves a point most, or the joint or tag of the job's own model that an attachment hangs on; or NULL. */
static const char *place_of(const struct plan *plan, const struct part *part, uint32_t point)
{
    const struct model *model = plan->parts[0].model;
    if (!part->attachment)
        return model->point_joints ? model->joints[model->point_joints[point]].name : NULL;
    while (part->at.part > 0)
        part = &plan->parts[part->at.part];
    return part->at.kind == PLACE_JOINT ? model->joints[part->at.index].name
           : part->at.kind == PLACE_TAG ? model->tags.items[part->at.index].name
                                        : NULL;
}

/* The points of triangles that hang on a place so called, or are of a mesh; `names` gets all that are there, or is NULL. */
static void find_box(const struct plan *plan, const struct job_name *asked, bool of_mesh, struct box *box,
                     struct strings *names)
{
    for (uint32_t number = 0; number < plan->part_count; number++) {
        const struct part *part = &plan->parts[number];
        const struct model *model = part->model;
        SCOPED bool *is_in = must_alloc(model->point_count, sizeof *is_in); /* triangles share points */
        for (uint32_t s = 0; s < model->surface_count; s++) {
            const struct surface *surface = &model->surfaces[s];
            bool is_seen = of_mesh || skins_is_visible(part, s);
            for (uint32_t i = 0; i < surface->index_count && is_seen; i++) {
                uint32_t point = model->vertex_points[model->indices[surface->first_index + i]];
                const char *name = of_mesh ? surface->name : place_of(plan, part, point);
                if (name && names && !strings_has(names, name))
                    strings_add(names, name);
                if (!name || is_in[point] || !tint_is_called(name, asked))
                    continue;
                is_in[point] = true;
                *MUST_ADD(box->points, box->point_count, box->capacity) = (struct box_point){number, point};
            }
        }
    }
}

/* Finds the points of all boxes. The takes, skins and attachments are known. */
static int find_boxes(struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    plan->boxes = arena_must_alloc(&plan->arena, job->box_count, sizeof *plan->boxes);
    for (; plan->box_count < job->box_count; plan->box_count++) {
        const struct job_name *asked = &job->boxes[plan->box_count];
        struct box *box = &plan->boxes[plan->box_count];
        SCOPED_BY(strings_release) struct strings names = {0};
        for (int of_mesh = 0; of_mesh < 2 && box->point_count == 0; of_mesh++)
            find_box(plan, asked, of_mesh, box, NULL);
        if (box->point_count > 0)
            continue;
        find_box(plan, asked, false, box, &names);
        find_box(plan, asked, true, box, &names);
        missing_fail("visible part", asked->name, strings_nearest(asked->name, names.items, names.count),
                     names.items, names.count, err);
        return error_add(err, "%s:%u:%u: box '%s': %s", MARK_OF(asked->mark), asked->name, job->model);
    }
    return 0;
}

/* -- Sheets ------------------------------------------------------------------------------------------------ */

/* Whether a take or a camera belongs to sheet number `sheet`. */
static bool sheet_has(const struct plan *plan, size_t sheet, size_t take, size_t camera)
{
    enum split split = plan->job->sheet.split;
    return split == SPLIT_ANIMATION ? take == sheet : split == SPLIT_CAMERA ? camera == sheet : true;
}

/* The cells of a sheet in order, and their strips. Returns the number of cells. */
static size_t list_cells(struct plan *plan, size_t index, struct sheet_plan *sheet)
{
    size_t skins = plan->parts[0].outfit_count, takes = plan->take_count, cameras = plan->job->camera_count,
           count = 0;
    for (size_t t = 0; t < takes; t++)
        for (size_t c = 0; c < cameras; c++)
            count += sheet_has(plan, index, t, c) ? skins * plan->takes[t].sample_count : 0;
    struct cell *cell = sheet->cells = arena_must_alloc(&plan->arena, count, sizeof *sheet->cells);
    size_t *lengths = arena_must_alloc(&plan->arena, skins * takes * cameras, sizeof *lengths);
    sheet->strips.lengths = lengths;
    for (size_t k = 0; k < skins; k++)
        for (size_t t = 0; t < takes; t++)
            for (size_t c = 0; c < cameras; c++) {
                if (!sheet_has(plan, index, t, c))
                    continue;
                lengths[sheet->strips.count++] = plan->takes[t].sample_count;
                for (size_t s = 0; s < plan->takes[t].sample_count; s++)
                    *cell++ = (struct cell){(uint32_t)k, (uint32_t)t, (uint32_t)s, (uint32_t)c};
            }
    return count;
}

static int lay_out_sheets(struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    const struct sheet_settings *settings = &job->sheet;
    plan->sheet_count = settings->split == SPLIT_ANIMATION ? plan->take_count
                        : settings->split == SPLIT_CAMERA  ? job->camera_count
                                                           : 1;
    plan->sheets = arena_must_alloc(&plan->arena, plan->sheet_count, sizeof *plan->sheets);
    for (size_t i = 0; i < plan->sheet_count; i++) {
        struct sheet_plan *sheet = &plan->sheets[i];
        const char *label = job->sheet.split == SPLIT_ANIMATION ? plan->takes[i].name
                            : job->sheet.split == SPLIT_CAMERA  ? job->cameras[i].name
                                                                : NULL;
        sheet->base = arena_take(&plan->arena, names_sheet(job->name, label));
        size_t count = list_cells(plan, i, sheet);
        int result = layout_needs_pixels(settings)
                         ? layout_reserve(&sheet->layout, count, err)
                         : layout_init(&sheet->layout, settings, job->cell_px, &sheet->strips, err);
        if (result < 0)
            return error_add(err, "sheet '%s'", sheet->base);
        plan_warn_torn(plan, sheet);
        sheet->first_page = plan->page_count;
        plan->page_count += sheet->layout.page_count;
    }
    return 0;
}

/* -- Previews ---------------------------------------------------------------------------------------------- */

/* Moving pictures of the clips, files of the first page of their sheet.
 *
 * A clip is shown by one camera, each sample as long as the clip shows it. What has one sample does not move: it is
 * shown by its cameras in turn, so that `directions: 16` turns it around. */

/* With no names, `all` or none. */
static bool has_name(const struct patterns *names, const char *name, bool all)
{
    for (size_t i = 0; i < names->count; i++)
        if (glob_matches(names->items[i], name, true))
            return true;
    return names->count == 0 && all;
}

static bool moves(const struct plan *plan, const struct cell *cell)
{
    return plan->takes[cell->take].sample_count > 1;
}

/* The longest name of a file that still has a temporary one (leftovers_tail). */
static int name_preview(struct plan *plan, const struct sheet_plan *sheet, struct preview_plan *preview,
                        struct error *err)
{
    enum { LONGEST = 255 - 32 };
    const struct cell *cell = preview->cells;
    const char *const parts[3] = {plan->parts[0].outfits[cell->skin].name, plan->takes[cell->take].name,
                                  moves(plan, cell) ? plan->job->cameras[cell->camera].name : NULL};
    preview->name = arena_take(&plan->arena, names_preview(sheet->base, parts, plan->job->previews.format));
    size_t length = strlen(path_base(preview->name));
    return length <= LONGEST
               ? 0
               : error_set(
                     err,
                     "the file of a preview would be called '%s', which has %zu bytes; at most %d are allowed",
                     path_base(preview->name), length, LONGEST);
}

static int choose_of_sheet(struct plan *plan, struct sheet_plan *sheet, struct error *err)
{
    const struct preview_settings *wanted = &plan->job->previews;
    size_t cell_count = 0;
    struct cell *shown = arena_must_alloc(&plan->arena, sheet->layout.cell_count, sizeof *shown);
    struct preview_plan *previews = arena_must_alloc(&plan->arena, PREVIEWS_MOST, sizeof *previews), *last = NULL;
    for (size_t i = 0; i < sheet->layout.cell_count; i++) {
        const struct cell *cell = &sheet->cells[i], *before = last ? &last->cells[last->cell_count - 1] : NULL;
        if (!has_name(&wanted->clips, plan->takes[cell->take].name, true) ||
            !has_name(&wanted->cameras, plan->job->cameras[cell->camera].name,
                      cell->camera == 0 || !moves(plan, cell)))
            continue;
        shown[cell_count++] = *cell;
        if (before && cell->skin == before->skin && cell->take == before->take &&
            (cell->camera == before->camera || !moves(plan, cell))) {
            last->cell_count++;
            continue;
        }
        if (sheet->preview_count == PREVIEWS_MOST)
            return error_set(err,
                             "sheet '%s' would have more than %d previews: name fewer `clips` or `cameras` in "
                             "`previews`, or make a sheet for each clip by `split: animation`",
                             sheet->base, PREVIEWS_MOST);
        last = &previews[sheet->preview_count++];
        *last = (struct preview_plan){.cells = &shown[cell_count - 1], .cell_count = 1};
        if (name_preview(plan, sheet, last, err) < 0)
            return -1;
    }
    sheet->previews = previews;
    return 0;
}

/* A name that nothing has is likely a slip. A list may name it for its other jobs. */
static void warn_unknown(struct plan *plan)
{
    const struct patterns *clips = &plan->job->previews.clips, *cameras = &plan->job->previews.cameras;
    for (size_t i = 0; i < clips->count; i++) {
        bool is_known = false;
        for (size_t t = 0; t < plan->take_count; t++)
            is_known |= glob_matches(clips->items[i], plan->takes[t].name, true);
        if (!is_known)
            strings_printf(&plan->warnings, "no preview of '%s': the job has no such clip", clips->items[i]);
    }
    for (size_t i = 0; i < cameras->count; i++) {
        bool is_known = false;
        for (size_t c = 0; c < plan->job->camera_count; c++)
            is_known |= glob_matches(cameras->items[i], plan->job->cameras[c].name, true);
        if (!is_known)
            strings_printf(&plan->warnings, "no preview by '%s': the job has no such camera", cameras->items[i]);
    }
}

/* Says which cells of the sheets are in which preview. */
static int choose_previews(struct plan *plan, struct error *err)
{
    if (!plan->job->previews.is_wanted)
        return 0;
    warn_unknown(plan);
    for (size_t i = 0; i < plan->sheet_count; i++)
        if (choose_of_sheet(plan, &plan->sheets[i], err) < 0)
            return -1;
    return 0;
}

/* -- The plan ---------------------------------------------------------------------------------------------- */

static int read_palette(struct plan *plan, struct assets *assets, struct error *err)
{
    const char *path = plan->job->pixel.palette_file;
    SCOPED_BY(blob_release) struct blob blob = {0};
    if (path && assets_read(assets, path, &blob, err) < 0)
        return -1;
    int result = path ? palette_load(blob_bytes(&blob), &plan->palette, err) : 0;
    if (!path && !plan->job->pixel.color_count && plan->job->pixel.dither != DITHER_NONE)
        strings_printf(&plan->warnings, "%s: `dither` changes nothing without a `palette`", plan->job->model);
    return result < 0 ? error_add(err, "%s", path) : 0;
}

int plan_open(struct model_cache *models, struct assets *assets, const struct job *job, struct plan **out,
              struct error *err)
{
    if (job->missing_count)
        return error_set(err, "%s", job->missing[0].text);
    struct plan *plan = must_alloc(1, sizeof *plan);
    plan->job = job;
    plan->models = models;
    if (open_own_model(plan, assets, err) < 0 || skins_choose(plan, err) < 0 || takes_add(plan, assets, err) < 0 ||
        attach(plan, assets, err) < 0 || lay_out_sheets(plan, err) < 0 || choose_previews(plan, err) < 0 ||
        read_palette(plan, assets, err) < 0 || skins_resolve(plan, assets, err) < 0 ||
        skins_find_visible(plan, err) < 0 || find_boxes(plan, err) < 0) {
        plan_free(plan);
        return -1;
    }
    *out = plan;
    return 0;
}

int plan_read_templates(struct plan *plan, struct assets *assets, struct error *err)
{
    for (size_t i = 0; i < plan->job->template_count; i++) {
        const char *path = plan->job->templates[i], *suffix = template_suffix(&plan->arena, path);
        SCOPED_BY(blob_release) struct blob file = {0};
        if (assets_read(assets, path, &file, err) < 0)
            return -1;
        if (template_load(blob_bytes(&file), suffix, &plan->arena, &plan->templates[i], err) < 0 ||
            template_check(&plan->templates[i], plan->job->passes, err) < 0)
            return error_add(err, "%s", path);
    }
    return 0;
}
