#include "model/rig.h"

#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <cglm/vec4.h>
#include <math.h>
#include <string.h>

#include "base/dvec.h"
#include "model/tangents.h"

/* Positions further away than this are held there: chains of nodes may multiply their scales without end. */
#define LARGEST_POSITION 1e12f
#define LARGEST_SIZE 1e6

enum {
    TRIANGLE_BYTES = 80, /* what a triangle takes at least until it is drawn, and a point */
    POINT_BYTES = 140,
    MOST_DRAWN = 1 << 28,   /* triangles, and points: numbers of GL hold their corners */
    MOST_WEIGHTS = 1 << 20, /* of morph targets, at all nodes */
    MOST_MORPHED = 1 << 26, /* points of all morph targets: files can name the same list for many */
};

/* Four floats in a register; the fourth is not used. */
typedef float float4 __attribute__((vector_size(16)));

/* Columns; the last one is the translation. */
struct affine {
    double columns[4][3];
};

/* A node that points hang on, and the matrix that takes them into its space. */
struct rig_bind {
    uint32_t node;
    struct affine inverse;
    const struct rig_mover *mover; /* or NULL */
};

/* A node that all points of a skin go with, too, and the matrix that takes these from where it stood into its space. */
struct rig_mover {
    uint32_t node;
    struct affine inverse;
};

/* A bind at a moment. Normals go by the inverse transpose, whose size does not matter: it is made 1. */
struct bind_matrix {
    float4 columns[4], normal_columns[3];
};

struct rig_influence {
    uint32_t bind;
    float weight;
};

/* A node at a moment. */
struct placed_node {
    struct transform local;
    bool is_moved;       /* by a track: then its matrix does not count */
    double *weights;     /* of its morph targets */
    double visibility;   /* its own: below 0.5 it is hidden */
    bool is_hidden;      /* also by what it hangs on */
    struct affine world; /* its space to the model's */
    double size;         /* and of what hangs on it, but for other nodes */
};

static const struct affine identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};

const uint32_t rig_widths[] = {3, 4, 3, 0, 1};
const double rig_y_up_z_forward[16] = {0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1};

/* -- Matrices ---------------------------------------------------------------------------------------------- */

static struct affine affine_of(const double matrix[16])
{
    struct affine affine;
    for (int column = 0; column < 4; column++)
        memcpy(affine.columns[column], &matrix[4 * column], sizeof affine.columns[column]);
    return affine;
}

static struct affine affine_of_transform(const struct transform *transform)
{
    struct affine affine;
    transform_columns(transform, affine.columns);
    memcpy(affine.columns[3], transform->translation, sizeof affine.columns[3]);
    return affine;
}

static struct affine multiply(const struct affine *a, const struct affine *b)
{
    struct affine out;
    for (int column = 0; column < 4; column++)
        for (int i = 0; i < 3; i++)
            out.columns[column][i] =
                a->columns[0][i] * b->columns[column][0] + a->columns[1][i] * b->columns[column][1] +
                a->columns[2][i] * b->columns[column][2] + (column == 3 ? a->columns[3][i] : 0);
    return out;
}

/* The columns of the matrix of cofactors: the inverse transpose times the determinant, which is returned. */
static double find_cofactors(const struct affine *affine, double cofactors[3][3])
{
    const double(*columns)[3] = affine->columns;
    for (int i = 0; i < 3; i++)
        dvec_cross(columns[(i + 1) % 3], columns[(i + 2) % 3], cofactors[i]);
    return dvec_dot(columns[0], cofactors[0]);
}

static float4 float4_of(const double v[3])
{
    return (float4){(float)v[0], (float)v[1], (float)v[2], 0};
}

static struct bind_matrix find_bind_matrix(const struct affine *affine)
{
    struct bind_matrix matrix;
    double cofactors[3][3], squared = 0;
    double sign = find_cofactors(affine, cofactors) < 0 ? -1 : 1;
    for (int column = 0; column < 3; column++)
        squared += dvec_dot(cofactors[column], cofactors[column]);
    double size = squared > 0 ? sign / sqrt(squared) : 0;
    for (int column = 0; column < 4; column++)
        matrix.columns[column] = float4_of(affine->columns[column]);
    for (int column = 0; column < 3; column++) {
        for (int i = 0; i < 3; i++)
            cofactors[column][i] *= size;
        matrix.normal_columns[column] = float4_of(cofactors[column]);
    }
    return matrix;
}

/* Returns the inverse; of a flat matrix, which has none, zeros. */
static struct affine inverse_of(const struct affine *affine)
{
    double cofactors[3][3];
    double determinant = find_cofactors(affine, cofactors), scale = determinant != 0 ? 1 / determinant : 0;
    struct affine out = {0};
    for (int column = 0; column < 3; column++)
        for (int i = 0; i < 3; i++)
            out.columns[column][i] = cofactors[i][column] * scale;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            out.columns[3][i] -= out.columns[k][i] * affine->columns[3][k];
    return out;
}

/* Returns the transform without its slant. */
static struct transform transform_of(const struct affine *affine)
{
    struct transform transform;
    double columns[3][3], cofactors[3][3];
    memcpy(columns, affine->columns, sizeof columns);
    bool is_mirrored = find_cofactors(affine, cofactors) < 0;
    for (int axis = 0; axis < 3; axis++) {
        double size = dvec_length(columns[axis]) * (is_mirrored && axis == 0 ? -1 : 1);
        transform.scale[axis] = size;
        for (int i = 0; i < 3; i++)
            columns[axis][i] /= size != 0 ? size : 1;
    }
    quaternion_of_columns(columns, transform.rotation);
    memcpy(transform.translation, affine->columns[3], sizeof transform.translation);
    return transform;
}

/* -- Tracks ------------------------------------------------------------------------------------------------ */

/* Makes a unit quaternion of the numbers of a rotation. */
static void complete_turn(const struct rig_track *track, double numbers[4])
{
    if (track->angles) {
        const double degrees[] = {numbers[0], numbers[1], numbers[2]};
        memcpy(numbers, track->angles->before, 4 * sizeof *numbers);
        quaternion_turn_by(numbers, degrees, track->angles->order);
        quaternion_multiply(numbers, track->angles->after, numbers);
    }
    quaternion_normalise(numbers);
}

void rig_turn_at(const struct rig_track *track, uint32_t key, double out[4])
{
    const float *from =
        track->values + (size_t)track->width * (track->interpolation == RIG_CUBIC ? 3 * key + 1 : key);
    for (uint32_t i = 0; i < track->width; i++)
        out[i] = from[i];
    complete_turn(track, out);
}

/* Fills in the value of a track at a time; rotations are unit. */
static void sample_track(const struct rig_track *track, double time_s, double *out)
{
    const bool is_cubic = track->interpolation == RIG_CUBIC, turns = track->target == RIG_ROTATION;
    const bool is_blended = turns && !track->angles && !is_cubic;
    const uint32_t width = track->width, stride = is_cubic ? 3 * width : width;
    uint32_t key = 0, past = track->key_count; /* the last key that is not after the time, or the first */
    while (past - key > 1) {
        uint32_t middle = key + (past - key) / 2;
        *(track->times_s[middle] <= time_s ? &key : &past) = middle;
    }
    const float *from = track->values + (size_t)key * stride, *to = from + stride;
    double begin_s = track->times_s[key], span_s = past < track->key_count ? track->times_s[past] - begin_s : 0;
    bool holds = track->interpolation == RIG_STEP || span_s <= 0 || time_s <= begin_s;
    double t = holds ? 0 : (time_s - begin_s) / span_s;

    for (uint32_t i = 0; i < width; i++)
        out[i] = is_cubic ? from[width + i] : from[i];
    if (is_cubic && t > 0) {
        double along = t * t * (3 - 2 * t);
        double leaving_s = span_s * t * (1 - t) * (1 - t), arriving_s = span_s * t * t * (t - 1);
        for (uint32_t i = 0; i < width; i++) /* a key is: tangent in, value, tangent out */
            out[i] = (1 - along) * from[width + i] + leaving_s * from[2 * width + i] + arriving_s * to[i] +
                     along * to[width + i];
    }
    for (uint32_t i = 0; i < width && !is_cubic && !is_blended && t > 0; i++)
        out[i] += (to[i] - out[i]) * t;
    if (turns)
        complete_turn(track, out);
    if (is_blended && t > 0) {
        double next[4] = {to[0], to[1], to[2], to[3]};
        quaternion_normalise(next);
        quaternion_blend(out, next, t);
    }
}

/* -- Rows --------------------------------------------------------------------------------------------------- */

void rig_complete_rotation(double rotation[4])
{
    double length_squared = dvec_dot(rotation, rotation);
    if (length_squared < 1) {
        rotation[3] = -sqrt(1 - length_squared);
        return;
    }
    double length = sqrt(length_squared);
    for (int i = 0; i < 3; i++)
        rotation[i] /= length;
    rotation[3] = 0;
}

struct transform rig_read_row(const struct rig_rows *rows, uint32_t frame, uint32_t node)
{
    const struct rig_row_node *from = &rows->nodes[node];
    const double *next = rows->numbers + (size_t)frame * rows->width + from->start;
    struct transform out = rows->base[node];
    for (int i = 0; i < 3; i++)
        if (from->flags & (1u << i))
            out.translation[i] = *next++;
    for (int i = 0; i < 3; i++)
        if (from->flags & (8u << i))
            out.rotation[i] = *next++;
    if (from->flags & (8 | 16 | 32))
        rig_complete_rotation(out.rotation);
    return out;
}

/* -- Poses of nodes ---------------------------------------------------------------------------------------- */

static void find_worlds(const struct rig *rig, struct placed_node *nodes)
{
    const struct affine to_model = affine_of(rig->to_model);
    for (uint32_t n = 0; n < rig->node_count; n++) {
        const struct rig_node *node = &rig->nodes[n];
        const struct affine local =
            node->matrix && !nodes[n].is_moved ? affine_of(node->matrix) : affine_of_transform(&nodes[n].local);
        nodes[n].world = multiply(node->parent < 0 ? &to_model : &nodes[node->parent].world, &local);
        nodes[n].is_hidden = nodes[n].visibility < 0.5 || (node->parent >= 0 && nodes[node->parent].is_hidden);
    }
}

static void read_tracks(const struct motion *motion, double time_s, struct placed_node *nodes)
{
    for (uint32_t i = 0; i < motion->track_count; i++) {
        const struct rig_track *track = &motion->tracks[i];
        struct placed_node *node = &nodes[track->node];
        double *const targets[] = {node->local.translation, node->local.rotation, node->local.scale, node->weights,
                                   &node->visibility};
        sample_track(track, time_s, targets[track->target]);
        node->is_moved |= track->target < RIG_WEIGHTS;
    }
}

static void read_rows(const struct rig *rig, const struct rig_rows *rows, uint32_t frame,
                      struct placed_node *nodes)
{
    for (uint32_t n = 0; n < rig->node_count; n++) {
        nodes[n].local = rig_read_row(rows, frame, n);
        nodes[n].is_moved = true;
    }
    for (size_t i = 0; i < rows->size_count; i++) {
        const struct rig_size *size = &rows->sizes[i];
        if (size->frame != frame)
            continue;
        nodes[size->node].size = size->size;
        for (int axis = 0; rows->sizes_places[size->node] && axis < 3; axis++)
            nodes[size->node].local.translation[axis] *= size->size;
    }
}

/* Places all nodes at a time of the tracks, or at a keyframe in rows; `motion` is NULL at rest. In the arena. */
static struct placed_node *place_nodes(struct arena *arena, const struct rig *rig, const struct motion *motion,
                                       double time_s, uint32_t frame)
{
    struct placed_node *nodes = arena_must_alloc(arena, rig->node_count, sizeof *nodes);
    for (uint32_t n = 0; n < rig->node_count; n++) {
        const struct rig_node *from = &rig->nodes[n];
        struct placed_node *node = &nodes[n];
        node->local = from->local;
        node->visibility = !from->is_hidden;
        node->size = 1;
        quaternion_normalise(node->local.rotation);
        node->weights = arena_must_alloc(arena, from->weight_count, sizeof *node->weights);
        if (from->weights)
            for (uint32_t i = 0; i < from->weight_count; i++)
                node->weights[i] = from->weights[i];
    }
    if (motion && motion->rows)
        read_rows(rig, motion->rows, frame, nodes);
    else if (motion)
        read_tracks(motion, time_s, nodes);
    find_worlds(rig, nodes);
    return nodes;
}

static void blend_numbers(double *a, const double *b, size_t count, double blend)
{
    for (size_t i = 0; i < count; i++)
        a[i] += (b[i] - a[i]) * blend;
}

static void blend_worlds(const struct rig *rig, struct affine *a, const struct affine *b, double blend)
{
    if (!rig->blends_turns) {
        blend_numbers(a->columns[0], b->columns[0], 12, blend);
        return;
    }
    struct transform from = transform_of(a), to = transform_of(b);
    transform_blend(&from, &to, blend);
    *a = affine_of_transform(&from);
}

/* The time of a moment lies between those of its keyframes; but where a loop is open, the last keyframe blends into the
 * first. With INTERPOLATION_OBJECT the nodes blend as they stand in the model. */
static struct placed_node *nodes_at(struct arena *arena, const struct model *model, const struct pose *pose)
{
    const struct rig *rig = model->rig;
    const struct moment *moment = &pose->moment;
    if (pose->animation < 0)
        return place_nodes(arena, rig, NULL, 0, 0);
    const struct motion *motion = model->animations[pose->animation].motion;
    const bool in_object = pose->interpolation == INTERPOLATION_OBJECT;
    const double a_s = motion->rows ? 0 : motion->times_s[moment->frame_a],
                 b_s = motion->rows ? 0 : motion->times_s[moment->frame_b];
    if (!in_object && !motion->rows && b_s >= a_s)
        return place_nodes(arena, rig, motion, a_s + (b_s - a_s) * moment->blend, 0);
    struct placed_node *nodes = place_nodes(arena, rig, motion, a_s, moment->frame_a);
    if (moment->blend == 0) /* a keyframe: blending would only add rounding */
        return nodes;
    struct placed_node *after = place_nodes(arena, rig, motion, b_s, moment->frame_b);
    for (uint32_t n = 0; n < rig->node_count; n++) {
        struct placed_node *a = &nodes[n], *b = &after[n];
        blend_numbers(a->weights, b->weights, rig->nodes[n].weight_count, moment->blend);
        blend_numbers(&a->size, &b->size, 1, moment->blend);
        if (in_object)
            blend_worlds(rig, &a->world, &b->world, moment->blend);
        else if (a->is_moved)
            transform_blend(&a->local, &b->local, moment->blend);
    }
    if (!in_object)
        find_worlds(rig, nodes);
    return nodes;
}

/* Returns the way to the model's space from that of things on a node, which have its size. */
static struct affine held_world(const struct placed_node *node)
{
    struct affine world = node->world;
    for (int i = 0; i < 9; i++)
        world.columns[i / 3][i % 3] *= node->size;
    return world;
}

/* -- Points ------------------------------------------------------------------------------------------------ */

/* Holds a position within LARGEST_POSITION, also one that is not a number. */
static float4 clamp_position(float4 v)
{
    for (int i = 0; i < 3; i++)
        v[i] = !(v[i] > -LARGEST_POSITION) ? -LARGEST_POSITION : v[i] < LARGEST_POSITION ? v[i] : LARGEST_POSITION;
    return v;
}

static float4 unit(float4 v)
{
    float squared = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    return squared > 1e-30f && squared < INFINITY ? v / ((float4){0} + sqrtf(squared)) : (float4){0, 0, 1, 0};
}

/* Returns `base`, or where morph targets add to it, the sum in `out`. */
static const vec3 *morph(const struct rig_part *part, const double *weights, const vec3 *base, bool is_normal,
                         vec3 *out)
{
    const vec3 *sum = base;
    for (uint32_t m = 0; m < part->morph_count; m++) {
        const vec3 *added = is_normal ? part->morphs[m].normals : part->morphs[m].positions;
        const float weight = (float)weights[m];
        if (weight == 0 || !added)
            continue;
        if (sum == base)
            memcpy(out, base, part->point_count * sizeof *out);
        sum = (const vec3 *)out;
        for (uint32_t i = 0; i < part->point_count; i++)
            for (int k = 0; k < 3; k++)
                out[i][k] += added[i][k] * weight;
    }
    return sum;
}

/* Moves a point, or its normal, by the sum of the dual quaternions of all that it hangs on. Of the two signs of each, the one
 * nearer to the first counts. */
static float4 turn_vector(const struct transform *binds, const struct rig_influence *influences, uint32_t count,
                          const float *from, bool is_normal)
{
    const double *first = binds[influences->bind].rotation;
    double turn[4] = {0}, place[4] = {0}, size[3] = {0}, squared = 0, out[3];
    for (uint32_t n = 0; n < count; n++) {
        const struct transform *bind = &binds[influences[n].bind];
        const double *q = bind->rotation, *t = bind->translation, weight = (double)influences[n].weight;
        const double sign = dvec_dot(q, first) + q[3] * first[3] < 0 ? -weight : weight;
        double twice_dual[4] = {t[0], t[1], t[2], 0};
        quaternion_multiply(twice_dual, q, twice_dual);
        for (int i = 0; i < 4; i++) {
            turn[i] += sign * q[i];
            place[i] += sign * twice_dual[i];
            size[i % 3] += i < 3 ? weight * bind->scale[i] : 0;
        }
    }
    for (int i = 0; i < 4; i++)
        squared += turn[i] * turn[i];
    const double flip = is_normal && size[0] * size[1] * size[2] < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++)
        out[i] = (double)from[i] * (is_normal ? flip * size[(i + 1) % 3] * size[(i + 2) % 3] : size[i]);
    quaternion_normalise(turn);
    quaternion_turn(turn, out, out);
    if (is_normal)
        return unit(float4_of(out));
    quaternion_invert(turn, turn);
    quaternion_multiply(place, turn, place);
    for (int i = 0; i < 3; i++)
        out[i] += place[i] / fmax(sqrt(squared), 1e-30);
    return float4_of(out);
}

/* Points, or their normals, by all that they hang on. `turns` has the matrices as transforms, where points go by dual
 * quaternions; or NULL. */
static inline void pose_vectors(const struct rig_part *part, const struct bind_matrix *matrices,
                                const struct transform *turns, const vec3 *from, vec3 *to, bool are_normals)
{
    struct rig_influence whole = {part->bind, 1};
    uint32_t next = 0;
    for (uint32_t i = 0; i < part->point_count; i++) {
        const struct rig_influence *influence = part->influences ? &part->influences[next] : &whole;
        const uint32_t count = part->influences ? part->ends[i] - next : 1;
        float4 sum = {0};
        for (uint32_t n = 0; n < count; n++) {
            const struct bind_matrix *matrix = &matrices[influence[n].bind];
            const float4 *columns = are_normals ? matrix->normal_columns : matrix->columns;
            float4 image = columns[0] * from[i][0] + columns[1] * from[i][1] + columns[2] * from[i][2];
            sum += (are_normals ? image : image + columns[3]) * influence[n].weight;
        }
        sum = are_normals ? unit(sum) : clamp_position(sum);
        if (part->turn_weights && part->turn_weights[i] > 0 && count > 0) {
            sum += (turn_vector(turns, influence, count, from[i], are_normals) - sum) * part->turn_weights[i];
            sum = are_normals ? unit(sum) : clamp_position(sum);
        }
        next += count;
        memcpy(to[i], &sum, sizeof to[i]);
    }
}

/* Points that each joint holds at a place of its own. */
static void pose_weighted(const struct rig_part *part, const struct bind_matrix *matrices, vec3 *to)
{
    for (uint32_t i = 0; i < part->point_count; i++) {
        const struct skin_weight *weight = part->weights + part->spans[i].first;
        float4 sum = {0};
        for (uint32_t left = part->spans[i].count; left > 0; left--, weight++) {
            const float4 *columns = matrices[weight->joint].columns;
            const float *p = weight->biased_position;
            sum += columns[0] * p[0] + columns[1] * p[1] + columns[2] * p[2] + columns[3] * weight->bias;
        }
        sum = clamp_position(sum);
        memcpy(to[i], &sum, sizeof to[i]);
    }
}

/* Where nodes in their pose put the points of a bind. */
static struct affine place_bind(const struct placed_node *nodes, const struct rig_bind *bind)
{
    const struct affine world = held_world(&nodes[bind->node]), held = multiply(&world, &bind->inverse);
    if (!bind->mover)
        return held;
    const struct affine mover = held_world(&nodes[bind->mover->node]),
                        way = multiply(&mover, &bind->mover->inverse);
    return multiply(&way, &held);
}

/* Whether nodes in their pose mirror the points of a bind. */
static bool is_mirrored(const struct placed_node *nodes, const struct rig_bind *bind)
{
    double cofactors[3][3];
    const struct affine affine = place_bind(nodes, bind);
    return find_cofactors(&affine, cofactors) < 0;
}

/* The normal of a triangle of a surface in its pose. False, with *out undefined, where it has no area. */
static bool find_normal(const struct mesh *mesh, uint32_t s, const uint32_t corners[3], vec3 out)
{
    if (!triangle_normal(corners, (const vec3 *)mesh->positions, out))
        return false;
    if (mesh->is_turned && mesh->is_turned[s])
        glm_vec3_negate(out);
    return true;
}

/* Fills in the normals of a surface each of whose triangles has points of its own. */
static void find_flat_normals(const struct model *model, uint32_t s, struct mesh *mesh)
{
    const struct surface *surface = &model->surfaces[s];
    const uint32_t *indices = &model->indices[surface->first_index];
    for (uint32_t i = 0; i < surface->index_count; i += 3) {
        vec3 normal;
        if (!find_normal(mesh, s, &indices[i], normal))
            memcpy(normal, (vec3){0, 0, 1}, sizeof normal);
        for (uint32_t corner = 0; corner < 3; corner++)
            memcpy(mesh->normals[indices[i + corner]], normal, sizeof normal);
    }
}

/* False where unit normals cancel each other out, as those of the two sides of a sheet do. */
static bool normalise_sum(const vec3 sum, vec3 out)
{
    const float least = 1e-3f;
    float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (!(length > least))
        return false;
    for (int i = 0; i < 3; i++)
        out[i] = sum[i] / length;
    return true;
}

/* Derives normals as Doom 3 does in each pose: it adds the unit normals of the triangles at a point and at its twins,
 * whatever the size of the triangles. Sums are gathered at the first of the twins, which has the lowest number: going down,
 * it is finished last. */
static void derive_normals(const struct model *model, uint32_t s, const struct rig_part *part, struct mesh *mesh)
{
    const struct surface *surface = &model->surfaces[s];
    const uint32_t *indices = &model->indices[surface->first_index], *twins = part->twins - part->first_point;
    const uint32_t first = part->first_point, end = first + part->point_count;
    vec3 *own = mesh->scratch, *normals = mesh->normals;
    memset(own + first, 0, part->point_count * sizeof *own);
    for (uint32_t i = 0; i < surface->index_count; i += 3) {
        vec3 normal;
        if (!find_normal(mesh, s, &indices[i], normal))
            continue;
        for (int corner = 0; corner < 3; corner++)
            for (int k = 0; k < 3; k++)
                own[indices[i + corner]][k] += normal[k];
    }
    memcpy(normals + first, own + first, part->point_count * sizeof *normals);
    for (uint32_t i = first; i < end; i++)
        for (int k = 0; k < 3 && twins[i] != i; k++)
            normals[twins[i]][k] += own[i][k];
    for (uint32_t i = end; i-- > first;)
        if (!normalise_sum(normals[twins[i]], normals[i]) && !normalise_sum(own[i], normals[i]))
            memcpy(normals[i], (vec3){0, 0, 1}, sizeof normals[i]);
}

/* Puts all points of hidden parts in the place of one that is seen: they take no room, and their triangles have no area. */
static void hide_parts(const struct rig *rig, const struct placed_node *nodes, struct mesh *mesh)
{
    const struct rig_part *const end = rig->parts + rig->part_count;
    vec3 place = {0, 0, 0};
    for (const struct rig_part *part = end; part-- > rig->parts;)
        if (!nodes[part->node].is_hidden && part->point_count)
            memcpy(place, mesh->positions[part->first_point], sizeof place);
    for (const struct rig_part *part = rig->parts; part < end; part++)
        for (uint32_t i = 0; nodes[part->node].is_hidden && i < part->point_count; i++)
            memcpy(mesh->positions[part->first_point + i], place, sizeof place);
}

static void pose_normals(const struct model *model, uint32_t p, const struct bind_matrix *matrices,
                         const struct transform *turns, const double *weights, struct mesh *mesh)
{
    const struct rig_part *part = &model->rig->parts[p];
    vec3 *normals = mesh->normals + part->first_point;
    if (part->normals)
        pose_vectors(part, matrices, turns, morph(part, weights, part->normals, true, normals), normals, true);
    else if (part->twins)
        derive_normals(model, p, part, mesh);
    else
        find_flat_normals(model, p, mesh);
}

/* The pose of parts that hang on nothing. */
static void stand_still(const struct rig *rig, struct mesh *mesh)
{
    for (const struct rig_part *part = rig->parts; part < rig->parts + rig->part_count; part++) {
        if (part->point_count == 0)
            continue;
        memcpy(mesh->positions + part->first_point, part->positions, part->point_count * sizeof(vec3));
        if (mesh->normals)
            memcpy(mesh->normals + part->first_point, part->normals, part->point_count * sizeof(vec3));
    }
}

void rig_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    const struct rig *rig = model->rig;
    if (rig->frames) {
        frames_pose(model, pose, mesh);
        return;
    }
    if (rig->bind_count == 0) {
        stand_still(rig, mesh);
        return;
    }
    SCOPED_BY(arena_release) struct arena arena = {0};
    struct placed_node *nodes = nodes_at(&arena, model, pose);
    struct bind_matrix *matrices = arena_must_alloc(&arena, rig->bind_count, sizeof *matrices);
    struct transform *turns = NULL;
    for (uint32_t p = 0; p < rig->part_count && !turns; p++)
        if (rig->parts[p].turn_weights)
            turns = arena_must_alloc(&arena, rig->bind_count, sizeof *turns);
    for (size_t b = 0; b < rig->bind_count; b++) {
        const struct affine affine = place_bind(nodes, &rig->binds[b]);
        matrices[b] = find_bind_matrix(&affine);
        if (turns)
            turns[b] = transform_of(&affine);
    }
    for (uint32_t p = 0; p < rig->part_count; p++) {
        const struct rig_part *part = &rig->parts[p];
        const double *weights = nodes[part->node].weights;
        vec3 *positions = mesh->positions + part->first_point;
        if (mesh->is_turned)
            mesh->is_turned[p] = is_mirrored(nodes, &rig->binds[part->bind]) != part->is_mirrored;
        if (part->weights)
            pose_weighted(part, matrices, positions);
        else
            pose_vectors(part, matrices, turns, morph(part, weights, part->positions, false, positions), positions,
                         false);
        if (mesh->normals)
            pose_normals(model, p, matrices, turns, weights, mesh);
    }
    hide_parts(rig, nodes, mesh);
}

/* The rotation nearest to the columns that keeps x; where they are flat `out` stays. */
static void find_rotation(const double columns[4][3], mat4 out)
{
    double axes[3][3];
    memcpy(axes, columns, sizeof axes);
    if (!dvec_normalise(axes[0]))
        return;
    const double along = dvec_dot(axes[0], axes[1]);
    for (int i = 0; i < 3; i++)
        axes[1][i] -= along * axes[0][i];
    if (!dvec_normalise(axes[1]))
        return;
    dvec_cross(axes[0], axes[1], axes[2]);
    for (int i = 0; i < 9; i++)
        out[i / 3][i % 3] = (float)axes[i / 3][i % 3];
}

/* The axes of a joint's space are turned back to ours, so that a thing on a node without a turn stands as the model does. */
static void pose_nodes(const struct model *model, const struct pose *pose, mat4 *joint_to_model)
{
    const struct rig *rig = model->rig;
    SCOPED_BY(arena_release) struct arena arena = {0};
    const struct placed_node *nodes = nodes_at(&arena, model, pose);
    struct affine from_model = {0}; /* but for its size the inverse of a turn: its transpose */
    for (int i = 0; i < 9; i++)
        from_model.columns[i / 3][i % 3] = rig->to_model[i % 3 * 4 + i / 3];
    for (uint32_t n = 0; n < rig->node_count; n++) {
        const struct affine *world = &nodes[n].world, turned = multiply(world, &from_model);
        float4 place = clamp_position(float4_of(world->columns[3]));
        glm_mat4_identity(joint_to_model[n]);
        find_rotation(turned.columns, joint_to_model[n]);
        for (int i = 0; i < 9; i++)
            joint_to_model[n][i / 3][i % 3] *= (float)nodes[n].size;
        memcpy(joint_to_model[n][3], &place, sizeof(vec3));
    }
}

void model_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    rig_pose(model, pose, mesh);
    for (uint32_t i = 0; model->is_transformed && i < mesh->point_count; i++) {
        glm_mat4_mulv3((vec4 *)model->transform, mesh->positions[i], 1, mesh->positions[i]);
        if (!mesh->normals)
            continue;
        glm_mat4_mulv3((vec4 *)model->transform, mesh->normals[i], 0, mesh->normals[i]);
        glm_vec3_normalize(mesh->normals[i]);
    }
}

void model_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model)
{
    (model->rig->frames ? frames_pose_joints : pose_nodes)(model, pose, joint_to_model);
    for (uint32_t i = 0; model->is_transformed && i < model->joint_count; i++)
        glm_mat4_mul((vec4 *)model->transform, joint_to_model[i], joint_to_model[i]);
}

bool model_has_nodes(const struct model *model)
{
    return !model->rig->frames;
}

/* -- The rig by itself --------------------------------------------------------------------------------------- */

struct rig_animation rig_animation_of(const struct model *model, const struct clip *clip)
{
    const struct motion *motion = model->animations[clip->animation].motion;
    return (struct rig_animation){.name = clip->name,
                                  .tracks = motion->tracks,
                                  .track_count = motion->track_count,
                                  .keyframes_s = motion->keyframes_s,
                                  .keyframe_count = motion->keyframe_count,
                                  .rate_hz = clip->times_s ? 0 : clip->rate_hz,
                                  .ending = clip->ending};
}

struct transform rig_to_model(const struct rig *rig)
{
    const struct affine to_model = affine_of(rig->to_model);
    return transform_of(&to_model);
}

void rig_place(const struct rig *rig, const struct rig_animation *animation, double time_s,
               struct transform *worlds)
{
    const struct motion motion = {.tracks = animation ? animation->tracks : NULL,
                                  .track_count = animation ? animation->track_count : 0};
    SCOPED_BY(arena_release) struct arena arena = {0};
    const struct placed_node *nodes = place_nodes(&arena, rig, &motion, time_s, 0);
    for (uint32_t n = 0; n < rig->node_count; n++) {
        worlds[n] = transform_of(&nodes[n].world);
        for (int i = 0; i < 3; i++) {
            worlds[n].translation[i] = fmax(-LARGEST_POSITION, fmin(worlds[n].translation[i], LARGEST_POSITION));
            worlds[n].scale[i] = fmax(-LARGEST_SIZE, fmin(worlds[n].scale[i], LARGEST_SIZE));
        }
    }
}

/* Where a skin binds a joint, seen from the joint of the same skin that carries it: bind matrices of one file have any
 * common factor, which goes here. */
static void bind_to_carriers(const struct rig *rig, const struct rig_skin *skin, int32_t *numbers,
                             int32_t *carriers, struct affine *locals)
{
    for (uint32_t n = 0; n < rig->node_count; n++)
        numbers[n] = -1;
    for (uint32_t i = 0; i < skin->joint_count; i++)
        numbers[skin->joints[i]] = (int32_t)i;
    for (uint32_t n = 0; n < rig->node_count; n++) { /* a node that is no joint has the number of its carrier */
        int32_t above = rig->nodes[n].parent < 0 ? -1 : numbers[rig->nodes[n].parent];
        int32_t own = numbers[n];
        if (own < 0) {
            numbers[n] = above;
        } else if (above >= 0 && carriers[n] < 0) {
            const struct affine up = affine_of(&skin->inverse_binds[16 * (size_t)above]);
            const struct affine down = affine_of(&skin->inverse_binds[16 * (size_t)own]),
                                bound = inverse_of(&down);
            carriers[n] = (int32_t)skin->joints[above];
            locals[n] = multiply(&up, &bound);
        }
    }
}

void rig_place_bind(const struct rig *rig, struct transform *worlds)
{
    SCOPED_BY(arena_release) struct arena arena = {0};
    const struct placed_node *rest = place_nodes(&arena, rig, NULL, 0, 0);
    int32_t *numbers = arena_must_alloc(&arena, rig->node_count, sizeof *numbers);
    int32_t *carriers = arena_must_alloc(&arena, rig->node_count, sizeof *carriers);
    struct affine *locals = arena_must_alloc(&arena, rig->node_count, sizeof *locals);
    struct affine *bound = arena_must_alloc(&arena, rig->node_count, sizeof *bound);
    for (uint32_t n = 0; n < rig->node_count; n++)
        carriers[n] = -1;
    for (uint32_t s = 0; s < rig->skin_count; s++)
        if (rig->skins[s].inverse_binds && !rig->skins[s].is_bound_at_rest)
            bind_to_carriers(rig, &rig->skins[s], numbers, carriers, locals);
    for (uint32_t n = 0; n < rig->node_count; n++) {
        int32_t parent = rig->nodes[n].parent;
        bound[n] = rest[n].world;
        if (carriers[n] >= 0) {
            bound[n] = multiply(&bound[carriers[n]], &locals[n]);
        } else if (parent >= 0) {
            const struct affine up = inverse_of(&rest[parent].world), local = multiply(&up, &bound[n]);
            bound[n] = multiply(&bound[parent], &local);
        }
        worlds[n] = transform_of(&bound[n]);
    }
}

/* -- Building: points --------------------------------------------------------------------------------------- */

int rig_check_name(const char *what, uint32_t number, const char *name, struct error *err)
{
    size_t length = strlen(name);
    return length > MODEL_LONGEST_NAME ? error_set(err, "the name of %s %u has %zu bytes, at most %d are allowed",
                                                   what, number, length, MODEL_LONGEST_NAME)
                                       : 0;
}

struct builder {
    struct model *model;
    const struct rig *rig;
    struct rig *built; /* model.rig */
    struct rig_part *parts;
    struct arena *scratch;
    const struct placed_node *rest; /* the nodes */
    uint32_t *first_binds;          /* of each skin */
    const uint32_t **sources;       /* of the points of each part, in those of its surface; NULL: the same */
    uint32_t *numbers;              /* of the points of a surface: 1 + the point of the part, or 0 */
    size_t morphed_count;
    struct surface *surfaces; /* these are the model's */
    uint32_t *indices;
};

/* Fills in the binds: one for each node, by its number, then one for each joint of each skin. */
static void fill_binds(struct builder *builder)
{
    const struct rig *rig = builder->rig;
    const struct affine to_model = affine_of(rig->to_model);
    size_t most = rig->node_count;
    for (uint32_t s = 0; s < rig->skin_count; s++)
        most += rig->skins[s].joint_count;
    struct rig_bind *binds = arena_must_alloc(&builder->model->arena, most, sizeof *binds);
    builder->built->binds = binds;
    builder->built->bind_count = most;
    builder->first_binds = arena_must_alloc(builder->scratch, rig->skin_count, sizeof *builder->first_binds);
    uint32_t count = 0;
    for (uint32_t n = 0; n < rig->node_count; n++)
        binds[count++] = (struct rig_bind){n, identity, NULL};
    for (uint32_t s = 0; s < rig->skin_count; s++) {
        const struct rig_skin *skin = &rig->skins[s];
        struct rig_mover *mover = NULL;
        builder->first_binds[s] = count;
        if (skin->moved_from) {
            const struct affine from = affine_of(skin->moved_from), placed = multiply(&to_model, &from);
            mover = arena_must_alloc(&builder->model->arena, 1, sizeof *mover);
            *mover = (struct rig_mover){skin->mover, inverse_of(&placed)};
        }
        for (size_t i = 0; i < skin->joint_count; i++) {
            struct affine inverse = skin->inverse_binds ? affine_of(&skin->inverse_binds[16 * i]) : identity;
            if (skin->is_bound_at_rest) { /* `world` ends in our axes, and points are in those of the file */
                inverse = inverse_of(&builder->rest[skin->joints[i]].world);
                inverse = multiply(&inverse, &to_model);
            }
            binds[count++] =
                (struct rig_bind){skin->joints[i], inverse, skin->joints[i] == skin->mover ? NULL : mover};
        }
    }
}

/* Returns the bind of a surface without a skin; or else of the first point of its first triangle. */
static uint32_t first_bind(const struct builder *builder, const struct rig_surface *surface)
{
    if (surface->skin < 0 || surface->index_count == 0)
        return surface->node;
    size_t at = (size_t)surface->indices[0] * surface->influence_count, last = at + surface->influence_count - 1;
    while (at < last && surface->weights[at] == 0)
        at++;
    return builder->first_binds[surface->skin] + surface->joints[at];
}

/* Numbers the points that triangles use, in the order of the triangles; files often share one list of points among many
 * surfaces. Without normals each corner becomes a point. Front faces of the model are clockwise. */
static int choose_points(struct builder *builder, uint32_t s, struct error *err)
{
    const struct rig_surface *from = &builder->rig->surfaces[s];
    struct model *model = builder->model;
    struct rig_part *part = &builder->parts[s];
    struct surface *surface = &builder->surfaces[s];
    uint32_t *indices = &builder->indices[model->index_count], *numbers = builder->numbers;
    uint32_t *sources = arena_must_alloc(builder->scratch, from->index_count, sizeof *sources);
    if (rig_check_name("surface", s, from->name, err) < 0)
        return -1;
    *surface = (struct surface){.name = *from->name ? from->name : "mesh",
                                .material = from->material,
                                .first_index = model->index_count,
                                .index_count = from->index_count};
    part->first_point = model->point_count;
    part->node = from->node;
    part->bind = first_bind(builder, from);
    const uint32_t turned[] = {0, 2, 1}, straight[] = {0, 1, 2};
    part->is_mirrored = is_mirrored(builder->rest, &builder->built->binds[part->bind]);
    const uint32_t *order = part->is_mirrored ? straight : turned;
    for (uint32_t i = 0; i < from->index_count; i++) {
        uint32_t source = from->indices[i];
        if (!from->normals || numbers[source] == 0) {
            sources[part->point_count++] = source;
            numbers[source] = part->point_count;
        }
        indices[i - i % 3 + order[i % 3]] = part->first_point + numbers[source] - 1;
    }
    const bool has_all = from->normals && part->point_count == from->point_count;
    for (uint32_t i = 0; i < from->index_count; i++) {
        numbers[from->indices[i]] = 0;
        if (has_all)
            indices[i - i % 3 + order[i % 3]] = part->first_point + from->indices[i];
    }
    builder->sources[s] = has_all ? NULL : sources;
    model->index_count += from->index_count;
    model->point_count += part->point_count;
    return 0;
}

/* Points come to at most what each surface has, or where they are flat, each corner. */
static int check_size(const struct rig *rig, size_t *index_count, struct error *err)
{
    uint64_t points = 0;
    for (uint32_t s = 0; s < rig->surface_count; s++) {
        const struct rig_surface *surface = &rig->surfaces[s];
        *index_count += surface->index_count;
        points += surface->normals && surface->point_count < surface->index_count ? surface->point_count
                                                                                  : surface->index_count;
    }
    const uint64_t triangles = *index_count / 3;
    if (triangles > MOST_DRAWN || points > MOST_DRAWN)
        return error_set(err, "%ju triangles with %ju points, at most %d are allowed", (uintmax_t)triangles,
                         (uintmax_t)points, MOST_DRAWN);
    return memory_check(triangles * TRIANGLE_BYTES + points * POINT_BYTES, err) < 0
               ? error_add(err, "%ju triangles", (uintmax_t)triangles)
               : 0;
}

static int choose_all_points(struct builder *builder, struct error *err)
{
    const struct rig *rig = builder->rig;
    struct model *model = builder->model;
    size_t index_count = 0, most_points = 0;
    for (uint32_t s = 0; s < rig->surface_count; s++)
        most_points = rig->surfaces[s].point_count > most_points ? rig->surfaces[s].point_count : most_points;
    if (check_size(rig, &index_count, err) < 0)
        return -1;
    if (index_count == 0 && !rig->may_lack_triangles)
        return error_set(err, rig->animation_count == 0 ? "no triangles"
                                                        : "no triangles; clips alone are for other models, as "
                                                          "`animations: [{file: NAME}]`");
    builder->numbers = arena_alloc(builder->scratch, most_points, sizeof *builder->numbers, err);
    if (!builder->numbers)
        return -1;
    builder->sources = arena_must_alloc(builder->scratch, rig->surface_count, sizeof *builder->sources);
    builder->surfaces = arena_must_alloc(&model->arena, rig->surface_count, sizeof *builder->surfaces);
    builder->indices = arena_must_alloc(&model->arena, index_count, sizeof *builder->indices);
    for (uint32_t s = 0; s < rig->surface_count; s++)
        if (choose_points(builder, s, err) < 0)
            return -1;
    model->indices = builder->indices;
    model->surfaces = builder->surfaces;
    model->surface_count = rig->surface_count;
    model_name_surfaces(model, builder->surfaces);
    return 0;
}

/* -- Building: what points have ----------------------------------------------------------------------------- */

/* Copies what a surface has for each point for those of the part. */
static void copy_points(const struct builder *builder, uint32_t s, const void *from, void *to, size_t size)
{
    const uint32_t count = builder->parts[s].point_count, *sources = builder->sources[s];
    if (from)
        for (size_t i = 0; i < count; i++)
            memcpy((char *)to + i * size, (const char *)from + (sources ? sources[i] : i) * size, size);
}

/* The vectors of a part out of those of its surface, which may be NULL. */
static int gather(struct builder *builder, uint32_t s, const vec3 *from, const vec3 **out, struct error *err)
{
    *out = from;
    if (!from || !builder->sources[s])
        return 0;
    vec3 *copy = arena_alloc(&builder->model->arena, builder->parts[s].point_count, sizeof *copy, err);
    if (copy)
        copy_points(builder, s, from, copy, sizeof *copy);
    *out = (const vec3 *)copy;
    return copy ? 0 : -1;
}

static int gather_points(struct builder *builder, uint32_t s, struct error *err)
{
    const struct rig_surface *surface = &builder->rig->surfaces[s];
    struct rig_part *part = &builder->parts[s];
    const uint32_t weight_count = builder->rig->nodes[surface->node].weight_count;
    part->morph_count = surface->morph_count < weight_count ? surface->morph_count : weight_count;
    builder->morphed_count += (size_t)part->morph_count * (part->point_count + 1);
    if (builder->morphed_count > MOST_MORPHED)
        return error_set(err, "morph targets move more than %d points", MOST_MORPHED);
    struct rig_morph *morphs = arena_alloc(&builder->model->arena, part->morph_count, sizeof *morphs, err);
    part->morphs = morphs;
    if (!morphs || gather(builder, s, surface->positions, &part->positions, err) < 0 ||
        gather(builder, s, surface->normals, &part->normals, err) < 0)
        return -1;
    for (uint32_t m = 0; m < part->morph_count; m++)
        if (gather(builder, s, surface->morphs[m].positions, &morphs[m].positions, err) < 0 ||
            gather(builder, s, surface->morphs[m].normals, &morphs[m].normals, err) < 0)
            return -1;
    return 0;
}

static int gather_influences(struct builder *builder, uint32_t s, uint32_t *point_joints, struct error *err)
{
    const struct rig_surface *surface = &builder->rig->surfaces[s];
    struct rig_part *part = &builder->parts[s];
    for (uint32_t i = 0; i < part->point_count; i++)
        point_joints[i] = surface->node;
    if (surface->skin < 0)
        return 0;
    struct arena *arena = &builder->model->arena;
    struct rig_influence *influences =
        arena_alloc(arena, (size_t)part->point_count * surface->influence_count, sizeof *influences, err);
    uint32_t *ends = arena_alloc(arena, part->point_count, sizeof *ends, err), count = 0;
    if (!influences || !ends)
        return -1;
    for (uint32_t i = 0; i < part->point_count; i++) {
        size_t at = (size_t)(builder->sources[s] ? builder->sources[s][i] : i) * surface->influence_count;
        float most = 0;
        for (size_t end = at + surface->influence_count; at < end; at++) {
            uint32_t bind = builder->first_binds[surface->skin] + surface->joints[at];
            if (surface->weights[at] != 0)
                influences[count++] = (struct rig_influence){bind, surface->weights[at]};
            if (surface->weights[at] > most)
                most = surface->weights[at], point_joints[i] = builder->built->binds[bind].node;
        }
        ends[i] = count;
    }
    if (surface->turn_weights) {
        float *turn_weights = arena_must_alloc(arena, part->point_count, sizeof *turn_weights);
        copy_points(builder, s, surface->turn_weights, turn_weights, sizeof *turn_weights);
        part->turn_weights = turn_weights;
    }
    part->influences = influences;
    part->ends = ends;
    return 0;
}

static int fill_points(struct builder *builder, struct error *err)
{
    const struct rig *rig = builder->rig;
    struct model *model = builder->model;
    const uint32_t count = model->point_count;
    bool has_more_uvs = false, has_colors = false;
    for (uint32_t s = 0; s < rig->surface_count; s++) {
        has_more_uvs |= rig->surfaces[s].more_uvs != NULL;
        has_colors |= rig->surfaces[s].colors != NULL;
    }
    uint32_t *vertex_points = arena_must_alloc(&model->arena, count, sizeof *vertex_points);
    uint32_t *point_joints = arena_must_alloc(&model->arena, count, sizeof *point_joints);
    vec2 *uvs = arena_must_alloc(&model->arena, count, sizeof *uvs);
    vec2 *more_uvs = arena_must_alloc(&model->arena, has_more_uvs ? count : 0, sizeof *more_uvs);
    vec4 *colors = arena_must_alloc(&model->arena, has_colors ? count : 0, sizeof *colors);
    for (uint32_t i = 0; i < count; i++)
        vertex_points[i] = i;
    if (has_colors)
        for (uint32_t i = 0; i < count; i++)
            glm_vec4_one(colors[i]);
    for (uint32_t s = 0; s < rig->surface_count; s++) {
        const struct rig_surface *surface = &rig->surfaces[s];
        const uint32_t first = builder->parts[s].first_point;
        copy_points(builder, s, surface->uvs, uvs[first], sizeof *uvs);
        copy_points(builder, s, surface->more_uvs, more_uvs[first], sizeof *more_uvs);
        copy_points(builder, s, surface->colors, colors[first], sizeof *colors);
        if (gather_points(builder, s, err) < 0 || gather_influences(builder, s, point_joints + first, err) < 0)
            return -1;
    }
    model->vertex_count = count;
    model->vertex_points = vertex_points;
    model->point_joints = point_joints;
    model->used_points = vertex_points; /* all are: clips can be measured */
    model->used_point_count = count;
    model->uvs = (const vec2 *)uvs;
    model->more_uvs = has_more_uvs ? (const vec2 *)more_uvs : NULL;
    model->colors = has_colors ? (const vec4 *)colors : NULL;
    return 0;
}

static int fill_parts(struct builder *builder, struct error *err)
{
    struct rig *built = builder->built;
    built->part_count = built->surface_count;
    built->parts = builder->parts =
        arena_must_alloc(&builder->model->arena, built->part_count, sizeof *builder->parts);
    return choose_all_points(builder, err) < 0 ? -1 : fill_points(builder, err);
}

/* -- Building ------------------------------------------------------------------------------------------------ */

static int fill_joints(struct builder *builder, struct error *err)
{
    const struct rig *rig = builder->rig;
    size_t weight_count = 0;
    if (rig->node_count > MODEL_MOST_JOINTS)
        return error_set(err, "%u nodes, at most %d are allowed", rig->node_count, MODEL_MOST_JOINTS);
    struct joint *joints = arena_must_alloc(&builder->model->arena, rig->node_count, sizeof *joints);
    for (uint32_t n = 0; n < rig->node_count; n++) {
        if (rig_check_name("node", n, rig->nodes[n].name, err) < 0)
            return -1;
        joints[n] = (struct joint){rig->nodes[n].name, rig->nodes[n].parent};
        weight_count += rig->nodes[n].weight_count;
    }
    builder->model->joints = joints;
    builder->model->joint_count = rig->node_count;
    return weight_count <= MOST_WEIGHTS
               ? 0
               : error_set(err, "more than %d weights of morph targets at all nodes", MOST_WEIGHTS);
}

int rig_build_points(struct model *model, const struct rig *rig, struct error *err)
{
    struct rig *built = arena_copy(&model->arena, rig, 1, sizeof *rig);
    SCOPED_BY(arena_release) struct arena scratch = {0};
    struct builder builder = {.model = model, .rig = rig, .built = built, .scratch = &scratch};
    model->rig = built;
    if (fill_joints(&builder, err) < 0)
        return -1;
    builder.rest = place_nodes(&scratch, rig, NULL, 0, 0);
    fill_binds(&builder);
    return rig->parts ? 0 : fill_parts(&builder, err);
}
