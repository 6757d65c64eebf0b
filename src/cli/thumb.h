/* How `thumb` makes the pictures of one model, for itself and for the workers that make those of many (thumb_many.c). */
#pragma once

#include "base/strings.h"
#include "bake/bake.h"
#include "cli/model_args.h"
#include "os/sandbox.h"
#include "sheet/movie.h"

enum { THUMB_MOST_SIZES = 8 };

struct thumb_sizes {
    uint32_t px[THUMB_MOST_SIZES];
    size_t count;
};

/* With --views a row of the picture for each. */
struct thumb_passes {
    enum pass items[PASS_COUNT];
    size_t count;
    const char *text;
};

struct thumb_args {
    struct strings roots, models; /* a model "-": standard input names others */
    const char *output, *animated;
    const char *animation, *camera, *background, *skin, *light; /* NULL: chosen, or the default of job lists */
    const char *views; /* a list of YAML; NULL: one picture, of `camera` */
    struct thumb_passes passes;
    struct frames_arg frames;
    struct thumb_sizes sizes;
    unsigned quality, worker_count; /* 0: one for each CPU */
    uint64_t memory_limit;
    double time_s, timeout_s;
    bool has_time, is_json;
    bool is_many; /* `output` is a folder */
    int verbosity;
    enum movie_format format; /* of `animated` */
    enum via via;
    enum backend_choice backend;
    enum sandbox_mode sandbox;
};

/* Draws what is asked for. */
struct thumb_maker {
    const struct thumb_args *args;
    struct bake *bake;
    bool is_started; /* the bake; else it is when the first model is open */
};

struct thumb_made {
    struct blob files[THUMB_MOST_SIZES]; /* the moving picture, or one for each size */
    struct strings problems;             /* why there are none */
    struct strings warnings, details;    /* details: how textures were found, with -v */
    struct arena arena;
    struct record_pairs facts; /* with --json (describe_model) */
};

void thumb_made_release(struct thumb_made *made);

/* Returns the exit code. `made`, zeroed, is released by the caller, also after a failure. */
int thumb_make(struct thumb_maker *maker, const char *model, struct thumb_made *made);

/* All of args->models; the pictures of each go below the folder args->output. Returns the exit code. */
int thumb_many(const struct thumb_args *args);
