#include "model/skeleton.h"

#include <cglm/cglm.h>
#include <math.h>
#include <string.h>

void quaternion_multiply(const double a[4], const double b[4], double out[4])
{
    double product[4] = {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    };
    memcpy(out, product, sizeof product);
}

void quaternion_invert(const double q[4], double out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = i < 3 ? -q[i] : q[i];
}

/* Of the four ways to write it, the one that divides by the largest number. */
void quaternion_of_columns(double columns[3][3], double out[4])
{
    const double squares[4] = {
        1 + columns[0][0] - columns[1][1] - columns[2][2],
        1 - columns[0][0] + columns[1][1] - columns[2][2],
        1 - columns[0][0] - columns[1][1] + columns[2][2],
        1 + columns[0][0] + columns[1][1] + columns[2][2],
    };
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = squares[i] > squares[largest] ? i : largest;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = largest == 3   ? columns[j][k] - columns[k][j]
                 : largest == i ? squares[i]
                                : columns[i][largest] + columns[largest][i];
        if (largest == i)
            out[3] = columns[j][k] - columns[k][j];
    }
    if (largest == 3)
        out[3] = squares[3];
    quaternion_normalise(out);
}

void transform_columns(const struct transform *transform, double columns[3][3])
{
    const double *q = transform->rotation;
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
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 3; i++)
            columns[axis][i] *= transform->scale[axis];
}

void quaternion_normalise(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-30 && length < 1e30)) {
        memcpy(q, (double[4]){0, 0, 0, 1}, sizeof(double[4]));
        return;
    }
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

void quaternion_turn_by(double turn[4], const double degrees[3], uint32_t order)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 2, 0}, {1, 0, 2}, {2, 0, 1}, {2, 1, 0}};
    for (int n = 2; n >= 0; n--) {
        const int i = orders[order][n], j = (i + 1) % 3, k = (i + 2) % 3;
        const double half = degrees[i] * M_PI / 360, c = cos(half), s = sin(half);
        const double a = turn[i], b = turn[j], d = turn[k], w = turn[3];
        turn[i] = a * c + w * s;
        turn[j] = b * c + d * s;
        turn[k] = d * c - b * s;
        turn[3] = w * c - a * s;
    }
}

/* A quaternion and its negative are the same turn, so of the two ways from `a` to `b` the shorter one is taken:
 * MD5 files give every w the same sign, which makes the longer way common. */
void quaternion_blend(double a[4], const double b[4], double blend)
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
        a[i] = weight_a * a[i] + weight_b * sign * b[i];
        length_squared += a[i] * a[i];
    }
    double length = sqrt(length_squared);
    for (int i = 0; i < 4; i++)
        a[i] /= length;
}

void transform_blend(struct transform *a, const struct transform *b, double blend)
{
    for (int i = 0; i < 3; i++) {
        a->translation[i] += (b->translation[i] - a->translation[i]) * blend;
        a->scale[i] += (b->scale[i] - a->scale[i]) * blend;
    }
    quaternion_blend(a->rotation, b->rotation, blend);
}

struct transform transform_multiply(const struct transform *carrier, const struct transform *own)
{
    struct transform out;
    double columns[3][3];
    transform_columns(carrier, columns);
    for (int i = 0; i < 3; i++) {
        out.translation[i] = carrier->translation[i] + columns[0][i] * own->translation[0] +
                             columns[1][i] * own->translation[1] + columns[2][i] * own->translation[2];
        out.scale[i] = own->scale[i] * carrier->scale[i];
    }
    quaternion_multiply(carrier->rotation, own->rotation, out.rotation);
    return out;
}

void quaternion_turn(const double turn[4], const double v[3], double out[3])
{
    struct transform by = {.scale = {1, 1, 1}}, of = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    memcpy(by.rotation, turn, sizeof by.rotation);
    memcpy(of.translation, v, sizeof of.translation);
    const struct transform turned = transform_multiply(&by, &of);
    memcpy(out, turned.translation, sizeof turned.translation);
}

struct transform transform_relative(const struct transform *carrier, const struct transform *carried)
{
    struct transform back = {.scale = {1, 1, 1}}, way = *carried;
    quaternion_invert(carrier->rotation, back.rotation);
    for (int i = 0; i < 3; i++)
        way.translation[i] -= carrier->translation[i];
    struct transform out = transform_multiply(&back, &way);
    for (int i = 0; i < 3; i++) {
        double scale = carrier->scale[i] != 0 ? carrier->scale[i] : 1;
        out.translation[i] /= scale;
        out.scale[i] /= scale;
    }
    return out;
}

/* -- Tags -------------------------------------------------------------------------------------------------- */

/* An axis shorter than this has no direction. */
#define SHORTEST_AXIS 1e-6f

bool tag_frame_turn(const float axes[9], versor orientation)
{
    mat3 turn;
    memcpy(turn, axes, sizeof turn);
    glm_vec3_muladds(turn[0], -glm_vec3_dot(turn[0], turn[1]) / glm_vec3_norm2(turn[0]), turn[1]);
    if (!(glm_vec3_norm(turn[0]) > SHORTEST_AXIS && glm_vec3_norm(turn[1]) > SHORTEST_AXIS))
        return false;
    glm_vec3_normalize(turn[0]);
    glm_vec3_normalize(turn[1]);
    glm_vec3_cross(turn[0], turn[1], turn[2]);
    glm_mat3_quat(turn, orientation);
    return true;
}

void tag_place(const struct tag *tag, const struct moment *moment, mat4 tag_to_model)
{
    const struct tag_frame *a = &tag->frames[moment->frame_a], *b = &tag->frames[moment->frame_b];
    struct tag_frame at = *a;
    if (moment->blend > 0) { /* at a keyframe exactly what the file says */
        const float blend = (float)moment->blend;
        glm_vec3_lerp((float *)a->position, (float *)b->position, blend, at.position);
        /* Along the straight line between the quaternions, as the game does: keyframes are too near to each other for
         * the difference to an arc to be seen. */
        float toward = glm_quat_dot((float *)a->orientation, (float *)b->orientation) < 0 ? -blend : blend;
        for (int i = 0; i < 4; i++)
            at.orientation[i] = (1 - blend) * a->orientation[i] + toward * b->orientation[i];
        glm_quat_normalize(at.orientation);
    }
    glm_quat_mat4(at.orientation, tag_to_model);
    glm_vec3_copy(at.position, tag_to_model[3]);
}
