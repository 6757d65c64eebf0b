#include "cli/diff_base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bake/expected.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "os/child.h"
#include "os/resources.h"
#include "os/signals.h"
#include "review/revision.h"
#include "run/inspect.h"

enum when { BEFORE, AFTER, FRAMED };
static const char *const side_folders[] = {[BEFORE] = "before", [AFTER] = "after"};
static const char *const framed_folders[] = {[BEFORE] = "before-framed", [AFTER] = "after-framed"};

struct failures {
    struct review_failure *items;
    size_t count, capacity;
};

/* A job that is on both sides. */
struct drawn {
    const struct job *job;
    struct drawn *other; /* NULL: there is none, or this one has failed */
    uint32_t framing;    /* 0: it was not drawn */
};

struct list_pair {
    struct job_list *before, *after; /* NULL before: there was no such list */
    const struct job **jobs;         /* after, by name */
    struct drawn *drawn[2];          /* by side, and job of the list */
    struct strings same, asked; /* names of jobs: the same on both sides; and to be planned before that is known */
};

struct comparison {
    const struct diff_base *settings;
    char *temporary;
    char *top;                /* of the files now */
    char *tree;               /* of those before, in --base DIR */
    struct revision revision; /* of --base REV */
    struct error failure;     /* of locating files */
    struct list_pair *pairs;
    size_t pair_count;
    struct job_list **lists; /* of both sides, those that are there */
    size_t list_count;
    size_t same_count, job_count; /* of jobs that `only` takes: those that are the same; of both sides, all */
    struct arena arena;
    struct failures failures[3]; /* of drawing each side; FRAMED: of drawing both in one frame */
    size_t framed_count;         /* jobs of either side that are drawn in one frame */
    bool is_apart;               /* in the process that compares the pictures */
};

/* -- Before and after ------------------------------------------------------------------------------------------ */

/* The other checkout of --base DIR has the places of this repository, or of the working folder where there is none. */
static int find_tree(struct comparison *comparison, const char *list)
{
    const char *base = comparison->settings->base;
    struct revision *revision = &comparison->revision;
    char *folder = path_folder(list);
    struct error err;
    int result = revision_find(folder, comparison->temporary, revision, &err);
    free(folder);
    comparison->top = path_resolve(result == 0 ? revision->top : ".");
    struct stat info;
    if (stat(base, &info) == 0 && S_ISDIR(info.st_mode)) {
        comparison->tree = path_resolve(base);
        return 0;
    }
    if (result == 0)
        result = revision_read(revision, base, &err);
    if (result < 0 && !signals_first())
        cli_complain("%s", err.text);
    return result;
}

/* In the revision: where the path as it stands led then, or else where it leads now. NULL for one that is outside. */
static char *locate_in_revision(struct comparison *comparison, const char *plain, const char *real)
{
    const char *paths[] = {path_below(comparison->top, plain), path_below(comparison->top, real)};
    char *place = NULL;
    int found = 0;
    for (int i = 0; i < 2 && found == 0; i++)
        if (paths[i]) {
            free(place);
            place = NULL;
            found = revision_locate(&comparison->revision, paths[i], &place, &comparison->failure);
        }
    if (found == 0 && !paths[1]) { /* a link that git does not know leads out */
        free(place);
        place = NULL;
    }
    return place;
}

/* Where a file of ours is on the other side: itself where it is outside. A link leads where it led. */
static char *locate(void *context, const char *path)
{
    struct comparison *comparison = context;
    char *here = path_resolve("."), *full = path_join(here, path), *plain = path_tidy(full);
    char *real = path_resolve(path), *place = NULL;
    const char *inside = path_below(comparison->top, real);
    if (comparison->revision.commit && !comparison->failure.text[0]) {
        place = locate_in_revision(comparison, plain, real);
    } else if (comparison->tree && inside) {
        char *other = path_join(comparison->tree, inside);
        place = path_resolve(other);
        free(other);
    }
    free(here);
    free(full);
    free(plain);
    free(real);
    return place ? place : must_strdup(path);
}

/* -- Lists ---------------------------------------------------------------------------------------------------- */

static char *output_of(const struct comparison *comparison, const char *folder, size_t number)
{
    return must_printf("%s/%s/%zu", comparison->temporary, folder, number);
}

/* NULL where there is no such list, or it is broken. */
static struct job_list *load_before(struct comparison *comparison, char *const *paths, size_t number)
{
    const char *config = comparison->settings->config, *base = comparison->settings->base;
    const struct assets_tree *tree = comparison->revision.commit ? &comparison->revision.tree : NULL;
    const struct job_places places = {locate, comparison, tree};
    char *place = locate(comparison, paths[number]), *old_config = config ? locate(comparison, config) : NULL;
    char *output = output_of(comparison, side_folders[BEFORE], number);
    struct job_list *list = NULL;
    struct strings problems = {0};
    const struct job_options options = {
        .config = old_config && access(old_config, F_OK) == 0 ? old_config : config,
        .output = output,
        .missing_fails_job = true,
        .places = &places,
    };
    if (access(place, F_OK) < 0)
        cli_complain("%s is not in %s: all its sheets are new", paths[number], base);
    else
        job_list_load(paths[number], &options, &list, &problems);
    for (size_t i = 0; i < problems.count && !comparison->failure.text[0]; i++) {
        char *text = revision_tell(&comparison->revision, problems.items[i]);
        cli_complain("warning: in %s: %s; all sheets of the list are new", base, text);
        free(text);
    }
    strings_release(&problems);
    free(output);
    free(old_config);
    free(place);
    return list;
}

/* Returns the exit code, or -1. */
static int load_lists(struct comparison *comparison, char *const *paths, size_t count)
{
    struct strings problems = {0};
    comparison->pairs = must_alloc(count, sizeof *comparison->pairs);
    comparison->pair_count = count;
    comparison->lists = must_alloc(2 * count, sizeof *comparison->lists);
    for (size_t i = 0; i < count; i++) {
        char *output = output_of(comparison, side_folders[AFTER], i);
        const struct job_options options = {comparison->settings->config, output, .missing_fails_job = true};
        job_list_load(paths[i], &options, &comparison->pairs[i].after, &problems);
        free(output);
    }
    bool is_broken = problems.count > 0;
    if (is_broken)
        lists_print_problems(&problems, CI_OFF);
    strings_release(&problems);
    struct error *err = &comparison->failure;
    for (size_t i = 0; i < count && !is_broken; i++) {
        struct list_pair *pair = &comparison->pairs[i];
        pair->before = load_before(comparison, paths, i);
        if (pair->before)
            comparison->lists[comparison->list_count++] = pair->before;
        comparison->lists[comparison->list_count++] = pair->after;
    }
    if (err->text[0] && !signals_first())
        cli_complain("%s", err->text);
    return is_broken || err->text[0] ? EXIT_USAGE : -1;
}

static struct list_pair *pair_of(const struct comparison *comparison, const struct job_list *list)
{
    struct list_pair *pair = comparison->pairs;
    while (list != pair->before && list != pair->after)
        pair++;
    return pair;
}

/* Returns the exit code, or -1. */
static int run_batch(struct comparison *comparison, struct batch_settings *batch,
                     const struct report_settings *report)
{
    struct folders *folders = NULL;
    struct error err;
    int signal_number = 0;
    if (report_open(report, &batch->report, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    batch->lists = comparison->lists;
    batch->list_count = comparison->list_count;
    batch->context = comparison;
    batch->worker_count = batch->worker_count ? batch->worker_count : cpus_usable();
    batch->force = true;
    batch->lock = LOCK_OFF;
    enum batch_end end = batch_run(batch, &folders, &signal_number, &err);
    report_close(batch->report, EXIT_DONE, &(struct error){""});
    folders_leave(folders);
    if (end == BATCH_DONE || end == BATCH_SHEETS_FAILED || end == BATCH_NO_JOBS)
        return -1;
    if (end != BATCH_INTERRUPTED)
        cli_complain("%s", err.text);
    return end == BATCH_NO_BACKEND ? EXIT_NO_BACKEND : EXIT_BROKEN;
}

/* Whether the lists have the same folders, and these just the files of the tree, all in their places. */
static bool have_same_assets(const struct job_list *before, const struct job_list *after)
{
    struct assets *assets[2] = {NULL, NULL};
    struct strings names[2] = {{0}};
    struct error ignored;
    bool same = before->root_count == after->root_count;
    for (size_t i = 0; same && i < before->root_count; i++)
        same = !strcmp(before->roots[i], after->roots[i]);
    if (!before->tree)
        return same;
    for (int side = 0; side < 2; side++)
        same = same &&
               assets_open_as(after->roots, after->root_count, side ? before->tree : NULL, &assets[side],
                              &ignored) == 0 &&
               assets_glob(assets[side], "**", &names[side], &ignored) == 0;
    same = same && names[0].count == names[1].count;
    for (size_t i = 0; same && i < names[0].count; i++)
        same = !strcmp(names[0].items[i], names[1].items[i]) && assets_is_in_place(assets[1], names[1].items[i]);
    for (int side = 0; side < 2; side++) {
        assets_close(assets[side]);
        strings_release(&names[side]);
    }
    return same;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const struct job *const *)a)->name, (*(const struct job *const *)b)->name);
}

static struct bake_job find_after(void *context, const struct bake_job *before)
{
    const struct list_pair *pair = pair_of(context, before->list);
    const struct job **found =
        bsearch(&before->job, pair->jobs, pair->after->job_count, sizeof *pair->jobs, compare_names);
    return (struct bake_job){pair->after, found ? *found : NULL};
}

static bool is_asked(void *context, const struct job_list *list, const struct job *job)
{
    const struct list_pair *pair = pair_of(context, list);
    return list == pair->before && strings_has_sorted(&pair->asked, job->name);
}

static void keep_same(void *context, const struct page_result *page)
{
    if (page->status == PAGE_MADE)
        strings_add(&pair_of(context, page->list)->same, page->job->name);
}

/* Which jobs before and after have the same settings. Where the lists have the same assets, their sheets are the same; else
 * the assets have to be asked. */
static void match_jobs(struct comparison *comparison, struct list_pair *pair, struct expected *expected[2],
                       struct inspector *inspector)
{
    const struct job_list *before = pair->before, *after = pair->after;
    bool is_same = have_same_assets(before, after);
    pair->jobs = must_alloc(after->job_count, sizeof *pair->jobs);
    pair->drawn[BEFORE] = must_alloc(before->job_count, sizeof(struct drawn));
    pair->drawn[AFTER] = must_alloc(after->job_count, sizeof(struct drawn));
    for (size_t i = 0; i < after->job_count; i++)
        pair->jobs[i] = &after->jobs[i];
    if (after->job_count)
        qsort(pair->jobs, after->job_count, sizeof *pair->jobs, compare_names);
    for (size_t i = 0; i < before->job_count; i++) {
        const struct bake_job was = {before, &before->jobs[i]}, is = find_after(comparison, &was);
        struct reasons reasons = {0};
        if (!is.job || was.job->missing_count || is.job->missing_count)
            continue;
        struct drawn *old = &pair->drawn[BEFORE][i], *new = &pair->drawn[AFTER][is.job - after->jobs];
        *old = (struct drawn){.job = was.job, .other = new};
        *new = (struct drawn){.job = is.job, .other = old};
        inspect_record(inspector, after, expected_record(expected[BEFORE], before, was.job),
                       expected_record(expected[AFTER], after, is.job), &reasons);
        if (reasons.count == 0)
            strings_add(is_same ? &pair->same : &pair->asked, was.job->name);
        reasons_release(&reasons);
    }
    strings_sort(&pair->asked);
}

/* How many jobs of a list `only` takes; with `names`, of those. */
static size_t count_jobs(const struct job_list *list, const char *only, const struct strings *names)
{
    size_t count = 0;
    for (size_t i = 0; list && i < list->job_count; i++) {
        const char *name = list->jobs[i].name;
        count += (!only || glob_matches(only, name, false)) && (!names || strings_has_sorted(names, name));
    }
    return count;
}

/* A job is the same where the record of its pages before, as a run would write it, is up to date now. One that cannot be
 * planned is drawn on both sides, to fail there with its reason. Returns the exit code, or -1. */
static int find_same(struct comparison *comparison)
{
    struct expected *expected[] = {expected_new(NULL), expected_new(NULL)};
    struct inspector *inspector = inspector_new();
    size_t asked = 0;
    for (size_t i = 0; i < comparison->pair_count; i++) {
        struct list_pair *pair = &comparison->pairs[i];
        if (pair->before)
            match_jobs(comparison, pair, expected, inspector);
        asked += pair->asked.count;
    }
    inspector_free(inspector);
    expected_free(expected[BEFORE]);
    expected_free(expected[AFTER]);

    struct batch_settings batch = comparison->settings->batch;
    batch.wants = is_asked;
    batch.counterpart = find_after;
    batch.give_up = 0;
    const struct report_settings report = {
        .verbosity = VERBOSITY_SILENT, .on_page = keep_same, .on_page_context = comparison};
    int exit_code = asked ? run_batch(comparison, &batch, &report) : -1;
    for (size_t i = 0; i < comparison->pair_count; i++) {
        struct list_pair *pair = &comparison->pairs[i];
        strings_sort(&pair->same);
        comparison->job_count +=
            count_jobs(pair->before, batch.only, NULL) + count_jobs(pair->after, batch.only, NULL);
        comparison->same_count += count_jobs(pair->after, batch.only, &pair->same);
    }
    return exit_code;
}

/* -- Drawing -------------------------------------------------------------------------------------------------- */

static struct drawn *drawn_of(const struct comparison *comparison, const struct job_list *list,
                              const struct job *job)
{
    const struct list_pair *pair = pair_of(comparison, list);
    struct drawn *drawn = pair->drawn[list == pair->before ? BEFORE : AFTER];
    return drawn ? &drawn[job - list->jobs] : NULL;
}

/* How a side was drawn; a job that fails several pages is one failure. */
static void keep_result(void *context, const struct page_result *page)
{
    struct comparison *comparison = context;
    bool is_again = comparison->framed_count > 0,
         is_before = page->list == pair_of(comparison, page->list)->before;
    struct failures *failures = &comparison->failures[is_again ? FRAMED : is_before ? BEFORE : AFTER];
    const struct review_failure *last = failures->count ? &failures->items[failures->count - 1] : NULL;
    struct drawn *drawn = is_again ? NULL : drawn_of(comparison, page->list, page->job);
    if (drawn && page->status == PAGE_MADE)
        drawn->framing = page->framing;
    else if (drawn)
        drawn->other = NULL;
    if (page->status != PAGE_FAILED || (last && last->job == page->job->name && last->is_own == page->is_own))
        return;
    char *reason = revision_tell(&comparison->revision, page->reason);
    failures->items = must_grow(failures->items, failures->count, &failures->capacity, sizeof *failures->items);
    failures->items[failures->count++] = (struct review_failure){
        page->list->name, page->job->name, arena_strdup(&comparison->arena, reason), page->is_own};
    free(reason);
}

static bool is_drawn(void *context, const struct job_list *list, const struct job *job)
{
    return !strings_has_sorted(&pair_of(context, list)->same, job->name);
}

static struct bake_job find_other(void *context, const struct bake_job *of)
{
    const struct list_pair *pair = pair_of(context, of->list);
    return (struct bake_job){of->list == pair->before ? pair->after : pair->before,
                             drawn_of(context, of->list, of->job)->other->job};
}

/* Whether both sides were drawn, and framed each in its own way. */
static bool is_reframed(void *context, const struct job_list *list, const struct job *job)
{
    const struct drawn *drawn = drawn_of(context, list, job), *other = drawn ? drawn->other : NULL;
    return other && other->other && drawn->framing && other->framing && drawn->framing != other->framing;
}

/* Both sides in one run. Returns the exit code, or -1. */
static int draw(struct comparison *comparison, struct batch_settings *batch)
{
    const struct report_settings report = {
        .verbosity = comparison->settings->verbosity < 0 ? VERBOSITY_SILENT : VERBOSITY_LIVE,
        .on_page = keep_result,
        .on_page_context = comparison,
    };
    batch->png_level = PNG_FASTEST; /* they are read once */
    return run_batch(comparison, batch, &report);
}

/* Draws those again whose framing differs, both sides in one that holds either, into folders of their own. */
static int draw_framed(struct comparison *comparison)
{
    struct batch_settings batch = comparison->settings->batch;
    for (size_t i = 0; i < comparison->list_count; i++) {
        struct job_list *list = comparison->lists[i];
        const struct list_pair *pair = pair_of(comparison, list);
        list->output = arena_take(&comparison->arena, output_of(comparison, framed_folders[list == pair->after],
                                                                (size_t)(pair - comparison->pairs)));
        for (size_t job = 0; job < list->job_count; job++)
            comparison->framed_count += is_reframed(comparison, list, &list->jobs[job]);
    }
    batch.wants = is_reframed;
    batch.pair = find_other;
    batch.give_up = 0; /* what cannot be drawn so is compared as it ships */
    return comparison->framed_count ? draw(comparison, &batch) : -1;
}

/* -- Comparing ------------------------------------------------------------------------------------------------ */

/* Of comparing: workers that had too little time are a result. */
static const double LEAST_TIMEOUT_S = 60;

/* A fork of this process, which is confined, compares the pictures. This one is not, for it has to remove them. */
static int review_apart(struct comparison *comparison, diff_base_review *review, void *context)
{
    const struct diff_base *settings = comparison->settings;
    struct review_source sources[2];
    for (int side = 0; side < 2; side++) {
        struct error ignored;
        const char *const names[] = {side_folders[side], framed_folders[side]};
        const char *folders[2];
        for (int i = 0; i < 2; i++) {
            folders[i] = arena_printf(&comparison->arena, "%s/%s", comparison->temporary, names[i]);
            file_make_folders(folders[i], &ignored);
            strings_add(&settings->rules->read, folders[i]);
        }
        sources[side] = (struct review_source){
            .folder = folders[0],
            .framed = folders[1],
            .unframed = comparison->failures[FRAMED].items,
            .unframed_count = comparison->failures[FRAMED].count,
            .name = side == AFTER ? "work tree" : settings->base,
            .detail = side == BEFORE && comparison->revision.detail ? comparison->revision.detail : "",
            .failures = comparison->failures[side].items,
            .failure_count = comparison->failures[side].count,
            .may_be_empty = true,
            .undrawn = comparison->same_count,
        };
    }
    double jobs = (double)(comparison->job_count + 1), timeout_s = settings->batch.timeout_s * jobs;
    if (timeout_s > 0 && timeout_s < LEAST_TIMEOUT_S)
        timeout_s = LEAST_TIMEOUT_S;
    struct blob nothing = {0};
    struct error err;
    int result = sandbox_args_fork(settings->rules, timeout_s, 0, NULL, &nothing, &err);
    blob_release(&nothing);
    comparison->is_apart = result == CHILD_IS_THIS;
    if (comparison->is_apart)
        return review(context, &sources[BEFORE], &sources[AFTER]);
    if (result < 0 && !signals_first())
        cli_complain("the pictures: %s", err.text);
    return result < 0 ? EXIT_BROKEN : result;
}

static int compare(struct comparison *comparison, char *const *paths, size_t count, diff_base_review *review,
                   void *context)
{
    if (find_tree(comparison, paths[0]) < 0)
        return EXIT_USAGE;
    int exit_code = load_lists(comparison, paths, count);
    if (exit_code < 0)
        exit_code = find_same(comparison);
    struct batch_settings batch = comparison->settings->batch;
    batch.wants = is_drawn;
    if (exit_code < 0)
        exit_code = draw(comparison, &batch);
    if (exit_code < 0)
        exit_code = draw_framed(comparison);
    if (exit_code < 0 && comparison->job_count == 0 && comparison->settings->batch.only) {
        cli_complain("no job's name matches --only '%s'", comparison->settings->batch.only);
        exit_code = EXIT_USAGE;
    }
    return exit_code < 0 ? review_apart(comparison, review, context) : exit_code;
}

int diff_base_run(const struct diff_base *settings, char *const *paths, size_t count, diff_base_review *review,
                  void *context)
{
    struct comparison comparison = {.settings = settings};
    struct error err;
    int exit_code = sandbox_args_check(settings->batch.sandbox, settings->verbosity > 0);
    if (exit_code >= 0)
        return exit_code;
    if (signals_open(&err) < 0 || file_make_temporary(&comparison.temporary, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    exit_code = compare(&comparison, paths, count, review, context);
    if (!comparison.is_apart)
        file_remove_folder(comparison.temporary);
    int signal_number = signals_first();
    signals_close();
    for (size_t i = 0; i < comparison.pair_count; i++) {
        struct list_pair *pair = &comparison.pairs[i];
        job_list_free(pair->before);
        job_list_free(pair->after);
        free(pair->jobs);
        free(pair->drawn[BEFORE]);
        free(pair->drawn[AFTER]);
        strings_release(&pair->same);
        strings_release(&pair->asked);
    }
    free(comparison.pairs);
    free(comparison.lists);
    free(comparison.failures[BEFORE].items);
    free(comparison.failures[AFTER].items);
    free(comparison.failures[FRAMED].items);
    revision_release(&comparison.revision);
    arena_release(&comparison.arena);
    free(comparison.top);
    free(comparison.tree);
    free(comparison.temporary);
    return signal_number ? EXIT_SIGNAL + signal_number : exit_code;
}
