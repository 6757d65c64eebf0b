/* Poses of points that have keyframes of their own: MD2, MDL, MD3. */
#include <cglm/mat4.h>
#include <stdlib.h>
#include <string.h>

#include "base/dvec.h"
#include "model/rig.h"
#include "model/tangents.h"

enum { BYTES_SIZE = 4, SHORTS_SIZE = 8 }; /* of a stored point */

static const vec3 up = {0, 0, 1};

/* Two keyframes and how far the way from the first to the second. */
struct span {
    const struct rig_frame *a, *b;
    float blend;
};

static const uint8_t *stored_in(const struct rig_frames *frames, const struct rig_frame *frame, uint32_t point)
{
    const uint32_t number = frames->points ? frames->points[point].stored : point;
    return frame->stored + (size_t)number * (frames->sines ? SHORTS_SIZE : BYTES_SIZE);
}

static uint32_t group_of(const struct rig_frames *frames, uint32_t point)
{
    return frames->points ? frames->points[point].group : point;
}

/* -- Positions --------------------------------------------------------------------------------------------- */

static int16_t short_at(const uint8_t *stored, int axis)
{
    return (int16_t)(stored[2 * axis] | stored[2 * axis + 1] << 8);
}

/* scale_a * a + scale_b * b + offset is the blend of two keyframes, with a and b the numbers of the file. At a keyframe it is
 * exactly what the file says. Inline: it is compiled once for each way to store. */
static inline void blend_positions(const struct rig_frames *frames, struct span span, bool are_shorts,
                                   vec3 *positions)
{
    const size_t size = are_shorts ? SHORTS_SIZE : BYTES_SIZE;
    vec3 scale_a, scale_b, offset;
    for (int axis = 0; axis < 3; axis++) {
        scale_a[axis] = (1 - span.blend) * span.a->scale[axis];
        scale_b[axis] = span.blend * span.b->scale[axis];
        offset[axis] = (1 - span.blend) * span.a->translate[axis] + span.blend * span.b->translate[axis];
    }
    for (uint32_t i = 0; i < frames->point_count; i++) {
        const size_t at = size * (frames->points ? frames->points[i].stored : i);
        const uint8_t *a = span.a->stored + at, *b = span.b->stored + at;
        for (int axis = 0; axis < 3; axis++) {
            const float from = are_shorts ? short_at(a, axis) : a[axis];
            const float to = are_shorts ? short_at(b, axis) : b[axis];
            positions[i][axis] = scale_a[axis] * from + scale_b[axis] * to + offset[axis];
        }
    }
}

static void pose_positions(const struct rig_frames *frames, struct span span, vec3 *positions)
{
    if (frames->sines)
        blend_positions(frames, span, true, positions);
    else
        blend_positions(frames, span, false, positions);
}

/* -- Normals ----------------------------------------------------------------------------------------------- */

/* The normal of a stored point, which may be in `room`; NULL: its number says nothing. */
static const float *stored_normal(const struct rig_frames *frames, const uint8_t *stored, vec3 room)
{
    if (!frames->sines)
        return stored[3] < frames->normal_count ? frames->normals[stored[3]] : NULL;
    const float *from_z = &frames->sines[stored[6]], *around = &frames->sines[stored[7]];
    room[0] = around[64] * from_z[0];
    room[1] = around[0] * from_z[0];
    room[2] = from_z[64];
    return room;
}

/* The triangles at a group: their normals, each as long as twice the triangle's area, or unit normals where they are shared,
 * and those lengths, added up. In double: where both sides of a sheet share their points nothing but rounding is left of
 * the normals. */
struct around {
    double normal[3], length;
};

/* Returns these sums by group; the caller's to free. */
static struct around *look_around(const struct model *model, const struct rig_frames *frames,
                                  const struct mesh *mesh)
{
    struct around *around = must_alloc(frames->group_count, sizeof *around);
    for (uint32_t i = 0; i < model->index_count; i += 3) {
        uint32_t points[3];
        for (uint32_t corner = 0; corner < 3; corner++)
            points[corner] = model->vertex_points[model->indices[i + corner]];

        /* Triangles are clockwise seen from outside, hence the order of the product. */
        double ab[3], ac[3], normal[3], length, weight;
        dvec_subtract(mesh->positions[points[1]], mesh->positions[points[0]], ab);
        dvec_subtract(mesh->positions[points[2]], mesh->positions[points[0]], ac);
        dvec_cross(ac, ab, normal);
        length = dvec_length(normal);
        weight = frames->shares_normals && length > 0 ? 1 / length : 1;
        for (int corner = 0; corner < 3; corner++) {
            struct around *sum = &around[group_of(frames, points[corner])];
            for (int axis = 0; axis < 3; axis++)
                sum->normal[axis] += weight * normal[axis];
            sum->length += weight * length;
        }
    }
    return around;
}

/* False, with *out unchanged, where there are no triangles or their normals cancel each other out: such a sum is all
 * rounding error, and depends on its order. */
static bool derive_normal(float out[3], const struct around *around)
{
    double length = dvec_length(around->normal);
    if (!(length > 1e-4 * around->length))
        return false;
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)(around->normal[axis] / length);
    return true;
}

/* Fills in the normal of a keyframe; where the triangles of the group face all ways alike, the stored one. */
static void shared_normal(const struct rig_frames *frames, const struct rig_frame *frame, uint32_t point,
                          const struct around *around, vec3 out)
{
    vec3 room;
    const float *own = stored_normal(frames, stored_in(frames, frame, point), room);
    if (!derive_normal(out, &around[group_of(frames, point)]))
        memcpy(out, own ? own : up, sizeof up);
}

/* Leaves the positions of a keyframe in the mesh. */
static void pose_shared_normals(const struct model *model, const struct rig_frames *frames, struct span span,
                                struct mesh *mesh)
{
    const struct rig_frame *const ends[2] = {span.a, span.b};
    struct around *around[2] = {0};
    const int last = span.a != span.b;
    for (int i = 0; i <= last; i++) {
        pose_positions(frames, (struct span){ends[i], ends[i], 0}, mesh->positions + frames->first_point);
        around[i] = look_around(model, frames, mesh);
    }
    for (uint32_t i = 0; i < frames->point_count; i++) {
        vec3 from, to;
        shared_normal(frames, span.a, i, around[0], from);
        shared_normal(frames, span.b, i, around[last], to);
        normals_blend(from, to, span.blend, mesh->normals[frames->first_point + i]);
    }
    free(around[0]);
    free(around[1]);
}

static void pose_normals(const struct model *model, const struct rig_frames *frames, struct span span,
                         struct mesh *mesh)
{
    const enum rig_derived derived = span.a->derived > span.b->derived ? span.a->derived : span.b->derived;
    SCOPED struct around *around = derived != RIG_DERIVED_NONE ? look_around(model, frames, mesh) : NULL;
    vec3 *normals = mesh->normals + frames->first_point;
    for (uint32_t i = 0; i < frames->point_count; i++) {
        vec3 rooms[2];
        const float *from = stored_normal(frames, stored_in(frames, span.a, i), rooms[0]);
        const float *to = stored_normal(frames, stored_in(frames, span.b, i), rooms[1]);
        const bool are_stored = from && to;
        if ((!are_stored || derived == RIG_DERIVED_ALL) && derive_normal(normals[i], &around[i]))
            continue;
        if (are_stored)
            normals_blend(from, to, span.blend, normals[i]);
        else
            memcpy(normals[i], up, sizeof up);
    }
}

/* -- Poses ------------------------------------------------------------------------------------------------- */

/* Frames at a moment, and their place: from their space to the model's. */
struct placed_frames {
    struct moment moment;
    mat4 to_model;
};

/* Returns the moment of the frames of that number, at a moment of the animation. */
static struct moment moment_of(const struct motion *motion, struct moment moment, uint32_t number)
{
    if (!motion)
        return moment;
    const struct rig_play *play = &motion->plays[number], *lead = &motion->plays[motion->lead];
    const uint32_t first = play->clip.first_frame, last = first + play->clip.frame_count - 1;
    if (play != lead) {
        struct clip clip = play->clip;
        const double time_s = (moment.frame_a + moment.blend) / (double)lead->clip.rate_hz;
        clip.first_frame = 0;
        moment = clip_moment(&clip, time_s, !clip_plays_once(&clip));
    }
    moment.frame_a = play->is_reversed ? last - moment.frame_a : first + moment.frame_a;
    moment.frame_b = play->is_reversed ? last - moment.frame_b : first + moment.frame_b;
    return moment;
}

static void place_frames(const struct model *model, const struct pose *pose,
                         struct placed_frames placed[RIG_MOST_FRAMES])
{
    const struct rig *rig = model->rig;
    const bool is_at_rest = pose->animation < 0;
    const struct motion *motion = is_at_rest ? rig->rest : model->animations[pose->animation].motion;
    const struct moment moment = is_at_rest ? (struct moment){0} : pose->moment;
    for (uint32_t i = 0; i < rig->frames_count; i++) {
        placed[i].moment = moment_of(motion, moment, i);
        glm_mat4_identity(placed[i].to_model);
        if (!rig->frames[i].tag)
            continue;
        tag_place(rig->frames[i].tag, &placed[i - 1].moment, placed[i].to_model);
        glm_mat4_mul(placed[i - 1].to_model, placed[i].to_model, placed[i].to_model);
    }
}

void frames_pose(const struct model *model, const struct pose *pose, struct mesh *mesh)
{
    struct placed_frames placed[RIG_MOST_FRAMES];
    place_frames(model, pose, placed);
    for (uint32_t f = 0; f < model->rig->frames_count; f++) {
        const struct rig_frames *frames = &model->rig->frames[f];
        const struct moment *moment = &placed[f].moment;
        vec3 *positions = mesh->positions + frames->first_point;
        vec3 *normals = mesh->normals ? mesh->normals + frames->first_point : NULL;
        struct span span = {&frames->items[moment->frame_a], NULL, (float)moment->blend};
        span.b = span.blend > 0 ? &frames->items[moment->frame_b] : span.a;
        if (normals && frames->shares_normals)
            pose_shared_normals(model, frames, span, mesh);
        pose_positions(frames, span, positions);
        if (normals && !frames->shares_normals)
            pose_normals(model, frames, span, mesh);
        for (uint32_t i = 0; frames->tag && i < frames->point_count; i++) {
            glm_mat4_mulv3(placed[f].to_model, positions[i], 1, positions[i]);
            if (normals)
                glm_mat4_mulv3(placed[f].to_model, normals[i], 0, normals[i]);
        }
    }
}

void frames_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model)
{
    struct placed_frames placed[RIG_MOST_FRAMES];
    place_frames(model, pose, placed);
    for (uint32_t j = 0; j < model->joint_count; j++) {
        const struct rig_hold *hold = &model->rig->holds[j];
        glm_mat4_identity(joint_to_model[j]);
        if (hold->tag)
            tag_place(hold->tag, &placed[hold->frames].moment, joint_to_model[j]);
        glm_mat4_mul(placed[hold->frames].to_model, joint_to_model[j], joint_to_model[j]);
    }
}

struct rig *rig_of_frames(struct arena *arena, const struct rig_frames *frames, uint32_t count)
{
    struct rig *rig = arena_must_alloc(arena, 1, sizeof *rig);
    rig->frames = arena_copy(arena, frames, count, sizeof *frames);
    rig->frames_count = count;
    return rig;
}
