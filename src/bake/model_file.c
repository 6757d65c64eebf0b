#include "bake/model_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/missing.h"

/* What the cache has of a model. */
struct kept_model {
    struct kept_model *next;
    struct model_file file; /* with the animation files of all jobs */
    enum geometry geometry;
    enum via via;
    enum color_space colors;
    struct model_transform transform;
    char *scene, *skin;  /* or NULL */
    struct trace opened; /* what was asked to open it, without these files */
    uint32_t own_animation_count, own_clip_count;
    struct added_file *added; /* these files; each has one animation and one clip */
    size_t added_count, added_capacity;
    size_t size; /* bytes of memory */
};

struct added_file {
    char *path;
    struct trace trace; /* what was asked to read it */
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

int model_file_add_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                             struct error *err)
{
    struct kept_model *kept = file->kept;
    if (!kept)
        return read_animation(file, assets, path, name, err);
    size_t i = 0;
    while (i < kept->added_count && strcmp(kept->added[i].path, path))
        i++;
    if (i == kept->added_count) {
        struct added_file added = {0};
        struct trace *asks = assets_trace(assets, &added.trace);
        int result = read_animation(&kept->file, assets, path, name, err);
        assets_trace(assets, asks);
        if (result < 0) {
            trace_add(asks, &added.trace);
            trace_release(&added.trace);
            return result;
        }
        added.path = must_strdup(path);
        kept->added = must_grow(kept->added, i, &kept->added_capacity, sizeof added);
        kept->added[kept->added_count++] = added;
        kept->size = arena_size(&kept->file.model->arena);
    }
    trace_add(assets_present_trace(assets), &kept->added[i].trace);
    /* What the kept model has of this file. */
    struct model *model = file->model;
    struct animation animation = kept->file.model->animations[kept->own_animation_count + i];
    struct clip clip = kept->file.model->clips[kept->own_clip_count + i];
    animation.name = arena_strdup(&model->arena, name);
    clip.name = model_unique_clip_name(model, name);
    clip.animation = model->animation_count;
    model_add_animation_entry(model, &animation);
    model_add_clip(model, &clip);
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

/* The choice nearest to the name, suffixes left aside, or NULL. */
static const char *nearest_choice(const struct strings *choices, const char *wanted)
{
    struct strings stems = {0};
    const char *nearest = NULL, *base = path_base(wanted);
    char *word = path_stem(base);
    for (size_t i = 0; i < choices->count; i++) {
        const char *choice = choices->items[i];
        strings_printf(&stems, "%.*s", (int)(path_suffix(choice) - choice), choice);
    }
    const char *stem = strings_nearest(word, (const char *const *)stems.items, stems.count);
    for (size_t i = 0; stem && i < stems.count && !nearest; i++)
        if (!strcmp(stems.items[i], stem))
            nearest = choices->items[i];
    strings_release(&stems);
    free(word);
    return nearest;
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
    if (choices.count == 0)
        error_set(err, "no animation '%s', and none beside it", unknown);
    else
        missing_fail("animation", unknown, nearest_choice(&choices, unknown), (const char *const *)choices.items,
                     choices.count, err);
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
        free(kept->added[i].path);
        trace_release(&kept->added[i].trace);
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
            .colors = options->colors,
            .transform = options->transform,
            .scene = copy_or_null(options->scene),
            .skin = copy_or_null(options->skin),
            .opened = opened,
            .own_animation_count = file.model->animation_count,
            .own_clip_count = file.model->clip_count,
            .size = arena_size(&file.model->arena),
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
