#include "rig.h"

#include <assert.h>

int rig_joint(struct rig *rig, const char *name, int parent, struct v3 rest)
{
    int joint = rig->joint_count++;
    assert(joint < RIG_MAX_JOINTS && parent < joint);
    rig->joints[joint] = (struct rig_joint){name, parent, rest, joint};
    return joint;
}

int rig_pair(struct rig *rig, const char *name_l, const char *name_r, int parent, struct v3 rest)
{
    int left = rig_joint(rig, name_l, parent, rest);
    int right = rig_joint(rig, name_r, rig->joints[parent].mirror, v3(rest.x, -rest.y, rest.z));
    rig->joints[left].mirror = right;
    rig->joints[right].mirror = left;
    return left;
}

void stance_init(struct stance *pose, const struct rig *rig)
{
    for (int i = 0; i < rig->joint_count; i++) {
        pose->turn[i] = quat_none();
        pose->shift[i] = v3(0, 0, 0);
    }
    stance_build(pose, rig);
}

static struct v3 rest_offset(const struct rig *rig, int joint)
{
    int parent = rig->joints[joint].parent;
    return parent < 0 ? rig->joints[joint].rest : v3_sub(rig->joints[joint].rest, rig->joints[parent].rest);
}

void stance_build(struct stance *pose, const struct rig *rig)
{
    for (int i = 0; i < rig->joint_count; i++) {
        int parent = rig->joints[i].parent;
        struct v3 offset = v3_add(rest_offset(rig, i), pose->shift[i]);
        if (parent < 0) {
            pose->placed_turn[i] = pose->turn[i];
            pose->placed[i] = offset;
        } else {
            pose->placed_turn[i] = quat_mul(pose->placed_turn[parent], pose->turn[i]);
            pose->placed[i] = v3_add(pose->placed[parent], quat_rotate(pose->placed_turn[parent], offset));
        }
    }
}

void stance_turn(struct stance *pose, int joint, double about_x, double about_y, double about_z)
{
    struct quat turn = quat_mul(quat_turn(v3(0, 0, 1), about_z),
                                quat_mul(quat_turn(v3(0, 1, 0), about_y), quat_turn(v3(1, 0, 0), about_x)));
    pose->turn[joint] = quat_mul(turn, pose->turn[joint]);
}

static struct quat parent_turn(const struct stance *pose, const struct rig *rig, int joint)
{
    int parent = rig->joints[joint].parent;
    return parent < 0 ? quat_none() : pose->placed_turn[parent];
}

void stance_place(struct stance *pose, const struct rig *rig, int joint, struct quat turn)
{
    pose->turn[joint] = quat_unit(quat_mul(quat_back(parent_turn(pose, rig, joint)), turn));
    stance_build(pose, rig);
}

/* The turn that carries bone `bone`, and what in the rest pose points to x, to direction `to` and `x`. */
static struct quat aim(struct v3 bone, struct v3 to, struct v3 forwards)
{
    struct quat rest = quat_from_axes(bone, v3_cross(bone, v3(1, 0, 0)));
    return quat_mul(quat_from_axes(to, v3_cross(to, forwards)), quat_back(rest));
}

void stance_reach(struct stance *pose, const struct rig *rig, int upper, int lower, int end, struct v3 target,
                  struct v3 knee)
{
    struct v3 upper_bone = rest_offset(rig, lower), lower_bone = rest_offset(rig, end);
    double a = v3_length(upper_bone), b = v3_length(lower_bone);
    struct v3 hip = pose->placed[upper], line = v3_sub(target, hip);
    double reach = v3_length(line), near_limit = fabs(a - b) * 1.02 + 1e-3, stretch = 1;
    if (reach > (a + b) * 0.998)
        stretch = reach / ((a + b) * 0.998);
    double c = fmax(reach / stretch, near_limit);
    double along = (a * a + c * c - b * b) / (2 * c), out = sqrt(fmax(a * a - along * along, 0));
    struct v3 to = v3_unit(line), bend = v3_unit(v3_add_scaled(knee, to, -v3_dot(knee, to)));
    struct v3 middle = v3_add_scaled(v3_scale(to, along), bend, out);
    stance_place(pose, rig, upper, aim(upper_bone, middle, bend));
    stance_place(pose, rig, lower, aim(lower_bone, v3_sub(v3_scale(to, c), middle), bend));
    pose->shift[lower] = v3_scale(upper_bone, stretch - 1);
    pose->shift[end] = v3_scale(lower_bone, stretch - 1);
    stance_build(pose, rig);
}

struct v3 stance_carry(const struct stance *pose, const struct rig *rig, int joint, struct v3 point)
{
    struct v3 offset = v3_sub(point, rig->joints[joint].rest);
    return v3_add(pose->placed[joint], quat_rotate(pose->placed_turn[joint], offset));
}

static struct v3 bone(const struct rig *rig, int joint)
{
    for (int i = joint + 1; i < rig->joint_count; i++) {
        struct v3 to = v3_sub(rig->joints[i].rest, rig->joints[joint].rest);
        if (rig->joints[i].parent == joint && v3_length(to) > 0.01)
            return to;
    }
    int parent = rig->joints[joint].parent;
    return parent < 0 ? v3(1, 0, 0) : v3_sub(rig->joints[joint].rest, rig->joints[parent].rest);
}

struct placement stance_in_model(const struct stance *pose, const struct rig *rig, int joint)
{
    struct v3 along = bone(rig, joint);
    struct quat points = rig->joints[joint].parent < 0 ? quat_none() : quat_from_axes(along, v3(0.3, 1, 0.2));
    return (struct placement){pose->placed[joint], quat_mul(pose->placed_turn[joint], points)};
}

struct placement stance_below_parent(const struct stance *pose, const struct rig *rig, int joint)
{
    struct placement placement = stance_in_model(pose, rig, joint);
    int parent = rig->joints[joint].parent;
    if (parent >= 0) {
        struct placement above = stance_in_model(pose, rig, parent);
        struct quat back = quat_back(above.turn);
        placement.at = quat_rotate(back, v3_sub(placement.at, above.at));
        placement.turn = quat_mul(back, placement.turn);
    }
    placement.turn = quat_unit(placement.turn);
    return placement;
}

static struct v3 rest_tip(const struct rig *rig, const struct dangle *dangle, int i)
{
    return i + 1 < dangle->count ? rig->joints[dangle->first + i + 1].rest : dangle->tip;
}

void dangle_init(struct dangle_state *state, const struct dangle *dangle, const struct stance *pose,
                 const struct rig *rig)
{
    assert(dangle->count <= DANGLE_MAX);
    for (int i = 0; i < dangle->count; i++) {
        state->at[i] = stance_carry(pose, rig, dangle->first + i, rest_tip(rig, dangle, i));
        state->speed[i] = v3(0, 0, 0);
    }
}

static void move_weight(struct dangle_state *state, const struct dangle *dangle, int i, struct v3 home, double dt)
{
    struct v3 pull = v3_scale(v3_sub(home, state->at[i]), dangle->stiffness);
    pull = v3_add(v3_add_scaled(pull, state->speed[i], -dangle->damping), dangle->wind);
    state->speed[i] = v3_add_scaled(state->speed[i], pull, dt);
    state->at[i] = v3_add_scaled(state->at[i], state->speed[i], dt);
    state->at[i].z = fmax(state->at[i].z, dangle->ground);
}

void dangle_step(struct dangle_state *state, const struct dangle *dangle, struct stance *pose,
                 const struct rig *rig, double dt)
{
    for (int i = 0; i < dangle->count; i++) {
        int joint = dangle->first + i;
        struct v3 from = pose->placed[joint], home = stance_carry(pose, rig, joint, rest_tip(rig, dangle, i));
        move_weight(state, dangle, i, home, dt);
        struct v3 arm = v3_sub(home, from), now = v3_unit(v3_sub(state->at[i], from));
        state->at[i] = v3_add_scaled(from, now, v3_length(arm));
        stance_place(pose, rig, joint, quat_mul(quat_between(arm, now), pose->placed_turn[joint]));
    }
}
