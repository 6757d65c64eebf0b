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
    SCOPED char *root = NULL;
    guess_root(file, &root, &place.path);
    if (assets_open((const char *const *)&root, 1, &place.assets, err) < 0) {
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
            return error_set(err, "%s: a folder, not a file; 'sheetbake init' makes a list of the models in it",
                             file);
        }
        free(out->path);
        out->path = must_strdup(found);
    }
    if (assets_find(out->assets, out->path))
        return 0;

    /* Assets follow no symbolic links, but the user means this one. */
    SCOPED char *target = realpath(file, NULL);
    if (!target)
        return 0;
    model_place_release(out);
    return open_around(target, out, err);
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
    SCOPED char *root = NULL, *path = NULL;
    guess_root(file, &root, &path);
    strings_add(out, root);
}

void model_place_add_roots(const char *file, const struct strings *roots, struct strings *out)
{
    strings_add_all(out, roots);
    if (roots->count > 0)
        return;
    SCOPED char *target = realpath(file, NULL);
    add_guessed_root(file, out);
    if (target)
        add_guessed_root(target, out);
}

void model_place_release(struct model_place *place)
{
    assets_close(place->assets);
    free(place->path);
    *place = (struct model_place){0};
}

int model_place_name_as_typed(const struct model_place *place, const char *file, struct error *err)
{
    size_t length = strlen(place->path);
    struct error told = *err;
    bool starts_with_path = !strncmp(told.text, place->path, length) && told.text[length] == ':';
    bool is_missing = !assets_find(place->assets, place->path) && !assets_trouble(place->assets);
    SCOPED char *nearest = is_missing ? assets_nearest(place->assets, place->path, model_has_suffix) : NULL;
    SCOPED char *suggestion = is_missing ? assets_suggestion(place->assets, nearest) : must_strdup("");
    error_set(err, "%s: %s%s", file, told.text + (starts_with_path ? length + 2 : 0), suggestion);
    return -1;
}

int model_place_load(const struct model_place *place, const char *file, const struct model_options *options,
                     struct model_file *out, struct error *err)
{
    int result = model_file_open(place->assets, place->path, options, out, err);
    return result < 0 ? model_place_name_as_typed(place, file, err) : 0;
}

int transform_arg_take(const struct command *command, const char *text, void *out)
{
    struct transform_arg *transform = out;
    SCOPED_BY(strings_release) struct strings problems = {0};
    bool is_read = job_transform_read(text, &transform->value, &problems) == 0;
    transform->text = text;
    for (size_t i = 0; i < problems.count; i++)
        cli_usage_error(command, "%s", problems.items[i]);
    return is_read ? -1 : EXIT_USAGE;
}

/* -- Clips ------------------------------------------------------------------------------------------------- */

int model_place_add_file(const struct model_place *place, const char *path, struct model_file *file,
                         const struct clip **out, struct error *err)
{
    /* An .anm puts its clips in the place of those guessed from frame names. */
    const struct model *model = file->model;
    uint32_t clip_count = model->clip_count;
    const char *first_name = clip_count ? model->clips[0].name : NULL;
    SCOPED char *name = path_stem(path_base(path));
    if (model_file_add_animation(file, place->assets, path, name, err) < 0)
        return -1;
    *out = &model->clips[model->clips[0].name == first_name ? clip_count : 0];
    return 0;
}

/* The file in the tree: the path itself, or beside the model. Borrowed from the assets; NULL when there is none. */
static const char *find_file(const struct model_place *place, const char *file)
{
    const char *found = assets_find(place->assets, file);
    if (found)
        return found;
    SCOPED char *folder = path_folder(place->path), *beside = path_join(folder, file);
    return assets_find(place->assets, beside);
}

int frames_arg_take(const struct command *command, const char *text, void *out)
{
    struct frames_arg *frames = out;
    frames->is_given = true;
    if (frame_run_parse(text, &frames->run))
        return -1;
    return cli_usage_error(command, "--frames: '%s' is not a keyframe or a run of keyframes such as 40-45", text);
}

static int clip_of_frames(const struct model_file *file, const char *model, const struct frame_run *run,
                          struct clip *out, struct error *err)
{
    if (!model_file_has_keyframes(file))
        return error_set(err, "%s: it has no keyframes of its own, so --frames cannot name any", model);
    const struct animation *animation = &file->model->animations[0];
    if (run->last >= animation->frame_count)
        return error_set(err, "%s: no keyframe %u, it has 0-%u", model, run->last, animation->frame_count - 1);
    *out = (struct clip){
        .name = "frames",
        .first_frame = run->first,
        .frame_count = run->last - run->first + 1,
        .rate_hz = animation->rate_hz,
    };
    return 0;
}

int model_args_choose_clip(const struct model_place *place, const char *model, const char *animation,
                           const struct frames_arg *frames, struct model_file *file, struct chosen_clip *out,
                           struct error *err)
{
    if (frames->is_given) {
        out->clip = &out->of_frames;
        return clip_of_frames(file, model, &frames->run, &out->of_frames, err);
    }
    out->clip = model_clip_called(file->model, animation);
    if (out->clip)
        return 0;
    out->file = find_file(place, animation);
    if (out->file)
        return model_place_add_file(place, out->file, file, &out->clip, err);
    model_file_fail_no_clip(file, place->assets, animation, err);
    return error_add(err, "%s", model);
}
