/* Names of clips as files give them, made fit for what clips are used for: to be typed in job lists, matched
 * by globs, and to become part of "job/animation/camera/0007" in JSON. */
#ifndef MODEL_CLIP_NAME_H
#define MODEL_CLIP_NAME_H

#include <stddef.h>

#include "base/memory.h"

/* Drops quotes, turns what is neither letter nor digit nor one of "-_.+ " into '_', and trims such characters
 * from both ends. What says nothing to a person (no letters or digits left, or a piece of a path) becomes
 * "frame". In the arena. */
const char *clip_name_clean(struct arena *arena, const char *text, size_t length);

#endif
