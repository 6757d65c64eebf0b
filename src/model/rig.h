/* Rigs: all that moves in a model, whatever its format. Three kinds of reader fill in a struct rig:
 *
 * glTF, IQM, FBX and others: nodes with tracks, and surfaces that hang on them. rig_build makes the model of it. A point at a
 * moment, as glTF defines it: its position plus the sum of its morph targets by their weights; then the sum over its
 * influences of weight * world(joint) * inverse bind, or without a skin world(node of its surface); then `to_model`. Normals
 * go the same way by the inverse transposes, and are made unit. With dual quaternions, which FBX may ask for, the turns, places
 * and sizes of these matrices are summed up each by itself: limbs that twist or bend keep their girth.
 *
 * MD5: the reader fills in the model's points and surfaces, and parts of the rig, then calls rig_build. Joints are rows of
 * numbers. Each joint that holds a point has a place of its own for it, and normals are derived in each pose.
 *
 * MD2, MDL, MD3: the reader fills in the model's points and surfaces, and frames. There are no nodes (rig_of_frames).
 *
 * A rig, and all that it points to, lives in the model's arena, for poses read it.
 *
 * Everything in a rig is checked by its reader: indices are in range, parents come before their children, numbers are
 * finite and below MODEL_LARGEST_NUMBER, and times of tracks ascend. */
#pragma once

#include "model/model.h"

struct rig_node {
    const char *name;     /* may be "" */
    const char *standard; /* Mixamo's name for this joint of a person, such as "LeftForeArm"; NULL: not known */
    int32_t parent;       /* an earlier node, or -1 */
    struct transform local;
    const double *matrix; /* 16 numbers, by column, in place of `local` until a track moves the node; or NULL */
    const float *weights; /* of the morph targets of its surfaces, when no track says otherwise; NULL: 0 */
    uint32_t weight_count;
    bool is_hidden; /* at rest, with all below it: nothing of their surfaces is seen */
};

struct rig_skin {
    uint32_t joint_count;
    const uint32_t *joints;      /* nodes */
    const double *inverse_binds; /* 16 numbers for each, by column; NULL: identities */
    bool is_bound_at_rest;       /* or the points lie where the joints at rest hold them */
    const double *moved_from;    /* or NULL. 16 numbers: where `mover` was; points also go as it goes from there */
    uint32_t mover;              /* a node */
};

struct rig_morph {
    const vec3 *positions, *normals; /* added to each point at weight 1; NULL: nothing is */
};

/* Triangles of one material on one node. A file that draws a mesh at several nodes has a surface for each. */
struct rig_surface {
    const char *name; /* made unique by rig_build */
    struct surface_material material;
    uint32_t node;
    int32_t skin; /* -1: none, the points move with the node */

    uint32_t point_count;
    const vec3 *positions;
    const vec3 *normals;        /* NULL: flat; rig_build gives each triangle points of its own */
    const vec2 *uvs, *more_uvs; /* t down from the top-left; NULL: 0 */
    const vec4 *colors;         /* in linear light; NULL: white */
    uint32_t influence_count;   /* for each point, with a skin */
    const uint32_t *joints;     /* influence_count for each point: indices into the skin's joints */
    const float *weights;       /* the same; their sum need not be 1 */
    const float *turn_weights;  /* of each point, 0 to 1: how much of it goes by dual quaternions; NULL: nothing */
    const struct rig_morph *morphs;
    uint32_t morph_count;

    const uint32_t *indices; /* triangles, counter-clockwise from outside, where the node does not mirror them */
    uint32_t index_count;
};

/* Points of the model that are posed alike: rig_build makes them of a surface, unless the reader did. */
struct rig_part {
    uint32_t first_point, point_count;
    uint32_t node;                   /* whose weights of morph targets count; hidden with it */
    const vec3 *positions, *normals; /* no normals: flat */
    const struct rig_morph *morphs;
    uint32_t morph_count;
    uint32_t bind;                          /* what all points hang on; or with influences the first one */
    bool is_mirrored;                       /* by it, at rest: so the model's triangles run the other way */
    const struct rig_influence *influences; /* or NULL */
    const uint32_t *ends;      /* of each point, in `influences`; one point starts where another ends */
    const float *turn_weights; /* of each point, or NULL: as rig_surface has them */

    /* In place of positions and influences: points that each joint holds at a place of its own. */
    const struct skin_weight *weights;
    const struct skin_span *spans; /* of each point, in `weights` */

    /* In place of normals: of each point the first that has a normal in common with it, a number of the model. Normals are
     * derived in each pose: sums of the unit normals of the triangles at all these points. */
    const uint32_t *twins;
};

enum rig_target { RIG_TRANSLATION, RIG_ROTATION, RIG_SCALE, RIG_WEIGHTS, RIG_VISIBILITY };
extern const uint32_t rig_widths[]; /* numbers of a value, by target; 0: the node's weight_count */
enum rig_interpolation { RIG_LINEAR, RIG_STEP, RIG_CUBIC }; /* rotations: LINEAR is slerp along the shorter arc */

/* A turn that is told by angles: `after`, then by these (quaternion_turn_by), then `before`. */
struct rig_angles {
    double before[4], after[4];
    uint32_t order;
};

/* The keyframes of one property of one node. Before the first and after the last these hold. */
struct rig_track {
    uint32_t node;
    enum rig_target target;
    enum rig_interpolation interpolation;
    uint32_t key_count; /* at least 1 */
    const float *times_s;
    uint32_t
        width; /* numbers of a value: 3, 4 (quaternion, w last), the node's weight_count, 1 (below 0.5: hidden) */
    const float *values; /* key_count times width; with RIG_CUBIC of each tangent in, value, tangent out */
    const struct rig_angles *angles; /* of a rotation with width 3: its numbers are degrees; or NULL */
};

struct rig_animation {
    const char *name; /* of its clip; "" gives "animation", "animation_2", ... */
    const struct rig_track *tracks;
    uint32_t track_count;
    const double
        *keyframes_s; /* of its clip, ascending, where tracks have more keys; NULL: wherever a track has one */
    uint32_t keyframe_count;
    float rate_hz;           /* where tracks have so many keys a second; 0: the clip has the times of the keys */
    enum clip_ending ending; /* with a rate; without one the poses are looked at */
};

/* -- Keyframes of joints: MD5 --------------------------------------------------------------------------------- */

/* The numbers of a row that belong to a node. */
struct rig_row_node {
    uint32_t flags; /* 1, 2, 4: the place's x, y, z; 8, 16, 32: the rotation's x, y, z; in that order in the row */
    uint32_t start; /* start + the number of flags set never passes rig_rows.width */
};

/* The size of a node alone at a keyframe: what it carries has its own. */
struct rig_size {
    uint32_t frame, node;
    float size;
};

/* Keyframes of all nodes, each a row of numbers that take the place of some of `base`. They stay as the file has them, and a
 * node is put together when it is posed: a file of many joints and many empty keyframes would ask for memory without bounds. */
struct rig_rows {
    const struct rig_row_node *nodes; /* of each node of the rig */
    const struct transform *base;     /* the same, relative to the parent */
    const double *numbers;            /* as many rows as keyframes */
    uint32_t width;
    const struct rig_size *sizes; /* where nodes have another than 1 */
    size_t size_count;
    const bool *sizes_places; /* of each node: its size multiplies its own place, too */
};

/* Completes a unit rotation: w = -sqrt(1 - x2 - y2 - z2). Where x, y, z are longer than 1 alone they become unit. */
void rig_complete_rotation(double rotation[4]);

/* Returns a node at a keyframe, relative to its parent, without its size. */
struct transform rig_read_row(const struct rig_rows *rows, uint32_t frame, uint32_t node);

/* -- Keyframes of points: MD2, MDL, MD3 ----------------------------------------------------------------------- */

/* Which normals of a keyframe are derived from the triangles. */
enum rig_derived {
    RIG_DERIVED_NONE,
    RIG_DERIVED_BAD, /* those whose number is none of rig_frames.normals */
    RIG_DERIVED_ALL, /* the exporter wrote one number for every point, which means nothing */
};

/* A keyframe: scale * stored + translate. */
struct rig_frame {
    vec3 scale, translate;
    const uint8_t *stored; /* as in the file: see rig_frames */
    enum rig_derived derived;
};

/* A point of the model: number `stored` of each keyframe. Derived normals are shared by the points of a group. */
struct rig_frame_point {
    uint32_t stored, group;
};

/* Points with keyframes of their own. A keyframe stores, for each point, x, y and z in a byte each, and the number of a normal;
 * or with `sines` x, y and z in 16 signed bits each, little-endian, and a normal's angle from the z axis and that around it
 * from the x axis, a full turn being 256. */
struct rig_frames {
    uint32_t first_point, point_count;    /* of the model */
    const struct rig_frame *items;        /* as many as its animation has */
    const struct rig_frame_point *points; /* NULL: those stored in their order, each a group of its own */
    uint32_t group_count;
    bool shares_normals; /* all are derived, at each keyframe: sums of the unit normals of a group's triangles */
    const vec3 *normals; /* by number */
    uint32_t normal_count;
    const float *sines;    /* of 256ths of a turn, and a quarter more: cosines start there */
    const struct tag *tag; /* of the frames before these, which the points hang on; NULL: they hang on nothing */
};

/* The part of an animation that frames play in a rig with several. */
struct rig_play {
    struct clip clip;
    bool is_reversed;
};

/* A place on the points of frames: a joint of a rig without nodes. */
struct rig_hold {
    uint32_t frames;       /* number of rig.frames */
    const struct tag *tag; /* NULL: where the frames are themselves */
};

enum { RIG_MOST_FRAMES = 3 }; /* in one rig */

/* animation.motion */
struct motion {
    const struct rig_track *tracks;
    uint32_t track_count;
    const double *times_s;       /* of the keyframes, as in the tracks */
    const struct rig_rows *rows; /* in place of tracks; or NULL */

    /* By number of rig.frames: the animation has the keyframes of `lead`, and the others are at their own pace. */
    const struct rig_play *plays;
    uint32_t lead;

    const double *keyframes_s; /* of its rig_animation */
    uint32_t keyframe_count;
};

struct rig {
    double to_model[16]; /* from the axes and units of the file to ours, by column: a turn, maybe with one scale */
    const struct rig_node *nodes;
    uint32_t node_count;
    const struct rig_skin *skins;
    uint32_t skin_count;
    const struct rig_surface *surfaces;
    uint32_t surface_count;
    const struct rig_animation *animations;
    uint32_t animation_count;
    uint32_t morph_track_count; /* of all animations, also where the weights are not read */
    bool may_lack_triangles;

    const struct rig_part *parts; /* a reader's own, one for each surface of the model; or made by rig_build */
    uint32_t part_count;
    const struct rig_bind *binds; /* made by rig_build; where there are none, points stay where they are */
    size_t bind_count;
    bool blends_turns;    /* INTERPOLATION_OBJECT blends turns along arcs; or else all matrices, along the line */
    bool has_moving_root; /* the first node goes where clips go */

    const struct rig_frames *frames; /* in place of nodes; or NULL */
    uint32_t frames_count;
    const struct rig_hold *holds; /* by joint of the model, with frames */
    const struct motion *rest;    /* its start is the bind pose of frames; NULL: that is the first keyframe */
};

/* glTF's Y up and +Z forward become ours: Z up, X forward. */
extern const double rig_y_up_z_forward[16];

/* Fills in joints (all nodes), animations and clips of the model, whose arena the rig is in; and points, vertices and
 * surfaces, unless the rig has parts. Fails above the limits of model/model.h, and for a rig that may not lack triangles and
 * does. Where no two animations move the same thing, a clip "all" plays all of them at once. */
int rig_build(struct model *model, const struct rig *rig, struct error *err);

/* The first half of rig_build: all but animations. */
int rig_build_points(struct model *model, const struct rig *rig, struct error *err);

/* Names stand in outputs; and the search for unique ones takes long where they are long and alike. */
int rig_check_name(const char *what, uint32_t number, const char *name, struct error *err);

/* Returns a rig of copies of these frames, in the arena. */
struct rig *rig_of_frames(struct arena *arena, const struct rig_frames *frames, uint32_t count);

/* Adds an animation and its clip, which has a keyframe wherever a track has a key, and begins with the first. Keys nearer
 * to each other than 1e-5 s are one keyframe. Without a rate, the clip is a loop that closes, unless it ends in another
 * pose; with one, its poses say whether it closes. One without tracks adds nothing. On failure the model is
 * as before. */
int rig_add_animation(struct model *model, const struct rig_animation *animation, struct error *err);

/* Fills in the mesh at the pose, before the model's transform. */
void rig_pose(const struct model *model, const struct pose *pose, struct mesh *mesh);

/* The same for rigs with frames, and model_pose_joints without the transform (frames.c). */
void frames_pose(const struct model *model, const struct pose *pose, struct mesh *mesh);
void frames_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model);

/* -- The rig by itself --------------------------------------------------------------------------------------- */

/* Returns the animation of the clip, with all its keys; borrowed from the model. */
struct rig_animation rig_animation_of(const struct model *model, const struct clip *clip);

/* The times of its keyframes, ascending, in the arena: wherever a track has a key. NULL for too many. */
const double *rig_keyframes(const struct rig_animation *animation, struct arena *arena, uint32_t *count,
                            struct error *err);

struct transform rig_to_model(const struct rig *rig);

/* A key of a rotation, unit. */
void rig_turn_at(const struct rig_track *track, uint32_t key, double out[4]);

/* Each node's space to the model's, at a time of the tracks, or at rest (NULL). Where parents are scaled by different
 * amounts along their axes, what is slanted is left out. */
void rig_place(const struct rig *rig, const struct rig_animation *animation, double time_s,
               struct transform *worlds);

/* The same where skins bind their joints; other nodes stay as they are at rest, seen from their parents. */
void rig_place_bind(const struct rig *rig, struct transform *worlds);
