#include "model/root_motion.h"

#include <ctype.h>
#include <cglm/vec2.h>
#include <cglm/vec3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"

/* Parts of the model's size, the diagonal of its box in the first keyframe. docs/formats.md gives the reasons. */
#define TRAVEL_LEAST 0.05f    /* less is sway */
#define TRAVEL_FAR (1 / 3.f)  /* of the longest side of the box, which is the height of a figure */
#define CLOSED_ALWAYS 0.0005f /* less is the rounding of a file, and not seen */
#define CLOSED_NEAR 0.01f     /* more is another pose, */
#define CLOSED_STEP 0.5f      /* and more than this part of a step: an open loop ends a step before its start */

struct measure {
    const struct model *model;
    const struct clip *clip;
    int32_t root;  /* -1: none */
    bool in_place; /* root motion is taken out */
    struct mesh *meshes[2];
    uint32_t posed[2]; /* keyframes of the clip that the meshes are in; NOTHING_POSED at first */
};

#define NOTHING_POSED UINT32_MAX

static void place_of(const struct model *model, const struct pose *pose, uint32_t root, vec2 out)
{
    SCOPED mat4 *joints = must_alloc(model->joint_count, sizeof *joints);
    model_pose_joints(model, pose, joints);
    glm_vec2_copy(joints[root][3], out);
}

/* A keyframe of the clip, from 0. */
static struct pose keyframe(const struct clip *clip, uint32_t frame)
{
    uint32_t number = clip->first_frame + frame;
    return (struct pose){.animation = (int32_t)clip->animation, .moment = {.frame_a = number, .frame_b = number}};
}

/* How much of the clip is over at a moment: 1 at its last keyframe. */
static double part_of(const struct clip *clip, const struct moment *moment)
{
    const double a_s = clip_keyframe_s(clip, moment->frame_a - clip->first_frame),
                 b_s = clip_keyframe_s(clip, moment->frame_b - clip->first_frame);
    return (a_s + (b_s - a_s) * moment->blend) / clip_keyframe_s(clip, clip->frame_count - 1);
}

void root_motion_at(const struct model *model, const struct clip *clip, const struct pose *pose, vec2 out)
{
    vec2 rest;
    if (clip->keeps_sway) {
        glm_vec2_scale((float *)clip->travel, (float)part_of(clip, &pose->moment), rest);
        glm_vec2_add((float *)clip->start, rest, out);
        return;
    }
    place_of(model, &(struct pose){.animation = -1}, clip->root, rest);
    place_of(model, pose, clip->root, out);
    glm_vec2_sub(out, rest, out);
}

/* Posing is most of the work, so a mesh that is in the keyframe already stays as it is. */
static const vec3 *pose_keyframe(struct measure *measure, int which, uint32_t frame)
{
    const struct pose pose = keyframe(measure->clip, frame);
    if (measure->posed[which] != frame)
        model_pose(measure->model, &pose, measure->meshes[which]);
    measure->posed[which] = frame;
    return (const vec3 *)measure->meshes[which]->positions;
}

/* How far apart a point that is drawn lies in two keyframes, at most. */
static float difference(struct measure *measure, uint32_t frame_a, uint32_t frame_b)
{
    const struct pose poses[2] = {keyframe(measure->clip, frame_a), keyframe(measure->clip, frame_b)};
    const vec3 *a = pose_keyframe(measure, 0, frame_a), *b = pose_keyframe(measure, 1, frame_b);
    vec2 place_a = {0, 0}, place_b = {0, 0};
    float largest = 0;
    if (measure->in_place) {
        place_of(measure->model, &poses[0], (uint32_t)measure->root, place_a);
        place_of(measure->model, &poses[1], (uint32_t)measure->root, place_b);
    }
    vec3 moved = {place_b[0] - place_a[0], place_b[1] - place_a[1], 0};
    for (uint32_t i = 0; i < measure->model->used_point_count; i++) {
        uint32_t point = measure->model->used_points[i];
        vec3 apart;
        glm_vec3_sub((float *)b[point], (float *)a[point], apart);
        largest = fmaxf(largest, glm_vec3_distance(apart, moved));
    }
    return largest;
}

static bool ends_as_it_starts(struct measure *measure, float size)
{
    uint32_t last = measure->clip->frame_count - 1;
    float apart = difference(measure, 0, last);
    if (apart <= CLOSED_ALWAYS * size || apart > CLOSED_NEAR * size)
        return apart <= CLOSED_ALWAYS * size;
    return apart <= CLOSED_STEP * difference(measure, last - 1, last) ||
           apart <= CLOSED_STEP * difference(measure, 0, 1);
}

/* `is_guess`: that the root is one, so it has to go far. */
static int measure_clip(const struct model *model, int32_t root, bool is_guess, struct clip *clip,
                        struct error *err)
{
    struct measure measure = {.model = model, .clip = clip, .root = root, .posed = {NOTHING_POSED, NOTHING_POSED}};
    const bool is_timed = clip->times_s != NULL; /* its file says how it loops */
    clip->closes &= is_timed;
    glm_vec2_zero(clip->travel);
    if (model->joint_count == 0 || model->used_point_count == 0 || clip->frame_count < 2)
        return 0;
    SCOPED_BY(mesh_release) struct mesh first = {0}, second = {0};
    measure.meshes[0] = &first;
    measure.meshes[1] = &second;
    if (mesh_init_positions(&first, model, err) < 0 || mesh_init_positions(&second, model, err) < 0)
        return -1;
    const struct pose starts = keyframe(clip, 0), ends = keyframe(clip, clip->frame_count - 1);
    vec3 box[2], sides;
    pose_keyframe(&measure, 0, 0);
    mesh_box(model, &first, box);
    const float size = glm_vec3_distance(box[1], box[0]);

    vec2 start = {0, 0}, end = {0, 0}, rest = {0, 0};
    if (root >= 0) {
        place_of(model, &(struct pose){.animation = -1}, (uint32_t)root, rest);
        place_of(model, &starts, (uint32_t)root, start);
        place_of(model, &ends, (uint32_t)root, end);
    }
    glm_vec2_sub(end, start, end);
    glm_vec2_sub(start, rest, start);
    glm_vec3_sub(box[1], box[0], sides);
    const float far = TRAVEL_FAR * glm_vec3_max(sides);
    measure.in_place = glm_vec2_norm(end) > (is_guess ? far : TRAVEL_LEAST * size);
    glm_vec2_scale(start, glm_vec2_norm(start) > far ? 1 : 0, clip->start);
    if (measure.in_place)
        glm_vec2_copy(end, clip->travel);
    if (!is_timed && (measure.in_place || !is_guess))
        clip->closes = ends_as_it_starts(&measure, size);
    return 0;
}

int clip_measure(const struct model *model, int32_t root, struct clip *clip, struct error *err)
{
    return measure_clip(model, root, false, clip, err);
}

/* A joint called so, after what exporters put in front: "mixamorig:Hips", "Bip01 Pelvis". */
static int32_t find_called(const struct model *model, const char *wanted)
{
    for (uint32_t j = 0; j < model->joint_count; j++) {
        const char *name = model->joints[j].name;
        const size_t length = strlen(name), size = strlen(wanted);
        if (length >= size && !strcasecmp(name + length - size, wanted) &&
            (length == size || !isalpha((unsigned char)name[length - size - 1])))
            return (int32_t)j;
    }
    return -1;
}

/* The topmost joint that points hang on and that carries all legs. */
static int32_t find_above_legs(const struct model *model)
{
    const uint32_t count = model->joint_count;
    SCOPED uint32_t *legs = must_alloc(count, sizeof *legs);
    SCOPED bool *is_used = must_alloc(count, sizeof *is_used);
    uint32_t leg_count = 0;
    for (uint32_t i = 0; i < model->used_point_count && model->point_joints; i++)
        is_used[model->point_joints[model->used_points[i]]] = true;
    for (uint32_t j = count; j-- > 0;) {
        const char *name = model->joints[j].name;
        const uint32_t is_leg = strcasestr(name, "leg") || strcasestr(name, "thigh");
        leg_count += is_leg;
        legs[j] += is_leg;
        if (model->joints[j].parent >= 0)
            legs[model->joints[j].parent] += legs[j];
    }
    for (uint32_t j = 0; j < count; j++)
        if (leg_count > 1 && legs[j] == leg_count && is_used[j])
            return (int32_t)j;
    return -1;
}

static int search_travel(const struct model *model, struct clip *clip, struct error *err)
{
    int32_t root = find_called(model, "hips");
    root = root < 0 ? find_called(model, "pelvis") : root;
    root = root < 0 ? find_above_legs(model) : root;
    root = root < 0 ? find_called(model, "root") : root;
    if (root < 0)
        return 0;
    clip->root = (uint32_t)root;
    return measure_clip(model, root, true, clip, err);
}

int clip_find_travel(const struct model *model, struct clip *clip, struct error *err)
{
    struct clip found = *clip;
    if (clip_travels(clip))
        return 0;
    if (clip->searched && clip->searched->frame_count)
        found = *clip->searched;
    else if (search_travel(model, &found, err) < 0)
        return -1;
    if (clip->searched)
        *clip->searched = found;
    if (!clip_travels(&found))
        return 0;
    glm_vec2_copy(found.travel, clip->travel);
    glm_vec2_copy(found.start, clip->start);
    clip->closes = found.closes;
    clip->root = found.root;
    clip->keeps_sway = true;
    return 1;
}
