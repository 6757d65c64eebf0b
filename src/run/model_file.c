#include "run/model_file.h"

#include <string.h>

#include "base/file.h"
#include "model/format.h"

int model_file_add_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                             struct error *err)
{
    struct blob blob;
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    int result = model_add_animation(file->model, name, blob_bytes(&blob), err);
    blob_release(&blob);
    return result < 0 ? error_add(err, "%s", path) : 0;
}

/* The file called as the model is but for its suffix, or NULL. */
static const char *find_beside(const struct model_file *file, struct assets *assets, const char *suffix)
{
    int stem = (int)(strlen(file->path) - strlen(path_suffix(file->path)));
    char *wanted = must_printf("%.*s%s", stem, file->path, suffix);
    const char *path = assets_find(assets, wanted);
    free(wanted);
    return path;
}

static void add_sidecar(struct model_file *file, struct assets *assets)
{
    const char *suffix = file->model->format->animation_suffix;
    const char *path = suffix ? find_beside(file, assets, suffix) : NULL;
    struct error err;
    if (!path)
        return;
    if (model_file_add_animation(file, assets, path, "", &err) < 0)
        strings_add(&file->warnings, err.text);
    else
        file->clips_path = arena_strdup(&file->arena, path);
}

bool model_file_has_keyframes(const struct model_file *file)
{
    return file->model->animation_count > 0 && !file->model->animations[0].name[0];
}

int model_file_read_tags(struct model_file *file, struct assets *assets, struct tags *out, const char **path,
                         struct error *err)
{
    const char *found = find_beside(file, assets, ".tag");
    struct blob blob;
    if (!found)
        return 0;
    if (assets_read(assets, found, &blob, err) < 0)
        return -1;
    int result = tags_load(blob_bytes(&blob), out, err);
    blob_release(&blob);
    if (result < 0)
        return error_add(err, "%s", found);
    *path = found;
    return 0;
}

int model_file_open(struct assets *assets, const char *path, const struct model_options *options,
                    struct model_file *out, struct error *err)
{
    struct model_file file = {0};
    struct blob blob;
    if (assets_read(assets, path, &blob, err) < 0)
        return -1;
    file.path = arena_strdup(&file.arena, path);
    int result = model_load(blob_bytes(&blob), options, &file.model, err);
    blob_release(&blob);
    if (result < 0) {
        model_file_release(&file);
        return error_add(err, "%s", path);
    }
    for (size_t i = 0; i < file.model->warnings.count; i++)
        strings_printf(&file.warnings, "%s: %s", path, file.model->warnings.items[i]);
    add_sidecar(&file, assets);
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
