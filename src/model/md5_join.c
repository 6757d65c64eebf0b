#include "model/md5_join.h"

#include <string.h>

static bool surface_name_is_taken(const struct surface *surfaces, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(surfaces[i].name, name))
            return true;
    return false;
}

/* The name in the file, else the last part of the shader, else "mesh" and the mesh's number from 1. A name that
 * is taken gets that number too, and as many underscores as it needs. */
static const char *surface_name(struct model *model, const struct surface *surfaces, uint32_t i,
                                const struct mesh_block *block)
{
    const char *name = block->name;
    if (!name) {
        name = block->shader;
        for (const char *c = block->shader; *c; c++)
            if (*c == '/' || *c == '\\')
                name = c + 1;
    }
    if (!*name)
        name = arena_printf(&model->arena, "mesh%u", i + 1);
    if (surface_name_is_taken(surfaces, i, name))
        name = arena_printf(&model->arena, "%s_%u", name, i + 1);
    while (surface_name_is_taken(surfaces, i, name))
        name = arena_printf(&model->arena, "%s_", name);
    return name;
}

/* Where the meshes go that are put one after the other. */
struct target {
    struct surface *surfaces;
    uint32_t *indices, *vertex_points;
    vec2 *uvs;
    struct skin_span *spans;
    struct skin_weight *weights;
};

static void count_items(const struct mesh_block *first, uint32_t totals[LIST_COUNT])
{
    for (const struct mesh_block *block = first; block; block = block->next)
        for (int kind = 0; kind < LIST_COUNT; kind++)
            totals[kind] += block->lists[kind].count;
}

static int allocate_target(struct model *model, uint32_t mesh_count, const uint32_t totals[LIST_COUNT],
                           struct target *out, struct error *err)
{
    struct arena *arena = &model->arena;
    struct target target = {
        .surfaces = arena_alloc(arena, mesh_count, sizeof *target.surfaces, err),
        .indices = arena_alloc(arena, totals[TRIS], 3 * sizeof *target.indices, err),
        .vertex_points = arena_alloc(arena, totals[VERTS], sizeof *target.vertex_points, err),
        .uvs = arena_alloc(arena, totals[VERTS], sizeof *target.uvs, err),
        .spans = arena_alloc(arena, totals[VERTS], sizeof *target.spans, err),
        .weights = arena_alloc(arena, totals[WEIGHTS], sizeof *target.weights, err),
    };
    if (!target.surfaces || !target.indices || !target.vertex_points || !target.uvs || !target.spans ||
        !target.weights)
        return -1;
    *out = target;
    return 0;
}

/* Appends a mesh; `at` counts what is there already. */
static void append_mesh(const struct mesh_block *block, const struct target *target, uint32_t at[LIST_COUNT])
{
    const struct list *lists = block->lists;
    const struct vert *verts = lists[VERTS].items;
    const struct tri *tris = lists[TRIS].items;
    const struct weight *weights = lists[WEIGHTS].items;
    for (uint32_t i = 0; i < lists[VERTS].count; i++) {
        uint32_t point = at[VERTS] + i;
        memcpy(target->uvs[point], verts[i].uv, sizeof verts[i].uv);
        target->vertex_points[point] = point;
        target->spans[point] = (struct skin_span){at[WEIGHTS] + verts[i].first_weight, verts[i].weight_count};
    }
    for (uint32_t i = 0; i < lists[TRIS].count; i++)
        for (uint32_t corner = 0; corner < 3; corner++)
            target->indices[(at[TRIS] + i) * 3 + corner] = at[VERTS] + tris[i].corners[corner];
    for (uint32_t i = 0; i < lists[WEIGHTS].count; i++)
        target->weights[at[WEIGHTS] + i] = weights[i].weight;
    for (int kind = 0; kind < LIST_COUNT; kind++)
        at[kind] += lists[kind].count;
}

static int join_meshes(struct model *model, const struct mesh_block *first, uint32_t mesh_count,
                       struct md5_mesh *data, struct error *err)
{
    uint32_t totals[LIST_COUNT] = {0}, at[LIST_COUNT] = {0}, i = 0;
    struct target target;
    count_items(first, totals);
    if (allocate_target(model, mesh_count, totals, &target, err) < 0)
        return -1;
    for (const struct mesh_block *block = first; block; block = block->next, i++) {
        target.surfaces[i] = (struct surface){
            .name = surface_name(model, target.surfaces, i, block),
            .material = {MATERIAL_SHADER, block->shader},
            .first_index = at[TRIS] * 3,
            .index_count = block->lists[TRIS].count * 3,
        };
        append_mesh(block, &target, at);
    }
    model->surfaces = target.surfaces;
    model->surface_count = mesh_count;
    model->indices = target.indices;
    model->index_count = totals[TRIS] * 3;
    model->vertex_points = target.vertex_points;
    model->uvs = target.uvs;
    model->point_count = model->vertex_count = totals[VERTS];
    data->skin = (struct skin){target.weights, target.spans};
    return 0;
}

static int add_twins(struct model *model, struct md5_mesh *data, const struct mesh_block *first,
                     struct arena *scratch, struct error *err)
{
    uint32_t *twins = arena_alloc(&model->arena, model->point_count, sizeof *twins, err);
    vec3 *positions = arena_alloc(scratch, model->point_count, sizeof *positions, err);
    uint32_t at = 0;
    if (!twins || !positions)
        return -1;
    skin_points(&data->skin, model->point_count, data->bind, model->joint_count, positions);
    for (const struct mesh_block *block = first; block; block = block->next) {
        uint32_t count = block->lists[VERTS].count;
        if (md5_find_twins((const vec3 *)positions, at, count, scratch, twins, err) < 0)
            return -1;
        at += count;
    }
    data->twins = twins;
    return 0;
}

int md5_join(struct model *model, const struct mesh_block *first, uint32_t mesh_count,
             const struct transform *bind, struct arena *scratch, struct error *err)
{
    struct md5_mesh *data = arena_alloc(&model->arena, 1, sizeof *data, err);
    if (!data || join_meshes(model, first, mesh_count, data, err) < 0)
        return -1;
    data->bind = bind;
    model->data = data;
    return add_twins(model, data, first, scratch, err);
}
