#include "bake/scene.h"

#include <cglm/affine.h>
#include <cglm/mat4.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/root_motion.h"

int scene_init(struct scene *scene, const struct plan *plan, struct error *err)
{
    struct scene fresh = {
        .plan = plan,
        .meshes = must_alloc(plan->part_count, sizeof *fresh.meshes),
        .poses = must_alloc(plan->part_count, sizeof *fresh.poses),
        .part_to_world = must_alloc(plan->part_count, sizeof *fresh.part_to_world),
        .joint_to_model = must_alloc(plan->part_count, sizeof *fresh.joint_to_model),
    };
    int result = 0;
    for (size_t i = 0; i < plan->part_count && result == 0; i++) {
        const struct model *model = plan->parts[i].model;
        result = mesh_init(&fresh.meshes[i], model, err);
        if (result == 0 && !(fresh.joint_to_model[i] = memory_alloc(model->joint_count, sizeof(mat4), err)))
            result = -1;
    }
    if (result < 0)
        scene_release(&fresh);
    else
        *scene = fresh;
    return result;
}

void scene_release(struct scene *scene)
{
    for (size_t i = 0; scene->plan && i < scene->plan->part_count; i++) {
        mesh_release(&scene->meshes[i]);
        free(scene->joint_to_model[i]);
    }
    free(scene->meshes);
    free(scene->poses);
    free(scene->part_to_world);
    free(scene->joint_to_model);
    *scene = (struct scene){0};
}

static bool needs_joints(const struct plan *plan, uint32_t part)
{
    bool needs = passes_need(plan->job->passes, SHOWS_SKELETON) || (part == 0 && plan->socket_count > 0);
    for (size_t i = 1; i < plan->part_count; i++)
        needs |= plan->parts[i].at.kind == PLACE_JOINT && plan->parts[i].at.part == part;
    return needs;
}

static void pose_joints(struct scene *scene, uint32_t part, uint32_t take, uint32_t sample)
{
    const struct plan *plan = scene->plan;
    scene->poses[part] = plan_pose(plan, part, &plan->takes[take], sample);
    if (needs_joints(plan, part))
        model_pose_joints(plan->parts[part].model, &scene->poses[part], scene->joint_to_model[part]);
}

void scene_pose_places(struct scene *scene, uint32_t take, uint32_t sample)
{
    const struct plan *plan = scene->plan;
    pose_joints(scene, 0, take, sample);
    glm_mat4_copy((vec4 *)plan->parts[0].local, scene->part_to_world[0]);
    int32_t root = plan->takes[take].root;
    if (root >= 0) {
        vec3 moved = {0};
        root_motion_at(plan->parts[0].model, &scene->poses[0], (uint32_t)root, moved);
        glm_vec3_negate(moved);
        glm_translate(scene->part_to_world[0], moved);
    }
}

void scene_pose(struct scene *scene, uint32_t take, uint32_t sample)
{
    const struct plan *plan = scene->plan;
    scene_pose_places(scene, take, sample);
    for (uint32_t i = 0; i < plan->part_count; i++) {
        const struct part *part = &plan->parts[i];
        if (i > 0) {
            mat4 place;
            pose_joints(scene, i, take, sample);
            scene_place(scene, &part->at, place);
            glm_mat4_mul(place, (vec4 *)part->local, scene->part_to_world[i]);
        }
        model_pose(part->model, &scene->poses[i], &scene->meshes[i]);
    }
}

void scene_place(const struct scene *scene, const struct place *place, mat4 place_to_world)
{
    const struct part *part = &scene->plan->parts[place->part];
    mat4 place_to_model = GLM_MAT4_IDENTITY_INIT;
    if (place->kind == PLACE_JOINT)
        glm_mat4_copy(scene->joint_to_model[place->part][place->index], place_to_model);
    else if (place->kind == PLACE_TAG)
        tag_place(&part->model->tags.items[place->index], &scene->poses[place->part].moment, place_to_model);
    /* Root motion goes over the origin of the job's own model and leaves it where it is. */
    const mat4 *model_to_world =
        place->kind == PLACE_ORIGIN && place->part == 0 ? &part->local : &scene->part_to_world[place->part];
    glm_mat4_mul((vec4 *)*model_to_world, place_to_model, place_to_world);
}

void scene_joint(const struct scene *scene, size_t part, uint32_t joint, vec3 point)
{
    glm_mat4_mulv3(scene->part_to_world[part], scene->joint_to_model[part][joint][3], 1, point);
}

bool scene_box(const struct scene *scene, vec3 box[2])
{
    glm_vec3_fill(box[0], INFINITY);
    glm_vec3_fill(box[1], -INFINITY);
    for (size_t i = 0; i < scene->plan->part_count; i++) {
        const struct part *part = &scene->plan->parts[i];
        for (uint32_t p = 0; p < part->visible_point_count; p++) {
            vec3 point;
            glm_mat4_mulv3(scene->part_to_world[i], scene->meshes[i].positions[part->visible_points[p]], 1, point);
            glm_vec3_minv(box[0], point, box[0]);
            glm_vec3_maxv(box[1], point, box[1]);
        }
    }
    return box[0][0] <= box[1][0];
}
