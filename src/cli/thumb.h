/* `thumb`: one picture of one model, as a job that is in no list.
 *
 *     thumb.c          the command: options, from the job to the picture
 *     thumb_choose.c   what the options leave open is chosen */
#ifndef CLI_THUMB_H
#define CLI_THUMB_H

#include "base/memory.h"
#include "base/strings.h"
#include "cli/clip_args.h"
#include "cli/model_args.h"
#include "job/job.h"
#include "render/context.h"
#include "os/sandbox.h"

struct thumb_args {
    struct strings roots;
    const char *model, *output;
    const char *animation, *camera, *background, *skin, *light; /* NULL: chosen, or the default of job lists */
    struct clip_args_frames frames;
    unsigned size_px;
    double time_s, timeout_s;
    bool has_time, is_quiet;
    enum backend_choice backend;
    enum sandbox_mode sandbox;
};

/* What the options leave open, and what the model is called in the assets. */
struct thumb_choice {
    struct arena arena; /* of the texts below */
    const char *model, *root;
    bool has_clip; /* else the bind pose, or the first frame */
    struct job_animation clip;
    double time_s;
    struct camera camera; /* without --camera */
};

/* Looks at the model to choose its animation, moment and side where the options do not. The arena is the caller's. */
int thumb_choose(const struct thumb_args *args, const struct model_place *place, struct thumb_choice *out,
                 struct error *err);

#endif
