#include <stdlib.h>
#include <string.h>

#include "bake/model_file.h"
#include "base/file.h"
#include "base/glob.h"
#include "cli/cli.h"
#include "cli/init.h"
#include "page/names.h"
#include "sheet/json_value.h"

/* -- In the confined process ---------------------------------------------------------------------------------- */

/* What one process is to do. */
struct task {
    const struct init_files *files;
    const struct init_file *file;
    bool wants_clips; /* of other files, for this one */
};

static json_t *find_hand(const struct model *model)
{
    static const char *const patterns[] = {"*handslot*r", "*weapon*", "*right*hand", "*hand?r", "hand*"};
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

/* The numbers of files of clips that the model can play: in its folder, or else in the next one above that has some. */
static json_t *try_clips(const struct task *task, struct model_file *file, struct assets *assets)
{
    enum { MOST_TRIED = 256 };
    const char *path = task->file->path;
    json_t *fitting = json_array();
    struct error other;
    size_t tried = 0;
    for (size_t length = strlen(path); length > 0 && json_array_size(fitting) == 0;) {
        do
            length--;
        while (length > 0 && path[length - 1] != '/');
        for (size_t i = 0; i < task->files->count && tried < MOST_TRIED; i++) {
            const struct init_file *clips = &task->files->items[i];
            if (!clips->is_clips || strncmp(clips->path, path, length))
                continue;
            tried++;
            const struct clip_choice all = {.path = clips->path, .stem = "clip"};
            struct strings warnings = {0};
            uint32_t count;
            if (model_file_add_clips(file, assets, &all, &count, &warnings, &other) == 0)
                json_array_append_new(fitting, json_integer((json_int_t)i));
            strings_release(&warnings);
        }
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
    int exit_code = EXIT_DONE;
    if (assets_open((const char *const *)roots->items, roots->count, &assets, &err) < 0 ||
        model_file_open(assets, task->file->path, &options, &file, &err) < 0) {
        cli_complain("left out: %s", err.text);
        exit_code = EXIT_USAGE;
    } else {
        json_t *answer = task->wants_clips ? try_clips(task, &file, assets) : describe(file.model);
        if (json_save(answer, answer != NULL, JSON_COMPACTED, out, &err) < 0)
            exit_code = cli_fail(&err, EXIT_BROKEN);
    }
    model_file_release(&file);
    assets_close(assets);
    return exit_code;
}

/* -- In the first process ------------------------------------------------------------------------------------- */

/* What the process handed back, or NULL after a message. */
static json_t *ask(const struct task *task)
{
    struct blob made = {0};
    struct error err;
    int result = sandbox_run(&task->files->rules, task->files->timeout_s, make, (void *)task, &made, &err);
    json_t *answer = result == EXIT_DONE ? json_loadb((const char *)made.data, made.size, 0, NULL) : NULL;
    if (result < 0)
        cli_complain("left out: %s: %s", task->file->path, err.text);
    blob_release(&made);
    return answer;
}

static void add_texts(struct strings *out, json_t *array)
{
    size_t i;
    json_t *text;
    json_array_foreach(array, i, text) if (json_is_string(text)) strings_add(out, json_string_value(text));
}

bool init_is_clip_folder(const char *name)
{
    return glob_matches("anim*", name, true) || glob_matches("clips", name, true);
}

static void look_at(struct init_files *files, struct init_file *file)
{
    struct arena *arena = &files->arena;
    json_t *answer = ask(&(struct task){files, file, false});
    const char *hand = json_string_value(json_object_get(answer, "hand"));
    bool has_mesh = json_is_true(json_object_get(answer, "mesh"));
    add_texts(&file->clips, json_object_get(answer, "clips"));
    add_texts(&file->skins, json_object_get(answer, "skins"));
    file->hand = hand ? arena_strdup(arena, hand) : NULL;
    file->has_joints = json_is_true(json_object_get(answer, "joints"));
    bool is_in_clip_folder = init_is_clip_folder(path_base(arena_take(arena, path_folder(file->path))));
    file->is_clips = file->clips.count && (!has_mesh || is_in_clip_folder);
    file->is_model &= has_mesh && !file->is_clips;
    json_decref(answer);
}

static void look_for_clips(struct init_files *files, struct init_file *file)
{
    json_t *answer = ask(&(struct task){files, file, true});
    json_t *numbers = json_object_get(answer, "files");
    size_t count = json_array_size(numbers);
    file->clip_files = arena_must_alloc(&files->arena, count, sizeof *file->clip_files);
    for (size_t i = 0; i < count; i++) {
        size_t number = (size_t)json_integer_value(json_array_get(numbers, i));
        if (number < files->count)
            file->clip_files[file->clip_file_count++] = &files->items[number];
    }
    json_decref(answer);
}

void init_look_at_all(struct init_files *files)
{
    for (struct init_file *file = files->items; file < files->items + files->count; file++)
        if (!file->is_clips)
            look_at(files, file);
    for (struct init_file *file = files->items; file < files->items + files->count; file++)
        if (file->is_model && file->has_joints)
            look_for_clips(files, file);
}
