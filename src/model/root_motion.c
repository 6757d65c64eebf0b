#include "model/root_motion.h"

#include <cglm/vec2.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* Parts of the model's size, the diagonal of its box in the first keyframe. docs/formats.md gives the reasons. */
#define TRAVEL_LEAST 0.05f    /* less is sway */
#define CLOSED_ALWAYS 0.0005f /* less is the rounding of a file, and not seen */
#define CLOSED_NEAR 0.01f     /* more is another pose, */
#define CLOSED_STEP                                                                                               \
    0.5f /* and so is more than this part of a step: an open loop ends a whole step before its start */

struct measure {
    const struct model *model;
    const struct clip *clip;
    uint32_t root;
    bool in_place; /* root motion is taken out */
    struct mesh meshes[2];
};

static void place_of(const struct model *model, const struct pose *pose, uint32_t root, vec2 out)
{
    mat4 *joints = must_alloc(model->joint_count, sizeof *joints);
    model_pose_joints(model, pose, joints);
    glm_vec2_copy(joints[root][3], out);
    free(joints);
}

void root_motion_at(const struct model *model, const struct pose *pose, uint32_t root, vec2 out)
{
    vec2 rest;
    place_of(model, &(struct pose){.animation = -1}, root, rest);
    place_of(model, pose, root, out);
    glm_vec2_sub(out, rest, out);
}

/* A keyframe of the clip, from 0. */
static struct pose keyframe(const struct clip *clip, uint32_t frame)
{
    uint32_t number = clip->first_frame + frame;
    return (struct pose){.animation = (int32_t)clip->animation, .moment = {.frame_a = number, .frame_b = number}};
}

static void pose_keyframe(const struct measure *measure, uint32_t frame, struct mesh *mesh, vec2 moved)
{
    const struct pose pose = keyframe(measure->clip, frame);
    model_pose(measure->model, &pose, mesh);
    glm_vec2_zero(moved);
    if (measure->in_place)
        root_motion_at(measure->model, &pose, measure->root, moved);
}

/* How far apart a point that is drawn lies in two keyframes, at most. */
static float difference(struct measure *measure, uint32_t frame_a, uint32_t frame_b)
{
    vec2 moved_a, moved_b;
    float largest = 0;
    pose_keyframe(measure, frame_a, &measure->meshes[0], moved_a);
    pose_keyframe(measure, frame_b, &measure->meshes[1], moved_b);
    vec3 moved = {moved_b[0] - moved_a[0], moved_b[1] - moved_a[1], 0};
    for (uint32_t i = 0; i < measure->model->used_point_count; i++) {
        uint32_t point = measure->model->used_points[i];
        vec3 apart;
        glm_vec3_sub(measure->meshes[1].positions[point], measure->meshes[0].positions[point], apart);
        largest = fmaxf(largest, glm_vec3_distance(apart, moved));
    }
    return largest;
}

static float size_at_start(struct measure *measure)
{
    const struct model *model = measure->model;
    const struct pose first = keyframe(measure->clip, 0);
    vec3 least = {INFINITY, INFINITY, INFINITY}, most = {-INFINITY, -INFINITY, -INFINITY};
    model_pose(model, &first, &measure->meshes[0]);
    for (uint32_t i = 0; i < model->used_point_count; i++) {
        glm_vec3_minv(least, measure->meshes[0].positions[model->used_points[i]], least);
        glm_vec3_maxv(most, measure->meshes[0].positions[model->used_points[i]], most);
    }
    return glm_vec3_distance(most, least);
}

static void measure_travel(struct measure *measure, float size, vec2 travel)
{
    const struct pose first = keyframe(measure->clip, 0),
                      last = keyframe(measure->clip, measure->clip->frame_count - 1);
    vec2 start;
    place_of(measure->model, &first, measure->root, start);
    place_of(measure->model, &last, measure->root, travel);
    glm_vec2_sub(travel, start, travel);
    measure->in_place = glm_vec2_norm(travel) > TRAVEL_LEAST * size;
    if (!measure->in_place)
        glm_vec2_zero(travel);
}

static bool ends_as_it_starts(struct measure *measure, float size)
{
    uint32_t last = measure->clip->frame_count - 1;
    float apart = difference(measure, 0, last);
    if (apart <= CLOSED_ALWAYS * size)
        return true;
    return apart <= CLOSED_NEAR * size &&
           apart <= CLOSED_STEP * fmaxf(difference(measure, 0, 1), difference(measure, last - 1, last));
}

int clip_measure(const struct model *model, uint32_t root, struct clip *clip, struct error *err)
{
    struct measure measure = {.model = model, .clip = clip, .root = root};
    clip->closes = false;
    glm_vec2_zero(clip->travel);
    if (model->joint_count == 0 || model->used_point_count == 0 || clip->frame_count < 2)
        return 0;
    int result = mesh_init(&measure.meshes[0], model, err);
    if (result == 0)
        result = mesh_init(&measure.meshes[1], model, err);
    if (result == 0) {
        float size = size_at_start(&measure);
        measure_travel(&measure, size, clip->travel);
        clip->closes = ends_as_it_starts(&measure, size);
    }
    mesh_release(&measure.meshes[0]);
    mesh_release(&measure.meshes[1]);
    return result;
}
