/* Inside the reader of FBX: a file that is being read, and what its parts ask of each other.
 *
 *     file      the tree of nodes, binary and ASCII; objects with their properties; connections
 *     material  materials, textures, pictures in the file
 *     mesh      geometry, weights of skins, blend shapes
 *     curve     takes, layers, curves: what a property is at a time
 *     scene     nodes, surfaces, skins, tracks; the format
 *
 * What fails sets `has_failed` and writes `err`; after that all readers give nothing. */
#pragma once

#include <math.h>

#include "asset/assets.h"
#include "model/format.h"
#include "model/rig.h"

extern const struct model_format fbx_format;

struct fbx_value {
    char type;          /* 'N' number, 'S' text or bytes; of arrays as in the file: b c i l f d; 0: none */
    bool is_packed;     /* an array is deflated */
    uint32_t count;     /* of an array */
    double number;      /* of 'S' with one letter its code, or NaN */
    int64_t whole;      /* of a number that is a whole one in the file */
    struct bytes bytes; /* of text, and of an array as it is in the file */
};

struct fbx_node {
    struct bytes name, values; /* as they are in the file */
    struct bytes label;        /* of the first value, where that is a text */
    uint32_t value_count, child_count;
    const struct fbx *file;
    const struct fbx_node *first, *next;
};

/* Kinds of objects: the name of the node, and what it says it is, or NULL: any. */
#define FBX_KINDS(X)                                                                                              \
    X(FBX_MODEL, "Model", NULL)                                                                                   \
    X(FBX_GEOMETRY, "Geometry", NULL)                                                                             \
    X(FBX_SKIN, "Deformer", "Skin")                                                                               \
    X(FBX_CLUSTER, "Deformer", "Cluster")                                                                         \
    X(FBX_BLEND_SHAPE, "Deformer", "BlendShape")                                                                  \
    X(FBX_SHAPE_CHANNEL, "Deformer", "BlendShapeChannel")                                                         \
    X(FBX_MATERIAL, "Material", NULL)                                                                             \
    X(FBX_TEXTURE, "Texture", NULL)                                                                               \
    X(FBX_LAYERED_TEXTURE, "LayeredTexture", NULL)                                                                \
    X(FBX_VIDEO, "Video", NULL)                                                                                   \
    X(FBX_DETAIL_GROUP, "NodeAttribute", "LodGroup")                                                              \
    X(FBX_STACK, "AnimationStack", NULL)                                                                          \
    X(FBX_LAYER, "AnimationLayer", NULL)                                                                          \
    X(FBX_CURVE_NODE, "AnimationCurveNode", NULL)                                                                 \
    X(FBX_CURVE, "AnimationCurve", NULL)                                                                          \
    X(FBX_CONSTRAINT, "Constraint", NULL)                                                                         \
    X(FBX_CACHE, "Cache", NULL)

enum fbx_kind {
#define X(kind, name, sub) kind,
    FBX_KINDS(X)
#undef X
        FBX_OTHER,
    FBX_CARRIER, /* of links alone */
};

struct fbx_object {
    enum fbx_kind kind;
    const char *name;
    const struct fbx_node *node;
    const struct fbx_node *properties; /* or NULL */
};

struct fbx_id {
    uint64_t id;
    uint32_t object;
};

enum { FBX_ROOT = UINT32_MAX }; /* in the place of an object's number */

/* From one object, or FBX_ROOT, to another: one of this kind that it carries, or with FBX_CARRIER one that carries it. */
struct fbx_link {
    uint32_t of, object;
    enum fbx_kind kind;
    struct bytes property; /* of what carries */
};

struct fbx_links {
    const struct fbx_link *items;
    uint32_t count;
};

struct fbx {
    struct error *err;
    bool has_failed;
    struct bytes bytes;
    const struct model_options *options;
    struct model *model;
    struct arena *arena;   /* the model's */
    struct arena scratch;  /* until the file is read */
    size_t unpacked_count; /* numbers of packed arrays, each time that one is read */

    bool is_binary, is_big_endian;
    bool is_of_blender, is_of_maya;
    uint32_t version; /* 7400 */
    const struct fbx_node *root;
    const struct fbx_node
        *templates[FBX_OTHER + 1]; /* properties that objects of a kind have by default, or NULL */
    struct fbx_object *objects;
    struct fbx_id *ids; /* ascending */
    uint32_t object_count, id_count;
    struct fbx_link *links; /* by object, then by kind, then in the order of the file */
    uint32_t link_count;
    double ticks_per_s;
    double repeated_count; /* keys of curves that repeat */
    struct fbx_note *notes;
    size_t note_count, note_capacity;
};

/* Of one kind: "3 texture layers are left out, such as 'moss'". */
struct fbx_note {
    const char *text, *first;
    uint32_t count;
    bool is_warning;
};

/* -- file -------------------------------------------------------------------------------------------------- */

bool fbx_matches(struct bytes bytes);

/* Returns -1 when it fails. fbx_close releases what is there, then too. */
int fbx_open(struct fbx *fbx, struct bytes bytes);
void fbx_close(struct fbx *fbx);

/* Returns -1. */
int fbx_fail(struct fbx *fbx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Something about the file: `text` says what of several, and has to live on. */
void fbx_note(struct fbx *fbx, bool is_warning, const char *text, const char *name);

bool fbx_is(struct bytes text, const char *word);

/* The child of that name, or the next one after `node`; NULL: none. The parent may be NULL. */
const struct fbx_node *fbx_child(const struct fbx_node *parent, const char *name);
const struct fbx_node *fbx_next(const struct fbx_node *node, const char *name);

struct fbx_value fbx_value_of(const struct fbx_node *node, uint32_t index);

/* Of a value by its number; `otherwise` and "" where there is none. The node may be NULL. */
double fbx_number(const struct fbx_node *node, uint32_t index, double otherwise);
struct bytes fbx_bytes(const struct fbx_node *node, uint32_t index);
const char *fbx_text(struct fbx *fbx, const struct fbx_node *node, uint32_t index);

/* All numbers of a node, which may be NULL: none. Of what is none the value is NaN, and of a letter its code. In the
 * scratch arena. */
const double *fbx_numbers(struct fbx *fbx, const struct fbx_node *node, size_t *count);

/* A number as a whole one; 0 for NaN, and beyond 32 bits. */
static inline int64_t fbx_whole(double number)
{
    return fabs(number) <= UINT32_MAX ? (int64_t)number : 0;
}

/* The properties of a node of that name below `parent`, or below Objects: those of no kind. */
struct fbx_object fbx_find_properties(const struct fbx *fbx, const struct fbx_node *parent, const char *name);

/* A property of an object, or of its kind; `otherwise`, what is there, and "" where it has none. Numbers of vectors are
 * below MODEL_LARGEST_NUMBER. */
double fbx_property_number(const struct fbx *fbx, const struct fbx_object *object, const char *name,
                           double otherwise);
bool fbx_property_vector(const struct fbx *fbx, const struct fbx_object *object, const char *name, double out[3]);
const char *fbx_property_text(struct fbx *fbx, const struct fbx_object *object, const char *name);

/* The links of an object, or of FBX_ROOT, of a kind. */
struct fbx_links fbx_links_of(const struct fbx *fbx, uint32_t object, enum fbx_kind kind);

/* Of an id that is a value of a node, where versions below 7.0 have names. FBX_ROOT: none is called so. */
uint32_t fbx_find_object(const struct fbx *fbx, const struct fbx_node *node, uint32_t index);

/* From base64 as ASCII files have it, or as it is. */
int fbx_read_content(struct fbx *fbx, const struct fbx_node *content, struct blob *out);

/* -- material ----------------------------------------------------------------------------------------------- */

extern const struct file_opener fbx_pictures;

/* The same for the same object. FBX_ROOT: what a surface without a material has. */
const struct model_material *fbx_read_material(struct fbx *fbx, uint32_t material, uint32_t model);

/* -- mesh --------------------------------------------------------------------------------------------------- */

struct fbx_shape {
    uint32_t channel; /* the object that says how much of it is there: those of one channel follow each other */
    const char *property; /* of the channel */
    double full;          /* the percent of the channel at which it is there and no other */
};

struct fbx_mesh {
    struct rig_surface all; /* without node, skin and triangles; the name may be "" */
    uint32_t control_count;
    uint32_t part_count; /* triangles by material */
    struct fbx_part {
        uint32_t material;
        uint32_t *indices;
        uint32_t index_count;
    } * parts;

    struct fbx_shape *shapes; /* as many as morphs */
    uint32_t *clusters;       /* objects; the joints of a skin, after which comes the model itself */
    uint32_t cluster_count;
};

/* The geometry of an object: a Geometry, or in 6.1 a Model. Without triangles it has no parts. NULL: it fails. */
const struct fbx_mesh *fbx_read_mesh(struct fbx *fbx, uint32_t geometry);

/* The weights of all shapes, of which those of a channel begin at the first; returns how many these are. */
uint32_t fbx_weigh_shapes(const struct fbx_mesh *mesh, uint32_t first, double percent, double *weights);

/* -- curve -------------------------------------------------------------------------------------------------- */

struct fbx_curve;

/* A property of an object in a layer: up to three numbers, each with a curve or without. */
struct fbx_channel {
    uint32_t object, layer;
    const char *property;
    double values[3]; /* without a curve */
    struct fbx_curve *curves[3];
};

enum fbx_blend { FBX_ADD, FBX_REPLACE, FBX_BLEND };

struct fbx_layer {
    uint32_t object; /* or FBX_ROOT */
    double weight;   /* 0 to 1 */
    enum fbx_blend blend;
    bool adds_angles, adds_sizes; /* or turns follow each other, and sizes are multiplied */
    const struct fbx_channel *animated_weight;
};

struct fbx_take {
    const char *name;
    double begin_s, end_s;
    struct fbx_layer *layers;
    uint32_t layer_count;
    struct fbx_channel *channels; /* by object, then by property, then by layer */
    size_t channel_count, capacity;
};

/* All takes that move anything; in the scratch arena. NULL: it fails. */
const struct fbx_take *fbx_read_takes(struct fbx *fbx, uint32_t *count);

struct fbx_channels {
    const struct fbx_channel *items; /* by layer */
    uint32_t count;
};

/* Of a property of an object. The take may be NULL: none. */
struct fbx_channels fbx_channels_of(const struct fbx_take *take, uint32_t object, const char *property);

/* `slopes`, before and after the time, may be NULL; they are right where fbx_add_times finds neither jumps nor weights. */
void fbx_values_at(const struct fbx_channel *channel, double time_s, double values[3], double slopes[2][3]);
double fbx_layer_weight(const struct fbx_layer *layer, double time_s);

struct fbx_times {
    bool takes_still;             /* also keys of curves that stay where they are */
    const struct fbx_curve *last; /* whose keys were added */
    double *items;                /* malloc'd */
    size_t count, capacity;
    bool is_moved, may_jump, has_weights; /* there is a curve; a value may jump at a key; slopes have weights */
    bool are_near; /* once they are sorted: a key went that is not quite at the time of the one before */
};

/* Adds the times between the take's begin and end at which curves of the channels, and the weights of their layers, have
 * keys, also where these repeat. */
void fbx_add_times(const struct fbx_take *take, struct fbx_channels channels, struct fbx_times *times);
