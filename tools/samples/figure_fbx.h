/* Writes a figure as FBX text (7.4) in the way of Mixamo: in centimetres, Y up, joints called "mixamorig:Hips", the mesh in one
 * file and each clip, called "mixamo.com", in another "without skin". */
#ifndef GENERATOR_FIGURE_FBX_H
#define GENERATOR_FIGURE_FBX_H

#include "base/buffer.h"
#include "figure.h"
#include "motion.h"

/* Pictures are NAME.png beside it, by the names of the coats. */
void figure_fbx_save(const struct figure *figure, struct buffer *out);
void motion_fbx_save(const struct rig *rig, const struct motion *motion, const struct stance *frames,
                     struct buffer *out);

#endif
