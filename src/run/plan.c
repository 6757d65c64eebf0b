#include "run/plan.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"

/* What the samples of a model without animations are called. */
static const char bind_take_name[] = "bind";

/* -- Takes ------------------------------------------------------------------------------------------------- */

/* A clip's name as it may stand in a frame name and a file name: models hold quotes, slashes and worse. */
static const char *safe_name(struct plan *plan, const char *name)
{
    char *safe = arena_strdup(&plan->arena, name);
    for (char *c = safe; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127 || strchr("/\\\"'<>:|?*", *c))
            *c = '_';
    if (!strcmp(safe, "") || !strcmp(safe, ".") || !strcmp(safe, ".."))
        return arena_printf(&plan->arena, "_%s", safe);
    return safe;
}

static bool has_take(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->take_count; i++)
        if (!strcasecmp(plan->takes[i].name, name))
            return true;
    return false;
}

static struct take *new_take(struct plan *plan, size_t *capacity, const char *name)
{
    plan->takes = must_grow(plan->takes, plan->take_count, capacity, sizeof *plan->takes);
    struct take *take = &plan->takes[plan->take_count++];
    *take = (struct take){.name = name, .animation = -1};
    return take;
}

static int add_take(struct plan *plan, size_t *capacity, const struct clip *clip, const struct sampling *sampling,
                    bool loop, struct error *err)
{
    const char *name = safe_name(plan, clip->name);
    if (has_take(plan, name))
        return error_set(err, "two animations are called '%s'", name);
    struct take *take = new_take(plan, capacity, name);
    take->animation = (int32_t)clip->animation;
    take->clip = clip;
    take->sampling = sampling;
    take->loop = loop;
    if (sampling_times(sampling, clip, loop, &take->times_s, &take->sample_count, err) < 0)
        return error_add(err, "animation '%s'", name);
    return 0;
}

/* The bind pose, or the only frame there is: one sample at time 0. */
static void add_bind_take(struct plan *plan, size_t *capacity)
{
    struct take *take = new_take(plan, capacity, bind_take_name);
    take->times_s = must_alloc(1, sizeof *take->times_s);
    take->sample_count = 1;
}

/* "it has stand, run, jump" for a message, cut after a dozen. */
static void list_clips(const struct model *model, struct buffer *out)
{
    enum { SHOWN = 12 };
    if (model->clip_count == 0)
        buffer_printf(out, "it has no animations");
    for (uint32_t i = 0; i < model->clip_count && i < SHOWN; i++)
        buffer_printf(out, "%s%s", i ? ", " : "it has ", model->clips[i].name);
    if (model->clip_count > SHOWN)
        buffer_printf(out, " and %u more", model->clip_count - SHOWN);
}

static int fail_no_clip(const struct plan *plan, const char *wanted, struct error *err)
{
    const struct model *model = plan->model;
    const char **names = must_alloc(model->clip_count, sizeof *names);
    for (uint32_t i = 0; i < model->clip_count; i++)
        names[i] = model->clips[i].name;
    const char *nearest = strings_nearest(wanted, names, model->clip_count);
    struct buffer text = {0};
    list_clips(model, &text);
    if (nearest)
        error_set(err, "%s: no animation '%s', did you mean '%s'? (%s)", plan->job->model, wanted, nearest, text.text);
    else
        error_set(err, "%s: no animation '%s' (%s)", plan->job->model, wanted, text.text);
    buffer_release(&text);
    free(names);
    return -1;
}

/* A clip of the job's own: the entry names a range of the model's keyframes. */
static int add_explicit_clip(struct plan *plan, const struct job_animation *entry, struct clip *out, struct error *err)
{
    const struct model *model = plan->model;
    if (model->animation_count == 0)
        return error_set(err, "%s has no keyframes, so `frames` cannot name any", plan->job->model);
    const struct animation *animation = &model->animations[0];
    if (entry->last_frame >= animation->frame_count)
        return error_set(err, "frames %u-%u of %s: its keyframes are 0-%u", entry->first_frame, entry->last_frame,
                         plan->job->model, animation->frame_count - 1);
    *out = (struct clip){
        .name = entry->name,
        .first_frame = entry->first_frame,
        .frame_count = entry->last_frame - entry->first_frame + 1,
        .rate_hz = entry->rate_hz > 0 ? entry->rate_hz : animation->rate_hz,
    };
    return 0;
}

/* The clip at another rate, where the entry gives one. The copy lives in the plan's arena. */
static const struct clip *clip_for_entry(struct plan *plan, const struct job_animation *entry, const struct clip *clip)
{
    struct clip *copy = arena_must_alloc(&plan->arena, 1, sizeof *copy);
    *copy = *clip;
    if (entry->rate_hz > 0)
        copy->rate_hz = entry->rate_hz;
    return copy;
}

static int add_matching_takes(struct plan *plan, size_t *capacity, const struct job_animation *entry, struct error *err)
{
    const struct model *model = plan->model;
    bool found = false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];
        if (!(entry->is_pattern ? glob_matches(entry->name, clip->name, true) : !strcasecmp(entry->name, clip->name)))
            continue;
        found = true;
        /* A pattern takes what the entries before it have not taken. */
        if (entry->is_pattern && has_take(plan, safe_name(plan, clip->name)))
            continue;
        if (add_take(plan, capacity, clip_for_entry(plan, entry, clip), &entry->sampling, entry->loop, err) < 0)
            return -1;
    }
    return found ? 0 : fail_no_clip(plan, entry->name, err);
}

static int add_entry(struct plan *plan, struct assets *assets, size_t *capacity, const struct job_animation *entry,
                     struct error *err)
{
    if (entry->file) {
        if (model_file_add_animation(&plan->file, assets, entry->file, entry->name, err) < 0)
            return -1;
        const struct clip *added = &plan->model->clips[plan->model->clip_count - 1];
        struct clip *named = (struct clip *)clip_for_entry(plan, entry, added);
        named->name = entry->name;
        return add_take(plan, capacity, named, &entry->sampling, entry->loop, err);
    }
    if (entry->has_frames) {
        struct clip clip;
        if (add_explicit_clip(plan, entry, &clip, err) < 0)
            return -1;
        return add_take(plan, capacity, clip_for_entry(plan, entry, &clip), &entry->sampling, entry->loop, err);
    }
    return add_matching_takes(plan, capacity, entry, err);
}

static int add_takes(struct plan *plan, struct assets *assets, struct error *err)
{
    const struct job *job = plan->job;
    size_t capacity = 0;
    for (size_t i = 0; i < job->animation_count; i++) {
        const struct job_animation *entry = &job->animations[i];
        if (add_entry(plan, assets, &capacity, entry, err) < 0)
            return error_add(err, "%s:%u:%u", entry->mark.file, entry->mark.line, entry->mark.column);
    }
    if (!job->has_animations)
        for (uint32_t i = 0; i < plan->model->clip_count; i++) {
            const struct clip *clip = &plan->model->clips[i];
            if (add_take(plan, &capacity, clip, &job->sampling, job->loop, err) < 0)
                return error_add(err, "%s", job->model);
        }
    if (plan->take_count == 0)
        add_bind_take(plan, &capacity);
    return 0;
}

struct pose take_pose(const struct take *take, size_t sample, enum interpolation interpolation)
{
    struct pose pose = {.animation = take->animation, .interpolation = interpolation};
    if (take->clip)
        pose.moment = clip_moment(take->clip, take->times_s[sample], take->loop);
    return pose;
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* The image the job names for this surface, or NULL. */
static const char *overridden_skin(const struct job *job, const char *const *names, size_t name_count)
{
    for (size_t i = 0; i < job->skin_count; i++) {
        if (!job->skins[i].from)
            return job->skins[i].path;
        for (size_t j = 0; j < name_count; j++)
            if (!strcasecmp(job->skins[i].from, names[j]))
                return job->skins[i].path;
    }
    return NULL;
}

static void warn_untextured(struct plan *plan, const struct surface *surface, const struct material *material)
{
    if (material->diffuse || material->tried.count == 0)
        return;
    struct buffer text = {0};
    for (size_t i = 0; i < material->tried.count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "", material->tried.items[i]);
    strings_printf(&plan->file.warnings, "%s: no texture for '%s' of '%s', drawn untextured; tried %s", plan->job->model,
                   material->name, surface->name, text.text);
    buffer_release(&text);
}

static void resolve_materials(struct plan *plan, struct assets *assets)
{
    const struct job *job = plan->job;
    const struct model *model = plan->model;
    plan->materials = must_alloc(model->surface_count, sizeof *plan->materials);
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        struct material *material = &plan->materials[i];
        const char *path = surface->shader ? overridden_skin(job, &surface->shader, 1)
                                           : overridden_skin(job, model->skins, model->skin_count);
        if (path)
            material_from_path(assets, job->model, path, material);
        else if (surface->shader)
            material_from_shader(assets, job->model, surface->shader, material);
        else
            material_from_skins(assets, job->model, model->skins, model->skin_count, material);
        if (surface->index_count > 0)
            warn_untextured(plan, surface, material);
    }
}

/* -- Sheets ------------------------------------------------------------------------------------------------ */

/* Whether a take or a camera belongs to sheet number `sheet`. */
static bool sheet_has(const struct plan *plan, size_t sheet, size_t take, size_t camera)
{
    switch (plan->job->sheet.split) {
    case SPLIT_ANIMATION:
        return take == sheet;
    case SPLIT_CAMERA:
        return camera == sheet;
    case SPLIT_NONE:
        break;
    }
    return true;
}

static const char *sheet_base(struct plan *plan, size_t sheet)
{
    const struct job *job = plan->job;
    switch (job->sheet.split) {
    case SPLIT_ANIMATION:
        return arena_printf(&plan->arena, "%s-%s", job->name, plan->takes[sheet].name);
    case SPLIT_CAMERA:
        return arena_printf(&plan->arena, "%s-%s", job->name, job->cameras[sheet].name);
    case SPLIT_NONE:
        break;
    }
    return job->name;
}

/* The cells of a sheet in order; returns their number, and the length that all strips share, or 0. */
static size_t list_cells(const struct plan *plan, size_t sheet, struct cell *cells, size_t *strip_length)
{
    size_t count = 0;
    bool is_first = true;
    *strip_length = 0;
    for (size_t t = 0; t < plan->take_count; t++)
        for (size_t c = 0; c < plan->job->camera_count; c++) {
            if (!sheet_has(plan, sheet, t, c))
                continue;
            size_t samples = plan->takes[t].sample_count;
            *strip_length = is_first || *strip_length == samples ? samples : 0;
            is_first = false;
            for (size_t s = 0; s < samples; s++)
                cells[count++] = (struct cell){(uint32_t)t, (uint32_t)s, (uint32_t)c};
        }
    return count;
}

static int lay_out_sheet(struct plan *plan, size_t index, size_t cell_limit, struct error *err)
{
    struct sheet_plan *sheet = &plan->sheets[index];
    sheet->base = sheet_base(plan, index);
    sheet->cells = arena_alloc(&plan->arena, cell_limit, sizeof *sheet->cells, err);
    if (!sheet->cells)
        return -1;
    size_t strip_length;
    size_t count = list_cells(plan, index, sheet->cells, &strip_length);
    if (layout_init(&sheet->layout, &plan->job->sheet, plan->job->cell_px, count, strip_length, err) < 0)
        return error_add(err, "sheet '%s'", sheet->base);
    sheet->first_page = plan->page_count;
    plan->page_count += sheet->layout.page_count;
    return 0;
}

static int lay_out_sheets(struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    size_t cell_limit = 0;
    for (size_t i = 0; i < plan->take_count; i++)
        cell_limit += plan->takes[i].sample_count * job->camera_count;

    plan->sheet_count = job->sheet.split == SPLIT_ANIMATION ? plan->take_count
                        : job->sheet.split == SPLIT_CAMERA  ? job->camera_count
                                                            : 1;
    plan->sheets = arena_must_alloc(&plan->arena, plan->sheet_count, sizeof *plan->sheets);
    for (size_t i = 0; i < plan->sheet_count; i++)
        if (lay_out_sheet(plan, i, cell_limit, err) < 0)
            return -1;
    return 0;
}

/* -- The plan ---------------------------------------------------------------------------------------------- */

int plan_open(struct assets *assets, const struct job *job, struct plan **out, struct error *err)
{
    struct plan *plan = must_alloc(1, sizeof *plan);
    plan->job = job;
    const struct model_options options = {.geometry = job->geometry};
    if (model_file_open(assets, job->model, &options, &plan->file, err) < 0) {
        plan_free(plan);
        return -1;
    }
    plan->model = plan->file.model;
    if (add_takes(plan, assets, err) < 0 || lay_out_sheets(plan, err) < 0) {
        plan_free(plan);
        return -1;
    }
    resolve_materials(plan, assets);
    *out = plan;
    return 0;
}

void plan_free(struct plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->take_count; i++)
        free(plan->takes[i].times_s);
    free(plan->takes);
    for (size_t i = 0; plan->sheets && i < plan->sheet_count; i++)
        layout_release(&plan->sheets[i].layout);
    for (size_t i = 0; plan->materials && i < plan->model->surface_count; i++)
        material_release(&plan->materials[i]);
    free(plan->materials);
    model_file_release(&plan->file);
    arena_release(&plan->arena);
    free(plan);
}

const struct sheet_plan *plan_sheet_of_page(const struct plan *plan, uint32_t page, uint32_t *page_of_sheet)
{
    size_t i = plan->sheet_count - 1;
    while (page < plan->sheets[i].first_page)
        i--;
    *page_of_sheet = page - plan->sheets[i].first_page;
    return &plan->sheets[i];
}

char *plan_page_name(const struct sheet_plan *sheet, uint32_t page_of_sheet, const char *suffix)
{
    return page_of_sheet ? must_printf("%s-%u%s", sheet->base, page_of_sheet, suffix)
                         : must_printf("%s%s", sheet->base, suffix);
}
