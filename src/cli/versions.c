#include "cli/versions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "plan/expected.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/sandbox_args.h"
#include "job/settings.h"
#include "os/child.h"
#include "os/resources.h"
#include "os/signals.h"
#include "page/reasons.h"

/* -- All of them ---------------------------------------------------------------------------------------------- */

static void name_lists(struct versions *versions)
{
    bool are_paths = false;
    versions->names = arena_must_alloc(&versions->arena, versions->path_count, sizeof *versions->names);
    for (size_t i = 0; i < versions->path_count; i++) {
        versions->names[i] = path_base_stem(&versions->arena, versions->paths[i]);
        for (size_t j = 0; j < i; j++)
            are_paths |= !strcmp(versions->names[i], versions->names[j]);
    }
    for (size_t i = 0; i < versions->path_count && are_paths; i++)
        versions->names[i] = versions->paths[i];
}

int versions_open(struct versions *versions)
{
    const struct versions_settings *settings = versions->settings;
    struct error err;
    int exit_code = sandbox_args_check(settings->batch.sandbox, settings->verbosity > 0);
    if (exit_code >= 0)
        return exit_code;
    if (signals_open(&err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    if (file_make_temporary(&versions->temporary, &err) < 0) {
        signals_close();
        return cli_fail(&err, EXIT_BROKEN);
    }
    versions->has_repository = repository_find(versions->paths[0], versions->temporary, &versions->repository,
                                               &versions->no_repository) == 0;
    versions->top = path_resolve(versions->has_repository ? versions->repository.top : ".");
    versions->batch = settings->batch;
    versions->batch.worker_count = settings->batch.worker_count ? settings->batch.worker_count : cpus_usable();
    versions->batch.force = true;
    versions->batch.lock = LOCK_OFF;
    name_lists(versions);
    return -1;
}

int versions_close(struct versions *versions, int exit_code)
{
    int signal_number = 0;
    if (versions->temporary) {
        if (!versions->is_apart)
            file_remove_folder(versions->temporary);
        signal_number = signals_first();
        signals_close();
    }
    for (size_t i = 0; i < versions->count; i++) {
        struct version *version = &versions->items[i];
        for (size_t path = 0; path < version->list_count; path++) {
            job_list_free(version->lists[path].list);
            free(version->lists[path].jobs);
        }
        free(version->lists);
        revision_release(&version->revision);
        free(version->failures.items);
        free(version->tree);
    }
    free(versions->items);
    repository_release(&versions->repository);
    arena_release(&versions->arena);
    free(versions->top);
    free(versions->temporary);
    return signal_number ? EXIT_SIGNAL + signal_number : exit_code;
}

int versions_exit(const struct versions *versions)
{
    return versions->repository.lacks_room ? EXIT_BROKEN : EXIT_USAGE;
}

/* -- The lists of a version ----------------------------------------------------------------------------------- */

void version_begin(struct versions *versions, struct version *version, const char *folder)
{
    struct error ignored;
    version->top = versions->top;
    version->folder = arena_printf(&versions->arena, "%s/%s", versions->temporary, folder);
    version->list_count = versions->path_count;
    version->lists = must_alloc(version->list_count, sizeof *version->lists);
    file_make_folders(version->folder, &ignored);
}

/* Returns where the path led in the revision, or else where it leads now. NULL where that is outside of the repository. */
static char *locate_in_revision(struct version *version, const char *plain, const char *real)
{
    const char *paths[] = {path_below(version->top, plain), path_below(version->top, real)};
    char *place = NULL;
    int found = 0;
    for (int i = 0; i < 2 && found == 0; i++)
        if (paths[i]) {
            free(place);
            place = NULL;
            found = revision_locate(&version->revision, paths[i], &place, &version->failure);
        }
    if (found == 0 && !paths[1]) { /* a link that git does not know leads out */
        free(place);
        place = NULL;
    }
    return place;
}

static char *locate(void *context, const char *path)
{
    struct version *version = context;
    SCOPED_BY(arena_release) struct arena arena = {0};
    const char *here = arena_take(&arena, path_resolve(".")), *full = arena_take(&arena, path_join(here, path));
    const char *plain = arena_take(&arena, path_tidy(full)), *real = arena_take(&arena, path_resolve(path));
    const char *inside = path_below(version->top, real);
    char *place = NULL;
    if (version->revision.commit && !version->failure.text[0])
        place = locate_in_revision(version, plain, real);
    else if (version->tree && inside)
        place = path_resolve(arena_take(&arena, path_join(version->tree, inside)));
    return place ? place : must_strdup(path);
}

/* The list's folder, called as messages call the list, or by its number where no folder can be called so. */
static const char *output_of(struct versions *versions, const char *folder, size_t path)
{
    const char *name = versions->names[path];
    return strchr(name, '/') || *name == '.' ? arena_printf(&versions->arena, "%s/%zu", folder, path)
                                             : arena_printf(&versions->arena, "%s/%s", folder, name);
}

struct version_job {
    const struct job *job;
    bool is_same;           /* it cannot differ, so it is not drawn */
    bool has_same_settings; /* as in the version that it is compared with */
    bool has_failed;
    const char *changed; /* what its files differ in from those of the next version, or NULL */
    uint32_t framing;    /* how it is framed; 0: it was not drawn */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct version_job *)a)->job->name, ((const struct version_job *)b)->job->name);
}

/* NULL: the list has no such job. */
static struct version_job *find_job(const struct version_list *list, const char *name)
{
    const struct job job = {.name = name};
    return list->list ? bsearch(&(struct version_job){.job = &job}, list->jobs, list->list->job_count,
                                sizeof *list->jobs, compare_names)
                      : NULL;
}

static bool takes(const struct versions *versions, const struct job *job)
{
    return !versions->batch.only || glob_takes(versions->batch.only, job->name);
}

size_t versions_count(const struct versions *versions, const struct job_list *list)
{
    size_t count = 0;
    for (size_t i = 0; list && i < list->job_count; i++)
        count += takes(versions, &list->jobs[i]);
    return count;
}

enum list_end version_load(struct versions *versions, struct version *version, size_t path,
                           struct strings *problems)
{
    const struct job_places places = {locate, version, version->revision.commit ? &version->revision.tree : NULL};
    const char *config = versions->settings->config, *given = versions->paths[path];
    SCOPED char *own_config = config ? locate(version, config) : NULL, *place = locate(version, given);
    const struct job_options options = {
        .config = own_config && access(own_config, F_OK) == 0 ? own_config : config,
        .output = output_of(versions, version->folder, path),
        .missing_fails_job = true,
        .places = &places,
    };
    bool is_now = !version->revision.commit && !version->tree, is_there = is_now || access(place, F_OK) == 0;
    struct job_list *list = NULL;
    SCOPED_BY(strings_release) struct strings found = {0};
    if (is_there)
        job_list_load(given, &options, &list, &found);
    else
        strings_printf(problems, "%s is not in %s", given, version->name);
    for (size_t i = 0; i < found.count; i++) {
        SCOPED char *text = revision_tell(&version->revision, found.items[i]);
        strings_printf(problems, "%s%s%s%s", is_now ? "" : "in ", is_now ? "" : version->name, is_now ? "" : ": ",
                       text);
    }
    if (list && *version->failure.text) {
        job_list_free(list);
        list = NULL;
    }
    if (list) {
        list->name = versions->names[path];
        struct version_job *jobs = must_alloc(list->job_count, sizeof *jobs);
        for (size_t i = 0; i < list->job_count; i++)
            jobs[i].job = &list->jobs[i];
        qsort(jobs, list->job_count, sizeof *jobs, compare_names);
        version->lists[path] = (struct version_list){list, jobs};
        versions->job_count += versions_count(versions, list);
    }
    return list ? LIST_LOADED : is_there ? LIST_BROKEN : LIST_MISSING;
}

/* -- Failures -------------------------------------------------------------------------------------------------- */

static void add_failure(struct review_failures *failures, const char *list, const char *job, const char *reason,
                        bool is_own)
{
    *MUST_ADD(failures->items, failures->count, failures->capacity) =
        (struct review_failure){list, job, reason, is_own};
}

void version_fail(const struct versions *versions, struct version *version, const struct job_list *list,
                  const char *reason, bool is_own)
{
    for (size_t i = 0; i < list->job_count; i++)
        if (takes(versions, &list->jobs[i]))
            add_failure(&version->failures, list->name, list->jobs[i].name, reason, is_own);
}

/* -- Drawing -------------------------------------------------------------------------------------------------- */

struct drawn_list {
    struct job_list *list;
    struct version *version;
    struct version_list *of;          /* keeps how its jobs end; NULL: they are drawn once more */
    struct review_failures *failures; /* gets those of its jobs */
};

/* Jobs of versions, and what to do with them. */
struct drawing {
    struct drawn_list *lists;
    size_t list_count, list_capacity;
    struct batch_job *jobs;
    size_t job_count, job_capacity;
    struct arena *arena;
    enum batch_purpose purpose;
};

static void add_list(struct drawing *drawing, struct drawn_list list)
{
    *MUST_ADD(drawing->lists, drawing->list_count, drawing->list_capacity) = list;
}

static void add_job(struct drawing *drawing, struct batch_job job)
{
    *MUST_ADD(drawing->jobs, drawing->job_count, drawing->job_capacity) = job;
}

static const struct drawn_list *find_list(const struct drawing *drawing, const struct job_list *list)
{
    const struct drawn_list *drawn = drawing->lists;
    while (drawn->list != list)
        drawn++;
    return drawn;
}

/* Takes the place in the list from the beginning of a reason: nobody touched that line, but a file. */
static void drop_place(char *reason, const char *list)
{
    const size_t length = strlen(list);
    unsigned line, column;
    int end = 0;
    if (!strncmp(reason, list, length) && sscanf(reason + length, ":%9u:%9u: %n", &line, &column, &end) == 2 &&
        end)
        memmove(reason, reason + length + end, strlen(reason + length + end) + 1);
}

/* Whether a page, whose worker lives, could not be written because a disk is full: the message then ends so. */
static bool has_no_room(const struct page_result *page)
{
    const char *number = strrchr(page->reason, ':');
    return page->stopwatch.current == STAGE_WRITE && page->attempts == 1 && number && number[1] &&
           (!strcmp(number + 2, strerror(ENOSPC)) || !strcmp(number + 2, strerror(EDQUOT)));
}

/* Keeps how a job ended, and its failure: once, however many pages fail. */
static void keep_result(void *context, const struct page_result *page)
{
    struct drawing *drawing = context;
    const struct drawn_list *drawn = find_list(drawing, page->list);
    const struct review_failures *failures = drawn->failures;
    const bool plans = drawing->purpose == BATCH_PLANS;
    bool has_same_settings = false;
    const struct review_failure *last = failures && failures->count ? &failures->items[failures->count - 1] : NULL;
    if (drawn->of) {
        struct version_job *job = find_job(drawn->of, page->job->name);
        job->is_same = plans && page->status == PAGE_MADE;
        job->has_failed |= !plans && page->status != PAGE_MADE;
        job->framing = page->framing;
        if (plans && page->status == PAGE_FAILED)
            job->changed = arena_strdup(drawing->arena, page->reason);
        has_same_settings = job->has_same_settings;
    }
    if (page->status != PAGE_FAILED || plans ||
        (last && last->job == page->job->name && last->is_own == page->is_own))
        return;
    SCOPED char *reason = revision_tell(&drawn->version->revision, page->reason);
    if (has_same_settings)
        drop_place(reason, page->job->mark.file);
    char *at = strstr(reason, page->list->output);
    size_t length = strlen(page->list->output) + 1;
    if (at && at[length - 1] == '/') /* a folder of ours, which is gone when people read it */
        memmove(at, at + length, strlen(at + length) + 1);
    const bool lacks_room = has_no_room(page);
    const char *why = arena_printf(drawing->arena, "%s%s", reason, lacks_room ? MORE_ROOM : "");
    drawn->version->no_room = lacks_room ? why : drawn->version->no_room;
    add_failure(drawn->failures, page->list->name, page->job->name, why, page->is_own);
}

/* Plans or draws the jobs. Returns the exit code, after a message, or -1. */
static int run(struct versions *versions, struct drawing *drawing)
{
    const struct report_settings report = {
        .verbosity = versions->settings->verbosity < 0 || drawing->purpose == BATCH_PLANS ? VERBOSITY_SILENT
                                                                                          : VERBOSITY_LIVE,
        .ci = CI_OFF,
        .on_page = keep_result,
        .on_page_context = drawing,
    };
    struct batch_settings batch = versions->batch;
    struct folders *folders = NULL;
    struct error err;
    int signal_number = 0;
    if (!drawing->job_count)
        return -1;
    if (report_open(&report, &batch.report, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    SCOPED struct job_list **lists = must_alloc(drawing->list_count, sizeof *lists);
    for (size_t i = 0; i < drawing->list_count; i++)
        lists[i] = drawing->lists[i].list;
    batch.lists = lists;
    batch.list_count = drawing->list_count;
    batch.jobs = drawing->jobs;
    batch.job_count = drawing->job_count;
    batch.purpose = drawing->purpose;
    if (drawing->purpose != BATCH_COMPARES)
        batch.give_up = 0; /* an unplanned job is drawn; an unframed one is compared as it ships */
    enum batch_end end = batch_run(&batch, &folders, &signal_number, &err);
    report_close(batch.report, EXIT_DONE, &(struct error){""});
    folders_leave(folders);
    if (end == BATCH_DONE || end == BATCH_SHEETS_FAILED)
        return -1;
    if (end != BATCH_INTERRUPTED)
        cli_complain("%s", err.text);
    return end == BATCH_NO_BACKEND ? EXIT_NO_BACKEND : EXIT_BROKEN;
}

/* Runs the drawing, and releases it. Returns as run. */
static int draw(struct versions *versions, struct drawing *drawing)
{
    int exit_code = run(versions, drawing);
    free(drawing->lists);
    free(drawing->jobs);
    return exit_code;
}

int versions_draw(struct versions *versions)
{
    struct drawing drawing = {.arena = &versions->arena, .purpose = BATCH_COMPARES};
    for (size_t path = 0; path < versions->path_count; path++)
        for (size_t i = versions->count; i-- > 0;) {
            struct version *version = &versions->items[i];
            struct version_list *of = version->lists && !version->is_drawn ? &version->lists[path] : NULL;
            if (!of || !of->list)
                continue;
            add_list(&drawing, (struct drawn_list){of->list, version, of, &version->failures});
            for (size_t j = 0; j < of->list->job_count; j++) {
                const struct job *job = &of->list->jobs[j];
                if (takes(versions, job) && !find_job(of, job->name)->is_same)
                    add_job(&drawing, (struct batch_job){.job = {of->list, job}});
            }
        }
    for (size_t i = 0; i < versions->count; i++)
        versions->items[i].is_drawn = versions->items[i].lists != NULL;
    return draw(versions, &drawing);
}

/* -- What cannot differ --------------------------------------------------------------------------------------- */

/* Whether the lists read the same folders. False for two revisions: nobody knows. */
static bool have_same_folders(const struct job_list *before, const struct job_list *after)
{
    bool same = before->root_count == after->root_count && !after->tree;
    for (size_t i = 0; same && i < before->root_count; i++) {
        SCOPED char *was = path_resolve(before->roots[i]), *is = path_resolve(after->roots[i]);
        same = !strcmp(was, is);
    }
    return same;
}

/* Judges the jobs whose settings are the same: where no version of their assets is known but the one of now, their sheets
 * are the same, too; else adds the jobs to `asked`. */
static void judge_list(const struct versions *versions, const struct version_list *before,
                       const struct version_list *after, struct expected *expected[2], struct drawing *asked)
{
    const bool has_same_folders = have_same_folders(before->list, after->list);
    const bool is_same = has_same_folders && !before->list->tree;
    for (size_t i = 0; i < before->list->job_count; i++) {
        const struct job *job = &before->list->jobs[i];
        struct version_job *was = find_job(before, job->name);
        struct version_job *is = find_job(after, job->name);
        if (!is || job->missing_count || is->job->missing_count || !takes(versions, job))
            continue;
        SCOPED_BY(reasons_release) struct reasons reasons = {0};
        struct record old = {0}, new = {0};
        job_recorded_settings(job, is->job, NULL, &old.arena, &old.settings);
        job_recorded_settings(is->job, job, NULL, &old.arena, &new.settings);
        if (job->fit.scope == FIT_GROUP && is->job->fit.scope == FIT_GROUP) {
            old.group = expected_record(expected[0], before->list, job)->group;
            new.group = expected_record(expected[1], after->list, is->job)->group;
        }
        reasons_add_settings(&reasons, &old, &new);
        was->has_same_settings = is->has_same_settings = reasons.count == 0;
        was->is_same = is_same && reasons.count == 0;
        if (!is_same && reasons.count == 0)
            add_job(asked, (struct batch_job){{before->list, job}, {after->list, is->job}, has_same_folders});
        arena_release(&old.arena);
    }
}

/* Marks a job as the same where the record that a run would have written before is up to date now. A job that cannot be
 * planned is drawn in both versions, and fails there with its reason. */
int versions_judge(struct versions *versions, struct version *before, struct version *after)
{
    struct expected *expected[] = {expected_new(NULL), expected_new(NULL)};
    struct drawing asked = {.arena = &versions->arena, .purpose = BATCH_PLANS};
    for (size_t path = 0; path < versions->path_count; path++) {
        struct version_list *was = &before->lists[path], *is = &after->lists[path];
        if (!was->list || !is->list)
            continue;
        add_list(&asked, (struct drawn_list){was->list, before, was, NULL});
        add_list(&asked, (struct drawn_list){is->list, after, is, NULL});
        judge_list(versions, was, is, expected, &asked);
    }
    expected_free(expected[0]);
    expected_free(expected[1]);

    int exit_code = draw(versions, &asked);
    for (size_t path = 0; path < versions->path_count; path++)
        for (size_t i = 0; before->lists[path].list && i < before->lists[path].list->job_count; i++) {
            const struct version_job *was = &before->lists[path].jobs[i];
            if (was->is_same)
                find_job(&after->lists[path], was->job->name)->is_same = true;
            versions->undrawn += was->is_same;
        }
    return exit_code;
}

/* -- Pairs that are framed ------------------------------------------------------------------------------------ */

/* Two neighbours: a version and the next newer one. */
struct pair {
    struct version *versions[2];     /* before, after */
    const char *framed[2];           /* folders of the jobs that are drawn once more, framed; or NULL */
    struct review_failures unframed; /* why jobs could not be framed */
};

static bool is_drawn(const struct version_job *job)
{
    return job && job->framing && !job->has_failed;
}

/* Copies a list whose sheets are drawn once more, with jobs and a folder of its own. */
static struct job_list *copy_list(struct versions *versions, struct pair *pair, int when, size_t path)
{
    const struct job_list *list = pair->versions[when]->lists[path].list;
    struct job_list *copy = arena_copy(&versions->arena, list, 1, sizeof *list);
    pair->framed[when] = arena_printf(&versions->arena, "%s/framed-%zu/%s", versions->temporary,
                                      (size_t)(pair->versions[1] - versions->items), when ? "after" : "before");
    copy->output = output_of(versions, pair->framed[when], path);
    copy->jobs =
        arena_copy(&versions->arena, list->jobs, list->job_count + list->hidden_count, sizeof *list->jobs);
    return copy;
}

/* Gives both jobs the larger cell of the two, and pages with room for it. */
static void share_cell(struct job *before, struct job *after)
{
    uint32_t *const was[] = {&before->cell_px[0], &before->cell_px[1], &before->sheet.max_size};
    uint32_t *const is[] = {&after->cell_px[0], &after->cell_px[1], &after->sheet.max_size};
    for (int i = 0; i < 3; i++)
        *was[i] = *is[i] = *was[i] > *is[i] ? *was[i] : *is[i];
}

/* Adds the jobs of a path that both versions have drawn, each with a framing of its own. */
static void add_pairs(struct versions *versions, struct pair *pair, size_t path, struct drawing *drawing)
{
    const struct version_list *before = &pair->versions[0]->lists[path], *after = &pair->versions[1]->lists[path];
    const size_t first = drawing->job_count;
    struct job_list *copies[2] = {NULL, NULL};
    for (size_t i = 0; before->list && i < before->list->job_count; i++) {
        const struct version_job *was = find_job(before, before->list->jobs[i].name);
        const struct version_job *is = find_job(after, was->job->name);
        if (!is_drawn(was) || !is_drawn(is) || was->framing == is->framing)
            continue;
        for (int when = 0; when < 2 && !copies[1]; when++) {
            copies[when] = copy_list(versions, pair, when, path);
            add_list(drawing, (struct drawn_list){copies[when], pair->versions[when], NULL, &pair->unframed});
        }
        const struct job *jobs[] = {&copies[0]->jobs[i], &copies[1]->jobs[is->job - after->list->jobs]};
        share_cell((struct job *)jobs[0], (struct job *)jobs[1]);
        add_job(drawing, (struct batch_job){.job = {copies[0], jobs[0]}, .other = {copies[1], jobs[1]}});
    }
    for (size_t i = first, end = drawing->job_count; i < end; i++) /* in the order of the lists */
        add_job(drawing, (struct batch_job){.job = drawing->jobs[i].other, .other = drawing->jobs[i].job});
}

/* -- Comparing ------------------------------------------------------------------------------------------------ */

static const struct version_job *find_named(const struct version *version, const char *list, const char *job)
{
    for (size_t i = 0; i < version->list_count; i++)
        if (version->lists[i].list && !strcmp(version->lists[i].list->name, list))
            return find_job(&version->lists[i], job);
    return NULL;
}

static const struct rules *find_rules(void *context, const char *list, const char *job)
{
    const struct version_job *found = find_named(context, list, job);
    return found ? found->job->rules : NULL;
}

/* Says of jobs that failed for their files which of these changed, if they did not fail before. */
static void tell_changed(struct versions *versions, const struct pair *pair)
{
    const struct review_failures *failures = &pair->versions[1]->failures;
    for (size_t i = 0; i < failures->count; i++) {
        struct review_failure *failure = &failures->items[i];
        const struct version_job *was = find_named(pair->versions[0], failure->list, failure->job);
        if (failure->is_own && was && was->changed && !was->has_failed)
            failure->reason = arena_printf(&versions->arena, "%s; %s", failure->reason, was->changed);
    }
}

static struct review_source source_of(const struct versions *versions, const struct pair *pair, int when)
{
    struct version *version = pair->versions[when];
    return (struct review_source){
        .folder = version->folder,
        .framed = pair->framed[when],
        .unframed = pair->unframed,
        .told = version->name,
        .name = version->title ? version->title : version->name,
        .detail = version->detail ? version->detail : "",
        .failures = version->failures,
        .may_be_empty = true,
        .commit = version->commit,
        .undrawn = versions->undrawn,
        .rules_of = find_rules,
        .context = version,
    };
}

int sources_review(const struct review_source (*pairs)[2], size_t count, const struct review_settings *settings,
                   versions_report *report, void *context)
{
    SCOPED struct review *reviews = must_alloc(count, sizeof *reviews);
    const struct commit *newest = count ? pairs[0][1].commit : NULL;
    struct review all = {.before = {newest ? pairs[count - 1][0].name : "nothing", ""},
                         .after = {newest ? pairs[0][1].name : "nothing", newest ? newest->subject : ""}};
    struct rlimit files; /* each review has folders open */
    struct error err;
    int result = 0;
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){files.rlim_max, files.rlim_max});
    for (size_t i = 0; i < count && result == 0; i++) {
        result = review_folders(&pairs[i][0], &pairs[i][1], settings, &reviews[i], &err);
        if (result == 0 && pairs[i][1].commit)
            review_add_commit(&all, &reviews[i], pairs[i][1].commit);
    }
    int exit_code = result < 0 ? cli_fail(&err, settings->is_drawn ? EXIT_BROKEN : EXIT_USAGE)
                               : report(context, count && !newest ? reviews : &all);
    review_release(&all);
    for (size_t i = 0; i < count; i++)
        review_release(&reviews[i]);
    return exit_code;
}

/* Forks. The confined child, where `is_apart` is set, compares the pictures. The parent waits, and has to remove them. */
static int review_apart(struct versions *versions, const struct pair *pairs, size_t count, versions_report *report,
                        void *context)
{
    const struct versions_settings *settings = versions->settings;
    const double least_s = 60; /* also after a time limit that was too short for workers */
    double timeout_s = versions->batch.timeout_s * (double)(versions->job_count + 1);
    struct error err;
    timeout_s = timeout_s > 0 && timeout_s < least_s ? least_s : timeout_s;
    strings_add(&settings->rules->read, versions->temporary);
    int exit_code = sandbox_args_fork(settings->rules, timeout_s, &err);
    if (exit_code == -1 && !signals_first())
        cli_complain("the pictures: %s", err.text);
    versions->is_apart = exit_code == CHILD_IS_THIS;
    if (!versions->is_apart)
        return exit_code == -1 ? EXIT_BROKEN : exit_code;

    struct review_source(*sources)[2] = must_alloc(count, sizeof *sources);
    for (size_t i = 0; i < 2 * count; i++)
        sources[i / 2][i % 2] = source_of(versions, &pairs[i / 2], (int)(i % 2));
    exit_code = sources_review(sources, count, settings->review, report, context);
    free(sources);
    return exit_code;
}

int versions_review(struct versions *versions, versions_report *report, void *context)
{
    SCOPED struct pair *pairs = must_alloc(versions->count, sizeof *pairs);
    struct version *after = NULL;
    size_t count = 0;
    for (size_t i = 0; i < versions->count; i++) {
        struct version *version = &versions->items[i];
        if (after && version->lists)
            pairs[count++] = (struct pair){.versions = {version, after}};
        after = version->lists ? version : after;
    }
    struct drawing drawing = {.arena = &versions->arena, .purpose = BATCH_FRAMES};
    for (size_t i = 0; i < count; i++)
        tell_changed(versions, &pairs[i]);
    for (size_t i = 0; i < count; i++)
        for (size_t path = 0; path < versions->path_count; path++)
            add_pairs(versions, &pairs[i], path, &drawing);
    int exit_code = draw(versions, &drawing);
    if (exit_code < 0)
        exit_code = review_apart(versions, pairs, count, report, context);
    for (size_t i = 0; i < count; i++)
        free(pairs[i].unframed.items);
    return exit_code;
}
