/* Bolt, a robot of boxes: a small player of Quake III, in three MD3 with tags, skins, and an animation.cfg. */
#ifndef GENERATOR_BOLT_H
#define GENERATOR_BOLT_H

#include "base/buffer.h"

enum bolt_part { BOLT_LOWER, BOLT_UPPER, BOLT_HEAD, BOLT_PARTS };

extern const char *const bolt_part_names[BOLT_PARTS]; /* "lower", ... */

void bolt_save_part(enum bolt_part part, struct buffer *out);
void bolt_save_animations(struct buffer *out);

/* The lines that dress a part in that picture, "bolt" or "rust". */
void bolt_save_skin(enum bolt_part part, const char *picture, struct buffer *out);

/* A picture of that name, or "visor". */
void bolt_save_picture(const char *name, struct buffer *out);

#endif
