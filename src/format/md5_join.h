/* The meshes of an md5mesh as they are read, one after the other (md5mesh.c), until they are joined to a model
 * (md5_join.c). For these two alone. */
#ifndef FORMAT_MD5_JOIN_H
#define FORMAT_MD5_JOIN_H

#include "format/md5.h"

/* The three numbered lists of a mesh. */
enum list_kind { VERTS, TRIS, WEIGHTS, LIST_COUNT };

/* Items of the lists; `line` comes first in each, and is 0 until the file has given the item. */
struct vert {
    unsigned line;
    float uv[2];
    uint32_t first_weight, weight_count;
};

struct tri {
    unsigned line;
    uint32_t corners[3];
};

struct weight {
    unsigned line;
    struct skin_weight weight;
};

struct list {
    void *items;
    uint32_t count;
    bool is_declared;
};

struct mesh_block {
    struct mesh_block *next;
    const char *name, *shader;
    struct list lists[LIST_COUNT];
};

/* Fills in all of the model but its joints, which it has already: one surface for each mesh, in file order, with all
 * vertices in one row. `bind` lives as long as the model; `scratch` may go when this returns. */
int md5_join(struct model *model, const struct mesh_block *first, uint32_t mesh_count,
             const struct transform *bind, struct arena *scratch, struct error *err);

#endif
