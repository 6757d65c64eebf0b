#include "model/tangents.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"
#include "base/memory.h"

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* `out` must be neither `a` nor `b`. */
static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* False, with `v` unchanged, when it is too short to have a direction. */
static inline bool normalise(float v[3])
{
    float squared = dot(v, v);
    if (!(squared > FLT_MIN))
        return false;
    float scale = 1 / sqrtf(squared);
    for (int i = 0; i < 3; i++)
        v[i] *= scale;
    return true;
}

/* The two sides of a triangle in the picture, and the determinant they make. */
struct uv_sides {
    double s_ab, t_ab, s_ac, t_ac, determinant;
};

static struct uv_sides uv_sides(const uint32_t corners[3], const vec2 *uvs)
{
    const float *a = uvs[corners[0]], *b = uvs[corners[1]], *c = uvs[corners[2]];
    struct uv_sides sides = {(double)b[0] - a[0], (double)b[1] - a[1], (double)c[0] - a[0], (double)c[1] - a[1],
                             0};
    sides.determinant = sides.s_ab * sides.t_ac - sides.s_ac * sides.t_ab;
    return sides;
}

void normals_blend(const vec3 a, const vec3 b, float blend, vec3 out)
{
    vec3 sum;
    memcpy(out, a, sizeof sum);
    if (a == b || blend == 0)
        return;
    for (int axis = 0; axis < 3; axis++)
        sum[axis] = (1 - blend) * a[axis] + blend * b[axis];
    float length = sqrtf(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    if (length > 1e-6f)
        for (int axis = 0; axis < 3; axis++)
            out[axis] = sum[axis] / length;
}

int triangle_handedness(const uint32_t corners[3], const vec2 *uvs)
{
    double determinant = uv_sides(corners, uvs).determinant;
    return (determinant > 0) - (determinant < 0);
}

bool triangle_normal(const uint32_t corners[3], const vec3 *positions, vec3 out)
{
    const float *a = positions[corners[0]], *b = positions[corners[1]], *c = positions[corners[2]];
    float ab[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, ac[3] = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    cross(ac, ab, out);
    return dot(out, out) > 1e-12f * dot(ab, ab) * dot(ac, ac) && normalise(out);
}

/* The directions along s and t of the triangle's map from (s, t) to space. They depend on the sign of the map's
 * determinant, not on its size. Both are 0 where the triangle covers nothing of the picture. */
static struct tangent_sum directions(const uint32_t corners[3], const vec2 *uvs, const vec3 *positions)
{
    struct uv_sides uv = uv_sides(corners, uvs);
    double sign = (uv.determinant > 0) - (uv.determinant < 0);
    const float *a = positions[corners[0]], *b = positions[corners[1]], *c = positions[corners[2]];
    struct tangent_sum along;
    for (int i = 0; i < 3; i++) {
        double ab = (double)b[i] - a[i], ac = (double)c[i] - a[i];
        along.along_s[i] = (float)(sign * (ab * uv.t_ac - ac * uv.t_ab));
        along.along_t[i] = (float)(sign * (ac * uv.s_ab - ab * uv.s_ac));
    }
    normalise(along.along_s);
    normalise(along.along_t);
    return along;
}

static void finish(const struct tangent_sum *sum, const vec3 normal, vec4 out)
{
    const float *n = normal;
    float t[3], bitangent[3], along = dot(sum->along_s, n);
    for (int i = 0; i < 3; i++)
        t[i] = sum->along_s[i] - along * n[i];
    /* Only rounding errors are left: there are no texture coordinates, or s runs along the normal. */
    if (dot(t, t) <= 1e-10f * dot(sum->along_s, sum->along_s) || !normalise(t)) {
        float axis[3] = {fabsf(n[0]) < 0.7f, fabsf(n[0]) >= 0.7f, 0};
        cross(n, axis, t);
        normalise(t);
    }
    cross(n, t, bitangent);
    memcpy(out, t, sizeof t);
    out[3] = dot(bitangent, sum->along_t) < 0 ? -1 : 1;
}

void tangents_from_triangles(const uint32_t *indices, size_t index_count, const vec2 *uvs, const vec3 *positions,
                             const vec3 *normals, size_t vertex_count, struct tangent_sum *sums, vec4 *tangents)
{
    memset(sums, 0, vertex_count * sizeof *sums);
    for (size_t i = 0; i < index_count; i += 3) {
        const uint32_t *corners = &indices[i];
        struct tangent_sum along = directions(corners, uvs, positions);
        for (int corner = 0; corner < 3; corner++)
            for (int axis = 0; axis < 3; axis++) {
                sums[corners[corner]].along_s[axis] += along.along_s[axis];
                sums[corners[corner]].along_t[axis] += along.along_t[axis];
            }
    }
    for (size_t i = 0; i < vertex_count; i++)
        finish(&sums[i], normals[i], tangents[i]);
}

int dominant_triangles(const uint32_t *indices, size_t index_count, const vec3 *positions, size_t vertex_count,
                       uint32_t *first_indices, struct error *err)
{
    SCOPED double *largest = memory_alloc(vertex_count, sizeof *largest, err); /* twice the area, squared */
    if (!largest)
        return -1;
    for (size_t i = 0; i < index_count; i += 3) {
        double ab[3], ac[3], normal[3];
        dvec_subtract(positions[indices[i + 1]], positions[indices[i]], ab);
        dvec_subtract(positions[indices[i + 2]], positions[indices[i]], ac);
        dvec_cross(ac, ab, normal);
        double size = dvec_dot(normal, normal);
        for (int corner = 0; corner < 3; corner++) {
            uint32_t vertex = indices[i + corner];
            if (size < largest[vertex])
                continue;
            largest[vertex] = size;
            first_indices[vertex] = (uint32_t)i;
        }
    }
    return 0;
}

void dominant_bases(const uint32_t *indices, const vec2 *uvs, const vec3 *positions, const uint32_t *first_indices,
                    size_t vertex_count, vec3 *normals, vec4 *tangents)
{
    for (size_t i = 0; i < vertex_count; i++) {
        const uint32_t *corners = &indices[first_indices[i]];
        if (!triangle_normal(corners, positions, normals[i]))
            memcpy(normals[i], (vec3){0, 0, 1}, sizeof normals[i]);
        struct tangent_sum along = directions(corners, uvs, positions);
        finish(&along, normals[i], tangents[i]);
    }
}
