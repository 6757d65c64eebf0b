#include "cli/model_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/missing.h"
#include "job/job.h"
#include "format/formats.h"

/* Splits a real path into the root to open and the path below it, both the caller's: at its part "models", or else at
 * its last part. */
static void guess_root(const char *file, char **root, char **path)
{
    static const char wanted[] = "models/";
    for (const char *part = file; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncasecmp(part, wanted, sizeof wanted - 1))
            continue;
        *root = part == file ? must_strdup(".") : must_printf("%.*s", (int)(part - file), file);
        *path = must_strdup(part);
        return;
    }
    *root = path_folder(file);
    *path = must_strdup(path_base(file));
}

/* Opens the tree that is guessed around a real file. */
static int open_around(const char *file, struct model_place *out, struct error *err)
{
    struct model_place place = {0};
    char *root;
    guess_root(file, &root, &place.path);
    int result = assets_open((const char *const *)&root, 1, &place.assets, err);
    free(root);
    if (result < 0) {
        free(place.path);
        return -1;
    }
    *out = place;
    return 0;
}

static int open_real_file(const char *file, struct model_place *out, struct error *err)
{
    struct stat info;
    if (stat(file, &info) < 0) {
        missing_path_fail(file, model_has_suffix, err);
        return error_add(err, "%s", file);
    }
    if (S_ISREG(info.st_mode) && access(file, R_OK) < 0)
        return error_set(err, "%s: %s", file, strerror(errno));
    if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode))
        return error_set(err, "%s: not a plain file", file);
    if (open_around(file, out, err) < 0)
        return -1;
    if (S_ISDIR(info.st_mode)) {
        const char *found = model_find_file(out->assets, out->path);
        if (!found) {
            model_place_release(out);
            return error_set(err, "%s: a folder, not a file", file);
        }
        free(out->path);
        out->path = must_strdup(found);
    }
    if (assets_find(out->assets, out->path))
        return 0;

    /* Assets follow no symbolic links, but the user means this one. */
    char *target = realpath(file, NULL);
    if (!target)
        return 0;
    model_place_release(out);
    int result = open_around(target, out, err);
    free(target);
    return result;
}

int model_place_open(const char *file, const struct strings *roots, struct model_place *out, struct error *err)
{
    if (roots->count == 0)
        return open_real_file(file, out, err);
    struct assets *assets;
    if (assets_open((const char *const *)roots->items, roots->count, &assets, err) < 0)
        return -1;
    const char *found = model_find_file(assets, file);
    *out = (struct model_place){.assets = assets, .path = must_strdup(found ? found : file)};
    return 0;
}

static void add_guessed_root(const char *file, struct strings *out)
{
    char *root, *path;
    guess_root(file, &root, &path);
    strings_add(out, root);
    free(root);
    free(path);
}

void model_place_add_roots(const char *file, const struct strings *roots, struct strings *out)
{
    for (size_t i = 0; i < roots->count; i++)
        strings_add(out, roots->items[i]);
    if (roots->count > 0)
        return;
    char *target = realpath(file, NULL);
    add_guessed_root(file, out);
    if (target)
        add_guessed_root(target, out);
    free(target);
}

void model_place_release(struct model_place *place)
{
    if (!place->is_lent)
        assets_close(place->assets);
    free(place->path);
    *place = (struct model_place){0};
}

/* Changes a message that begins with the path in the tree: it begins with the name that the user typed, and suggests the
 * nearest file when there is none of this path. */
static int name_as_typed(const struct model_place *place, const char *file, struct error *err)
{
    size_t length = strlen(place->path);
    struct error told = *err;
    bool starts_with_path = !strncmp(told.text, place->path, length) && told.text[length] == ':';
    bool is_missing = !assets_find(place->assets, place->path) && !assets_trouble(place->assets);
    char *nearest = is_missing ? assets_nearest(place->assets, place->path, model_has_suffix) : NULL;
    char *suggestion = is_missing ? assets_suggestion(place->assets, nearest) : must_strdup("");
    error_set(err, "%s: %s%s", file, told.text + (starts_with_path ? length + 2 : 0), suggestion);
    free(suggestion);
    free(nearest);
    return -1;
}

int model_place_read(const struct model_place *place, const char *file, struct blob *out, struct error *err)
{
    return assets_read(place->assets, place->path, out, err) < 0 ? name_as_typed(place, file, err) : 0;
}

int model_place_load(const struct model_place *place, const char *file, const struct model_options *options,
                     struct model_file *out, struct error *err)
{
    return model_file_open(place->assets, place->path, options, out, err) < 0 ? name_as_typed(place, file, err)
                                                                              : 0;
}

int model_place_add_animation(const struct model_place *place, const char *file, const char *clip,
                              struct model_file *model, struct error *err)
{
    return model_file_add_animation(model, place->assets, place->path, clip, err) < 0
               ? name_as_typed(place, file, err)
               : 0;
}

/* -- Clips ------------------------------------------------------------------------------------------------- */

const struct clip *model_args_find_clip(const struct model *model, const char *name)
{
    const struct clip *exact = model_find_clip(model, name);
    for (uint32_t i = 0; !exact && i < model->clip_count; i++)
        if (!strcasecmp(model->clips[i].name, name))
            return &model->clips[i];
    return exact;
}

const char *model_place_find_file(const struct model_place *place, const char *file)
{
    const char *found = assets_find(place->assets, file);
    if (found)
        return found;
    char *folder = path_folder(place->path), *beside = path_join(folder, file);
    found = assets_find(place->assets, beside);
    free(folder);
    free(beside);
    return found;
}

bool frames_arg_take(const struct command *command, const char *text, void *out)
{
    struct frames_arg *frames = out;
    frames->is_given = true;
    if (frame_run_parse(text, &frames->run))
        return true;
    cli_usage_error(command, "--frames: '%s' is not a keyframe or a run of keyframes such as 40-45", text);
    return false;
}

int frames_arg_clip(const struct model_file *file, const char *name, const struct frame_run *run, struct clip *out,
                    struct error *err)
{
    if (!model_file_has_keyframes(file))
        return error_set(err, "%s: it has no keyframes of its own, so --frames cannot name any", name);
    const struct animation *animation = &file->model->animations[0];
    if (run->last >= animation->frame_count)
        return error_set(err, "%s: no keyframe %u, it has 0-%u", name, run->last, animation->frame_count - 1);
    *out = (struct clip){
        .name = "frames",
        .first_frame = run->first,
        .frame_count = run->last - run->first + 1,
        .rate_hz = animation->rate_hz,
    };
    return 0;
}
