#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"
#include "format/md2.h"
#include "model/tangents.h"

static const vec3 up = {0, 0, 1};

/* Three bytes of position, one of normal. */
static const uint8_t *vertex_of(const struct md2_frame *frame, const struct md2_point *point)
{
    return frame->vertices + (size_t)point->vertex * MD2_VERTEX_SIZE;
}

/* scale_a * a + scale_b * b + offset is the blend of two frames, with a and b the bytes of the file. At a keyframe it
 * is exactly what the file says. */
static void pose_positions(const struct md2_point *points, const struct md2_frame *a, const struct md2_frame *b,
                           float blend, struct mesh *mesh)
{
    vec3 scale_a, scale_b, offset;

    for (int axis = 0; axis < 3; axis++) {
        scale_a[axis] = (1 - blend) * a->scale[axis];
        scale_b[axis] = blend * b->scale[axis];
        offset[axis] = (1 - blend) * a->translate[axis] + blend * b->translate[axis];
    }
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        const uint8_t *from = vertex_of(a, &points[i]), *to = vertex_of(b, &points[i]);

        for (int axis = 0; axis < 3; axis++)
            mesh->positions[i][axis] = scale_a[axis] * from[axis] + scale_b[axis] * to[axis] + offset[axis];
    }
}

/* The triangles that share a normal: their normals, each as long as twice the triangle's area, or unit normals
 * with an .mdx, and those lengths, added up. In double: where both sides of a sheet share their points nothing but
 * rounding is left of the normals. */
struct around {
    double normal[3], length;
};

/* By group; the caller's to free. */
static struct around *look_around(const struct model *model, const struct mesh *mesh)
{
    const struct md2 *md2 = model->data;
    struct around *around = must_alloc(md2->group_count, sizeof *around);

    for (uint32_t i = 0; i < model->index_count; i += 3) {
        uint32_t points[3];

        for (uint32_t corner = 0; corner < 3; corner++)
            points[corner] = model->vertex_points[model->indices[i + corner]];

        /* Triangles are clockwise seen from outside, hence the order of the product. */
        double ab[3], ac[3], normal[3], length, weight;

        dvec_subtract(mesh->positions[points[1]], mesh->positions[points[0]], ab);
        dvec_subtract(mesh->positions[points[2]], mesh->positions[points[0]], ac);
        dvec_cross(ac, ab, normal);
        length = dvec_length(normal);
        weight = md2->has_mdx && length > 0 ? 1 / length : 1;
        for (int corner = 0; corner < 3; corner++) {
            struct around *sum = &around[md2->points[points[corner]].group];

            for (int axis = 0; axis < 3; axis++)
                sum->normal[axis] += weight * normal[axis];
            sum->length += weight * length;
        }
    }
    return around;
}

/* False, with *out unchanged, where there are no triangles or their normals cancel each other out: such a sum is all
 * rounding error, and depends on its order. */
static bool compute_normal(float out[3], const struct around *around)
{
    double length = dvec_length(around->normal);

    if (!(length > 1e-4 * around->length))
        return false;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)(around->normal[axis] / length);
    return true;
}

/* Of a keyframe, with an .mdx; where its triangles face all ways alike, the vertex's own. */
static void shared_normal(float out[3], const struct around *around, const uint8_t *vertex)
{
    uint8_t own = vertex[3];

    if (!compute_normal(out, around))
        memcpy(out, own < MD2_NORMAL_COUNT ? md2_normals[own] : up, sizeof(vec3));
}

/* Leaves the positions of a keyframe in the mesh. */
static void pose_shared_normals(const struct model *model, const struct md2_frame *a, const struct md2_frame *b,
                                float blend, struct mesh *mesh)
{
    const struct md2_point *points = ((const struct md2 *)model->data)->points;
    struct around *around[2] = {0};

    pose_positions(points, a, a, 0, mesh);
    around[0] = look_around(model, mesh);
    if (b != a) {
        pose_positions(points, b, b, 0, mesh);
        around[1] = look_around(model, mesh);
    }
    for (uint32_t i = 0; i < mesh->point_count; i++) {
        vec3 from, to;

        shared_normal(from, &around[0][points[i].group], vertex_of(a, &points[i]));
        if (b != a)
            shared_normal(to, &around[1][points[i].group], vertex_of(b, &points[i]));
        normals_blend(from, b != a ? to : from, blend, mesh->normals[i]);
    }
    free(around[0]);
    free(around[1]);
}

static void pose_normals(const struct model *model, const struct md2_frame *a, const struct md2_frame *b,
                         float blend, struct mesh *mesh)
{
    const struct md2 *md2 = model->data;
    enum md2_computed computed = a->computed > b->computed ? a->computed : b->computed;
    struct around *around = computed != MD2_COMPUTED_NONE ? look_around(model, mesh) : NULL;

    for (uint32_t i = 0; i < mesh->point_count; i++) {
        uint8_t from = vertex_of(a, &md2->points[i])[3], to = vertex_of(b, &md2->points[i])[3];
        bool is_in_table = from < MD2_NORMAL_COUNT && to < MD2_NORMAL_COUNT;

        if ((!is_in_table || computed == MD2_COMPUTED_ALL) && compute_normal(mesh->normals[i], &around[i]))
            continue;
        if (is_in_table)
            normals_blend(md2_normals[from], md2_normals[to], blend, mesh->normals[i]);
        else
            memcpy(mesh->normals[i], up, sizeof up);
    }
    free(around);
}

void md2_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    const struct md2 *md2 = model->data;
    bool is_bind_pose = pose->animation < 0;
    const struct md2_frame *a = &md2->frames[is_bind_pose ? 0 : pose->moment.frame_a];
    float blend = is_bind_pose ? 0 : (float)pose->moment.blend;
    const struct md2_frame *b = blend > 0 ? &md2->frames[pose->moment.frame_b] : a;

    if (mesh->normals && md2->has_mdx)
        pose_shared_normals(model, a, b, blend, mesh);
    pose_positions(md2->points, a, b, blend, mesh);
    if (mesh->normals && !md2->has_mdx)
        pose_normals(model, a, b, blend, mesh);
}
