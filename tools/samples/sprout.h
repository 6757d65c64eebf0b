/* A sprout in a pot: a small GLB with what a character has. A skinned stem with a morph target and vertex colours, two
 * leaves on a joint, of which one is mirrored, a textured pot in two variants, and the clips "sway" and "swell". */
#ifndef GENERATOR_SPROUT_H
#define GENERATOR_SPROUT_H

#include "base/buffer.h"

void sprout_save(struct buffer *out);

#endif
