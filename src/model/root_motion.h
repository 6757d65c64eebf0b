/* Root motion, and loops that close: what a clip does besides moving limbs.
 *
 * A walk made for Doom 3 moves the first joint, "origin", over the ground. The game takes this out of the pose,
 * puts the joint at the entity's origin, and moves the entity instead (idMD5Anim::GetOrigin). Its loops end with
 * the keyframe they began with, so that a cycle takes one keyframe less (idMD5Anim::Length). Files made for other
 * programs do neither; docs/formats.md, "Clips and time", says how one is told from the other. */
#pragma once

#include <cglm/types.h>

#include "model/model.h"

/* Fills clip->travel and clip->closes from posed keyframes; `root` is the joint that carries the model, or
 * -1 where its games leave it to the clip. A clip of
 * a model without joints neither travels nor closes: the games of such models play N/R. One with times of its own closes as
 * its file says. Fails without memory. */
int clip_measure(const struct model *model, int32_t root, struct clip *clip, struct error *err);

static inline bool clip_travels(const struct clip *clip)
{
    return clip->travel[0] != 0 || clip->travel[1] != 0;
}

/* Finds the joint that carries the model where the clip does not travel as its format says: the one called hips or pelvis,
 * above all legs, or called root. Returns 1 where that goes further than a third of the figure's height, and has
 * filled in the clip; else 0, or -1 without memory. */
int clip_find_travel(const struct model *model, struct clip *clip, struct error *err);

/* The motion that is taken out of a clip that travels, along x and y of the model: how far its root is from its place at
 * bind pose; or a straight line. */
void root_motion_at(const struct model *model, const struct clip *clip, const struct pose *pose, vec2 out);
