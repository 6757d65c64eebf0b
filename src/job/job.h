/* A job list, read, checked and resolved: what to bake, with every default filled in.
 *
 * docs/jobs.md is the reference for users; design and meaning of each setting are described there. job_list_load
 * reads the YAML and its includes, resolves models and files in the assets, expands globs and presets, and
 * reports every problem it finds, each as "file:line:column: message". Nothing of a list with problems may run.
 * A file that is not in the assets is one of them, or costs the jobs that name it: job_options says which.
 * Only this folder knows YAML. Everything in a list lives in its arena, but for the array of jobs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "model/camera.h"
#include "model/retarget.h"
#include "format/formats.h"
#include "model/sampling.h"
#include "render/pass.h"
#include "render/style.h"
#include "sheet/movie.h"
#include "sheet/layout.h"
#include "sheet/sheet.h"
#include "page/metadata.h"

/* A place in a YAML file, from 1. */
struct mark {
    const char *file;
    unsigned line, column;
};

/* The arguments of "%s:%u:%u". */
#define MARK_OF(mark) (mark).file, (mark).line, (mark).column

/* `skin: path` has one of these with from NULL; `skin: {from: to}` one for each key. `to` is an image, or else a name
 * that the game's materials are looked for (as the shaders of an MD5 are): one of path and shader is NULL. */
struct skin_override {
    const char *from;   /* a skin or shader name of the model, compared ignoring case; NULL: all of them */
    const char *path;   /* an image in the assets, as found there */
    const char *shader; /* the name of a material */
    struct mark mark;
};

/* Skins that a job shows: the ones that the search finds and `skins` override, one of the model's list by its place or
 * its name, or all of the list, with a set of cells for each. */
enum skin_choice { SKIN_SEARCH, SKIN_INDEX, SKIN_NAME, SKIN_ALL };

/* Another model drawn with the job's: in its hand, on its back, or just with it. */
struct attachment {
    const char *name; /* for messages; unique in the job */
    struct mark mark;
    const char *model; /* asset path */
    struct mark model_mark;
    const char *to;  /* the name of the attachment that carries it, earlier in the job; NULL: the job's model */
    const char *at;  /* a joint or tag of the model that carries it; NULL: its origin */
    bool same_frame; /* an MD2 that plays the very keyframes of the model that carries it (player weapons) */
    /* Else a clip of its own, played at the sample's time and looped; NULL: its first frame. */
    const char *animation;
    const char *animation_file; /* asset path of that clip's file, or NULL */
    const char *animation_clip; /* which one of the file, a name or a pattern; or NULL */
    struct mark animation_file_mark;
    const struct skin_override *skins;
    size_t skin_count;
    vec3 offset;       /* model units, along the axes of what it is attached to */
    vec3 rotation_deg; /* about x, then y, then z of what it is attached to */
    float scale;       /* 1 unless given */
};

/* Names or patterns of a list; none: what its key says. */
struct patterns {
    const char *const *items;
    size_t count;
};

/* A name that a list asks the job's model for. */
struct job_name {
    const char *name;
    struct mark mark;
};

/* An event at a keyframe of clips. */
struct job_event {
    struct job_name clip; /* a pattern */
    struct clip_event event;
};

/* The base colour of a material. */
struct tint {
    uint8_t color[4];         /* sRGB */
    struct job_name material; /* a pattern */
};

/* Colours near one: hues so many degrees from it or less, and not greyer than so. */
struct color_range {
    uint8_t color[4];
    float hue_deg; /* 0: there is no range */
    float saturation;
};

/* The parts of a model that get the team's colour: a part must meet all that is given. Names are patterns. */
struct teamcolor {
    const struct job_name *materials, *meshes, *skins;
    size_t material_count, mesh_count, skin_count;
    struct color_range range;
};

bool teamcolor_is_given(const struct teamcolor *teamcolor);

/* How a clip starts again. */
enum loop {
    LOOP_NONE,
    LOOP_FOUND,  /* closed or open, as its keyframes are */
    LOOP_CLOSED, /* without its last keyframe, which repeats the first */
    LOOP_OPEN,   /* the last keyframe blends into the first */
    LOOP_AUTO,   /* LOOP_NONE where the file says that the clip plays once, else LOOP_FOUND */
    LOOP_COUNT,
};

/* AUTO is REMOVE, and says so where the joint is a guess. */
enum root_motion_way { ROOT_MOTION_AUTO, ROOT_MOTION_REMOVE, ROOT_MOTION_KEEP, ROOT_MOTION_COUNT };

/* The words of job lists for some enums. */
extern const char *const loop_words[LOOP_COUNT], *const root_motion_words[ROOT_MOTION_COUNT];
extern const char *const geometry_words[2], *const via_words[2], *const interpolation_words[2];

/* "7" or "7-12"; only digits, one '-' and spaces. */
bool frame_run_parse(const char *text, struct frame_run *out);

/* Decides whether a clip that travels over the ground moves the model. */
struct root_motion {
    const char *joint; /* that carries the model; NULL: as the format says, or what is called like one */
    enum root_motion_way way;
    bool of_job; /* given by the job or one of its clips, so that a model without joints is a mistake */
};

/* One entry of `animations`. */
struct job_animation {
    const char *name; /* of the clip, or a glob over clip names or files; never NULL */
    struct mark mark;
    bool is_pattern;
    const char *file; /* asset path of a file with clips, whose only or chosen one has the `name`; or NULL */
    struct mark file_mark;
    const char *clip; /* in the file, or else the model, where `name` is another: a name or pattern; or NULL */
    bool is_named;    /* `name` is the list's, not made of the file's */
    struct patterns files; /* that match a pattern over files, sorted: each a clip called after its file */
    bool is_optional;      /* where there is no such clip, the job is made without it, with a warning */
    bool has_frames;       /* an explicit range of the model's own keyframes; `name` then names this clip */
    uint32_t first_frame, last_frame;
    float rate_hz;                  /* 0: the model's own; otherwise keyframes per second */
    struct sampling sampling;       /* filled from the job where the entry has none */
    bool has_loop, has_root_motion; /* the entry's own, not the job's */
    enum loop loop;
    struct root_motion root_motion;
};

/* Moving pictures of clips, beside the sheet. */
struct preview_settings {
    bool is_wanted;
    enum movie_format format;
    struct patterns clips;        /* none: all */
    struct patterns cameras;      /* none: the first of a clip that moves; all, in turn, of one that does not */
    uint32_t size_px;             /* the longer side; 0: as the cell */
    uint32_t quality;             /* of WebP; 0: lossless */
    struct background background; /* behind the cell */
};

/* What `rules` may ask of a sheet, in the order in which it is judged: its key, which takes a count, a percentage or patterns
 * (job/rules.c); of the job's model, of each page's picture, which only drawing shows, or of both sides of a diff; whether
 * the bound is the least or the most; whether its fact names a cell that shows it, or has a text; and what a message says
 * before and after the number. */
#define RULE_ROWS(X)                                                                                              \
    X(TRIANGLES, "triangles", count, MODEL, MOST, TEXT, "", " triangles")                                         \
    X(JOINTS, "joints", count, MODEL, MOST, TEXT, "", " joints")                                                  \
    X(MATERIALS, "materials", count, MODEL, MOST, TEXT, "", " materials")                                         \
    X(TEXTURES, "textures", count, MODEL, MOST, TEXT, "", " textures")                                            \
    X(TEXTURE_SIDE, "texture_side", count, MODEL, MOST, TEXT, "a texture with a side of ", " pixels")             \
    X(ODD_TEXTURES, "odd_textures", count, MODEL, MOST, TEXT, "sides that are no power of two: ", " textures")    \
    X(MISSING_TEXTURES, "missing_textures", count, MODEL, MOST, TEXT, "", " missing textures")                    \
    X(UNUSED_TEXTURES, "unused_textures", count, MODEL, MOST, TEXT, "", " unused textures")                       \
    X(NEED_CLIPS, "need_clips", patterns, MODEL, LEAST, TEXT, "", "")                                             \
    X(FORBID_CLIPS, "forbid_clips", patterns, MODEL, MOST, TEXT, "", "")                                          \
    X(BELOW_GROUND, "below_ground", percent, MODEL, MOST, CELL, "", " % of its height below the ground")          \
    X(LOOP_JUMP, "loop_jump", count, MODEL, MOST, CELL, "at its end a loop jumps by ", " times its largest step") \
    X(EMPTY_CELLS, "empty_cells", count, PICTURE, MOST, CELL, "", " empty cells")                                 \
    X(CUT_CELLS, "cut_cells", count, PICTURE, MOST, CELL, "", " cells cut off by the frame")                      \
    X(DARKEST, "darkest", count, PICTURE, LEAST, CELL, "the darkest cell has a lightness of ", "")                \
    X(BRIGHTEST, "brightest", count, PICTURE, MOST, CELL, "the brightest cell has a lightness of ", "")           \
    X(BYTES, "bytes", count, PICTURE, MOST, TEXT, "", " bytes")

#define GROWTH_ROWS(X)                                                                                            \
    X(MORE_TRIANGLES, "growth.triangles", percent, GROWTH, MOST, TEXT, "triangles grew by ", " %")                \
    X(MORE_JOINTS, "growth.joints", percent, GROWTH, MOST, TEXT, "joints grew by ", " %")                         \
    X(MORE_MATERIALS, "growth.materials", percent, GROWTH, MOST, TEXT, "materials grew by ", " %")                \
    X(MORE_TEXTURES, "growth.textures", percent, GROWTH, MOST, TEXT, "textures grew by ", " %")                   \
    X(MORE_TEXTURE_SIDE, "growth.texture_side", percent, GROWTH, MOST, TEXT, "the largest texture grew by ",      \
      " %")                                                                                                       \
    X(MORE_BYTES, "growth.bytes", percent, GROWTH, MOST, TEXT, "bytes grew by ", " %")

enum rule_number {
#define X(rule, ...) RULE_##rule,
    RULE_ROWS(X) GROWTH_ROWS(X)
#undef X
        RULE_COUNT
};

enum { BOUND_WARN, BOUND_FAIL, BOUND_COUNT };

/* The bound of a rule: a number, or patterns of names that the rule needs or forbids. */
struct bound {
    double number;
    struct patterns patterns;
    struct mark mark; /* without a file: there is no such bound */
};

struct rule {
    struct bound bounds[BOUND_COUNT];
};

struct rules {
    struct rule items[RULE_COUNT];
};

/* Tells of a file that a job names and the assets lack. */
struct missing {
    struct mark mark;
    const char *text; /* "no file 'orc.md2' in the assets" */
};

struct node;

struct job {
    struct mark mark;           /* where the job starts */
    const struct node *written; /* in the list; NULL: it is in no file */
    const char *name;           /* unique in the list; '/'-separated, safe as a relative path */
    const char *model;          /* asset path, as found there; "def:NAME" with def_name */
    struct mark name_mark, model_mark;
    struct patterns exclude; /* what the pattern of `model` leaves out */
    enum geometry geometry;
    const char *scene; /* or NULL: that of the model's choice */
    struct mark scene_mark;
    enum via via;
    enum color_space colors;
    struct model_transform transform;
    enum interpolation interpolation;
    const struct skin_override *skins;
    size_t skin_count;
    struct mark skin_mark; /* of `skin` or `skins`, where either was given */
    enum skin_choice skin_choice;
    uint32_t skin_index;   /* of SKIN_INDEX, from 0 */
    const char *skin_file; /* `skin: path.skin#name`: the asset path of the Doom 3 skin file, or NULL; */
    /* The skin declared in it; or the name of SKIN_NAME, which has no '/' and no suffix: to be compared, ignoring
     * case, with the names of the list and their stems; or NULL. */
    const char *skin_name;
    const char *def_name; /* `model: def:NAME`: then model and animations come from the declaration; or NULL */
    const struct attachment *attachments;
    size_t attachment_count;
    const struct job_name *sockets; /* joints and tags whose places go into the JSON */
    size_t socket_count;
    const struct job_name *boxes; /* joints, tags, or meshes, which go into the JSON as rectangles; patterns */
    size_t box_count;
    const struct job_event *events;
    size_t event_count;
    const struct job_name *hidden; /* meshes that are not drawn; patterns */
    size_t hidden_count;
    const struct tint *tints;
    size_t tint_count;
    struct teamcolor teamcolor;

    const struct job_animation *animations; /* none: all clips of the model, or the bind pose without any */
    size_t animation_count;
    struct retarget_rules retarget; /* of clips of other files */
    bool has_animations;            /* the key was given; `animations: []` asks for the bind pose (frame 0) */
    struct sampling sampling;       /* for clips not named in `animations` */
    enum loop loop;
    struct root_motion root_motion;

    const struct camera *cameras; /* at least one; `directions` already expanded */
    size_t camera_count;
    struct fit fit;
    struct light_rig light;

    uint32_t scales; /* a bit `1 << N` for each; at least one. N other than 1 makes a job of its own, NAME@Nx */
    uint32_t cell_px[2];
    struct ground ground;
    struct outline outline;
    struct background background;
    struct pixel_art pixel;
    struct mark palette_mark;
    uint32_t passes;   /* see passes_have; PASSES_ALWAYS are in */
    uint32_t metadata; /* a bit `1 << METADATA_x` for each; either METADATA_JSON or METADATA_COMPACT is in */
    const char *const *templates; /* asset paths of those that write further files */
    size_t template_count;
    struct mark metadata_mark;
    uint32_t supersample; /* 1..4 */
    struct sheet_settings sheet;
    struct png_settings png;
    struct preview_settings previews;
    const char *frame_name; /* of frames as files: "{clip}_{frame:2}.png"; NULL: there are none */
    const char *atlas;      /* that its cells go into, too; NULL: none */
    bool is_atlas;          /* an atlas: packed of the sheets of its jobs, which come before it; it has no model */

    /* Why the job cannot be made; none: nothing is missing. What is missing stands above as it is written in the
     * list. */
    const struct missing *missing;
    size_t missing_count;
    bool is_match;   /* of a pattern: gives way to a job of its name that names its model itself */
    bool is_pattern; /* it stands for those files of a pattern that give no job, or for there being none: it
                      * makes nothing, misses something, and `name` and `model` are patterns */

    const struct rules *rules; /* they change no picture; NULL: none */
};

/* Whether the job's cells go into the atlas, which is one of the same list. */
static inline bool job_is_in_atlas(const struct job *job, const struct job *atlas)
{
    return job->atlas && !job->is_atlas && !strcmp(job->atlas, atlas->name);
}

struct job_list {
    struct arena arena;
    const char *path;         /* as given */
    const char *name;         /* its base name without suffix */
    const char *output;       /* folder */
    const char *const *roots; /* real paths for assets_open_as, in order */
    size_t root_count;
    const struct assets_tree *tree; /* their files as they were, or NULL */
    const struct job *jobs;         /* in the order of the list, globs expanded in path order */
    size_t job_count, hidden_count; /* after the jobs: their atlases, where job_options.with_atlases is not set */
    bool is_unsure;                 /* a folder of the assets could not be read: what is missing may be there */
    const char *const *files;       /* that were read: the list, what it includes, the config */
    size_t file_count;
    const struct node *const *trees; /* what they say */
};

/* Maps paths of a list, or of its caller, to the places where their files and folders are read. */
struct job_places {
    char *(*locate)(void *context, const char *path); /* its caller frees the place */
    void *context;
    const struct assets_tree *tree; /* of the roots, once they are located; or NULL */
};

struct job_options {
    const char *config;              /* path of a config file to use in place of the built-in one, or NULL */
    const char *output;              /* in place of the list's own, or NULL */
    bool missing_fails_job;          /* a file that is missing fails the jobs that name it (job.missing), and is no
                              * problem of the list. A root of the assets that is not there is one all the same */
    bool with_atlases;               /* each atlas that jobs name is a job, too */
    const struct job_places *places; /* of the list, its includes and the roots of assets; NULL: at their paths */
    struct bytes text;               /* of the list, which is then not read; no data: it is */
};

/* Problems go to `problems`, sorted by place; 0 when there are none. Opens the assets of the list for the time
 * of the call (so none may be open) and leaves none open. */
int job_list_load(const char *path, const struct job_options *options, struct job_list **out,
                  struct strings *problems);

/* A setting as text: a mapping, a list, or a value without quotes, as in a list. */
struct job_text {
    const char *key, *text;
    const char *source; /* where it is from, for messages: "--camera" */
};

/* A job that is in no file. Other settings have the defaults of a list. */
struct single_job {
    const char *name, *model, *const *roots;
    size_t root_count;
    uint32_t cell_px, supersample;
    struct fit fit;
    const struct job_animation *animation;   /* NULL: the bind pose, or the first frame */
    double time_s;                           /* in it */
    const struct camera *camera;             /* NULL: as the texts say */
    const struct preview_settings *previews; /* NULL: one picture, at `time_s`; else the clip, or without one a
                                                turn of the camera */
    const struct job_text *texts;
    size_t text_count;
};

/* A list of one job. A problem is "--camera: message". Everything is copied but the texts. */
int job_list_single(const struct single_job *single, struct job_list **out, struct strings *problems);

/* Reads a `transform`, such as "{up: y}". A problem is "--transform: message". */
int job_transform_read(const char *text, struct model_transform *out, struct strings *problems);

/* Adds the problems of jobs of different lists that would write the same files. */
void job_lists_check(struct job_list *const *lists, size_t count, struct strings *problems);

void job_list_free(struct job_list *list);

/* "jobs.yaml:4:12: no file 'orc.md2' in the assets; ...". The caller frees it. */
char *job_describe_missing(const struct job *job);

/* The first thing that any of the jobs misses, or NULL. */
const struct missing *job_list_first_missing(const struct job_list *list);

/* The number of problems in these lines. A list with too many to show ends with a line that says so. */
size_t job_list_problem_count(const struct strings *problems);
