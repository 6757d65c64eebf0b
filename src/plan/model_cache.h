/* What is in a cache of models (plan/model_file.h), for those who fill it: model_cache.c and clip_file.c. */
#pragma once

#include "plan/model_file.h"

/* What the cache has of a model. */
struct kept_model {
    struct kept_model *next;
    struct model_file file;       /* with the animation files of all jobs */
    struct model_options options; /* with a scene and a skin of its own, or NULL */
    struct trace opened;          /* what was asked to open it, without these files */
    uint32_t own_animation_count, own_clip_count;
    struct added_clip *added; /* of these files, in their order: each is an animation and a clip */
    size_t added_count, added_capacity;
    size_t size; /* bytes of memory */
    struct model_cache *cache;
};

struct added_clip {
    char *key;               /* its file, and what else it depends on */
    struct trace trace;      /* what was asked to read it */
    struct strings warnings; /* about its joints */
};

void added_clip_release(struct added_clip *added);
