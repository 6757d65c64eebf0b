/* A skeleton, and how its joints are moved.
 *
 * In the rest pose every joint stands square to the world, so a turn about (0, 1, 0) nods and a turn about
 * (0, 0, 1) looks aside whatever the joint. A pose holds for each joint a turn and a shift relative to its parent;
 * stance_build makes the placement in the model from them. Call it before stance_aim, stance_place and stance_reach, which
 * read placements; it is cheap. */
#ifndef GENERATOR_RIG_H
#define GENERATOR_RIG_H

#include "vec.h"

enum { RIG_MAX_JOINTS = 64 };

struct rig_joint {
    const char *name;
    int parent; /* -1: none; otherwise an earlier joint */
    struct v3 rest;
    int mirror; /* the joint on the other side, or itself */
};

struct rig {
    int joint_count;
    struct rig_joint joints[RIG_MAX_JOINTS];
};

/* Returns the new joint's number. */
int rig_joint(struct rig *rig, const char *name, int parent, struct v3 rest);

/* The same on both sides: at `rest` under `name_l`, and mirrored to the right under the next number. The parent's
 * own mirror image carries the right one. */
int rig_pair(struct rig *rig, const char *name_l, const char *name_r, int parent, struct v3 rest);

struct stance {
    struct quat turn[RIG_MAX_JOINTS];
    struct v3 shift[RIG_MAX_JOINTS];
    struct quat placed_turn[RIG_MAX_JOINTS]; /* in the model */
    struct v3 placed[RIG_MAX_JOINTS];
};

void stance_init(struct stance *pose, const struct rig *rig);
void stance_build(struct stance *pose, const struct rig *rig);

/* Adds a turn in front of the joint's own. Positive: about x leans to the right side, about y nods forwards, about
 * z looks to the left. */
void stance_turn(struct stance *pose, int joint, double about_x, double about_y, double about_z);

/* Gives the joint this turn in the model, whatever its parents do. */
void stance_place(struct stance *pose, const struct rig *rig, int joint, struct quat turn);

/* Bends the upper and lower joint of a limb so that `end` comes to `target`, with the middle bent towards `knee`.
 * A target out of reach stretches the limb. */
void stance_reach(struct stance *pose, const struct rig *rig, int upper, int lower, int end, struct v3 target,
                  struct v3 knee);

/* Where a point of the rest pose is carried by a joint. */
struct v3 stance_carry(const struct stance *pose, const struct rig *rig, int joint, struct v3 point);

/* The placement of a joint in a file. There a joint points along its bone, as in artists' tools. */
struct placement {
    struct v3 at;
    struct quat turn;
};

struct placement stance_in_model(const struct stance *pose, const struct rig *rig, int joint);
struct placement stance_below_parent(const struct stance *pose, const struct rig *rig, int joint);

/* A dangling chain: each joint's tip is a weight on a damped spring that pulls it to where the pose would have it.
 */
struct dangle {
    int first, count; /* joints in a row, each the parent of the next */
    struct v3 tip;    /* where the last one ends in the rest pose */
    double stiffness; /* per second squared */
    double damping;   /* per second */
    struct v3 wind;   /* acceleration, units per second squared */
    double ground;    /* tips stay above this */
};

enum { DANGLE_MAX = 8 };

struct dangle_state {
    struct v3 at[DANGLE_MAX], speed[DANGLE_MAX];
};

void dangle_init(struct dangle_state *state, const struct dangle *dangle, const struct stance *pose,
                 const struct rig *rig);

/* Advances by dt seconds towards the pose, and bends the chain of the pose to where its weights are. */
void dangle_step(struct dangle_state *state, const struct dangle *dangle, struct stance *pose,
                 const struct rig *rig, double dt);

#endif
