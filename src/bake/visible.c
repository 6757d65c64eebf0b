#include "bake/visible.h"

#include <stdlib.h>

#include "base/memory.h"

static bool draws(const struct material *material)
{
    return !material->stages_only || material->stage_count > 0 || material->adds_light;
}

bool visible_surface(const struct part *part, uint32_t surface)
{
    bool is_drawn = false;
    for (size_t o = 0; o < part->outfit_count; o++)
        is_drawn |= draws(&part->outfits[o].materials[surface]);
    return is_drawn && part->model->surfaces[surface].index_count > 0;
}

static bool is_visible(const struct part *part)
{
    for (uint32_t s = 0; s < part->model->surface_count; s++)
        if (visible_surface(part, s))
            return true;
    return false;
}

static void warn_invisible(struct plan *plan, const struct part *part)
{
    char *what = part->attachment ? must_printf("attachment '%s'", part->name) : must_strdup("it");
    strings_printf(&plan->warnings, "%s: nothing of %s can be seen: it has no %s", plan->job->model, what,
                   part->model->index_count > 0 ? "material that draws anything" : "triangles");
    free(what);
}

static void mark_points(const struct part *part, bool *marks)
{
    const struct model *model = part->model;
    for (uint32_t s = 0; s < model->surface_count; s++) {
        const struct surface *surface = &model->surfaces[s];
        if (!visible_surface(part, s))
            continue;
        for (uint32_t i = 0; i < surface->index_count; i++)
            marks[model->vertex_points[model->indices[surface->first_index + i]]] = true;
    }
}

static int find_points(struct plan *plan, struct part *part, struct error *err)
{
    const struct model *model = part->model;
    bool *marks = memory_alloc(model->point_count, sizeof *marks, err);
    uint32_t *points = arena_alloc(&plan->arena, model->used_point_count, sizeof *points, err);
    int result = marks && points ? 0 : -1;
    if (result == 0) {
        mark_points(part, marks);
        for (uint32_t i = 0; i < model->used_point_count; i++)
            if (marks[model->used_points[i]])
                points[part->visible_point_count++] = model->used_points[i];
        part->visible_points = points;
    }
    free(marks);
    return result;
}

int visible_find(struct plan *plan, struct error *err)
{
    for (size_t i = 0; i < plan->part_count; i++) {
        struct part *part = &plan->parts[i];
        if (!is_visible(part))
            warn_invisible(plan, part);
        if (find_points(plan, part, err) < 0)
            return -1;
    }
    return 0;
}
