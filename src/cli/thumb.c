#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bake/bake.h"
#include "base/file.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/model_args.h"
#include "cli/sandbox_args.h"
#include "job/job.h"
#include "model/camera.h"
#include "os/resources.h"
#include "run/batch.h"
#include "run/confine.h"
#include "run/messages.h"
#include "sheet/json_value.h"

static const struct exit_cause exits[] = {
    {"0", "done"},
    {"2", "wrong options, or a model that cannot be read"},
    {"3", "a picture cannot be drawn, or not within --timeout; with -o DIR/ also for a model that cannot be read"},
    {"4", "no back end works here; see 'sheetbake doctor'"},
    {"5", "the picture cannot be written, or --sandbox require cannot be met"},
    {"129, 130, 143", "ended by SIGHUP, SIGINT or SIGTERM"},
    {0},
};

enum { MOST_PX = 4096, MOST_SIZES = 8, MOST_NAME = POOL_MAX_TEXT - 2 }; /* the supervisor truncates longer names */

struct thumb_sizes {
    uint32_t px[MOST_SIZES], largest;
    size_t count;
};

struct thumb_args {
    struct strings roots, models; /* a model "-": standard input names others */
    const char *output, *animated, *views, *passes;
    struct transform_arg transform;
    const char *animation, *camera, *background, *skin, *light,
        *root_motion; /* NULL: chosen, or the default of job lists */
    struct frames_arg frames;
    struct thumb_sizes sizes;
    unsigned quality, worker_count; /* 0: a worker for each CPU */
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

/* -- Options ----------------------------------------------------------------------------------------------- */

/* "64,256" */
static int take_sizes(const struct command *command, const char *text, void *out)
{
    struct thumb_sizes *sizes = out;
    const char *rest = text;
    *sizes = (struct thumb_sizes){0};
    while (sizes->count < MOST_SIZES && *rest >= '0' && *rest <= '9') {
        char *end;
        unsigned long px = strtoul(rest, &end, 10);
        if (px < 1 || px > MOST_PX)
            break;
        sizes->px[sizes->count++] = (uint32_t)px;
        sizes->largest = px > sizes->largest ? (uint32_t)px : sizes->largest;
        if (!*end)
            return -1;
        rest = end + (*end == ',');
    }
    return cli_usage_error(command,
                           "--size: '%s' is not one to %d whole numbers from 1 to %d, with commas between them",
                           text, MOST_SIZES, MOST_PX);
}

static const struct arg options[] = {
    {"output", 'o', "FILE|DIR/",
     "write to FILE; - is standard output (default: MODEL-thumb.png in this folder). With a / at its end, of any "
     "number of models: a picture DIR/MODEL-thumb.png of each",
     ARG_TEXT(struct thumb_args, output)},
    {"views", 0, "LIST",
     "draw what several camera presets see, such as front,left,back,top,three_quarter, in one scale, on a grid of "
     "known units; nine is 8 sides and the top, numbered",
     ARG_PATH(struct thumb_args, views), .excludes = "camera background animate"},
    {"passes", 0, "LIST", "with --views: further rows, such as clay,wireframe",
     ARG_PATH(struct thumb_args, passes), .needs = "views"},
    {"json", 0, NULL, "with -o DIR/: print a line of JSON for each model when it is done",
     ARG_FLAG(struct thumb_args, is_json)},
    {ARG_WORKERS(struct thumb_args, worker_count)},
    {ARG_MEMORY(struct thumb_args, memory_limit)},
    {"animate", 0, "FILE",
     "write a moving picture to FILE, an APNG or a WebP by its suffix, .png or .webp: the clip, 10 frames a "
     "second, or a turn around a model without clips",
     ARG_PATH(struct thumb_args, animated), .excludes = "output time"},
    {"quality", 0, "N", "compress a WebP with losses, 100 being the best (default: without)",
     ARG_COUNT(struct thumb_args, quality, 1, 100), .needs = "animate"},
    {"size", 0, "N", "draw N x N pixels, or each view so (default 256). With -o DIR/ several, such as 64,256",
     ARG_CALL(struct thumb_args, sizes, struct thumb_sizes, take_sizes)},
    {"animation", 0, "NAME|FILE",
     "a clip of the model, or an animation file in the assets or beside the model (default: a clip or file called "
     "idle or stand, or else the only clip, or file beside the model, or else the first frame or the bind pose)",
     ARG_TEXT(struct thumb_args, animation)},
    {ARG_FRAMES(struct thumb_args, frames), .excludes = "animation"},
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
    {"root-motion", 0, "HOW", "as in job lists; keep lets a clip that travels move (default: auto, in place)",
     ARG_TEXT(struct thumb_args, root_motion)},
    {ARG_VIA(struct thumb_args, via)},
    {ARG_TRANSFORM(struct thumb_args, transform)},
    {ARG_ASSETS(struct thumb_args, roots)},
    {ARG_BACKEND(struct thumb_args, backend)},
    {ARG_SANDBOX(struct thumb_args, sandbox)},
    {ARG_GIVE_UP(struct thumb_args, timeout_s, "60")},
    {"quiet", 'q', NULL, "print no warnings", ARG_INT(struct thumb_args, verbosity, -1)},
    {"verbose", 'v', NULL, "print how each texture was found", ARG_INT(struct thumb_args, verbosity, 1)},
    {0},
};

/* Returns what is wrong with --views and -o DIR/, or NULL. */
static const char *find_board_problem(const struct thumb_args *args)
{
    bool is_one = args->models.count == 1 && strcmp(args->models.items[0], "-") != 0;
    const char *const of_names = "abcdefghijklmnopqrstuvwxyz_,";
    if ((args->views && args->views[strspn(args->views, of_names)]) ||
        (args->passes && args->passes[strspn(args->passes, of_names)]))
        return "--views takes names of presets with commas between them, --passes those of passes";
    if (args->passes && strstr(args->passes, pass_names[PASS_DEPTH]))
        return "--passes draws for people, who do not see depth";
    if (!args->is_many && !is_one)
        return "several models need -o DIR/, a folder with the / at its end";
    return !args->is_many && (args->is_json || args->sizes.count > 1)
               ? "--json and several sizes need -o DIR/, a folder with the / at its end"
               : NULL;
}

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct thumb_args *args)
{
    int exit_code = args_read(&thumb_command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    for (int i = optind; i < argc; i++)
        strings_add(&args->models, argv[i]);
    args->is_many = args->output && *args->output && args->output[strlen(args->output) - 1] == '/';
    args->has_time = !isnan(args->time_s);
    args->time_s = args->has_time ? args->time_s : 0;
    const char *problem = find_board_problem(args);
    if (problem)
        return cli_usage_error(&thumb_command, "%s", problem);
    if (!args->animated)
        return -1;
    while (strcasecmp(path_suffix(args->animated), movie_suffixes[args->format]))
        if (++args->format == MOVIE_FORMAT_COUNT)
            return cli_usage_error(&thumb_command, "--animate writes a .png or a .webp, not '%s'", args->animated);
    if (args->quality && args->format != MOVIE_WEBP)
        return cli_usage_error(&thumb_command, "--quality is for .webp; an APNG has no losses");
    return -1;
}

/* -- What to show ------------------------------------------------------------------------------------------ */

/* Ranks how well a clip of this name shows the model at rest; the least is best. Keyframe 0 may be of its death, and a bind
 * pose stretches the arms out. Digits at the end of the name number variants. */
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

/* False for a broken file, and for one of another skeleton. */
static bool fits(struct model_file *file, const struct model_place *place, const char *path)
{
    struct error ignored;
    return model_file_add_animation(file, place->assets, path, "", &ignored) == 0;
}

/* The file whose name is that of a clip at rest, or else the only one that fits; NULL if several do: nothing says which is
 * the model's. */
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

/* Without a name: a clip or a file that shows the model at rest, or else its first clip if there is a time or no other, or
 * its first keyframe or bind pose. */
static void choose_rest(const struct thumb_args *args, const struct model_place *place, struct model_file *file,
                        struct chosen_clip *out)
{
    const struct model *model = file->model;
    unsigned best_rank = NOT_AT_REST;
    if ((args->has_time && model->clip_count > 0) || model->clip_count == 1)
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
    SCOPED_BY(strings_release) struct strings files = {0};
    struct error ignored;
    model_file_find_animations(file, place->assets, &files);
    const char *path = find_file(file, place, &files);
    if (path && model_place_add_file(place, path, file, &out->clip, &ignored) == 0)
        out->file = assets_find(place->assets, path);
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

/* The choices that the options leave open, and the model's path in the assets. */
struct thumb_choice {
    struct arena arena; /* of the texts below */
    const char *model, *root;
    bool has_clip; /* else the bind pose, or the first frame, which a moving picture turns */
    struct job_animation clip;
    double time_s;
    struct camera camera; /* without --camera */
};

static int choose_in_model(const struct thumb_args *args, const char *model, const struct model_place *place,
                           struct model_file *file, struct thumb_choice *out, struct error *err)
{
    struct chosen_clip chosen = {0};
    if (!args->frames.is_given && !args->animation)
        choose_rest(args, place, file, &chosen);
    else if (model_args_choose_clip(place, model, args->animation, &args->frames, file, &chosen, err) < 0)
        return -1;
    const struct clip *clip = chosen.clip;
    if (args->has_time && !clip)
        return error_set(err, "%s: it has no animation, so there is no time %g", model, args->time_s);
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
static int choose(const struct thumb_args *args, const char *model, struct model_cache *models,
                  struct thumb_choice *out, struct error *err)
{
    struct model_options as_job = {.via = args->via, .transform.scale = 1}; /* those of the job */
    if (args->transform.text)
        as_job.transform = args->transform.value;
    SCOPED_BY(model_place_release) struct model_place place = {0};
    SCOPED_BY(model_file_release) struct model_file file = {0};
    *out = (struct thumb_choice){.camera = {.name = "side", .up = {0, 0, 1}}};
    if (model_place_open(model, &args->roots, &place, err) < 0)
        return -1;
    if (model_cache_open(models, place.assets, place.path, &as_job, &file, err) < 0)
        return model_place_name_as_typed(&place, model, err);
    return choose_in_model(args, model, &place, &file, out, err);
}

/* -- The job ----------------------------------------------------------------------------------------------- */

static int open_job(const struct thumb_args *args, const char *model, struct model_cache *models,
                    struct job_list **out, struct strings *problems)
{
    struct thumb_choice choice;
    struct error err;
    if (choose(args, model, models, &choice, &err) < 0) {
        strings_add(problems, err.text);
        arena_release(&choice.arena);
        return -1;
    }
    const bool is_nine = args->views && !strcmp(args->views, "nine"); /* around, and from above */
    SCOPED char *views =
        is_nine
            ? must_strdup("[{directions: 8, pitch: 20, names: [1, 2, 3, 4, 5, 6, 7, 8]}, {camera: top, name: 9}]")
        : args->views ? must_printf("[%s]", args->views)
                      : NULL;
    SCOPED char *passes = args->passes ? must_printf("[%s]", args->passes) : NULL;
    const struct job_text texts[] = {
        {"cameras", views ? views : args->camera, views ? "--views" : "--camera"},
        {"passes", passes, "--passes"},
        {"background", args->background, "--background"},
        {"skin", args->skin, "--skin"},
        {"light", args->light, "--light"},
        {"root_motion", args->root_motion, "--root-motion"},
        {"via", via_words[args->via], "--via"},
        {"transform", args->transform.text, "--transform"},
    };
    const unsigned large_px = 512; /* more samples for a pixel make no difference */
    struct job_text given[sizeof texts / sizeof *texts];
    const struct preview_settings previews = {.is_wanted = true, .format = args->format, .quality = args->quality};
    struct single_job job = {
        .name = "thumb",
        .model = choice.model,
        .roots = args->roots.count ? (const char *const *)args->roots.items : &choice.root,
        .root_count = args->roots.count ? args->roots.count : 1,
        .cell_px = args->sizes.largest,
        .supersample = args->sizes.largest < large_px ? 4 : 2,
        .fit = {.scope = args->animated || views ? FIT_JOB : FIT_FRAME, .margin = views ? 0.09f : 0.04f},
        .animation = choice.has_clip ? &choice.clip : NULL,
        .time_s = choice.time_s,
        .previews = args->animated ? &previews : NULL,
        .camera = args->camera || views ? NULL : &choice.camera,
        .texts = given,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].text)
            given[job.text_count++] = texts[i];
    int result = job_list_single(&job, out, problems);
    arena_release(&choice.arena);
    return result;
}

/* -- The picture ------------------------------------------------------------------------------------------- */

static json_t *describe(const struct planner *planner)
{
    SCOPED_BY(record_release) struct record record = {.page = 0};
    json_t *object = json_object();
    planner_describe(planner, &record);
    for (size_t i = 0; i < record.facts.count; i++)
        json_object_set_new(object, record.facts.items[i].name, text_value(record.facts.items[i].value));
    return object;
}

/* A process has one of each; `bake` is NULL until a model is open. */
struct makers {
    struct planner *planner;
    struct bake *bake;
};

static int open_bake(const struct thumb_args *args, struct makers *makers, struct error *err)
{
    return bake_new(makers->planner, &(struct page_writer){0}, args->backend, &(struct identity){0}, &makers->bake,
                    err);
}

static int draw(const struct thumb_args *args, struct makers *makers, const struct job_list *list, json_t *said,
                struct blob *files, struct error *err)
{
    if (!makers->bake && open_bake(args, makers, err) < 0)
        return EXIT_NO_BACKEND;
    if (bake_open(makers->bake, &(struct bake_job){list, list->jobs}, NULL, err) < 0)
        return EXIT_USAGE;
    const struct pages *pages = &makers->bake->pages;
    const struct plan *plan = pages->plan;
    SCOPED_BY(strings_release) struct strings paths = {0};
    if (args->verbosity > 0)
        search_path_add_all(plan, &paths);
    for (size_t i = 0; i < paths.count; i++)
        cli_complain("%s", paths.items[i]);
    if (args->is_json)
        json_object_set_new(said, "facts", describe(makers->planner));
    int result = args->animated ? pages_draw_preview(pages, &plan->sheets[0].previews[0], files, err)
                                : board_draw(pages, args->views ? args->passes ? args->passes : "" : NULL,
                                             args->sizes.px, args->sizes.count, files, err);
    json_object_set_new(said, "warnings", json_texts(&plan->warnings, 0));
    return result < 0 ? EXIT_SHEETS_FAILED : EXIT_DONE;
}

/* Returns the exit code. `said` gets the model's facts (with --json), warnings and errors. `files` are for each size,
 * or the moving picture; they are zeroed, and the caller's also after a failure. */
static int make(const struct thumb_args *args, struct makers *makers, const char *model, json_t *said,
                struct blob *files)
{
    struct job_list *list = NULL;
    SCOPED_BY(strings_release) struct strings errors = {0};
    struct error err;
    int exit_code = EXIT_USAGE;
    if (open_job(args, model, makers->planner->models, &list, &errors) == 0) {
        exit_code = draw(args, makers, list, said, files, &err);
        if (exit_code != EXIT_DONE)
            strings_add(&errors, err.text);
    }
    if (errors.count)
        json_object_set_new(said, "errors", json_texts(&errors, 0));
    planner_close(makers->planner);
    job_list_free(list);
    return exit_code;
}

/* Prints the warnings, then the errors. */
static void complain(const struct thumb_args *args, const json_t *said)
{
    size_t i;
    json_t *text;
    json_array_foreach(args->verbosity < 0 ? NULL : json_object_get(said, "warnings"), i, text)
        cli_complain("warning: %s", json_string_value(text));
    json_array_foreach(json_object_get(said, "errors"), i, text) cli_complain("%s", json_string_value(text));
}

/* In the sandbox: all that reads the model. Returns the exit code. */
static int make_picture(void *context, struct blob *file)
{
    const struct thumb_args *args = context;
    struct makers makers = {.planner = planner_new(NULL, 0)};
    json_auto_t *said = json_object();
    int exit_code = make(args, &makers, args->models.items[0], said, file);
    complain(args, said);
    bake_free(makers.bake);
    planner_free(makers.planner);
    return exit_code;
}

static int run_single(struct thumb_args *args)
{
    const char *model = args->models.items[0];
    SCOPED_BY(sandbox_rules_release) struct sandbox_rules rules = {.mode = args->sandbox};
    model_place_add_roots(model, &args->roots, &rules.read);
    confine_add_renderer(&rules, "thumb"); /* runs must not use shaders that a stranger's model left */
    SCOPED char *stem = path_stem(path_base(model));
    SCOPED char *default_path =
        must_printf("%s-thumb.png", stem); /* not STEM.png, which may be the model's skin */
    const char *path = args->animated ? args->animated : args->output ? args->output : default_path;
    return sandbox_args_run(&rules, &(struct sandbox_task){model, args->timeout_s, make_picture, args,
                                                           EXIT_SHEETS_FAILED, strcmp(path, "-") ? path : NULL});
}

/* -- Many models -------------------------------------------------------------------------------------------
 *
 * A worker writes the pictures of a model, and sends what is said of it as JSON; the supervisor prints that. */

struct many {
    const struct thumb_args *args;
    struct makers makers; /* a worker's */
    size_t begun;         /* of args->models */
    int input;            /* of further names; -1: none */
    struct buffer line;   /* read from there, so far */
    bool has_failed;
};

/* The model's own path below the folder, so that no two have the same one, and a name that no texture has, for the
 * folder may be that of the models. NULL where there is none. */
static char *picture_path(const struct thumb_args *args, const char *name, size_t size)
{
    char *below = must_strdup(name + strspn(name, "/")), number[16] = "", *path = NULL;
    if (args->sizes.count > 1)
        snprintf(number, sizeof number, "-%u", args->sizes.px[size]);
    if (path_collapse(below))
        path = must_printf("%s%s%s-thumb.png", args->output, below, number);
    free(below);
    return path;
}

static int write_picture(const char *path, const struct blob *picture, struct error *err)
{
    if (!path)
        return error_set(err,
                         "a path with '..' that leaves this folder has no place in the folder of the pictures");
    SCOPED char *folder = path_folder(path);
    return file_make_folders(folder, err) < 0 ? -1 : file_renew(path, blob_bytes(picture), err);
}

static int start(void *context, struct worker *worker, struct error *err)
{
    struct many *many = context;
    const struct thumb_args *args = many->args;
    struct page_note *note = (struct page_note *)worker_note(worker);
    SCOPED_BY(sandbox_rules_release) struct sandbox_rules rules = {.mode = args->sandbox};
    page_note_guard(note, args->memory_limit);
    strings_add(&rules.write, args->output);
    for (size_t i = 0; i < args->models.count; i++) /* with "-", this folder */
        model_place_add_roots(args->models.items[i], &args->roots, &rules.read);
    int result = confine_renderer(&rules, "thumb", err);
    many->makers.planner = planner_new(NULL, 0);
    many->makers.planner->stopwatch = &note->figures.stopwatch;
    return result < 0 ? -1 : open_bake(args, &many->makers, err);
}

static void work(void *context, struct worker *worker, uint64_t item)
{
    struct many *many = context;
    const char *name = worker_text(worker);
    struct blob files[MOST_SIZES] = {{0}};
    json_auto_t *said = json_object();
    struct error err;
    (void)item;
    bool is_made = false;
    int written = 0;
    if (strlen(name) > MOST_NAME)
        json_object_set_new(said, "errors", json_pack("[s]", "this name is too long"));
    else
        is_made = make(many->args, &many->makers, name, said, files) == EXIT_DONE;
    worker_hold(worker, true);
    for (size_t i = 0; i < many->args->sizes.count; i++) {
        SCOPED char *path = picture_path(many->args, name, i);
        if (is_made && write_picture(path, &files[i], &err) < 0) {
            json_object_set_new(said, "errors", json_pack("[o]", text_value(err.text)));
            is_made = false;
        }
        written += is_made;
        blob_release(&files[i]);
    }
    json_object_set_new(said, "pictures", json_integer(written));
    SCOPED char *text = json_dumps(said, JSON_COMPACT);
    worker_send_all(worker, text, text ? strlen(text) : 0);
}

static void finish(void *context)
{
    struct many *many = context;
    bake_free(many->makers.bake);
    planner_free(many->makers.planner);
}

/* NULL: there is none yet. Reads no more of standard input than is there. A line break or a NUL ends a name. */
static char *next_name(void *context)
{
    struct many *many = context;
    while (many->begun < many->args->models.count) {
        const char *name = many->args->models.items[many->begun++];
        if (strcmp(name, "-"))
            return must_strdup(name);
        many->input = STDIN_FILENO;
    }
    for (int left = POOL_MAX_TEXT; left > 0 && many->input >= 0;
         left--) { /* then the pool looks at signals and workers */
        char c = '\n';
        if (poll(&(struct pollfd){.fd = many->input, .events = POLLIN}, 1, 0) <= 0)
            break;
        ssize_t size = read(many->input, &c, 1);
        if (size < 0)
            cli_complain("standard input: %s", strerror(errno));
        if (size <= 0)
            many->input = -1;
        many->has_failed |= size < 0;
        if (c == '\n' && many->line.length > 0 && many->line.text[many->line.length - 1] == '\r')
            many->line.text[--many->line.length] = '\0'; /* the list has line breaks of Windows */
        if (c && c != '\n') {
            if (many->line.length < MOST_NAME + 1)
                buffer_add(&many->line, &c, 1);
        } else if (many->line.length > 0) {
            char *name = must_strdup(many->line.text);
            buffer_clear(&many->line);
            return name;
        }
    }
    return NULL;
}

/* The paths of the first pictures, as many as the worker says that it has made. */
static json_t *list_pictures(const struct many *many, const char *name, json_int_t count)
{
    json_t *paths = json_array();
    for (size_t i = 0; (json_int_t)i < count && i < many->args->sizes.count; i++) {
        SCOPED char *path = picture_path(many->args, name, i);
        if (path)
            json_array_append_new(paths, text_value(path));
    }
    return paths;
}

/* Tells how an item ended: a line of JSON, or messages. */
static bool item_done(void *context, unsigned worker, uint64_t number, const struct outcome *outcome)
{
    struct many *many = context;
    const char *name = outcome->text, *text = (const char *)outcome->result.data;
    json_auto_t *said = outcome->kind == OUTCOME_FINISHED ? json_loadb(text, outcome->result.size, 0, NULL) : NULL;
    (void)worker, (void)number;
    if (!json_is_object(said)) {
        SCOPED char *why = outcome_describe(outcome, name, NULL);
        json_decref(said);
        said = json_pack("{s:[o]}", "errors", text_value(why));
        for (size_t i = 0; i < many->args->sizes.count; i++) {
            SCOPED char *path = picture_path(many->args, name, i);
            if (path)
                file_remove_leftovers(path);
        }
    }
    many->has_failed |= json_object_get(said, "errors") != NULL;
    json_object_set_new(said, "file", text_value(name));
    if (json_object_get(said, "pictures"))
        json_object_set_new(said, "pictures",
                            list_pictures(many, name, json_integer_value(json_object_get(said, "pictures"))));
    if (outcome->kind != OUTCOME_CANCELLED && many->args->is_json) {
        json_dumpf(said, stdout, JSON_COMPACT | JSON_SORT_KEYS);
        puts("");
        fflush(stdout);
    } else if (outcome->kind != OUTCOME_CANCELLED) {
        complain(many->args, said);
    }
    return !ferror(stdout);
}

static int run_many(const struct thumb_args *args)
{
    static const int ends[] = {[POOL_DONE] = EXIT_DONE,
                               [POOL_START_FAILED] = EXIT_NO_BACKEND,
                               [POOL_STOPPED] = EXIT_BROKEN,
                               [POOL_FAILED] = EXIT_BROKEN};
    struct many many = {.args = args, .input = -1};
    const struct pool_settings pool = {
        .worker_count = args->worker_count ? args->worker_count : cpus_usable(),
        .timeout_s = args->timeout_s,
        .start_timeout_s = 60,
        .memory_limit = args->memory_limit,
        .worker = {&many, start, work, finish, NULL},
        .context = &many,
        .input = &many.input,
        .next_text = next_name,
        .most_result = 64 << 20,
        .done = item_done,
    };
    struct error err = {0};
    int signal_number;
    if (file_make_folders(args->output, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    enum pool_end end = pool_run(&pool, &signal_number, &err);
    buffer_release(&many.line);
    if (end == POOL_INTERRUPTED)
        return EXIT_SIGNAL + signal_number;
    if (err.text[0])
        cli_complain("%s", err.text);
    return end == POOL_DONE && many.has_failed ? EXIT_SHEETS_FAILED : ends[end];
}

static int run(int argc, char **argv)
{
    struct thumb_args args = {.time_s = NAN,
                              .timeout_s = 60,
                              .memory_limit = batch_defaults().memory_limit,
                              .sizes = {{256}, 256, 1},
                              .sandbox = SANDBOX_OF_COMMANDS};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code < 0 && args.is_many)
        exit_code = sandbox_args_check(args.sandbox, args.verbosity > 0);
    if (exit_code < 0)
        exit_code = args.is_many ? run_many(&args) : run_single(&args);
    strings_release(&args.models);
    strings_release(&args.roots);
    return exit_code;
}

const struct command thumb_command = {
    .name = "thumb",
    .summary = "draw pictures of models",
    .operands = {"MODEL...", "model", 1, INT_MAX},
    .about = "Draws one picture of a model, still or moving, without a job list.",
    .options = options,
    .notes =
        "With -o DIR/ it draws any number of models, on all CPUs; one that is broken fails alone. The MODEL - "
        "stands for those that standard input names, one a line, below this folder or in --assets: each is "
        "answered as it is done, while the input stays open.",
    .exits = exits,
    .run = run,
};
