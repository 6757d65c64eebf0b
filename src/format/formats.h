/* The formats of models. A format is one file with one constant of type struct model_format, and one row in the table of
 * formats.c.
 *
 *     model_load(bytes, &options, &model, err);          recognises the format by content
 *     model->format->companions[...].add(...)            for formats that keep normals, clips or tags apart
 *     model_add_animation(model, "walk", bytes, err);    for formats that keep animations apart */
#pragma once

#include "asset/assets.h"
#include "model/model.h"

enum geometry {
    GEOMETRY_TRIANGLES,   /* the triangle table */
    GEOMETRY_GL_COMMANDS, /* MD2's strips and fans; an error for a file without any, and for other formats */
};

enum via {
    VIA_OWN,    /* of the format, where we have one; else assimp, going by the suffix */
    VIA_ASSIMP, /* assimp for all */
};

/* How a file of an old format has the colours of its materials: as its maker writes them, or as the job says. */
enum color_space { COLORS_AUTO, COLORS_LINEAR, COLORS_SRGB };

struct model_options {
    enum geometry geometry;
    enum via via;
    enum color_space colors;
    const char *scene; /* its name or number, for formats with several; NULL: that of the file's choice */
    /* Which of its skins are wanted that lie in files beside it. NULL: all; a name: that one, and all where there is
     * none of that name; "": the one that it wears by itself. */
    const char *skin;
    struct model_transform transform; /* all 0: none */
    const char *path;                 /* of the file in the assets; NULL: it has none, and so no files beside it */
    struct assets *assets;            /* where files are that it names, or NULL */
    bool takes_clips_alone; /* a file of joints and clips for other models is one, too, without surfaces */
    bool is_for_clips;      /* and surfaces need not be read */
    bool lists_notes;       /* oddities of one kind are listed, not counted, where there may be thousands */
};

/* A file that is part of the model, and called as the model but for its suffix. */
struct companion {
    const char *suffix; /* ".anm"; NULL: the format has none */

    /* Adds what the bytes say. On failure the model is as before. */
    int (*add)(struct model *model, struct bytes bytes, struct error *err);
};

/* Files that hold an animation and no model: they are shown on models of the format. */
struct animation_format {
    const char *name;   /* "MD5 animation" */
    const char *suffix; /* ".md5anim" */
    bool (*matches)(struct bytes bytes);
    struct companion companion; /* called as the animation: adds to the model's last animation */
};

enum companion_kind {
    COMPANION_NORMALS, /* for models loaded with GEOMETRY_TRIANGLES, and before a mesh is made of them */
    COMPANION_CLIPS,
    COMPANION_TAGS, /* read when a job needs them */
    COMPANION_COUNT,
};

/* How files of a format end. */
struct model_suffix {
    const char *text;   /* ".glb" */
    const char *format; /* of a library's: "COLLADA" */
};

struct model_format {
    const char *name;                    /* "MD2" */
    const struct model_suffix *suffixes; /* the usual one first; after the last comes {0} */
    const char *start;                   /* how a file begins: "IDP2"; NULL: in no one way */
    const char *reads;                   /* the parts that are read, in a line for people; NULL for a library */
    const char *in_folder;               /* a folder with a file of this name is a model, too; NULL: none */
    const struct animation_format *animation_format; /* of files with animations to choose from, or NULL */
    struct companion companions[COMPANION_COUNT];
    bool has_gl_commands; /* `load` takes GEOMETRY_GL_COMMANDS */
    bool has_scenes;      /* and a scene */
    bool has_skin_files;  /* and a skin */

    /* Whether a file is of the format. NULL: by its start, or else by its suffix. */
    bool (*matches)(struct bytes bytes);

    /* Fills a zeroed model whose `format` is set. On failure model_load frees it, and else fills `used_points`. */
    int (*load)(struct bytes bytes, const struct model_options *options, struct model *model, struct error *err);

    /* Opens a model file for the pictures in it, which are files of any image format. NULL: models hold none. */
    const struct file_opener *pictures;

    /* NULL where no animation can be added. */
    int (*add_animation)(struct model *model, const char *name, struct bytes bytes, struct error *err);
};

extern const struct model_format md2_format, md3_format, md3_player_format, md5_format, mdl_format, gltf_format,
    iqm_format, assimp_format;

/* Begins the names of pictures that assimp reads: they differ from those of our own reader of the same file. */
#define ASSIMP_PICTURE_PREFIX "assimp"

/* All formats; NULL after the last. */
extern const struct model_format *const model_formats[];

/* The first format that takes the bytes; the path may be NULL. NULL when they are none. */
const struct model_format *model_format_of(struct bytes bytes, const char *path);

/* The format of the models that the animation in the bytes is for, or NULL when they are none. */
const struct model_format *model_format_of_animation(struct bytes bytes);

/* Whether a file that is called as models are is an animation alone, as some IQM files are. Others are not opened. */
bool model_is_animation(struct assets *assets, const char *path);

/* The format's suffix that the path ends with, in any case; NULL: none. */
const struct model_suffix *model_format_suffix(const struct model_format *format, const char *path);

/* Whether models of a format have this suffix, in any case. */
bool model_has_suffix(const char *suffix);

/* The path of a model as it is found in the assets: a file, or the one that makes a folder a model. NULL: neither. */
const char *model_find_file(struct assets *assets, const char *path);

/* Whether the file is one that makes its folder a model. */
bool model_is_in_folder(const char *path);

/* Adds the paths of the animations of a format, or of its models, in the folder of `path`, sorted. Where both have one
 * suffix, their contents tell them apart. */
void model_find_of_format(struct assets *assets, const char *path, const struct model_format *format,
                          bool wants_animations, struct strings *out);

/* Options may be NULL: the defaults. A file that names others, such as buffers, reads them from options.assets. */
int model_load(struct bytes bytes, const struct model_options *options, struct model **out, struct error *err);

/* Returned for -1 where the animation moves joints that the model does not have. */
#define MODEL_OTHER_SKELETON (-2)

/* Adds the animation in the bytes, and its clip or clips; `name` is what a clip without a name of its own is
 * called. On failure the model is as before. */
int model_add_animation(struct model *model, const char *name, struct bytes bytes, struct error *err);

/* The opener of a model file for a picture in it: an opener_chooser (asset/assets.h). */
const struct file_opener *model_picture_opener(const struct container *file, const char *name, struct error *err);

/* "5.2.5", or why there is no assimp. It loads the library. */
int assimp_version(char *out, size_t size, struct error *err);
