/* Clips of one rig, played by the joints of another.
 *
 *     retarget_match(&match, rig, from, pairs, count, err);     which joint follows which
 *     retarget_animation(&match, &animation, mode, arena, &out, err);
 *     rig_add_animation(model, &out, err);
 *
 * Joints match by name: exactly; else without what stands before the last ':' or '|' ("mixamorig:Hips"), or by the standard
 * name of a person's joint; else in any case.
 *
 * RETARGET_EXACT: a joint has the clip's own turn, place and size; lengths go by `scale`. RETARGET_REST: the turn that the
 * clip gives to a joint is taken from how it is bound there to how it is bound here, about the model's axes,
 *
 *     world(t) = from_world(t) * grip,    grip = inverse(laid * from_bind) * bind
 *
 * where `laid` turns the clip's bind pose onto the model's: as a whole, and limbs onto limbs. Joints keep their places on
 * their parents, but for those from the root to the hips (the first that carries several others) and those that these
 * carry, which may be feet that rigs move by themselves: they move as the clip moves them, by `scale`. Joints that nothing
 * follows stay as they are at rest. */
#pragma once

#include "model/rig.h"

enum retarget_mode {
    RETARGET_AUTO, /* EXACT where joints are built alike, else REST */
    RETARGET_EXACT,
    RETARGET_REST,
};

/* A joint of the clip's file, and the one of the model that follows it. */
struct joint_pair {
    const char *from, *to;
};

/* How a job wants clips of other files. */
struct retarget_rules {
    enum retarget_mode mode;
    const struct joint_pair *pairs;
    size_t pair_count;
};

struct retarget {
    const struct rig *rig, *from;
    struct arena arena;
    int32_t *sources;                   /* by node of the rig: the node of `from` that it follows, or -1 */
    int32_t *followers;                 /* the other way: by node of `from` */
    int32_t *carriers;                  /* by node of the rig: the nearest node above it that follows one, or -1 */
    struct transform *bind, *from_bind; /* model space */
    struct transform *rest, *from_rest; /* the same where the nodes are at rest */
    uint32_t matched_count;             /* joints of `from` that have followers, */
    uint32_t missing_count;             /* and joints that its clips move and that have none: */
    const char **missing;               /* their names */
    uint32_t weighted_count;            /* joints of the rig that carry weights, */
    uint32_t untracked_count;           /* and those of them that follow none: */
    const char **untracked;             /* their names */
    bool is_strange;                    /* one of these has no namesake in `from`, with tracks or without */
    bool
        fits; /* half of what the clips move has followers; or a third of those with weights follow, and hips are there */
    const char **absent; /* names of pairs that are none of `from` */
    size_t absent_count;
    int32_t hips;   /* node of the rig */
    double scale;   /* of the rig's lengths to those of `from`: by the heights of the hips */
    double axes[4]; /* of joints of `from`, turned with those of its file as some tools do, if that fits better */
    double (*grips)[4]; /* by node: from the axes of the joint that it follows to its own, by how they are bound */
    double built_rad;   /* the median difference of the joints' directions on what carries them, in its axes */
    double rolled_rad;  /* and how they are rolled about these */
    double apart_rad;   /* the largest difference of how they are bound, less that of their files' axes */
    double whole_rad;   /* and the turn as a whole */
};

/* Whether this mode takes poses as they are: RETARGET_AUTO does by built_rad and rolled_rad. */
bool retarget_is_exact(const struct retarget *match, enum retarget_mode mode);

/* *out is the caller's to release, and borrows the rigs. Fails where a pair names no joint, and where one joint could be
 * followed by two, or follow two. No match is none: matched_count says so. */
int retarget_match(const struct rig *rig, const struct rig *from, const struct joint_pair *pairs,
                   size_t pair_count, struct retarget *out, struct error *err);
void retarget_release(struct retarget *match);

/* An animation of `from` as one of the rig, in the arena. Where modes agree and nodes are the same, keys are those of the
 * file; else each joint has a key wherever the clip has one, and between them 30 a second, unless it has a rate or all
 * its tracks are steps. Weights of morph targets are left out. */
int retarget_animation(const struct retarget *match, const struct rig_animation *animation,
                       enum retarget_mode mode, struct arena *arena, struct rig_animation *out, struct error *err);
