#include "model/md5.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Four floats in a register; the fourth is not used. */
typedef float float4 __attribute__((vector_size(16)));

/* A joint at one moment, from its space to the model's, as columns: turning a vector is then three multiplications
 * of whole registers. The last column is the position. */
struct joint_matrix {
    float4 columns[4];
};

static void quaternion_multiply(const double a[4], const double b[4], double out[4])
{
    double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
    memcpy(out, product, sizeof product);
}

/* The images of the three axes under a unit quaternion. */
static void quaternion_columns(const double q[4], double columns[3][3])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    columns[0][0] = 1 - 2 * (y * y + z * z);
    columns[0][1] = 2 * (x * y + w * z);
    columns[0][2] = 2 * (x * z - w * y);
    columns[1][0] = 2 * (x * y - w * z);
    columns[1][1] = 1 - 2 * (x * x + z * z);
    columns[1][2] = 2 * (y * z + w * x);
    columns[2][0] = 2 * (x * z + w * y);
    columns[2][1] = 2 * (y * z - w * x);
    columns[2][2] = 1 - 2 * (x * x + y * y);
}

/* A quaternion and its negative are the same turn, so of the two ways from `a` to `b` the shorter one is taken:
 * files give every w the same sign, which makes the longer way common. */
static void slerp(const double a[4], const double b[4], double blend, double out[4])
{
    double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    double sign = cosine < 0 ? -1 : 1;
    cosine *= sign;

    double weight_a = 1 - blend, weight_b = blend;
    if (cosine < 1 - 1e-9) { /* below 5e-5 radians the chord is the arc, and the sine no good divisor */
        double angle = acos(cosine);
        weight_a = sin((1 - blend) * angle) / sin(angle);
        weight_b = sin(blend * angle) / sin(angle);
    }
    double length_squared = 0;
    for (int i = 0; i < 4; i++) {
        out[i] = weight_a * a[i] + weight_b * sign * b[i];
        length_squared += out[i] * out[i];
    }
    double length = sqrt(length_squared);
    for (int i = 0; i < 4; i++)
        out[i] /= length;
}

/* Blends `b` into `a`. */
static void blend_joints(struct md5_joint *a, const struct md5_joint *b, uint32_t count, double blend)
{
    for (uint32_t j = 0; j < count; j++) {
        for (int i = 0; i < 3; i++)
            a[j].position[i] += (b[j].position[i] - a[j].position[i]) * blend;
        double orientation[4];
        slerp(a[j].orientation, b[j].orientation, blend, orientation);
        memcpy(a[j].orientation, orientation, sizeof orientation);
    }
}

/* Parent-relative joints of a keyframe: the base frame, with the components that the frame replaces. */
static void read_frame(const struct md5_animation *animation, uint32_t frame, uint32_t joint_count,
                       struct md5_joint *joints)
{
    const double *components = animation->components + (size_t)frame * animation->component_count;
    for (uint32_t j = 0; j < joint_count; j++) {
        const struct md5_track *track = &animation->tracks[j];
        const double *next = components + track->start;
        joints[j] = animation->baseframe[j];
        for (int i = 0; i < 3; i++)
            if (track->flags & (1u << i))
                joints[j].position[i] = *next++;
        for (int i = 0; i < 3; i++)
            if (track->flags & (8u << i))
                joints[j].orientation[i] = *next++;
        if (track->flags & (8 | 16 | 32))
            md5_complete_orientation(joints[j].orientation);
    }
}

/* From parent-relative to model space, in place: a parent always comes before its children. */
static void build_skeleton(const struct model *model, struct md5_joint *joints)
{
    for (uint32_t j = 0; j < model->joint_count; j++) {
        if (model->joints[j].parent < 0)
            continue;
        const struct md5_joint *parent = &joints[model->joints[j].parent];
        double columns[3][3], position[3];
        quaternion_columns(parent->orientation, columns);
        for (int i = 0; i < 3; i++)
            position[i] = parent->position[i] + columns[0][i] * joints[j].position[0] +
                          columns[1][i] * joints[j].position[1] + columns[2][i] * joints[j].position[2];
        memcpy(joints[j].position, position, sizeof position);
        quaternion_multiply(parent->orientation, joints[j].orientation, joints[j].orientation);
    }
}

static void pose_skeleton(const struct model *model, const struct pose *pose, struct md5_joint *joints)
{
    const struct md5_animation *animation = model->animations[pose->animation].data;
    const struct moment *moment = &pose->moment;
    uint32_t count = model->joint_count;

    read_frame(animation, moment->frame_a, count, joints);
    if (moment->blend == 0) { /* a keyframe: both ways of blending would only add rounding */
        build_skeleton(model, joints);
        return;
    }
    struct md5_joint *after = must_alloc(count, sizeof *after);
    read_frame(animation, moment->frame_b, count, after);
    if (pose->interpolation == INTERPOLATION_OBJECT) {
        build_skeleton(model, joints);
        build_skeleton(model, after);
        blend_joints(joints, after, count, moment->blend);
    } else {
        blend_joints(joints, after, count, moment->blend);
        build_skeleton(model, joints);
    }
    free(after);
}

static struct joint_matrix joint_matrix(const struct md5_joint *joint)
{
    struct joint_matrix matrix;
    double columns[3][3];
    quaternion_columns(joint->orientation, columns);
    for (int i = 0; i < 3; i++)
        matrix.columns[i] = (float4){(float)columns[i][0], (float)columns[i][1], (float)columns[i][2], 0};
    matrix.columns[3] =
        (float4){(float)joint->position[0], (float)joint->position[1], (float)joint->position[2], 0};
    return matrix;
}

static void skin_points(const struct md5_mesh *data, const struct joint_matrix *matrices, uint32_t count,
                        vec3 *positions)
{
    for (uint32_t i = 0; i < count; i++) {
        float4 position = {0};
        const struct md5_weight *weight = data->weights + data->spans[i].first;
        for (uint32_t left = data->spans[i].count; left > 0; left--, weight++) {
            const float4 *columns = matrices[weight->joint].columns;
            const float *p = weight->biased_position;
            position += columns[0] * p[0] + columns[1] * p[1] + columns[2] * p[2] + columns[3] * weight->bias;
        }
        memcpy(positions[i], &position, sizeof positions[i]);
    }
}

void md5_skin(const struct model *model, const struct md5_joint *joints, vec3 *positions)
{
    struct joint_matrix *matrices = must_alloc(model->joint_count, sizeof *matrices);
    for (uint32_t j = 0; j < model->joint_count; j++)
        matrices[j] = joint_matrix(&joints[j]);
    skin_points(model->data, matrices, model->point_count, positions);
    free(matrices);
}

/* The skeleton of a pose, in model space. The caller frees it. */
static struct md5_joint *new_skeleton(const struct model *model, const struct pose *pose)
{
    const struct md5_mesh *data = model->data;
    struct md5_joint *joints = must_alloc(model->joint_count, sizeof *joints);
    if (pose->animation < 0)
        memcpy(joints, data->bind, model->joint_count * sizeof *joints);
    else
        pose_skeleton(model, pose, joints);
    return joints;
}

void md5_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    struct md5_joint *joints = new_skeleton(model, pose);
    md5_skin(model, joints, mesh->positions);
    if (mesh->normals)
        md5_normals(model, mesh);
    free(joints);
}

void md5_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model)
{
    struct md5_joint *joints = new_skeleton(model, pose);
    for (uint32_t j = 0; j < model->joint_count; j++) {
        double columns[3][3];
        quaternion_columns(joints[j].orientation, columns);
        memset(joint_to_model[j], 0, sizeof joint_to_model[j]);
        for (int i = 0; i < 3; i++) {
            for (int column = 0; column < 3; column++)
                joint_to_model[j][column][i] = (float)columns[column][i];
            joint_to_model[j][3][i] = (float)joints[j].position[i];
        }
        joint_to_model[j][3][3] = 1;
    }
    free(joints);
}
