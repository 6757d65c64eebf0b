#include "model/tangents.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/dvec.h"

/* False, and `v` as it was, when it is too short to have a direction. */
static bool normalise(double v[3])
{
    double length = dvec_length(v);
    if (!(length > 1e-30))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
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

int triangle_handedness(const uint32_t corners[3], const vec2 *uvs)
{
    double determinant = uv_sides(corners, uvs).determinant;
    return (determinant > 0) - (determinant < 0);
}

/* The triangle is the map from (s, t) to space; its directions along s and t need the sign of the map's
 * determinant but not its size, which would let triangles with hardly any texture outweigh the others. */
static void add_triangle(const uint32_t corners[3], const vec2 *uvs, const vec3 *positions,
                         struct tangent_sum *sums)
{
    struct uv_sides uv = uv_sides(corners, uvs);
    double sign = (uv.determinant > 0) - (uv.determinant < 0);
    const float *a = positions[corners[0]], *b = positions[corners[1]], *c = positions[corners[2]];
    for (int i = 0; i < 3; i++) {
        double ab = (double)b[i] - a[i], ac = (double)c[i] - a[i];
        double along_s = sign * (ab * uv.t_ac - ac * uv.t_ab), along_t = sign * (ac * uv.s_ab - ab * uv.s_ac);
        for (int corner = 0; corner < 3; corner++) {
            sums[corners[corner]].along_s[i] += along_s;
            sums[corners[corner]].along_t[i] += along_t;
        }
    }
}

static void finish(const struct tangent_sum *sum, const vec3 normal, vec4 out)
{
    double n[3] = {normal[0], normal[1], normal[2]}, t[3], bitangent[3];
    memcpy(t, sum->along_s, sizeof t);
    double before = dvec_length(t), along = dvec_dot(t, n);
    for (int i = 0; i < 3; i++)
        t[i] -= along * n[i];
    /* Nothing left but rounding: no texture coordinates here, or s runs along the normal. */
    if (dvec_length(t) <= 1e-6 * before || !normalise(t)) {
        double axis[3] = {fabs(n[0]) < 0.7, fabs(n[0]) >= 0.7, 0};
        dvec_cross(n, axis, t);
        normalise(t);
    }
    dvec_cross(n, t, bitangent);
    for (int i = 0; i < 3; i++)
        out[i] = (float)t[i];
    out[3] = dvec_dot(bitangent, sum->along_t) < 0 ? -1 : 1;
}

void tangents_from_triangles(const uint32_t *indices, size_t index_count, const vec2 *uvs, const vec3 *positions,
                             const vec3 *normals, size_t vertex_count, struct tangent_sum *sums, vec4 *tangents)
{
    memset(sums, 0, vertex_count * sizeof *sums);
    for (size_t i = 0; i < index_count; i += 3)
        add_triangle(&indices[i], uvs, positions, sums);
    for (size_t i = 0; i < vertex_count; i++)
        finish(&sums[i], normals[i], tangents[i]);
}
