/* Doom 3's model declarations: which mesh, skin and animations make a creature, in the .def files of def/:
 *
 *     model imp_crawler {
 *         inherit imp
 *         skin    skins/imp/burnt
 *         offset  ( 0 0 4 )
 *         channel legs ( *Hips )
 *         anim    crawl1 models/imp/crawl1.md5anim { frame 7 sound_footstep }
 *     }
 *
 * A declaration has what it inherits, unless it says otherwise; an animation replaces one of its name.
 *
 * And its skins, each of which puts other materials on a model:
 *
 *     skin skins/imp/burnt {
 *         model models/imp.md5mesh
 *         models/imp/body   models/imp/body_burnt
 *         *                 models/imp/soot
 *     }
 */
#pragma once

#include "asset/assets.h"
#include "material/declaration_index.h"
#include "base/memory.h"
#include "base/strings.h"
#include "model/clip.h"

struct def_animation {
    const char *name;
    const char *base; /* the name without digits at its end, unless nothing is left then: "pain1" and "pain2"
                       * are variants of "pain" */
    const char *const *files;        /* the engine blends several; the first is the animation itself */
    size_t file_count;               /* at least 1 */
    const struct clip_event *events; /* "sound_footstep"; the files count frames from 1 */
    size_t event_count;
};

struct def_decl {
    struct arena arena;
    const char *name;
    const char *declared;             /* where, "def/monsters.def:40" */
    const char *mesh;                 /* as written, a path; never NULL */
    const char *skin;                 /* the name of a skin, or NULL */
    float offset[3];                  /* model units; added to every position */
    struct def_animation *animations; /* in the order of the file, inherited ones first */
    size_t animation_count;
    struct strings warnings; /* about the files, for people */
};

/* The first `model` declaration of that name (case ignored), with all that it inherits. Fails where there is none,
 * where an ancestor is missing or inherits from its own heirs, and where none of them has a mesh. */
int def_decl_find(struct assets *assets, const char *name, struct def_decl *out, struct error *err);

/* The same in an index of models (material/declaration_index.h). */
int def_decl_load(const struct declaration_index *index, const char *name, struct def_decl *out,
                  struct error *err);
void def_decl_release(struct def_decl *def);

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

/* The first skin of that name (case ignored): in `file` of the assets, or, where that is NULL, in those of skins/. */
int skin_decl_find(struct assets *assets, const char *file, const char *name, struct skin_decl *out,
                   struct error *err);

/* The same in an index of skins (material/declaration_index.h). */
int skin_decl_load(const struct declaration_index *index, const char *name, struct skin_decl *out,
                   struct error *err);
void skin_decl_release(struct skin_decl *skin);

/* The material that stands for `shader`: the first pair that names it counts; `shader` itself where none does. */
const char *skin_decl_map(const struct skin_decl *skin, const char *shader);
