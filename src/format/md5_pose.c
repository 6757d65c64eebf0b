#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/md5.h"
#include "model/tangents.h"

/* -- Skeletons --------------------------------------------------------------------------------------------- */

/* The sizes that a keyframe gives to joints; the others are of size 1. */
static const struct md5_scale *scales_of(const struct md5_animation *animation, uint32_t frame, size_t *count)
{
    const struct md5_scale *scales = animation->scales;
    size_t low = 0, high = animation->scale_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (scales[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < animation->scale_count && scales[low + *count].frame == frame)
        ++*count;
    return *count ? scales + low : NULL;
}

void md5_read_frame(const struct md5_animation *animation, uint32_t frame, uint32_t joint_count,
                    struct transform *joints)
{
    const double *components = animation->components + (size_t)frame * animation->component_count;
    for (uint32_t j = 0; j < joint_count; j++) {
        const struct md5_track *track = &animation->tracks[j];
        const double *next = components + track->start;
        joints[j] = animation->baseframe[j];
        for (int i = 0; i < 3; i++)
            if (track->flags & (1u << i))
                joints[j].translation[i] = *next++;
        for (int i = 0; i < 3; i++)
            if (track->flags & (8u << i))
                joints[j].rotation[i] = *next++;
        if (track->flags & (8 | 16 | 32))
            md5_complete_rotation(joints[j].rotation);
    }
    size_t count;
    const struct md5_scale *scales = scales_of(animation, frame, &count);
    for (size_t k = 0; k < count; k++)
        if (animation->scales_positions[scales[k].joint])
            for (int i = 0; i < 3; i++)
                joints[scales[k].joint].translation[i] *= scales[k].scale;
}

/* Onto joints that are placed: a size is that of its joint alone. */
static void add_scales(const struct md5_animation *animation, uint32_t frame, double weight,
                       struct transform *joints)
{
    size_t count;
    const struct md5_scale *scales = scales_of(animation, frame, &count);
    for (size_t k = 0; k < count; k++)
        for (int i = 0; i < 3; i++)
            joints[scales[k].joint].scale[i] += weight * (scales[k].scale - 1);
}

/* The skeleton of a pose, in model space. The caller frees it. */
static struct transform *new_skeleton(const struct model *model, const struct pose *pose)
{
    const struct md5_mesh *data = model->data;
    const struct moment *moment = &pose->moment;
    uint32_t count = model->joint_count;
    struct transform *joints = must_alloc(count, sizeof *joints);
    if (pose->animation < 0) {
        memcpy(joints, data->bind, count * sizeof *joints);
        return joints;
    }
    if (model->animations[pose->animation].motion) {
        rig_place_pose(model, pose, joints);
        return joints;
    }
    const struct md5_animation *animation = model->animations[pose->animation].data;
    md5_read_frame(animation, moment->frame_a, count, joints);
    if (moment->blend == 0) { /* a keyframe: both ways of blending would only add rounding */
        transforms_to_model(model->joints, count, joints);
        add_scales(animation, moment->frame_a, 1, joints);
        return joints;
    }
    struct transform *after = must_alloc(count, sizeof *after);
    md5_read_frame(animation, moment->frame_b, count, after);
    if (pose->interpolation == INTERPOLATION_OBJECT) {
        transforms_to_model(model->joints, count, joints);
        transforms_to_model(model->joints, count, after);
        transforms_blend(joints, after, count, moment->blend);
    } else {
        transforms_blend(joints, after, count, moment->blend);
        transforms_to_model(model->joints, count, joints);
    }
    free(after);
    add_scales(animation, moment->frame_a, 1 - moment->blend, joints);
    add_scales(animation, moment->frame_b, moment->blend, joints);
    return joints;
}

/* -- Normals ----------------------------------------------------------------------------------------------- */

/* False where unit normals cancel each other out, as those of the two sides of a sheet do. */
static bool normalise(const vec3 sum, vec3 out)
{
    const float least = 1e-3f;
    float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (!(length > least))
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = sum[i] / length;
    return true;
}

/* Sums are gathered at the first of the points at a place, which has the lowest number: going down, it is finished
 * last. */
static void join_normals(const uint32_t *twins, const vec3 *own, struct mesh *mesh)
{
    vec3 *normals = mesh->normals;
    memcpy(normals, own, mesh->point_count * sizeof *normals);
    for (uint32_t i = 0; i < mesh->point_count; i++)
        for (int k = 0; k < 3 && twins[i] != i; k++)
            normals[twins[i]][k] += own[i][k];
    for (uint32_t i = mesh->point_count; i-- > 0;)
        if (!normalise(normals[twins[i]], normals[i]) && !normalise(own[i], normals[i]))
            memcpy(normals[i], (vec3){0, 0, 1}, sizeof normals[i]);
}

/* The normals of the mesh from its positions, as Doom 3 derives them for each pose: the unit normals of the
 * triangles at a point and at its twins are added, whatever the size of the triangles. */
static void find_normals(const struct model *model, struct mesh *mesh)
{
    const struct md5_mesh *data = model->data;
    vec3 *own = mesh->scratch;
    memset(own, 0, model->point_count * sizeof *own);
    for (uint32_t i = 0; i < model->index_count; i += 3) {
        const uint32_t *corners = &model->indices[i];
        vec3 normal;
        if (!triangle_normal(corners, (const vec3 *)mesh->positions, normal))
            continue;
        for (int corner = 0; corner < 3; corner++)
            for (int k = 0; k < 3; k++)
                own[corners[corner]][k] += normal[k];
    }
    join_normals(data->twins, (const vec3 *)own, mesh);
}

/* -- Poses ------------------------------------------------------------------------------------------------- */

void md5_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    const struct md5_mesh *data = model->data;
    struct transform *joints = new_skeleton(model, pose);
    skin_points(&data->skin, model->point_count, joints, model->joint_count, mesh->positions);
    if (mesh->normals)
        find_normals(model, mesh);
    free(joints);
}

void md5_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model)
{
    struct transform *joints = new_skeleton(model, pose);
    for (uint32_t j = 0; j < model->joint_count; j++)
        transform_matrix(&joints[j], joint_to_model[j]);
    free(joints);
}
