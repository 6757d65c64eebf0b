/* Between model.c and the formats, and what else is to know of a format than how to load it. A new format is one file,
 * one constant of this type, and one line in the table of model.c. */
#ifndef MODEL_FORMAT_H
#define MODEL_FORMAT_H

#include "model/model.h"

/* Files that hold an animation and no model: they are shown on models of the format. */
struct animation_format {
    const char *name;         /* "MD5 animation" */
    const char *suffix;       /* ".md5anim" */
    const char *model_suffix; /* of the models: ".md5mesh" */
    bool (*matches)(struct bytes bytes);
};

struct model_format {
    const char *name;             /* "MD2" */
    const char *animation_suffix; /* of files beside a model that are part of it (".anm"), or NULL */
    const struct animation_format *animation_format; /* of files with animations to choose from, or NULL */
    const char *normals_suffix; /* of files beside a model that say how its normals are made (".mdx"), or NULL */
    bool has_gl_commands;       /* `load` takes GEOMETRY_GL_COMMANDS */

    bool (*matches)(struct bytes bytes);

    /* Fills a zeroed model whose `format` is set. On failure model.c frees it. `used_points` is filled by
     * model.c afterwards. Clips are added through model_add_clip. */
    int (*load)(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err);

    /* NULL where no animation can be added. */
    int (*add_animation)(struct model *model, const char *name, struct bytes bytes, struct error *err);

    /* NULL where `normals_suffix` is. */
    int (*add_normals)(struct model *model, struct bytes bytes, struct error *err);

    void (*pose)(const struct model *model, const struct pose *pose, struct mesh *mesh);

    /* NULL where models have no joints. */
    void (*pose_joints)(const struct model *model, const struct pose *pose, mat4 *joint_to_model);
};

extern const struct model_format md2_format, md5_format;

/* What the bytes are, going by their content, or NULL when they are no animation file. */
const struct animation_format *animation_format_of(struct bytes bytes);

/* Both copy what they are given; names must already live in the model's arena. */
void model_add_animation_entry(struct model *model, const struct animation *animation);
void model_add_clip(struct model *model, const struct clip *clip);

/* "name", or "name_2", "name_3", ... when the model has a clip of that name already; in the model's arena. */
const char *model_unique_clip_name(struct model *model, const char *name);

#endif
