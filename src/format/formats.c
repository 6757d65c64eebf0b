#include "format/formats.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "asset/assets.h"
#include "base/buffer.h"
#include "base/file.h"
#include "fbx/fbx.h"
#include "image/image_format.h"

/* All formats, in the order in which they are asked. The last has neither a magic word nor a suffix of its own. */
const struct model_format *const model_formats[] = {
    &md2_format, &md3_format, &md5_format,    &gltf_format,       &mdl_format,
    &iqm_format, &fbx_format, &assimp_format, &md3_player_format, NULL,
};

const struct model_suffix *model_format_suffix(const struct model_format *format, const char *path)
{
    size_t length = strlen(path);
    for (const struct model_suffix *suffix = format->suffixes; suffix->text; suffix++) {
        size_t size = strlen(suffix->text);
        if (size <= length && !strcasecmp(path + length - size, suffix->text))
            return suffix;
    }
    return NULL;
}

static bool takes(const struct model_format *format, struct bytes bytes, const char *path)
{
    const char *start = format->start;
    return format->matches ? format->matches(bytes)
           : start         ? bytes_start_with(bytes, start)
                           : path && model_format_suffix(format, path);
}

const struct model_format *model_format_of(struct bytes bytes, const char *path)
{
    const struct model_format *format;
    for (size_t i = 0; (format = model_formats[i]); i++)
        if (takes(format, bytes, path))
            break;
    return format;
}

bool model_has_suffix(const char *suffix)
{
    for (size_t i = 0; model_formats[i]; i++)
        if (model_format_suffix(model_formats[i], suffix))
            return true;
    return false;
}

const char *model_find_file(struct assets *assets, const char *path)
{
    const char *found = assets_find(assets, path);
    for (size_t i = 0; model_formats[i] && !found; i++)
        if (model_formats[i]->in_folder) {
            SCOPED char *inside = path_join(path, model_formats[i]->in_folder);
            found = assets_find(assets, inside);
        }
    return found;
}

bool model_is_in_folder(const char *path)
{
    for (size_t i = 0; model_formats[i]; i++)
        if (model_formats[i]->in_folder && !strcasecmp(path_base(path), model_formats[i]->in_folder))
            return true;
    return false;
}

const struct model_format *model_format_of_animation(struct bytes bytes)
{
    for (size_t i = 0; model_formats[i]; i++) {
        const struct animation_format *animations = model_formats[i]->animation_format;
        if (animations && animations->matches(bytes))
            return model_formats[i];
    }
    return NULL;
}

bool model_is_animation(struct assets *assets, const char *path)
{
    struct error ignored;
    for (size_t i = 0; model_formats[i]; i++) {
        SCOPED_BY(blob_release) struct blob blob = {0};
        const struct animation_format *animations = model_formats[i]->animation_format;
        bool is_shared = animations && model_format_suffix(model_formats[i], animations->suffix);
        if (is_shared && !strcasecmp(path_suffix(path), animations->suffix) &&
            assets_read(assets, path, &blob, &ignored) == 0)
            return animations->matches(blob_bytes(&blob));
    }
    return false;
}

void model_find_of_format(struct assets *assets, const char *path, const struct model_format *format,
                          bool wants_animations, struct strings *out)
{
    const struct animation_format *animations = format->animation_format;
    const char *suffix = format->suffixes->text;
    const bool is_one_suffix = animations && !strcmp(suffix, animations->suffix);
    SCOPED_BY(strings_release) struct strings found = {0};
    assets_find_beside(assets, path, wants_animations ? animations->suffix : suffix, &found);
    for (size_t i = 0; i < found.count; i++)
        if (!is_one_suffix || model_is_animation(assets, found.items[i]) == wants_animations)
            strings_add(out, found.items[i]);
}

/* Lists the points that triangles reach. Framing goes over these alone: real files hold stray vertices that
 * nothing draws. */
static int find_used_points(struct model *model, struct error *err)
{
    SCOPED bool *is_used = memory_alloc(model->point_count, sizeof *is_used, err);
    uint32_t *used = arena_alloc(&model->arena, model->point_count, sizeof *used, err);
    uint32_t count = 0;

    if (!is_used || !used)
        return -1;
    for (uint32_t i = 0; i < model->index_count; i++)
        is_used[model->vertex_points[model->indices[i]]] = true;
    for (uint32_t point = 0; point < model->point_count; point++) {
        if (is_used[point])
            used[count++] = point;
    }
    model->used_points = used;
    model->used_point_count = count;
    if (count < model->point_count)
        strings_printf(&model->oddities, "%u of %u vertices are part of no triangle", model->point_count - count,
                       model->point_count);
    return 0;
}

int model_load(struct bytes bytes, const struct model_options *options, struct model **out, struct error *err)
{
    static const struct model_options defaults;
    struct model *model;

    if (!options)
        options = &defaults;
    if (bytes.size == 0)
        return error_set(err, "the file is empty");
    const struct model_format *format =
        options->via == VIA_ASSIMP ? &assimp_format : model_format_of(bytes, options->path);
    if (!format) {
        if (options->path && image_has_suffix(path_suffix(options->path)))
            return error_set(err, "not a model file, but a picture; `skin` of a job shows it on a model");
        SCOPED_BY(buffer_release) struct buffer known = {0};
        for (size_t i = 0; model_formats[i]; i++)
            if (model_formats[i]->start)
                buffer_printf(&known, "%s%s (starts with \"%s\")", i ? ", " : "", model_formats[i]->name,
                              model_formats[i]->start);
        for (const struct model_suffix *suffix = assimp_format.suffixes; suffix->text; suffix++)
            buffer_printf(&known, "%s%s", suffix == assimp_format.suffixes ? ", and by their suffixes " : " ",
                          suffix->text);
        return error_set(err, NO_MODEL_FILE "%s", known.text);
    }
    if (options->geometry == GEOMETRY_GL_COMMANDS && !format->has_gl_commands)
        return error_set(err, "%s models have no GL commands, only triangles", format->name);
    if (options->scene && !format->has_scenes)
        return error_set(err, "%s models have no scenes", format->name);
    model = must_alloc(1, sizeof *model);
    model->format = format;
    const struct model_suffix *suffix = options->path ? model_format_suffix(format, options->path) : NULL;
    model->format_name = suffix && suffix->format ? suffix->format : format->name;
    model_set_transform(model, &options->transform);
    if (format->load(bytes, options, model, err) < 0 || find_used_points(model, err) < 0) {
        model_free(model);
        return -1;
    }
    *out = model;
    return 0;
}

int model_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    if (!model->format->add_animation)
        return error_set(err, "%s models hold all their animations themselves", model->format->name);
    return model->format->add_animation(model, name, bytes, err);
}

const struct file_opener *model_picture_opener(const struct container *file, const char *name, struct error *err)
{
    const bool is_by_assimp = !strncmp(name, ASSIMP_PICTURE_PREFIX, strlen(ASSIMP_PICTURE_PREFIX));
    const struct model_format *format = is_by_assimp ? &assimp_format : model_format_of(file->bytes, file->path);
    if (format && format->pictures)
        return format->pictures;
    error_set(err, "%s hold no pictures", format ? format->name : "files that are not models");
    return NULL;
}
