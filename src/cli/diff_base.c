#include "cli/diff_base.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bake/expected.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "cli/side.h"
#include "os/child.h"
#include "os/signals.h"
#include "run/inspect.h"

enum when { BEFORE, AFTER };
static const char *const side_folders[] = {[BEFORE] = "before", [AFTER] = "after"};
static const char *const framed_folders[] = {[BEFORE] = "before-framed", [AFTER] = "after-framed"};

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
    char *top; /* of the files now */
    struct repository repository;
    struct side sides[2];
    struct list_pair *pairs;
    size_t pair_count;
    struct job_list **lists; /* of both sides, those that are there */
    size_t list_count;
    size_t same_count, job_count; /* of jobs that `only` takes: those that are the same; of both sides, all */
    struct arena arena;
    size_t failure_counts[2]; /* of each side; those that follow are of drawing both in one frame */
    size_t framed_count;      /* jobs of either side that are drawn in one frame */
    bool is_apart;            /* in the process that compares the pictures */
};

/* -- Before and after ------------------------------------------------------------------------------------------ */

/* Other checkouts have the places of this repository, or of the working folder where there is none. */
static int open_sides(struct comparison *comparison, const char *list)
{
    const char *const names[] = {[BEFORE] = comparison->settings->base, [AFTER] = comparison->settings->head};
    const char *const options[] = {[BEFORE] = "--base", [AFTER] = "--head"};
    struct repository *repository = &comparison->repository;
    struct error why, err;
    int result = repository_find(list, comparison->temporary, repository, &why);
    comparison->top = path_resolve(result == 0 ? repository->top : ".");
    struct side *sides = comparison->sides;
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct side){.name = "work tree", .top = comparison->top};
        if (!names[i] || side_open(&sides[i], names[i], result == 0 ? repository : NULL, &why, &err) == 0)
            continue;
        bool is_missing = strstr(err.text, "not a git repository") != NULL;
        if (!signals_first())
            cli_complain("%s: %s%s", options[i], err.text,
                         is_missing ? "; --base DIR compares with a folder" : "");
        return -1;
    }
    return 0;
}

/* -- Lists ---------------------------------------------------------------------------------------------------- */

/* Of the name of a list, which messages have; where that cannot be a folder's, of its number. */
static char *output_of(const struct comparison *comparison, const char *folder, size_t number)
{
    const struct job_list *list = comparison->pairs[number].after;
    return !list || strchr(list->name, '/') || *list->name == '.'
               ? must_printf("%s/%s/%zu", comparison->temporary, folder, number)
               : must_printf("%s/%s/%s", comparison->temporary, folder, list->name);
}

static struct job_list *load(struct comparison *comparison, enum when when, const char *path, size_t number,
                             struct strings *problems)
{
    char *output = output_of(comparison, side_folders[when], number);
    struct job_list *list =
        side_load(&comparison->sides[when], path, comparison->settings->config, output, problems);
    free(output);
    return list;
}

/* NULL where there is no such list, which makes its sheets new, or it is broken: then nothing can be compared. */
static struct job_list *load_before(struct comparison *comparison, const char *path, size_t number)
{
    struct side *side = &comparison->sides[BEFORE];
    const struct job_list *now = comparison->pairs[number].after;
    struct strings problems = {0};
    struct job_list *list = load(comparison, BEFORE, path, number, &problems);
    char *place = side_locate(side, path);
    bool is_broken = problems.count > 0 && access(place, F_OK) == 0;
    for (size_t i = 0; i < problems.count && !side->failure.text[0]; i++)
        cli_complain("warning: %s; %s", problems.items[i],
                     is_broken ? "no sheet of the list can be compared" : "all sheets of the list are new");
    for (size_t i = 0; is_broken && i < now->job_count; i++)
        side_fail(side, now->name, now->jobs[i].name, arena_strdup(&comparison->arena, problems.items[0]), false);
    strings_release(&problems);
    free(place);
    return list;
}

/* Sheets are told apart by the names of their list and job: lists of one name are called by their paths, all or none. */
static bool are_names_taken(const struct comparison *comparison, char *const *paths, struct strings *problems)
{
    bool is_taken = false;
    for (size_t i = 0; i < comparison->pair_count; i++)
        for (size_t j = 0; j < i && comparison->pairs[i].after; j++) {
            const struct job_list *other = comparison->pairs[j].after;
            is_taken |= other && !strcmp(other->name, comparison->pairs[i].after->name);
            if (!strcmp(paths[i], paths[j]))
                strings_printf(problems, "%s is given twice", paths[i]);
        }
    return is_taken;
}

/* Returns the exit code, or -1. */
static int load_lists(struct comparison *comparison, char *const *paths, size_t count)
{
    struct strings problems = {0};
    const struct side *sides = comparison->sides;
    comparison->pairs = must_alloc(count, sizeof *comparison->pairs);
    comparison->pair_count = count;
    comparison->lists = must_alloc(2 * count, sizeof *comparison->lists);
    for (size_t i = 0; i < count; i++)
        comparison->pairs[i].after = load(comparison, AFTER, paths[i], i, &problems);
    const bool are_paths = are_names_taken(comparison, paths, &problems);
    const char *failure = sides[AFTER].failure.text;
    bool is_broken = problems.count > 0;
    if (is_broken && !*failure)
        lists_print_problems(&problems, CI_OFF);
    strings_release(&problems);
    for (size_t i = 0; i < count && !is_broken && !*failure; i++) {
        struct list_pair *pair = &comparison->pairs[i];
        pair->after->name = are_paths ? paths[i] : pair->after->name;
        pair->after->output = arena_take(&comparison->arena, output_of(comparison, side_folders[AFTER], i));
        pair->before = load_before(comparison, paths[i], i);
        if (pair->before)
            pair->before->name = pair->after->name;
        if (pair->before)
            comparison->lists[comparison->list_count++] = pair->before;
        comparison->lists[comparison->list_count++] = pair->after;
    }
    failure = *failure ? failure : sides[BEFORE].failure.text;
    if (*failure && !signals_first())
        cli_complain("%s", failure);
    return is_broken || *failure ? EXIT_USAGE : -1;
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
    batch->lists = comparison->lists;
    batch->list_count = comparison->list_count;
    batch->context = comparison;
    return sides_run(batch, report);
}

/* Whether the lists have the same folders, and these just the files of the tree, all in their places. Of two revisions it is
 * not known. */
static bool have_same_assets(const struct job_list *before, const struct job_list *after)
{
    struct assets *assets[2] = {NULL, NULL};
    struct strings names[2] = {{0}};
    struct error ignored;
    bool same = before->root_count == after->root_count && !after->tree;
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
    struct inspector *inspector = inspector_new(false);
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

/* How a side was drawn. */
static void keep_result(void *context, const struct page_result *page)
{
    struct comparison *comparison = context;
    bool is_before = page->list == pair_of(comparison, page->list)->before;
    struct drawn *drawn = comparison->framed_count ? NULL : drawn_of(comparison, page->list, page->job);
    if (drawn && page->status == PAGE_MADE)
        drawn->framing = page->framing;
    else if (drawn)
        drawn->other = NULL;
    side_keep_failure(&comparison->sides[is_before ? BEFORE : AFTER], page);
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
    for (int side = 0; side < 2; side++)
        comparison->failure_counts[side] = comparison->sides[side].failure_count;
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

/* Of the side after. */
static const struct rules *find_rules(void *context, const char *list, const char *job)
{
    const struct comparison *comparison = context;
    for (size_t i = 0; i < comparison->pair_count; i++) {
        const struct job_list *after = comparison->pairs[i].after;
        for (size_t j = 0; after && !strcmp(after->name, list) && j < after->job_count; j++)
            if (!strcmp(after->jobs[j].name, job))
                return after->jobs[j].rules;
    }
    return NULL;
}

static int review_apart(struct comparison *comparison, diff_base_review *review, void *context)
{
    const struct diff_base *settings = comparison->settings;
    struct review_source sources[2];
    struct side unframed = {0}; /* the failures of both */
    for (int side = 0; side < 2; side++)
        for (size_t i = comparison->failure_counts[side]; i < comparison->sides[side].failure_count; i++) {
            const struct review_failure *failure = &comparison->sides[side].failures[i];
            side_fail(&unframed, failure->list, failure->job, failure->reason, failure->is_own);
        }
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
            .unframed = unframed.failures,
            .unframed_count = unframed.failure_count,
            .told = comparison->sides[side].name,
            .name = comparison->sides[side].name,
            .detail = comparison->sides[side].revision.detail ? comparison->sides[side].revision.detail : "",
            .failures = comparison->sides[side].failures,
            .failure_count = comparison->failure_counts[side],
            .may_be_empty = true,
            .undrawn = comparison->same_count,
            .rules_of = find_rules,
            .context = comparison,
        };
    }
    int exit_code = sides_fork(settings->rules, settings->batch.timeout_s * (double)(comparison->job_count + 1));
    comparison->is_apart = exit_code == CHILD_IS_THIS;
    if (comparison->is_apart)
        exit_code = review(context, &sources[BEFORE], &sources[AFTER]);
    free(unframed.failures);
    return exit_code;
}

static int compare(struct comparison *comparison, char *const *paths, size_t count, diff_base_review *review,
                   void *context)
{
    if (open_sides(comparison, paths[0]) < 0)
        return EXIT_USAGE;
    int exit_code = load_lists(comparison, paths, count);
    if (exit_code < 0)
        exit_code = find_same(comparison);
    struct batch_settings batch = comparison->settings->batch;
    batch.wants = is_drawn;
    batch.tells_framing = true;
    if (exit_code < 0)
        exit_code = draw(comparison, &batch);
    if (exit_code < 0)
        exit_code = draw_framed(comparison);
    if (exit_code < 0 && comparison->job_count == 0 && comparison->settings->batch.only) {
        cli_complain("no job's name matches --only '%s'%s", comparison->settings->batch.only,
                     glob_hint(comparison->settings->batch.only));
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
    side_release(&comparison.sides[BEFORE]);
    side_release(&comparison.sides[AFTER]);
    repository_release(&comparison.repository);
    arena_release(&comparison.arena);
    free(comparison.top);
    free(comparison.temporary);
    return signal_number ? EXIT_SIGNAL + signal_number : exit_code;
}
