#include "format/md5_join.h"

#include <string.h>

#include "base/file.h"

/* The name in the file, else the last part of the shader, else "mesh" and the mesh's number from 1. */
static const char *surface_name(struct model *model, uint32_t i, const struct mesh_block *block)
{
    const char *name = block->name ? block->name : path_foreign_base(block->shader);
    return *name ? name : arena_printf(&model->arena, "mesh%u", i + 1);
}

int md5_join(struct model *model, const struct mesh_block *first, uint32_t mesh_count,
             const struct transform *bind, struct arena *scratch, struct error *err)
{
    struct arena *arena = &model->arena;
    uint32_t totals[LIST_COUNT] = {0}, at[LIST_COUNT] = {0}; /* of all meshes, and of those joined so far */
    for (const struct mesh_block *block = first; block; block = block->next)
        for (int kind = 0; kind < LIST_COUNT; kind++)
            totals[kind] += block->lists[kind].count;

    const uint32_t point_count = totals[VERTS];
    struct surface *surfaces = arena_alloc(arena, mesh_count, sizeof *surfaces, err);
    uint32_t *indices = arena_alloc(arena, totals[TRIS], 3 * sizeof *indices, err);
    uint32_t *vertex_points = arena_alloc(arena, point_count, sizeof *vertex_points, err);
    vec2 *uvs = arena_alloc(arena, point_count, sizeof *uvs, err);
    struct skin_span *spans = arena_alloc(arena, point_count, sizeof *spans, err);
    struct skin_weight *weights = arena_alloc(arena, totals[WEIGHTS], sizeof *weights, err);
    uint32_t *twins = arena_alloc(arena, point_count, sizeof *twins, err);
    struct md5_mesh *data = arena_alloc(arena, 1, sizeof *data, err);
    vec3 *positions = arena_alloc(scratch, point_count, sizeof *positions, err);
    if (!surfaces || !indices || !vertex_points || !uvs || !spans || !weights || !twins || !data || !positions)
        return -1;

    for (const struct mesh_block *block = first; block; block = block->next) {
        const struct list *lists = block->lists;
        const struct vert *verts = lists[VERTS].items;
        const struct tri *tris = lists[TRIS].items;
        const struct weight *own_weights = lists[WEIGHTS].items;
        surfaces[model->surface_count] = (struct surface){
            .name = surface_name(model, model->surface_count, block),
            .material = {.kind = MATERIAL_SHADER, .name = block->shader},
            .first_index = at[TRIS] * 3,
            .index_count = lists[TRIS].count * 3,
        };
        model->surface_count++;
        for (uint32_t i = 0; i < lists[VERTS].count; i++) {
            uint32_t point = at[VERTS] + i;
            memcpy(uvs[point], verts[i].uv, sizeof verts[i].uv);
            vertex_points[point] = point;
            spans[point] = (struct skin_span){at[WEIGHTS] + verts[i].first_weight, verts[i].weight_count};
        }
        for (uint32_t i = 0; i < lists[TRIS].count; i++)
            for (uint32_t corner = 0; corner < 3; corner++)
                indices[(at[TRIS] + i) * 3 + corner] = at[VERTS] + tris[i].corners[corner];
        for (uint32_t i = 0; i < lists[WEIGHTS].count; i++)
            weights[at[WEIGHTS] + i] = own_weights[i].weight;
        for (int kind = 0; kind < LIST_COUNT; kind++)
            at[kind] += lists[kind].count;
    }
    model_name_surfaces(model, surfaces);
    *data = (struct md5_mesh){.bind = bind, .skin = {weights, spans}, .twins = twins};
    skin_points(&data->skin, point_count, bind, model->joint_count, positions);
    uint32_t first_point = 0;
    for (const struct mesh_block *block = first; block; block = block->next) {
        uint32_t count = block->lists[VERTS].count;
        if (md5_find_twins((const vec3 *)positions, first_point, count, scratch, twins, err) < 0)
            return -1;
        first_point += count;
    }
    model->surfaces = surfaces;
    model->indices = indices;
    model->index_count = totals[TRIS] * 3;
    model->vertex_points = vertex_points;
    model->uvs = (const vec2 *)uvs;
    model->has_black_vertices = true;
    model->point_count = model->vertex_count = point_count;
    model->data = data;
    return 0;
}
