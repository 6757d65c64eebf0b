#include <cglm/cglm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan/model_file.h"
#include "base/file.h"
#include "base/glob.h"
#include "cli/cli.h"
#include "cli/init.h"
#include "material/material.h"
#include "page/names.h"
#include "sheet/json_value.h"

/* -- In the confined process ---------------------------------------------------------------------------------- */

/* The task of one process. */
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

/* Of each clip, whether it blows the model up: exporters put actions on figures that are of other objects, with their scale.
 * It is then several times as large as in most other clips and the bind pose. */
static bool *find_blown_up(struct arena *arena, const struct model *model)
{
    enum { TIMES = 4 };
    const uint32_t count = model->clip_count;
    bool *blown = arena_must_alloc(arena, (size_t)count + 1, sizeof *blown);
    float *sizes = arena_must_alloc(arena, (size_t)count + 1, sizeof *sizes);
    struct mesh mesh;
    struct error ignored;
    if (count < 2 || !model_has_nodes(model) || mesh_init_positions(&mesh, model, &ignored) < 0)
        return blown;
    for (uint32_t i = 0; i <= count; i++) {
        const struct clip *clip = i < count ? &model->clips[i] : NULL;
        const uint32_t frame = clip ? clip->first_frame : 0;
        const struct pose pose = {.animation = clip ? (int32_t)clip->animation : -1,
                                  .moment = {.frame_a = frame, .frame_b = frame}};
        vec3 box[2];
        model_pose(model, &pose, &mesh);
        mesh_box(model, &mesh, box);
        sizes[i] = glm_vec3_distance(box[0], box[1]);
    }
    mesh_release(&mesh);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t exceeded = 0;
        for (uint32_t k = 0; k <= count; k++)
            exceeded += sizes[i] > TIMES * sizes[k];
        blown[i] = exceeded > count / 2;
    }
    return blown;
}

static json_t *describe(struct assets *assets, const char *path, struct model *model)
{
    const char *picture = material_guess(assets, path, model);
    bool is_sure = false;
    const char *like = picture ? NULL : material_suggest(assets, path, model, &is_sure);
    picture = is_sure ? like : picture;
    const bool *blown_up = find_blown_up(&model->arena, model);
    json_t *clips = json_array(), *blown = json_array();
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (!model->format->in_folder ||
            !strchr(model->clips[i].name, '+')) /* legs and torso in all combinations */
            json_array_append_new(blown_up[i] ? blown : clips, text_value(model->clips[i].name));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "clips", clips, "blown", blown, "hand",
                     find_hand(model), "like", like ? text_value(like) : json_null(), "picture",
                     picture ? text_value(picture) : json_null(), "skins",
                     texts_value(model->skins, model->skin_count, text_value), "mesh",
                     (int)(model->surface_count > 0), "joints", (int)(model->joint_count > 0));
}

/* Whether a file of clips is for the model: X@Run is for those called X, and @Run for those in its folder. */
static bool is_for(const struct init_file *clips, const struct init_file *model)
{
    const char *start = path_base(clips->name), *at = strchr(start, '@'), *base = path_base(model->name);
    const size_t length = (size_t)(start - clips->name);
    if (at == start)
        return clips->is_in_clip_folder ||
               (base - model->name == start - clips->name && !strncmp(clips->name, model->name, length));
    return !at || (!strncasecmp(start, base, (size_t)(at - start)) && !base[at - start]);
}

/* Tries files of clips in the model's folder, or else in the next one above that has some. Returns, by number of file, the
 * names of the clips that the model can play, or why it can play none. */
static json_t *try_clips(const struct task *task, struct model_file *file, struct assets *assets)
{
    enum { MOST_TRIED = 256 };
    const char *path = task->file->path;
    json_t *played = json_object();
    struct error why;
    size_t tried = 0, fitting = 0;
    for (size_t length = strlen(path); length > 0 && fitting == 0;) {
        do
            length--;
        while (length > 0 && path[length - 1] != '/');
        for (size_t i = 0; i < task->files->count && tried < MOST_TRIED; i++) {
            const struct init_file *clips = &task->files->items[i];
            if (!clips->is_clips || strncmp(clips->path, path, length) || !is_for(clips, task->file))
                continue;
            tried++;
            const struct clip_choice all = {.path = clips->path, .stem = "clip"};
            SCOPED_BY(strings_release) struct strings warnings = {0};
            uint32_t count;
            bool fits = model_file_add_clips(file, assets, &all, &count, &warnings, &why) == 0;
            json_t *names = fits ? json_array() : text_value(why.text);
            for (uint32_t k = fits ? file->model->clip_count - count : UINT32_MAX; k < file->model->clip_count;
                 k++)
                json_array_append_new(names,
                                      text_value(file->model->animations[file->model->clips[k].animation].name));
            fitting += fits;
            json_object_set_new(played, arena_printf(&file->arena, "%09zu", i), names);
        }
    }
    return played;
}

static int make(void *context, struct blob *out)
{
    const struct task *task = context;
    const struct strings *roots = &task->files->roots;
    const struct model_options options = {.takes_clips_alone = true};
    struct assets *assets = NULL;
    struct model_file file = {0};
    struct error err;
    bool is_open = assets_open((const char *const *)roots->items, roots->count, &assets, &err) == 0 &&
                   model_file_open(assets, task->file->path, &options, &file, &err) == 0;
    json_t *answer = !is_open            ? json_pack("{s:o}", "error", text_value(err.text))
                     : task->wants_clips ? try_clips(task, &file, assets)
                                         : describe(assets, task->file->path, file.model);
    int result = json_save(answer, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15), out, &err);
    model_file_release(&file);
    assets_close(assets);
    return result < 0 ? cli_fail(&err, EXIT_BROKEN) : EXIT_DONE;
}

/* -- In the first process ------------------------------------------------------------------------------------- */

void init_leave_out(struct init_files *files, const char *name, const char *reason)
{
    strings_printf(&files->left_out, "%s\n%s", reason, name);
}

/* Says on a terminal how far it is. */
static void show_progress(const char *what, size_t done, size_t count)
{
    if (isatty(STDERR_FILENO) && count)
        fprintf(stderr, "\r%s %zu of %zu\033[K", what, done + 1, count);
    else if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* Returns the answer of the process; NULL: the file is left out. */
static json_t *ask(struct init_files *files, const struct init_file *file, bool wants_clips)
{
    show_progress(wants_clips ? "trying clips on file" : "looking at file", (size_t)(file - files->items),
                  files->count);
    const struct task task = {files, file, wants_clips};
    const size_t length = strlen(file->path);
    SCOPED_BY(blob_release) struct blob made = {0};
    struct error err = {"it cannot be looked at"};
    int result = sandbox_run(&files->rules, files->timeout_s, make, (void *)&task, &made, &err);
    json_t *answer = json_loadb((const char *)made.data, made.size, 0, NULL);
    const char *why = result < 0 || !answer ? err.text : json_string_value(json_object_get(answer, "error"));
    if (why)
        init_leave_out(files, file->path, why + (strncmp(why, file->path, length) ? 0 : length + strlen(": ")));
    if (why)
        json_decref(answer);
    return why ? NULL : answer;
}

static void add_texts(struct strings *out, json_t *array)
{
    size_t i;
    json_t *text;
    json_array_foreach(array, i, text) if (json_is_string(text)) strings_add(out, json_string_value(text));
}

/* Whether it is a model or clips. */
static bool look_at(struct init_files *files, struct init_file *file)
{
    struct arena *arena = &files->arena;
    json_auto_t *answer = ask(files, file, false);
    const char *hand = json_string_value(json_object_get(answer, "hand"));
    const char *picture = json_string_value(json_object_get(answer, "picture"));
    const char *like = json_string_value(json_object_get(answer, "like"));
    bool has_mesh = json_is_true(json_object_get(answer, "mesh"));
    SCOPED_BY(strings_release) struct strings blown = {0};
    add_texts(&blown, json_object_get(answer, "blown"));
    for (size_t i = 0; i < blown.count && !file->listed.count; i++)
        init_leave_out(
            files, arena_printf(arena, "%s: %s", file->path, blown.items[i]),
            "most clips show the model less than a quarter as large: list it in `animations` if that is meant");
    add_texts(&file->clips, json_object_get(answer, "clips"));
    add_texts(&file->skins, json_object_get(answer, "skins"));
    file->hand = hand ? arena_strdup(arena, hand) : NULL;
    file->picture = picture ? arena_strdup(arena, picture) : NULL;
    file->like = like ? arena_strdup(arena, like) : NULL;
    file->has_joints = json_is_true(json_object_get(answer, "joints"));
    file->is_clips =
        file->clips.count && (!has_mesh || file->is_in_clip_folder || strchr(path_base(file->name), '@'));
    file->is_model &= has_mesh;
    return file->is_model || file->is_clips;
}

/* The file of that name which is wanted most of those that were not handed out yet; NULL: there is none. */
static struct init_file *next_of(struct init_files *files, const char *name)
{
    struct init_file *next = NULL;
    for (struct init_file *file = files->items; file < files->items + files->count; file++)
        if (!file->is_seen && !strcasecmp(file->name, name) &&
            (!next || file->rank < next->rank ||
             (file->rank == next->rank && strlen(file->path) < strlen(next->path)))) /* fbx, not fbx(unity) */
            next = file;
    if (next)
        next->is_seen = true;
    return next;
}

/* Looks at files of one name until one has clips, which is taken; or else the first that can be read. Orc.obj and orc.obj
 * are two models, though. */
static void look_at_same(struct init_files *files, const char *name)
{
    struct init_file *best = NULL;
    for (struct init_file *file; (file = next_of(files, name));) {
        const bool is_own = !best || file->rank == INIT_ASKED || !strcasecmp(best->path, file->path);
        const bool is_rival = !is_own && best->rank != INIT_ASKED && file->rank < INIT_STILL && !best->clips.count;
        const bool was_model = file->is_model;
        if (file->is_clips || ((is_own || is_rival) && !look_at(files, file)))
            continue;
        if (is_rival && file->clips.count) {
            best->instead = best->is_model ? file : NULL;
            best->is_model = false;
            best = file;
        } else if (!is_own) {
            file->instead = was_model ? best : NULL;
            file->is_model = file->is_clips = false;
        } else if (!best)
            best = file;
    }
}

static void look_for_clips(struct init_files *files, struct init_file *file)
{
    json_t *answer = ask(files, file, true), *told;
    const char *number;
    file->clip_files = arena_must_alloc(&files->arena, json_object_size(answer), sizeof *file->clip_files);
    json_object_foreach(answer, number, told)
    {
        struct init_file *clips = &files->items[strtoul(number, NULL, 10) % files->count];
        if (json_is_string(told) && (!clips->misfit || file->clip_file_count))
            clips->misfit = arena_strdup(&files->arena, json_string_value(told));
        if (!json_is_array(told))
            continue;
        strings_release(&clips->clips); /* fewer than a reader of models finds: of joints alone */
        clips->clips = (struct strings){0};
        add_texts(&clips->clips, told);
        clips->is_played = true;
        file->clip_files[file->clip_file_count++] = clips;
    }
    json_decref(answer);
}

void init_look_at_all(struct init_files *files)
{
    struct init_file *const items = files->items, *const end = items + files->count;
    const struct init_file *lead = NULL;
    for (const struct init_file *file = items; file < end; file++)
        look_at_same(files, file->name);
    for (struct init_file *file = items; file < end; file++)
        if (file->is_model && !file->is_clips && file->has_joints)
            look_for_clips(files, file);
    for (struct init_file *file = items; file < end; file++) {
        const char *base = path_base(file->name), *at = strchr(base, '@');
        if (file->is_clips && file->is_model && !file->is_played && at > base && !(lead && is_for(file, lead))) {
            lead = file; /* there is no X: the first X@Run with a mesh is one */
            file->only_clip = at + 1;
            file->name = arena_strndup(&files->arena, file->name, (size_t)(at - file->name));
        }
        file->is_clips &= !file->is_model || file->is_played || (at > base && file != lead);
        file->is_model &= !file->is_clips;
    }
    for (struct init_file *file = items; file < end; file++)
        if (file->is_model && file->has_joints && !file->clip_files)
            look_for_clips(files, file);
    show_progress("", 0, 0);
}
