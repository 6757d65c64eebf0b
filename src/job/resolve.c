#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/utf8.h"
#include "image/image_format.h"
#include "job/draft.h"
#include "page/names.h"
#include "format/formats.h"

/* Of a list. */
enum { MOST_SUGGESTIONS = 32 };

struct resolver {
    const struct reader *reader;
    struct assets *assets;
    struct jobs *jobs;
    const struct draft_job *draft;
    bool is_glob;
    size_t suggestion_count;
    bool missing_fails_job;
    struct problems missing;  /* then: of the job that is being resolved */
    struct problems nameless; /* and what its pattern matches and cannot be a job's name */
};

/* Where to tell what the assets do not have. */
static struct problems *missing_of(struct resolver *resolver)
{
    return resolver->missing_fails_job ? &resolver->missing : resolver->reader->problems;
}

static const char *keep(const struct resolver *resolver, const char *text)
{
    return arena_strdup(resolver->reader->arena, text);
}

static bool is_definition(const char *model)
{
    return !strncmp(model, DEFINITION_PREFIX, strlen(DEFINITION_PREFIX));
}

/* A file by its path in the assets, or beside the model; a declaration lies beside nothing. Where a folder cannot be
 * read the first is unknown, and the second would be a guess. */
static const char *find_file(const struct resolver *resolver, const char *model, const char *path)
{
    const char *found = assets_find(resolver->assets, path);
    if (!found && !assets_trouble(resolver->assets) && !is_definition(model)) {
        char *folder = path_folder(model), *beside = path_join(folder, path);
        found = assets_find(resolver->assets, beside);
        free(beside);
        free(folder);
    }
    return found ? keep(resolver, found) : NULL;
}

/* The whole tree may have to be looked through. */
static char *find_nearest(struct resolver *resolver, const char *path)
{
    missing_kind *has_kind = model_has_suffix(path_suffix(path)) ? model_has_suffix : image_has_suffix;
    return resolver->suggestion_count++ < MOST_SUGGESTIONS ? assets_nearest(resolver->assets, path, has_kind)
                                                           : NULL;
}

/* `model` is NULL where the file is the job's own model. */
static void add_no_file(struct resolver *resolver, const char *model, const char *path, struct mark mark)
{
    const char *trouble = assets_trouble(resolver->assets);
    if (trouble) {
        problems_add(missing_of(resolver), mark, "no file '%s' in the assets: %s", path, trouble);
        return;
    }
    char *nearest = NULL;
    bool is_beside = model && !is_definition(model);
    if (is_beside) {
        char *folder = path_folder(model), *beside = path_join(folder, path);
        nearest = find_nearest(resolver, beside);
        free(beside);
        free(folder);
    }
    if (!nearest)
        nearest = find_nearest(resolver, path);
    char *suggestion = assets_suggestion(resolver->assets, nearest);
    problems_add(missing_of(resolver), mark, "no file '%s' in the assets%s%s%s%s", path,
                 is_beside ? ", nor beside '" : "", is_beside ? model : "", is_beside ? "'" : "", suggestion);
    free(suggestion);
    free(nearest);
}

/* The path as it was found, or else as it is written. */
static const char *need_file(struct resolver *resolver, const char *model, const char *path, struct mark mark)
{
    const char *found = find_file(resolver, model, path);
    if (!found)
        add_no_file(resolver, model, path, mark);
    return found ? found : path;
}

/* Whether text that is no file of the assets was meant for one: names of materials have no suffix. */
static bool looks_like_file(const char *text)
{
    return *path_suffix(text) || text[0] == '/' || strstr(text, "..") || strchr(text, '\\');
}

/* `model` is the one that wears them. */
static const struct skin_override *resolve_overrides(struct resolver *resolver, const char *model,
                                                     const struct skin_override *written, size_t count)
{
    struct skin_override *skins = arena_must_alloc(resolver->reader->arena, count, sizeof *skins);
    for (size_t i = 0; i < count; i++) {
        skins[i] = written[i];
        if (looks_like_file(written[i].path)) {
            skins[i].path = need_file(resolver, model, written[i].path, written[i].mark);
            continue;
        }
        skins[i].path = find_file(resolver, model, written[i].path);
        if (!skins[i].path)
            skins[i].shader = written[i].path;
    }
    return skins;
}

/* One word that is no file is a name of the model's own list. */
static bool is_skin_name(const struct resolver *resolver, const struct job *job, const struct skin_settings *skin)
{
    if (skin->skin_count != 1 || skin->skins[0].from)
        return false;
    const char *text = skin->skins[0].path;
    return !strchr(text, '/') && !looks_like_file(text) && !find_file(resolver, job->model, text);
}

static void resolve_skins(struct resolver *resolver, struct job *job)
{
    const struct skin_settings *skin = &resolver->draft->settings.skin;
    job->skin_mark = skin->mark;
    job->skin_choice = skin->choice;
    job->skin_index = skin->index;
    job->skin_name = skin->name;
    if (!resolver->assets)
        return;
    if (skin->file)
        job->skin_file = need_file(resolver, job->model, skin->file, skin->mark);
    if (is_skin_name(resolver, job, skin)) {
        job->skin_choice = SKIN_NAME;
        job->skin_name = skin->skins[0].path;
    } else {
        job->skins = resolve_overrides(resolver, job->model, skin->skins, skin->skin_count);
        job->skin_count = skin->skin_count;
    }
}

static void resolve_attachments(struct resolver *resolver, struct job *job)
{
    const struct settings *settings = &resolver->draft->settings;
    size_t count = settings->attachment_count;
    struct attachment *attachments = arena_must_alloc(resolver->reader->arena, count, sizeof *attachments);
    for (size_t i = 0; i < count; i++) {
        const struct attachment_entry *entry = &settings->attachments[i];
        struct attachment *attachment = &attachments[i];
        *attachment = entry->attachment;
        if (!resolver->assets || !*attachment->model)
            continue;
        const char *model = find_file(resolver, job->model, attachment->model);
        if (!model) { /* its own files may lie beside it */
            add_no_file(resolver, job->model, attachment->model, entry->model_mark);
            continue;
        }
        attachment->model = model;
        attachment->skins =
            resolve_overrides(resolver, attachment->model, attachment->skins, attachment->skin_count);
        if (attachment->animation_file)
            attachment->animation_file =
                need_file(resolver, attachment->model, attachment->animation_file, entry->file_mark);
    }
    job->attachments = attachments;
    job->attachment_count = count;
}

/* Adds the files that match in the assets, or else those that match beside the model. */
static int find_matches(const struct resolver *resolver, const char *model, const char *pattern,
                        struct strings *out, struct error *err)
{
    if (assets_glob(resolver->assets, pattern, out, err) < 0)
        return -1;
    if (out->count > 0 || is_definition(model))
        return 0;
    char *folder = path_folder(model), *only = glob_of(folder), *beside = path_join(only, pattern);
    int result = assets_glob(resolver->assets, beside, out, err);
    free(beside);
    free(only);
    free(folder);
    return result;
}

static void resolve_file_pattern(struct resolver *resolver, const char *model, struct mark mark,
                                 struct job_animation *animation)
{
    struct arena *arena = resolver->reader->arena;
    struct strings matches = {0};
    struct error err;
    if (find_matches(resolver, model, animation->file, &matches, &err) < 0) {
        problems_add(missing_of(resolver), mark, "%s", err.text);
    } else if (matches.count == 0 && !animation->is_optional) {
        problems_add(missing_of(resolver), mark,
                     is_definition(model) ? "no file in the assets matches '%s'"
                                          : "no file in the assets matches '%s', nor beside '%s'",
                     animation->file, model);
    }
    const char **files = arena_must_alloc(arena, matches.count, sizeof *files);
    for (size_t i = 0; i < matches.count; i++)
        files[i] = keep(resolver, matches.items[i]);
    animation->files = files;
    animation->file_count = matches.count;
    strings_release(&matches);
}

static void resolve_animation_file(struct resolver *resolver, const char *model, struct mark mark,
                                   struct job_animation *animation)
{
    const char *found = find_file(resolver, model, animation->file);
    if (found)
        animation->file = found;
    else if (animation->is_pattern)
        resolve_file_pattern(resolver, model, mark, animation);
    else if (glob_is_pattern(animation->file))
        problems_add(missing_of(resolver), mark,
                     "no file is called '%s'; as a pattern it has no 'name': each clip is called after its file",
                     animation->file);
    else if (!animation->is_optional || assets_trouble(resolver->assets))
        add_no_file(resolver, model, animation->file, mark);
    if (found && animation->is_pattern) { /* "[1].md5anim" may be meant */
        animation->is_pattern = false;
        animation->name = arena_strndup(resolver->reader->arena, path_base(found),
                                        (size_t)(path_suffix(found) - path_base(found)));
    }
}

/* What an entry leaves open is the job's. */
static void resolve_animations(struct resolver *resolver, struct job *job)
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
        if (!entry->has_root_motion)
            animations[i].root_motion = job->root_motion;
        if (animations[i].file && resolver->assets)
            resolve_animation_file(resolver, job->model, entry->file_mark, &animations[i]);
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
    char *path = path_stem(rest);
    char *last = strrchr(path, '/');
    if (last && model_is_in_folder(match)) /* the folder is what has a name */
        *last = '\0';
    return path;
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
            problems_add(resolver->reader->problems, resolver->draft->name_mark,
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

static const char *make_name(struct resolver *resolver, const char *definition, const char *match)
{
    char *path = definition ? must_strdup(definition) : open_part(resolver->draft->model, match);
    char *name = fill_name(resolver, path);
    free(path);
    if (!name)
        return NULL;
    const char *kept = keep(resolver, name);
    free(name);
    struct error err;
    if (names_check_path(kept, &err) == 0)
        return kept;
    /* What files are called is not for the list to say. */
    bool is_of_file = resolver->is_glob && resolver->missing_fails_job;
    problems_add(is_of_file ? &resolver->nameless : resolver->reader->problems, resolver->draft->name_mark,
                 "a job's name, '%.64s', %s", kept, err.text);
    return NULL;
}

/* Moves what was found of a job into it, in the order of its places, each once. */
static void keep_missing(struct problems *found, struct arena *arena, struct job *job)
{
    struct missing *kept = arena_must_alloc(arena, found->count, sizeof *kept);
    size_t count = problems_sort(found);
    for (size_t i = 0; i < count; i++) {
        char *text = arena_strdup(arena, found->items[i].text);
        printable_mask(text);
        kept[i] = (struct missing){found->items[i].mark, text};
    }
    job->missing = kept;
    job->missing_count = count;
    problems_release(found);
}

/* `definition` is the name of `model: def:NAME`, or NULL. */
static void add_job(struct resolver *resolver, const char *model, const char *definition)
{
    const struct settings *settings = &resolver->draft->settings;
    struct jobs *jobs = resolver->jobs;

    struct job job = settings->job;
    job.model = keep(resolver, model);
    job.def_name = definition;
    job.name = make_name(resolver, definition, model);
    settings_finish(settings, &job);
    resolve_animations(resolver, &job);
    resolve_skins(resolver, &job);
    resolve_attachments(resolver, &job);
    keep_missing(&resolver->missing, resolver->reader->arena, &job);
    if (!job.name)
        return;
    jobs->items = must_grow(jobs->items, jobs->count, &jobs->capacity, sizeof *jobs->items);
    jobs->items[jobs->count++] = job;
}

/* In the place of jobs that a pattern does not give, for want of files, or of names for them. */
static void add_pattern(struct resolver *resolver, struct problems *missing)
{
    const struct draft_job *draft = resolver->draft;
    struct error err;
    char *name = fill_name(resolver, "a");
    if (name && names_check_path(name, &err) < 0) /* no file could mend it */
        problems_add(resolver->reader->problems, draft->name_mark, "a job's name, '%.64s', %s", name, err.text);
    free(name);
    struct jobs *jobs = resolver->jobs;
    struct job job = draft->settings.job;
    bool is_filled = strchr(draft->name, '{');
    job.name = is_filled ? draft->name : arena_printf(resolver->reader->arena, "%s/{path}", draft->name);
    job.model = draft->model;
    job.is_pattern = true;
    settings_finish(&draft->settings, &job);
    keep_missing(missing, resolver->reader->arena, &job);
    jobs->items = must_grow(jobs->items, jobs->count, &jobs->capacity, sizeof *jobs->items);
    jobs->items[jobs->count++] = job;
}

static void expand_glob(struct resolver *resolver)
{
    const struct draft_job *draft = resolver->draft;
    struct problems *problems = resolver->reader->problems;
    struct strings matches = {0}, models = {0};
    struct error err;
    int result = assets_glob(resolver->assets, draft->model, &matches, &err);
    for (size_t i = 0; i < matches.count; i++)
        if (!model_is_animation(resolver->assets, matches.items[i]))
            strings_add(&models, matches.items[i]);
    if (result < 0)
        problems_add(assets_trouble(resolver->assets) ? missing_of(resolver) : problems, draft->model_mark, "%s",
                     err.text);
    else if (models.count == 0)
        problems_add(missing_of(resolver), draft->model_mark,
                     matches.count > 0 ? "the files that match '%s' are animations, not models"
                                       : "no file in the assets matches '%s'",
                     draft->model);
    else if (resolver->jobs->count + models.count > RESOLVE_MOST_JOBS)
        problems_add(problems, draft->model_mark, "'%s' matches %zu files; a list can have %d jobs", draft->model,
                     models.count, RESOLVE_MOST_JOBS);
    else
        for (size_t i = 0; i < models.count; i++)
            add_job(resolver, models.items[i], NULL);
    if (resolver->missing.count > 0)
        add_pattern(resolver, &resolver->missing);
    if (resolver->nameless.count > 0)
        add_pattern(resolver, &resolver->nameless);
    strings_release(&models);
    strings_release(&matches);
}

/* Declarations are looked up when models are opened. */
static void resolve_definition(struct resolver *resolver)
{
    const struct draft_job *draft = resolver->draft;
    const char *name = draft->model + strlen(DEFINITION_PREFIX);
    struct error err;
    if (!*name)
        problems_add(resolver->reader->problems, draft->model_mark,
                     "'def:' must be followed by the name of a model");
    else if (glob_is_pattern(name))
        problems_add(resolver->reader->problems, draft->model_mark,
                     "'%.64s' holds one of *?[, but names one declaration", draft->model);
    else if (names_check_text(name, strlen(name), &err) < 0)
        problems_add(resolver->reader->problems, draft->model_mark, "the name of a declaration %s", err.text);
    else
        add_job(resolver, draft->model, name);
}

static void resolve_file(struct resolver *resolver)
{
    const struct draft_job *draft = resolver->draft;
    const char *model = resolver->assets ? model_find_file(resolver->assets, draft->model) : draft->model;
    if (!model)
        add_no_file(resolver, NULL, draft->model, draft->model_mark);
    /* The rest of a job without its model is checked all the same, to report all its problems at once. */
    add_job(resolver, model ? model : draft->model, NULL);
}

void resolve_jobs(const struct reader *reader, const struct draft *draft, struct assets *assets,
                  bool missing_fails_job, struct jobs *out)
{
    struct resolver resolver = {
        .reader = reader, .assets = assets, .jobs = out, .missing_fails_job = missing_fails_job};
    for (size_t i = 0; i < draft->job_count; i++) {
        resolver.draft = &draft->jobs[i];
        const char *model = resolver.draft->model;
        if (!resolver.draft->name || !model)
            continue;
        bool is_file = assets && assets_find(assets, model); /* "[1].md2" may be meant */
        resolver.is_glob = !is_file && !is_definition(model) && glob_is_pattern(model);
        if (is_definition(model))
            resolve_definition(&resolver);
        else if (!resolver.is_glob)
            resolve_file(&resolver);
        else if (assets)
            expand_glob(&resolver);
    }
}
