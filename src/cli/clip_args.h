/* What --animation names, for `pose` and `thumb`: a clip of the model, or an animation file. */
#ifndef CLI_CLIP_ARGS_H
#define CLI_CLIP_ARGS_H

#include "cli/model_args.h"

/* In any case of letters, but an exact match wins. NULL when there is none. */
const struct clip *clip_args_find(const struct model *model, const char *name);

/* The file in the tree: the path itself, or beside the model. Borrowed from the assets; NULL when there is none. */
const char *clip_args_find_file(const struct model_place *place, const char *file);

/* The path without its suffix and folder: what a clip is called whose file does not say. The caller's to free. */
char *clip_args_stem(const char *path);

#endif
