/* A model out of the assets with everything that belongs to it: the model file, animation files, and files beside
 * it that its format counts as part of it (its companions). */
#pragma once

#include "asset/assets.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/formats.h"
#include "model/retarget.h"

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

/* The same of a file whose bytes are read. */
int model_file_open_read(struct assets *assets, const char *path, struct bytes bytes,
                         const struct model_options *options, struct model_file *out, struct error *err);
void model_file_release(struct model_file *file);

/* Models that stay open, with the animation files that were added to them: most jobs of a list have the same few
 * models, and reading these takes longer than planning with them. The trace of the assets gets all that was asked to
 * open what a job has, also where another has opened it. Files are released before the cache is trimmed, which closes
 * models whose last turn is before this one, then what was not used longest where there is too much, or freed. With no
 * cache (NULL) model_cache_open does what model_file_open does. */
struct model_cache *model_cache_new(void);
int model_cache_open(struct model_cache *cache, struct assets *assets, const char *path,
                     const struct model_options *options, struct model_file *out, struct error *err);
void model_cache_trim(struct model_cache *cache, size_t turn);
void model_cache_clear(struct model_cache *cache); /* closes all */
void model_cache_free(struct model_cache *cache);

/* A job of this turn opens the model at `path`, which is borrowed. A model that nothing is said of may be opened in any. */
void model_cache_expect(struct model_cache *cache, const char *path, size_t turn);
/* What the cache remembers with a model, until it closes it: the latest answer to a question, which is the hash of all that
 * the answer depends on. */
struct model_memo {
    uint64_t number; /* of the model: the cache gives none twice */
    char question[HASH_SIZE];
    struct buffer answer;
};

/* NULL where no cache has the model. */
struct model_memo *model_file_memo(const struct model_file *file);

/* Clips of a file of the assets: either an animation file of the model's own format, which has one, or any file with
 * joints, whose clips are retargeted by name (model/retarget.h). */
struct clip_choice {
    const char *path;
    const char *clip; /* its name in the file, or a pattern, regardless of case; NULL: all that it has */
    const char *name; /* what it is called where it is the only one; NULL: `stem`, of a file's only clip */
    const char *stem;
    const struct retarget_rules *rules; /* NULL: none */
};

/* Adds an animation and a clip for each, *count of them, the last of the model. `name` of the
 * animation is what the clip is called in `choice`; that of the clip is unique in the model. What there is to say of the
 * joints goes to `warnings`, once. Fails with -1; or MODEL_OTHER_SKELETON where the file has no such clip, or one
 * for other joints. */
int model_file_add_clips(struct model_file *file, struct assets *assets, const struct clip_choice *choice,
                         uint32_t *count, struct strings *warnings, struct error *err);

/* The only clip of a file, or the one called `name`, is added as `name`. Warnings go to those of the file. */
int model_file_add_animation(struct model_file *file, struct assets *assets, const char *path, const char *name,
                             struct error *err);

/* What matches where clips of a file are put on the model, in lines: a match for people. Fails where nothing can. */
int model_file_describe_match(const struct model_file *file, const struct model_file *clips,
                              const struct retarget_rules *rules, struct strings *lines, struct error *err);

/* Adds what the file beside the animation at `path` says, which was added last. On failure the animation is gone. */
int model_file_add_beside_animation(struct model_file *file, struct assets *assets, const char *path,
                                    struct error *err);

/* Adds the paths of the animation files in its folder that may be shown on the model; none where its format has no such
 * files. */
void model_file_find_animations(const struct model_file *file, struct assets *assets, struct strings *out);

/* Fails for the name of a clip that there is not, with what it could have been: the model's clips, and the
 * animation files beside it. */
int model_file_fail_no_clip(const struct model_file *file, struct assets *assets, const char *wanted,
                            struct error *err);

/* Whether keyframes are in the model file itself, as those of an MD2 are; those of an MD5 are in files of their
 * own, but where it is shown in the place of an MD2, whose frames it has. */
bool model_file_has_keyframes(const struct model_file *file);

/* Whether a file is part of another model: of the MD5 that re-releases show in the place of this one, or whose clips this is. */
bool model_file_is_replaced(struct assets *assets, const char *path);

/* Adds the tags of the file beside the model, where there is one. */
int model_file_add_tags(struct model_file *file, struct assets *assets, struct error *err);
