#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "image/image_format.h"
#include "job/load.h"
#include "page/names.h"

enum {
    MOST_JOBS = 100 * 1000, /* more files in the assets would be a mistake in the pattern */
    MOST_SUGGESTIONS = 32,  /* of a list */
};

struct resolver {
    struct loading *loading;
    const struct settings *settings;
    const struct job *written; /* theirs */
    struct arena *arena;
    struct assets *assets;
    struct problems *problems;
    struct problems *absent; /* gets what the assets do not have: `problems`, or `missing` */
    bool is_glob;
    struct problems missing;  /* of the job that is being resolved */
    struct problems nameless; /* what its pattern matches and cannot be a job's name */
};

static bool is_definition(const char *model)
{
    return !strncmp(model, DEFINITION_PREFIX, strlen(DEFINITION_PREFIX));
}

/* The path in the model's folder. NULL without a model, and for a declaration, which lies in no folder. */
static char *path_beside(const char *model, const char *path)
{
    if (!model || is_definition(model))
        return NULL;
    SCOPED char *folder = path_folder(model);
    return path_join(folder, path);
}

/* A file by its path in the assets, or beside the model. Where a folder cannot be read the first is unknown, and the
 * second would be a guess. */
static const char *find_file(const struct resolver *resolver, const char *model, const char *path)
{
    const char *found = assets_find(resolver->assets, path);
    SCOPED char *beside = found || assets_trouble(resolver->assets) ? NULL : path_beside(model, path);
    if (beside)
        found = assets_find(resolver->assets, beside);
    return found ? arena_strdup(resolver->arena, found) : NULL;
}

/* The whole tree may have to be looked through. */
static char *find_nearest(struct resolver *resolver, const char *path)
{
    missing_kind *has_kind = model_has_suffix(path_suffix(path)) ? model_has_suffix : image_has_suffix;
    bool may_look = resolver->loading->suggestion_count++ < MOST_SUGGESTIONS;
    return may_look ? assets_nearest(resolver->assets, path, has_kind) : NULL;
}

/* `model` is NULL where the file is the job's own model. */
static void add_no_file(struct resolver *resolver, const char *model, const char *path, struct mark mark)
{
    const char *trouble = assets_trouble(resolver->assets);
    if (trouble) {
        problems_add(resolver->absent, mark, "no file '%s' in the assets: %s", path, trouble);
        return;
    }
    SCOPED char *beside = path_beside(model, path), *near = beside ? find_nearest(resolver, beside) : NULL;
    SCOPED char *nearest = near ? NULL : find_nearest(resolver, path);
    SCOPED char *suggestion = assets_suggestion(resolver->assets, near ? near : nearest);
    problems_add(resolver->absent, mark, "no file '%s' in the assets%s%s%s%s", path,
                 beside ? ", nor beside '" : "", beside ? model : "", beside ? "'" : "", suggestion);
}

/* The path as it was found, or else as it is written. */
static const char *need_file(struct resolver *resolver, const char *model, const char *path, struct mark mark)
{
    const char *found = find_file(resolver, model, path);
    if (!found)
        add_no_file(resolver, model, path, mark);
    return found ? found : path;
}

/* Whether text that is not a file of the assets was meant for one: names of materials have no suffix. */
static bool looks_like_file(const char *text)
{
    return *path_suffix(text) || text[0] == '/' || strstr(text, "..") || strchr(text, '\\');
}

/* `model` is the one that wears them. */
static void resolve_overrides(struct resolver *resolver, const char *model, const struct skin_override **skins,
                              size_t count)
{
    struct skin_override *found = arena_copy(resolver->arena, *skins, count, sizeof *found);
    for (size_t i = 0; i < count; i++) {
        const char *written = found[i].path;
        if (looks_like_file(written)) {
            found[i].path = need_file(resolver, model, written, found[i].mark);
            continue;
        }
        found[i].path = find_file(resolver, model, written);
        if (!found[i].path)
            found[i].shader = written;
    }
    *skins = found;
}

static void resolve_skins(struct resolver *resolver, struct job *job)
{
    const char *only = job->skin_count == 1 && !job->skins[0].from ? job->skins[0].path : NULL;
    if (job->skin_file)
        job->skin_file = need_file(resolver, job->model, job->skin_file, job->skin_mark);
    if (only && !strchr(only, '/') && !looks_like_file(only) && !find_file(resolver, job->model, only)) {
        /* One word that is not a file is a name of the model's own list. */
        job->skin_choice = SKIN_NAME;
        job->skin_name = only;
        job->skins = NULL;
        job->skin_count = 0;
    } else {
        resolve_overrides(resolver, job->model, &job->skins, job->skin_count);
    }
}

static void resolve_attachments(struct resolver *resolver, struct job *job)
{
    struct attachment *attachments =
        arena_copy(resolver->arena, job->attachments, job->attachment_count, sizeof *attachments);
    for (struct attachment *one = attachments; one < attachments + job->attachment_count; one++) {
        const char *found = *one->model ? find_file(resolver, job->model, one->model) : NULL;
        if (!*one->model) /* which was reported */
            continue;
        if (!found) { /* its own files may lie beside it */
            add_no_file(resolver, job->model, one->model, one->model_mark);
            continue;
        }
        one->model = found;
        resolve_overrides(resolver, found, &one->skins, one->skin_count);
        if (one->animation_file)
            one->animation_file = need_file(resolver, found, one->animation_file, one->animation_file_mark);
    }
    job->attachments = attachments;
}

/* `model` is NULL where the pattern is for models, and where they lie beside nothing. */
static void add_no_match(struct resolver *resolver, const char *model, const char *pattern, struct mark mark)
{
    SCOPED char *beside = path_beside(model, pattern);
    bool may_look = resolver->loading->suggestion_count++ < MOST_SUGGESTIONS;
    SCOPED char *instead =
        may_look ? assets_instead(resolver->assets, beside ? beside : pattern) : must_strdup("");
    problems_add(resolver->absent, mark, "no file in the assets matches '%s'%s%s%s%s", pattern,
                 beside ? ", nor beside '" : "", beside ? model : "", beside ? "'" : "", instead);
}

/* The files that match in the assets, or else those that match beside the model. */
static void resolve_file_pattern(struct resolver *resolver, const char *model, struct job_animation *animation)
{
    SCOPED_BY(strings_release) struct strings matches = {0};
    struct error err;
    int result = assets_glob(resolver->assets, animation->file, &matches, &err);
    if (result == 0 && matches.count == 0 && !is_definition(model)) {
        SCOPED char *beside = glob_beside(model, animation->file);
        result = assets_glob(resolver->assets, beside, &matches, &err);
    }
    if (result < 0)
        problems_add(resolver->absent, animation->file_mark, "%s", err.text);
    else if (matches.count == 0 && !animation->is_optional)
        add_no_match(resolver, model, animation->file, animation->file_mark);
    const char **files = arena_must_alloc(resolver->arena, matches.count, sizeof *files);
    for (size_t i = 0; i < matches.count; i++)
        files[i] = arena_strdup(resolver->arena, matches.items[i]);
    animation->files = (struct patterns){files, matches.count};
}

static void resolve_animation_file(struct resolver *resolver, const char *model, struct job_animation *animation)
{
    const char *found = find_file(resolver, model, animation->file);
    if (found && animation->is_pattern) { /* "[1].md5anim" may be meant */
        animation->is_pattern = false;
        animation->name = path_base_stem(resolver->arena, found);
    }
    if (found)
        animation->file = found;
    else if (animation->is_pattern)
        resolve_file_pattern(resolver, model, animation);
    else if (glob_is_pattern(animation->file))
        problems_add(resolver->absent, animation->file_mark,
                     "no file is called '%s'; as a pattern it has no 'name': each clip is called after its file",
                     animation->file);
    else if (!animation->is_optional || assets_trouble(resolver->assets))
        add_no_file(resolver, model, animation->file, animation->file_mark);
}

static void resolve_templates(struct resolver *resolver, struct job *job)
{
    const char **found = arena_copy(resolver->arena, job->templates, job->template_count, sizeof *found);
    for (size_t i = 0; i < job->template_count; i++)
        found[i] = need_file(resolver, job->model, found[i], job->metadata_mark);
    job->templates = found;
}

/* Fills in what an entry leaves open from the job. */
static void resolve_animations(struct resolver *resolver, struct job *job)
{
    struct job_animation *animations =
        arena_copy(resolver->arena, job->animations, job->animation_count, sizeof *animations);
    for (size_t i = 0; i < job->animation_count; i++) {
        if (animations[i].sampling.kind == SAMPLING_UNSET)
            animations[i].sampling = job->sampling;
        if (!animations[i].has_loop)
            animations[i].loop = job->loop;
        if (!animations[i].has_root_motion)
            animations[i].root_motion = job->root_motion;
        if (animations[i].file && resolver->assets)
            resolve_animation_file(resolver, job->model, &animations[i]);
    }
    job->animations = animations;
}

/* The part of the match that the pattern leaves open: "models/?/b.md2" and "models/a/b.md2" give "a/b". The rest may
 * differ in case, but not in length. */
static char *open_part(const char *pattern, const char *match)
{
    SCOPED char *fixed = must_printf("%.*s", (int)strcspn(pattern, "*?["), pattern);
    path_collapse(fixed);
    char *path = path_stem(match + (path_base(fixed) - fixed));
    char *last = strrchr(path, '/');
    if (last && model_is_in_folder(match)) /* the folder is what has a name */
        *last = '\0';
    return path;
}

/* Puts path and stem into a job's name; NULL after a problem. */
static char *fill_name(struct resolver *resolver, const char *path)
{
    const char *stem = path_base(path);
    struct buffer name = {0};
    bool is_filled = false;
    for (const char *at = resolver->written->name; *at;) {
        size_t plain = strcspn(at, "{}");
        buffer_add(&name, at, plain);
        at += plain;
        if (!*at)
            break;
        bool is_path = !strncmp(at, "{path}", 6), is_stem = !strncmp(at, "{stem}", 6);
        if (!is_path && !is_stem) {
            problems_add(resolver->problems, resolver->written->name_mark,
                         "'%.32s' in a job's name: allowed in braces are {path} and {stem}", at);
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

/* `path` is what is open of a pattern, or else a stem. */
static const char *make_name(struct resolver *resolver, const char *path)
{
    char *name = fill_name(resolver, path);
    struct error err;
    if (!name)
        return NULL;
    const char *kept = arena_take(resolver->arena, name);
    if (names_check_path(kept, &err) == 0)
        return kept;
    /* The list cannot change the names of files. */
    bool is_of_file = resolver->is_glob && resolver->loading->missing_fails_job;
    problems_add(is_of_file ? &resolver->nameless : resolver->problems, resolver->written->name_mark,
                 "a job's name, '%.64s', %s", kept, err.text);
    return NULL;
}

static void keep_job(struct resolver *resolver, struct problems *missing, struct job *job)
{
    struct loading *loading = resolver->loading;
    settings_finish(resolver->settings, job);
    job->missing_count = problems_sort(missing);
    struct missing *kept = arena_must_alloc(resolver->arena, job->missing_count, sizeof *kept);
    for (size_t i = 0; i < job->missing_count; i++) {
        char *text = arena_strdup(resolver->arena, missing->items[i].text);
        printable_mask(text);
        kept[i] = (struct missing){missing->items[i].mark, text};
    }
    job->missing = kept;
    problems_release(missing);
    if (!job->name)
        return;
    for (uint32_t scale = 1; job->scales >> scale; scale++) {
        struct job kept_job = *job;
        if (!(job->scales & 1u << scale))
            continue;
        if (scale > 1 && !job->is_pattern)
            settings_scale(&kept_job, scale, resolver->arena);
        *MUST_ADD(loading->jobs, loading->job_count, loading->job_capacity) = kept_job;
        if (job->is_pattern)
            break;
    }
}

/* `path` is for its name. */
static void add_job(struct resolver *resolver, const char *model, const char *path)
{
    struct job job = *resolver->written;
    job.model = arena_strdup(resolver->arena, model);
    job.def_name = is_definition(model) ? path : NULL;
    job.name = make_name(resolver, path);
    job.is_match = resolver->is_glob;
    resolve_animations(resolver, &job);
    if (resolver->assets) {
        resolve_skins(resolver, &job);
        resolve_attachments(resolver, &job);
        resolve_templates(resolver, &job);
        if (job.pixel.palette_file)
            job.pixel.palette_file = need_file(resolver, job.model, job.pixel.palette_file, job.palette_mark);
    }
    keep_job(resolver, &resolver->missing, &job);
}

/* Adds a job in the place of those that a pattern does not give, because files, or names for them, are missing. */
static void add_pattern(struct resolver *resolver, struct problems *missing)
{
    struct job job = *resolver->written;
    struct error err;
    SCOPED char *name = fill_name(resolver, "a");
    if (name && names_check_path(name, &err) < 0) /* no file could mend it */
        problems_add(resolver->problems, job.name_mark, "a job's name, '%.64s', %s", name, err.text);
    if (!strchr(job.name, '{'))
        job.name = arena_printf(resolver->arena, "%s/{path}", job.name);
    job.is_pattern = true;
    keep_job(resolver, missing, &job);
}

/* Patterns without a folder are about the names of files. */
static bool is_excluded(const struct job *written, const char *path)
{
    bool is = false;
    for (size_t i = 0; i < written->exclude.count; i++) {
        const char *pattern = written->exclude.items[i];
        is |= glob_matches(pattern, strchr(pattern, '/') ? path : path_base(path), true);
    }
    return is;
}

/* Fails where the pattern would take models whose names no path can have. */
static void refuse_names(struct resolver *resolver, bool has_models)
{
    const struct job *written = resolver->written;
    struct problems *problems = !has_models                            ? resolver->absent
                                : resolver->loading->missing_fails_job ? &resolver->nameless
                                                                       : resolver->problems;
    const struct strings *names = assets_unusable(resolver->assets);
    SCOPED char *pattern = path_tidy(written->model);
    struct strings told = {0}; /* a folder once */
    for (size_t i = 0; i < names->count; i++) {
        char *path = names->items[i];
        if (!glob_matches(pattern, path, true) || !model_has_suffix(path_suffix(path)) ||
            is_excluded(written, path))
            continue;
        path = must_strdup(path);
        const char *cure = assets_cure_unusable(path);
        if (!strings_has(&told, path))
            problems_add(problems, written->model_mark, "%s: %s", path, cure);
        strings_add_new(&told, path);
        free(path);
    }
    strings_release(&told);
}

static void expand_glob(struct resolver *resolver)
{
    const char *pattern = resolver->written->model;
    const struct mark mark = resolver->written->model_mark;
    SCOPED_BY(strings_release) struct strings matches = {0}, models = {0};
    struct error err;
    int result = assets_glob(resolver->assets, pattern, &matches, &err);
    size_t excluded = 0;
    for (size_t i = 0; i < matches.count; i++)
        if (is_excluded(resolver->written, matches.items[i]))
            excluded++;
        else if (!model_is_animation(resolver->assets, matches.items[i]))
            strings_add(&models, matches.items[i]);
    if (result < 0)
        problems_add(assets_trouble(resolver->assets) ? resolver->absent : resolver->problems, mark, "%s",
                     err.text);
    else if (matches.count == 0)
        add_no_match(resolver, NULL, pattern, mark);
    else if (models.count == 0 && excluded > 0)
        problems_add(resolver->absent, mark, "`exclude` leaves no model of the %zu files that match '%s'",
                     matches.count, pattern);
    else if (models.count == 0)
        problems_add(resolver->absent, mark, "the files that match '%s' are animations, not models", pattern);
    else if (resolver->loading->job_count + models.count > MOST_JOBS)
        problems_add(resolver->problems, mark, "'%s' matches %zu files; a list can have %d jobs", pattern,
                     models.count, MOST_JOBS);
    else
        for (size_t i = 0; i < models.count; i++) {
            SCOPED char *path = open_part(pattern, models.items[i]);
            add_job(resolver, models.items[i], path);
        }
    if (result == 0 && !resolver->loading->reader.places) /* files of a revision of git have no such names */
        refuse_names(resolver, models.count > 0);
    if (resolver->missing.count > 0)
        add_pattern(resolver, &resolver->missing);
    if (resolver->nameless.count > 0)
        add_pattern(resolver, &resolver->nameless);
}

/* Declarations are looked up when models are opened. */
static void resolve_definition(struct resolver *resolver)
{
    const char *model = resolver->written->model, *name = model + strlen(DEFINITION_PREFIX);
    const struct mark mark = resolver->written->model_mark;
    struct error err;
    if (!*name)
        problems_add(resolver->problems, mark, "'def:' must be followed by the name of a model");
    else if (glob_is_pattern(name))
        problems_add(resolver->problems, mark, "'%.64s' holds one of *?[, but names one declaration", model);
    else if (names_check_text(name, strlen(name), &err) < 0)
        problems_add(resolver->problems, mark, "the name of a declaration %s", err.text);
    else
        add_job(resolver, model, name);
}

void resolve_job(struct loading *loading, const struct settings *settings)
{
    struct resolver resolver = {.loading = loading,
                                .settings = settings,
                                .written = &settings->job,
                                .arena = loading->reader.arena,
                                .assets = loading->assets,
                                .problems = loading->reader.problems};
    resolver.absent = loading->missing_fails_job ? &resolver.missing : resolver.problems;
    const char *model = settings->job.model;
    if (!settings->job.name || !model)
        return;
    bool is_file = loading->assets && assets_find(loading->assets, model); /* "[1].md2" may be meant */
    resolver.is_glob = !is_file && !is_definition(model) && glob_is_pattern(model);
    if (settings->job.exclude.count && !resolver.is_glob)
        problems_add(resolver.problems, settings->job.model_mark,
                     "'%.64s' is no pattern, so `exclude` has nothing to leave out", model);
    if (is_definition(model))
        resolve_definition(&resolver);
    else if (resolver.is_glob && loading->assets)
        expand_glob(&resolver);
    if (is_definition(model) || resolver.is_glob)
        return;
    const char *found = loading->assets ? model_find_file(loading->assets, model) : model;
    if (!found)
        add_no_file(&resolver, NULL, model, settings->job.model_mark);
    /* The rest of a job without its model is checked all the same, to report all its problems at once. */
    found = found ? found : model;
    SCOPED char *path = open_part("", found); /* of a player, its folder */
    add_job(&resolver, found, path_base(path));
}
