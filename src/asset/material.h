/* From the names that models carry to the pictures they mean.
 *
 * A skin of an MD2 file and a shader of an MD5 mesh are only names; the searches that turn them into files of
 * the asset tree are those of the games (docs/formats.md lists them). Each place is tried with the name's own
 * suffix, then as tga, png, jpg, jpeg, pcx, dds and bmp: that is no guess, the engines do so. Finding nothing is no error: the
 * material then has no diffuse picture, `tried` lists every path looked for, and the model is drawn plain.
 * Material declarations (MTR) will answer before the searches do, behind this same interface. */
#ifndef ASSET_MATERIAL_H
#define ASSET_MATERIAL_H

#include <stdbool.h>

#include "asset/assets.h"
#include "base/strings.h"

struct material {
    char *name;                       /* as the model or the job has it; never NULL */
    char *diffuse, *normal, *specular; /* canonical asset paths, or NULL */
    bool guessed;                     /* not what the name says: found beside the model, as x_d, or as skin.* */
    struct strings tried;             /* for the diffuse picture, in order, without the one found */
};

/* `name` is a texture file the user named: that path, or beside the model; nothing else is tried. */
void material_from_path(struct assets *assets, const char *model_path, const char *name, struct material *out);

/* An MD2 model: each of its skin names in turn (as a path, then its base name beside the model; ".skin" is UFO:AI's
 * way to say "skin beside the model"), then files named after the model, then skin.*. `name` becomes the skin name
 * that led to the picture. */
void material_from_skins(struct assets *assets, const char *model_path, const char *const *skins,
                         size_t skin_count, struct material *out);

/* One shader name of an MD5 mesh, with the companions (normal, specular) of a guessed diffuse. An empty name
 * finds nothing and tries nothing. */
void material_from_shader(struct assets *assets, const char *model_path, const char *shader,
                          struct material *out);

void material_release(struct material *material);

#endif
