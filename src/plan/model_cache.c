/* Models that stay open, and clips of other files that are added to models. */
#include "plan/model_file.h"

#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/missing.h"
#include "base/strings.h"

/* -- Models that stay open --------------------------------------------------------------------------------- */

/* What the cache has of a model. */
struct kept_model {
    struct kept_model *next;
    struct model_file file;       /* with the animation files of all jobs */
    struct model_options options; /* with a scene and a skin of its own, or NULL */
    struct trace opened;          /* what was asked to open it, without these files */
    uint32_t own_animation_count, own_clip_count;
    struct added_clip *added; /* of these files, in their order: each is an animation and a clip */
    size_t added_count, added_capacity;
    size_t size;      /* bytes of memory, without the memo */
    size_t last_turn; /* of the jobs that open it */
    struct model_memo memo;
    struct model_cache *cache;
};

struct added_clip {
    char *key;               /* its file, and what else it depends on */
    struct trace trace;      /* what was asked to read it */
    struct strings warnings; /* about its joints */
};

enum {
    KEPT_MODELS = 256,
    KEPT_BYTES = 64 * 1024 * 1024,
};

struct last_use {
    const char *path;
    size_t turn;
};

struct model_cache {
    struct kept_model *first; /* the one used last */
    void *uses;               /* of tsearch, by path: struct last_use */
    uint64_t opened;          /* so many, ever */
};

struct model_cache *model_cache_new(void)
{
    return must_alloc(1, sizeof(struct model_cache));
}

void model_cache_expect(struct model_cache *cache, const char *path, size_t turn)
{
    struct last_use *use = must_alloc(1, sizeof *use), **known;
    *use = (struct last_use){path, turn};
    if (!(known = tsearch(use, &cache->uses, strings_compare)))
        abort(); /* out of memory */
    if ((*known)->turn < turn)
        (*known)->turn = turn;
    if (*known != use)
        free(use);
}

static void added_clip_release(struct added_clip *added)
{
    free(added->key);
    trace_release(&added->trace);
    strings_release(&added->warnings);
}

static void free_kept(struct kept_model *kept)
{
    model_file_release(&kept->file);
    for (size_t i = 0; i < kept->added_count; i++)
        added_clip_release(&kept->added[i]);
    free(kept->added);
    trace_release(&kept->opened);
    buffer_release(&kept->memo.answer);
    free(kept);
}

void model_cache_clear(struct model_cache *cache)
{
    while (cache->first) {
        struct kept_model *next = cache->first->next;
        free_kept(cache->first);
        cache->first = next;
    }
}

void model_cache_free(struct model_cache *cache)
{
    model_cache_clear(cache);
    tdestroy(cache->uses, free);
    free(cache);
}

void model_cache_trim(struct model_cache *cache, size_t turn)
{
    size_t count = 0, size = 0;
    for (struct kept_model **at = &cache->first; *at;) {
        struct kept_model *kept = *at;
        const bool is_past = kept->last_turn < turn;
        size += is_past ? 0 : kept->size + kept->memo.answer.capacity;
        if (!is_past && ++count <= KEPT_MODELS && size <= KEPT_BYTES) {
            at = &kept->next;
        } else {
            *at = kept->next;
            free_kept(kept);
        }
    }
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool fits(const struct kept_model *kept, const char *path, const struct model_options *options)
{
    const struct model_options *own = &kept->options;
    return own->geometry == options->geometry && own->via == options->via && own->colors == options->colors &&
           !memcmp(&own->transform, &options->transform, sizeof own->transform) &&
           own->is_for_clips == options->is_for_clips && is_same_text(own->scene, options->scene) &&
           (!kept->file.model->format->has_skin_files || is_same_text(own->skin, options->skin)) &&
           !strcmp(kept->file.path, path);
}

int model_cache_open(struct model_cache *cache, struct assets *assets, const char *path,
                     const struct model_options *options, struct model_file *out, struct error *err)
{
    if (!cache)
        return model_file_open(assets, path, options, out, err);
    struct kept_model **at = &cache->first, *kept;
    while (*at && !fits(*at, path, options))
        at = &(*at)->next;
    if ((kept = *at)) {
        *at = kept->next;
        assets_set_openers(assets, model_picture_opener); /* as opening it would */
    } else {
        struct model_file file;
        struct trace opened = {0}, *asks = assets_trace(assets, &opened);
        int result = model_file_open(assets, path, options, &file, err);
        assets_trace(assets, asks);
        if (result < 0) {
            trace_add(asks, &opened);
            trace_release(&opened);
            return -1;
        }
        struct last_use **use = options->is_for_clips ? NULL : tfind(&path, &cache->uses, strings_compare);
        kept = must_alloc(1, sizeof *kept);
        *kept = (struct kept_model){
            .file = file,
            .options = *options,
            .opened = opened,
            .own_animation_count = file.model->animation_count,
            .own_clip_count = file.model->clip_count,
            .size = arena_size(&file.model->arena),
            .last_turn = use ? (*use)->turn : SIZE_MAX,
            .memo.number = ++cache->opened,
            .cache = cache,
        };
        struct arena *arena = &kept->file.arena;
        kept->options.scene = options->scene ? arena_strdup(arena, options->scene) : NULL;
        kept->options.skin = options->skin ? arena_strdup(arena, options->skin) : NULL;
        for (uint32_t i = 0; i < kept->own_clip_count; i++)
            file.model->clips[i].searched = arena_must_alloc(arena, 1, sizeof(struct clip));
    }
    trace_add(assets_present_trace(assets), &kept->opened);
    kept->next = cache->first;
    cache->first = kept;

    const struct model_file *file = &kept->file;
    *out = *file;
    out->arena = (struct arena){0};
    out->warnings = (struct strings){0};
    out->kept = kept;
    out->model = model_share(file->model, kept->own_animation_count, kept->own_clip_count);
    strings_add_all(&out->warnings, &file->warnings);
    return 0;
}

struct model_memo *model_file_memo(const struct model_file *file)
{
    return file->kept ? &file->kept->memo : NULL;
}

/* -- Clips that stay open ---------------------------------------------------------------------------------- */

/* A file whose joints are not all those of the model is for the model that is called as it is, where there is one: in
 * Quake's folders each has its own. What else the format says of the joints goes to `warnings`. */
static int read_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                          struct strings *warnings, struct error *err)
{
    struct model *model = file->model;
    const size_t said = model->warnings.count;
    SCOPED_BY(blob_release) struct blob blob = {0};
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    int result = model_add_animation(model, name, blob_bytes(&blob), err);
    for (size_t i = said; i < model->warnings.count && result == 0; i++) {
        SCOPED char *stem = path_stem(path), *other = must_printf("%s%s", stem, model->format->suffixes->text);
        const char *found = assets_find(assets, other);
        if (found && strcmp(found, file->path) != 0) {
            result = MODEL_OTHER_SKELETON;
            error_set(err, "it is for %s: %s", found, model->warnings.items[i]);
            model->animation_count--;
            model->clip_count--;
        } else {
            strings_add(warnings, model->warnings.items[i]);
        }
    }
    if (result < 0) {
        error_add(err, "%s", path);
        return result;
    }
    return model_file_add_beside_animation(file, assets, path, err);
}

/* The clip of that key; NULL: the kept model has none. */
static const struct added_clip *find_added(const struct kept_model *kept, const char *key)
{
    return named_find(kept->added, kept->added_count, sizeof *kept->added, key, false);
}

/* Adds a clip of the kept model to a model. */
static void share_added(struct model_file *file, const struct added_clip *added, const char *name)
{
    const struct kept_model *kept = file->kept;
    const size_t i = (size_t)(added - kept->added);
    struct model *model = file->model;
    struct animation animation = kept->file.model->animations[kept->own_animation_count + i];
    struct clip clip = kept->file.model->clips[kept->own_clip_count + i];
    animation.name = arena_strdup(&model->arena, name);
    clip.name = model_unique_clip_name(model, name);
    clip.animation = model->animation_count;
    model_add_animation_entry(model, &animation);
    model_add_clip(model, &clip);
}

/* -- Clips of other files ---------------------------------------------------------------------------------- */

#define TOLD_APART_RAD 0.035 /* bind poses that differ by less, by two degrees, are the same to the eye */

static const struct model_options for_clips = {.takes_clips_alone = true, .is_for_clips = true};

/* Copies the rig of a file with clips, and takes all its clips as animations. */
static int list_clips(const struct model_file *clips, struct arena *arena, struct rig *out, struct error *err)
{
    const struct model *model = clips->model;
    if (!model_has_nodes(model))
        return error_set(err, "%s: clips of %s files play on models of that format alone", clips->path,
                         model->format->name);
    if (model->clip_count == 0)
        return error_set(err, "%s: no clips in it", clips->path);
    struct rig_animation *animations = arena_must_alloc(arena, model->clip_count, sizeof *animations);
    for (uint32_t i = 0; i < model->clip_count; i++)
        animations[i] = rig_animation_of(model, &model->clips[i]);
    *out = *model->rig;
    out->animations = animations;
    out->animation_count = model->clip_count;
    return 0;
}

static int fail_other_joints(const struct model_file *file, const struct model_file *clips,
                             const struct retarget *match, struct error *err)
{
    SCOPED_BY(buffer_release) struct buffer absent = {0};
    for (size_t i = 0; i < match->absent_count; i++) {
        const char *near = strings_nearest(match->absent[i], match->missing, match->missing_count);
        buffer_printf(&absent, "; no joint '%s', as `joints` has it", match->absent[i]);
        if (near)
            buffer_printf(&absent, " (did you mean '%s'?)", near);
    }
    SCOPED char *theirs = missing_list(match->missing, match->missing_count);
    SCOPED char *ours = missing_list(match->untracked, match->untracked_count);
    error_set(
        err,
        "%s: %u of the %u joints that its clips move are in %s, and %u of the %u that carry weights there get a "
        "track; half must be, or a third must and the hips%s. Without a match in the clips: %s. And in the model: "
        "%s. `joints` "
        "says which are the same",
        clips->path, match->matched_count, match->matched_count + match->missing_count, file->path,
        match->weighted_count - match->untracked_count, match->weighted_count, absent.text ? absent.text : "",
        theirs, ours);
    return MODEL_OTHER_SKELETON;
}

static void describe_match(const struct retarget *match, const struct retarget_rules *rules, struct strings *out)
{
    const uint32_t missing = match->missing_count, moved = match->matched_count + missing;
    SCOPED char *names = missing_list(match->missing, missing);
    SCOPED char *untracked = missing_list(match->untracked, match->untracked_count);
    if (missing > 0)
        strings_printf(out, "%u of %u joints that the clips move are not in the model: %s; `joints` can map them",
                       missing, moved, names);
    if (match->is_strange)
        strings_printf(out,
                       "%u of %u joints of the model have no track in the clips, and keep their bind pose: %s",
                       match->untracked_count, match->weighted_count, untracked);
    for (size_t i = 0; i < match->absent_count; i++) { /* others may be there for another file */
        const char *near = strings_nearest(match->absent[i], match->missing, missing);
        if (near)
            strings_printf(out, "no joint '%s', as `joints` has it; did you mean '%s'?", match->absent[i], near);
    }
    if (rules->mode == RETARGET_AUTO && !retarget_is_exact(match, RETARGET_AUTO))
        strings_printf(out,
                       "joints have other axes, by %.0f degrees: turns are taken from the bind poses, as "
                       "`retarget: rest` says; "
                       "`retarget: exact` would copy them",
                       fmax(match->built_rad, match->rolled_rad) * 180 / M_PI);
    else if (rules->mode == RETARGET_AUTO && match->apart_rad > TOLD_APART_RAD)
        strings_printf(
            out,
            "bind poses differ, by up to %.0f degrees, and joints are built alike: turns are copied, as "
            "`retarget: exact` says; `retarget: rest` would take them from the bind poses",
            match->apart_rad * 180 / M_PI);
    if (match->from->morph_track_count > 0)
        strings_printf(out, "%u tracks of morph targets are left out", match->from->morph_track_count);
}

/* The rig of a transformed model as it stands: the transform is part of the way from the file's axes to ours. In the
 * arena. */
static const struct rig *standing_rig(const struct model *model, struct arena *arena)
{
    struct rig *rig = arena_copy(arena, model->rig, 1, sizeof *rig);
    for (int i = 0; i < 16; i++) {
        rig->to_model[i] = 0;
        for (int k = 0; k < 4; k++)
            rig->to_model[i] += (double)model->transform[k][i % 4] * model->rig->to_model[i / 4 * 4 + k];
    }
    return rig;
}

/* The match borrows from the arena. */
static int match_clips(const struct model_file *file, const struct model_file *clips, const struct rig *from,
                       const struct retarget_rules *rules, struct arena *arena, struct retarget *out,
                       struct error *err)
{
    struct retarget standing;
    if (retarget_match(file->model->rig, from, rules->pairs, rules->pair_count, out, err) < 0)
        return error_add(err, "%s: clips of %s", file->path, clips->path);
    /* Clips are for the model as it lies in its file, or as its `transform` has it stand: for whose bind pose is nearer. */
    if (file->model->is_transformed && retarget_match(standing_rig(file->model, arena), from, rules->pairs,
                                                      rules->pair_count, &standing, err) == 0) {
        const bool stands = standing.whole_rad < out->whole_rad - 1e-6;
        retarget_release(stands ? out : &standing);
        if (stands)
            *out = standing;
    }
    if (out->fits)
        return 0;
    int result = fail_other_joints(file, clips, out, err);
    retarget_release(out);
    return result;
}

int model_file_describe_match(const struct model_file *file, const struct model_file *clips,
                              const struct retarget_rules *rules, struct strings *lines, struct error *err)
{
    SCOPED_BY(arena_release) struct arena scratch = {0};
    SCOPED_BY(retarget_release) struct retarget match = {0};
    struct rig from;
    if (list_clips(clips, &scratch, &from, err) < 0 ||
        match_clips(file, clips, &from, rules, &scratch, &match, err) < 0)
        return -1;
    strings_printf(lines, "%u of %u joints that the clips move match, %s", match.matched_count,
                   match.matched_count + match.missing_count,
                   retarget_is_exact(&match, rules->mode) ? "retarget: exact" : "retarget: rest");
    describe_match(&match, rules, lines);
    return 0;
}

/* Clips of a file that are put on a model. */
struct adding {
    struct model_file *file;
    struct assets *assets;
    const struct clip_choice *choice;
    const struct retarget_rules *rules;
    const struct model_file *clips; /* NULL: the model's format reads the file as an animation */
    struct rig from;                /* of `clips` */
    struct retarget match;          /* made for the first clip that is not there yet */
    struct arena arena;
};

/* What a clip depends on besides the model and the bytes of its file: nothing where this is an animation. */
static char *key_of(const struct adding *adding, uint32_t i)
{
    struct buffer key = {0};
    buffer_printf(&key, "%s", adding->choice->path);
    if (!adding->clips)
        return key.text;
    buffer_printf(&key, "\n%u %d", i, (int)adding->rules->mode);
    for (size_t p = 0; p < adding->rules->pair_count; p++) {
        const struct joint_pair *pair = &adding->rules->pairs[p];
        buffer_printf(&key, "\n%zu %s %s", strlen(pair->from), pair->from, pair->to);
    }
    return key.text;
}

/* Makes clip number `i` the last one of `to`, which is the model of the job or the kept one. */
static int make_clip(struct adding *adding, uint32_t i, struct model_file *to, const char *name,
                     struct strings *warnings, struct error *err)
{
    struct model *model = to->model;
    struct rig_animation animation;
    const uint32_t before = model->clip_count;
    if (!adding->clips)
        return read_animation(to, adding->assets, adding->choice->path, name, warnings, err);
    int result = adding->match.rig ? 0
                                   : match_clips(adding->file, adding->clips, &adding->from, adding->rules,
                                                 &adding->arena, &adding->match, err);
    if (result < 0)
        return result;
    if (retarget_animation(&adding->match, &adding->from.animations[i], adding->rules->mode, &model->arena,
                           &animation, err) < 0 ||
        rig_add_animation(model, &animation, err) < 0)
        return -1;
    if (model->clip_count == before)
        return error_set(err, "%s: clip '%s' moves no joint of the model", adding->clips->path, animation.name);
    model->clips[before].name_in_file = NULL; /* it is called as `name` says */
    model->animations[model->animation_count - 1].name = arena_strdup(&model->arena, name);
    describe_match(&adding->match, adding->rules, warnings);
    return 0;
}

/* Adds a clip. One that is made for the kept model is there for all jobs. */
static int add_clip(struct adding *adding, uint32_t i, const char *name, struct strings *warnings,
                    struct error *err)
{
    struct kept_model *kept = adding->file->kept;
    if (!kept)
        return make_clip(adding, i, adding->file, name, warnings, err);
    struct added_clip added = {.key = key_of(adding, i)};
    const struct added_clip *known = find_added(kept, added.key);
    if (known) {
        free(added.key);
    } else {
        struct trace *asks = assets_trace(adding->assets, &added.trace);
        int result = make_clip(adding, i, &kept->file, name, &added.warnings, err);
        kept->size = arena_size(&kept->file.model->arena); /* what failed stays in it, too */
        assets_trace(adding->assets, asks);
        if (result < 0) {
            trace_add(asks, &added.trace);
            added_clip_release(&added);
            return result;
        }
        struct model *model = kept->file.model;
        model->clips[model->clip_count - 1].searched = arena_must_alloc(&kept->file.arena, 1, sizeof(struct clip));
        known = memcpy(MUST_ADD(kept->added, kept->added_count, kept->added_capacity), &added, sizeof added);
    }
    trace_add(assets_present_trace(adding->assets), &known->trace);
    strings_add_all(warnings, &known->warnings);
    share_added(adding->file, known, name);
    return 0;
}

/* Lists the numbers of the clips that are chosen, in the arena. */
static int choose_clips(struct adding *adding, uint32_t **out, uint32_t *count, struct error *err)
{
    const struct model_file *clips = adding->clips;
    const struct model *model = clips->model;
    const struct clip_choice *choice = adding->choice;
    const char *wanted = choice->clip;
    const char *exactly = wanted ? wanted : choice->name; /* of several clips, the one that is called so */
    const struct clip *exact = exactly ? model_find_clip(model, exactly) : NULL;
    const char **names = arena_must_alloc(&adding->arena, model->clip_count, sizeof *names);
    *count = 0;
    *out = arena_must_alloc(&adding->arena, model->clip_count, sizeof **out);
    for (int as_in_file = 0; as_in_file < 2 && *count == 0; as_in_file++)
        for (uint32_t i = 0; i < model->clip_count; i++) {
            const struct clip *clip = &model->clips[i];
            const char *name = as_in_file ? clip->name_in_file : clip->name;
            bool is_wanted = !wanted || (name && (glob_matches(wanted, name, true) || !strcasecmp(wanted, name)));
            if (exact ? clip != exact : !is_wanted)
                continue;
            names[*count] = clip->name;
            (*out)[(*count)++] = i;
        }
    if (*count == 0) {
        model_file_fail_no_clip(clips, adding->assets, wanted, err);
        error_add(err, "%s", clips->path);
        return MODEL_OTHER_SKELETON;
    }
    if (*count == 1 || !choice->name)
        return 0;
    SCOPED char *list = missing_list(names, *count);
    return error_set(err, "%s: %u clips could be '%s'; `clip:` says which: %s", clips->path, *count, choice->name,
                     list);
}

/* Adds the clips that are chosen of an open file. On failure the model is as before. */
static int add_chosen(struct adding *adding, uint32_t *count, struct strings *warnings, struct error *err)
{
    struct model *model = adding->file->model;
    const uint32_t animation_count = model->animation_count, clip_count = model->clip_count;
    const struct clip_choice *choice = adding->choice;
    uint32_t *chosen;
    int result = list_clips(adding->clips, &adding->arena, &adding->from, err);
    if (result == 0)
        result = choose_clips(adding, &chosen, count, err);
    for (uint32_t i = 0; result == 0 && i < *count; i++) {
        const bool is_only = adding->from.animation_count == 1;
        const char *own = is_only ? choice->stem : adding->from.animations[chosen[i]].name;
        result = add_clip(adding, chosen[i], choice->name ? choice->name : own, warnings, err);
    }
    if (result < 0) {
        model->animation_count = animation_count;
        model->clip_count = clip_count;
    }
    retarget_release(&adding->match);
    arena_release(&adding->arena);
    return result;
}

/* Whether the model's format reads the file as an animation; what is no model at all it says best. */
static int is_own_file(const struct model_file *file, struct assets *assets, const char *path, bool *out,
                       struct error *err)
{
    const struct model_format *format = file->model->format;
    const bool is_known = file->kept && find_added(file->kept, path);
    SCOPED_BY(blob_release) struct blob blob = {0};
    *out = is_known || !model_has_nodes(file->model);
    if (is_known || !format->animation_format)
        return 0;
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    const struct model_format *read_by = model_format_of(blob_bytes(&blob), path);
    *out = !read_by || read_by == format;
    return 0;
}

int model_file_add_clips(struct model_file *file, struct assets *assets, const struct clip_choice *choice,
                         uint32_t *count, struct strings *warnings, struct error *err)
{
    static const struct retarget_rules no_rules;
    struct adding adding = {
        .file = file, .assets = assets, .choice = choice, .rules = choice->rules ? choice->rules : &no_rules};
    SCOPED_BY(model_file_release) struct model_file clips = {0};
    bool is_own;
    if (is_own_file(file, assets, choice->path, &is_own, err) < 0)
        return -1;
    if (is_own && choice->clip)
        return error_set(err, "%s: it holds one clip, so `clip` has none to choose", choice->path);
    *count = 1;
    if (is_own) {
        const size_t said = warnings->count;
        int result = add_clip(&adding, 0, choice->name ? choice->name : choice->stem, warnings, err);
        if (!adding.rules->pair_count || (result == 0 ? warnings->count == said : result != MODEL_OTHER_SKELETON))
            return result;
        for (; warnings->count > said; file->model->animation_count--, file->model->clip_count--)
            free(warnings->items[--warnings->count]); /* one: `joints` says more of what does not match */
    }
    if (model_cache_open(file->kept ? file->kept->cache : NULL, assets, choice->path, &for_clips, &clips, err) < 0)
        return -1;
    adding.clips = &clips;
    return add_chosen(&adding, count, warnings, err);
}

int model_file_add_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                             struct error *err)
{
    const struct clip_choice choice = {.path = path, .name = name, .stem = name};
    SCOPED_BY(strings_release) struct strings warnings = {0};
    uint32_t count;
    int result = model_file_add_clips(file, assets, &choice, &count, &warnings, err);
    for (size_t i = 0; i < warnings.count && result == 0; i++)
        strings_printf(&file->warnings, "%s: %s", path, warnings.items[i]);
    return result;
}
