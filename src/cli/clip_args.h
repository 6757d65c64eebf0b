/* What --animation and --frames name, for `pose` and `thumb`: a clip of the model, an animation file, or
 * keyframes. */
#ifndef CLI_CLIP_ARGS_H
#define CLI_CLIP_ARGS_H

#include "cli/args.h"
#include "cli/model_args.h"
#include "model/sampling.h"

/* The option --frames: it sets *out, which `has` says. */
struct clip_args_frames {
    struct frame_run run;
    bool is_given;
};

#define ARG_FRAMES(type, member)                                                                                  \
    {                                                                                                             \
        "frames", 0, "A-B",                                                                                       \
            "keyframes A to B of an MD2 as a clip, or one keyframe, counted from 0 over the whole file; instead " \
            "of "                                                                                                 \
            "--animation",                                                                                        \
            ARG_CALL(type, member, struct clip_args_frames, clip_args_take_frames)                                \
    }
arg_take clip_args_take_frames;

/* The clip of these keyframes. `name` is the model as typed. */
int clip_args_of_frames(const struct model_file *file, const char *name, const struct frame_run *run,
                        struct clip *out, struct error *err);

/* In any case of letters, but an exact match wins. NULL when there is none. */
const struct clip *clip_args_find(const struct model *model, const char *name);

/* The file in the tree: the path itself, or beside the model. Borrowed from the assets; NULL when there is none. */
const char *clip_args_find_file(const struct model_place *place, const char *file);

/* The path without its suffix and folder: what a clip is called whose file does not say. The caller's to free. */
char *clip_args_stem(const char *path);

#endif
