/* The pictures a worker has on the GL side, by asset path: models share skins, and pages share models.
 *
 * The least recently used ones go when the texels pass a budget, so that a worker's memory stays bounded over
 * thousands of models. */
#ifndef RUN_TEXTURES_H
#define RUN_TEXTURES_H

#include "asset/assets.h"
#include "render/renderer.h"

struct textures;

struct textures *textures_new(struct renderer *renderer, struct assets *assets);
void textures_free(struct textures *textures);

/* The texture of the picture at `path`, loaded where it is not there yet, and the hash of the file's bytes
 * (33 characters, borrowed until the next call). The texture stays valid until textures_trim. */
int textures_get(struct textures *textures, const char *path, struct texture *out, const char **hash,
                 struct error *err);

/* Between jobs: drops what was not used longest while over the budget. */
void textures_trim(struct textures *textures);

#endif
