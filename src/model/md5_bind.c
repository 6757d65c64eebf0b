#include "model/md5.h"

#include <math.h>
#include <stdlib.h>

/* Sums over the triangles around a point. */
struct sums {
    double normal[3], along_s[3], along_t[3];
};

static void subtract(const vec3 a, const vec3 b, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = (double)a[i] - b[i];
}

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* False, and `v` as it was, when it is too short to have a direction. */
static bool normalise(double v[3])
{
    double length = sqrt(dot(v, v));
    if (!(length > 1e-30))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return true;
}

/* The cross product is as long as twice the triangle's area, so larger triangles count for more. The triangle
 * is the map from (s, t) to space; its directions along s and t need the sign of the map's determinant but not
 * its size, which would let triangles with hardly any texture outweigh the others. */
static void add_triangle(const struct model *model, const vec3 *positions, const uint32_t corners[3],
                         struct sums *sums)
{
    uint32_t a = corners[0], b = corners[1], c = corners[2];
    double ab[3], ac[3], normal[3];
    subtract(positions[b], positions[a], ab);
    subtract(positions[c], positions[a], ac);
    cross(ac, ab, normal); /* outwards: front faces are clockwise */

    const vec2 *uvs = model->uvs;
    double s_ab = (double)uvs[b][0] - uvs[a][0], t_ab = (double)uvs[b][1] - uvs[a][1];
    double s_ac = (double)uvs[c][0] - uvs[a][0], t_ac = (double)uvs[c][1] - uvs[a][1];
    double determinant = s_ab * t_ac - s_ac * t_ab;
    double sign = (determinant > 0) - (determinant < 0);

    for (int corner = 0; corner < 3; corner++) {
        struct sums *sum = &sums[corners[corner]];
        for (int i = 0; i < 3; i++) {
            sum->normal[i] += normal[i];
            sum->along_s[i] += sign * (ab[i] * t_ac - ac[i] * t_ab);
            sum->along_t[i] += sign * (ac[i] * s_ab - ab[i] * s_ac);
        }
    }
}

static void finish_point(struct sums *sum, vec3 normal, vec4 tangent)
{
    double *n = sum->normal, *t = sum->along_s, bitangent[3];
    if (!normalise(n))
        n[0] = 0, n[1] = 0, n[2] = 1;

    double before = sqrt(dot(t, t)), along = dot(t, n);
    for (int i = 0; i < 3; i++)
        t[i] -= along * n[i];
    /* Nothing left but rounding: no texture coordinates here, or s runs along the normal. */
    if (sqrt(dot(t, t)) <= 1e-9 * before || !normalise(t)) {
        double axis[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0};
        cross(n, axis, t);
        normalise(t);
    }
    cross(n, t, bitangent);
    for (int i = 0; i < 3; i++) {
        normal[i] = (float)n[i];
        tangent[i] = (float)t[i];
    }
    tangent[3] = dot(bitangent, sum->along_t) < 0 ? -1 : 1;
}

int md5_bind_vectors(const struct model *model, const vec3 *positions, vec3 *normals, vec4 *tangents,
                     struct error *err)
{
    struct sums *sums = memory_alloc(model->point_count, sizeof *sums, err);
    if (!sums)
        return -1;
    for (uint32_t i = 0; i < model->index_count; i += 3)
        add_triangle(model, positions, &model->indices[i], sums);
    for (uint32_t i = 0; i < model->point_count; i++)
        finish_point(&sums[i], normals[i], tangents[i]);
    free(sums);
    return 0;
}
