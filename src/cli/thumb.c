#include "cli/thumb.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/clip_args.h"
#include "cli/output.h"
#include "cli/sandbox_args.h"
#include "run/bake.h"
#include "run/confine.h"
#include "sandbox/apart.h"

enum {
    OPTION_SIZE = 256,
    OPTION_ANIMATION,
    OPTION_TIME,
    OPTION_CAMERA,
    OPTION_BACKGROUND,
    OPTION_SKIN,
    OPTION_LIGHT,
    OPTION_ASSETS,
    OPTION_BACKEND,
    OPTION_SANDBOX,
};

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"size", required_argument, NULL, OPTION_SIZE},
    {"animation", required_argument, NULL, OPTION_ANIMATION},
    {"time", required_argument, NULL, OPTION_TIME},
    {"camera", required_argument, NULL, OPTION_CAMERA},
    {"background", required_argument, NULL, OPTION_BACKGROUND},
    {"skin", required_argument, NULL, OPTION_SKIN},
    {"light", required_argument, NULL, OPTION_LIGHT},
    {"assets", required_argument, NULL, OPTION_ASSETS},
    {"backend", required_argument, NULL, OPTION_BACKEND},
    {"sandbox", required_argument, NULL, OPTION_SANDBOX},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "usage: sheetbake thumb [OPTION...] MODEL\n"
    "\n"
    "Draws one picture of a model, without a job list.\n"
    "\n"
    "  -o, --output FILE          where to, '-' for standard output (default: MODEL-thumb.png in this folder)\n"
    "      --size N               pixels on each side (default 256)\n"
    "      --animation NAME|FILE  a clip of the model, or an animation file in the assets or beside it (default: the\n"
    "                             first frame of an MD2; of an MD5 idle.md5anim or the like beside it, or the bind pose)\n"
    "      --time T               seconds from the start of the clip; past its end it starts again (default 0)\n"
    "      --camera C             a preset, or a camera as in job lists, such as '{yaw: 90, pitch: 10}' (default: the\n"
    "                             side that shows most, of the front where there is little between them)\n"
    "      --background B         as in job lists, such as '#20242c' (default: transparent)\n"
    "      --skin S, --light L    as in job lists\n"
    "      --assets ROOT          a folder or an archive; may be given several times. MODEL and FILE are then\n"
    "                             paths in them\n"
    "      --backend NAME         osmesa, egl, or auto (the default): the first that works here\n"
    "      --sandbox MODE         " SANDBOX_ARGS_HELP "\n"
    "  -q, --quiet                no warnings\n"
    "  -h, --help                 this text\n"
    "\n"
    "exit codes: 0 done; 2 wrong options, or a file that cannot be read; 3 the picture cannot be drawn; 4 nothing here\n"
    "can draw; 5 the picture cannot be written, or\n"
    "no sandbox is to be had where one is required\n";

/* -- Options ----------------------------------------------------------------------------------------------- */

/* One option into *args; false after a message when its value is wrong. */
static bool take_option(int option, struct thumb_args *args)
{
    enum { MOST_PX = 4096 };
    switch (option) {
    case 'o':
        args->output = optarg;
        break;
    case OPTION_SIZE:
        return cli_count(&thumb_command, "--size", optarg, 1, MOST_PX, &args->size_px);
    case OPTION_ANIMATION:
        args->animation = optarg;
        break;
    case OPTION_TIME:
        args->has_time = true;
        return cli_number(&thumb_command, "--time", optarg, -1e6, 1e6, &args->time_s);
    case OPTION_CAMERA:
        args->camera = optarg;
        break;
    case OPTION_BACKGROUND:
        args->background = optarg;
        break;
    case OPTION_SKIN:
        args->skin = optarg;
        break;
    case OPTION_LIGHT:
        args->light = optarg;
        break;
    case OPTION_ASSETS:
        strings_add(&args->roots, optarg);
        break;
    case OPTION_BACKEND:
        return cli_backend(&thumb_command, optarg, &args->backend);
    case OPTION_SANDBOX:
        return sandbox_args_take(&thumb_command, optarg, &args->sandbox);
    case 'q':
        args->is_quiet = true;
        break;
    }
    return true;
}

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct thumb_args *args)
{
    int exit_code, option;
    while ((option = cli_option(&thumb_command, argc, argv, ":o:qh", options, &exit_code)) != -1) {
        if (option == CLI_STOP)
            return exit_code;
        if (!take_option(option, args))
            return EXIT_USAGE;
    }
    if (optind == argc)
        return cli_usage_error(&thumb_command, "no model given");
    if (optind + 1 < argc)
        return cli_usage_error(&thumb_command, "one model at a time, but '%s' and '%s' are given", argv[optind],
                               argv[optind + 1]);
    args->model = argv[optind];
    return -1;
}

/* -- The list ---------------------------------------------------------------------------------------------- */

static const char list_name[] = "thumb";

/* Tells each problem as one of the option whose line of the list it is in. */
static void complain_about_list(const struct thumb_list *list, const struct strings *problems)
{
    for (size_t i = 0; i < problems->count; i++) {
        const char *problem = problems->items[i];
        unsigned line, column;
        int length = 0;
        if (sscanf(problem, "thumb:%u:%u: %n", &line, &column, &length) == 2 && length > 0)
            cli_complain("%s: %s", thumb_list_option(list, line), problem + length);
        else
            cli_complain("%s", problem);
    }
}

static int open_list(const struct thumb_args *args, struct job_list **out)
{
    const struct job_options no_options = {0};
    struct model_place place;
    struct thumb_list list = {0};
    struct strings problems = {0};
    struct error err;
    int result = model_place_open(args->model, &args->roots, &place, &err);
    if (result == 0) {
        result = thumb_list_make(args, &place, &list, &err);
        model_place_release(&place);
    }
    if (result < 0) {
        cli_complain("%s", err.text);
    } else {
        const struct bytes text = {(const uint8_t *)list.text.text, list.text.length};
        result = job_list_parse(text, list_name, &no_options, out, &problems);
        complain_about_list(&list, &problems);
    }
    strings_release(&problems);
    buffer_release(&list.text);
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

static int draw_picture(const struct thumb_args *args, struct bake *bake, const struct job_list *list, struct blob *png,
                        struct error *err)
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
    int exit_code = open_list(args, &list) < 0 ? EXIT_USAGE : draw_list(args, list, png);
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
        confine_add_renderer(&rules);
    int exit_code = sandbox_apart(&rules, make_picture, args, &png, &err);
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
    struct thumb_args args = {.size_px = 256, .sandbox = SANDBOX_OF_COMMANDS};
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
    .help = help,
    .run = run,
};
