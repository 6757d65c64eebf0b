#include "cli/thumb.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/args.h"
#include "cli/clip_args.h"
#include "cli/output.h"
#include "cli/sandbox_args.h"
#include "bake/bake.h"
#include "run/confine.h"
#include "os/sandbox.h"

static const char about[] = "Draws one picture of a model, without a job list.";

static const struct exit_cause exits[] = {
    {"0", "done"},
    {"2", "wrong options, or a file that cannot be read"},
    {"3", "the picture cannot be drawn, or not in time"},
    {"4", "nothing here can draw: see sheetbake doctor"},
    {"5", "the picture cannot be written, or no sandbox is to be had where one is required"},
    {0},
};

/* -- Options ----------------------------------------------------------------------------------------------- */

static bool take_time(const struct command *command, const char *text, void *out)
{
    struct thumb_args *args = out;
    args->has_time = true;
    return args_number(command, "time", text, -1e6, 1e6, &args->time_s);
}

static const struct arg options[] = {
    {"output", 'o', "FILE", "where to, '-' for standard output (default: MODEL-thumb.png in this folder)",
     ARG_TEXT(struct thumb_args, output)},
    {"size", 0, "N", "pixels on each side (default 256)", ARG_COUNT(struct thumb_args, size_px, 1, 4096)},
    {"animation", 0, "NAME|FILE",
     "a clip of the model, or an animation file in the assets or beside it (default: a clip, or a file beside the "
     "model, called idle or stand; else the only file beside it; else the first frame or the bind pose)",
     ARG_TEXT(struct thumb_args, animation)},
    ARG_FRAMES(struct thumb_args, frames),
    {"time", 0, "T", "seconds from the start of the clip; past its end it starts again (default 0)",
     ARG_CALL_WHOLE(take_time)},
    {"camera", 0, "C",
     "a preset, or a camera as in job lists, such as '{yaw: 90, pitch: 10}' (default: the side that shows "
     "most, of the front where there is little between them)",
     ARG_TEXT(struct thumb_args, camera)},
    {"background", 0, "B", "as in job lists, such as '#20242c' (default: transparent)",
     ARG_TEXT(struct thumb_args, background)},
    {"skin", 0, "S", "as in job lists (default: what the model names)", ARG_TEXT(struct thumb_args, skin)},
    {"light", 0, "L", "as in job lists (default: studio)", ARG_TEXT(struct thumb_args, light)},
    ARG_ASSETS(struct thumb_args, roots),
    ARG_BACKEND(struct thumb_args, backend),
    ARG_SANDBOX(struct thumb_args, sandbox),
    {"timeout", 0, "SEC", "the longest it may take, in the sandbox (default 60, 0: no limit)",
     ARG_NUMBER(struct thumb_args, timeout_s, 0, 86400)},
    {"quiet", 'q', NULL, "no warnings", ARG_FLAG(struct thumb_args, is_quiet)},
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct thumb_args *args)
{
    int exit_code = args_read(&thumb_command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    args->model = argv[optind];
    if (args->frames.is_given && args->animation)
        return cli_usage_error(&thumb_command, "--frames and --animation cannot be used together");
    return -1;
}

/* -- The job ----------------------------------------------------------------------------------------------- */

static int choose(const struct thumb_args *args, struct thumb_choice *out, struct error *err)
{
    struct model_place place;
    if (model_place_open(args->model, &args->roots, &place, err) < 0)
        return -1;
    int result = thumb_choose(args, &place, out, err);
    model_place_release(&place);
    return result;
}

static int open_job(const struct thumb_args *args, struct job_list **out)
{
    const struct job_text texts[] = {
        {"cameras", args->camera, "--camera"},
        {"background", args->background, "--background"},
        {"skin", args->skin, "--skin"},
        {"light", args->light, "--light"},
    };
    const unsigned large_px = 512; /* more samples for a pixel would no longer show */
    struct job_text given[sizeof texts / sizeof *texts];
    struct thumb_choice choice;
    struct strings problems = {0};
    struct error err;
    if (choose(args, &choice, &err) < 0) {
        cli_complain("%s", err.text);
        return -1;
    }
    struct single_job job = {
        .name = "thumb",
        .model = choice.model,
        .roots = args->roots.count ? (const char *const *)args->roots.items : &choice.root,
        .root_count = args->roots.count ? args->roots.count : 1,
        .cell_px = args->size_px,
        .supersample = args->size_px < large_px ? 4 : 2,
        .fit = {.scope = FIT_FRAME, .margin = 0.04f},
        .animation = choice.has_clip ? &choice.clip : NULL,
        .time_s = choice.time_s,
        .camera = args->camera ? NULL : &choice.camera,
        .texts = given,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text)
            given[job.text_count++] = texts[i];
    int result = job_list_single(&job, out, &problems);
    for (size_t i = 0; i < problems.count; i++)
        cli_complain("%s", problems.items[i]);
    strings_release(&problems);
    arena_release(&choice.arena);
    return result;
}

/* -- The picture ------------------------------------------------------------------------------------------- */

static int write_picture(const struct thumb_args *args, struct bytes png, struct error *err)
{
    if (args->output)
        return output_write(strcmp(args->output, "-") ? args->output : NULL, png, err);
    char *stem = clip_args_stem(args->model);
    char *path = must_printf("%s-thumb.png", stem); /* not STEM.png, which may be the model's skin */
    int result = output_write(path, png, err);
    free(path);
    free(stem);
    return result;
}

static int draw_picture(const struct thumb_args *args, struct bake *bake, const struct job_list *list,
                        struct blob *png, struct error *err)
{
    const struct bake_job job = {list, &list->jobs[0]};
    const struct plan *plan;
    if (bake_start(bake, args->backend, err) < 0)
        return EXIT_NO_BACKEND;
    if (bake_open(bake, &job, &plan, err) < 0)
        return EXIT_USAGE;
    for (size_t i = 0; !args->is_quiet && i < plan->warnings.count; i++)
        cli_complain("warning: %s", plan->warnings.items[i]);
    return bake_picture(bake, png, err) < 0 ? EXIT_SHEETS_FAILED : EXIT_DONE;
}

static int draw_list(const struct thumb_args *args, const struct job_list *list, struct blob *png)
{
    char note[8]; /* of a file under way, which there is none */
    struct bake *bake = bake_new(note, sizeof note, NULL);
    struct error err;
    int exit_code = draw_picture(args, bake, list, png, &err);
    if (exit_code != EXIT_DONE)
        cli_complain("%s", err.text);
    bake_free(bake);
    return exit_code;
}

/* All that looks into the model. Returns the exit code. */
static int make_picture(void *context, struct blob *png)
{
    const struct thumb_args *args = context;
    struct job_list *list = NULL;
    int exit_code = open_job(args, &list) < 0 ? EXIT_USAGE : draw_list(args, list, png);
    job_list_free(list);
    return exit_code;
}

static int make_and_write(struct thumb_args *args)
{
    struct sandbox_rules rules = {.mode = args->sandbox};
    struct blob png = {0};
    struct error err;
    model_place_add_roots(args->model, &args->roots, &rules.read);
    if (rules.mode != SANDBOX_OFF)
        confine_add_renderer(&rules,
                             "thumb"); /* what a downloaded model leaves there is not for the runs of lists */
    int exit_code = sandbox_run(&rules, args->timeout_s, make_picture, args, &png, &err);
    if (exit_code < 0) {
        cli_complain("%s: %s", args->model, err.text);
        exit_code = EXIT_SHEETS_FAILED;
    } else if (exit_code == EXIT_DONE && write_picture(args, blob_bytes(&png), &err) < 0) {
        cli_complain("%s", err.text);
        exit_code = EXIT_BROKEN;
    }
    sandbox_rules_release(&rules);
    blob_release(&png);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct thumb_args args = {.timeout_s = 60, .size_px = 256, .sandbox = SANDBOX_OF_COMMANDS};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code < 0)
        exit_code = sandbox_args_check(args.sandbox, false);
    if (exit_code < 0)
        exit_code = make_and_write(&args);
    strings_release(&args.roots);
    return exit_code;
}

const struct command thumb_command = {
    .name = "thumb",
    .summary = "draw one picture of a model",
    .operands = OPERANDS_ONE("MODEL", "model"),
    .about = about,
    .options = options,
    .exits = exits,
    .run = run,
};
