/* How `info`, `pose` and `thumb` find what the command line names. A model on the command line is a real file; the asset
 * tree around it, in which its skins are looked for, is guessed from its path: the folder that holds a folder
 * "models" above the file, for game data has paths such as models/monsters/tris.md2, else the file's own folder.
 * With --assets the roots are given, and the model is a path in them. */
#ifndef CLI_MODEL_ARGS_H
#define CLI_MODEL_ARGS_H

#include "asset/assets.h"
#include "base/error.h"
#include "base/strings.h"
#include "bake/model_file.h"

struct model_place {
    struct assets *assets;
    char *path; /* in the assets */
};

/* `roots` empty: guess. */
int model_place_open(const char *file, const struct strings *roots, struct model_place *out, struct error *err);
void model_place_release(struct model_place *place);

/* Adds what opening it reads, for the rules of the sandbox: the roots, or those that are guessed around the file and
 * around what it is a link to. */
void model_place_add_roots(const char *file, const struct strings *roots, struct strings *out);

/* The bytes of the file, and the model in it. Messages start with `file`, as the user typed it, in place of the
 * path in the tree that was guessed around it. `options` may be NULL. */
int model_place_read(const struct model_place *place, const char *file, struct blob *out, struct error *err);
int model_place_load(const struct model_place *place, const char *file, const struct model_options *options,
                     struct model_file *out, struct error *err);

#endif
