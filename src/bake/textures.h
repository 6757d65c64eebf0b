/* A worker's cache of textures, by image program (image/image_program.h): models share skins, and pages share
 * models.
 *
 * The least recently used ones are dropped when their texels or their number exceed a budget, so that a worker's
 * memory stays bounded over thousands of models. */
#pragma once

#include "asset/assets.h"
#include "image/mipmap.h"
#include "render/renderer.h"

struct textures;

struct textures *textures_new(struct renderer *renderer, struct assets *assets);
void textures_free(struct textures *textures);

/* The texture of the program, from the cache or loaded; either way the trace of the assets gets the files it was
 * made of. Colours (also those of specular maps) are MIPMAP_COLOR, normal maps MIPMAP_DATA. Valid until
 * textures_trim. */
int textures_get(struct textures *textures, const char *program, enum mipmap_kind kind, struct texture *out,
                 struct error *err);

/* Between jobs: drops the least recently used ones while over the budget. */
void textures_trim(struct textures *textures);
