#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/md2.h"

/* scale_a * a + scale_b * b + offset is the blend of two frames, with a and b the bytes of the file. At a
 * keyframe it is exactly what the file says. */
struct blended_box {
    vec3 scale_a, scale_b, offset;
};

static struct blended_box blend_boxes(const struct md2_frame *a, const struct md2_frame *b, float blend)
{
    struct blended_box box;

    for (int axis = 0; axis < 3; axis++) {
        box.scale_a[axis] = (1 - blend) * a->scale[axis];
        box.scale_b[axis] = blend * b->scale[axis];
        box.offset[axis] = (1 - blend) * a->translate[axis] + blend * b->translate[axis];
    }
    return box;
}

static void pose_positions(const struct md2_frame *a, const struct md2_frame *b, float blend, struct mesh *mesh)
{
    struct blended_box box = blend_boxes(a, b, blend);

    for (uint32_t i = 0; i < mesh->point_count; i++) {
        const uint8_t *from = a->vertices + (size_t)i * MD2_VERTEX_SIZE;
        const uint8_t *to = b->vertices + (size_t)i * MD2_VERTEX_SIZE;

        for (int axis = 0; axis < 3; axis++)
            mesh->positions[i][axis] =
                box.scale_a[axis] * from[axis] + box.scale_b[axis] * to[axis] + box.offset[axis];
    }
}

/* The triangles around a point: their normals, each as long as twice the triangle's area, and those lengths, added
 * up. In double: where both sides of a sheet share their points nothing but rounding is left of the normals. */
struct around {
    double normal[3], length;
};

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* Triangles are clockwise seen from outside, hence the order of the product. */
static void add_triangle(struct around *around, const struct mesh *mesh, const uint32_t points[3])
{
    double ab[3], ac[3], normal[3], length;

    for (int axis = 0; axis < 3; axis++) {
        ab[axis] = (double)mesh->positions[points[1]][axis] - mesh->positions[points[0]][axis];
        ac[axis] = (double)mesh->positions[points[2]][axis] - mesh->positions[points[0]][axis];
    }
    normal[0] = ac[1] * ab[2] - ac[2] * ab[1];
    normal[1] = ac[2] * ab[0] - ac[0] * ab[2];
    normal[2] = ac[0] * ab[1] - ac[1] * ab[0];
    length = length_of(normal);
    for (int corner = 0; corner < 3; corner++) {
        for (int axis = 0; axis < 3; axis++)
            around[points[corner]].normal[axis] += normal[axis];
        around[points[corner]].length += length;
    }
}

/* By point; the caller's to free. */
static struct around *look_around(const struct model *model, const struct mesh *mesh)
{
    struct around *around = must_alloc(mesh->point_count, sizeof *around);

    for (uint32_t i = 0; i < model->index_count; i += 3) {
        uint32_t points[3];

        for (uint32_t corner = 0; corner < 3; corner++)
            points[corner] = model->vertex_points[model->indices[i + corner]];
        add_triangle(around, mesh, points);
    }
    return around;
}

/* False, and *out as it was, where there are no triangles, or they face all ways alike: what is left of a sum that
 * comes to nothing depends on its order. */
static bool compute_normal(float out[3], const struct around *around)
{
    double length = length_of(around->normal);

    if (!(length > 1e-4 * around->length))
        return false;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)(around->normal[axis] / length);
    return true;
}

/* False, and *out as it was, for a vector that points nowhere. */
static bool set_direction(float out[3], const float from[3])
{
    float length = sqrtf(from[0] * from[0] + from[1] * from[1] + from[2] * from[2]);

    if (!(length > 1e-18f && length < INFINITY))
        return false;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = from[axis] / length;
    return true;
}

/* The blend of two normals of the table; `a` alone where they are opposite. */
static void blend_table_normals(float out[3], uint8_t a, uint8_t b, float blend)
{
    vec3 sum;

    memcpy(out, md2_normals[a], sizeof(vec3));
    if (a == b || blend == 0)
        return;
    for (int axis = 0; axis < 3; axis++)
        sum[axis] = (1 - blend) * md2_normals[a][axis] + blend * md2_normals[b][axis];
    set_direction(out, sum);
}

static void pose_normals(const struct model *model, const struct md2_frame *a, const struct md2_frame *b,
                         float blend, struct mesh *mesh)
{
    static const vec3 up = {0, 0, 1};
    enum md2_computed computed = a->computed > b->computed ? a->computed : b->computed;
    struct around *around = computed != MD2_COMPUTED_NONE ? look_around(model, mesh) : NULL;

    for (uint32_t i = 0; i < mesh->point_count; i++) {
        uint8_t from = a->vertices[(size_t)i * MD2_VERTEX_SIZE + 3];
        uint8_t to = b->vertices[(size_t)i * MD2_VERTEX_SIZE + 3];
        bool is_in_table = from < MD2_NORMAL_COUNT && to < MD2_NORMAL_COUNT;

        if ((!is_in_table || computed == MD2_COMPUTED_ALL) && compute_normal(mesh->normals[i], &around[i]))
            continue;
        if (is_in_table)
            blend_table_normals(mesh->normals[i], from, to, blend);
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

    pose_positions(a, b, blend, mesh);
    pose_normals(model, a, b, blend, mesh);
}
