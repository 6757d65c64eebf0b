#include <stdlib.h>
#include <string.h>

#include "bake/model_file.h"
#include "base/file.h"
#include "base/glob.h"
#include "cli/cli.h"
#include "cli/init.h"
#include "page/names.h"
#include "sheet/json_value.h"

bool init_is_clip_folder(const char *name)
{
    static const char *const names[] = {"anim", "anims", "animation", "animations", "clips"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(names[i], name))
            return true;
    return false;
}

/* -- In the confined process ---------------------------------------------------------------------------------- */

/* What one process is to do. */
struct task {
    const struct init_files *files;
    const struct init_file *file;
    const char
        *folder; /* with its last '/', or "": the files with clips below are tried on the file. NULL: none */
};

static json_t *find_hand(const struct model *model)
{
    static const char *const patterns[] = {"*handslot*r", "*weapon*", "*right*hand",
                                           "*hand*right", "*hand?r",  "hand*"};
    const uint32_t joint_count = model->joint_count, count = joint_count + model->tags.tag_count;
    struct error err;
    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++)
        for (uint32_t i = 0; i < count; i++) {
            const char *name = i < joint_count ? model->joints[i].name : model->tags.items[i - joint_count].name;
            if (glob_matches(patterns[p], name, true) && names_check_text(name, strlen(name), &err) == 0)
                return text_value(name);
        }
    return json_null();
}

static json_t *describe(const struct model *model)
{
    json_t *clips = json_array();
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (!model->format->in_folder ||
            !strchr(model->clips[i].name, '+')) /* legs and torso in all combinations */
            json_array_append_new(clips, text_value(model->clips[i].name));
    return json_pack("{s:o, s:o, s:o, s:b, s:b}", "clips", clips, "hand", find_hand(model), "skins",
                     texts_value(model->skins, model->skin_count, text_value), "mesh",
                     (int)(model->surface_count > 0), "joints", (int)(model->joint_count > 0));
}

/* Whether a file has clips for others that lie where the task looks. */
static bool is_candidate(const struct init_file *file, const char *folder)
{
    return file->is_clips && !strncmp(file->path, folder, strlen(folder));
}

static json_t *try_clips(const struct task *task, struct model_file *file, struct assets *assets)
{
    enum { MOST_TRIED = 256 };
    json_t *fitting = json_array();
    struct error other;
    for (size_t i = 0, tried = 0; i < task->files->count && tried < MOST_TRIED; i++) {
        const struct init_file *clips = &task->files->items[i];
        if (is_candidate(clips, task->folder) && ++tried &&
            model_file_add_animation(file, assets, clips->path, clips->clips.items[0], &other) == 0)
            json_array_append_new(fitting, text_value(clips->path));
    }
    return json_pack("{s:o}", "files", fitting);
}

static int make(void *context, struct blob *out)
{
    const struct task *task = context;
    const struct strings *roots = &task->files->roots;
    const struct model_options options = {.takes_clips_alone = true};
    struct assets *assets = NULL;
    struct model_file file = {0};
    struct error err;
    json_t *answer;
    if (assets_open((const char *const *)roots->items, roots->count, &assets, &err) < 0 ||
        model_file_open(assets, task->file->path, &options, &file, &err) < 0)
        answer = json_pack("{s:o}", "error", text_value(err.text));
    else
        answer = task->folder ? try_clips(task, &file, assets) : describe(file.model);
    int result = json_save(answer, answer != NULL, JSON_COMPACTED, out, &err);
    model_file_release(&file);
    assets_close(assets);
    return result < 0 ? EXIT_BROKEN : EXIT_DONE;
}

/* -- In the first process ------------------------------------------------------------------------------------- */

/* What the process handed back, or NULL after a message. */
static json_t *ask(const struct task *task)
{
    struct blob made = {0};
    struct error err = {"it cannot be read"};
    int result = sandbox_run(&task->files->rules, task->files->timeout_s, make, (void *)task, &made, &err);
    json_t *answer = result == EXIT_DONE ? json_loadb((const char *)made.data, made.size, 0, NULL) : NULL;
    const char *why = json_string_value(json_object_get(answer, "error"));
    bool is_good = answer && !why;
    if (!is_good) {
        cli_complain("left out: %s%s%s", why ? why : task->file->path, why ? "" : ": ", why ? "" : err.text);
        json_decref(answer);
    }
    blob_release(&made);
    return is_good ? answer : NULL;
}

static void add_texts(json_t *array, struct strings *out)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_is_string(json_array_get(array, i)))
            strings_add(out, json_string_value(json_array_get(array, i)));
}

static void look_at(const struct init_files *files, struct init_file *file)
{
    char *folder = path_folder(file->path), *stem = path_stem(path_base(file->path));
    if (file->is_passed_over) {
        file->is_model = file->is_clips = false;
    } else if (!file->is_clips) {
        json_t *answer = ask(&(struct task){files, file, NULL});
        const char *hand = json_string_value(json_object_get(answer, "hand"));
        bool has_mesh = json_is_true(json_object_get(answer, "mesh"));
        add_texts(json_object_get(answer, "clips"), &file->clips);
        add_texts(json_object_get(answer, "skins"), &file->skins);
        file->hand = hand ? must_strdup(hand) : NULL;
        file->has_joints = json_is_true(json_object_get(answer, "joints"));
        file->is_clips = file->clips.count && (!has_mesh || init_is_clip_folder(path_base(folder)));
        file->is_model &= has_mesh && !file->is_clips;
        json_decref(answer);
    } else { /* only a model of its joints can read it */
        strings_add(&file->clips, stem);
        file->is_model = false;
    }
    free(folder);
    free(stem);
}

/* Looks in the file's folder, then in those above it, until some have clips for it. */
static void look_for_clips(const struct init_files *files, struct init_file *file)
{
    for (size_t length = strlen(file->path); file->clip_files.count == 0 && length > 0;) {
        do
            length--;
        while (length > 0 && file->path[length - 1] != '/');
        char *folder = must_printf("%.*s", (int)length, file->path);
        bool has_candidate = false;
        for (size_t i = 0; i < files->count; i++)
            has_candidate |= is_candidate(&files->items[i], folder);
        json_t *answer = has_candidate ? ask(&(struct task){files, file, folder}) : NULL;
        add_texts(json_object_get(answer, "files"), &file->clip_files);
        json_decref(answer);
        free(folder);
    }
}

void init_look_at_all(const struct init_files *files)
{
    for (size_t i = 0; i < files->count; i++)
        look_at(files, &files->items[i]);
    for (size_t i = 0; i < files->count; i++)
        if (files->items[i].is_model && files->items[i].has_joints)
            look_for_clips(files, &files->items[i]);
}
