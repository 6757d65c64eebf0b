#include "model/model.h"

#include <cglm/affine.h>
#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/strings.h"

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

float model_linear_of(double code)
{
    const double part = code > 0 ? fmin(code, 1) : 0;
    return part <= 0.04045 ? (float)(part / 12.92) : (float)pow((part + 0.055) / 1.055, 2.4);
}

const char *model_picture_path(struct arena *arena, const char *model_path, const char *name)
{
    const bool is_absolute = *name == '/' || *name == '\\' || strchr(name, ':');
    SCOPED char *folder = path_folder(model_path);
    char *path = arena_take(arena, path_join(folder, is_absolute ? path_foreign_base(name) : name));
    path_collapse(path); /* one that leaves the assets is not found in them */
    return path;
}

const char *model_picture_folder(struct arena *arena, const char *name)
{
    const char *end = path_foreign_base(name);
    if (end == name || end - 1 == name)
        return NULL;
    const char *path = arena_strndup(arena, name, (size_t)(end - 1 - name)), *folder = path_foreign_base(path);
    return *folder && *folder != '.' && !strchr(folder, ':') ? folder : NULL;
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
    model->animation_count = model->clip_count = 0;
    model->animation_capacity = model->clip_capacity = 0;
    for (uint32_t i = 0; i < animation_count; i++)
        model_add_animation_entry(model, &base->animations[i]);
    for (uint32_t i = 0; i < clip_count; i++)
        model_add_clip(model, &base->clips[i]);
    return model;
}

const struct clip *model_find_clip(const struct model *model, const char *name)
{
    return named_find(model->clips, model->clip_count, sizeof *model->clips, name, false);
}

const struct clip *model_clip_called(const struct model *model, const char *name)
{
    for (int pass = 0; pass < 4; pass++)
        for (uint32_t i = 0; i < model->clip_count; i++) {
            const struct clip *clip = &model->clips[i];
            const char *text = pass < 2 ? clip->name : clip->name_in_file;
            if (text && !(pass % 2 ? strcasecmp : strcmp)(text, name))
                return clip;
        }
    return NULL;
}

void model_add_animation_entry(struct model *model, const struct animation *animation)
{
    *MUST_ADD(model->animations, model->animation_count, model->animation_capacity) = *animation;
}

void model_add_clip(struct model *model, const struct clip *clip)
{
    *MUST_ADD(model->clips, model->clip_count, model->clip_capacity) = *clip;
}

const char *model_unique_clip_name(struct model *model, const char *name)
{
    SCOPED char *unique = must_strdup(name);

    for (unsigned number = 2; model_find_clip(model, unique); number++) {
        free(unique);
        unique = must_printf("%s_%u", name, number);
    }
    return arena_strdup(&model->arena, unique);
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

/* Sorts by name, and equal names in the order of the file. */
static int compare_names(const void *a, const void *b)
{
    const struct surface *const *left = a, *const *right = b;
    int order = strcmp((*left)->name, (*right)->name);
    return order != 0 ? order : (*left > *right) - (*left < *right);
}

void model_name_surfaces(struct model *model, struct surface *surfaces)
{
    const uint32_t count = model->surface_count;
    SCOPED struct surface **sorted = must_alloc(count, sizeof *sorted);
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
    vec3 *positions = memory_alloc(model->point_count, sizeof *positions, err);
    if (positions)
        *mesh = (struct mesh){.point_count = model->point_count, .positions = positions};
    return positions ? 0 : -1;
}

int mesh_init(struct mesh *mesh, const struct model *model, struct error *err)
{
    struct mesh new;
    if (mesh_init_positions(&new, model, err) < 0)
        return -1;
    new.normals = memory_alloc(model->point_count, sizeof *new.normals, err);
    new.scratch = memory_alloc(model->point_count, sizeof *new.scratch, err);
    new.is_turned = memory_alloc(model->surface_count, sizeof *new.is_turned, err);
    if (!new.normals || !new.scratch || !new.is_turned) {
        mesh_release(&new);
        return -1;
    }
    *mesh = new;
    return 0;
}

void mesh_box(const struct model *model, const struct mesh *mesh, vec3 box[2])
{
    const float far = model->used_point_count ? INFINITY : 0;
    glm_vec3_fill(box[0], far);
    glm_vec3_fill(box[1], -far);
    for (uint32_t i = 0; i < model->used_point_count; i++) {
        glm_vec3_minv(box[0], mesh->positions[model->used_points[i]], box[0]);
        glm_vec3_maxv(box[1], mesh->positions[model->used_points[i]], box[1]);
    }
}

void points_weld(const vec3 *positions, const uint32_t *points, uint32_t count, uint32_t *firsts)
{
    SCOPED uint32_t(*keys)[3] = must_alloc(count, sizeof *keys);
    SCOPED uint32_t *numbers = must_alloc(count, sizeof *numbers), *places = must_alloc(count, sizeof *places);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            const float coordinate = positions[points[i]][k] + 0.0f; /* -0 is 0 */
            memcpy(&keys[i][k], &coordinate, sizeof coordinate);
        }
    number_keys(keys, sizeof *keys, count, numbers, places);
    for (uint32_t i = 0; i < count; i++)
        firsts[i] = points[places[numbers[i]]];
}

void mesh_release(struct mesh *mesh)
{
    free(mesh->positions);
    free(mesh->normals);
    free(mesh->scratch);
    free(mesh->is_turned);
    *mesh = (struct mesh){0};
}

/* -- Other axes and units ---------------------------------------------------------------------------------- */

static bool transform_is_none(const struct model_transform *transform)
{
    const float *turn = transform->rotation_deg;
    return transform->scale == 0 || (transform->up == AXIS_AUTO && transform->front == AXIS_AUTO &&
                                     transform->scale == 1 && turn[0] == 0 && turn[1] == 0 && turn[2] == 0);
}

void turn_and_scale(mat4 matrix, const vec3 rotation_deg, float scale)
{
    for (int axis = 2; axis >= 0; axis--) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        const double turn = (double)rotation_deg[axis] * M_PI / 180;
        mat4 about = GLM_MAT4_IDENTITY_INIT;
        about[u][u] = about[v][v] = (float)cos(turn);
        about[u][v] = (float)sin(turn);
        about[v][u] = -about[u][v];
        glm_mat4_mul(matrix, about, matrix);
    }
    glm_scale_uni(matrix, scale);
}

void model_set_transform(struct model *model, const struct model_transform *transform)
{
    static const vec3 axes[] = {
        [AXIS_X] = {1, 0, 0},        [AXIS_Y] = {0, 1, 0},        [AXIS_Z] = {0, 0, 1},
        [AXIS_MINUS_X] = {-1, 0, 0}, [AXIS_MINUS_Y] = {0, -1, 0}, [AXIS_MINUS_Z] = {0, 0, -1},
    };
    enum axis up = transform->up, front = transform->front;
    if (transform_is_none(transform))
        return;
    if (up == AXIS_AUTO)
        up = front == AXIS_Z || front == AXIS_MINUS_Z ? AXIS_Y : AXIS_Z;
    if (front == AXIS_AUTO)
        front = up == AXIS_Z || up == AXIS_MINUS_Z ? AXIS_X : AXIS_Z;
    mat4 axes_to_ours = GLM_MAT4_IDENTITY_INIT;
    vec3 left;
    glm_vec3_cross((float *)axes[up], (float *)axes[front], left);
    for (int i = 0; i < 3; i++)
        glm_vec3_copy((vec3){axes[front][i], left[i], axes[up][i]}, axes_to_ours[i]);
    model->is_transformed = true;
    glm_mat4_identity(model->transform);
    turn_and_scale(model->transform, transform->rotation_deg, transform->scale);
    glm_mat4_mul(model->transform, axes_to_ours, model->transform);
}
