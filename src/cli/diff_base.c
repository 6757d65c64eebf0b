#include "cli/diff_base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/lists.h"
#include "cli/sandbox_args.h"
#include "os/child.h"
#include "os/resources.h"
#include "os/signals.h"
#include "review/candidates.h"
#include "review/revision.h"
#include "run/folders.h"

enum when { BEFORE, AFTER };
static const char *const side_folders[] = {[BEFORE] = "before", [AFTER] = "after"};

struct failures {
    struct review_failure *items;
    size_t count, capacity;
};

struct comparison {
    const struct diff_base *settings;
    char *temporary;
    char *top;                /* of the files now */
    char *tree;               /* of those before, in --base DIR */
    struct revision revision; /* of --base REV */
    struct error failure;     /* of locating files */
    struct lists lists[2];    /* NULL before: there is no such list */
    struct candidates candidates;
    struct arena arena;
    struct failures failures[2];
    bool is_apart; /* in the process that compares the pictures */
};

/* -- Before and after ------------------------------------------------------------------------------------------ */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

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
    if (is_folder(base)) {
        comparison->tree = path_resolve(base);
        return 0;
    }
    if (result == 0)
        result = revision_read(revision, base, &err);
    if (result < 0 && !signals_first())
        cli_complain("%s", err.text);
    return result;
}

/* Where a file of ours is on the other side: itself where it is outside. In a revision, where its path as it stands led
 * then, or else where it leads now. */
static char *locate(void *context, const char *path)
{
    struct comparison *comparison = context;
    char *here = path_resolve("."), *full = path_join(here, path), *plain = path_tidy(full),
         *real = path_resolve(path);
    const char *inside = path_below(comparison->top, real),
               *paths[] = {path_below(comparison->top, plain), inside};
    char *place = NULL;
    int found = 0;
    if (comparison->tree && inside) {
        char *other = path_join(comparison->tree, inside);
        place = path_resolve(other);
        free(other);
    }
    for (int i = 0; !comparison->tree && !comparison->failure.text[0] && i < 2 && found == 0; i++)
        if (paths[i]) {
            free(place);
            place = NULL;
            found = revision_locate(&comparison->revision, paths[i], &place, &comparison->failure);
        }
    if (!place || (found == 0 && !inside)) { /* the latter: a link that git does not know leads out */
        free(place);
        place = must_strdup(path);
    }
    free(here);
    free(full);
    free(plain);
    free(real);
    return place;
}

/* -- Lists ---------------------------------------------------------------------------------------------------- */

static char *output_of(const struct comparison *comparison, enum when side, size_t number)
{
    return must_printf("%s/%s/%zu", comparison->temporary, side_folders[side], number);
}

/* NULL where there is no such list, or it is broken. */
static struct job_list *load_before(struct comparison *comparison, char *const *paths, size_t number)
{
    const char *config = comparison->settings->config, *base = comparison->settings->base;
    const struct assets_tree *tree = comparison->revision.commit ? &comparison->revision.tree : NULL;
    const struct job_places places = {locate, comparison, tree};
    char *place = locate(comparison, paths[number]), *old_config = config ? locate(comparison, config) : NULL;
    char *output = output_of(comparison, BEFORE, number);
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
    for (int side = 0; side < 2; side++) {
        comparison->lists[side].items = must_alloc(count, sizeof *comparison->lists[side].items);
        comparison->lists[side].count = count;
    }
    for (size_t i = 0; i < count; i++) {
        char *output = output_of(comparison, AFTER, i);
        const struct job_options options = {comparison->settings->config, output, .missing_fails_job = true};
        job_list_load(paths[i], &options, &comparison->lists[AFTER].items[i], &problems);
        free(output);
    }
    bool is_broken = problems.count > 0;
    if (is_broken)
        lists_print_problems(&problems, CI_OFF);
    strings_release(&problems);
    struct error *err = &comparison->failure;
    for (size_t i = 0; i < count && !is_broken; i++)
        comparison->lists[BEFORE].items[i] = load_before(comparison, paths, i);
    if (err->text[0] && !signals_first())
        cli_complain("%s", err->text);
    return is_broken || err->text[0] ? EXIT_USAGE : -1;
}

static int find_candidates(struct comparison *comparison)
{
    const struct batch_settings *batch = &comparison->settings->batch;
    const struct candidates_settings settings = {
        .only = batch->only,
        .worker_count = batch->worker_count ? batch->worker_count : cpus_usable(),
        .timeout_s = batch->timeout_s,
        .memory_limit = batch->memory_limit,
        .sandbox = batch->sandbox,
    };
    size_t count = comparison->lists[AFTER].count;
    struct list_pair *pairs = must_alloc(count, sizeof *pairs);
    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct list_pair){comparison->lists[BEFORE].items[i], comparison->lists[AFTER].items[i]};
    struct error err;
    int signal_number = 0;
    int result = candidates_find(pairs, count, &settings, &comparison->candidates, &signal_number, &err);
    free(pairs);
    if (result < 0 && !signal_number)
        cli_complain("%s", err.text);
    return result < 0 ? EXIT_BROKEN : -1;
}

/* -- Drawing -------------------------------------------------------------------------------------------------- */

/* A job that fails several pages is one failure. */
static void keep_failure(void *context, const struct page_result *page)
{
    struct comparison *comparison = context;
    size_t length = strlen(comparison->temporary) + 1;
    bool is_before = !strncmp(page->list->output + length, side_folders[BEFORE], strlen(side_folders[BEFORE]));
    struct failures *failures = &comparison->failures[is_before ? BEFORE : AFTER];
    const struct review_failure *last = failures->count ? &failures->items[failures->count - 1] : NULL;
    if (page->status != PAGE_FAILED || (last && last->job == page->job->name && last->is_own == page->is_own))
        return;
    char *reason = revision_tell(&comparison->revision, page->reason);
    failures->items = must_grow(failures->items, failures->count, &failures->capacity, sizeof *failures->items);
    failures->items[failures->count++] = (struct review_failure){
        page->list->name, page->job->name, arena_strdup(&comparison->arena, reason), page->is_own};
    free(reason);
}

/* Both sides in one run. Returns the exit code, or -1. */
static int draw(struct comparison *comparison)
{
    const struct report_settings report = {
        .verbosity = comparison->settings->verbosity < 0 ? VERBOSITY_SILENT : VERBOSITY_LIVE,
        .on_page = keep_failure,
        .on_page_context = comparison,
    };
    struct batch_settings batch = comparison->settings->batch;
    struct folders *folders = NULL;
    struct error err;
    int signal_number = 0;
    if (comparison->candidates.list_count == 0)
        return -1;
    if (report_open(&report, &batch.report, &err) < 0) {
        cli_complain("%s", err.text);
        return EXIT_BROKEN;
    }
    batch.lists = comparison->candidates.lists;
    batch.list_count = comparison->candidates.list_count;
    batch.worker_count = batch.worker_count ? batch.worker_count : cpus_usable();
    batch.force = true;
    batch.lock = LOCK_OFF;
    enum batch_end end = batch_run(&batch, &folders, &signal_number, &err);
    report_close(batch.report, EXIT_DONE, &(struct error){""});
    folders_leave(folders);
    if (end == BATCH_DONE || end == BATCH_SHEETS_FAILED || end == BATCH_NO_JOBS)
        return -1;
    if (end != BATCH_INTERRUPTED)
        cli_complain("%s", err.text);
    return end == BATCH_NO_BACKEND ? EXIT_NO_BACKEND : EXIT_BROKEN;
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
        char *folder = arena_printf(&comparison->arena, "%s/%s", comparison->temporary, side_folders[side]);
        file_make_folders(folder, &ignored);
        strings_add(&settings->rules->read, folder);
        sources[side] = (struct review_source){
            .folder = folder,
            .name = side == AFTER ? "work tree" : settings->base,
            .detail = side == BEFORE && comparison->revision.detail ? comparison->revision.detail : "",
            .failures = comparison->failures[side].items,
            .failure_count = comparison->failures[side].count,
            .may_be_empty = true,
        };
    }
    double jobs = (double)(comparison->candidates.job_count + 1), timeout_s = settings->batch.timeout_s * jobs;
    if (timeout_s > 0 && timeout_s < LEAST_TIMEOUT_S)
        timeout_s = LEAST_TIMEOUT_S;
    struct blob nothing = {0};
    struct error err;
    int result = sandbox_args_fork(settings->rules, timeout_s, 0, NULL, &nothing, &err);
    blob_release(&nothing);
    comparison->is_apart = result == CHILD_IS_THIS;
    if (comparison->is_apart)
        return review(context, &sources[BEFORE], &sources[AFTER], comparison->candidates.same_count);
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
        exit_code = find_candidates(comparison);
    if (exit_code < 0 && comparison->candidates.job_count == 0 && comparison->settings->batch.only) {
        cli_complain("no job's name matches --only '%s'", comparison->settings->batch.only);
        exit_code = EXIT_USAGE;
    }
    if (exit_code < 0)
        exit_code = draw(comparison);
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
    if (signals_open(&err) < 0 || file_make_temporary(&comparison.temporary, &err) < 0) {
        cli_complain("%s", err.text);
        return EXIT_BROKEN;
    }
    exit_code = compare(&comparison, paths, count, review, context);
    if (!comparison.is_apart)
        file_remove_folder(comparison.temporary);
    int signal_number = signals_first();
    signals_close();
    candidates_release(&comparison.candidates);
    for (int side = 0; side < 2; side++) {
        lists_release(&comparison.lists[side]);
        free(comparison.failures[side].items);
    }
    revision_release(&comparison.revision);
    arena_release(&comparison.arena);
    free(comparison.top);
    free(comparison.tree);
    free(comparison.temporary);
    return signal_number ? EXIT_SIGNAL + signal_number : exit_code;
}
