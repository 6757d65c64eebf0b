#include "plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "base/missing.h"
#include "base/strings.h"
#include "page/names.h"
#include "model/clip.h"
#include "model/root_motion.h"

/* The source of a take that is none of the clips. */
enum { NO_CLIP = UINT32_MAX };

struct take_list {
    struct plan *plan;
    struct assets *assets;
    size_t capacity;   /* of plan->takes */
    uint32_t *sources; /* by take: the number of the clip or declared animation, or NO_CLIP */
    size_t source_capacity;
    size_t sample_count;   /* of all takes */
    struct strings said;   /* about joints of clips: each once */
    bool is_absent;        /* why an entry failed: there is no such clip for this model */
    struct strings moving; /* clips that travel by a joint that was guessed, and how far */
};

/* Among the first `count` takes. */
static bool has_take_named(const struct plan *plan, size_t count, const char *name)
{
    return named_find(plan->takes, count, sizeof *plan->takes, name, true);
}

static struct take *new_take(struct take_list *list, uint32_t source)
{
    struct plan *plan = list->plan;
    plan->takes = must_grow(plan->takes, plan->take_count, &list->capacity, sizeof *plan->takes);
    list->sources = must_grow(list->sources, plan->take_count, &list->source_capacity, sizeof *list->sources);
    list->sources[plan->take_count] = source;
    struct take *take = &plan->takes[plan->take_count++];
    *take = (struct take){.name = "bind", .animation = -1};
    return take;
}

/* Decides what becomes of the clip's way over the ground, and how it loops. A model without joints has no root motion:
 * jobs that share `defaults` with others need not say so. */
static int set_motion(struct take_list *list, const struct job_animation *entry, struct clip *clip,
                      struct take *take, struct error *err)
{
    const struct plan *plan = list->plan;
    const struct root_motion *motion = entry ? &entry->root_motion : &plan->job->root_motion;
    enum loop loop = entry ? entry->loop : plan->job->loop;
    const struct model *model = plan->parts[0].model;
    struct place root = {0};
    if (motion->joint && (model->joint_count > 0 || motion->of_job)) {
        int result = model->joint_count == 0 ? error_set(err, "%s has no joints", plan->job->model)
                                             : plan_find_place(plan, 0, motion->joint, &root, err);
        if (result < 0)
            return error_add(err, "'root_motion'");
        if (root.index != clip->root || !clip_travels(clip)) {
            if (clip_measure(model, (int32_t)root.index, clip, err) < 0)
                return -1;
            clip->root = root.index;
            clip->keeps_sway = true;
        }
    } else if (motion->way != ROOT_MOTION_KEEP) {
        int found = clip_find_travel(model, clip, err);
        if (found < 0)
            return -1;
        if (found && motion->way == ROOT_MOTION_AUTO)
            strings_printf(&list->moving, "%s (%.3g units, '%s')", take->name,
                           hypot(clip->travel[0], clip->travel[1]), model->joints[clip->root].name);
    }
    take->is_in_place = clip_travels(clip) && motion->way != ROOT_MOTION_KEEP;
    if (loop == LOOP_CLOSED || loop == LOOP_OPEN)
        clip->closes = loop == LOOP_CLOSED;
    take->loop = loop == LOOP_AUTO ? !clip_plays_once(clip) : loop != LOOP_NONE;
    return 0;
}

static int count_cells(struct take_list *list, const struct take *take, struct error *err)
{
    size_t cameras = list->plan->job->camera_count, skins = list->plan->parts[0].outfit_count;
    list->sample_count += take->sample_count;
    size_t cells = list->sample_count * cameras * skins;
    if (cells <= LAYOUT_MOST_CELLS)
        return 0;
    if (skins > 1)
        return error_set(err, "%zu samples times %zu cameras and %zu skins are %zu cells, at most %d are allowed",
                         list->sample_count, cameras, skins, cells, LAYOUT_MOST_CELLS);
    return error_set(err, "%zu samples times %zu cameras are %zu cells, at most %d are allowed",
                     list->sample_count, cameras, cells, LAYOUT_MOST_CELLS);
}

/* `entry` is the one that asks for it, or NULL where the job asks for all clips. The clip is copied: the model's
 * own move when an animation is added. */
static int add_take(struct take_list *list, const struct clip *clip, uint32_t source,
                    const struct job_animation *entry, struct error *err)
{
    struct plan *plan = list->plan;
    struct clip *copy = arena_must_alloc(&plan->arena, 1, sizeof *copy);
    *copy = *clip;
    if (entry && entry->rate_hz > 0) {
        copy->rate_hz = entry->rate_hz;
        copy->times_s = NULL;
        copy->searched = NULL; /* another clip, which may close */
    }

    /* "run_2" for a model that has "Run" too: file names may not differ by case alone. So "run.normal", which
     * would have the names of the normals of "run", becomes "run.normal_2". */
    const char *name = clip->name;
    for (unsigned n = 2; has_take_named(plan, plan->take_count, name) || names_end_like_file(name); n++)
        name = arena_printf(&plan->arena, "%s_%u", clip->name, n);

    struct take *take = new_take(list, source);
    take->name = name;
    take->animation = (int32_t)clip->animation;
    take->clip = copy;
    take->sampling = entry ? &entry->sampling : &plan->job->sampling;
    if (set_motion(list, entry, copy, take, err) < 0 ||
        sampling_times(take->sampling, copy, take->loop, &take->times_s, &take->sample_count, err) < 0 ||
        count_cells(list, take, err) < 0)
        return error_add(err, "animation '%s'", name);
    return 0;
}

/* A job may name the clips of the model, or the animations of its declaration, whose files are read when they are
 * taken. */
static size_t count_names(const struct plan *plan)
{
    return plan->def.name ? plan->def.animation_count : plan->parts[0].model->clip_count;
}

static const char *name_of(const struct plan *plan, size_t i)
{
    return plan->def.name ? plan->def.animations[i].name : plan->parts[0].model->clips[i].name;
}

static bool is_extra(const struct plan *plan, size_t i)
{
    return !plan->def.name && plan->parts[0].model->clips[i].is_extra;
}

/* Whether number `i` was taken, or an entry made another of its name, to be had in its place. */
static bool is_taken(const struct take_list *list, size_t i)
{
    const struct plan *plan = list->plan;
    for (size_t t = 0; t < plan->take_count; t++)
        if (list->sources[t] == i ||
            (list->sources[t] == NO_CLIP && !strcasecmp(plan->takes[t].name, name_of(plan, i))))
            return true;
    return false;
}

static int fail_no_clip(const struct part *part, struct assets *assets, const char *wanted, struct error *err)
{
    struct error missing;
    model_file_fail_no_clip(&part->file, assets, wanted, &missing);
    *err = missing;
    if (part->model->format->animation_format)
        error_set(err, "%s; name a file as `{file: NAME%s}`", missing.text,
                  part->model->format->animation_format->suffix);
    return error_add(err, "%s", part->file.path);
}

const struct clip *takes_find_clip(const struct part *part, struct assets *assets, const char *name,
                                   struct error *err)
{
    const struct clip *clip = model_clip_called(part->model, name);
    if (!clip)
        fail_no_clip(part, assets, name, err);
    return clip;
}

/* The names of a declaration's animations are all there are. */
static int fail_no_name(struct take_list *list, const char *wanted, struct error *err)
{
    const struct plan *plan = list->plan;
    list->is_absent = true;
    if (!plan->def.name)
        return fail_no_clip(&plan->parts[0], list->assets, wanted, err);
    const struct def_animation *names = plan->def.animations;
    const size_t count = plan->def.animation_count;
    missing_fail("animation", wanted, strings_nearest(wanted, names, count), names, count, err);
    return error_add(err, "%s", plan->job->model);
}

/* Whether a file has the keyframes that an entry names. */
static int check_frames(struct take_list *list, const struct job_animation *entry, uint32_t frame_count,
                        const char *path, struct error *err)
{
    list->is_absent = entry->last_frame >= frame_count;
    return list->is_absent ? error_set(err, "frames %u-%u of %s: its keyframes are 0-%u", entry->first_frame,
                                       entry->last_frame, path, frame_count - 1)
                           : 0;
}

/* A clip of the job's own: the entry names a range of the keyframes inside the model file. */
static int add_frames(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    const struct plan *plan = list->plan;
    const struct part *part = &plan->parts[0];
    if (!model_file_has_keyframes(&part->file))
        return error_set(err, "%s has no keyframes of its own, so `frames` cannot name any", plan->job->model);
    const struct animation *animation = &part->model->animations[0];
    if (check_frames(list, entry, animation->frame_count, plan->job->model, err) < 0)
        return -1;
    const struct clip clip = {
        .name = entry->name,
        .first_frame = entry->first_frame,
        .frame_count = entry->last_frame - entry->first_frame + 1,
        .rate_hz = animation->rate_hz,
    };
    return add_take(list, &clip, NO_CLIP, entry, err);
}

/* Clips of files become the last ones of the model, *count of them; those before them may move. */
static int read_clips(struct take_list *list, const struct clip_choice *choice, const struct job_animation *entry,
                      uint32_t *count, struct error *err)
{
    struct plan *plan = list->plan;
    SCOPED_BY(strings_release) struct strings warnings = {0};
    int result = model_file_add_clips(&plan->parts[0].file, list->assets, choice, count, &warnings, err);
    list->is_absent = result == MODEL_OTHER_SKELETON;
    for (size_t i = 0; i < warnings.count; i++)
        if (!strings_has(&list->said, warnings.items[i])) {
            strings_add(&list->said, warnings.items[i]);
            strings_printf(&plan->warnings, "%s:%u:%u: %s: %s", MARK_OF(entry->mark), choice->path,
                           warnings.items[i]);
        }
    return result < 0 ? -1 : 0;
}

static const char *stem_of(struct plan *plan, const char *path)
{
    const char *base = path_base(path);
    return clip_name_clean(&plan->arena, base, (size_t)(path_suffix(base) - base));
}

/* `frames` of a clip of a file. */
static int cut_clip(struct take_list *list, const char *path, const struct job_animation *entry, struct clip *clip,
                    struct error *err)
{
    if (clip->times_s)
        return error_set(err, "%s: its keyframes have times of their own, so `sampling` chooses among them", path);
    if (check_frames(list, entry, clip->frame_count, path, err) < 0)
        return -1;
    clip->first_frame += entry->first_frame;
    clip->frame_count = entry->last_frame - entry->first_frame + 1;
    clip->searched = NULL; /* that is of the whole clip */
    return clip_measure(list->plan->parts[0].model, (int32_t)clip->root, clip, err);
}

/* Of a pattern, clips that have the names of the first `before` takes are not made again. */
static int add_file(struct take_list *list, const char *path, const char *stem, const struct job_animation *entry,
                    size_t before, struct error *err)
{
    const struct plan *plan = list->plan;
    const struct model *model = plan->parts[0].model;
    const bool is_one_each = entry->is_pattern && entry->clip && !glob_is_pattern(entry->clip);
    const struct clip_choice choice = {.path = path,
                                       .clip = entry->clip,
                                       .name = is_one_each       ? stem
                                               : entry->is_named ? entry->name
                                                                 : NULL,
                                       .stem = stem,
                                       .rules = &plan->job->retarget};
    uint32_t count;
    if (model_file_has_keyframes(&plan->parts[0].file) && !model_has_nodes(model))
        return error_set(err, "%s holds its animations itself, so `file` cannot add one", plan->job->model);
    if (entry->is_optional && !assets_find(list->assets, path) && !assets_trouble(list->assets)) {
        list->is_absent = true;
        return error_set(err, "no file '%s' in the assets, nor beside '%s'", path, plan->job->model);
    }
    if (read_clips(list, &choice, entry, &count, err) < 0)
        return -1;
    for (uint32_t i = model->clip_count - count; i < model->clip_count; i++) {
        struct clip clip = model->clips[i];
        clip.name = model->animations[clip.animation].name;
        if (entry->is_pattern && has_take_named(plan, before, clip.name))
            continue;
        if ((entry->has_frames && cut_clip(list, path, entry, &clip, err) < 0) ||
            add_take(list, &clip, plan->def.name || entry->has_frames ? NO_CLIP : i, entry, err) < 0)
            return -1;
    }
    return 0;
}

/* Warns that the job is made without this entry. */
static void pass_over(struct plan *plan, const struct job_animation *entry, const struct error *reason)
{
    strings_printf(&plan->warnings, "%s:%u:%u: passed over: %s", MARK_OF(entry->mark), reason->text);
}

/* Adds the clips of all files that match, but for names that entries before this one have made. */
static int add_files(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    struct plan *plan = list->plan;
    size_t before = plan->take_count, fitting = 0;
    struct error reason, first = {0};
    for (size_t i = 0; i < entry->files.count; i++) {
        const char *path = entry->files.items[i], *name = stem_of(plan, path);
        if (!strcmp(path, plan->parts[0].file.path)) {
            continue; /* where models and animations have one suffix, "*.iqm" matches the model, too */
        } else if (has_take_named(plan, before, name)) {
            fitting++;
        } else if (add_file(list, path, name, entry, before, &reason) == 0) {
            fitting++;
        } else if (!list->is_absent) {
            *err = reason;
            return -1;
        } else {
            pass_over(plan, entry, &reason);
            first = *first.text ? first : reason;
        }
    }
    if (fitting > 0)
        return 0;
    list->is_absent = true;
    if (entry->files.count == 0)
        return error_set(err, "no file in the assets matches '%s', nor beside '%s'", entry->file,
                         plan->job->model);
    return error_set(err, "none of the files that match '%s' fits %s; the first: %s", entry->file,
                     plan->parts[0].file.path, first.text);
}

/* Adds a take of the i-th name that a job may use. */
static int add_named(struct take_list *list, size_t i, const struct job_animation *entry, struct error *err)
{
    const struct plan *plan = list->plan;
    const struct model *model = plan->parts[0].model;
    const char *renamed = entry && entry->clip ? entry->name : NULL;
    struct clip clip;
    if (!plan->def.name) {
        clip = model->clips[i];
        clip.name = renamed ? renamed : clip.name;
        return add_take(list, &clip, (uint32_t)i, entry, err);
    }
    const struct def_animation *animation = &plan->def.animations[i];
    const char *name = clip_name_clean(&list->plan->arena, animation->name, strlen(animation->name));
    const struct clip_choice choice = {.path = animation->files[0], .name = renamed ? renamed : name};
    if (read_clips(list, &choice, entry, &(uint32_t){0}, err) < 0)
        return error_add(err, "%s: animation '%s'", plan->def.declared, animation->name);
    clip = model->clips[model->clip_count - 1];
    clip.name = choice.name;
    return add_take(list, &clip, (uint32_t)i, entry, err);
}

/* The i-th name as an entry may have it: ours; or `as_in_file`, where nothing has the entry's name by ours. */
static const char *called(const struct plan *plan, size_t i, bool as_in_file)
{
    const char *told = plan->def.name ? NULL : plan->parts[0].model->clips[i].name_in_file;
    return !as_in_file ? name_of(plan, i) : told ? told : "";
}

static bool has_very_name(const struct plan *plan, const char *name, bool as_in_file)
{
    for (size_t i = 0, count = count_names(plan); i < count; i++)
        if (!strcmp(called(plan, i, as_in_file), name))
            return true;
    return false;
}

/* The engine plays any of "walk", "walk1" and "walk2" where "walk" is asked for, so that name means all of them. */
static bool names_animation(const struct job_animation *entry, const struct plan *plan, size_t i, bool as_in_file)
{
    const char *name = called(plan, i, as_in_file), *wanted = entry->clip ? entry->clip : entry->name;
    if (glob_is_pattern(wanted))
        return *name && (glob_matches(wanted, name, true) || !strcasecmp(wanted, name)) && !is_extra(plan, i);
    if (entry->clip && strcmp(wanted, name) && has_very_name(plan, wanted, as_in_file))
        return false; /* "Walk" is not "walk" where there are both */
    return !strcasecmp(wanted, name) || (plan->def.name && !strcasecmp(wanted, plan->def.animations[i].base));
}

/* Only one clip can have the entry's name. */
static int check_only_one(const struct plan *plan, const struct job_animation *entry, bool as_in_file,
                          struct error *err)
{
    SCOPED_BY(strings_release) struct strings names = {0};
    for (size_t i = 0, count = count_names(plan); i < count; i++)
        if (names_animation(entry, plan, i, as_in_file))
            strings_add(&names, name_of(plan, i));
    SCOPED char *list = missing_list(names.items, names.count);
    return names.count <= 1 ? 0
                            : error_set(err, "%zu animations match '%s', and only one can be called '%s': %s",
                                        names.count, entry->clip, entry->name, list);
}

/* Returns ", nor run, walk": entries behind this one that name no clip either, so that a model that was replaced is told
 * once. The caller frees it. */
static char *other_absent(const struct plan *plan, const struct job_animation *entry)
{
    const struct job *job = plan->job;
    SCOPED_BY(strings_release) struct strings names = {0};
    for (const struct job_animation *at = entry + 1; at < job->animations + job->animation_count; at++) {
        bool is_found = at->file || at->has_frames || at->is_optional || at->is_pattern;
        for (size_t i = 0, count = count_names(plan); i < count && !is_found; i++)
            is_found = names_animation(at, plan, i, false) || names_animation(at, plan, i, true);
        if (!is_found)
            strings_add(&names, at->clip ? at->clip : at->name);
    }
    SCOPED char *list = missing_list(names.items, names.count);
    return names.count ? must_printf(", nor %s", list) : must_strdup("");
}

static int add_matches(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    const struct plan *plan = list->plan;
    const size_t count = count_names(plan);
    bool found = false, as_in_file = true;
    for (size_t i = 0; i < count; i++)
        as_in_file &= !names_animation(entry, plan, i, false);
    if (entry->clip && check_only_one(plan, entry, as_in_file, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        if (!names_animation(entry, plan, i, as_in_file))
            continue;
        found = true;
        if (entry->clip || !is_taken(list, i)) {
            if (add_named(list, i, entry, err) < 0)
                return -1;
        } else if (!entry->is_pattern) { /* a pattern takes what is left */
            return error_set(err, "animation '%s' was taken by an entry before this one", name_of(plan, i));
        }
    }
    if (found)
        return 0;
    fail_no_name(list, entry->clip ? entry->clip : entry->name, err);
    struct error told = *err;
    const char *hint = strcasecmp(entry->name, "all") ? "`optional: true` does without it" : "`\"*\"` means all";
    if (entry->is_optional)
        return -1;
    SCOPED char *others = other_absent(plan, entry);
    return error_set(err, "%s%s; %s", told.text, others, hint);
}

static int add_entry(struct take_list *list, const struct job_animation *entry, struct error *err)
{
    list->is_absent = false;
    const bool has_stem = entry->file && entry->clip && !entry->is_named;
    int result = entry->file && entry->is_pattern ? add_files(list, entry, err)
                 : entry->file                    ? add_file(list, entry->file,
                                          has_stem ? stem_of(list->plan, entry->file) : entry->name, entry, 0, err)
                 : entry->has_frames              ? add_frames(list, entry, err)
                                                  : add_matches(list, entry, err);
    if (result < 0 && entry->is_optional && list->is_absent) {
        pass_over(list->plan, entry, err);
        return 0;
    }
    return result < 0 ? error_add(err, "%s:%u:%u", MARK_OF(entry->mark)) : 0;
}

/* False where the clip has no such keyframe. */
static bool add_event(struct take *take, const struct clip_event *event)
{
    if (!take->clip || event->keyframe >= take->clip->frame_count)
        return false;
    size_t sample = sampling_shown_at(take->sampling, take->clip, take->loop, take->times_s, take->sample_count,
                                      clip_keyframe_s(take->clip, event->keyframe));
    if (sample < take->sample_count)
        take->events[take->event_count++] = (struct clip_event){event->name, event->keyframe, (uint32_t)sample};
    return true;
}

static int fail_no_event(const struct plan *plan, const struct job_event *event, struct error *err)
{
    SCOPED_BY(strings_release) struct strings clips = {0};
    for (const struct take *take = plan->takes; take < plan->takes + plan->take_count; take++)
        if (take->clip)
            strings_printf(&clips, "%s 0-%u", take->name, take->clip->frame_count - 1);
    SCOPED char *list = missing_list(clips.items, clips.count);
    return error_set(err, "%s:%u:%u: event '%s': no clip '%s' has a keyframe %u; there are %s",
                     MARK_OF(event->clip.mark), event->event.name, event->clip.name, event->event.keyframe, list);
}

/* Adds the events of a declaration, and those of the list. */
static int add_events(struct take_list *list, struct error *err)
{
    struct plan *plan = list->plan;
    const struct job *job = plan->job;
    for (size_t t = 0; t < plan->take_count; t++) {
        const bool is_declared = plan->def.name && list->sources[t] != NO_CLIP;
        const struct def_animation none = {0},
                                   *from = is_declared ? &plan->def.animations[list->sources[t]] : &none;
        struct take *take = &plan->takes[t];
        take->events = arena_must_alloc(&plan->arena, from->event_count + job->event_count, sizeof *take->events);
        for (size_t i = 0; i < from->event_count; i++)
            if (!add_event(take, &from->events[i]))
                strings_printf(&plan->warnings, "%s: animation '%s' has no frame %u", plan->def.declared,
                               from->name, from->events[i].keyframe + 1);
    }
    for (size_t i = 0; i < job->event_count; i++) {
        bool is_there = false;
        for (size_t t = 0; t < plan->take_count; t++)
            is_there |= tint_is_called(plan->takes[t].name, &job->events[i].clip) &&
                        add_event(&plan->takes[t], &job->events[i].event);
        if (!is_there)
            return fail_no_event(plan, &job->events[i], err);
    }
    return 0;
}

/* Warns of a model that could move, and does not because the list does not say how. One joint alone has no pose to
 * speak of. */
static void warn_bind_pose(struct plan *plan, struct assets *assets)
{
    struct model_file *file = &plan->parts[0].file;
    const struct animation_format *format = file->model->format->animation_format;
    SCOPED_BY(strings_release) struct strings found = {0};
    model_file_find_animations(file, assets, &found);
    SCOPED char *names = missing_list(found.items, found.count);
    if (found.count > 0 || (format && file->model->joint_count > 1))
        strings_printf(&plan->warnings,
                       "%s: drawn in its bind pose, because the job names no animations; next to it: %s; "
                       "`animations: {file: \"*%s\"}` takes all, `animations: []` says that this is meant",
                       file->path, names, format->suffix);
}

int takes_add(struct plan *plan, struct assets *assets, struct error *err)
{
    struct take_list list = {.plan = plan, .assets = assets};
    const struct job *job = plan->job;
    int result = 0;
    size_t count = job->has_animations ? 0 : count_names(plan);
    for (size_t i = 0; i < count && result == 0; i++)
        if (!is_extra(plan, i) && add_named(&list, i, NULL, err) < 0)
            result = error_add(err, "%s", job->model);
    for (size_t i = 0; i < job->animation_count && result == 0; i++)
        result = add_entry(&list, &job->animations[i], err);
    if (result == 0 && plan->take_count == 0) { /* the bind pose, or the only frame there is */
        struct take *take = new_take(&list, NO_CLIP);
        take->times_s = must_alloc(1, sizeof *take->times_s);
        take->sample_count = 1;
        if (!job->has_animations && !plan->def.name)
            warn_bind_pose(plan, assets);
    }
    if (result == 0)
        result = add_events(&list, err);
    SCOPED char *moving = missing_list(list.moving.items, list.moving.count);
    if (list.moving.count > 0)
        strings_printf(&plan->warnings,
                       "%s: drawn in place: %s; `root_motion: remove` says that this is meant, `keep` "
                       "shows the way",
                       job->model, moving);
    strings_release(&list.moving);
    strings_release(&list.said);
    free(list.sources);
    return result;
}
