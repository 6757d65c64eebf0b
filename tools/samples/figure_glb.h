/* Writes a figure as GLB: in metres, Y up, looking along +Z. */
#ifndef GENERATOR_FIGURE_GLB_H
#define GENERATOR_FIGURE_GLB_H

#include "base/buffer.h"
#include "figure.h"
#include "motion.h"
#include "paint.h"

/* Metres in a unit of the generator. */
#define FIGURE_METRES 0.02

/* The keys of a motion: its frames, and the first one again where it loops. */
int motion_key_count(const struct motion *motion);

/* With a picture and a normal map for each coat, and with all motions. Their frames are one after the other. */
void figure_glb_save(const struct figure *figure, const struct canvas *canvases, const struct motion *motions,
                     int motion_count, const struct stance *frames, struct buffer *out);

/* The joints and one motion, without anything to draw. */
void motion_glb_save(const struct rig *rig, const struct motion *motion, const struct stance *frames,
                     struct buffer *out);

#endif
