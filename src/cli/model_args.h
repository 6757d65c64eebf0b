/* Finds the model, and the clip, that the command line of `info`, `pose` or `thumb` names.
 *
 * A model is a real file. The asset tree around it, in which its skins are looked for, is guessed from its path: the
 * folder that holds a folder "models" of the path, for game data has paths such as models/monsters/tris.md2, or else
 * the file's own folder. With --assets the roots are given, and the model is a path in them. */
#pragma once

#include "asset/assets.h"
#include "base/error.h"
#include "base/strings.h"
#include "plan/model_file.h"
#include "cli/args.h"
#include "model/sampling.h"

struct model_place {
    struct assets *assets;
    char *path; /* in the assets */
};

/* `roots` empty: guess. */
int model_place_open(const char *file, const struct strings *roots, struct model_place *out, struct error *err);
void model_place_release(struct model_place *place);

/* Adds what model_place_open reads, for the rules of the sandbox: the roots, or those that are guessed around the file
 * and around the target of a link. */
void model_place_add_roots(const char *file, const struct strings *roots, struct strings *out);

/* Opens the model in the file. Messages start with `file`, as the user typed it. `options` may be NULL. */
int model_place_load(const struct model_place *place, const char *file, const struct model_options *options,
                     struct model_file *out, struct error *err);

/* Changes a message that begins with the path in the tree: it begins with the name that the user typed, and suggests the
 * nearest file when there is none of this path. Returns -1. */
int model_place_name_as_typed(const struct model_place *place, const char *file, struct error *err);

/* The option --via. */
#define ARG_VIA(type, member)                                                                                     \
    "via", 0, "WHAT", "own (the default): our own reader where there is one; or assimp for every format",         \
        ARG_CHOICE(type, member, via_words)

/* The option --transform. */
struct transform_arg {
    const char *text; /* NULL: not given */
    struct model_transform value;
};

#define ARG_TRANSFORM(type, member)                                                                               \
    "transform", 0, "T", "turn and scale the model, as in job lists, such as '{up: y, scale: 0.01}'",             \
        ARG_CALL(type, member, struct transform_arg, transform_arg_take)
arg_take transform_arg_take;

/* -- Clips ------------------------------------------------------------------------------------------------- */

/* The option --frames. */
struct frames_arg {
    struct frame_run run;
    bool is_given;
};

#define ARG_FRAMES(type, member)                                                                                  \
    "frames", 0, "A-B", "use keyframes A to B of an MD2 as a clip, or one, counted from 0 over the whole file",   \
        ARG_CALL(type, member, struct frames_arg, frames_arg_take)
arg_take frames_arg_take;

/* Adds the animation in a file of the tree to a model; *out is the first of its clips. */
int model_place_add_file(const struct model_place *place, const char *path, struct model_file *file,
                         const struct clip **out, struct error *err);

struct chosen_clip {
    const struct clip *clip;
    struct clip of_frames; /* this one, for --frames */
    const char *file; /* in the tree, which was added for it; NULL: the model's own. Borrowed from the assets */
};

/* The clip that --frames or else --animation names: a clip of the model, or the first of a file beside it or in the tree. */
int model_args_choose_clip(const struct model_place *place, const char *model, const char *animation,
                           const struct frames_arg *frames, struct model_file *file, struct chosen_clip *out,
                           struct error *err);
