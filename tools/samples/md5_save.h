/* A figure and its movements as text of Doom 3's MD5 formats. */
#ifndef GENERATOR_MD5_SAVE_H
#define GENERATOR_MD5_SAVE_H

#include "base/buffer.h"
#include "figure.h"
#include "motion.h"

void md5mesh_save(const struct figure *figure, struct buffer *out);
void md5anim_save(const struct figure *figure, const struct motion *motion, const struct stance *frames,
                  struct buffer *out);

#endif
