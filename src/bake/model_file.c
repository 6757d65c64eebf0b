#include "bake/model_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/buffer.h"
#include "base/missing.h"

/* What the cache has of a model. */
struct kept_model {
    struct kept_model *next;
    struct model_file file; /* with the animation files of all jobs */
    enum geometry geometry;
    enum via via;
    bool is_for_clips;
    enum color_space colors;
    struct model_transform transform;
    char *scene, *skin;  /* or NULL */
    struct trace opened; /* what was asked to open it, without these files */
    uint32_t own_animation_count, own_clip_count;
    struct added_clip *added; /* of these files, in their order: each is an animation and a clip */
    size_t added_count, added_capacity;
    size_t size; /* bytes of memory */
    struct model_cache *cache;
};

struct added_clip {
    char *key;               /* its file, and what else it depends on */
    struct trace trace;      /* what was asked to read it */
    struct strings warnings; /* about its joints */
};

/* -- Animation files --------------------------------------------------------------------------------------- */

/* Adds to the model what the companion of a file says, if it has one, whose path *found becomes. */
static int add_companion(struct model_file *file, struct assets *assets, const struct companion *companion,
                         const char *path, const char **found, struct error *err)
{
    struct blob blob;
    *found = NULL;
    if (companion->suffix) {
        char *stem = path_stem(path), *wanted = must_printf("%s%s", stem, companion->suffix);
        *found = assets_find(assets, wanted);
        free(wanted);
        free(stem);
    }
    if (!*found)
        return 0;
    if (assets_read(assets, *found, &blob, err) < 0)
        return -1;
    int result = companion->add(file->model, blob_bytes(&blob), err);
    blob_release(&blob);
    return result < 0 ? error_add(err, "%s", *found) : 0;
}

int model_file_add_beside_animation(struct model_file *file, struct assets *assets, const char *path,
                                    struct error *err)
{
    const struct animation_format *format = file->model->format->animation_format;
    const char *ignored;
    if (!format || add_companion(file, assets, &format->companion, path, &ignored, err) == 0)
        return 0;
    file->model->animation_count--;
    file->model->clip_count--;
    return -1;
}

static int read_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                          struct error *err)
{
    struct blob blob;
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    int result = model_add_animation(file->model, name, blob_bytes(&blob), err);
    blob_release(&blob);
    if (result < 0) {
        error_add(err, "%s", path);
        return result;
    }
    return model_file_add_beside_animation(file, assets, path, err);
}

/* Takes the key, the trace and the warnings. What they are of is the last of the model. */
static const struct added_clip *keep_added(struct kept_model *kept, const struct added_clip *added)
{
    kept->added = must_grow(kept->added, kept->added_count, &kept->added_capacity, sizeof *added);
    kept->added[kept->added_count] = *added;
    kept->size = arena_size(&kept->file.model->arena);
    return &kept->added[kept->added_count++];
}

/* NULL where the kept model has no such clip. */
static const struct added_clip *find_added(const struct kept_model *kept, const char *key)
{
    for (size_t i = 0; i < kept->added_count; i++)
        if (!strcmp(kept->added[i].key, key))
            return &kept->added[i];
    return NULL;
}

/* Gives a model what the kept one has. */
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

/* A file of the model's own format. */
static int add_own_file(struct model_file *file, struct assets *assets, const char *path, const char *name,
                        struct error *err)
{
    struct kept_model *kept = file->kept;
    if (!kept)
        return read_animation(file, assets, path, name, err);
    const struct added_clip *known = find_added(kept, path);
    if (!known) {
        struct added_clip added = {0};
        struct trace *asks = assets_trace(assets, &added.trace);
        int result = read_animation(&kept->file, assets, path, name, err);
        assets_trace(assets, asks);
        if (result < 0) {
            trace_add(asks, &added.trace);
            trace_release(&added.trace);
            return result;
        }
        added.key = must_strdup(path);
        known = keep_added(kept, &added);
    }
    trace_add(assets_present_trace(assets), &known->trace);
    share_added(file, known, name);
    return 0;
}

static int add_own_companion(struct model_file *file, struct assets *assets, enum companion_kind kind,
                             struct error *err)
{
    const char *found;
    if (add_companion(file, assets, &file->model->format->companions[kind], file->path, &found, err) < 0)
        return -1;
    if (found)
        file->companions[kind] = arena_strdup(&file->arena, found);
    return 0;
}

int model_file_add_tags(struct model_file *file, struct assets *assets, struct error *err)
{
    return add_own_companion(file, assets, COMPANION_TAGS, err);
}

bool model_file_has_keyframes(const struct model_file *file)
{
    return file->model->animation_count > 0 && !file->model->animations[0].name[0];
}

/* -- Files to choose from ---------------------------------------------------------------------------------- */

void files_find_of_format(struct assets *assets, const char *path, const struct model_format *format,
                          bool wants_animations, struct strings *out)
{
    const struct animation_format *animations = format->animation_format;
    const char *suffix = format->suffixes->text;
    const bool is_one_suffix = animations && !strcmp(suffix, animations->suffix);
    struct strings found = {0};
    struct error ignored;
    char *folder = path_folder(path), *only = glob_of(folder);
    char *any = must_printf("*%s", wants_animations ? animations->suffix : suffix);
    char *pattern = path_join(only, any);
    assets_glob(assets, pattern, &found, &ignored);
    for (size_t i = 0; i < found.count; i++)
        if (!is_one_suffix || model_is_animation(assets, found.items[i]) == wants_animations)
            strings_add(out, found.items[i]);
    strings_release(&found);
    free(pattern);
    free(any);
    free(only);
    free(folder);
}

void model_file_find_animations(const struct model_file *file, struct assets *assets, struct strings *out)
{
    const struct model_format *format = file->model->format;
    if (format->animation_format && file->model->joint_count > 0)
        files_find_of_format(assets, file->path, format, true, out);
}

/* The choices that hold the word or that it holds, and the one that it may be a slip of, suffixes left aside: in one
 * text, "walk_a', 'walk_b' or 'walks". NULL for none. The caller frees it. */
static char *near_choices(const struct strings *choices, const char *wanted)
{
    enum { SHOWN = 8, SHORTEST = 3 };
    struct strings stems = {0}, found = {0};
    struct buffer text = {0};
    char *word = path_stem(path_base(wanted));
    for (size_t i = 0; i < choices->count; i++) {
        const char *choice = choices->items[i];
        strings_printf(&stems, "%.*s", (int)(path_suffix(choice) - choice), choice);
    }
    const char *slip = strings_nearest(word, (const char *const *)stems.items, stems.count);
    for (size_t i = 0; i < stems.count; i++) {
        const char *stem = stems.items[i];
        bool holds = (strlen(word) >= SHORTEST && strcasestr(stem, word)) ||
                     (strlen(stem) >= SHORTEST && strcasestr(word, stem));
        if ((holds || (slip && !strcmp(stem, slip))) && found.count < SHOWN)
            strings_add(&found, choices->items[i]);
    }
    for (size_t i = 0; i < found.count; i++)
        buffer_printf(&text, "%s%s", i == 0 ? "" : i + 1 < found.count ? "', '" : "' or '", found.items[i]);
    strings_release(&found);
    strings_release(&stems);
    free(word);
    return text.text;
}

static bool has_clip(const struct model *model, const char *name, size_t length)
{
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (strlen(model->clips[i].name) == length && !strncasecmp(model->clips[i].name, name, length))
            return true;
    return false;
}

/* "TORSO_FLY" of "LEGS_RUN+TORSO_FLY", where the model has pairs of clips and this half is not a clip; or else NULL. */
static char *unknown_half(const struct model *model, const char *wanted)
{
    const char *plus = strchr(wanted, '+');
    bool has_pairs = false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        has_pairs |= model->clips[i].is_extra;
    if (!plus || !has_pairs)
        return NULL;
    if (!has_clip(model, wanted, (size_t)(plus - wanted)))
        return must_printf("%.*s", (int)(plus - wanted), wanted);
    return has_clip(model, plus + 1, strlen(plus + 1)) ? NULL : must_strdup(plus + 1);
}

int model_file_fail_no_clip(const struct model_file *file, struct assets *assets, const char *wanted,
                            struct error *err)
{
    struct strings choices = {0}, found = {0};
    char *half = unknown_half(file->model, wanted);
    const char *unknown = half ? half : wanted;
    for (uint32_t i = 0; i < file->model->clip_count; i++)
        if (!file->model->clips[i].is_extra)
            strings_add(&choices, file->model->clips[i].name);
    model_file_find_animations(file, assets, &found);
    for (size_t i = 0; i < found.count; i++)
        strings_add(&choices, path_base(found.items[i]));
    char *near = near_choices(&choices, unknown);
    if (choices.count == 0)
        error_set(err, "no animation '%s', and none beside it", unknown);
    else
        missing_fail("animation", unknown, near, (const char *const *)choices.items, choices.count, err);
    free(near);
    if (half)
        error_add(err, "'%s'", wanted);
    free(half);
    strings_release(&found);
    strings_release(&choices);
    return -1;
}

/* -- The model --------------------------------------------------------------------------------------------- */

int model_file_open(struct assets *assets, const char *path, const struct model_options *options,
                    struct model_file *out, struct error *err)
{
    struct model_file file = {0};
    struct blob blob;
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    file.path = arena_strdup(&file.arena, path);
    assets_set_openers(assets, model_picture_opener);
    struct model_options at = options ? *options : (struct model_options){0};
    at.path = path;
    at.assets = assets;
    int result = model_load(blob_bytes(&blob), &at, &file.model, err);
    blob_release(&blob);
    if (result < 0) {
        model_file_release(&file);
        return error_add(err, "%s", path);
    }
    for (size_t i = 0; i < file.model->warnings.count; i++)
        strings_printf(&file.warnings, "%s: %s", path, file.model->warnings.items[i]);
    struct error broken;
    bool has_triangles = !options || options->geometry == GEOMETRY_TRIANGLES;
    if (has_triangles && add_own_companion(&file, assets, COMPANION_NORMALS, &broken) < 0)
        strings_add(&file.warnings, broken.text);
    if (add_own_companion(&file, assets, COMPANION_CLIPS, &broken) < 0)
        strings_add(&file.warnings, broken.text);
    *out = file;
    return 0;
}

void model_file_release(struct model_file *file)
{
    model_free(file->model);
    strings_release(&file->warnings);
    arena_release(&file->arena);
    *file = (struct model_file){0};
}

/* -- Models that stay open --------------------------------------------------------------------------------- */

enum {
    KEPT_MODELS = 256,
    KEPT_BYTES = 64 * 1024 * 1024,
};

struct model_cache {
    struct kept_model *first; /* the one used last */
};

struct model_cache *model_cache_new(void)
{
    return must_alloc(1, sizeof(struct model_cache));
}

static void free_kept(struct kept_model *kept)
{
    model_file_release(&kept->file);
    for (size_t i = 0; i < kept->added_count; i++) {
        free(kept->added[i].key);
        trace_release(&kept->added[i].trace);
        strings_release(&kept->added[i].warnings);
    }
    free(kept->added);
    trace_release(&kept->opened);
    free(kept->scene);
    free(kept->skin);
    free(kept);
}

void model_cache_free(struct model_cache *cache)
{
    while (cache && cache->first) {
        struct kept_model *next = cache->first->next;
        free_kept(cache->first);
        cache->first = next;
    }
    free(cache);
}

void model_cache_trim(struct model_cache *cache)
{
    size_t count = 0, size = 0;
    for (struct kept_model **at = &cache->first; *at;) {
        struct kept_model *kept = *at;
        size += kept->size;
        if (++count <= KEPT_MODELS && size <= KEPT_BYTES) {
            at = &kept->next;
        } else {
            *at = kept->next;
            free_kept(kept);
        }
    }
}

static char *copy_or_null(const char *text)
{
    return text ? must_strdup(text) : NULL;
}

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static bool fits(const struct kept_model *kept, const char *path, const struct model_options *options)
{
    return kept->geometry == options->geometry && kept->via == options->via && kept->colors == options->colors &&
           kept->is_for_clips == options->is_for_clips &&
           !memcmp(&kept->transform, &options->transform, sizeof kept->transform) &&
           is_same_text(kept->scene, options->scene) &&
           (!kept->file.model->format->has_skin_files || is_same_text(kept->skin, options->skin)) &&
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
        kept = must_alloc(1, sizeof *kept);
        *kept = (struct kept_model){
            .file = file,
            .geometry = options->geometry,
            .via = options->via,
            .is_for_clips = options->is_for_clips,
            .colors = options->colors,
            .transform = options->transform,
            .scene = copy_or_null(options->scene),
            .skin = copy_or_null(options->skin),
            .opened = opened,
            .own_animation_count = file.model->animation_count,
            .own_clip_count = file.model->clip_count,
            .size = arena_size(&file.model->arena),
            .cache = cache,
        };
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

/* -- Clips of other files ---------------------------------------------------------------------------------- */

static const struct model_options for_clips = {.takes_clips_alone = true, .is_for_clips = true};

/* The rig of a file with clips, and all of these. */
static int list_clips(const struct model_file *clips, struct arena *arena, struct rig *out, struct error *err)
{
    const struct model *model = clips->model;
    if (!rig_of(model))
        return error_set(err, "%s: clips of %s files play on models of that format alone", clips->path,
                         model->format->name);
    if (model->clip_count == 0)
        return error_set(err, "%s: no clips in it", clips->path);
    struct rig_animation *animations = arena_must_alloc(arena, model->clip_count, sizeof *animations);
    for (uint32_t i = 0; i < model->clip_count; i++)
        animations[i] = rig_animation_of(model, &model->clips[i]);
    *out = *rig_of(model);
    out->animations = animations;
    out->animation_count = model->clip_count;
    return 0;
}

static int fail_other_joints(const struct model_file *file, const struct model_file *clips,
                             const struct retarget *match, struct error *err)
{
    const struct rig *rig = match->rig;
    const char **names = must_alloc(rig->node_count, sizeof *names);
    size_t count = 0;
    for (uint32_t n = 0; n < rig->node_count; n++)
        if (match->sources[n] < 0)
            names[count++] = rig->nodes[n].name;
    char *theirs = missing_list(match->missing, match->moved_count - match->matched_count);
    char *ours = missing_list(names, count);
    error_set(err,
              "%s: %u of the %u joints that its clips move are in %s. Without a match there: %s. And here: %s. "
              "`joints` says which are the same",
              clips->path, match->matched_count, match->moved_count, file->path, theirs, ours);
    free(theirs);
    free(ours);
    free(names);
    return MODEL_OTHER_SKELETON;
}

static bool is_at_rest(const struct retarget *match, const struct retarget_rules *rules)
{
    return rules->mode == RETARGET_REST || (rules->mode == RETARGET_AUTO && !retarget_agrees(match));
}

static void describe_match(const struct retarget *match, const struct retarget_rules *rules, struct strings *out)
{
    const uint32_t missing = match->moved_count - match->matched_count;
    char *names = missing_list(match->missing, missing);
    if (missing > 0)
        strings_printf(out, "%u of %u joints that the clips move are not in the model: %s; `joints` can map them",
                       missing, match->moved_count, names);
    if (!retarget_agrees(match) && rules->mode == RETARGET_AUTO)
        strings_printf(out,
                       "bind poses differ, by up to %.1f degrees and %.1f%% of the height: turns are taken from "
                       "there, as `retarget: rest` says; `retarget: exact` would take poses as they are",
                       match->apart_rad * 180 / M_PI, match->apart * 100);
    free(names);
}

static int match_clips(const struct model_file *file, const struct model_file *clips, const struct rig *from,
                       const struct retarget_rules *rules, struct retarget *out, struct error *err)
{
    if (retarget_match(rig_of(file->model), from, rules->pairs, rules->pair_count, out, err) < 0)
        return error_add(err, "%s", clips->path);
    if (out->matched_count > 0 && 2 * out->matched_count >= out->moved_count)
        return 0;
    int result = fail_other_joints(file, clips, out, err);
    retarget_release(out);
    return result;
}

int model_file_describe_match(const struct model_file *file, const struct model_file *clips,
                              const struct retarget_rules *rules, struct strings *lines, struct error *err)
{
    struct arena scratch = {0};
    struct rig from;
    struct retarget match;
    int result = list_clips(clips, &scratch, &from, err);
    if (result == 0)
        result = match_clips(file, clips, &from, rules, &match, err);
    if (result == 0) {
        strings_printf(lines, "%u of %u joints that the clips move match, %s", match.matched_count,
                       match.moved_count, is_at_rest(&match, rules) ? "retarget: rest" : "retarget: exact");
        describe_match(&match, rules, lines);
        retarget_release(&match);
    }
    arena_release(&scratch);
    return result;
}

/* Numbers of the clips that are chosen, in the arena. */
static int choose_clips(const struct model_file *clips, const struct clip_choice *choice, struct arena *arena,
                        uint32_t **out, uint32_t *count, struct error *err)
{
    const struct model *model = clips->model;
    const char *wanted = choice->clip;
    const struct clip *exact = wanted ? model_find_clip(model, wanted) : NULL;
    struct strings names = {0};
    *count = 0;
    *out = arena_must_alloc(arena, model->clip_count, sizeof **out);
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const struct clip *clip = &model->clips[i];
        if (exact ? clip != exact : wanted ? !glob_matches(wanted, clip->name, true) : clip->is_extra)
            continue;
        strings_add(&names, clip->name);
        (*out)[(*count)++] = i;
    }
    int result = 0;
    if (*count == 0) {
        for (uint32_t i = 0; i < model->clip_count; i++)
            strings_add(&names, model->clips[i].name);
        char *near = near_choices(&names, wanted);
        missing_fail("clip", wanted, near, (const char *const *)names.items, names.count, err);
        free(near);
        error_add(err, "%s", clips->path);
        result = MODEL_OTHER_SKELETON;
    } else if (*count > 1 && choice->name) {
        char *some = missing_list((const char *const *)names.items, names.count);
        result = error_set(err, "%s: %u clips could be '%s'; `clip:` says which: %s", clips->path, *count,
                           choice->name, some);
        free(some);
    }
    strings_release(&names);
    return result;
}

/* What a retargeted clip depends on besides the model and the bytes of its file. */
static char *key_of(const struct clip_choice *choice, uint32_t clip)
{
    struct buffer key = {0};
    buffer_printf(&key, "%s\n%u %d", choice->path, clip, (int)choice->rules->mode);
    for (size_t i = 0; i < choice->rules->pair_count; i++) {
        const struct joint_pair *pair = &choice->rules->pairs[i];
        buffer_printf(&key, "\n%zu %s %s", strlen(pair->from), pair->from, pair->to);
    }
    return key.text;
}

/* Clips of a file that are put on a model. */
struct adding {
    struct model_file *file;
    const struct model_file *clips;
    const struct clip_choice *choice;
    struct rig from;
    struct retarget match; /* made for the first clip that is not there yet */
    struct arena arena;
};

/* Makes clip number `i` the last one of the model, which is that of the file or the kept one. */
static int make_clip(struct adding *adding, struct model *model, uint32_t i, struct strings *warnings,
                     struct error *err)
{
    const struct retarget_rules *rules = adding->choice->rules;
    struct rig_animation animation;
    const uint32_t before = model->clip_count;
    int result = 0;
    if (!adding->match.rig)
        result = match_clips(adding->file, adding->clips, &adding->from, rules, &adding->match, err);
    if (result == 0)
        result = retarget_animation(&adding->match, &adding->from.animations[i], rules->mode, &model->arena,
                                    &animation, err);
    if (result == 0)
        result = rig_add_animation(model, &animation, err);
    if (result == 0 && model->clip_count == before)
        result = error_set(err, "%s: clip '%s' moves no joint of the model", adding->clips->path, animation.name);
    if (result == 0)
        describe_match(&adding->match, rules, warnings);
    return result;
}

static int add_clip(struct adding *adding, uint32_t i, const char *name, struct strings *warnings,
                    struct error *err)
{
    struct model_file *file = adding->file;
    struct kept_model *kept = file->kept;
    if (!kept) {
        if (make_clip(adding, file->model, i, warnings, err) < 0)
            return -1;
        file->model->animations[file->model->animation_count - 1].name = arena_strdup(&file->model->arena, name);
        return 0;
    }
    struct added_clip added = {.key = key_of(adding->choice, i)};
    const struct added_clip *known = find_added(kept, added.key);
    int result = known ? 0 : make_clip(adding, kept->file.model, i, &added.warnings, err);
    if (known || result < 0)
        free(added.key);
    else
        known = keep_added(kept, &added);
    if (result < 0)
        return result;
    strings_add_all(warnings, &known->warnings);
    share_added(file, known, name);
    return 0;
}

/* Those that are chosen of an open file. On failure the model is as before. */
static int add_chosen(struct adding *adding, uint32_t *count, struct strings *warnings, struct error *err)
{
    struct model *model = adding->file->model;
    const uint32_t animation_count = model->animation_count, clip_count = model->clip_count;
    const struct clip_choice *choice = adding->choice;
    uint32_t *chosen;
    int result = list_clips(adding->clips, &adding->arena, &adding->from, err);
    if (result == 0)
        result = choose_clips(adding->clips, choice, &adding->arena, &chosen, count, err);
    for (uint32_t i = 0; result == 0 && i < *count; i++) {
        const char *own = adding->from.animations[chosen[i]].name;
        bool is_only = adding->from.animation_count == 1;
        result = add_clip(adding, chosen[i],
                          choice->name ? choice->name
                          : is_only    ? choice->stem
                                       : own,
                          warnings, err);
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
    struct blob blob;
    *out = !rig_of(file->model);
    if (!format->animation_format || (file->kept && find_added(file->kept, path)))
        return 0;
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    const struct model_format *read_by = model_format_of(blob_bytes(&blob), path);
    *out = !read_by || read_by == format || model_format_of_animation(blob_bytes(&blob)) == format;
    blob_release(&blob);
    return *out || rig_of(file->model)
               ? 0
               : error_set(err, "%s: %s models play %s files, and no clips of %s files", path, format->name,
                           format->animation_format->suffix, read_by->name);
}

int model_file_add_clips(struct model_file *file, struct assets *assets, const struct clip_choice *choice,
                         uint32_t *count, struct strings *warnings, struct error *err)
{
    static const struct retarget_rules no_rules;
    const char *path = choice->path;
    bool is_own;
    if (is_own_file(file, assets, path, &is_own, err) < 0)
        return -1;
    if (is_own) {
        *count = 1;
        return choice->clip ? error_set(err, "%s: it holds one clip, so `clip` has none to choose", path)
                            : add_own_file(file, assets, path, choice->name ? choice->name : choice->stem, err);
    }
    struct model_file clips;
    struct clip_choice with_rules = *choice;
    if (!choice->rules)
        with_rules.rules = &no_rules;
    if (model_cache_open(file->kept ? file->kept->cache : NULL, assets, path, &for_clips, &clips, err) < 0)
        return -1;
    struct adding adding = {.file = file, .clips = &clips, .choice = &with_rules};
    int result = add_chosen(&adding, count, warnings, err);
    model_file_release(&clips);
    return result;
}

int model_file_add_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                             struct error *err)
{
    const struct clip_choice choice = {.path = path, .name = name, .stem = name};
    struct strings warnings = {0};
    uint32_t count;
    int result = model_file_add_clips(file, assets, &choice, &count, &warnings, err);
    strings_release(&warnings);
    return result;
}
