/* Doom 3's skins: a text of declarations, each of which puts other materials on a model.
 *
 *     skin skins/imp/burnt {
 *         model models/imp.md5mesh
 *         models/imp/body   models/imp/body_burnt
 *         *                 models/imp/soot
 *     }
 */
#ifndef MATERIAL_SKIN_DECL_H
#define MATERIAL_SKIN_DECL_H

#include "asset/assets.h"
#include "material/declaration_index.h"
#include "base/memory.h"
#include "base/strings.h"

struct skin_pair {
    const char *from, *to; /* names of materials; from "*": any */
};

struct skin_decl {
    struct arena arena;
    const char *name;
    const char *declared; /* where, "skins/imp.skin:12" */
    const char **models;  /* that it is meant for; may be none */
    size_t model_count;
    struct skin_pair *pairs;
    size_t pair_count;
    struct strings warnings; /* about its file, for people */
};

/* The first skin of that name (case ignored): in `file` of the assets, or, where that is NULL, in those of skins/.
 */
int skin_decl_find(struct assets *assets, const char *file, const char *name, struct skin_decl *out,
                   struct error *err);

/* The same in an index of skins (material/declaration_index.h). */
int skin_decl_load(const struct declaration_index *index, const char *name, struct skin_decl *out,
                   struct error *err);
void skin_decl_release(struct skin_decl *skin);

/* The material that stands for `shader`: the first pair that names it counts; `shader` itself where none does. */
const char *skin_decl_map(const struct skin_decl *skin, const char *shader);

#endif
