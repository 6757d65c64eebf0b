/* How the surfaces of a model look, on the GL side: their materials with all pictures loaded. */
#ifndef BAKE_LOOKS_H
#define BAKE_LOOKS_H

#include "material/material.h"
#include "model/model.h"
#include "render/renderer.h"
#include "bake/textures.h"

struct looks {
    struct look *items; /* one per surface of the model; those without triangles stay plain */
    size_t count;
};

/* `materials` has one entry per surface. The textures are those of `textures`, good until textures_trim. */
int looks_load(struct looks *looks, struct textures *textures, const struct model *model,
               const struct material *materials, struct error *err);
void looks_release(struct looks *looks);

#endif
