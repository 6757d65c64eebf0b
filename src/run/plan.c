#include "run/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buffer.h"
#include "base/glob.h"
#include "base/memory.h"

/* What the samples of a model without animations are called. */
static const char bind_take_name[] = "bind";

/* The most cells of a job: as many as a page of 4096 pixels could hold at 8x8. Each costs memory in the plan, the
 * views and the JSON, so that without a limit a short list could ask for all there is. */
enum { MAX_CELLS = 1 << 18 };

/* The source of a take that is none of the model's clips. */
enum { NO_CLIP = UINT32_MAX };

/* -- Takes ------------------------------------------------------------------------------------------------- */

struct take_list {
    struct plan *plan;
    struct assets *assets;
    size_t capacity;   /* of plan->takes */
    uint32_t *sources; /* by take: the number of the model's clip, or NO_CLIP */
    size_t source_capacity;
    size_t sample_count; /* of all takes */
};

static bool has_take_named(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->take_count; i++)
        if (!strcasecmp(plan->takes[i].name, name))
            return true;
    return false;
}

/* Whether the clip was taken, or an entry made another of its name, to be had in its place. */
static bool is_taken(const struct take_list *list, uint32_t clip)
{
    const struct plan *plan = list->plan;
    for (size_t i = 0; i < plan->take_count; i++)
        if (list->sources[i] == clip ||
            (list->sources[i] == NO_CLIP && !strcasecmp(plan->takes[i].name, plan->model->clips[clip].name)))
            return true;
    return false;
}

/* "run", or "run_2" for a model that has "Run" too: file names may not differ by case alone. */
static const char *unique_name(struct plan *plan, const char *name)
{
    const char *unique = name;
    for (unsigned number = 2; has_take_named(plan, unique); number++)
        unique = arena_printf(&plan->arena, "%s_%u", name, number);
    return unique;
}

static struct take *new_take(struct take_list *list, uint32_t source)
{
    struct plan *plan = list->plan;
    plan->takes = must_grow(plan->takes, plan->take_count, &list->capacity, sizeof *plan->takes);
    list->sources = must_grow(list->sources, plan->take_count, &list->source_capacity, sizeof *list->sources);
    list->sources[plan->take_count] = source;
    struct take *take = &plan->takes[plan->take_count++];
    *take = (struct take){.name = bind_take_name, .animation = -1};
    return take;
}

static int count_samples(struct take_list *list, const struct take *take, struct error *err)
{
    size_t cameras = list->plan->job->camera_count;
    list->sample_count += take->sample_count;
    if (list->sample_count * cameras > MAX_CELLS)
        return error_set(err, "%zu samples times %zu cameras are %zu cells, at most %d are allowed",
                         list->sample_count, cameras, list->sample_count * cameras, MAX_CELLS);
    return 0;
}

/* `entry` is the one that asks for it, or NULL where the job asks for all clips. The clip is copied: the model's
 * own move when an animation is added. */
static int add_take(struct take_list *list, const struct clip *clip, uint32_t source,
                    const struct job_animation *entry, struct error *err)
{
    struct plan *plan = list->plan;
    const char *name = unique_name(plan, clip->name);
    struct clip *copy = arena_must_alloc(&plan->arena, 1, sizeof *copy);
    *copy = *clip;
    if (entry && entry->rate_hz > 0)
        copy->rate_hz = entry->rate_hz;

    struct take *take = new_take(list, source);
    take->name = name;
    take->animation = (int32_t)clip->animation;
    take->clip = copy;
    take->sampling = entry ? &entry->sampling : &plan->job->sampling;
    take->loop = entry ? entry->loop : plan->job->loop;
    if (sampling_times(take->sampling, copy, take->loop, &take->times_s, &take->sample_count, err) < 0 ||
        count_samples(list, take, err) < 0)
        return error_add(err, "animation '%s'", name);
    return 0;
}

/* The bind pose, or the only frame there is: one sample at time 0. */
static void add_bind_take(struct take_list *list)
{
    struct take *take = new_take(list, NO_CLIP);
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
        error_set(err, "%s: no animation '%s', did you mean '%s'? (%s)", plan->job->model, wanted, nearest,
                  text.text);
    else
        error_set(err, "%s: no animation '%s' (%s)", plan->job->model, wanted, text.text);
    buffer_release(&text);
    free(names);
    return -1;
}

/* Keyframes of an MD2 are in the model file, those of an MD5 in files of their own. */
static bool has_own_keyframes(const struct model *model)
{
    return model->animation_count > 0 && !model->animations[0].name[0];
}

/* A clip of the job's own: the entry names a range of the keyframes inside the model file. */
static int add_frames(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    const struct plan *plan = list->plan;
    const struct model *model = plan->model;
    if (!has_own_keyframes(model))
        return error_set(err, "%s has no keyframes of its own, so `frames` cannot name any", plan->job->model);
    const struct animation *animation = &model->animations[0];
    if (entry->last_frame >= animation->frame_count)
        return error_set(err, "frames %u-%u of %s: its keyframes are 0-%u", entry->first_frame, entry->last_frame,
                         plan->job->model, animation->frame_count - 1);
    const struct clip clip = {
        .name = entry->name,
        .first_frame = entry->first_frame,
        .frame_count = entry->last_frame - entry->first_frame + 1,
        .rate_hz = animation->rate_hz,
    };
    return add_take(list, &clip, NO_CLIP, entry, err);
}

static int add_file(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    struct plan *plan = list->plan;
    if (has_own_keyframes(plan->model))
        return error_set(err, "%s holds its animations itself, so `file` cannot add one", plan->job->model);
    if (model_file_add_animation(&plan->file, list->assets, entry->file, entry->name, err) < 0)
        return -1;
    uint32_t source = plan->model->clip_count - 1;
    struct clip clip = plan->model->clips[source];
    clip.name = entry->name;
    return add_take(list, &clip, source, entry, err);
}

static bool names_clip(const struct job_animation *entry, const struct clip *clip)
{
    return entry->is_pattern ? glob_matches(entry->name, clip->name, true) : !strcasecmp(entry->name, clip->name);
}

static int add_matches(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    const struct model *model = list->plan->model;
    bool found = false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        if (!names_clip(entry, &model->clips[i]))
            continue;
        found = true;
        if (!is_taken(list, i)) {
            if (add_take(list, &model->clips[i], i, entry, err) < 0)
                return -1;
        } else if (!entry->is_pattern) { /* a pattern is content with what is left */
            return error_set(err, "animation '%s' was taken by an entry before this one", model->clips[i].name);
        }
    }
    return found ? 0 : fail_no_clip(list->plan, entry->name, err);
}

static int add_entry(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    int result = entry->file         ? add_file(list, entry, err)
                 : entry->has_frames ? add_frames(list, entry, err)
                                     : add_matches(list, entry, err);
    return result < 0 ? error_add(err, "%s:%u:%u", entry->mark.file, entry->mark.line, entry->mark.column) : 0;
}

static int add_all_clips(struct take_list *list, struct error *err)
{
    const struct model *model = list->plan->model;
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (add_take(list, &model->clips[i], i, NULL, err) < 0)
            return error_add(err, "%s", list->plan->job->model);
    return 0;
}

static int fill_takes(struct take_list *list, struct error *err)
{
    const struct job *job = list->plan->job;
    if (!job->has_animations)
        return add_all_clips(list, err);
    for (size_t i = 0; i < job->animation_count; i++)
        if (add_entry(list, &job->animations[i], err) < 0)
            return -1;
    return 0;
}

static int add_takes(struct plan *plan, struct assets *assets, struct error *err)
{
    struct take_list list = {.plan = plan, .assets = assets};
    int result = fill_takes(&list, err);
    if (result == 0 && plan->take_count == 0)
        add_bind_take(&list);
    free(list.sources);
    return result;
}

struct pose take_pose(const struct take *take, size_t sample, enum interpolation interpolation)
{
    struct pose pose = {.animation = take->animation, .interpolation = interpolation};
    if (take->clip)
        pose.moment = clip_moment(take->clip, take->times_s[sample], take->loop);
    return pose;
}

/* -- Materials --------------------------------------------------------------------------------------------- */

/* What the job puts on a surface of these names, or NULL. */
static const struct skin_override *find_override(const struct job *job, const char *const *names, size_t name_count)
{
    for (size_t i = 0; i < job->skin_count; i++) {
        if (!job->skins[i].from)
            return &job->skins[i];
        for (size_t j = 0; j < name_count; j++)
            if (!strcasecmp(job->skins[i].from, names[j]))
                return &job->skins[i];
    }
    return NULL;
}

static void warn_untextured(struct plan *plan, const struct surface *surface, const struct material *material)
{
    if (material->diffuse || material->stages_only || material->tried.count == 0)
        return;
    struct buffer text = {0};
    for (size_t i = 0; i < material->tried.count; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "", material->tried.items[i]);
    strings_printf(&plan->file.warnings, "%s: no texture for '%s' of '%s', drawn untextured; tried %s",
                   plan->job->model, material->name, surface->name, text.text);
    buffer_release(&text);
}

/* Each once: a file of materials that is broken is so for all of them. */
static void add_material_warnings(struct plan *plan, const struct material *material)
{
    for (size_t i = 0; i < material->warnings.count; i++)
        if (!strings_has(&plan->file.warnings, material->warnings.items[i]))
            strings_add(&plan->file.warnings, material->warnings.items[i]);
}

static bool has_name(const struct model *model, const char *name)
{
    for (uint32_t i = 0; i < model->skin_count; i++)
        if (!strcasecmp(model->skins[i], name))
            return true;
    for (uint32_t i = 0; i < model->surface_count; i++)
        if (model->surfaces[i].shader && !strcasecmp(model->surfaces[i].shader, name))
            return true;
    return false;
}

static void warn_unused_skins(struct plan *plan)
{
    const struct job *job = plan->job;
    for (size_t i = 0; i < job->skin_count; i++) {
        const struct skin_override *skin = &job->skins[i];
        if (skin->from && !has_name(plan->model, skin->from))
            strings_printf(&plan->file.warnings, "%s:%u:%u: %s has no skin or shader '%s'", skin->mark.file,
                           skin->mark.line, skin->mark.column, job->model, skin->from);
    }
}

static void resolve_material(const struct plan *plan, struct assets *assets, const struct surface *surface,
                             struct material *out)
{
    const struct job *job = plan->job;
    const struct model *model = plan->model;
    const struct skin_override *override = surface->shader
                                               ? find_override(job, &surface->shader, 1)
                                               : find_override(job, model->skins, model->skin_count);
    if (override && override->path)
        material_from_path(assets, job->model, override->path, !surface->shader, out);
    else if (override || surface->shader)
        material_from_shader(assets, job->model, override ? override->shader : surface->shader, out);
    else
        material_from_skins(assets, job->model, model->skins, model->skin_count, out);
}

static void resolve_materials(struct plan *plan, struct assets *assets)
{
    const struct model *model = plan->model;
    plan->materials = must_alloc(model->surface_count, sizeof *plan->materials);
    for (uint32_t i = 0; i < model->surface_count; i++) {
        const struct surface *surface = &model->surfaces[i];
        struct material *material = &plan->materials[i];
        resolve_material(plan, assets, surface, material);
        if (surface->index_count > 0) {
            warn_untextured(plan, surface, material);
            add_material_warnings(plan, material);
        }
    }
    warn_unused_skins(plan);
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

static size_t count_cells(const struct plan *plan, size_t sheet)
{
    size_t count = 0;
    for (size_t t = 0; t < plan->take_count; t++)
        for (size_t c = 0; c < plan->job->camera_count; c++)
            if (sheet_has(plan, sheet, t, c))
                count += plan->takes[t].sample_count;
    return count;
}

/* The cells of a sheet in order; returns the length that all strips share, or 0. */
static size_t list_cells(const struct plan *plan, size_t sheet, struct cell *cells)
{
    size_t strip_length = 0;
    bool is_first = true;
    for (size_t t = 0; t < plan->take_count; t++)
        for (size_t c = 0; c < plan->job->camera_count; c++) {
            if (!sheet_has(plan, sheet, t, c))
                continue;
            size_t samples = plan->takes[t].sample_count;
            strip_length = is_first || strip_length == samples ? samples : 0;
            is_first = false;
            for (size_t s = 0; s < samples; s++)
                *cells++ = (struct cell){(uint32_t)t, (uint32_t)s, (uint32_t)c};
        }
    return strip_length;
}

static int lay_out_sheet(struct plan *plan, size_t index, struct error *err)
{
    struct sheet_plan *sheet = &plan->sheets[index];
    size_t count = count_cells(plan, index);
    sheet->base = sheet_base(plan, index);
    sheet->cells = arena_alloc(&plan->arena, count, sizeof *sheet->cells, err);
    if (!sheet->cells)
        return -1;
    size_t strip_length = list_cells(plan, index, sheet->cells);
    if (layout_init(&sheet->layout, &plan->job->sheet, plan->job->cell_px, count, strip_length, err) < 0)
        return error_add(err, "sheet '%s'", sheet->base);
    sheet->first_page = plan->page_count;
    plan->page_count += sheet->layout.page_count;
    return 0;
}

/* The page of `sheet` that would have the name of the first page of `other`: "it-run-1" may be the second page of
 * "it-run", or a camera or clip called "run-1". 0 when there is none. */
static uint32_t page_named_like(const struct sheet_plan *sheet, const struct sheet_plan *other)
{
    size_t length = strlen(sheet->base);
    if (strncasecmp(other->base, sheet->base, length) || other->base[length] != '-')
        return 0;
    const char *digits = other->base + length + 1;
    char *end;
    unsigned long page = strtoul(digits, &end, 10);
    bool is_number = *digits >= '1' && *digits <= '9' && !*end;
    return is_number && page < sheet->layout.page_count ? (uint32_t)page : 0;
}

static int check_page_names(const struct plan *plan, struct error *err)
{
    for (size_t i = 0; i < plan->sheet_count; i++)
        for (size_t j = 0; plan->sheets[i].layout.page_count > 1 && j < plan->sheet_count; j++) {
            uint32_t page = page_named_like(&plan->sheets[i], &plan->sheets[j]);
            if (page)
                return error_set(err, "page %u of '%s' would have the name of sheet '%s'", page + 1,
                                 plan->sheets[i].base, plan->sheets[j].base);
        }
    return 0;
}

static int lay_out_sheets(struct plan *plan, struct error *err)
{
    const struct job *job = plan->job;
    plan->sheet_count = job->sheet.split == SPLIT_ANIMATION ? plan->take_count
                        : job->sheet.split == SPLIT_CAMERA  ? job->camera_count
                                                            : 1;
    plan->sheets = arena_must_alloc(&plan->arena, plan->sheet_count, sizeof *plan->sheets);
    for (size_t i = 0; i < plan->sheet_count; i++)
        if (lay_out_sheet(plan, i, err) < 0)
            return -1;
    return check_page_names(plan, err);
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
    assert(page < plan->page_count);
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
