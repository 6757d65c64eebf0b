/* Inside the bridge to assimp: a file that is being read, and what its parts ask of each other.
 *
 *     assimp_import  the library, its log, files among the assets, the import
 *     assimp_scene   materials, nodes, meshes and animations of the scene, as a rig
 *     assimp         suffixes, axes, pictures; the format: all of it
 */
#pragma once

#include <assimp/cimport.h>
#include <assimp/material.h>
#include <assimp/scene.h>
#include <assimp/version.h>

#include "format/formats.h"
#include "model/rig.h"

enum { ASSIMP_MOST_INFLUENCES = 8 }; /* of a point; engines take no more, and assimp drops the weakest */

/* The functions of the library that are called. assimp_import.c alone opens it. */
#define ASSIMP_CALLS(CALL)                                                                                        \
    CALL(aiImportFileExWithProperties)                                                                            \
    CALL(aiApplyPostProcessing)                                                                                   \
    CALL(aiReleaseImport)                                                                                         \
    CALL(aiGetErrorString)                                                                                        \
    CALL(aiCreatePropertyStore)                                                                                   \
    CALL(aiReleasePropertyStore)                                                                                  \
    CALL(aiSetImportPropertyInteger)                                                                              \
    CALL(aiSetImportPropertyFloat)                                                                                \
    CALL(aiAttachLogStream)                                                                                       \
    CALL(aiDetachAllLogStreams)                                                                                   \
    CALL(aiGetMaterialFloatArray)                                                                                 \
    CALL(aiGetMaterialIntegerArray)                                                                               \
    CALL(aiGetMaterialColor)                                                                                      \
    CALL(aiGetMaterialString)                                                                                     \
    CALL(aiGetMaterialTexture)                                                                                    \
    CALL(aiDecomposeMatrix)                                                                                       \
    CALL(aiMultiplyMatrix4)                                                                                       \
    CALL(aiGetVersionMajor)                                                                                       \
    CALL(aiGetVersionMinor)                                                                                       \
    CALL(aiGetVersionPatch)

struct assimp_library {
#define CALL(name) __typeof__(&name) name;
    ASSIMP_CALLS(CALL)
#undef CALL
};

/* Lines of assimp's log, which differ by numbers alone. */
struct assimp_note {
    const char *text; /* the first */
    uint32_t count;
};

enum { ASSIMP_MOST_NOTES = 8 }; /* that are worth reading, unless somebody asks for all */

struct assimp_import {
    struct assimp_library library;
    struct bytes bytes;
    const struct model_options *options;
    const struct aiScene *scene;

    struct assimp_note notes[ASSIMP_MOST_NOTES];
    uint32_t note_count;

    /* For the rig: */
    struct model *model;
    struct arena *arena;         /* the model's */
    struct arena scratch;        /* until the file is read */
    const struct aiNode **nodes; /* those of the rig, in its order */
    struct rig_node *rig_nodes;  /* rig.nodes */
    const struct model_material **materials;
    struct rig_surface *meshes; /* of the scene, without a node */
    struct rig_skin *skins;     /* one for each mesh */
    size_t weight_count;        /* in tracks */
    bool has_linear_colors;     /* of materials of the old kind */
    bool has_linear_vertices;   /* whose colours are linear, too */
    struct rig rig;
};

/* The scene is the caller's to release. The log goes to the model's oddities, where there is a model, and
 * a missing file to its warnings, too. */
int assimp_import(struct assimp_import *import, unsigned steps, struct error *err);

/* The same, with the library's checks and the steps that make triangles; the scene holds no index out of its range. */
int assimp_import_checked(struct assimp_import *import, struct error *err);

/* How to have a file read that assimp does not read for this reason, or reads in part; NULL: nothing is known. */
const char *assimp_find_cure(struct assimp_import *import, const char *reason);

/* -- assimp_scene ------------------------------------------------------------------------------------------- */

/* Fills the rig with what was imported. */
int assimp_read_scene(struct assimp_import *import, struct error *err);
