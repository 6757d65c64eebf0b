#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/clip_args.h"
#include "cli/thumb.h"
#include "model/side.h"

/* -- The text ---------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static void add_line(struct thumb_list *list, const char *option,
                                                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *line = must_vprintf(format, args);
    va_end(args);
    buffer_printf(&list->text, "%s\n", line);
    free(line);
    if (list->line_count < THUMB_MOST_LINES)
        list->options[list->line_count++] = option;
}

const char *thumb_list_option(const struct thumb_list *list, unsigned line)
{
    return line >= 1 && line <= list->line_count ? list->options[line - 1] : "the model";
}

/* Any text as a scalar of YAML, on one line. The caller's to free. */
static char *quoted(const char *text)
{
    struct buffer out = {0};
    buffer_add(&out, "\"", 1);
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            buffer_printf(&out, "\\%c", *c);
        else if ((unsigned char)*c < ' ')
            buffer_printf(&out, "\\x%02x", (unsigned)*c);
        else
            buffer_add(&out, c, 1);
    }
    buffer_add(&out, "\"", 1);
    return out.text;
}

/* A value as the user writes it in a job list: a mapping or a list as it is, all else as text. */
static char *value(const char *text)
{
    if (*text != '{' && *text != '[')
        return quoted(text);
    char *flow = must_strdup(text);
    for (char *c = flow; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return flow;
}

static void add_value(struct thumb_list *list, const char *option, const char *key, const char *text)
{
    if (!text)
        return;
    char *written = value(text);
    add_line(list, option, "  %s: %s", key, written);
    free(written);
}

static void add_roots(struct thumb_list *list, const char *const *roots, size_t count)
{
    struct buffer names = {0};
    for (size_t i = 0; i < count; i++) {
        char *name = quoted(roots[i]);
        buffer_printf(&names, "%s%s", i ? ", " : "", name);
        free(name);
    }
    add_line(list, "--assets", "assets: [%s]", names.text ? names.text : "");
    buffer_release(&names);
}

/* -- What to show ------------------------------------------------------------------------------------------ */

/* The moment of the picture, and how a job list says it. */
struct subject {
    const struct clip *clip; /* NULL: the bind pose, or the first frame */
    struct clip frames;      /* that, of --frames */
    char *entry;             /* of `animations`; "" for none */
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

static void show_clip(struct subject *subject, const struct clip *clip)
{
    char *name = quoted(clip->name);
    subject->clip = clip;
    subject->entry = must_printf("{name: %s}", name);
    free(name);
}

static int show_file(struct subject *subject, struct model_file *file, const struct model_place *place,
                     const char *path, struct error *err)
{
    if (model_file_add_animation(file, place->assets, path, "", err) < 0)
        return -1;
    char *name = quoted(path);
    subject->clip = &file->model->clips[file->model->clip_count - 1];
    subject->entry = must_printf("{file: %s}", name);
    free(name);
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
                         struct subject *subject)
{
    const struct model *model = file->model;
    const struct clip *rest = find_rest(model);
    struct strings files = {0};
    struct error ignored;
    if (rest || (args->has_time && model->clip_count > 0)) {
        show_clip(subject, rest ? rest : &model->clips[0]);
        return;
    }
    model_file_find_animations(file, place->assets, &files);
    const char *path = find_file_at_rest(file, place, &files);
    if (path || (path = find_only_file(file, place, &files)))
        show_file(subject, file, place, path, &ignored);
    strings_release(&files);
}

static int show_frames(const struct thumb_args *args, const struct model_file *file, struct subject *subject,
                       struct error *err)
{
    const struct frame_run *run = &args->frames.run;
    if (clip_args_of_frames(file, args->model, run, &subject->frames, err) < 0)
        return -1;
    subject->clip = &subject->frames;
    subject->entry = must_printf("{name: frames, frames: %u-%u}", run->first, run->last);
    return 0;
}

static int show_named(const struct thumb_args *args, const struct model_place *place, struct model_file *file,
                      struct subject *subject, struct error *err)
{
    const struct clip *clip = clip_args_find(file->model, args->animation);
    if (clip) {
        show_clip(subject, clip);
        return 0;
    }
    const char *path = clip_args_find_file(place, args->animation);
    if (!path) {
        model_file_fail_no_clip(file, place->assets, args->animation, err);
        return error_add(err, "%s", args->model);
    }
    return show_file(subject, file, place, path, err);
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
                          struct subject *out, struct error *err)
{
    int result = 0;
    if (args->frames.is_given)
        result = show_frames(args, file, out, err);
    else if (args->animation)
        result = show_named(args, place, file, out, err);
    else
        show_default(args, place, file, out);
    if (result < 0)
        return -1;
    if (args->has_time && !out->clip)
        return error_set(err, "%s: it has no animation, so there is no time %g", args->model, args->time_s);
    if (out->clip)
        out->time_s = wrap(out->clip, args->time_s);
    return 0;
}

/* -- The list ---------------------------------------------------------------------------------------------- */

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

static void write_list(const struct thumb_args *args, const struct model_place *place,
                       const struct subject *subject, const struct camera *side, struct thumb_list *out)
{
    const char *guessed_root = assets_root_of(place->assets, place->path);
    const char *const *given_roots = (const char *const *)args->roots.items;
    const size_t root_count = args->roots.count;
    const unsigned large_px = 512; /* more samples for a pixel would no longer show */

    add_line(out, "thumb", "version: 1");
    add_roots(out, root_count ? given_roots : &guessed_root, root_count ? root_count : 1);
    add_line(out, "thumb", "jobs:");
    add_line(out, "thumb", "- name: thumb");
    add_value(out, "MODEL", "model", place->path);
    add_line(out, "--size", "  cell: %u", args->size_px);
    add_line(out, "--size", "  supersample: %d", args->size_px < large_px ? 4 : 2);
    add_line(out, "--animation", "  animations: [%s]", subject->entry ? subject->entry : "");
    add_line(out, "--time", "  sampling: {times: [%.9g]}", subject->time_s);
    if (!args->camera)
        add_line(out, "--camera", "  cameras: {yaw: %g, pitch: %g}", side->yaw_deg, side->pitch_deg);
    add_value(out, "--camera", "cameras", args->camera);
    add_value(out, "--background", "background", args->background);
    add_value(out, "--skin", "skin", args->skin);
    add_value(out, "--light", "light", args->light);
    add_line(out, "thumb", "  fit: {scope: frame, margin: 0.04}");
    add_line(out, "thumb", "  split: animation"); /* should several have that name, the picture is of the first */
}

int thumb_list_make(const struct thumb_args *args, const struct model_place *place, struct thumb_list *out,
                    struct error *err)
{
    struct model_file file;
    struct subject subject = {0};
    struct camera side = {0};
    if (model_place_load(place, args->model, NULL, &file, err) < 0)
        return -1;
    int result = choose_subject(args, place, &file, &subject, err);
    if (result == 0 && !args->camera)
        result = choose_side(file.model, &subject, &side, err);
    if (result == 0)
        write_list(args, place, &subject, &side, out);
    free(subject.entry);
    model_file_release(&file);
    return result;
}
