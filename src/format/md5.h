/* MD5, the format of Doom 3, version 10, seen from the inside: what its source files share.
 *
 *     md5mesh.c   reads an md5mesh, and joins its meshes to a model
 *     md5anim.c   reads an md5anim onto that model, and the scales of its joints
 *     md5.c       the grammar both files share
 *     md5_pose.c  a pose becomes a mesh */
#pragma once

#include "base/lexer.h"
#include "model/rig.h"

struct model_options;

/* model.data */
struct md5_mesh {
    struct rig rig;               /* of its joints, for clips of other files */
    const struct transform *bind; /* model.joint_count, in model space */
    struct skin skin;
    const uint32_t *twins; /* model.point_count: the first point of the same mesh at the same place at bind pose,
                              which may be the point itself */
};

/* Which components of a joint the frames replace, and where in a frame they begin. */
struct md5_track {
    uint32_t flags; /* 1, 2, 4: position x, y, z; 8, 16, 32: orientation x, y, z; in that order in the frame */
    uint32_t start; /* start + the number of flags set never passes component_count */
};

/* animation.data. The numbers stay as the file has them and a joint is put together when it is posed: a file
 * of many joints and many empty frames would otherwise ask for memory without bounds. */
struct md5_animation {
    const struct md5_track *tracks;    /* model.joint_count */
    const struct transform *baseframe; /* the same, relative to the parent */
    const double *components;          /* frame_count times component_count */
    uint32_t component_count;
    const struct md5_scale *scales; /* by frame, then joint: where a joint is not of its own size */
    size_t scale_count;
    const bool *scales_positions; /* model.joint_count, or NULL: the scale moves the joint, too */
};

struct md5_scale {
    uint32_t frame, joint;
    float scale;
};

/* What a reader met and did not know, for one oddity at the end. */
struct md5_unknown {
    size_t count;
    unsigned line; /* of the first */
    char text[64];
};

/* A text longer than this is refused, so that whatever is counted in it fits 32 bits. */
#define MD5_LARGEST_FILE ((size_t)1 << 30)

/* Starts a lexer and takes what both kinds of file begin with: the version, and maybe a command line. */
int md5_start(struct bytes bytes, struct lexer *out, struct error *err);

/* A declared count, refused when the rest of the text is too short for so many items of `shortest_item`
 * characters. Nothing is allocated by a count that did not pass here. */
int md5_count(struct lexer *lexer, const char *keyword, size_t shortest_item, uint32_t *out, struct error *err);

/* ( x y ... ), each within MODEL_LARGEST_NUMBER. */
int md5_vector(struct lexer *lexer, double *out, size_t count, struct error *err);

/* ( position ) ( orientation without w ). `*length_squared`, of the three orientation numbers, may be NULL. */
int md5_transform(struct lexer *lexer, struct transform *out, double *length_squared, struct error *err);

/* Sorts joints so that parents come first, and else as in the file; `places` gets where each one went. Parents are below
 * `count`; fails where a joint is below itself. */
int md5_sort_joints(struct joint *joints, uint32_t count, uint32_t *places, struct error *err);

/* Passes over what is left of a block whose '{' is in that line. */
int md5_skip_block(struct lexer *lexer, unsigned line, struct error *err);

/* Passes over a token that is not known, with its whole block when it opens one. */
int md5_skip(struct lexer *lexer, const struct token *token, struct md5_unknown *unknown, struct error *err);
void md5_report_unknown(const struct md5_unknown *unknown, const char *where, struct strings *oddities);

/* Fills a zeroed model with joints and the clip of an md5anim, for models of other formats. An md5anim does not say how its
 * joints are bound: Doom 3 plays it on the md5mesh that it was made for, and takes from `baseframe` what frames leave as it
 * is; exporters write the first frame there. So the bind pose is that of a mesh in the same folder with these joints, and
 * only without one the base frame. */
int md5_load_animation(struct bytes bytes, const struct model_options *options, struct model *model,
                       struct error *err);

/* Fills in w = -sqrt(1 - x2 - y2 - z2) and makes the quaternion unit where x, y, z alone are longer than 1. */
void md5_complete_rotation(double rotation[4]);

/* Parent-relative joints of a keyframe: the base frame, with the components that the frame replaces. */
void md5_read_frame(const struct md5_animation *animation, uint32_t frame, uint32_t joint_count,
                    struct transform *joints);

/* Reads an .md5scale, see md5anim.c, onto the last animation of the model. */
int md5_add_scales(struct model *model, struct bytes bytes, struct error *err);

/* What md5_format has that is not in md5.c. */
extern const struct animation_format md5_animation_format;
int md5_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err);
void md5_pose(const struct model *model, const struct pose *pose, struct mesh *mesh);
void md5_pose_joints(const struct model *model, const struct pose *pose, mat4 *joint_to_model);
