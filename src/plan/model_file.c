#include "plan/model_file.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/glob.h"
#include "base/buffer.h"
#include "base/file.h"
#include "base/missing.h"
#include "image/image_program.h"
#include "model/clip.h"
#include "model/root_motion.h"

/* -- Animation files --------------------------------------------------------------------------------------- */

/* Adds to the model what the companion of a file says, if it has one, whose path *found becomes. */
static int add_companion(struct model_file *file, struct assets *assets, const struct companion *companion,
                         const char *path, const char **found, struct error *err)
{
    SCOPED_BY(blob_release) struct blob blob = {0};
    *found = NULL;
    if (companion->suffix) {
        SCOPED char *stem = path_stem(path), *wanted = must_printf("%s%s", stem, companion->suffix);
        *found = assets_find(assets, wanted);
    }
    if (!*found)
        return 0;
    if (assets_read(assets, *found, &blob, err) < 0)
        return -1;
    return companion->add(file->model, blob_bytes(&blob), err) < 0 ? error_add(err, "%s", *found) : 0;
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

void model_file_find_animations(const struct model_file *file, struct assets *assets, struct strings *out)
{
    const struct model_format *format = file->model->format;
    if (format->animation_format && file->model->joint_count > 0)
        model_find_of_format(assets, file->path, format, true, out);
}

/* Lists the choices that contain the word or are contained in it, and the one that it may be a slip of, without their
 * suffixes: in one text, "walk_a', 'walk_b". NULL for none. The caller frees it. */
static char *near_choices(const struct strings *choices, const char *wanted)
{
    enum { SHOWN = 8, SHORTEST = 3 };
    SCOPED_BY(strings_release) struct strings stems = {0};
    struct buffer text = {0};
    size_t shown = 0;
    SCOPED char *word = path_stem(path_base(wanted));
    for (size_t i = 0; i < choices->count; i++) {
        const char *choice = choices->items[i];
        strings_printf(&stems, "%.*s", (int)(path_suffix(choice) - choice), choice);
    }
    const char *slip = strings_nearest(word, stems.items, stems.count);
    for (size_t i = 0; i < stems.count; i++) {
        const char *stem = stems.items[i];
        bool holds = (strlen(word) >= SHORTEST && strcasestr(stem, word)) ||
                     (strlen(stem) >= SHORTEST && strcasestr(word, stem));
        if ((holds || (slip && !strcmp(stem, slip))) && shown < SHOWN)
            buffer_printf(&text, "%s%s", shown++ ? "', '" : "", choices->items[i]);
    }
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
    SCOPED_BY(strings_release) struct strings choices = {0}, found = {0};
    SCOPED char *half = unknown_half(file->model, wanted);
    const char *unknown = half ? half : wanted;
    for (uint32_t i = 0; i < file->model->clip_count; i++)
        if (!file->model->clips[i].is_extra)
            strings_add(&choices, file->model->clips[i].name);
    model_file_find_animations(file, assets, &found);
    for (size_t i = 0; i < found.count; i++)
        strings_add(&choices, path_base(found.items[i]));
    SCOPED char *near = near_choices(&choices, unknown);
    if (choices.count == 0)
        error_set(err, "no animation '%s'%s, and none beside it", unknown,
                  glob_is_pattern(unknown) ? ": the model has no clips" : "");
    else
        missing_fail("animation", unknown, near, choices.items, choices.count, err);
    if (half)
        error_add(err, "'%s'", wanted);
    return -1;
}

/* -- Models of re-releases --------------------------------------------------------------------------------- */

/* Quake's and Quake II's show progs/ogre.md5mesh in the place of progs/ogre.mdl, and models/orc/md5/tris.md5mesh in that of
 * models/orc/tris.md2, with the animation beside it. Of any of the MD5's files: the model whose place it takes, or NULL. */
static const char *find_original(struct assets *assets, const char *path, const char **animation)
{
    SCOPED_BY(arena_release) struct arena arena = {0};
    const char *folder = arena_take(&arena, path_folder(path)), *stem = path_base_stem(&arena, path);
    const bool is_quake2 = !strcasecmp(path_base(folder), "md5");
    const char *above = is_quake2 ? arena_take(&arena, path_folder(folder)) : folder;
    const char *found =
        assets_find(assets, arena_printf(&arena, "%s/%s%s", above, stem, is_quake2 ? ".md2" : ".mdl"));
    *animation = found ? assets_find(assets, arena_printf(&arena, "%s/%s.md5anim", folder, stem)) : NULL;
    if (*animation && !assets_find(assets, arena_printf(&arena, "%s/%s.md5mesh", folder, stem)))
        *animation = NULL;
    return *animation ? found : NULL;
}

bool model_file_is_replaced(struct assets *assets, const char *path)
{
    const char *suffix = path_suffix(path), *base = path_base(path), *ignored;
    const bool is_md2 = !strcasecmp(suffix, ".md2");
    SCOPED char *inside = must_printf("%.*s%s%s", (int)(base - path), path, is_md2 ? "md5/" : "", base);
    return (is_md2 || !strcasecmp(suffix, ".mdl") || !strcasecmp(suffix, ".md5anim")) &&
           find_original(assets, inside, &ignored);
}

/* A skin of the original's list is in the folder md5 beside it, or where there is none, that of the original. Else, of the
 * shader "ogre": ogre_00_00.lmp beside the model. */
static const char *skin_name(struct model_file *file, struct assets *assets, const struct model *original,
                             const char *shader, uint32_t i)
{
    struct arena *arena = &file->model->arena;
    const char *name = original ? original->skins[i] : shader, *base = path_foreign_base(name);
    if (!original)
        return arena_printf(arena, "%s/%.*s_%02u_00.lmp", arena_take(arena, path_folder(file->path)),
                            (int)image_path_stem(base), base, i);
    SCOPED_BY(strings_release) struct strings tried = {0};
    const char *own = arena_printf(arena, "%.*smd5/%s", (int)(base - name), name, base);
    if (!image_path_find(assets, own, &tried) && image_path_find(assets, name, &tried))
        own = arena_strdup(arena, name);
    return own;
}

static void take_skins(struct model_file *file, struct assets *assets, const struct model *original)
{
    enum { MOST_NUMBERED = 100 };
    struct model *model = file->model;
    struct arena *arena = &model->arena;
    struct surface *surfaces = arena_copy(arena, model->surfaces, model->surface_count, sizeof *surfaces);
    const uint32_t most = original ? original->skin_count : MOST_NUMBERED;
    const char *name, **skins = arena_must_alloc(arena, most, sizeof *skins);
    for (; model->skin_count < most; skins[model->skin_count++] = name) {
        name = skin_name(file, assets, original, surfaces->material.name, model->skin_count);
        if (!original && !assets_find(assets, name))
            break;
    }
    for (uint32_t s = 0; s < model->surface_count; s++) {
        struct surface_material *material = &surfaces[s].material;
        const char **names = arena_must_alloc(arena, model->skin_count, sizeof *names);
        for (uint32_t i = 0; i < model->skin_count; i++) /* a shader's first is looked for in more places */
            names[i] = original ? skins[i] : i ? skin_name(file, assets, NULL, material->name, i) : material->name;
        material->skin_names = model->skin_count ? names : NULL;
    }
    model->skins = skins;
    model->surfaces = surfaces;
}

/* Its only animation has a frame for each of the original's, and plays as fast. */
static int take_clips(struct model *model, struct bytes bytes, const struct model *original, struct error *err)
{
    if (model_add_animation(model, "", bytes, err) < 0)
        return -1;
    struct animation *animation = &model->animations[0];
    animation->rate_hz = original->animations[0].rate_hz;
    model->clip_count = 0;
    if (animation->frame_count < original->animations[0].frame_count)
        return error_set(err,
                         "it has %u frames, and the model whose place its mesh takes has %u, so it has no clips",
                         animation->frame_count, original->animations[0].frame_count);
    for (uint32_t i = 0; i < original->clip_count; i++) {
        struct clip clip = original->clips[i];
        clip.name = arena_strdup(&model->arena, clip.name);
        if (clip.times_s)
            clip.times_s = arena_copy(&model->arena, clip.times_s, clip.frame_count, sizeof *clip.times_s);
        if (clip_measure(model, 0, &clip, err) < 0)
            return -1;
        model_add_clip(model, &clip);
    }
    return 0;
}

/* An MD2's skins are put on other texture coordinates; those in an MDL are not. */
static int add_original(struct model_file *file, struct assets *assets, struct error *err)
{
    const char *animation, *path = find_original(assets, file->path, &animation);
    SCOPED_BY(model_file_release) struct model_file original = {0};
    SCOPED_BY(blob_release) struct blob blob = {0};
    int result = path ? model_file_open(assets, path, NULL, &original, err) : 0;
    take_skins(file, assets, original.model && !original.model->format->pictures ? original.model : NULL);
    if (!original.model || assets_read(assets, animation, &blob, err) < 0)
        return original.model ? -1 : result;
    file->companions[COMPANION_CLIPS] = arena_strdup(&file->arena, path);
    return take_clips(file->model, blob_bytes(&blob), original.model, err) < 0
               ? error_add(err, "%s", animation)
               : model_file_add_beside_animation(file, assets, animation, err);
}

/* -- The model --------------------------------------------------------------------------------------------- */

int model_file_open(struct assets *assets, const char *path, const struct model_options *options,
                    struct model_file *out, struct error *err)
{
    SCOPED_BY(blob_release) struct blob blob = {0};
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    return model_file_open_read(assets, path, blob_bytes(&blob), options, out, err);
}

int model_file_open_read(struct assets *assets, const char *path, struct bytes bytes,
                         const struct model_options *options, struct model_file *out, struct error *err)
{
    struct model_file file = {0};
    file.path = arena_strdup(&file.arena, path);
    assets_set_openers(assets, model_picture_opener);
    struct model_options at = options ? *options : (struct model_options){0};
    at.path = path;
    at.assets = assets;
    if (model_load(bytes, &at, &file.model, err) < 0) {
        model_file_release(&file);
        return error_add(err, "%s", path);
    }
    struct error broken;
    bool is_md5 = file.model->format == &md5_format && file.model->surface_count && !at.is_for_clips;
    if (is_md5 && add_original(&file, assets, &broken) < 0)
        strings_add(&file.warnings, broken.text);
    for (size_t i = 0; i < file.model->warnings.count; i++)
        strings_printf(&file.warnings, "%s: %s", path, file.model->warnings.items[i]);
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
