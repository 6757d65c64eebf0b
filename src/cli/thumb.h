/* `thumb`: one picture of one model, as a job list of one job that is never written down.
 *
 *     thumb.c        the command: options, from the list to the picture
 *     thumb_list.c   what the options leave open is chosen, and the list made */
#ifndef CLI_THUMB_H
#define CLI_THUMB_H

#include "base/buffer.h"
#include "base/strings.h"
#include "cli/clip_args.h"
#include "cli/model_args.h"
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

enum { THUMB_MOST_LINES = 32 };

/* The list as text, and which option each of its lines comes from, so that a problem in it can be told as one of the
 * option. */
struct thumb_list {
    struct buffer text;
    const char *options[THUMB_MOST_LINES];
    size_t line_count;
};

/* Looks at the model in `place` to choose its animation, moment and side where the options do not. */
int thumb_list_make(const struct thumb_args *args, const struct model_place *place, struct thumb_list *out,
                    struct error *err);

/* The option that the line (from 1) is made of. */
const char *thumb_list_option(const struct thumb_list *list, unsigned line);

#endif
