/* Rigs in the words of model/rig.h, point by point; see plain.h. Of src/ it uses the description alone. */
#ifndef UNIT_PLAIN_RIG_H
#define UNIT_PLAIN_RIG_H

#include <string.h>

#include "model/rig.h"
#include "plain.h"

/* Rows and columns, as on paper. */
struct plain_matrix {
    double m[4][4];
};

static inline struct plain_matrix plain_product(struct plain_matrix a, struct plain_matrix b)
{
    struct plain_matrix out = {0};
    for (int row = 0; row < 4; row++)
        for (int column = 0; column < 4; column++)
            for (int k = 0; k < 4; k++)
                out.m[row][column] += a.m[row][k] * b.m[k][column];
    return out;
}

static inline struct plain_matrix plain_by_column(const double *numbers)
{
    struct plain_matrix out;
    for (int i = 0; i < 16; i++)
        out.m[i % 4][i / 4] = numbers[i];
    return out;
}

static inline double plain_determinant(const struct plain_matrix *a)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += a->m[0][i] *
               (a->m[1][(i + 1) % 3] * a->m[2][(i + 2) % 3] - a->m[1][(i + 2) % 3] * a->m[2][(i + 1) % 3]);
    return sum;
}

/* The inverse transpose of the upper left 3 x 3, divided by the root of the sum of its squares. */
static inline struct plain_matrix plain_of_normals(struct plain_matrix a)
{
    struct plain_matrix out = {0};
    double squares = 0, determinant = plain_determinant(&a);
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 3; column++) {
            int r1 = (row + 1) % 3, r2 = (row + 2) % 3, c1 = (column + 1) % 3, c2 = (column + 2) % 3;
            double minor = a.m[r1][c1] * a.m[r2][c2] - a.m[r1][c2] * a.m[r2][c1];
            out.m[row][column] = minor / determinant;
            squares += out.m[row][column] * out.m[row][column];
        }
    for (int i = 0; i < 9; i++)
        out.m[i / 3][i % 3] /= sqrt(squares);
    return out;
}

/* -- Tracks ------------------------------------------------------------------------------------------------- */

static inline void plain_unit4(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

/* Turns `a` towards `b` by turning it by a part of the turn between them. */
static inline void plain_turn_towards(double a[4], const double b[4], double t)
{
    double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = dot < 0 ? -1 : 1;
    double across[4], length = 0;
    for (int i = 0; i < 4; i++) {
        across[i] = sign * b[i] - fabs(dot) * a[i];
        length += across[i] * across[i];
    }
    length = sqrt(length);
    double angle = atan2(length, fabs(dot)) * t;
    for (int i = 0; i < 4 && length > 0; i++)
        a[i] = cos(angle) * a[i] + sin(angle) * across[i] / length;
}

/* The formulas of glTF's appendix C. */
static inline void plain_sample(const struct rig_track *track, double time_s, double *out)
{
    uint32_t width = track->width, stride = track->interpolation == RIG_CUBIC ? 3 * width : width, next = 0;
    const float *values = track->interpolation == RIG_CUBIC ? track->values + width : track->values;
    while (next < track->key_count && (double)track->times_s[next] <= time_s)
        next++;
    uint32_t key = next == 0 ? 0 : next - 1;
    bool holds = next == 0 || next == track->key_count || track->interpolation == RIG_STEP;
    double to[16] = {0};
    for (uint32_t i = 0; i < width; i++) {
        out[i] = (double)values[key * stride + i];
        to[i] = (double)values[(holds ? key : next) * stride + i];
    }
    if (!holds) {
        double td = (double)track->times_s[next] - (double)track->times_s[key];
        double t = (time_s - (double)track->times_s[key]) / td;
        if (track->interpolation == RIG_LINEAR && track->target == RIG_ROTATION) {
            plain_unit4(out);
            plain_unit4(to);
            plain_turn_towards(out, to, t);
        } else if (track->interpolation == RIG_LINEAR) {
            for (uint32_t i = 0; i < width; i++)
                out[i] = (1 - t) * out[i] + t * to[i];
        } else {
            for (uint32_t i = 0; i < width; i++) {
                double b = (double)values[key * stride + width + i], a = (double)values[next * stride - width + i];
                out[i] = (2 * t * t * t - 3 * t * t + 1) * out[i] + td * (t * t * t - 2 * t * t + t) * b +
                         (-2 * t * t * t + 3 * t * t) * to[i] + td * (t * t * t - t * t) * a;
            }
        }
    }
    if (track->target == RIG_ROTATION)
        plain_unit4(out);
}

/* -- Nodes -------------------------------------------------------------------------------------------------- */

static inline const struct rig_track *plain_track(const struct rig_animation *animation, uint32_t node,
                                                  enum rig_target target)
{
    for (uint32_t i = 0; animation && i < animation->track_count; i++)
        if (animation->tracks[i].node == node && animation->tracks[i].target == target)
            return &animation->tracks[i];
    return NULL;
}

static inline struct plain_matrix plain_local(const struct rig *rig, const struct rig_animation *animation,
                                              double time_s, uint32_t n)
{
    const struct rig_node *node = &rig->nodes[n];
    double values[3][4] = {{0}};
    bool moves = false;
    memcpy(values[0], node->local.translation, sizeof node->local.translation);
    memcpy(values[1], node->local.rotation, sizeof node->local.rotation);
    memcpy(values[2], node->local.scale, sizeof node->local.scale);
    for (enum rig_target target = RIG_TRANSLATION; target <= RIG_SCALE; target++) {
        const struct rig_track *track = plain_track(animation, n, target);
        if (track)
            plain_sample(track, time_s, values[target]);
        moves |= track != NULL;
    }
    if (node->matrix && !moves)
        return plain_by_column(node->matrix);
    struct plain_matrix out = {.m[3][3] = 1};
    plain_unit4(values[1]);
    for (int axis = 0; axis < 3; axis++) { /* v + 2 w (u x v) + 2 u x (u x v), where u is the vector in q */
        const double *q = values[1];
        double v[3] = {axis == 0, axis == 1, axis == 2}, uv[3], uuv[3];
        plain_cross(q, v, uv);
        plain_cross(q, uv, uuv);
        for (int i = 0; i < 3; i++)
            out.m[i][axis] = (v[i] + 2 * q[3] * uv[i] + 2 * uuv[i]) * values[2][axis];
    }
    for (int i = 0; i < 3; i++)
        out.m[i][3] = values[0][i];
    return out;
}

/* In the model's space. `animation` may be NULL. */
static inline struct plain_matrix plain_world(const struct rig *rig, const struct rig_animation *animation,
                                              double time_s, uint32_t n)
{
    struct plain_matrix own = plain_local(rig, animation, time_s, n);
    if (rig->nodes[n].parent < 0)
        return plain_product(plain_by_column(rig->to_model), own);
    return plain_product(plain_world(rig, animation, time_s, (uint32_t)rig->nodes[n].parent), own);
}

/* -- Points ------------------------------------------------------------------------------------------------- */

static inline struct plain_matrix plain_on_joint(const struct rig *rig, const struct rig_animation *animation,
                                                 double time_s, int32_t skin, uint32_t joint)
{
    const struct rig_skin *s = &rig->skins[skin];
    struct plain_matrix world = plain_world(rig, animation, time_s, s->joints[joint]);
    return s->inverse_binds ? plain_product(world, plain_by_column(&s->inverse_binds[16 * joint])) : world;
}

/* A point of a surface; with w = 0 its normal, not yet of unit length. */
static inline void plain_point(const struct rig *rig, const struct rig_animation *animation, double time_s,
                               const struct rig_surface *surface, uint32_t i, double w, double out[3])
{
    double weights[16] = {0}, at[4] = {0, 0, 0, w};
    const struct rig_node *node = &rig->nodes[surface->node];
    const struct rig_track *track = plain_track(animation, surface->node, RIG_WEIGHTS);
    for (uint32_t m = 0; m < node->weight_count && node->weights; m++)
        weights[m] = (double)node->weights[m];
    if (track)
        plain_sample(track, time_s, weights);
    for (int k = 0; k < 3; k++) {
        at[k] = w == 0 ? (double)surface->normals[i][k] : (double)surface->positions[i][k];
        for (uint32_t m = 0; m < surface->morph_count; m++) {
            const vec3 *added = w == 0 ? surface->morphs[m].normals : surface->morphs[m].positions;
            at[k] += added ? weights[m] * (double)added[i][k] : 0;
        }
        out[k] = 0;
    }
    uint32_t influences = surface->skin < 0 ? 1 : surface->influence_count;
    for (uint32_t k = 0; k < influences; k++) {
        size_t number = i * (size_t)influences + k;
        double weight = surface->skin < 0 ? 1 : (double)surface->weights[number];
        struct plain_matrix m =
            surface->skin < 0 ? plain_world(rig, animation, time_s, surface->node)
                              : plain_on_joint(rig, animation, time_s, surface->skin, surface->joints[number]);
        m = w == 0 ? plain_of_normals(m) : m;
        for (int row = 0; row < 3; row++)
            for (int column = 0; column < 4; column++)
                out[row] += weight * m.m[row][column] * at[column];
    }
}

#endif
