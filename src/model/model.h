/* A model, whatever the format of its file, and its mesh at a moment of a clip.
 *
 * Two steps of topology keep posing cheap. *Points* are what a file animates: the vertices of its frames or of
 * its meshes. *Vertices* are what is drawn: a point with a texture coordinate. Where a seam gives a point two
 * texture coordinates it becomes two vertices but is posed once. Triangles name vertices.
 *
 * Space: model units, right-handed, Z up, X forward, as MD2 and MD5 have it. Texture coordinates: s to the
 * right, t down from the top-left, as both formats store them; they may lie outside 0..1 (textures repeat).
 * Winding: front faces are clockwise as stored (seen from outside), in both formats.
 *
 *     model_load(bytes, &options, &model, err);    of format/formats.h
 *     mesh_init(&mesh, model, err);
 *     model_pose(model, &pose, &mesh);             as often as wanted; cannot fail
 *
 * A model is data: it can be printed, compared and posed with no format in sight. It does not change once its companions and
 * animations are added, and everything in it lives in its arena. The reader checks all counts, offsets, indices and floats:
 * nothing is checked again afterwards. */
#pragma once

#include <cglm/types.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "model/own_material.h"
#include "model/skeleton.h"

struct buffer;
struct mesh;
struct model;
struct motion;
struct pose;
struct rig;

/* Limits of a model. The richest of the games have some 50,000 triangles and 150 joints; the formats of these games are
 * held to twenty times that. Rigs have what memory holds (rig_build), but for joints: a name is looked for among all. */
enum {
    MODEL_MOST_TRIANGLES = 1 << 20,
    MODEL_MOST_POINTS = 1 << 20,
    MODEL_MOST_JOINTS = 1 << 16,
    MODEL_MOST_FRAMES = 65536, /* of an animation: half an hour at 30 a second */
    MODEL_LONGEST_NAME = 1023, /* bytes; no path in the assets is longer */
};

/* No number of a model is larger: so no sum or product of a pose leaves the range of a float. */
#define MODEL_LARGEST_NUMBER 1e9

/* How the games of a format find the pictures of a material: each kind is a search of material/material.h. */
enum material_kind {
    MATERIAL_NONE,   /* it says nothing: drawn plain */
    MATERIAL_SKIN,   /* one of the model's skins is chosen for it */
    MATERIAL_SHADER, /* it is declared under its name, or pictures are called so */
    MATERIAL_OWN,    /* the model file says what it is */
};

/* The material of a surface, as its file names or describes it. */
struct surface_material {
    enum material_kind kind;
    const char *name; /* may be ""; NULL for MATERIAL_NONE and MATERIAL_SKIN */

    /* For MATERIAL_SHADER: with skins in the model the name in each of them; else NULL. */
    const char *const *skin_names;

    /* For MATERIAL_OWN: one for each of the model's skins, then the one that it wears where none is chosen. */
    const struct model_material *const *own;
};

/* A part of a model drawn with one material: an MD5 mesh, or all of an MD2. */
struct surface {
    const char *name; /* for people and for OBJ's `o`: unique in the model */
    struct surface_material material;
    uint32_t first_index, index_count; /* in model.indices; a multiple of 3; may be 0 */
};

/* Keyframes that came from one place: the frames of an MD2, or one md5anim. */
struct animation {
    const char *name; /* "" for the frames inside the model file itself */
    uint32_t frame_count;
    float rate_hz;               /* keyframes per second */
    const struct motion *motion; /* of model.rig; NULL: its frames have these keyframes */
};

/* How the axes and the unit of a file become ours, where its reader cannot know. `up` and `front` are axes of the
 * model as it comes out of the reader; AUTO is the one that goes with the other. */
enum axis { AXIS_AUTO, AXIS_X, AXIS_Y, AXIS_Z, AXIS_MINUS_X, AXIS_MINUS_Y, AXIS_MINUS_Z };

struct model_transform {
    enum axis up, front; /* not along one line */
    float scale;         /* 0: there is no transform */
    vec3 rotation_deg;   /* after these, about our x, then y, then z */
};

struct model {
    const struct model_format *format; /* model/format.h */
    const char *format_name;           /* for people: "MD2", or "FBX, read by assimp 5.2.5" */
    struct arena arena;

    uint32_t point_count, vertex_count, index_count, surface_count;
    const uint32_t *vertex_points; /* vertex_count indices below point_count */
    const vec2 *uvs;               /* vertex_count of s, t */
    const vec2 *more_uvs;          /* a second set, for own materials, or NULL */
    const vec4 *colors;            /* multiply the colour of own materials, in linear light; NULL: white */
    bool has_black_vertices;       /* with `colors` NULL: vertices are black, as Doom 3 has them for MD5 */
    const uint32_t *indices;       /* index_count indices below vertex_count: triangles */
    const struct surface *surfaces;

    const uint32_t *used_points; /* the points that triangles reach, ascending */
    uint32_t used_point_count;

    const char *const *skins; /* names of pictures inside the file, or of skins beside it; may be empty */
    uint32_t skin_count;
    const struct joint *joints;
    uint32_t joint_count;
    const uint32_t *point_joints;   /* of each point, the joint that moves it most; NULL: points hang on none */
    struct tags tags;               /* of the keyframes of animations[0] */
    const char *const *frame_names; /* one per frame of animations[0], or NULL where frames have no names */

    struct animation *animations; /* none: only the bind pose. The array is malloc'd; model_free frees it */
    struct clip *clips; /* what can be played by name, in file order, on those animations; as the array before */
    uint32_t animation_count, clip_count;
    size_t animation_capacity, clip_capacity;

    bool has_guessed_clips;  /* from the names of frames */
    struct strings oddities; /* what is unusual about the file, for people: "3 normal indices above 161" */
    struct strings warnings; /* what may make pictures wrong, such as damage: a run says it, too */
    const struct rig *rig;   /* what moves (model/rig.h) */

    /* Of all that poses give, and of the tags: from the axes and the unit of the reader to ours. */
    bool is_transformed;
    mat4 transform; /* rotation and uniform scale */
};

enum interpolation {
    INTERPOLATION_LOCAL,  /* blend parent-relative joints, then build the skeleton, as Doom 3 does */
    INTERPOLATION_OBJECT, /* blend the built skeletons, as the description of the format does */
};                        /* (the same thing for vertex keyframes) */

/* An animation of the model at a moment, or the bind pose. */
struct pose {
    int32_t animation; /* index into model.animations, or -1: the bind pose, or frame 0 of a model without one */
    struct moment moment;
    enum interpolation interpolation;
};

/* The points of a model at one moment. The caller of mesh_init owns it. It fits that model only. */
struct mesh {
    uint32_t point_count;
    vec3 *positions; /* model space */
    vec3 *normals;   /* unit length, pointing outwards; (0, 0, 1) where unknown. NULL: not wanted */
    vec3 *scratch;   /* of model_pose */
    bool *is_turned; /* by surface: its pose mirrors it, so front faces are counter-clockwise. NULL: none is */
};

void model_free(struct model *model);

/* Has the model stand as the transform says in all its poses. */
void model_set_transform(struct model *model, const struct model_transform *transform);

/* Multiplies the matrix by a scale, then by turns about the fixed axes x, then y, then z. */
void turn_and_scale(mat4 matrix, const vec3 rotation_deg, float scale);

/* Returns a model with all of `base`, but of its animations and clips only the first; more can be added to it. `base` has to
 * outlive it, and may get more animations, too. */
struct model *model_share(const struct model *base, uint32_t animation_count, uint32_t clip_count);

/* For formats, and for models that share another. Both copy their argument; names must already live in the model's arena. */
void model_add_animation_entry(struct model *model, const struct animation *animation);
void model_add_clip(struct model *model, const struct clip *clip);

/* "name", or "name_2", "name_3", ... when the model has a clip of that name already; in the model's arena. */
const char *model_unique_clip_name(struct model *model, const char *name);

/* The clip of that name, or NULL. */
const struct clip *model_find_clip(const struct model *model, const char *name);

/* Returns the clip that people mean: one of that name in any case, or else of that name in its file. An exact match wins. NULL
 * when there is none. */
const struct clip *model_clip_called(const struct model *model, const char *name);

/* For formats: a name of a fixed field, safe to print and to write into JSON. *has_junk is set when bytes follow its NUL:
 * what the exporter had in memory there. NULL: it does not matter. */
char *model_fixed_name(struct arena *arena, const uint8_t *field, size_t size, bool *has_junk);

/* For formats: gives the model's surfaces names that differ. Of those of one name the first keeps it, others get their
 * number; again, where that makes a name of another. */
void model_name_surfaces(struct model *model, struct surface *surfaces);

/* Whether any surface has a material of the kind. */
bool model_uses(const struct model *model, enum material_kind kind);

int mesh_init(struct mesh *mesh, const struct model *model, struct error *err);

/* A mesh without normals, for what only measures: they are most of the work of posing an MD5. */
int mesh_init_positions(struct mesh *mesh, const struct model *model, struct error *err);

void mesh_release(struct mesh *mesh);

/* Fills in for each of these points the first of them that lies in the same place. `firsts` may be `points`. */
void points_weld(const vec3 *positions, const uint32_t *points, uint32_t count, uint32_t *firsts);

/* The least and the most of the points that triangles reach; all 0 where there are none. */
void mesh_box(const struct model *model, const struct mesh *mesh, vec3 box[2]);

/* -- rig.c ------------------------------------------------------------------------------------------------- */

/* Fills in the mesh at the pose. */
void model_pose(const struct model *model, const struct pose *pose, struct mesh *mesh);

/* From the space of each joint to the model's: rotation and translation, and the scale of a transform.
 * model.joint_count matrices. */
void model_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model);

/* Whether clips of other files can move the model: nodes do, and keyframes of points do not. */
bool model_has_nodes(const struct model *model);

/* -- obj.c ------------------------------------------------------------------------------------------------- */

/* Adds the mesh as Wavefront OBJ text, see obj.c. Numbers have nine digits: enough to read back the very same
 * floats. Line breaks in names become underscores. */
void mesh_save_obj(const struct model *model, const struct mesh *mesh, struct buffer *out);
