/* A figure with one texture as a Quake II model: keyframes of rounded points, strips and fans. */
#ifndef GENERATOR_MD2_SAVE_H
#define GENERATOR_MD2_SAVE_H

#include "base/buffer.h"
#include "figure.h"
#include "motion.h"

/* `frames` holds the poses of all motions, one after the other. */
void md2_save(const struct figure *figure, const struct motion *motions, int motion_count,
              const struct stance *frames, const char *const *skins, int skin_count, struct buffer *out);

#endif
