#include "job/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buffer.h"
#include "base/file.h"
#include "job/draft.h"

static int read_configs(const struct reader *reader, const char *path, struct draft *draft)
{
    struct source source;
    if (source_parse(reader, config_built_in(), CONFIG_BUILT_IN_NAME, SOURCE_CONFIG, &source) < 0)
        return -1;
    draft_add_config(reader, &source, draft);
    if (!path)
        return 0;
    if (source_read(reader, path, SOURCE_CONFIG, NULL, &source) < 0)
        return -1;
    draft_add_config(reader, &source, draft);
    return 0;
}

/* Without `assets` in any file, the folder of the list. */
static void set_roots(const struct reader *reader, struct job_list *list, const struct draft *draft)
{
    size_t count = draft->root_count ? draft->root_count : 1;
    const char **roots = arena_must_alloc(&list->arena, count, sizeof *roots);
    for (size_t i = 0; i < draft->root_count; i++)
        roots[i] = source_place(reader, draft->roots[i].path);
    if (draft->root_count == 0) {
        char *folder = path_folder(list->path);
        roots[0] = source_place(reader, arena_strdup(&list->arena, folder));
        free(folder);
    }
    list->roots = roots;
    list->root_count = count;
    list->tree = reader->places ? reader->places->tree : NULL;
}

/* Opens roots one by one, to tell which of them are bad. */
static void report_roots(const struct reader *reader, const struct draft *draft, const struct job_list *list,
                         const struct error *together)
{
    bool is_reported = false;
    for (size_t i = 0; i < draft->root_count; i++) {
        struct assets *assets = NULL;
        struct error err;
        if (assets_open(&list->roots[i], 1, &assets, &err) == 0) {
            assets_close(assets);
            continue;
        }
        problems_add(reader->problems, draft->roots[i].mark, "%s", err.text);
        is_reported = true;
    }
    if (!is_reported)
        problems_add(reader->problems, (struct mark){list->path, 1, 1}, "%s", together->text);
}

/* The files of a job, without what follows its name. */
struct output {
    char *path;
    const struct job *job;
    size_t order; /* of the job in all lists */
};

/* Regardless of case, for file systems that disregard it. */
static int compare_outputs(const void *a_item, const void *b_item)
{
    const struct output *a = a_item, *b = b_item;
    int order = strcasecmp(a->path, b->path);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

static void check_outputs(struct job_list *const *lists, size_t list_count, struct problems *problems)
{
    struct output *outputs = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < list_count; i++) {
        char *folder = path_resolve(lists[i]->output);
        for (size_t j = 0; j < lists[i]->job_count; j++) {
            const struct job *job = &lists[i]->jobs[j];
            if (job->is_pattern)
                continue;
            outputs = must_grow(outputs, count, &capacity, sizeof *outputs);
            outputs[count] = (struct output){path_join(folder, job->name), job, count};
            count++;
        }
        free(folder);
    }
    if (count)
        qsort(outputs, count, sizeof *outputs, compare_outputs);
    for (size_t i = 1; i < count; i++) {
        const struct job *a = outputs[i - 1].job, *b = outputs[i].job;
        if (!strcasecmp(outputs[i - 1].path, outputs[i].path))
            problems_add(problems, b->mark,
                         "job '%s' (model '%s') writes the same files as job '%s' (model '%s') at %s:%u:%u",
                         b->name, b->model, a->name, a->model, a->mark.file, a->mark.line, a->mark.column);
    }
    for (size_t i = 0; i < count; i++)
        free(outputs[i].path);
    free(outputs);
}

void job_lists_check(struct job_list *const *lists, size_t count, struct strings *problems)
{
    struct problems found = {0};
    check_outputs(lists, count, &found);
    problems_report(&found, problems);
    problems_release(&found);
}

static void resolve(const struct reader *reader, const struct draft *draft, bool missing_fails_job,
                    struct job_list *list)
{
    struct assets *assets = NULL;
    struct error err;
    struct jobs jobs = {0};
    struct trace trace = {0};
    set_roots(reader, list, draft);
    if (assets_open_as(list->roots, list->root_count, list->tree, &assets, &err) < 0)
        report_roots(reader, draft, list, &err);
    else
        assets_trace(assets, &trace);
    resolve_jobs(reader, draft, assets, missing_fails_job, &jobs);
    list->is_unsure = trace.trouble != NULL;
    trace_release(&trace);
    assets_close(assets);
    struct job *kept = arena_must_alloc(&list->arena, jobs.count, sizeof *kept);
    if (jobs.count)
        memcpy(kept, jobs.items, jobs.count * sizeof *kept);
    list->jobs = kept;
    list->job_count = jobs.count;
    free(jobs.items);
    check_outputs(&list, 1, reader->problems);
    if (reader->problems->count > 0) /* then what jobs miss is reported, too */
        for (size_t i = 0; i < list->job_count; i++)
            for (size_t j = 0; j < kept[i].missing_count; j++)
                problems_add(reader->problems, kept[i].missing[j].mark, "%s", kept[i].missing[j].text);
}

static void read_list(const struct reader *reader, const struct job_options *options, struct job_list *list)
{
    struct draft draft = {0};
    const char *config = options->config ? source_path(reader, ".", options->config) : NULL;
    struct sources *sources = must_alloc(1, sizeof *sources);
    sources_read(reader, list->path, sources);
    if (read_configs(reader, config, &draft) == 0 && sources->count > 0) {
        const char **files = arena_must_alloc(&list->arena, sources->count + 1, sizeof *files);
        for (size_t i = 0; i < sources->count; i++)
            files[list->file_count++] = sources->items[i].path;
        if (config)
            files[list->file_count++] = config;
        list->files = files;
        draft_read(reader, sources->items, sources->count, &draft);
        if (options->output)
            list->output = source_path(reader, ".", options->output);
        else
            list->output = draft.output ? draft.output : arena_printf(&list->arena, "out/%s", list->name);
        resolve(reader, &draft, options->missing_fails_job, list);
    }
    free(sources);
    draft_release(&draft);
}

/* Takes the list, and the problems found. */
static int finish(struct job_list *list, struct problems *found, struct job_list **out, struct strings *problems)
{
    size_t problem_count = found->count;
    problems_report(found, problems);
    problems_release(found);
    if (problem_count > 0) {
        job_list_free(list);
        return -1;
    }
    *out = list;
    return 0;
}

int job_list_load(const char *path, const struct job_options *options, struct job_list **out,
                  struct strings *problems)
{
    struct job_list *list = must_alloc(1, sizeof *list);
    struct problems found = {0};
    struct reader reader = {.arena = &list->arena, .problems = &found, .places = options->places};
    list->path = source_path(&reader, ".", path);
    const char *base = path_base(list->path);
    list->name = arena_strndup(&list->arena, base, (size_t)(path_suffix(base) - base));
    read_list(&reader, options, list);
    return finish(list, &found, out, problems);
}

/* -- A job without a file ------------------------------------------------------------------------------------- */

/* NULL after a problem. */
static const struct node *text_node(const struct reader *reader, const struct job_text *text)
{
    const struct node *node = NULL;
    if (*text->text == '{' || *text->text == '[') {
        const struct bytes bytes = {(const uint8_t *)text->text, strlen(text->text)};
        yaml_load(bytes, text->source, reader->arena, &node, reader->problems);
        return node;
    }
    struct node *scalar = arena_must_alloc(reader->arena, 1, sizeof *scalar);
    *scalar =
        (struct node){.kind = NODE_SCALAR, .mark = {text->source, 1, 1}, .text = text->text, .is_plain = true};
    return scalar;
}

static void read_texts(const struct reader *reader, const struct single_job *single, const struct draft *draft,
                       struct settings *settings)
{
    const struct node **keys = arena_must_alloc(reader->arena, single->text_count, sizeof *keys);
    const struct node **values = arena_must_alloc(reader->arena, single->text_count, sizeof *values);
    struct node map = {.kind = NODE_MAPPING, .mark = settings->job.mark, .keys = keys, .values = values};
    for (size_t i = 0; i < single->text_count; i++) {
        const struct job_text *text = &single->texts[i];
        struct node *key = arena_must_alloc(reader->arena, 1, sizeof *key);
        *key = (struct node){.kind = NODE_SCALAR, .mark = {text->source, 1, 1}, .text = text->key};
        keys[map.count] = key;
        values[map.count] = text_node(reader, text);
        map.count += values[map.count] != NULL;
    }
    settings_read(reader, &draft->presets, &map, true, settings);
}

static void set_single(const struct reader *reader, const struct single_job *single, struct settings *settings)
{
    struct arena *arena = reader->arena;
    struct job *job = &settings->job;
    job->mark = (struct mark){single->name, 1, 1};
    job->cell_px[0] = job->cell_px[1] = single->cell_px;
    job->supersample = single->supersample;
    job->fit = single->fit;
    job->sheet.split = SPLIT_ANIMATION; /* the first sheet is of the clip, should several have its name */
    job->has_animations = true;
    if (single->camera) {
        struct camera *camera = arena_must_alloc(arena, 1, sizeof *camera);
        *camera = *single->camera;
        job->cameras = camera;
        job->camera_count = 1;
    }
    if (single->previews) {
        job->previews = *single->previews;
    } else {
        double *time_s = arena_must_alloc(arena, 1, sizeof *time_s);
        *time_s = single->time_s;
        job->sampling = (struct sampling){.kind = SAMPLING_TIMES, .times_s = time_s, .time_count = 1};
    }
    if (single->animation) {
        struct animation_entry *entry = arena_must_alloc(arena, 1, sizeof *entry);
        struct job_animation *animation = &entry->animation;
        *animation = *single->animation;
        animation->name = arena_strdup(arena, animation->name);
        animation->file = animation->file ? arena_strdup(arena, animation->file) : NULL;
        animation->mark = entry->file_mark = (struct mark){"--animation", 1, 1};
        settings->animations = entry;
        settings->animation_count = 1;
    }
}

/* In place of one camera, those of a turn around the model. */
static void turn_camera(const struct reader *reader, struct job *job)
{
    enum { VIEWS = 24 };
    const struct camera *from = job->cameras;
    if (from->has_eye) {
        problems_add(reader->problems, (struct mark){"--camera", 1, 1},
                     "this model has no clip, so the camera turns around it; one with an 'eye' does not turn");
        return;
    }
    struct camera *cameras = arena_must_alloc(reader->arena, VIEWS, sizeof *cameras);
    for (unsigned i = 0; i < VIEWS; i++) {
        cameras[i] = *from;
        cameras[i].name = arena_printf(reader->arena, "turn-%u", i);
        cameras[i].yaw_deg = fmodf(from->yaw_deg + (float)i * 360 / VIEWS, 360);
    }
    job->cameras = cameras;
    job->camera_count = VIEWS;
}

int job_list_single(const struct single_job *single, struct job_list **out, struct strings *problems)
{
    struct job_list *list = must_alloc(1, sizeof *list);
    struct problems found = {0};
    struct reader reader = {.arena = &list->arena, .problems = &found};
    struct draft draft = {0};
    list->path = list->name = list->output = arena_strdup(&list->arena, single->name);
    read_configs(&reader, NULL, &draft);
    draft_read(&reader, NULL, 0, &draft);
    for (size_t i = 0; i < single->root_count; i++)
        draft_add_root(&draft, arena_strdup(&list->arena, single->roots[i]), (struct mark){"--assets", 1, 1});
    struct draft_job *job = draft_add_job(&draft);
    job->name = list->name;
    job->model = arena_strdup(&list->arena, single->model);
    job->name_mark = job->model_mark = (struct mark){"MODEL", 1, 1};
    set_single(&reader, single, &job->settings);
    read_texts(&reader, single, &draft, &job->settings);
    if (single->previews && !single->animation && job->settings.job.camera_count == 1)
        turn_camera(&reader, &job->settings.job);
    settings_check(&reader, &job->settings);
    resolve(&reader, &draft, false, list);
    for (size_t i = 0; i < found.count; i++)
        found.items[i].mark.line = 0; /* all options are one line */
    draft_release(&draft);
    return finish(list, &found, out, problems);
}

void job_list_free(struct job_list *list)
{
    if (!list)
        return;
    arena_release(&list->arena);
    free(list);
}

/* -- What is missing ------------------------------------------------------------------------------------------ */

/* A pattern may match thousands of files with names that no job can have. */
enum { SHOWN = 16 };

char *job_describe_missing(const struct job *job)
{
    struct buffer text = {0};
    for (size_t i = 0; i < job->missing_count && i < SHOWN; i++) {
        const struct missing *missing = &job->missing[i];
        buffer_printf(&text, "%s%s:%u:%u: %s", i ? "; " : "", missing->mark.file, missing->mark.line,
                      missing->mark.column, missing->text);
    }
    if (job->missing_count > SHOWN)
        buffer_printf(&text, "; and %zu more", job->missing_count - SHOWN);
    return text.text;
}

const struct missing *job_list_first_missing(const struct job_list *list)
{
    for (size_t i = 0; i < list->job_count; i++)
        if (list->jobs[i].missing_count)
            return &list->jobs[i].missing[0];
    return NULL;
}
