/* A world: a model with files beside it, in memory. */
#ifndef FUZZ_WHOLE_WORLD_H
#define FUZZ_WHOLE_WORLD_H

#include "base/buffer.h"
#include "mutate.h"

enum { WORLD_MOST_FILES = 24 };

struct world_file {
    char *path;
    struct blob blob;
};

struct world {
    struct world_file files[WORLD_MOST_FILES]; /* the first is the model */
    size_t count;
};

/* Takes the blob over; drops it where there are too many files. */
void world_add(struct world *world, const char *path, struct blob blob);
void world_add_text(struct world *world, const char *path, const char *text);
void world_release(struct world *world);

/* Adds the side files of a model: clips and tags for an MD2, materials and skins for an MD5. */
void world_add_declarations(struct random *random, struct world *world);

/* A list of jobs of the model, with random settings. */
void world_write_list(struct random *random, const struct world *world, const char *assets, struct buffer *out);

/* All files as one zip archive, deflated. */
struct blob world_archive(const struct world *world);

#endif
