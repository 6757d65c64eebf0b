#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/clip_args.h"
#include "cli/thumb.h"
#include "model/side.h"

/* -- What to show ------------------------------------------------------------------------------------------ */

/* What the picture shows: a clip of the model and a moment in it. */
struct subject {
    const struct clip *clip; /* NULL: the bind pose, or the first frame */
    struct clip frames;      /* that, of --frames */
    const char *file;        /* that has it; NULL: the model itself */
    double time_s;
};

/* How well a clip of this name shows the model at rest, where keyframe 0 may be of its death and a bind pose
 * stretches the arms out: the least is best. Digits at its end number variants. */
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

/* The first of the best, or NULL. */
static const struct clip *find_rest(const struct model *model)
{
    const struct clip *best = NULL;
    unsigned best_rank = NOT_AT_REST;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const char *name = model->clips[i].name;
        unsigned rank = rank_of_rest(name, strlen(name));
        if (rank >= best_rank)
            continue;
        best = &model->clips[i];
        best_rank = rank;
    }
    return best;
}

static int show_file(struct subject *subject, struct model_file *file, const struct model_place *place,
                     struct arena *arena, const char *path, struct error *err)
{
    if (model_file_add_animation(file, place->assets, path, "", err) < 0)
        return -1;
    subject->clip = &file->model->clips[file->model->clip_count - 1];
    subject->file = arena_strdup(arena, path);
    return 0;
}

/* A file for another skeleton, or a broken one, is not meant for this model. */
static bool fits(struct model_file *file, const struct model_place *place, const char *path)
{
    struct error ignored;
    return model_file_add_animation(file, place->assets, path, "", &ignored) == 0;
}

static const char *find_file_at_rest(struct model_file *file, const struct model_place *place,
                                     const struct strings *files)
{
    for (unsigned rank = 0; rank < NOT_AT_REST; rank++)
        for (size_t i = 0; i < files->count; i++)
            if (rank_of_file(files->items[i]) == rank && fits(file, place, files->items[i]))
                return files->items[i];
    return NULL;
}

/* NULL where several fit: none of them is more the model's than another. */
static const char *find_only_file(struct model_file *file, const struct model_place *place,
                                  const struct strings *files)
{
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

/* Without a name: the model at rest where it has a clip, or a file, that looks like that; else its first keyframe,
 * or its first clip where there is a time, or its bind pose. */
static void show_default(const struct thumb_args *args, const struct model_place *place, struct model_file *file,
                         struct arena *arena, struct subject *subject)
{
    const struct model *model = file->model;
    const struct clip *rest = find_rest(model);
    struct strings files = {0};
    struct error ignored;
    if (rest || (args->has_time && model->clip_count > 0)) {
        subject->clip = rest ? rest : &model->clips[0];
        return;
    }
    model_file_find_animations(file, place->assets, &files);
    const char *path = find_file_at_rest(file, place, &files);
    if (path || (path = find_only_file(file, place, &files)))
        show_file(subject, file, place, arena, path, &ignored);
    strings_release(&files);
}

static int show_frames(const struct thumb_args *args, const struct model_file *file, struct subject *subject,
                       struct error *err)
{
    const struct frame_run *run = &args->frames.run;
    if (clip_args_of_frames(file, args->model, run, &subject->frames, err) < 0)
        return -1;
    subject->clip = &subject->frames;
    return 0;
}

static int show_named(const struct thumb_args *args, const struct model_place *place, struct model_file *file,
                      struct arena *arena, struct subject *subject, struct error *err)
{
    const struct clip *clip = clip_args_find(file->model, args->animation);
    if (clip) {
        subject->clip = clip;
        return 0;
    }
    const char *path = clip_args_find_file(place, args->animation);
    if (!path) {
        model_file_fail_no_clip(file, place->assets, args->animation, err);
        return error_add(err, "%s", args->model);
    }
    return show_file(subject, file, place, arena, path, err);
}

/* A time past the end comes round again. */
static double wrap(const struct clip *clip, double time_s)
{
    double duration_s = clip_duration_s(clip, true);
    double wrapped_s = fmod(time_s, duration_s);
    wrapped_s += wrapped_s < 0 ? duration_s : 0;
    return wrapped_s < duration_s ? wrapped_s : 0;
}

static int choose_subject(const struct thumb_args *args, const struct model_place *place, struct model_file *file,
                          struct arena *arena, struct subject *out, struct error *err)
{
    int result = 0;
    if (args->frames.is_given)
        result = show_frames(args, file, out, err);
    else if (args->animation)
        result = show_named(args, place, file, arena, out, err);
    else
        show_default(args, place, file, arena, out);
    if (result < 0)
        return -1;
    if (args->has_time && !out->clip)
        return error_set(err, "%s: it has no animation, so there is no time %g", args->model, args->time_s);
    if (out->clip)
        out->time_s = wrap(out->clip, args->time_s);
    return 0;
}

/* -- All ---------------------------------------------------------------------------------------------------- */

static int choose_side(const struct model *model, const struct subject *subject, struct camera *out,
                       struct error *err)
{
    struct pose pose = {.animation = -1};
    struct mesh mesh;
    if (mesh_init(&mesh, model, err) < 0)
        return -1;
    if (subject->clip) {
        pose.animation = (int32_t)subject->clip->animation;
        pose.moment = clip_moment(subject->clip, subject->time_s, true);
    }
    model_pose(model, &pose, &mesh);
    side_choose(model, &mesh, out);
    mesh_release(&mesh);
    return 0;
}

int thumb_choose(const struct thumb_args *args, const struct model_place *place, struct thumb_choice *out,
                 struct error *err)
{
    struct thumb_choice choice = {.camera = {.name = "side", .up = {0, 0, 1}}};
    struct arena *arena = &choice.arena;
    struct model_file file;
    struct subject subject = {0};
    if (model_place_load(place, args->model, NULL, &file, err) < 0)
        return -1;
    int result = choose_subject(args, place, &file, arena, &subject, err);
    if (result == 0 && !args->camera)
        result = choose_side(file.model, &subject, &choice.camera, err);
    if (result == 0) {
        choice.model = arena_strdup(arena, place->path);
        choice.root = arena_strdup(arena, assets_root_of(place->assets, place->path));
        choice.has_clip = subject.clip != NULL;
        choice.time_s = subject.time_s;
        choice.clip.file = subject.file;
    }
    if (result == 0 && subject.clip) {
        char *stem = subject.file ? clip_args_stem(subject.file) : NULL;
        choice.clip.name = arena_strdup(arena, stem ? stem : subject.clip->name);
        choice.clip.has_frames = args->frames.is_given;
        choice.clip.first_frame = args->frames.run.first;
        choice.clip.last_frame = args->frames.run.last;
        free(stem);
    }
    model_file_release(&file);
    if (result < 0)
        arena_release(arena);
    else
        *out = choice;
    return result;
}
