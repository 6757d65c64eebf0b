#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bake/bake.h"
#include "bake/plan.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/model_args.h"
#include "cli/sandbox_args.h"
#include "job/job.h"
#include "model/camera.h"
#include "run/confine.h"

static const struct exit_cause exits[] = {
    {"0", "done"},
    {"2", "wrong options, or a model that cannot be read"},
    {"3", "the picture cannot be drawn, or not within --timeout"},
    {"4", "no back end works here; see 'sheetbake doctor'"},
    {"5", "the picture cannot be written, or --sandbox require cannot be met"},
    {0},
};

struct thumb_args {
    struct strings roots;
    const char *model, *output, *animated;
    const char *animation, *camera, *background, *skin, *light; /* NULL: chosen, or the default of job lists */
    struct frames_arg frames;
    unsigned size_px, quality;
    double time_s, timeout_s;
    bool has_time;
    int verbosity;
    enum movie_format format; /* of `animated` */
    enum via via;
    enum backend_choice backend;
    enum sandbox_mode sandbox;
};

/* -- Options ----------------------------------------------------------------------------------------------- */

static const struct arg options[] = {
    {"output", 'o', "FILE", "write to FILE; - is standard output (default: MODEL-thumb.png in this folder)",
     ARG_TEXT(struct thumb_args, output)},
    {"animate", 0, "FILE",
     "write a moving picture to FILE, an APNG or a WebP by its suffix, .png or .webp: the clip, 10 frames a "
     "second, or a turn around a model without clips",
     ARG_PATH(struct thumb_args, animated)},
    {"quality", 0, "N", "compress a WebP with losses, 100 being the best (default: without)",
     ARG_COUNT(struct thumb_args, quality, 1, 100)},
    {"size", 0, "N", "draw N x N pixels (default 256)", ARG_COUNT(struct thumb_args, size_px, 1, 4096)},
    {"animation", 0, "NAME|FILE",
     "a clip of the model, or an animation file in the assets or beside the model (default: a clip or file called "
     "idle or stand, or else the only file beside the model, or else the first frame or the bind pose)",
     ARG_TEXT(struct thumb_args, animation)},
    ARG_FRAMES(struct thumb_args, frames),
    {"time", 0, "T",
     "T seconds from the start of the clip, which starts again at its end unless it plays once (default 0)",
     ARG_NUMBER(struct thumb_args, time_s, -1e6, 1e6)},
    {"camera", 0, "C",
     "a preset, or a camera as in job lists, such as '{yaw: 90, pitch: 10}' (default: a side that shows most, and "
     "the back only where the others show hardly anything)",
     ARG_TEXT(struct thumb_args, camera)},
    {"background", 0, "B", "as in job lists, such as '#20242c' (default: transparent)",
     ARG_TEXT(struct thumb_args, background)},
    {"skin", 0, "S", "as in job lists (default: what the model names)", ARG_TEXT(struct thumb_args, skin)},
    {"light", 0, "L", "as in job lists (default: studio)", ARG_TEXT(struct thumb_args, light)},
    ARG_VIA(struct thumb_args, via),
    ARG_ASSETS(struct thumb_args, roots),
    ARG_BACKEND(struct thumb_args, backend),
    ARG_SANDBOX(struct thumb_args, sandbox),
    ARG_GIVE_UP(struct thumb_args, timeout_s, "60"),
    {"quiet", 'q', NULL, "print no warnings", ARG_INT(struct thumb_args, verbosity, -1)},
    {"verbose", 'v', NULL, "print how each texture was found", ARG_INT(struct thumb_args, verbosity, 1)},
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct thumb_args *args)
{
    int exit_code = args_read(&thumb_command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    args->model = argv[optind];
    args->has_time = !isnan(args->time_s);
    args->time_s = args->has_time ? args->time_s : 0;
    if (args->frames.is_given && args->animation)
        return cli_usage_error(&thumb_command, "--frames and --animation cannot be used together");
    if (!args->animated)
        return args->quality ? cli_usage_error(&thumb_command, "--quality has a meaning only with --animate") : -1;
    if (args->output || args->has_time)
        return cli_usage_error(&thumb_command, "--animate and %s cannot be used together",
                               args->output ? "--output" : "--time");
    while (strcasecmp(path_suffix(args->animated), movie_suffixes[args->format]))
        if (++args->format == MOVIE_FORMAT_COUNT)
            return cli_usage_error(&thumb_command, "--animate writes a .png or a .webp, not '%s'", args->animated);
    if (args->quality && args->format != MOVIE_WEBP)
        return cli_usage_error(&thumb_command, "--quality is for .webp; an APNG has no losses");
    return -1;
}

/* -- What to show ------------------------------------------------------------------------------------------ */

/* How well a clip of this name shows the model at rest; the least is best. Keyframe 0 may be of its death, and a bind pose
 * stretches the arms out. Digits at the end of the name number variants. */
enum { NOT_AT_REST = 6 };

static unsigned rank_of_rest(const char *name, size_t length)
{
    static const char *const words[] = {"idle", "stand"};
    enum { WORD_COUNT = sizeof words / sizeof *words };
    while (length > 0 && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    for (unsigned i = 0; i < WORD_COUNT; i++) {
        const char *found = strcasestr(name, words[i]);
        if (found && found < name + length)
            return i + (found > name ? 2 : length > strlen(words[i]) ? 1 : 0) * WORD_COUNT;
    }
    return NOT_AT_REST;
}

static unsigned rank_of_file(const char *path)
{
    const char *base = path_base(path);
    return rank_of_rest(base, (size_t)(path_suffix(base) - base));
}

/* A broken file and one for another skeleton do not fit. */
static bool fits(struct model_file *file, const struct model_place *place, const char *path)
{
    struct error ignored;
    return model_file_add_animation(file, place->assets, path, "", &ignored) == 0;
}

/* The file that is called as one at rest, or else the only one that fits: of several none is more the model's than
 * another. NULL for none. */
static const char *find_file(struct model_file *file, const struct model_place *place, const struct strings *files)
{
    for (unsigned rank = 0; rank < NOT_AT_REST; rank++)
        for (size_t i = 0; i < files->count; i++)
            if (rank_of_file(files->items[i]) == rank && fits(file, place, files->items[i]))
                return files->items[i];
    const char *only = NULL;
    for (size_t i = 0; i < files->count; i++) {
        if (!fits(file, place, files->items[i]))
            continue;
        if (only)
            return NULL;
        only = files->items[i];
    }
    return only;
}

/* Without a name: a clip or a file that shows the model at rest, or else its first clip if there is a time, or its first
 * keyframe or bind pose. */
static void choose_rest(const struct thumb_args *args, const struct model_place *place, struct model_file *file,
                        struct chosen_clip *out)
{
    const struct model *model = file->model;
    unsigned best_rank = NOT_AT_REST;
    if (args->has_time && model->clip_count > 0)
        out->clip = &model->clips[0];
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const char *name = model->clips[i].name;
        unsigned rank = rank_of_rest(name, strlen(name));
        if (rank < best_rank)
            out->clip = &model->clips[i]; /* the first of the best */
        best_rank = rank < best_rank ? rank : best_rank;
    }
    if (out->clip)
        return;
    struct strings files = {0};
    struct error ignored;
    model_file_find_animations(file, place->assets, &files);
    const char *path = find_file(file, place, &files);
    if (path && model_place_add_file(place, path, file, &out->clip, &ignored) == 0)
        out->file = assets_find(place->assets, path);
    strings_release(&files);
}

/* The moment in the clip. */
static double time_in_clip(const struct clip *clip, double time_s)
{
    if (clip_plays_once(clip))
        return fmin(fmax(time_s, 0), clip_duration_s(clip, false));
    double duration_s = clip_duration_s(clip, true), wrapped_s = fmod(time_s, duration_s);
    wrapped_s += wrapped_s < 0 ? duration_s : 0;
    return wrapped_s < duration_s ? wrapped_s : 0;
}

/* `clip` is NULL for the bind pose, or the first frame. */
static int choose_side(const struct model *model, const struct clip *clip, double time_s, struct camera *out,
                       struct error *err)
{
    struct pose pose = {.animation = -1};
    struct mesh mesh;
    if (mesh_init(&mesh, model, err) < 0)
        return -1;
    if (clip) {
        pose.animation = (int32_t)clip->animation;
        pose.moment = clip_moment(clip, time_s, !clip_plays_once(clip));
    }
    model_pose(model, &pose, &mesh);
    camera_choose_side(model, &mesh, out);
    mesh_release(&mesh);
    return 0;
}

/* What the options leave open, and what the model is called in the assets. */
struct thumb_choice {
    struct arena arena; /* of the texts below */
    const char *model, *root;
    bool has_clip; /* else the bind pose, or the first frame, which a moving picture turns */
    struct job_animation clip;
    double time_s;
    struct camera camera; /* without --camera */
};

static int choose_in_model(const struct thumb_args *args, const struct model_place *place, struct model_file *file,
                           struct thumb_choice *out, struct error *err)
{
    struct chosen_clip chosen = {0};
    if (!args->frames.is_given && !args->animation)
        choose_rest(args, place, file, &chosen);
    else if (model_args_choose_clip(place, args->model, args->animation, &args->frames, file, &chosen, err) < 0)
        return -1;
    const struct clip *clip = chosen.clip;
    if (args->has_time && !clip)
        return error_set(err, "%s: it has no animation, so there is no time %g", args->model, args->time_s);
    out->time_s = clip ? time_in_clip(clip, args->time_s) : 0;
    if (!args->camera && choose_side(file->model, clip, out->time_s, &out->camera, err) < 0)
        return -1;
    out->model = arena_strdup(&out->arena, place->path);
    out->root = arena_strdup(&out->arena, assets_root_of(place->assets, place->path));
    out->has_clip = clip && (!args->animated || clip->frame_count > 1);
    out->clip = (struct job_animation){
        .name = clip ? arena_strdup(&out->arena, clip->name) : NULL,
        .file = chosen.file ? arena_strdup(&out->arena, chosen.file) : NULL,
        .has_frames = args->frames.is_given,
        .first_frame = args->frames.run.first,
        .last_frame = args->frames.run.last,
    };
    return 0;
}

/* Looks at the model, which stays open in `models`, to choose what the options leave open. The caller releases the
 * arena. */
static int choose(const struct thumb_args *args, struct model_cache *models, struct thumb_choice *out,
                  struct error *err)
{
    const struct model_options as_job = {.via = args->via, .transform.scale = 1}; /* those of the job */
    struct model_place place;
    struct model_file file = {0};
    *out = (struct thumb_choice){.camera = {.name = "side", .up = {0, 0, 1}}};
    if (model_place_open(args->model, &args->roots, &place, err) < 0)
        return -1;
    int result = model_cache_open(models, place.assets, place.path, &as_job, &file, err);
    if (result < 0)
        model_place_name_as_typed(&place, args->model, err);
    else
        result = choose_in_model(args, &place, &file, out, err);
    model_file_release(&file);
    model_place_release(&place);
    return result;
}

/* -- The job ----------------------------------------------------------------------------------------------- */

static int open_job(const struct thumb_args *args, struct model_cache *models, struct job_list **out)
{
    const struct job_text texts[] = {
        {"cameras", args->camera, "--camera"},  {"background", args->background, "--background"},
        {"skin", args->skin, "--skin"},         {"light", args->light, "--light"},
        {"via", via_words[args->via], "--via"},
    };
    const unsigned large_px = 512; /* more samples for a pixel would no longer show */
    struct job_text given[sizeof texts / sizeof *texts];
    struct thumb_choice choice;
    struct strings problems = {0};
    struct error err;
    if (choose(args, models, &choice, &err) < 0) {
        cli_complain("%s", err.text);
        arena_release(&choice.arena);
        return -1;
    }
    const struct preview_settings previews = {.is_wanted = true, .format = args->format, .quality = args->quality};
    struct single_job job = {
        .name = "thumb",
        .model = choice.model,
        .roots = args->roots.count ? (const char *const *)args->roots.items : &choice.root,
        .root_count = args->roots.count ? args->roots.count : 1,
        .cell_px = args->size_px,
        .supersample = args->size_px < large_px ? 4 : 2,
        .fit = {.scope = args->animated ? FIT_JOB : FIT_FRAME, .margin = 0.04f},
        .animation = choice.has_clip ? &choice.clip : NULL,
        .time_s = choice.time_s,
        .previews = args->animated ? &previews : NULL,
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

static int draw_picture(const struct thumb_args *args, struct bake *bake, const struct job_list *list,
                        struct blob *file, struct error *err)
{
    const struct bake_job job = {list, &list->jobs[0]};
    const struct plan *plan;
    if (bake_start(bake, args->backend, &(struct identity){0}, err) < 0)
        return EXIT_NO_BACKEND;
    if (bake_open(bake, &job, &plan, err) < 0)
        return EXIT_USAGE;
    struct strings paths = {0};
    if (args->verbosity > 0)
        search_path_add_all(plan, &paths);
    for (size_t i = 0; i < paths.count; i++)
        cli_complain("%s", paths.items[i]);
    strings_release(&paths);
    int result = bake_picture(bake, file, err);
    for (size_t i = 0; i < plan->warnings.count && args->verbosity >= 0; i++)
        cli_complain("warning: %s", plan->warnings.items[i]);
    return result < 0 ? EXIT_SHEETS_FAILED : EXIT_DONE;
}

/* In the sandbox: all that reads the model. Returns the exit code. */
static int make_picture(void *context, struct blob *file)
{
    const struct thumb_args *args = context;
    char note[8]; /* names the file that is being written: none */
    struct bake *bake = bake_new(&(struct page_writer){.note = note, .note_size = sizeof note}, NULL);
    struct job_list *list = NULL;
    struct error err;
    int exit_code = EXIT_USAGE;
    if (open_job(args, bake_models(bake), &list) == 0) {
        exit_code = draw_picture(args, bake, list, file, &err);
        if (exit_code != EXIT_DONE)
            cli_complain("%s", err.text);
    }
    bake_free(bake);
    job_list_free(list);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct thumb_args args = {.time_s = NAN, .timeout_s = 60, .size_px = 256, .sandbox = SANDBOX_OF_COMMANDS};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code >= 0)
        goto out;

    struct sandbox_rules rules = {.mode = args.sandbox};
    model_place_add_roots(args.model, &args.roots, &rules.read);
    if (rules.mode != SANDBOX_OFF)
        confine_add_renderer(&rules, "thumb"); /* shaders that a stranger's model leaves are not for runs */
    char *stem = path_stem(path_base(args.model));
    char *default_path = must_printf("%s-thumb.png", stem); /* not STEM.png, which may be the model's skin */
    const char *path = args.animated ? args.animated : args.output ? args.output : default_path;
    exit_code =
        sandbox_args_run(&rules, &(struct sandbox_task){args.model, args.timeout_s, make_picture, &args,
                                                        EXIT_SHEETS_FAILED, strcmp(path, "-") ? path : NULL});
    free(default_path);
    free(stem);
    sandbox_rules_release(&rules);
out:
    strings_release(&args.roots);
    return exit_code;
}

const struct command thumb_command = {
    .name = "thumb",
    .summary = "draw one picture of a model",
    .operands = {"MODEL", "model", 1, 1},
    .about = "Draws one picture of a model, still or moving, without a job list.",
    .options = options,
    .exits = exits,
    .run = run,
};
