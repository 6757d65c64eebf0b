/* A format of models, as data. Each is a file, or several, with one constant of type struct model_format;
 * format/formats.h has the table of all. */
#pragma once

#include "model/model.h"

struct assets;
struct file_opener;

/* The message about a file of no format begins so; all formats follow, to the end. */
#define NO_MODEL_FILE "not a model file: known are "

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

/* Returned by `add_animation` for -1 where the animation moves joints that the model does not have. */
#define MODEL_OTHER_SKELETON (-2)

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
