/* Tags: places on a model that others are hung on.
 *
 * A tag is a turn and a place for each keyframe of its model. Its x points forward out of a hand or a head, its y
 * to the left, its z up, as those of the model itself do: what is hung on it has its own axes there. */
#ifndef MODEL_TAG_H
#define MODEL_TAG_H

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "model/clip.h"

struct tag_frame {
    versor orientation;
    vec3 position; /* model units */
};

struct tag {
    const char *name;
    const struct tag_frame *frames; /* tags.frame_count */
};

struct tags {
    uint32_t frame_count, tag_count;
    const struct tag *items;
};

/* The rotation nearest to the x, y and z axes of a file: x as it is, y at a right angle to it, z from both. False where
 * they have no direction. */
bool tag_frame_turn(const float axes[9], versor orientation);

/* From the tag's space to the model's at a moment, whose frames are below tags.frame_count. */
void tag_place(const struct tag *tag, const struct moment *moment, mat4 tag_to_model);

#endif
