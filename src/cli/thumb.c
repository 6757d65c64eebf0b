#include "cli/thumb.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/args.h"
#include "cli/sandbox_args.h"
#include "job/job.h"
#include "run/batch.h"
#include "run/confine.h"

static const struct exit_cause exits[] = {
    {"0", "done"},
    {"2", "wrong options, or a model that cannot be read"},
    {"3", "the picture cannot be drawn, or not within --timeout"},
    {"4", "no back end works here; see 'sheetbake doctor'"},
    {"5", "the picture cannot be written, or --sandbox require cannot be met"},
    {0},
};

/* -- Options ----------------------------------------------------------------------------------------------- */

enum { MOST_PX = 4096 };

static bool take_sizes(const struct command *command, const char *text, void *out)
{
    struct thumb_sizes *sizes = out;
    sizes->count = 0;
    for (const char *rest = text; *rest; rest += *rest == ',') {
        char *end;
        unsigned long size = strtoul(rest, &end, 10);
        if (*rest < '0' || *rest > '9' || (*end && *end != ',') || size < 1 || size > MOST_PX ||
            sizes->count == THUMB_MOST_SIZES) {
            cli_usage_error(command, "--size needs whole numbers from 1 to %d with commas between them, not '%s'",
                            MOST_PX, text);
            return false;
        }
        sizes->px[sizes->count++] = (uint32_t)size;
        rest = end;
    }
    return true;
}

static bool take_passes(const struct command *command, const char *text, void *out)
{
    struct thumb_passes *passes = out;
    *passes = (struct thumb_passes){.text = text};
    for (const char *rest = text; *rest; rest += *rest == ',') {
        size_t length = strcspn(rest, ",");
        unsigned pass = 0;
        while (pass < PASS_COUNT && (strncmp(pass_names[pass], rest, length) || pass_names[pass][length]))
            pass++;
        if (pass == PASS_COUNT || pass == PASS_DEPTH || passes->count == PASS_COUNT) {
            cli_usage_error(command, "--passes: '%.*s' is no pass that is shown", (int)length, rest);
            return false;
        }
        passes->items[passes->count++] = (enum pass)pass;
        rest += length;
    }
    return true;
}

static const struct arg options[] = {
    {"output", 'o', "FILE|DIR/",
     "write to FILE; - is standard output (default: MODEL-thumb.png in this folder). Of several models: write below "
     "DIR, as DIR/MODEL.png",
     ARG_TEXT(struct thumb_args, output)},
    {"views", 0, "LIST",
     "draw what several camera presets see, such as front,left,back,top,three_quarter, side by side in one scale, on "
     "a grid of known units",
     ARG_TEXT(struct thumb_args, views)},
    {"passes", 0, "LIST", "with --views: a row for each, such as color,clay,wireframe (default color)",
     ARG_CALL(struct thumb_args, passes, struct thumb_passes, take_passes)},
    {"json", 0, NULL, "with -o DIR/: print a line of JSON for each model when it is done",
     ARG_FLAG(struct thumb_args, is_json)},
    ARG_WORKERS(struct thumb_args, worker_count),
    ARG_MEMORY(struct thumb_args, memory_limit),
    {"animate", 0, "FILE",
     "write a moving picture to FILE, an APNG or a WebP by its suffix, .png or .webp: the clip, 10 frames a "
     "second, or a turn around a model without clips",
     ARG_PATH(struct thumb_args, animated)},
    {"quality", 0, "N", "compress a WebP with losses, 100 being the best (default: without)",
     ARG_COUNT(struct thumb_args, quality, 1, 100)},
    {"size", 0, "N",
     "draw N x N pixels, or each view so large (default 256). With -o DIR/ several, such as 64,256",
     ARG_CALL(struct thumb_args, sizes, struct thumb_sizes, take_sizes)},
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
    for (int i = optind; i < argc; i++)
        strings_add(&args->models, argv[i]);
    args->is_many = args->output && args->output[0] && args->output[strlen(args->output) - 1] == '/';
    if (args->sizes.count == 0)
        args->sizes = (struct thumb_sizes){{256}, 1};
    args->has_time = !isnan(args->time_s);
    args->time_s = args->has_time ? args->time_s : 0;
    if (args->frames.is_given && args->animation)
        return cli_usage_error(&thumb_command, "--frames and --animation cannot be used together");
    if (args->views && args->views[strspn(args->views, "abcdefghijklmnopqrstuvwxyz_,")])
        return cli_usage_error(&thumb_command, "--views needs names of presets with commas between them, not '%s'",
                               args->views);
    const char *other = args->camera ? "--camera" : args->background ? "--background" : "--animate";
    if (args->views && (args->camera || args->background || args->animated))
        return cli_usage_error(&thumb_command, "--views and %s cannot be used together", other);
    if (!args->views && args->passes.count)
        return cli_usage_error(&thumb_command, "--passes has a meaning only with --views");
    if (args->passes.count == 0)
        args->passes = (struct thumb_passes){{PASS_MAIN}, 1, "color"};
    bool is_single = args->models.count == 1 && strcmp(args->models.items[0], "-") != 0;
    if (!args->is_many && (!is_single || args->is_json || args->sizes.count > 1))
        return cli_usage_error(&thumb_command, "%s, so it needs -o DIR/ (with the '/')",
                               !is_single ? "several models give several pictures" : args->is_json ? "--json is for many models" : "several sizes give several pictures");
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

static int choose_in_model(const struct thumb_args *args, const char *model, const struct model_place *place, struct model_file *file,
                           struct thumb_choice *out, struct error *err)
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
static int choose(const struct thumb_args *args, const char *model, struct model_cache *models, struct thumb_choice *out,
                  struct error *err)
{
    const struct model_options as_job = {.via = args->via, .transform.scale = 1}; /* those of the job */
    struct model_place place;
    struct model_file file = {0};
    *out = (struct thumb_choice){.camera = {.name = "side", .up = {0, 0, 1}}};
    if (model_place_open(model, &args->roots, &place, err) < 0)
        return -1;
    int result = model_cache_open(models, place.assets, place.path, &as_job, &file, err);
    if (result < 0)
        model_place_name_as_typed(&place, model, err);
    else
        result = choose_in_model(args, model, &place, &file, out, err);
    model_file_release(&file);
    model_place_release(&place);
    return result;
}

/* -- The job ----------------------------------------------------------------------------------------------- */

static uint32_t largest_of(const struct thumb_sizes *sizes)
{
    uint32_t largest = 1;
    for (size_t i = 0; i < sizes->count; i++)
        largest = sizes->px[i] > largest ? sizes->px[i] : largest;
    return largest;
}

static int open_job(const struct thumb_maker *maker, const char *model, struct thumb_made *made,
                    struct job_list **out)
{
    const struct thumb_args *args = maker->args;
    const unsigned large_px = 512; /* more samples for a pixel would no longer show */
    struct thumb_choice choice;
    struct error err;
    if (choose(args, model, bake_models(maker->bake), &choice, &err) < 0) {
        strings_add(&made->problems, err.text);
        arena_release(&choice.arena);
        return -1;
    }
    char *views = args->views ? must_printf("[%s]", args->views) : NULL,
         *passes = must_printf("[%s]", args->passes.text);
    const struct job_text texts[] = {
        {"cameras", views ? views : args->camera, views ? "--views" : "--camera"},
        {"passes", passes, "--passes"},
        {"background", args->background, "--background"},
        {"skin", args->skin, "--skin"},
        {"light", args->light, "--light"},
        {"via", via_words[args->via], "--via"},
    };
    struct job_text given[sizeof texts / sizeof *texts];
    const struct preview_settings previews = {.is_wanted = true, .format = args->format, .quality = args->quality};
    const uint32_t size_px = largest_of(&args->sizes);
    struct single_job job = {
        .name = "thumb",
        .model = choice.model,
        .roots = args->roots.count ? (const char *const *)args->roots.items : &choice.root,
        .root_count = args->roots.count ? args->roots.count : 1,
        .cell_px = size_px,
        .supersample = size_px < large_px ? 4 : 2,
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
    int result = job_list_single(&job, out, &made->problems);
    free(views);
    free(passes);
    arena_release(&choice.arena);
    return result;
}

/* -- The picture ------------------------------------------------------------------------------------------- */

static int draw(struct thumb_maker *maker, const struct job_list *list, struct thumb_made *made, struct error *err)
{
    const struct thumb_args *args = maker->args;
    const struct bake_job job = {list, &list->jobs[0]};
    const struct board board = {args->passes.items, args->passes.count, !args->views, args->sizes.px,
                                args->sizes.count};
    const struct plan *plan;
    if (!maker->is_started && bake_start(maker->bake, args->backend, &(struct identity){0}, err) < 0)
        return EXIT_NO_BACKEND;
    maker->is_started = true;
    if (bake_open(maker->bake, &job, &plan, err) < 0)
        return EXIT_USAGE;
    if (args->verbosity > 0)
        search_path_add_all(plan, &made->details);
    int result = args->is_json ? describe_model(plan, &made->arena, &made->facts, err) : 0;
    if (result == 0)
        result = args->animated ? bake_preview(maker->bake, made->files, err)
                                : bake_board(maker->bake, &board, made->files, err);
    strings_add_all(&made->warnings, &plan->warnings);
    return result < 0 ? EXIT_SHEETS_FAILED : EXIT_DONE;
}

int thumb_make(struct thumb_maker *maker, const char *model, struct thumb_made *made)
{
    struct job_list *list = NULL;
    struct error err;
    int exit_code = EXIT_USAGE;
    if (open_job(maker, model, made, &list) == 0) {
        exit_code = draw(maker, list, made, &err);
        if (exit_code != EXIT_DONE)
            strings_add(&made->problems, err.text);
    }
    bake_close(maker->bake);
    job_list_free(list);
    return exit_code;
}

void thumb_made_release(struct thumb_made *made)
{
    for (size_t i = 0; i < THUMB_MOST_SIZES; i++)
        blob_release(&made->files[i]);
    strings_release(&made->problems);
    strings_release(&made->warnings);
    strings_release(&made->details);
    arena_release(&made->arena);
}

static void print(const char *lead, const struct strings *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        cli_complain("%s%s", lead, lines->items[i]);
}

/* In the sandbox: all that reads the model. Returns the exit code. */
static int make_picture(void *context, struct blob *file)
{
    const struct thumb_args *args = context;
    char note[8]; /* names the file that is being written: none */
    struct thumb_maker maker = {
        .args = args, .bake = bake_new(&(struct page_writer){.note = note, .note_size = sizeof note}, NULL)};
    struct thumb_made made = {0};
    int exit_code = thumb_make(&maker, args->models.items[0], &made);
    *file = made.files[0];
    made.files[0] = (struct blob){0};
    print("", &made.details);
    print("warning: ", args->verbosity < 0 ? &(struct strings){0} : &made.warnings);
    print("", &made.problems);
    thumb_made_release(&made);
    bake_free(maker.bake);
    return exit_code;
}

static int run_single(struct thumb_args *args)
{
    const char *model = args->models.items[0];
    struct sandbox_rules rules = {.mode = args->sandbox};
    model_place_add_roots(model, &args->roots, &rules.read);
    if (rules.mode != SANDBOX_OFF)
        confine_add_renderer(&rules, "thumb"); /* shaders that a stranger's model leaves are not for runs */
    char *stem = path_stem(path_base(model));
    char *default_path = must_printf("%s-thumb.png", stem); /* not STEM.png, which may be the model's skin */
    const char *path = args->animated ? args->animated : args->output ? args->output : default_path;
    int exit_code =
        sandbox_args_run(&rules, &(struct sandbox_task){model, args->timeout_s, make_picture, args,
                                                        EXIT_SHEETS_FAILED, strcmp(path, "-") ? path : NULL});
    free(default_path);
    free(stem);
    sandbox_rules_release(&rules);
    return exit_code;
}

static int run(int argc, char **argv)
{
    struct thumb_args args = {.time_s = NAN,
                              .timeout_s = 60,
                              .memory_limit = batch_defaults().memory_limit,
                              .sandbox = SANDBOX_OF_COMMANDS};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code < 0)
        exit_code = args.is_many ? thumb_many(&args) : run_single(&args);
    strings_release(&args.models);
    strings_release(&args.roots);
    return exit_code;
}

const struct command thumb_command = {
    .name = "thumb",
    .summary = "draw pictures of models",
    .operands = {"MODEL...", "model", 1, INT_MAX},
    .about = "Draws one picture of a model, still or moving, without a job list; or with -o DIR/ pictures of many, whose "
             "names '-' reads from standard input.",
    .options = options,
    .exits = exits,
    .run = run,
};
