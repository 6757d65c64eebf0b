#include "model/model.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "asset/assets.h"
#include "base/buffer.h"
#include "base/file.h"
#include "model/format.h"

void model_material_init(struct model_material *material)
{
    *material = (struct model_material){
        .name = "",
        .base_color_factor = {1, 1, 1, 1},
        .roughness = 0.6f,
        .normal_scale = 1,
        .occlusion_strength = 1,
        .specular_factor = 1,
        .specular_color_factor = {1, 1, 1},
        .alpha_cutoff = 0.5f,
    };
}

const char *model_picture_path(struct arena *arena, const char *model_path, const char *name)
{
    const bool is_absolute = *name == '/' || *name == '\\' || strchr(name, ':');
    char *folder = path_folder(model_path),
         *path = path_join(folder, is_absolute ? path_foreign_base(name) : name);
    path_collapse(path); /* one that leaves the assets is not found in them */
    const char *kept = arena_strdup(arena, path);
    free(path);
    free(folder);
    return kept;
}

static const struct model_format *const formats[] = {
    &md2_format, &md3_format, &md5_format,        &gltf_format,
    &mdl_format, &iqm_format, &md3_player_format, /* the last, by no magic word */
};

const struct model_format *model_format_of(struct bytes bytes, const char *path)
{
    bool is_bridged = path && assimp_has_suffix(path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        bool has_magic = !formats[i]->in_folder;
        if ((has_magic || !is_bridged) && formats[i]->matches(bytes))
            return formats[i];
    }
    return is_bridged ? &assimp_format : NULL;
}

const struct model_format *model_format_at(size_t i)
{
    return i < sizeof formats / sizeof formats[0] ? formats[i] : NULL;
}

bool model_has_suffix(const char *suffix)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (!strcasecmp(suffix, formats[i]->suffix) ||
            (formats[i]->other_suffix && !strcasecmp(suffix, formats[i]->other_suffix)))
            return true;
    return assimp_has_suffix(suffix);
}

const char *model_find_file(struct assets *assets, const char *path)
{
    const char *found = assets_find(assets, path);
    for (size_t i = 0; i < sizeof formats / sizeof formats[0] && !found; i++)
        if (formats[i]->in_folder) {
            char *inside = path_join(path, formats[i]->in_folder);
            found = assets_find(assets, inside);
            free(inside);
        }
    return found;
}

bool model_is_in_folder(const char *path)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i]->in_folder && !strcasecmp(path_base(path), formats[i]->in_folder))
            return true;
    return false;
}

const struct model_format *model_format_of_animation(struct bytes bytes)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct animation_format *animations = formats[i]->animation_format;
        if (animations && animations->matches(bytes))
            return formats[i];
    }
    return NULL;
}

bool model_is_animation(struct assets *assets, const char *path)
{
    const char *suffix = path_suffix(path);
    bool is_shared = false;
    struct blob blob;
    struct error ignored;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        const struct animation_format *animations = formats[i]->animation_format;
        is_shared |= animations && !strcasecmp(suffix, animations->suffix) && model_has_suffix(suffix);
    }
    if (!is_shared || assets_read(assets, path, &blob, &ignored) < 0)
        return false;
    bool is_animation = model_format_of_animation(blob_bytes(&blob)) != NULL;
    blob_release(&blob);
    return is_animation;
}

/* Lists the points that triangles reach. Framing goes over these alone: real files hold stray vertices that
 * nothing draws. */
static int find_used_points(struct model *model, struct error *err)
{
    bool *is_used = memory_alloc(model->point_count, sizeof *is_used, err);
    uint32_t *used = arena_alloc(&model->arena, model->point_count, sizeof *used, err);
    uint32_t count = 0;

    if (!is_used || !used) {
        free(is_used);
        return -1;
    }
    for (uint32_t i = 0; i < model->index_count; i++)
        is_used[model->vertex_points[model->indices[i]]] = true;
    for (uint32_t point = 0; point < model->point_count; point++) {
        if (is_used[point])
            used[count++] = point;
    }
    free(is_used);
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
        struct buffer known = {0};
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
            if (formats[i]->start)
                buffer_printf(&known, "%s%s (starts with \"%s\")", i ? ", " : "", formats[i]->name,
                              formats[i]->start);
        error_set(err, "not a model file: known are %s", known.text);
        buffer_release(&known);
        return -1;
    }
    if (options->geometry == GEOMETRY_GL_COMMANDS && !format->has_gl_commands)
        return error_set(err, "%s models have no GL commands, only triangles", format->name);
    if (options->scene && !format->has_scenes)
        return error_set(err, "%s models have no scenes", format->name);
    model = must_alloc(1, sizeof *model);
    model->format = format;
    model->format_name = format->name;
    model->pose = format->pose;
    model->pose_joints = format->pose_joints;
    if (format->load(bytes, options, model, err) || find_used_points(model, err)) {
        model_free(model);
        return -1;
    }
    *out = model;
    return 0;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    arena_release(&model->arena);
    free(model->animations);
    free(model->clips);
    strings_release(&model->oddities);
    strings_release(&model->warnings);
    free(model);
}

struct model *model_share(const struct model *base, uint32_t animation_count, uint32_t clip_count)
{
    struct model *model = must_alloc(1, sizeof *model);
    *model = *base;
    model->arena = (struct arena){0};
    model->oddities = model->warnings = (struct strings){0};
    model->animations = NULL;
    model->clips = NULL;
    model->animation_count = model->animation_capacity = model->clip_count = model->clip_capacity = 0;
    for (uint32_t i = 0; i < animation_count; i++)
        model_add_animation_entry(model, &base->animations[i]);
    for (uint32_t i = 0; i < clip_count; i++)
        model_add_clip(model, &base->clips[i]);
    return model;
}

int model_read_picture(struct assets *assets, const char *path, struct bytes bytes, const char *name,
                       struct blob *out, struct error *err)
{
    const struct model_format *format = assimp_is_picture(name) ? &assimp_format : model_format_of(bytes, path);
    if (!format || !format->read_picture)
        return error_set(err, "%s hold no pictures", format ? format->name : "files that are no models");
    const struct model_options options = {.path = path, .assets = assets};
    return format->read_picture(bytes, &options, name, out, err);
}

int model_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err)
{
    if (!model->format->add_animation)
        return error_set(err, "%s models hold all their animations themselves", model->format->name);
    return model->format->add_animation(model, name, bytes, err);
}

const struct clip *model_find_clip(const struct model *model, const char *name)
{
    for (uint32_t i = 0; i < model->clip_count; i++) {
        if (!strcmp(model->clips[i].name, name))
            return &model->clips[i];
    }
    return NULL;
}

void model_add_animation_entry(struct model *model, const struct animation *animation)
{
    size_t capacity = model->animation_capacity;

    model->animations = must_grow(model->animations, model->animation_count, &capacity, sizeof *model->animations);
    model->animation_capacity = (uint32_t)capacity;
    model->animations[model->animation_count++] = *animation;
}

void model_add_clip(struct model *model, const struct clip *clip)
{
    size_t capacity = model->clip_capacity;

    model->clips = must_grow(model->clips, model->clip_count, &capacity, sizeof *model->clips);
    model->clip_capacity = (uint32_t)capacity;
    model->clips[model->clip_count++] = *clip;
}

const char *model_unique_clip_name(struct model *model, const char *name)
{
    char *unique = must_strdup(name);
    const char *kept;

    for (unsigned number = 2; model_find_clip(model, unique); number++) {
        free(unique);
        unique = must_printf("%s_%u", name, number);
    }
    kept = arena_strdup(&model->arena, unique);
    free(unique);
    return kept;
}

char *model_fixed_name(struct arena *arena, const uint8_t *field, size_t size, bool *has_junk)
{
    char *name = arena_strndup(arena, (const char *)field, size);

    for (size_t i = strlen(name); i < size; i++)
        if (has_junk)
            *has_junk |= field[i] != 0;
    for (char *c = name; *c; c++) {
        if (*c < ' ' || *c > '~')
            *c = '?';
    }
    return name;
}

/* By name, and of equal names in the order of the file. */
static int compare_names(const void *a, const void *b)
{
    const struct surface *const *left = a, *const *right = b;
    int order = strcmp((*left)->name, (*right)->name);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

void model_name_surfaces(struct model *model, struct surface *surfaces)
{
    const uint32_t count = model->surface_count;
    struct surface **sorted = must_alloc(count, sizeof *sorted);
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &surfaces[i];
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        qsort(sorted, count, sizeof *sorted, compare_names);
        const char *name = NULL;
        for (uint32_t i = 0; i < count; i++) {
            if (name && !strcmp(sorted[i]->name, name)) {
                uint32_t number = (uint32_t)(sorted[i] - surfaces) + 1;
                sorted[i]->name = arena_printf(&model->arena, "%s_%u", name, number);
                is_changed = true;
            } else {
                name = sorted[i]->name;
            }
        }
    }
    free(sorted);
}

bool model_uses(const struct model *model, enum material_kind kind)
{
    for (uint32_t i = 0; i < model->surface_count; i++)
        if (model->surfaces[i].material.kind == kind)
            return true;
    return false;
}

int mesh_init_positions(struct mesh *mesh, const struct model *model, struct error *err)
{
    struct mesh new = {.point_count = model->point_count};

    new.positions = memory_alloc(model->point_count, sizeof *new.positions, err);
    if (!new.positions)
        return -1;
    *mesh = new;
    return 0;
}

int mesh_init(struct mesh *mesh, const struct model *model, struct error *err)
{
    struct mesh new;

    if (mesh_init_positions(&new, model, err) < 0)
        return -1;
    new.normals = memory_alloc(model->point_count, sizeof *new.normals, err);
    new.scratch = memory_alloc(model->point_count, sizeof *new.scratch, err);
    if (!new.normals || !new.scratch) {
        mesh_release(&new);
        return -1;
    }
    *mesh = new;
    return 0;
}

void mesh_release(struct mesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->scratch);
    *mesh = (struct mesh){0};
}

void model_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    model->pose(model, pose, mesh);
}

void model_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model)
{
    if (model->joint_count > 0)
        model->pose_joints(model, pose, joint_to_model);
}
