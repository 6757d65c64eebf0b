/* The facts that `info` tells of a file. All are gathered before any is printed: text and JSON are two views of them, and
 * a file that turns out to be broken in its last frame prints nothing. */
#pragma once

#include "material/material.h"
#include "base/buffer.h"
#include "base/strings.h"
#include "cli/model_args.h"
#include "plan/model_file.h"

struct info_bounds {
    bool is_known; /* false where nothing is drawn */
    vec3 least, most;
};

struct info {
    const char *name;               /* as typed; borrowed */
    const char *format;             /* "MD2", "MD5", "MD5 animation" */
    struct model_file file;         /* of an animation: the mesh it is shown on */
    struct strings animation_files; /* beside it, for jobs to name */
    struct look *skins;             /* one per skin of the model, each looked for by itself */
    struct look *materials;         /* one per surface: what it is drawn with */
    uint32_t *vertex_counts;        /* one per surface: the vertices that its triangles use */

    bool knows_gl_commands; /* the format has them; the triangles they draw, 0 where there are none to draw */
    uint32_t gl_triangle_count;

    struct info_bounds first; /* of keyframe 0, or of the bind pose */
    bool is_first_bind_pose;
    struct info_bounds all;  /* over all keyframes; unknown where there is only one pose */
    uint32_t keyframe_count; /* that `all` goes over */
    struct strings match;    /* how its clips would play on the model named before it; none: no such model */

    /* Of an animation file. Its mesh has oddities too, which are not those of the file named. */
    bool is_animation;
    char *mesh;         /* where the mesh was found */
    bool is_mesh_named; /* on the command line before it, not just found beside it */
    size_t first_oddity;
};

/* Where the files of one command line are. */
struct info_files {
    const struct strings *roots; /* of --assets */
    enum via via;
    bool is_verbose;
    size_t count;                           /* of files on the command line */
    struct strings meshes;                  /* models with joints before it, on which animations can be shown */
    const struct model_format *mesh_format; /* of the last one */
    bool is_shown;                          /* some file */
};

int info_open(const struct info_files *files, const char *name, struct info *out, struct error *err);
void info_release(struct info *info);

/* As text; with the places where pictures were looked for if `is_verbose`. */
void info_print(const struct info *info, bool is_verbose, struct buffer *out);
