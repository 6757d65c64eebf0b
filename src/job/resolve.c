#include "job/resolve.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "job/name.h"

struct resolver {
    const struct reader *reader;
    struct assets *assets;
    struct jobs *jobs;
    const struct draft_job *draft;
    bool is_glob;
    bool is_quiet; /* a match of the glob had problems with its files: the others have the same */
};

static const char *keep(const struct resolver *resolver, const char *text)
{
    return arena_strdup(resolver->reader->arena, text);
}

/* A file by its path in the assets, or beside the model. */
static const char *find_file(const struct resolver *resolver, const char *model, const char *path)
{
    const char *found = assets_find(resolver->assets, path);
    if (!found) {
        char *folder = path_folder(model), *beside = path_join(folder, path);
        found = assets_find(resolver->assets, beside);
        free(beside);
        free(folder);
    }
    return found ? keep(resolver, found) : NULL;
}

static const char *need_file(const struct resolver *resolver, const struct job *job, const char *path,
                             struct mark mark)
{
    const char *found = find_file(resolver, job->model, path);
    if (!found && !resolver->is_quiet)
        problems_add(resolver->reader->problems, mark, "no file '%s' in the assets, nor beside '%s'", path,
                     job->model);
    return found;
}

static void resolve_skins(const struct resolver *resolver, struct job *job)
{
    struct skin_override *skins = arena_must_alloc(resolver->reader->arena, job->skin_count, sizeof *skins);
    for (size_t i = 0; i < job->skin_count; i++) {
        skins[i] = job->skins[i];
        skins[i].path = need_file(resolver, job, skins[i].path, skins[i].mark);
    }
    job->skins = skins;
}

/* What an entry leaves open is the job's. */
static void resolve_animations(const struct resolver *resolver, struct job *job)
{
    const struct settings *settings = &resolver->draft->settings;
    size_t count = settings->animation_count;
    struct job_animation *animations = arena_must_alloc(resolver->reader->arena, count, sizeof *animations);
    for (size_t i = 0; i < count; i++) {
        const struct animation_entry *entry = &settings->animations[i];
        animations[i] = entry->animation;
        if (animations[i].sampling.kind == SAMPLING_UNSET)
            animations[i].sampling = job->sampling;
        if (!entry->has_loop)
            animations[i].loop = job->loop;
        if (animations[i].file && resolver->assets)
            animations[i].file = need_file(resolver, job, animations[i].file, entry->file_mark);
    }
    job->animations = animations;
    job->animation_count = count;
}

/* The part of the match that the pattern leaves open: "models/?/b.md2" and "models/a/b.md2" give "a/b". A plain
 * path gives its stem. Folders are counted, since a match may differ from the pattern in case. */
static char *open_part(const char *pattern, const char *match)
{
    size_t fixed = strcspn(pattern, "*?[");
    const char *rest = match;
    for (const char *folder = pattern; folder < pattern + fixed;) {
        size_t length = strcspn(folder, "/\\");
        if (folder + length >= pattern + fixed)
            break;
        bool is_nothing = length == 0 || (length == 1 && *folder == '.');
        if (!is_nothing && strchr(rest, '/'))
            rest = strchr(rest, '/') + 1;
        folder += length + 1;
    }
    return must_printf("%.*s", (int)(path_suffix(rest) - rest), rest);
}

static void add_unknown_placeholder(const struct resolver *resolver, const char *at)
{
    problems_add(resolver->reader->problems, resolver->draft->name_mark,
                 "'%.32s' in a job's name: allowed in braces are {path} and {stem}", at);
}

/* Puts path and stem into a job's name; NULL after a problem. */
static char *fill_name(const struct resolver *resolver, const char *path)
{
    const char *stem = path_base(path);
    struct buffer name = {0};
    bool is_filled = false;
    for (const char *at = resolver->draft->name; *at;) {
        size_t plain = strcspn(at, "{}");
        buffer_add(&name, at, plain);
        at += plain;
        if (!*at)
            break;
        bool is_path = !strncmp(at, "{path}", 6), is_stem = !strncmp(at, "{stem}", 6);
        if (!is_path && !is_stem) {
            add_unknown_placeholder(resolver, at);
            buffer_release(&name);
            return NULL;
        }
        buffer_printf(&name, "%s", is_path ? path : stem);
        is_filled = true;
        at += 6;
    }
    if (resolver->is_glob && !is_filled)
        buffer_printf(&name, "/%s", path);
    return name.text;
}

static const char *make_name(const struct resolver *resolver, const char *match)
{
    char *path = open_part(resolver->draft->model, match);
    char *name = fill_name(resolver, path);
    free(path);
    if (!name)
        return NULL;
    const char *kept = keep(resolver, name);
    free(name);
    struct error err;
    if (name_check_path(kept, &err) == 0)
        return kept;
    problems_add(resolver->reader->problems, resolver->draft->name_mark, "a job's name, '%.64s', %s", kept,
                 err.text);
    return NULL;
}

static void add_job(struct resolver *resolver, const char *model)
{
    const struct settings *settings = &resolver->draft->settings;
    struct jobs *jobs = resolver->jobs;
    size_t problems_before = resolver->reader->problems->count;

    struct job job = settings->job;
    job.model = keep(resolver, model);
    job.name = make_name(resolver, model);
    light_settings_rig(&settings->light, &job.light);
    resolve_animations(resolver, &job);
    if (resolver->assets)
        resolve_skins(resolver, &job);
    if (resolver->is_glob && resolver->reader->problems->count > problems_before)
        resolver->is_quiet = true;
    if (!job.name)
        return;
    jobs->items = must_grow(jobs->items, jobs->count, &jobs->capacity, sizeof *jobs->items);
    jobs->items[jobs->count++] = job;
}

static void expand_glob(struct resolver *resolver)
{
    const struct draft_job *draft = resolver->draft;
    struct problems *problems = resolver->reader->problems;
    struct strings matches = {0};
    struct error err;
    if (assets_glob(resolver->assets, draft->model, &matches, &err) < 0)
        problems_add(problems, draft->model_mark, "%s", err.text);
    else if (matches.count == 0)
        problems_add(problems, draft->model_mark, "no file in the assets matches '%s'", draft->model);
    else if (resolver->jobs->count + matches.count > RESOLVE_MOST_JOBS)
        problems_add(problems, draft->model_mark, "'%s' matches %zu files; a list can have %d jobs", draft->model,
                     matches.count, RESOLVE_MOST_JOBS);
    else
        for (size_t i = 0; i < matches.count; i++)
            add_job(resolver, matches.items[i]);
    strings_release(&matches);
}

static void resolve_job(struct resolver *resolver)
{
    const struct draft_job *draft = resolver->draft;
    resolver->is_glob = glob_is_pattern(draft->model);
    resolver->is_quiet = false;
    if (resolver->is_glob) {
        if (resolver->assets)
            expand_glob(resolver);
        return;
    }
    const char *model = draft->model;
    if (resolver->assets && !(model = assets_find(resolver->assets, model)))
        problems_add(resolver->reader->problems, draft->model_mark, "no file '%s' in the assets", draft->model);
    else
        add_job(resolver, model);
}

void resolve_jobs(const struct reader *reader, const struct draft *draft, struct assets *assets, struct jobs *out)
{
    struct resolver resolver = {.reader = reader, .assets = assets, .jobs = out};
    for (size_t i = 0; i < draft->job_count; i++) {
        resolver.draft = &draft->jobs[i];
        if (resolver.draft->name && resolver.draft->model)
            resolve_job(&resolver);
    }
}

/* A sheet whose name is known. */
struct sheet_name {
    const char *name;
    const struct job *job;
};

struct sheet_names {
    struct arena arena;
    struct sheet_name *items;
    size_t count, capacity;
};

static void add_sheet_name(struct sheet_names *names, const struct job *job, const char *part)
{
    names->items = must_grow(names->items, names->count, &names->capacity, sizeof *names->items);
    names->items[names->count++] = (struct sheet_name){
        .name = part ? arena_printf(&names->arena, "%s-%s", job->name, part) : job->name,
        .job = job,
    };
}

static void add_sheet_names(struct sheet_names *names, const struct job *job)
{
    switch (job->sheet.split) {
    case SPLIT_NONE:
        add_sheet_name(names, job, NULL);
        break;
    case SPLIT_CAMERA:
        for (size_t i = 0; i < job->camera_count; i++)
            add_sheet_name(names, job, job->cameras[i].name);
        break;
    case SPLIT_ANIMATION:
        for (size_t i = 0; i < job->animation_count; i++)
            if (!job->animations[i].is_pattern)
                add_sheet_name(names, job, job->animations[i].name);
        break;
    }
}

/* Regardless of case, for file systems that disregard it; in the order of the list where names are the same. */
static int compare_sheet_names(const void *a_item, const void *b_item)
{
    const struct sheet_name *a = a_item, *b = b_item;
    int order = strcasecmp(a->name, b->name);
    return order ? order : (a->job > b->job) - (a->job < b->job);
}

static int compare_job_names(const void *a_item, const void *b_item)
{
    const struct job *a = *(const struct job *const *)a_item, *b = *(const struct job *const *)b_item;
    int order = strcasecmp(a->name, b->name);
    return order ? order : (a > b) - (a < b);
}

static void check_job_names(const struct reader *reader, const struct jobs *jobs)
{
    const struct job **sorted = must_alloc(jobs->count, sizeof *sorted);
    for (size_t i = 0; i < jobs->count; i++)
        sorted[i] = &jobs->items[i];
    if (jobs->count)
        qsort(sorted, jobs->count, sizeof *sorted, compare_job_names);
    for (size_t i = 1; i < jobs->count; i++) {
        const struct job *a = sorted[i - 1], *b = sorted[i];
        if (strcasecmp(a->name, b->name))
            continue;
        problems_add(reader->problems, b->mark,
                     "job '%s' (model '%s') has the name of job '%s' (model '%s') at %s:%u:%u", b->name, b->model,
                     a->name, a->model, a->mark.file, a->mark.line, a->mark.column);
    }
    free(sorted);
}

static void check_sheet_names(const struct reader *reader, const struct jobs *jobs)
{
    struct sheet_names names = {0};
    for (size_t i = 0; i < jobs->count; i++)
        add_sheet_names(&names, &jobs->items[i]);
    if (names.count)
        qsort(names.items, names.count, sizeof *names.items, compare_sheet_names);
    for (size_t i = 1; i < names.count; i++) {
        const struct job *a = names.items[i - 1].job, *b = names.items[i].job;
        if (strcasecmp(names.items[i - 1].name, names.items[i].name) || !strcasecmp(a->name, b->name))
            continue;
        problems_add(reader->problems, b->mark,
                     "job '%s' would write '%s.png', as would job '%s' at %s:%u:%u; give one of them another name",
                     b->name, names.items[i].name, a->name, a->mark.file, a->mark.line, a->mark.column);
    }
    free(names.items);
    arena_release(&names.arena);
}

void resolve_check_outputs(const struct reader *reader, const struct jobs *jobs)
{
    check_job_names(reader, jobs);
    check_sheet_names(reader, jobs);
}
