/* MD5 in the words of its description; see plain.h. */
#ifndef UNIT_PLAIN_MD5_H
#define UNIT_PLAIN_MD5_H

#include <string.h>

#include "plain.h"

enum { PLAIN_JOINTS = 64, PLAIN_POINTS = 4096, PLAIN_WEIGHTS = 16384, PLAIN_FRAMES = 64, PLAIN_COMPONENTS = 512 };

struct plain_joint {
    double position[3], q[4]; /* x, y, z, w */
};

struct plain_weight {
    int joint;
    double bias, position[3];
};

struct plain_md5mesh {
    int joint_count, parents[PLAIN_JOINTS];
    struct plain_joint bind[PLAIN_JOINTS];
    int point_count, first_weights[PLAIN_POINTS], weight_counts[PLAIN_POINTS];
    int weight_count;
    struct plain_weight weights[PLAIN_WEIGHTS];
    int triangle_count, triangles[2 * PLAIN_POINTS][3];
    int meshes[PLAIN_POINTS]; /* which mesh of the file a point is of, from 1 */
    int twins[PLAIN_POINTS];  /* the first point of its mesh with the same weights, which is always at the same
                                 place */
};

struct plain_md5anim {
    int frame_count, joint_count, component_count;
    double rate_hz;
    int flags[PLAIN_JOINTS], starts[PLAIN_JOINTS];
    struct plain_joint base[PLAIN_JOINTS];
    double components[PLAIN_FRAMES][PLAIN_COMPONENTS];
};

/* v + 2 w (u x v) + 2 u x (u x v), where u is the vector in q. */
static inline void plain_rotate(const double q[4], const double v[3], double out[3])
{
    double uv[3], uuv[3];
    plain_cross(q, v, uv);
    plain_cross(q, uv, uuv);
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + 2 * q[3] * uv[i] + 2 * uuv[i];
}

/* -- Joints ------------------------------------------------------------------------------------------------ */

static inline struct plain_joint plain_on_parent(const struct plain_joint *parent, const struct plain_joint *child)
{
    struct plain_joint out;
    const double *p = parent->q, *c = child->q;
    plain_rotate(p, child->position, out.position);
    plain_cross(p, c, out.q);
    for (int i = 0; i < 3; i++) {
        out.position[i] += parent->position[i];
        out.q[i] += p[3] * c[i] + c[3] * p[i];
    }
    out.q[3] = p[3] * c[3] - p[0] * c[0] - p[1] * c[1] - p[2] * c[2];
    return out;
}

/* Slerp on the shorter of the two arcs. */
static inline struct plain_joint plain_between(const struct plain_joint *a, const struct plain_joint *b,
                                               double blend)
{
    struct plain_joint out;
    double cosine = a->q[0] * b->q[0] + a->q[1] * b->q[1] + a->q[2] * b->q[2] + a->q[3] * b->q[3];
    double sign = cosine < 0 ? -1 : 1, angle = acos(fmin(1, sign * cosine));
    double from = angle > 1e-6 ? sin((1 - blend) * angle) / sin(angle) : 1 - blend;
    double to = angle > 1e-6 ? sin(blend * angle) / sin(angle) : blend;
    for (int i = 0; i < 4; i++)
        out.q[i] = from * a->q[i] + sign * to * b->q[i];
    for (int i = 0; i < 3; i++)
        out.position[i] = (1 - blend) * a->position[i] + blend * b->position[i];
    return out;
}

static inline void plain_complete(double q[4])
{
    q[3] = -sqrt(fmax(0, 1 - q[0] * q[0] - q[1] * q[1] - q[2] * q[2]));
}

/* The joint relative to its parent: the base frame's, with the components that its flags replace. */
static inline struct plain_joint plain_keyframe(const struct plain_md5anim *anim, int frame, int joint)
{
    struct plain_joint out = anim->base[joint];
    const double *next = &anim->components[frame][anim->starts[joint]];
    for (int i = 0; i < 6; i++)
        if (anim->flags[joint] & 1 << i)
            *(i < 3 ? &out.position[i] : &out.q[i - 3]) = *next++;
    plain_complete(out.q);
    return out;
}

static inline void plain_build(const struct plain_md5mesh *md5, struct plain_joint *joints)
{
    for (int j = 0; j < md5->joint_count; j++)
        if (md5->parents[j] >= 0)
            joints[j] = plain_on_parent(&joints[md5->parents[j]], &joints[j]);
}

/* In model space: blended before the skeleton is built, or after it. */
static inline void plain_skeleton(const struct plain_md5mesh *md5, const struct plain_md5anim *anim,
                                  struct plain_moment moment, bool blend_built, struct plain_joint *joints)
{
    struct plain_joint a[PLAIN_JOINTS], b[PLAIN_JOINTS];
    for (int j = 0; j < md5->joint_count; j++) {
        a[j] = plain_keyframe(anim, moment.a, j);
        b[j] = plain_keyframe(anim, moment.b, j);
    }
    if (blend_built) {
        plain_build(md5, a);
        plain_build(md5, b);
    }
    for (int j = 0; j < md5->joint_count; j++)
        joints[j] = plain_between(&a[j], &b[j], moment.blend);
    if (!blend_built)
        plain_build(md5, joints);
}

/* -- Points ------------------------------------------------------------------------------------------------ */

static inline void plain_md5_position(const struct plain_md5mesh *md5, const struct plain_joint *joints, int point,
                                      double out[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int w = 0; w < md5->weight_counts[point]; w++) {
        const struct plain_weight *weight = &md5->weights[md5->first_weights[point] + w];
        double at[3];
        plain_rotate(joints[weight->joint].q, weight->position, at);
        for (int i = 0; i < 3; i++)
            out[i] += weight->bias * (joints[weight->joint].position[i] + at[i]);
    }
}

/* (c - a) x (b - a), of unit length: all triangles count the same. */
static inline void plain_triangle_normal(const double a[3], const double b[3], const double c[3], double out[3])
{
    double ab[3], ac[3];
    for (int i = 0; i < 3; i++)
        ab[i] = b[i] - a[i], ac[i] = c[i] - a[i];
    plain_cross(ac, ab, out);
    plain_normalise(out);
}

static inline bool plain_is_twin(const struct plain_md5mesh *md5, int p, int q)
{
    int count = md5->weight_counts[p];
    if (md5->meshes[p] != md5->meshes[q] || count != md5->weight_counts[q])
        return false;
    for (int w = 0; w < count; w++) {
        const struct plain_weight *a = &md5->weights[md5->first_weights[p] + w];
        const struct plain_weight *b = &md5->weights[md5->first_weights[q] + w];
        if (a->joint != b->joint || a->bias != b->bias || a->position[0] != b->position[0] ||
            a->position[1] != b->position[1] || a->position[2] != b->position[2])
            return false;
    }
    return true;
}

static inline void plain_find_twins(struct plain_md5mesh *md5)
{
    for (int p = 0; p < md5->point_count; p++)
        while (!plain_is_twin(md5, p, md5->twins[p]))
            md5->twins[p]++;
}

/* As Doom 3 adds them up for a pose, all at the first of the points at a place. */
static inline void plain_md5_normals(const struct plain_md5mesh *md5, double (*positions)[3], double (*out)[3])
{
    memset(out, 0, (size_t)md5->point_count * sizeof *out);
    for (int t = 0; t < md5->triangle_count; t++) {
        const int *corners = md5->triangles[t];
        double normal[3];
        plain_triangle_normal(positions[corners[0]], positions[corners[1]], positions[corners[2]], normal);
        for (int corner = 0; corner < 3; corner++)
            for (int i = 0; i < 3; i++)
                out[md5->twins[corners[corner]]][i] += normal[i];
    }
    for (int p = 0; p < md5->point_count; p++) {
        memcpy(out[p], out[md5->twins[p]], sizeof out[p]);
        plain_normalise(out[p]);
    }
}

/* -- Reading ----------------------------------------------------------------------------------------------- */

static inline bool plain_read_place(FILE *file, struct plain_joint *out)
{
    int count = fscanf(file, " ( %lf %lf %lf ) ( %lf %lf %lf )", &out->position[0], &out->position[1],
                       &out->position[2], &out->q[0], &out->q[1], &out->q[2]);
    plain_complete(out->q);
    return count == 6;
}

static inline bool plain_read_joints(FILE *file, struct plain_md5mesh *md5)
{
    bool is_good = fscanf(file, " {") == 0;
    for (int j = 0; is_good && j < md5->joint_count; j++)
        is_good = fscanf(file, " \"%*[^\"]\" %d", &md5->parents[j]) == 1 && plain_read_place(file, &md5->bind[j]);
    return is_good;
}

/* Numbers of points and weights count from 0 in each mesh of the file: those before it are added. */
static inline bool plain_read_vert(FILE *file, struct plain_md5mesh *md5, int mesh, int weights_before)
{
    int i = md5->point_count++;
    md5->meshes[i] = mesh;
    bool is_good = i < PLAIN_POINTS &&
                   fscanf(file, "%*d ( %*f %*f ) %d %d", &md5->first_weights[i], &md5->weight_counts[i]) == 2;
    md5->first_weights[i] += weights_before;
    return is_good;
}

static inline bool plain_read_tri(FILE *file, struct plain_md5mesh *md5, int points_before)
{
    int *corners = md5->triangles[md5->triangle_count++];
    bool is_good = md5->triangle_count <= 2 * PLAIN_POINTS &&
                   fscanf(file, "%*d %d %d %d", &corners[0], &corners[1], &corners[2]) == 3;
    for (int c = 0; c < 3; c++)
        corners[c] += points_before;
    return is_good;
}

static inline bool plain_read_weight(FILE *file, struct plain_md5mesh *md5)
{
    struct plain_weight *weight = &md5->weights[md5->weight_count++];
    return md5->weight_count <= PLAIN_WEIGHTS &&
           fscanf(file, "%*d %d %lf ( %lf %lf %lf )", &weight->joint, &weight->bias, &weight->position[0],
                  &weight->position[1], &weight->position[2]) == 5;
}

static inline struct plain_md5mesh *plain_read_md5mesh(const char *path)
{
    struct plain_md5mesh *md5 = calloc(1, sizeof *md5);
    FILE *file = plain_open(path);
    char word[256];
    int mesh = 0, points_before = 0, weights_before = 0;
    bool is_good = true;
    while (is_good && fscanf(file, " %255s", word) == 1)
        if (!strcmp(word, "numJoints"))
            is_good = fscanf(file, "%d", &md5->joint_count) == 1 && md5->joint_count <= PLAIN_JOINTS;
        else if (!strcmp(word, "joints"))
            is_good = plain_read_joints(file, md5);
        else if (!strcmp(word, "mesh"))
            mesh++, points_before = md5->point_count, weights_before = md5->weight_count;
        else if (!strcmp(word, "vert"))
            is_good = plain_read_vert(file, md5, mesh, weights_before);
        else if (!strcmp(word, "tri"))
            is_good = plain_read_tri(file, md5, points_before);
        else if (!strcmp(word, "weight"))
            is_good = plain_read_weight(file, md5);
    fclose(file);
    plain_expect(is_good && md5->point_count && md5->triangle_count, path);
    plain_find_twins(md5);
    return md5;
}

static inline bool plain_read_hierarchy(FILE *file, struct plain_md5anim *anim)
{
    bool is_good = fscanf(file, " {") == 0;
    for (int j = 0; is_good && j < anim->joint_count; j++)
        is_good = fscanf(file, " \"%*[^\"]\" %*d %d %d", &anim->flags[j], &anim->starts[j]) == 2;
    return is_good;
}

static inline bool plain_read_baseframe(FILE *file, struct plain_md5anim *anim)
{
    bool is_good = fscanf(file, " {") == 0;
    for (int j = 0; is_good && j < anim->joint_count; j++)
        is_good = plain_read_place(file, &anim->base[j]);
    return is_good;
}

static inline bool plain_read_frame(FILE *file, struct plain_md5anim *anim)
{
    int frame;
    bool is_good = fscanf(file, "%d {", &frame) == 1 && frame < anim->frame_count;
    for (int i = 0; is_good && i < anim->component_count; i++)
        is_good = fscanf(file, "%lf", &anim->components[frame][i]) == 1;
    return is_good;
}

static inline struct plain_md5anim *plain_read_md5anim(const char *path)
{
    struct plain_md5anim *anim = calloc(1, sizeof *anim);
    FILE *file = plain_open(path);
    char word[256];
    bool is_good = true;
    while (is_good && fscanf(file, " %255s", word) == 1)
        if (!strcmp(word, "numFrames"))
            is_good = fscanf(file, "%d", &anim->frame_count) == 1 && anim->frame_count <= PLAIN_FRAMES;
        else if (!strcmp(word, "numJoints"))
            is_good = fscanf(file, "%d", &anim->joint_count) == 1 && anim->joint_count <= PLAIN_JOINTS;
        else if (!strcmp(word, "frameRate"))
            is_good = fscanf(file, "%lf", &anim->rate_hz) == 1;
        else if (!strcmp(word, "numAnimatedComponents"))
            is_good = fscanf(file, "%d", &anim->component_count) == 1 && anim->component_count <= PLAIN_COMPONENTS;
        else if (!strcmp(word, "hierarchy"))
            is_good = plain_read_hierarchy(file, anim);
        else if (!strcmp(word, "baseframe"))
            is_good = plain_read_baseframe(file, anim);
        else if (!strcmp(word, "frame"))
            is_good = plain_read_frame(file, anim);
    fclose(file);
    plain_expect(is_good && anim->frame_count, path);
    return anim;
}

#endif
