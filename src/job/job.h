/* A job list, read, checked and resolved: what to bake, with every default filled in.
 *
 * docs/jobs.md is the reference for users; design and meaning of each setting are described there. job_list_load
 * reads the YAML and its includes, resolves models and files in the assets, expands globs and presets, and
 * reports every problem it finds, each as "file:line:column: message". Nothing of a list with problems may run.
 * Only this folder knows YAML. Everything in a list lives in its arena. */
#ifndef JOB_JOB_H
#define JOB_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "model/camera.h"
#include "model/model.h"
#include "model/sampling.h"
#include "render/light.h"
#include "sheet/layout.h"

/* A place in a YAML file, from 1. */
struct mark {
    const char *file;
    unsigned line, column;
};

/* `skin: path` has one of these with from NULL; `skin: {from: path}` one for each key. */
struct skin_override {
    const char *from; /* a skin or shader name of the model, compared ignoring case; NULL: all of them */
    const char *path; /* an image in the assets, as found there */
    struct mark mark;
};

/* One entry of `animations`. */
struct job_animation {
    struct mark mark;
    const char *name;        /* of the clip, or a glob over clip names; never NULL */
    bool is_pattern;
    const char *file;        /* asset path of an animation file (md5anim), or NULL; `name` then names its clip */
    bool has_frames;         /* an explicit range of the model's own keyframes; `name` then names this clip */
    uint32_t first_frame, last_frame;
    float rate_hz;           /* 0: the model's own; otherwise keyframes per second */
    struct sampling sampling; /* filled from the job where the entry has none */
    bool loop;
};

struct job {
    struct mark mark;        /* where the job starts */
    const char *name;        /* unique in the list; '/'-separated, safe as a relative path */
    const char *model;       /* asset path, as found there */
    enum geometry geometry;
    enum interpolation interpolation;
    const struct skin_override *skins;
    size_t skin_count;

    const struct job_animation *animations; /* none: all clips of the model, or the bind pose without any */
    size_t animation_count;
    bool has_animations;     /* the key was given; `animations: []` asks for the bind pose (frame 0) */
    struct sampling sampling; /* for clips not named in `animations` */
    bool loop;

    const struct camera *cameras; /* at least one; `directions` already expanded */
    size_t camera_count;
    struct fit fit;
    struct light_rig light;

    uint32_t cell_px[2];
    bool transparent;
    uint8_t background[4];   /* sRGB, straight; when not transparent */
    uint32_t supersample;    /* 1..4 */
    struct sheet_settings sheet;
};

struct job_list {
    struct arena arena;
    const char *path;        /* as given */
    const char *name;        /* its base name without suffix */
    const char *output;      /* folder */
    const char *const *roots; /* real paths for assets_open, in order */
    size_t root_count;
    const struct job *jobs;  /* in the order of the list, globs expanded in path order */
    size_t job_count;
};

struct job_options {
    const char *config;      /* path of a config file to use in place of the built-in one, or NULL */
    const char *output;      /* in place of the list's own, or NULL */
};

/* Problems go to `problems`, sorted by place; 0 when there are none. Opens the assets of the list for the time
 * of the call (so none may be open) and leaves none open. */
int job_list_load(const char *path, const struct job_options *options, struct job_list **out,
                  struct strings *problems);
void job_list_free(struct job_list *list);

#endif
