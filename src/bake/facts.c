#include "bake/facts.h"

#include <math.h>
#include <string.h>

/* Of the pose that is drawn first: "x y z to x y z". */
static char *bounds_text(const struct plan *plan, struct arena *arena, struct error *err)
{
    const struct model *model = plan->parts[0].model;
    struct pose pose = take_pose(&plan->takes[0], 0, plan->job->interpolation);
    struct mesh mesh;
    if (mesh_init_positions(&mesh, model, err) < 0)
        return NULL;
    model_pose(model, &pose, &mesh);
    double least[3] = {0}, most[3] = {0};
    for (uint32_t i = 0; i < model->used_point_count; i++)
        for (int axis = 0; axis < 3; axis++) {
            double value = (double)mesh.positions[model->used_points[i]][axis];
            least[axis] = i ? fmin(least[axis], value) : value;
            most[axis] = i ? fmax(most[axis], value) : value;
        }
    mesh_release(&mesh);
    for (int axis = 0; axis < 3; axis++) { /* adding 0 prints -0 as 0 */
        least[axis] = round(least[axis] * 1000) / 1000 + 0.0;
        most[axis] = round(most[axis] * 1000) / 1000 + 0.0;
    }
    return arena_printf(arena, "%.3f %.3f %.3f to %.3f %.3f %.3f", least[0], least[1], least[2], most[0], most[1],
                        most[2]);
}

/* Pictures that were found, each once; and surfaces without one, though one was looked for. */
static void count_textures(const struct part *part, size_t *found, size_t *missing)
{
    struct strings pictures = {0};
    for (size_t o = 0; o < part->outfit_count; o++)
        for (uint32_t i = 0; i < part->model->surface_count; i++) {
            const struct material *material = &part->outfits[o].materials[i];
            const struct material_picture *diffuse = &material->pictures[PICTURE_DIFFUSE];
            for (int m = 0; m < PICTURE_COUNT; m++) {
                const char *program = material->pictures[m].program;
                if (program && !strings_has(&pictures, program))
                    strings_add(&pictures, program);
            }
            *missing += !diffuse->program && !material->stages_only && diffuse->tried.count > 0;
        }
    *found = pictures.count;
    strings_release(&pictures);
}

int plan_facts(const struct plan *plan, struct arena *arena, struct record_pairs *out, struct error *err)
{
    const struct part *part = &plan->parts[0];
    const struct model *model = part->model;
    char *bounds = bounds_text(plan, arena, err);
    size_t found = 0, missing = 0;
    if (!bounds)
        return -1;
    count_textures(part, &found, &missing);
    const struct record_pair facts[] = {
        {"bounds", bounds},
        {"clips", arena_printf(arena, "%u", model->clip_count)},
        {"format", model->format_name},
        {"joints", arena_printf(arena, "%u", model->joint_count)},
        {"missing_textures", arena_printf(arena, "%zu", missing)},
        {"model", part->file.path},
        {"textures", arena_printf(arena, "%zu", found)},
        {"triangles", arena_printf(arena, "%u", model->index_count / 3)},
        {"vertices", arena_printf(arena, "%u", model->vertex_count)},
    };
    struct record_pair *items = arena_must_alloc(arena, sizeof facts / sizeof *facts, sizeof *facts);
    memcpy(items, facts, sizeof facts);
    *out = (struct record_pairs){items, sizeof facts / sizeof *facts};
    return 0;
}
