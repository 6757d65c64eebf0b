#include "job/job.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "job/load.h"
#include "page/reasons.h"

/* -- What the files say ---------------------------------------------------------------------------------------- */

static void add_root(struct loading *loading, const char *path, struct mark mark)
{
    *MUST_ADD(loading->roots, loading->root_count, loading->root_capacity) = (struct asset_root){path, mark};
}

static void read_places(struct loading *loading, const struct source_file *source)
{
    const struct reader *reader = &loading->reader;
    const struct node *assets = node_get(source->root, "assets"), *output = node_get(source->root, "output");
    struct node_list entries = assets ? node_one_or_many(&assets) : (struct node_list){0};
    const char *path;
    for (size_t i = 0; i < entries.count; i++)
        if (read_text(reader, entries.items[i], "the path of assets", &path))
            add_root(loading, source_path(reader, source->folder, path), entries.items[i]->mark);
    if (output && read_text(reader, output, "'output'", &path) && !loading->output)
        loading->output = source_path(reader, source->folder, path);
}

void loading_read(struct loading *loading)
{
    const struct source_files *sources = &loading->sources;
    loading->reader.presets = &loading->presets;
    for (size_t i = sources->count; i-- > 0 && sources->items[i].is_config;)
        presets_read(&loading->reader, sources->items[i].root, true);
    for (size_t i = 0; i < sources->count && !sources->items[i].is_config; i++) {
        read_places(loading, &sources->items[i]);
        presets_read(&loading->reader, sources->items[i].root, false);
    }
    for (size_t i = sources->count; i-- > 0;) { /* the last has the least to say */
        const struct node *map = node_get(sources->items[i].root, "defaults");
        if (map)
            settings_read(&loading->reader, map, false, &loading->defaults);
    }
}

static void read_job(struct loading *loading, const struct node *map)
{
    const struct problems *problems = loading->reader.problems;
    size_t problems_before = problems->count;
    struct settings settings = loading->defaults;
    struct job *job = &settings.job;
    job->mark = job->name_mark = job->model_mark = map->mark;
    job->written = map;
    settings_read(&loading->reader, map, true, &settings);
    if (problems->count == problems_before)
        settings_check(&loading->reader, &settings);
    resolve_job(loading, &settings);
}

void loading_read_jobs(struct loading *loading)
{
    const struct source_files *sources = &loading->sources;
    size_t count = 0;
    for (size_t i = 0; i < sources->count; i++) {
        const struct node *list = node_get(sources->items[i].root, "jobs");
        if (list && list->kind != NODE_SEQUENCE)
            reader_expected(&loading->reader, list,
                            "'jobs' must be a list, such as [{name: orc, model: orc.md2}]");
        for (size_t j = 0; list && list->kind == NODE_SEQUENCE && j < list->count; j++, count++)
            read_job(loading, list->values[j]);
    }
    if (count == 0 && loading->reader.problems->count == 0) /* else it may be why */
        problems_add(loading->reader.problems, sources->items[0].root->mark, "the list has no jobs");
}

void loading_release(struct loading *loading)
{
    presets_release(&loading->presets);
    free(loading->roots);
    free(loading->jobs);
}

/* -- Assets --------------------------------------------------------------------------------------------------- */

/* Takes the folder of the list where no file has `assets`. */
static void set_roots(const struct loading *loading, struct job_list *list)
{
    const struct reader *reader = &loading->reader;
    size_t count = loading->root_count ? loading->root_count : 1;
    const char **roots = arena_must_alloc(&list->arena, count, sizeof *roots);
    for (size_t i = 0; i < loading->root_count; i++)
        roots[i] = source_place(reader, loading->roots[i].path);
    if (loading->root_count == 0)
        roots[0] = source_place(reader, arena_take(&list->arena, path_folder(list->path)));
    list->roots = roots;
    list->root_count = count;
    list->tree = reader->places ? reader->places->tree : NULL;
}

/* Opens roots one by one, to tell which of them are bad. */
static void report_roots(const struct loading *loading, const struct job_list *list, const struct error *together)
{
    bool is_reported = false;
    for (size_t i = 0; i < loading->root_count; i++) {
        struct assets *assets = NULL;
        struct error err;
        if (assets_open(&list->roots[i], 1, &assets, &err) == 0) {
            assets_close(assets);
            continue;
        }
        problems_add(loading->reader.problems, loading->roots[i].mark, "%s", err.text);
        is_reported = true;
    }
    if (!is_reported)
        problems_add(loading->reader.problems, (struct mark){list->path, 1, 1}, "%s", together->text);
}

/* The files of a job, without what follows its name. */
struct job_output {
    const char *path;
    const struct job *job;
    size_t order; /* of the job in all lists */
};

/* Regardless of case, for file systems that disregard it. */
static int compare_outputs(const void *a_item, const void *b_item)
{
    const struct job_output *a = a_item, *b = b_item;
    int order = strcasecmp(a->path, b->path);
    return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* Compares names and models, whatever the scale ("a@2x"). */
static int compare_named(const struct job *a, const struct job *b)
{
    size_t a_length = strcspn(a->name, "@"), b_length = strcspn(b->name, "@");
    int order = strncmp(a->name, b->name, a_length < b_length ? a_length : b_length);
    if (order == 0)
        order = (a_length > b_length) - (a_length < b_length);
    return order ? order : strcmp(a->model, b->model);
}

/* Puts jobs of patterns last. */
static int compare_jobs(const void *a_item, const void *b_item)
{
    const struct job *a = *(const struct job *const *)a_item, *b = *(const struct job *const *)b_item;
    int order = compare_named(a, b);
    return order ? order : a->is_match - b->is_match;
}

/* Drops each job of a pattern whose name and model are those of a job that names its model itself. */
static void drop_replaced(struct loading *loading)
{
    SCOPED struct job **sorted = must_alloc(loading->job_count + 1, sizeof *sorted);
    const struct job *own = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < loading->job_count; i++)
        sorted[i] = &loading->jobs[i];
    qsort(sorted, loading->job_count, sizeof *sorted, compare_jobs);
    for (size_t i = 0; i < loading->job_count; i++)
        if (!sorted[i]->is_match)
            own = sorted[i];
        else if (own && compare_named(own, sorted[i]) == 0)
            sorted[i]->name = NULL;
    for (size_t i = 0; i < loading->job_count; i++)
        if (loading->jobs[i].name)
            loading->jobs[kept++] = loading->jobs[i];
    loading->job_count = kept;
}

/* Says how to tell two jobs of one pattern apart, or an atlas from a job. */
static const char *name_hint(const struct job *a, const struct job *b)
{
    SCOPED char *a_stem = path_stem(a->model), *b_stem = path_stem(b->model);
    bool is_one_pattern = a->is_match && b->is_match && a->written == b->written;
    bool have_paths = strcasecmp(a_stem, b_stem) != 0;
    if (a->is_atlas != b->is_atlas)
        return "; an atlas needs a name of its own";
    return !is_one_pattern ? "" : have_paths ? "; use {path} in the name, or `exclude` one" : "; `exclude` one";
}

static void check_outputs(struct job_list *const *lists, size_t list_count, struct problems *problems)
{
    SCOPED_BY(arena_release) struct arena arena = {0};
    SCOPED struct job_output *outputs = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < list_count; i++) {
        SCOPED char *folder = path_resolve(lists[i]->output);
        for (size_t j = 0; j < lists[i]->job_count + lists[i]->hidden_count; j++) {
            const struct job *job = &lists[i]->jobs[j];
            if (job->is_pattern)
                continue;
            const size_t order = count;
            const char *path = arena_take(&arena, path_join(folder, job->name));
            *MUST_ADD(outputs, count, capacity) = (struct job_output){path, job, order};
        }
    }
    SORT(outputs, count, compare_outputs);
    for (size_t i = 1; i < count; i++) {
        const struct job *a = outputs[i - 1].job, *b = outputs[i].job;
        if (!strcasecmp(outputs[i - 1].path, outputs[i].path))
            problems_add(problems, b->mark,
                         "job '%s' (model '%s') writes the same files as job '%s' (model '%s') at %s:%u:%u%s",
                         b->name, b->model, a->name, a->model, MARK_OF(a->mark), name_hint(a, b));
    }
}

void job_lists_check(struct job_list *const *lists, size_t count, struct strings *problems)
{
    SCOPED_BY(problems_release) struct problems found = {0};
    check_outputs(lists, count, &found);
    problems_report(&found, problems);
}

/* Packed, and otherwise in files as those of the job. */
static struct job make_atlas(const struct job *job, struct arena *arena)
{
    struct job atlas = {
        .mark = job->mark,
        .name = job->atlas,
        .model = arena_printf(arena, "atlas %s", job->atlas), /* for messages */
        .atlas = job->atlas,
        .is_atlas = true,
        .scales = job->scales,
        .passes = job->passes,
        .sheet = job->sheet,
        .metadata = job->metadata,
        .templates = job->templates,
        .template_count = job->template_count,
        .png = job->png,
    };
    atlas.sheet.layout = LAYOUT_PACKED;
    atlas.sheet.columns = 0;
    return atlas;
}

static void check_alike(const struct reader *reader, const struct job *a, const struct job *b)
{
    struct record was = {0}, is = {0};
    SCOPED_BY(reasons_release) struct reasons reasons = {0};
    job_recorded_settings(a, NULL, NULL, reader->arena, &was.settings);
    job_recorded_settings(b, NULL, NULL, reader->arena, &is.settings);
    reasons_add_settings(&reasons, &was, &is);
    if (reasons.count)
        problems_add(reader->problems, b->mark,
                     "the jobs of atlas '%s' share pages, but from %s:%u:%u to here: %s", a->name,
                     MARK_OF(a->mark), arena_take(reader->arena, reasons_text(&reasons)));
}

/* Frames of job "a" in the skin "red" are called as those of job "a/red", and an atlas would have both. */
static void check_frame_names(const struct loading *loading, const struct job *job)
{
    const size_t length = strcspn(job->name, "@"); /* frames are called alike at all scales */
    for (size_t i = 0; i < loading->job_count && job->skin_choice == SKIN_ALL; i++) {
        const struct job *other = &loading->jobs[i];
        if (other->atlas && !strcmp(other->atlas, job->atlas) && !strncmp(other->name, job->name, length) &&
            other->name[length] == '/')
            problems_add(
                loading->reader.problems, other->mark,
                "frames of job '%s' may be called as those of a skin of '%s', which is in the same atlas: "
                "rename one of them",
                other->name, job->name);
    }
}

/* An atlas misses all that its jobs miss: then nobody tries to make it. */
static void add_missing(const struct job *job, struct job *atlas, struct arena *arena)
{
    if (!job->missing_count || atlas->missing_count)
        return;
    struct missing *missing = arena_must_alloc(arena, 1, sizeof *missing);
    *missing = job->missing[0];
    missing->text = arena_printf(arena, "job '%s' of this atlas: %s", job->name, job->missing[0].text);
    atlas->missing = missing;
    atlas->missing_count = 1;
}

static void add_atlases(struct loading *loading)
{
    const size_t count = loading->job_count;
    for (size_t i = 0, a; i < count; i++) {
        if (!loading->jobs[i].atlas)
            continue;
        check_frame_names(loading, &loading->jobs[i]);
        const struct job atlas = make_atlas(&loading->jobs[i], loading->reader.arena);
        for (a = count; a < loading->job_count && !job_is_in_atlas(&loading->jobs[i], &loading->jobs[a]);)
            a++;
        if (a < loading->job_count) {
            check_alike(&loading->reader, &loading->jobs[a], &atlas);
        } else {
            *MUST_ADD(loading->jobs, loading->job_count, loading->job_capacity) = atlas;
        }
        add_missing(&loading->jobs[i], &loading->jobs[a], loading->reader.arena);
    }
}

/* Makes the jobs of the sources, or the single one, and finds their files in the assets. */
static void make_jobs(struct loading *loading, const struct settings *single, struct job_list *list)
{
    struct problems *problems = loading->reader.problems;
    struct error err;
    SCOPED_BY(trace_release) struct trace trace = {0};
    set_roots(loading, list);
    if (assets_open_as(list->roots, list->root_count, list->tree, &loading->assets, &err) < 0)
        report_roots(loading, list, &err);
    else
        assets_trace(loading->assets, &trace);
    if (single)
        resolve_job(loading, single);
    else
        loading_read_jobs(loading);
    drop_replaced(loading);
    add_atlases(loading);
    list->is_unsure = trace.trouble != NULL;
    assets_close(loading->assets);
    list->jobs = must_realloc(loading->jobs, loading->job_count, sizeof *list->jobs);
    list->job_count = loading->job_count;
    loading->jobs = NULL;
    check_outputs(&list, 1, problems);
    for (; !loading->with_atlases && list->job_count && list->jobs[list->job_count - 1].is_atlas;
         list->job_count--)
        list->hidden_count++;
    if (problems->count > 0) /* then what jobs miss is reported, too */
        for (size_t i = 0; i < list->job_count; i++)
            for (size_t j = 0; j < list->jobs[i].missing_count && !list->jobs[i].is_atlas; j++)
                problems_add(problems, list->jobs[i].missing[j].mark, "%s", list->jobs[i].missing[j].text);
}

/* Begins a list, whose arena gets all that is found. `finish` frees the result. */
static struct loading *start(struct job_list **list)
{
    struct loading *loading = must_alloc(1, sizeof *loading);
    *list = must_alloc(1, sizeof **list);
    loading->reader =
        (struct reader){.arena = &(*list)->arena, .problems = &loading->problems, .homes = settings_homes};
    return loading;
}

static int finish(struct loading *loading, struct job_list *list, struct job_list **out, struct strings *problems)
{
    int result = loading->problems.count > 0 ? -1 : 0;
    problems_report(&loading->problems, problems);
    problems_release(&loading->problems);
    loading_release(loading);
    free(loading);
    if (result < 0)
        job_list_free(list);
    else
        *out = list;
    return result;
}

int job_list_load(const char *path, const struct job_options *options, struct job_list **out,
                  struct strings *problems)
{
    struct job_list *list;
    struct loading *loading = start(&list);
    const struct reader *reader = &loading->reader;
    const struct source_files *sources = &loading->sources;
    loading->reader.places = options->places;
    loading->reader.text = options->text;
    loading->missing_fails_job = options->missing_fails_job;
    loading->with_atlases = options->with_atlases;
    list->path = source_path(reader, ".", path);
    list->name = path_base_stem(&list->arena, list->path);
    if (sources_read(reader, list->path, options->config ? source_path(reader, ".", options->config) : NULL,
                     &loading->sources) < 0)
        return finish(loading, list, out, problems);
    list->file_count = sources->count - 1; /* the last is built in */
    const char **files = arena_must_alloc(&list->arena, list->file_count, sizeof *files);
    const struct node **trees = arena_must_alloc(&list->arena, list->file_count, sizeof *trees);
    for (size_t i = 0; i < list->file_count; i++) {
        files[i] = sources->items[i].path;
        trees[i] = sources->items[i].root;
    }
    list->files = files;
    list->trees = trees;
    loading_read(loading);
    if (options->output)
        list->output = source_path(reader, ".", options->output);
    else
        list->output = loading->output ? loading->output : arena_printf(&list->arena, "out/%s", list->name);
    make_jobs(loading, NULL, list);
    return finish(loading, list, out, problems);
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

/* An option is one line. */
static void forget_lines(struct problems *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        problems->items[i].mark.line = 0;
}

static void read_texts(const struct reader *reader, const struct single_job *single, struct settings *settings)
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
    settings_read(reader, &map, false, settings); /* without `name` and `model` */
}

static void set_single(struct arena *arena, const struct single_job *single, struct job *job)
{
    job->mark = (struct mark){single->name, 1, 1};
    job->cell_px[0] = job->cell_px[1] = single->cell_px;
    job->supersample = single->supersample;
    job->fit = single->fit;
    job->sheet.split = SPLIT_ANIMATION; /* the first sheet is of the clip, should several have its name */
    job->has_animations = true;
    if (single->camera) {
        job->cameras = arena_copy(arena, single->camera, 1, sizeof *single->camera);
        job->camera_count = 1;
    }
    if (single->previews) {
        job->previews = *single->previews;
    } else {
        const double *time_s = arena_copy(arena, &single->time_s, 1, sizeof single->time_s);
        job->sampling = (struct sampling){.kind = SAMPLING_TIMES, .times_s = time_s, .time_count = 1};
    }
    if (single->animation) {
        struct job_animation *animation = arena_copy(arena, single->animation, 1, sizeof *animation);
        animation->name = arena_strdup(arena, animation->name);
        animation->is_named = true;
        animation->file = animation->file ? arena_strdup(arena, animation->file) : NULL;
        animation->mark = animation->file_mark = (struct mark){"--animation", 1, 1};
        job->animations = animation;
        job->animation_count = 1;
    }
}

/* Replaces the camera by those of a turn around the model. */
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
    struct job_list *list;
    struct loading *loading = start(&list);
    list->path = list->name = list->output = arena_strdup(&list->arena, single->name);
    source_add_built_in(&loading->reader, &loading->sources);
    loading_read(loading);
    for (size_t i = 0; i < single->root_count; i++)
        add_root(loading, arena_strdup(&list->arena, single->roots[i]), (struct mark){"--assets", 1, 1});
    struct settings settings = loading->defaults;
    struct job *job = &settings.job;
    set_single(&list->arena, single, job);
    read_texts(&loading->reader, single, &settings);
    job->name = list->name;
    job->model = arena_strdup(&list->arena, single->model);
    job->name_mark = job->model_mark = (struct mark){"MODEL", 1, 1};
    if (single->previews && !single->animation && job->camera_count == 1)
        turn_camera(&loading->reader, job);
    settings_check(&loading->reader, &settings);
    make_jobs(loading, &settings, list);
    forget_lines(&loading->problems);
    return finish(loading, list, out, problems);
}

int job_transform_read(const char *text, struct model_transform *out, struct strings *problems)
{
    struct job_list *list;
    struct loading *loading = start(&list);
    const struct job_text given = {"transform", text, "--transform"};
    struct settings settings = {.job = {.mark = {given.source, 1, 1}, .transform.scale = 1}};
    read_texts(&loading->reader, &(struct single_job){.texts = &given, .text_count = 1}, &settings);
    forget_lines(&loading->problems);
    if (finish(loading, list, &list, problems) < 0)
        return -1;
    *out = settings.job.transform;
    job_list_free(list);
    return 0;
}

void job_list_free(struct job_list *list)
{
    if (!list)
        return;
    arena_release(&list->arena);
    free((struct job *)list->jobs);
    free(list);
}

/* -- Missing files -------------------------------------------------------------------------------------------- */

/* A pattern may match thousands of files with names that no job can have. */
enum { SHOWN = 16 };

char *job_describe_missing(const struct job *job)
{
    struct buffer text = {0};
    for (size_t i = 0; i < job->missing_count && i < SHOWN; i++) {
        const struct missing *missing = &job->missing[i];
        buffer_printf(&text, "%s%s:%u:%u: %s", i ? "; " : "", MARK_OF(missing->mark), missing->text);
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
