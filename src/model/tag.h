/* Tags: places on a model that others are hung on, in a .tag file beside an MD2 (UFO:AI).
 *
 * A tag is a turn and a place for each keyframe of its model. Its x points forward out of a hand or a head, its y
 * to the left, its z up, as those of the model itself do: what is hung on it has its own axes there. */
#ifndef MODEL_TAG_H
#define MODEL_TAG_H

#include <cglm/types.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
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
    struct arena arena;
    uint32_t frame_count; /* at least 1 */
    uint32_t tag_count;   /* at least 1 */
    struct tag *items;
};

/* *out is overwritten on success and the caller's to release. */
int tags_load(struct bytes bytes, struct tags *out, struct error *err);
void tags_release(struct tags *tags);

/* From the tag's space to the model's at a moment, whose frames are below tags.frame_count. */
void tag_place(const struct tag *tag, const struct moment *moment, mat4 tag_to_model);

#endif
