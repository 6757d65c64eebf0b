#include "md5_save.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* A number with at most so many decimals, and without zeros at its end. */
static void add_number(struct buffer *out, double value, int decimals)
{
    char text[64];
    double unit = pow(10, decimals), rounded = floor(value * unit + 0.5) / unit;
    int length = snprintf(text, sizeof(text), "%.*f", decimals, rounded == 0 ? 0.0 : rounded);
    while (length > 0 && text[length - 1] == '0')
        length--;
    if (length > 0 && text[length - 1] == '.')
        length--;
    buffer_add(out, text, (size_t)length);
}

enum { POSITION_DECIMALS = 4, TURN_DECIMALS = 6, UV_DECIMALS = 5, BIAS_DECIMALS = 3 };

static void add_triple(struct buffer *out, double x, double y, double z, int decimals)
{
    buffer_printf(out, "( ");
    add_number(out, x, decimals);
    buffer_printf(out, " ");
    add_number(out, y, decimals);
    buffer_printf(out, " ");
    add_number(out, z, decimals);
    buffer_printf(out, " )");
}

/* The files leave w out: it is the negative root, so a turn with a positive one is written as its negative, which
 * is the same turn. */
static struct quat negative_w(struct quat q)
{
    return q.w > 0 ? (struct quat){-q.x, -q.y, -q.z, -q.w} : q;
}

static void add_placement(struct buffer *out, const struct placement *placement)
{
    struct quat q = negative_w(placement->turn);
    add_triple(out, placement->at.x, placement->at.y, placement->at.z, POSITION_DECIMALS);
    buffer_printf(out, " ");
    add_triple(out, q.x, q.y, q.z, TURN_DECIMALS);
}

static void add_joints(const struct rig *rig, const struct stance *rest, struct buffer *out)
{
    buffer_printf(out, "joints {\n");
    for (int i = 0; i < rig->joint_count; i++) {
        struct placement placement = stance_in_model(rest, rig, i);
        buffer_printf(out, "\t\"%s\" %d ", rig->joints[i].name, rig->joints[i].parent);
        add_placement(out, &placement);
        buffer_printf(out, "\n");
    }
    buffer_printf(out, "}\n");
}

/* Vertices on a seam share their point's weights: first_weight is by point. */
static void add_mesh(const struct figure *figure, const struct coat *coat, const struct stance *rest,
                     struct buffer *out)
{
    int *first_weight = must_alloc((size_t)coat->point_count, sizeof(int)), weight_count = 0;
    for (int i = 0; i < coat->point_count; i++) {
        first_weight[i] = weight_count;
        weight_count += coat->points[i].weights.count;
    }
    buffer_printf(out, "\nmesh {\n\t// meshes: %s\n\tshader \"%s\"\n", coat->name, coat->shader);
    buffer_printf(out, "\n\tnumverts %d\n", coat->vertex_count);
    for (int i = 0; i < coat->vertex_count; i++) {
        const struct vertex *vertex = &coat->vertices[i];
        buffer_printf(out, "\tvert %d ( ", i);
        add_number(out, vertex->s, UV_DECIMALS);
        buffer_printf(out, " ");
        add_number(out, vertex->t, UV_DECIMALS);
        buffer_printf(out, " ) %d %d\n", first_weight[vertex->point], coat->points[vertex->point].weights.count);
    }
    buffer_printf(out, "\n\tnumtris %d\n", coat->triangle_count);
    for (int i = 0; i < coat->triangle_count; i++) {
        const uint32_t *corner = coat->triangles[i];
        buffer_printf(out, "\ttri %d %u %u %u\n", i, corner[0], corner[1], corner[2]);
    }
    buffer_printf(out, "\n\tnumweights %d\n", weight_count);
    for (int i = 0; i < coat->point_count; i++) {
        const struct point *point = &coat->points[i];
        for (int k = 0; k < point->weights.count; k++) {
            const struct weight *weight = &point->weights.items[k];
            struct placement joint = stance_in_model(rest, &figure->rig, weight->joint);
            struct v3 at = quat_rotate(quat_back(joint.turn), v3_sub(point->rest, joint.at));
            buffer_printf(out, "\tweight %d %d ", first_weight[i] + k, weight->joint);
            add_number(out, weight->bias, BIAS_DECIMALS);
            buffer_printf(out, " ");
            add_triple(out, at.x, at.y, at.z, POSITION_DECIMALS);
            buffer_printf(out, "\n");
        }
    }
    buffer_printf(out, "}\n");
    free(first_weight);
}

void md5mesh_save(const struct figure *figure, struct buffer *out)
{
    struct stance rest;
    stance_init(&rest, &figure->rig);
    buffer_printf(out, "MD5Version 10\ncommandline \"make samples\"\n\n");
    buffer_printf(out, "numJoints %d\nnumMeshes %d\n\n", figure->rig.joint_count, figure->coat_count);
    add_joints(&figure->rig, &rest, out);
    for (int i = 0; i < figure->coat_count; i++)
        add_mesh(figure, &figure->coats[i], &rest, out);
}

enum { COMPONENTS = 6 };

/* A joint in a frame of the file. */
static void components(const struct rig *rig, const struct stance *pose, int joint, double out[COMPONENTS])
{
    struct placement placement = stance_below_parent(pose, rig, joint);
    struct quat q = negative_w(placement.turn);
    memcpy(out, (double[COMPONENTS]){placement.at.x, placement.at.y, placement.at.z, q.x, q.y, q.z},
           sizeof(double[COMPONENTS]));
}

static int decimals_of(int component)
{
    return component < 3 ? POSITION_DECIMALS : TURN_DECIMALS;
}

/* A bit for each component that differs, as written, in some frame from the first. */
static unsigned animated_flags(const struct rig *rig, const struct stance *frames, int frame_count, int joint)
{
    unsigned flags = 0;
    double first[COMPONENTS], now[COMPONENTS];
    components(rig, &frames[0], joint, first);
    for (int i = 1; i < frame_count; i++) {
        components(rig, &frames[i], joint, now);
        for (int k = 0; k < COMPONENTS; k++) {
            if (fabs(now[k] - first[k]) > pow(10, -decimals_of(k)))
                flags |= 1u << k;
        }
    }
    return flags;
}

static void add_hierarchy(const struct rig *rig, const unsigned *flags, struct buffer *out)
{
    int start = 0;
    buffer_printf(out, "hierarchy {\n");
    for (int i = 0; i < rig->joint_count; i++) {
        buffer_printf(out, "\t\"%s\" %d %u %d\n", rig->joints[i].name, rig->joints[i].parent, flags[i],
                      flags[i] ? start : 0);
        start += __builtin_popcount(flags[i]);
    }
    buffer_printf(out, "}\n\n");
}

static void add_bounds(const struct figure *figure, const struct stance *pose, struct buffer *out)
{
    struct v3 low = v3(1e9, 1e9, 1e9), high = v3(-1e9, -1e9, -1e9);
    for (int i = 0; i < figure->coat_count; i++) {
        const struct coat *coat = &figure->coats[i];
        struct v3 *points = must_alloc((size_t)coat->point_count, sizeof(*points));
        coat_pose(coat, &figure->rig, pose, points);
        for (int k = 0; k < coat->point_count; k++) {
            low = v3(fmin(low.x, points[k].x), fmin(low.y, points[k].y), fmin(low.z, points[k].z));
            high = v3(fmax(high.x, points[k].x), fmax(high.y, points[k].y), fmax(high.z, points[k].z));
        }
        free(points);
    }
    buffer_printf(out, "\t");
    add_triple(out, low.x, low.y, low.z, POSITION_DECIMALS);
    buffer_printf(out, " ");
    add_triple(out, high.x, high.y, high.z, POSITION_DECIMALS);
    buffer_printf(out, "\n");
}

static void add_frame(const struct rig *rig, const struct stance *pose, const unsigned *flags, int number,
                      struct buffer *out)
{
    buffer_printf(out, "\nframe %d {\n", number);
    for (int i = 0; i < rig->joint_count; i++) {
        double values[COMPONENTS];
        components(rig, pose, i, values);
        const char *before = "\t";
        for (int k = 0; k < COMPONENTS; k++) {
            if (flags[i] & 1u << k) {
                buffer_printf(out, "%s", before);
                add_number(out, values[k], decimals_of(k));
                before = " ";
            }
        }
        if (flags[i])
            buffer_printf(out, "\n");
    }
    buffer_printf(out, "}\n");
}

void md5anim_save(const struct figure *figure, const struct motion *motion, const struct stance *frames,
                  struct buffer *out)
{
    const struct rig *rig = &figure->rig;
    unsigned flags[RIG_MAX_JOINTS];
    int animated = 0;
    for (int i = 0; i < rig->joint_count; i++) {
        flags[i] = animated_flags(rig, frames, motion->frame_count, i);
        animated += __builtin_popcount(flags[i]);
    }
    buffer_printf(out, "MD5Version 10\ncommandline \"make samples\"\n\n");
    buffer_printf(out, "numFrames %d\nnumJoints %d\nframeRate %d\nnumAnimatedComponents %d\n\n",
                  motion->frame_count, rig->joint_count, (int)motion->rate_hz, animated);
    add_hierarchy(rig, flags, out);
    buffer_printf(out, "bounds {\n");
    for (int i = 0; i < motion->frame_count; i++)
        add_bounds(figure, &frames[i], out);
    buffer_printf(out, "}\n\nbaseframe {\n");
    for (int i = 0; i < rig->joint_count; i++) {
        double base[COMPONENTS];
        components(rig, &frames[0], i, base);
        buffer_printf(out, "\t");
        add_triple(out, base[0], base[1], base[2], POSITION_DECIMALS);
        buffer_printf(out, " ");
        add_triple(out, base[3], base[4], base[5], TURN_DECIMALS);
        buffer_printf(out, "\n");
    }
    buffer_printf(out, "}\n");
    for (int i = 0; i < motion->frame_count; i++)
        add_frame(rig, &frames[i], flags, i, out);
}
