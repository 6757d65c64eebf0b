#include "cli/history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/sandbox_args.h"
#include "cli/side.h"
#include "os/child.h"
#include "os/signals.h"
#include "page/read.h"

/* The files of a commit. Those that may have other sheets than the commit before are drawn. */
struct version {
    struct commit commit;
    struct side side;
    char *folder;          /* of its sheets */
    struct job_list *list; /* NULL: it has none, or a broken one */
    const char *problem;   /* of that one, or NULL */
    bool is_wanted, is_drawn;
};

struct history {
    const struct history_settings *settings;
    const char *path;        /* of the list */
    char *temporary, *empty; /* folders of ours */
    struct repository repository;
    struct commits commits;
    struct version *versions; /* of the commits, newest first, and of the parent of the oldest if there is one */
    size_t version_count;
    struct strings files, folders; /* below the top, sorted: all that was read for what was drawn, and its roots */
    bool has_declarations;         /* any file in the folders may declare what was looked for */
    struct arena arena;
    bool is_apart; /* in the process that compares the pictures */
};

/* -- Which commits may have changed something ----------------------------------------------------------------- */

static void add_below(struct strings *paths, const char *top, char *path)
{
    const char *below = path_below(top, path);
    if (below)
        strings_add(paths, below);
    free(path);
}

/* All that the sheets of a version depend on but for files that were not there. */
static void note_files(struct history *history, const struct version *version)
{
    const char *top = history->repository.top;
    const struct job_list *list = version->list;
    struct page_folder made;
    struct error err;
    add_below(&history->files, top, path_resolve(history->path));
    for (size_t i = 0; list && i < list->file_count; i++)
        add_below(&history->files, top, path_resolve(list->files[i]));
    for (size_t i = 0; list && i < list->root_count; i++) {
        add_below(&history->files, top, must_strdup(list->roots[i]));
        add_below(&history->folders, top, must_strdup(list->roots[i]));
    }
    if (!list || page_folder_open(list->output, true, &made, &err) < 0)
        return;
    for (size_t i = 0; i < made.records.count; i++) {
        struct record record = {0};
        char *path = path_join(list->output, made.records.items[i]);
        if (recorded_load(path, path, &record, &err) == RECORD_GOOD)
            for (size_t n = 0; n < record.inputs.count; n++)
                for (size_t root = 0; root < list->root_count; root++)
                    add_below(&history->files, top, path_join(list->roots[root], record.inputs.items[n].name));
        history->has_declarations |= record.declared.count > 0;
        record_release(&record);
        free(path);
    }
    page_folder_release(&made);
}

/* A file that comes or goes may be looked for, and a link may lead anywhere. */
static bool is_relevant(const struct history *history, const struct commit_change *change)
{
    bool matters = !change->is_file || strings_has_sorted(&history->files, change->path);
    for (size_t i = 0; i < history->folders.count && !matters; i++) {
        const char *folder = history->folders.items[i];
        matters = (!change->is_edit || history->has_declarations) &&
                  (!*folder || path_below(folder, change->path) != NULL);
    }
    return matters;
}

/* Wants each version that may differ from the one before, as far as what was drawn tells: of one that failed, it is not known
 * what would mend it. Returns how many. */
static size_t want_versions(struct history *history)
{
    size_t count = 0;
    bool has_failed = false;
    for (size_t i = history->version_count; i-- > 0;) {
        struct version *version = &history->versions[i];
        const struct commit_change *changes = &history->commits.changes[version->commit.first_change];
        if (version->is_drawn) {
            has_failed = version->problem || version->side.failure_count;
            continue;
        }
        version->is_wanted = has_failed;
        for (size_t c = 0; c < version->commit.change_count && !version->is_wanted; c++)
            version->is_wanted = is_relevant(history, &changes[c]);
        count += version->is_wanted;
    }
    return count;
}

/* -- Drawing -------------------------------------------------------------------------------------------------- */

static void load(struct history *history, struct version *version, const struct version *near)
{
    struct side *side = &version->side;
    struct strings problems = {0};
    struct error err = {""}, ignored;
    version->folder =
        arena_printf(&history->arena, "%s/%zu", history->temporary, (size_t)(version - history->versions));
    file_make_folders(version->folder, &ignored);
    *side = (struct side){.top = history->repository.top};
    if (revision_read_commit(&history->repository, &version->commit, near ? &near->side.revision : NULL,
                             &side->revision, &err) == 0) {
        side->name = side->revision.name;
        char *place = side_locate(side, history->path);
        if (access(place, F_OK) == 0)
            version->list =
                side_load(side, history->path, history->settings->base->config, version->folder, &problems);
        free(place);
    }
    const char *problem = *err.text ? err.text : *side->failure.text ? side->failure.text : NULL;
    problem = !problem && problems.count ? problems.items[0] : problem;
    if (problem) {
        version->problem = arena_strdup(&history->arena, problem);
        job_list_free(version->list);
        version->list = NULL;
    }
    strings_release(&problems);
}

static void keep_failure(void *context, const struct page_result *page)
{
    struct history *history = context;
    struct version *version = history->versions;
    while (version->list != page->list)
        version++;
    side_keep_failure(&version->side, page);
}

/* Draws the versions that are wanted. Returns the exit code, or -1. */
static int draw(struct history *history)
{
    const struct report_settings report = {
        .verbosity = history->settings->base->verbosity < 0 ? VERBOSITY_SILENT : VERBOSITY_LIVE,
        .on_page = keep_failure,
        .on_page_context = history,
    };
    struct job_list **lists = must_alloc(history->version_count, sizeof *lists);
    struct batch_settings batch = history->settings->base->batch;
    const struct version *near = NULL;
    for (size_t i = 0; i < history->version_count && !signals_first(); i++) {
        struct version *version = &history->versions[i];
        if (version->is_wanted && !version->is_drawn) {
            load(history, version, near);
            if (version->list)
                lists[batch.list_count++] = version->list;
        }
        if (version->is_wanted)
            near = version;
    }
    batch.lists = lists;
    batch.png_level = PNG_FASTEST;
    batch.give_up = 0;
    int exit_code = signals_first() ? EXIT_BROKEN : batch.list_count ? sides_run(&batch, &report) : -1;
    for (size_t i = 0; i < history->version_count && exit_code < 0; i++) {
        struct version *version = &history->versions[i];
        if (version->is_wanted && !version->is_drawn)
            note_files(history, version);
        version->is_drawn = version->is_wanted;
    }
    strings_sort(&history->files);
    strings_sort(&history->folders);
    free(lists);
    return exit_code;
}

/* Where a list is broken, the jobs fail that a version near it has. Returns whether there are jobs at all. */
static bool fail_broken(struct history *history)
{
    const char *only = history->settings->base->batch.only;
    const struct job_list *list = NULL;
    bool has_jobs = false;
    for (size_t i = history->version_count; i-- > 0;)
        list = history->versions[i].list ? history->versions[i].list : list;
    for (size_t i = 0; i < history->version_count; i++) {
        struct version *version = &history->versions[i];
        list = version->list ? version->list : list;
        for (size_t n = 0; list && n < list->job_count; n++) {
            if (only && !glob_matches(only, list->jobs[n].name, false))
                continue;
            has_jobs = true;
            if (version->problem)
                side_fail(&version->side, list->name, list->jobs[n].name, version->problem, true);
        }
    }
    return has_jobs;
}

/* -- What the commits changed --------------------------------------------------------------------------------- */

static struct review_source source_of(const struct history *history, const struct version *version)
{
    struct review_source source = {.folder = history->empty, .may_be_empty = true};
    if (version) {
        source.folder = version->folder;
        source.told = version->side.name;
        source.failures = version->side.failures;
        source.failure_count = version->side.failure_count;
    }
    return source;
}

/* Adds what a version has otherwise than the one before; NULL: there was none. */
static int review_version(const struct history *history, const struct version *before, const struct version *after,
                          struct review *one, struct review *all, struct error *err)
{
    const struct review_source sources[] = {source_of(history, before), source_of(history, after)};
    const struct commit *commit = &after->commit;
    if (review_folders(&sources[0], &sources[1], history->settings->review, one, err) < 0)
        return -1;
    review_add_commit(all, one,
                      &(struct review_commit){commit->id, commit->author, commit->date, commit->subject});
    return 0;
}

/* Of a history that ends before its first commit, why. */
static const char *why_cut(const struct history *history)
{
    const struct commits *commits = &history->commits;
    if (*commits->items[commits->count - 1].parent)
        return commits->count == history->settings->most ? "these are as many commits as --max allows" : NULL;
    return repository_is_shallow(&history->repository)
               ? "this clone is shallow, and does not say what its oldest commit changed"
               : NULL;
}

/* In the confined process, newest first. */
static int review_versions(const struct history *history, history_report *report, void *context)
{
    struct rlimit files; /* each review has two folders open */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        setrlimit(RLIMIT_NOFILE, &(struct rlimit){files.rlim_max, files.rlim_max});
    struct review *ones = must_alloc(history->version_count, sizeof *ones);
    struct review all = {.before = {"the commit before", ""}, .after = {"the commit", ""}};
    const struct version *after = NULL;
    const char *why = why_cut(history);
    struct error err;
    int result = 0;
    for (size_t i = 0; i <= history->version_count && result == 0; i++) {
        const struct version *version = i < history->version_count ? &history->versions[i] : NULL;
        bool is_first = !version && history->version_count == history->commits.count && !why;
        if (version ? !version->is_drawn : !is_first)
            continue;
        if (after)
            result = review_version(history, version, after, &ones[after - history->versions], &all, &err);
        after = version;
    }
    if (why)
        cli_complain("note: %s", why);
    int exit_code = result < 0 ? cli_fail(&err, EXIT_BROKEN) : report(context, &all);
    review_release(&all);
    for (size_t i = 0; i < history->version_count; i++)
        review_release(&ones[i]);
    free(ones);
    return exit_code;
}

static int review_apart(struct history *history, history_report *report, void *context)
{
    const struct diff_base *base = history->settings->base;
    strings_add(&base->rules->read, history->temporary);
    int exit_code = sides_fork(base->rules, base->batch.timeout_s * (double)history->version_count);
    history->is_apart = exit_code == CHILD_IS_THIS;
    return history->is_apart ? review_versions(history, report, context) : exit_code;
}

/* -- All of it ------------------------------------------------------------------------------------------------ */

/* Finds the commits, of which the newest and what was before the oldest are drawn first. */
static int open_history(struct history *history, struct error *err)
{
    struct commits *commits = &history->commits;
    if (repository_find(history->path, history->temporary, &history->repository, err) < 0 ||
        commits_read(&history->repository, history->settings->since, history->settings->most, commits, err) < 0)
        return -1;
    if (!commits->count)
        return error_set(err, "'%s' has all commits of HEAD", history->settings->since);
    history->versions = must_alloc(commits->count + 1, sizeof *history->versions);
    for (size_t i = 0; i < commits->count; i++)
        history->versions[history->version_count++].commit = commits->items[i];
    const char *parent = commits->items[commits->count - 1].parent;
    if (*parent)
        history->versions[history->version_count++].commit = (struct commit){.id = parent, .subject = ""};
    history->versions[0].is_wanted = history->versions[history->version_count - 1].is_wanted = true;
    return 0;
}

static int tell(struct history *history, history_report *report, void *context)
{
    struct error err;
    if (open_history(history, &err) < 0)
        return signals_first() ? EXIT_BROKEN : cli_fail(&err, EXIT_USAGE);
    int exit_code = draw(history);
    while (exit_code < 0 && want_versions(history))
        exit_code = draw(history);
    if (exit_code < 0 && !fail_broken(history)) {
        const char *problem = history->versions[0].problem;
        cli_complain("%s%s", problem ? "" : history->path, problem ? problem : ": no such job in any commit");
        exit_code = EXIT_USAGE;
    }
    return exit_code < 0 ? review_apart(history, report, context) : exit_code;
}

int history_run(const struct history_settings *settings, const char *list, history_report *report, void *context)
{
    struct history history = {.settings = settings, .path = list};
    struct error err;
    int exit_code = sandbox_args_check(settings->base->batch.sandbox, false);
    if (exit_code >= 0)
        return exit_code;
    if (signals_open(&err) < 0 || file_make_temporary(&history.temporary, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
    history.empty = path_join(history.temporary, "nothing");
    file_make_folders(history.empty, &err);
    exit_code = tell(&history, report, context);
    if (!history.is_apart)
        file_remove_folder(history.temporary);
    int signal_number = signals_first();
    signals_close();
    for (size_t i = 0; i < history.version_count; i++) {
        job_list_free(history.versions[i].list);
        side_release(&history.versions[i].side);
    }
    free(history.versions);
    commits_release(&history.commits);
    repository_release(&history.repository);
    strings_release(&history.files);
    strings_release(&history.folders);
    arena_release(&history.arena);
    free(history.empty);
    free(history.temporary);
    return signal_number ? EXIT_SIGNAL + signal_number : exit_code;
}
