#include "model/md5.h"

#include <stdlib.h>

#include "base/dvec.h"
#include "model/tangents.h"

/* Of the triangles around a point: the sum of their cross products, and of the lengths of these. */
struct normal_sum {
    double sum[3], total;
};

/* The cross product is as long as twice the triangle's area, so larger triangles count for more. */
static void add_triangle_normal(const vec3 *positions, const uint32_t corners[3], struct normal_sum *sums)
{
    double ab[3], ac[3], normal[3];
    dvec_subtract(positions[corners[1]], positions[corners[0]], ab);
    dvec_subtract(positions[corners[2]], positions[corners[0]], ac);
    dvec_cross(ac, ab, normal); /* outwards: front faces are clockwise */
    double length = dvec_length(normal);
    for (int corner = 0; corner < 3; corner++) {
        struct normal_sum *sum = &sums[corners[corner]];
        for (int i = 0; i < 3; i++)
            sum->sum[i] += normal[i];
        sum->total += length;
    }
}

/* What is left where triangles cancel each other out, as the two sides of a sheet do, is rounding and no direction. */
static void finish_normal(const struct normal_sum *sum, vec3 normal)
{
    const double least = 1e-4;
    double length = dvec_length(sum->sum);
    bool has_direction = length > 1e-30 && length > least * sum->total;
    for (int i = 0; i < 3; i++)
        normal[i] = has_direction ? (float)(sum->sum[i] / length) : i == 2;
}

int md5_bind_vectors(const struct model *model, const vec3 *positions, vec3 *normals, vec4 *tangents,
                     struct error *err)
{
    struct normal_sum *normal_sums = memory_alloc(model->point_count, sizeof *normal_sums, err);
    struct tangent_sum *sums = memory_alloc(model->point_count, sizeof *sums, err);
    int result = normal_sums && sums ? 0 : -1;
    if (result == 0) {
        for (uint32_t i = 0; i < model->index_count; i += 3)
            add_triangle_normal(positions, &model->indices[i], normal_sums);
        for (uint32_t i = 0; i < model->point_count; i++)
            finish_normal(&normal_sums[i], normals[i]);
        tangents_from_triangles(model->indices, model->index_count, model->uvs, positions, (const vec3 *)normals,
                                model->point_count, sums, tangents);
    }
    free(sums);
    free(normal_sums);
    return result;
}
