/* How the surfaces of a plan look, with their pictures read. Who draws keeps the pictures; without a drawer they are
 * decoded, and their sizes are kept: enough to judge a job that is not drawn. */
#pragma once

#include "asset/assets.h"
#include "image/image.h"
#include "image/mipmap.h"
#include "plan/plan.h"
#include "material/material.h"

/* -- Textures ----------------------------------------------------------------------------------------------
 *
 * A worker's cache of them, by image program (image/image_program.h): models share skins, and pages share models. The
 * least recently used ones are dropped when their texels or their number exceed a budget, so that a worker's memory
 * stays bounded over thousands of models. */

struct textures;

/* Where textures are: `add` uploads a picture, and `drop` forgets it. Zeroed: nowhere. */
struct texture_store {
    void *context;
    int (*add)(void *context, const struct image *image, enum mipmap_kind kind, struct texture *out,
               struct error *err);
    void (*drop)(void *context, struct texture *texture);
};

struct textures *textures_new(const struct texture_store *store, struct assets *assets);
void textures_free(struct textures *textures);

/* Fills in what the renderer has of the program's picture, from the cache or loaded; either way the trace of the assets gets
 * the files it was made of. Colours (also those of specular maps) are MIPMAP_COLOR, normal maps MIPMAP_DATA. Does
 * nothing for a program of NULL: there is no picture. `alpha_test`: 0 where alpha makes no holes. Valid until textures_trim. */
int textures_get(struct textures *textures, const char *program, enum mipmap_kind kind, float alpha_test,
                 struct texture *out, struct error *err);

/* The size of a picture in the cache; false where it is not there. */
bool textures_size(const struct textures *textures, const char *program, uint32_t size_px[2]);

/* Between jobs: drops the least recently used ones while over the budget. */
void textures_trim(struct textures *textures);

/* -- Looks ------------------------------------------------------------------------------------------------- */

/* Loads the pictures of all surfaces that have triangles. The textures are good until textures_trim. */
int looks_load(struct textures *textures, struct plan *plan, struct error *err);
