/* A model out of the assets with everything that belongs to it: the model file, animation files, and files beside
 * it that its format counts as part of it (its companions). */
#pragma once

#include "asset/assets.h"
#include "base/memory.h"
#include "format/formats.h"

struct model_file {
    struct arena arena;
    struct model *model;
    const char *path;
    const char *companions[COMPANION_COUNT]; /* paths of the files beside it that were added, or NULL */
    struct strings warnings;                 /* a broken companion costs what is in it, not the model */
    struct kept_model *kept;                 /* whose model this one shares, or NULL */
};

/* *out is overwritten on success and the caller's to release. */
int model_file_open(struct assets *assets, const char *path, const struct model_options *options,
                    struct model_file *out, struct error *err);
void model_file_release(struct model_file *file);

/* Models that stay open, with the animation files that were added to them: most jobs of a list have the same few
 * models, and reading these takes longer than planning with them. The trace of the assets gets all that was asked to
 * open what a job has, also where another has opened it. Files are released before the cache is trimmed, which closes
 * what was not used longest where there is too much, or freed. With no cache (NULL) model_cache_open does what
 * model_file_open does. */
struct model_cache *model_cache_new(void);
int model_cache_open(struct model_cache *cache, struct assets *assets, const char *path,
                     const struct model_options *options, struct model_file *out, struct error *err);
void model_cache_trim(struct model_cache *cache);
void model_cache_free(struct model_cache *cache);

/* Adds the animation in a file of the assets; a clip that brings no name of its own is called `name`. Fails with
 * -1 or MODEL_OTHER_SKELETON. */
int model_file_add_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                             struct error *err);

/* Adds what the file beside the animation at `path` says, which was added last. On failure the animation is gone. */
int model_file_add_beside_animation(struct model_file *file, struct assets *assets, const char *path,
                                    struct error *err);

/* Adds the paths of the animations of a format, or of its models, in the folder of `path`, sorted. Where both have one
 * suffix, their contents tell them apart. */
void files_find_of_format(struct assets *assets, const char *path, const struct model_format *format,
                          bool wants_animations, struct strings *out);

/* The same of the animation files that may be shown on the model; none where its format has no such files. */
void model_file_find_animations(const struct model_file *file, struct assets *assets, struct strings *out);

/* Fails for the name of a clip that there is not, with what it could have been: the model's clips, and the
 * animation files beside it. */
int model_file_fail_no_clip(const struct model_file *file, struct assets *assets, const char *wanted,
                            struct error *err);

/* Whether keyframes are in the model file itself, as those of an MD2 are; those of an MD5 are in files of their
 * own. */
bool model_file_has_keyframes(const struct model_file *file);

/* Adds the tags of the file beside the model, where there is one. */
int model_file_add_tags(struct model_file *file, struct assets *assets, struct error *err);
