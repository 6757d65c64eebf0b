/* Reads anything as the .mdx of a model of as many triangles as it asks for, and poses it between two keyframes.
 */
#include <math.h>
#include <stdlib.h>

#include "idtech/md2.h"
#include "model/rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A strip of triangles around the axis, so that points are shared. */
static struct model *make_model(uint32_t triangle_count)
{
    static const uint8_t first[] = {0, 0, 0, 0, 9, 0, 1, 200, 0, 9, 2, 5, 9, 9, 3, 7};
    static const uint8_t second[] = {0, 0, 0, 1, 9, 0, 0, 200, 0, 9, 0, 5, 9, 9, 0, 7};
    static const struct rig_frame keyframes[] = {{.scale = {1, 1, 1}, .stored = first},
                                                 {.scale = {1, 2, 3}, .stored = second}};
    static const uint32_t numbers[] = {0, 1, 2, 3};
    const struct rig_frames frames = {.point_count = 4,
                                      .items = keyframes,
                                      .group_count = 4,
                                      .normals = md2_normals,
                                      .normal_count = MD2_NORMAL_COUNT};
    static const vec2 uvs[4];
    struct model *model = must_alloc(1, sizeof *model);
    uint32_t *indices = arena_must_alloc(&model->arena, (size_t)3 * triangle_count, sizeof *indices);
    for (uint32_t i = 0; i < 3 * triangle_count; i++)
        indices[i] = (i / 3 + i % 3) % 4;
    model_add_animation_entry(model, &(struct animation){.name = "", .frame_count = 2, .rate_hz = 10});
    model->rig = rig_of_frames(&model->arena, &frames, 1);
    model->point_count = model->vertex_count = 4;
    model->vertex_points = numbers;
    model->uvs = uvs;
    model->indices = indices;
    model->index_count = 3 * triangle_count;
    return model;
}

static void pose(const struct model *model)
{
    struct mesh mesh;
    struct error err;
    if (mesh_init(&mesh, model, &err) < 0)
        return;
    model_pose(model, &(struct pose){.moment = {0, 1, 0.25}}, &mesh);
    for (uint32_t i = 0; i < 3 * mesh.point_count; i++)
        if (!(fabsf(mesh.normals[i / 3][i % 3]) <= 1.0001f))
            __builtin_trap();
    mesh_release(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model *model = make_model(size < 18 ? 1 : (uint32_t)(size - 18) / 12);
    struct error err;
    if (md2_add_normals(model, (struct bytes){data, size}, &err) == 0)
        pose(model);
    model_free(model);
    return 0;
}
