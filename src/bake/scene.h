/* The parts of a plan at one sample: their meshes, and where they stand in the world.
 *
 * The world is the space of the job's own model (a declaration may move the model in it). Attachments hang on
 * joints or tags of that model, so where they stand follows from its pose. */
#ifndef BAKE_SCENE_H
#define BAKE_SCENE_H

#include "bake/plan.h"

struct scene {
    const struct plan *plan;
    struct mesh *meshes; /* one per part, as the other arrays */
    mat4 *part_to_world;
    mat4 **joint_to_model; /* those of attachments only where skeletons are drawn */
    struct pose pose;      /* of the job's own model */
};

int scene_init(struct scene *scene, const struct plan *plan, struct error *err);
void scene_release(struct scene *scene);

void scene_pose(struct scene *scene, uint32_t take, uint32_t sample);

/* The same for scene_place alone: meshes stay as they are. */
void scene_pose_places(struct scene *scene, uint32_t take, uint32_t sample);

/* From a place on the job's own model, as it is posed, to the world. */
void scene_place(const struct scene *scene, const struct place *place, mat4 place_to_world);

/* Where a joint of a part is in the world, in a plan with PASS_SKELETON. */
void scene_joint(const struct scene *scene, size_t part, uint32_t joint, vec3 point);

/* The box around everything that can be seen, in world space; false where nothing is. */
bool scene_box(const struct scene *scene, vec3 box[2]);

#endif
