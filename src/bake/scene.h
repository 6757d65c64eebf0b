/* The parts of a plan at one sample: their meshes, and where they stand in the world.
 *
 * The world is the space of the job's own model (a declaration may move the model in it). Attachments hang on
 * joints or tags of that model or of each other, so where they stand follows from the poses of those that carry
 * them. */
#pragma once

#include "bake/plan.h"

struct scene {
    const struct plan *plan;
    struct mesh *meshes; /* one per part, as the other arrays */
    struct pose *poses;
    mat4 *part_to_world;
    mat4 **joint_to_model; /* of parts that carry others, and of all where skeletons are drawn */
};

int scene_init(struct scene *scene, const struct plan *plan, struct error *err);
void scene_release(struct scene *scene);

void scene_pose(struct scene *scene, uint32_t take, uint32_t sample);

/* The same for places on the job's own model alone: all else stays as it is. */
void scene_pose_places(struct scene *scene, uint32_t take, uint32_t sample);

/* From a place on a part, as it is posed, to the world. */
void scene_place(const struct scene *scene, const struct place *place, mat4 place_to_world);

/* Where a joint of a part is in the world, in a plan that shows skeletons. */
void scene_joint(const struct scene *scene, size_t part, uint32_t joint, vec3 point);

/* The box around everything that can be seen, in world space; false where nothing is. */
bool scene_box(const struct scene *scene, vec3 box[2]);
