#include <cglm/vec2.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "cli/args.h"
#include "cli/model_args.h"
#include "cli/sandbox_args.h"
#include "job/job.h"
#include "model/model.h"
#include "model/root_motion.h"
#include "os/sandbox.h"

static const struct exit_cause exits[] = {
    {"0", "done"},
    {"2", "wrong options, or a model that cannot be read, or not within --timeout"},
    {"5", "the OBJ cannot be written, or --sandbox require cannot be met"},
    {0},
};

struct pose_args {
    struct strings roots;
    const char *model, *animation, *output;
    struct model_options model_options;
    struct transform_arg transform;
    enum interpolation interpolation;
    enum root_motion_way root_motion;
    enum sandbox_mode sandbox;
    struct frames_arg frames;
    double time_s, frame, timeout_s;
    bool is_bind, has_time, has_frame, is_clamped;
};

/* -- Options ----------------------------------------------------------------------------------------------- */

static const struct arg options[] = {
    {"animation", 0, "NAME|FILE",
     "a clip of the model, in upper or lower case, or an animation file, as a path or beside the model (default: "
     "the first clip, or the bind pose)",
     ARG_TEXT(struct pose_args, animation)},
    {ARG_FRAMES(struct pose_args, frames), .excludes = "bind animation"},
    {"bind", 0, NULL, "use the bind pose, or the first frame of an MD2", ARG_FLAG(struct pose_args, is_bind),
     .excludes = "animation time frame"},
    {"time", 0, "T", "T seconds from the start of the clip; may be below 0 or past its end (default 0)",
     ARG_NUMBER(struct pose_args, time_s, -1e9, 1e9), .excludes = "frame"},
    {"frame", 0, "N", "keyframe N of the clip, counted from 0, instead of --time",
     ARG_NUMBER(struct pose_args, frame, 0, UINT32_MAX)},
    {"loop", 0, NULL, "let times wrap around: the last keyframe blends into the first (the default)",
     ARG_BOOL(struct pose_args, is_clamped, false)},
    {"clamp", 0, NULL, "hold the first keyframe before the clip, and the last one after it",
     ARG_BOOL(struct pose_args, is_clamped, true)},
    {"interpolation", 0, "HOW",
     "local (the default) blends joints relative to their parents; object blends finished skeletons",
     ARG_CHOICE(struct pose_args, interpolation, interpolation_words)},
    {"root-motion", 0, "HOW",
     "when a clip travels: auto (the default) and remove keep it in place, as games do; keep",
     ARG_CHOICE(struct pose_args, root_motion, root_motion_words)},
    {"geometry", 0, "WHAT", "triangles (the default), or glcommands, the strips and fans of an MD2",
     ARG_CHOICE(struct pose_args, model_options.geometry, geometry_words)},
    {ARG_VIA(struct pose_args, model_options.via)},
    {ARG_TRANSFORM(struct pose_args, transform)},
    {ARG_ASSETS(struct pose_args, roots)},
    {ARG_SANDBOX(struct pose_args, sandbox)},
    {ARG_GIVE_UP(struct pose_args, timeout_s, "60")},
    {"output", 'o', "FILE", "write to FILE (default and -: standard output)", ARG_TEXT(struct pose_args, output)},
    {0},
};

/* Returns the exit code, or -1 to go on. */
static int parse_args(int argc, char **argv, struct pose_args *args)
{
    const struct command *command = &pose_command;
    int exit_code = args_read(command, argc, argv, args);
    if (exit_code >= 0)
        return exit_code;
    args->model = argv[optind];
    args->model_options.transform = args->transform.value;
    args->has_time = !isnan(args->time_s);
    args->has_frame = !isnan(args->frame);
    args->time_s = args->has_time ? args->time_s : 0;
    args->frame = args->has_frame ? args->frame : 0;
    if (args->output && !strcmp(args->output, "-"))
        args->output = NULL;
    if (args->frame != (uint32_t)args->frame)
        return cli_usage_error(command, "--frame: '%g' is not a whole number", args->frame);
    return -1;
}

/* -- The clip ---------------------------------------------------------------------------------------------- */

/* The real file that --animation names: by its path, or by the path from the model's folder on. NULL when there is none, as
 * with --assets; the caller frees it. */
static char *find_real_file(const struct pose_args *args)
{
    if (!args->animation || args->roots.count)
        return NULL;
    if (access(args->animation, F_OK) == 0)
        return must_strdup(args->animation);
    SCOPED char *folder = path_folder(args->model), *beside = path_join(folder, args->animation);
    return access(beside, F_OK) == 0 ? must_strdup(beside) : NULL;
}

/* out->clip is NULL for the bind pose. */
static int choose_clip(const struct pose_args *args, const struct model_place *place, struct model_file *file,
                       struct chosen_clip *out, struct error *err)
{
    SCOPED_BY(model_place_release) struct model_place other = {0};
    *out = (struct chosen_clip){0};
    if (args->is_bind)
        return 0;
    if (!args->animation && !args->frames.is_given) {
        out->clip = file->model->clip_count ? &file->model->clips[0] : NULL;
        return 0;
    }
    SCOPED char *real = find_real_file(args);
    if (!real || model_clip_called(file->model, args->animation))
        return model_args_choose_clip(place, args->model, args->animation, &args->frames, file, out, err);
    if (model_place_open(real, &args->roots, &other, err) < 0)
        return -1;
    if (model_place_add_file(&other, other.path, file, &out->clip, err) < 0)
        return model_place_name_as_typed(&other, real, err);
    return 0;
}

/* -- The pose ---------------------------------------------------------------------------------------------- */

static int choose_pose(const struct pose_args *args, const struct clip *clip, struct pose *out, struct error *err)
{
    struct pose pose = {.animation = -1, .interpolation = args->interpolation};
    uint32_t frame = (uint32_t)args->frame;
    if (!clip && frame > 0)
        return error_set(err, "%s: no keyframe %u, the model has only its bind pose", args->model, frame);
    if (clip && frame >= clip->frame_count)
        return error_set(err, "%s: no keyframe %u, '%s' has 0-%u", args->model, frame, clip->name,
                         clip->frame_count - 1);
    if (clip) {
        uint32_t keyframe = clip->first_frame + frame;
        pose.animation = (int32_t)clip->animation;
        pose.moment = args->has_frame ? (struct moment){.frame_a = keyframe, .frame_b = keyframe}
                                      : clip_moment(clip, args->time_s, !args->is_clamped);
    }
    *out = pose;
    return 0;
}

static int pose_model(const struct pose_args *args, const struct model_place *place, struct model_file *file,
                      struct buffer *obj, struct error *err)
{
    struct chosen_clip chosen;
    struct pose pose;
    struct mesh mesh;
    if (choose_clip(args, place, file, &chosen, err) < 0 || choose_pose(args, chosen.clip, &pose, err) < 0 ||
        mesh_init(&mesh, file->model, err) < 0)
        return -1;
    model_pose(file->model, &pose, &mesh);
    struct clip clip = chosen.clip ? *chosen.clip : (struct clip){0};
    const bool is_in_place = chosen.clip && args->root_motion != ROOT_MOTION_KEEP;
    const int found = is_in_place ? clip_find_travel(file->model, &clip, err) : 0;
    if (found > 0 && args->root_motion == ROOT_MOTION_AUTO)
        strings_printf(&file->warnings,
                       "%s: in place: it travels %.3g units by '%s'; `--root-motion remove` says that this is "
                       "meant, `keep` shows the way",
                       clip.name, hypot(clip.travel[0], clip.travel[1]), file->model->joints[clip.root].name);
    if (is_in_place && clip_travels(&clip)) {
        vec2 moved;
        root_motion_at(file->model, &clip, &pose, moved);
        for (uint32_t i = 0; i < mesh.point_count; i++)
            glm_vec2_sub(mesh.positions[i], moved, mesh.positions[i]);
    }
    if (found >= 0)
        mesh_save_obj(file->model, &mesh, obj);
    mesh_release(&mesh);
    for (size_t i = 0; i < file->warnings.count; i++)
        cli_complain("warning: %s", file->warnings.items[i]);
    return found < 0 ? -1 : 0;
}

/* -- The command ------------------------------------------------------------------------------------------- */

/* In the sandbox: all that reads the model. Returns the exit code. */
static int make_obj(void *context, struct blob *out)
{
    const struct pose_args *args = context;
    SCOPED_BY(model_place_release) struct model_place place = {0};
    SCOPED_BY(model_file_release) struct model_file file = {0};
    struct buffer obj = {0};
    struct error err;
    if (model_place_open(args->model, &args->roots, &place, &err) < 0 ||
        model_place_load(&place, args->model, &args->model_options, &file, &err) < 0 ||
        pose_model(args, &place, &file, &obj, &err) < 0) {
        buffer_release(&obj);
        return cli_fail(&err, EXIT_USAGE);
    }
    *out = (struct blob){(uint8_t *)obj.text, obj.length};
    return EXIT_DONE;
}

static int run(int argc, char **argv)
{
    struct pose_args args = {.time_s = NAN, .frame = NAN, .timeout_s = 60, .sandbox = SANDBOX_OF_COMMANDS};
    int exit_code = parse_args(argc, argv, &args);
    if (exit_code < 0) {
        SCOPED_BY(sandbox_rules_release) struct sandbox_rules rules = {.mode = args.sandbox};
        model_place_add_roots(args.model, &args.roots, &rules.read);
        SCOPED char *animation = find_real_file(&args);
        if (animation)
            model_place_add_roots(animation, &args.roots, &rules.read);
        exit_code = sandbox_args_run(
            &rules, &(struct sandbox_task){args.model, args.timeout_s, make_obj, &args, EXIT_USAGE, args.output});
    }
    strings_release(&args.roots);
    return exit_code;
}

const struct command pose_command = {
    .name = "pose",
    .summary = "write a model at one moment as Wavefront OBJ",
    .operands = {"MODEL", "model", 1, 1},
    .about = "Writes the mesh of a model at one moment as Wavefront OBJ: v, vt and vn, one o for each mesh. "
             "Meshes and triangles keep the order of the file. Front faces are clockwise and t runs down from the "
             "top, as stored. Z is up and X is forward.",
    .options = options,
    .exits = exits,
    .run = run,
};
