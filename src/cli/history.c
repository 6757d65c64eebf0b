#include "cli/versions.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "os/signals.h"

struct history {
    struct versions versions; /* of the commits, and of the parent of the oldest if there is one */
    struct commits commits;
    struct commit parent;
    struct strings files, folders; /* below the top, sorted: all that drawing has read, and the roots */
    bool has_declarations;         /* any file in the folders may declare what a job looks for */
};

/* -- Which commits may have changed something ----------------------------------------------------------------- */

static void add_below(struct strings *paths, const char *top, char *path)
{
    const char *below = path_below(top, path);
    if (below)
        strings_add(paths, below);
    free(path);
}

/* Notes all files that the sheets of a version depend on, but for those that were missing. */
static void note_files(struct history *history, const struct version *version)
{
    const char *top = history->versions.top;
    const struct job_list *list = version->lists[0].list;
    struct page_set made;
    struct error err;
    add_below(&history->files, top, path_resolve(history->versions.paths[0]));
    for (size_t i = 0; list && i < list->file_count; i++)
        add_below(&history->files, top, path_resolve(list->files[i]));
    for (size_t i = 0; list && i < list->root_count; i++) {
        add_below(&history->files, top, must_strdup(list->roots[i]));
        add_below(&history->folders, top, must_strdup(list->roots[i]));
    }
    if (!list || page_set_open(list->output, true, &made, &err) < 0)
        return;
    for (size_t i = 0; i < made.page_count; i++) {
        SCOPED_BY(record_release) struct record record = {0};
        SCOPED char *path = must_printf("%s/%s" RECORD_SUFFIX, list->output, made.pages[i].stem);
        if (recorded_load(path, path, RECORD_WHOLE, &record, &err) == RECORD_GOOD)
            for (size_t n = 0; n < record.inputs.count; n++)
                for (size_t root = 0; root < list->root_count; root++)
                    add_below(&history->files, top, path_join(list->roots[root], record.inputs.items[n].name));
        history->has_declarations |= record.declared.count > 0;
    }
    page_set_release(&made);
}

/* True also for a file that comes or goes, which a job may look for, and for a link, which may lead anywhere. */
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

/* Marks each version that may differ from its predecessor, as far as what was drawn tells. After one that failed, marks the
 * next as well: any change may repair it. Returns how many. */
static size_t want_versions(struct history *history)
{
    size_t count = 0;
    bool has_failed = false;
    for (size_t i = history->versions.count; i-- > 0;) {
        struct version *version = &history->versions.items[i];
        const struct commit_change *changes = &history->commits.changes[version->commit->first_change];
        if (version->is_drawn) {
            has_failed = version->problem || version->failures.count;
            continue;
        }
        version->is_wanted = has_failed;
        for (size_t c = 0; c < version->commit->change_count && !version->is_wanted; c++)
            version->is_wanted = is_relevant(history, &changes[c]);
        count += version->is_wanted;
    }
    return count;
}

/* -- Drawing -------------------------------------------------------------------------------------------------- */

static void load(struct history *history, size_t number, const struct version *near)
{
    struct versions *versions = &history->versions;
    struct version *version = &versions->items[number];
    SCOPED_BY(strings_release) struct strings problems = {0};
    struct error err = {""};
    char folder[32];
    snprintf(folder, sizeof folder, "%zu", number);
    version_begin(versions, version, folder);
    if (revision_read(&versions->repository, NULL, version->commit, near ? &near->revision : NULL,
                      &version->revision, &err) == 0) {
        version->name = version->revision.name;
        if (version_load(versions, version, 0, &problems) == LIST_BROKEN)
            error_set(&err, "%s", *version->failure.text ? version->failure.text : problems.items[0]);
    }
    if (*err.text)
        version->problem = arena_strdup(&versions->arena, err.text);
    if (versions->repository.lacks_room)
        version->no_room = version->problem;
}

/* Ends with a message where there was no room to look at a commit: its changes would seem to be another one's. Returns the exit
 * code, or -1. */
static int need_room(const struct history *history)
{
    for (size_t i = 0; i < history->versions.count; i++) {
        const struct version *version = &history->versions.items[i];
        if (!version->no_room)
            continue;
        cli_complain("commit %.*s cannot be looked at: %s", SHORT_ID, version->commit->id, version->no_room);
        return EXIT_BROKEN;
    }
    return -1;
}

/* Draws the wanted versions. Returns the exit code, or -1. */
static int draw(struct history *history)
{
    const struct version *near = NULL;
    for (size_t i = 0; i < history->versions.count && !signals_first(); i++) {
        struct version *version = &history->versions.items[i];
        if (!version->is_wanted)
            continue;
        if (!version->is_drawn)
            load(history, i, near);
        near = version;
    }
    int exit_code = signals_first() ? EXIT_BROKEN : versions_draw(&history->versions);
    if (exit_code < 0)
        exit_code = need_room(history);
    for (size_t i = 0; i < history->versions.count && exit_code < 0; i++) {
        struct version *version = &history->versions.items[i];
        if (version->is_wanted && !version->is_noted)
            note_files(history, version);
        version->is_noted = version->is_wanted;
    }
    strings_sort(&history->files);
    strings_sort(&history->folders);
    return exit_code;
}

/* Where a list is broken, fails the jobs that a version near it has. Returns whether there are any. */
static bool fail_broken(struct history *history)
{
    const struct versions *versions = &history->versions;
    const struct job_list *list = NULL;
    size_t count = 0;
    for (size_t i = versions->count; i-- > 0;)
        if (versions->items[i].list_count && versions->items[i].lists[0].list)
            list = versions->items[i].lists[0].list;
    for (size_t i = 0; i < versions->count && list; i++) {
        struct version *version = &versions->items[i];
        list = version->list_count && version->lists[0].list ? version->lists[0].list : list;
        count += versions_count(versions, list);
        if (version->problem)
            version_fail(versions, version, list, version->problem, true);
    }
    return count > 0;
}

/* -- All of it ------------------------------------------------------------------------------------------------ */

/* Finds the commits. The newest, and the parent of the oldest, are drawn first. */
static int open_history(struct history *history, const struct history_settings *settings, struct error *err)
{
    struct versions *versions = &history->versions;
    struct commits *commits = &history->commits;
    if (!versions->has_repository) {
        *err = versions->no_repository;
        return -1;
    }
    if (commits_read(&versions->repository, settings->since, settings->most, commits, err) < 0)
        return -1;
    if (!commits->count)
        return error_set(err, "'%s' has all commits of HEAD", settings->since);
    versions->items = must_alloc(commits->count + 1, sizeof *versions->items);
    for (size_t i = 0; i < commits->count; i++)
        versions->items[i].commit = &commits->items[i];
    history->parent = (struct commit){.id = commits->items[commits->count - 1].parent, .subject = ""};
    versions->items[commits->count].commit = &history->parent;
    versions->count = commits->count + (*history->parent.id != '\0');
    versions->items[0].is_wanted = versions->items[versions->count - 1].is_wanted = true;
    return 0;
}

/* Returns why a history ends before its first commit; NULL: it does not. */
static const char *why_cut(const struct history *history, unsigned most)
{
    if (*history->parent.id)
        return history->commits.count == most ? "these are as many commits as --max allows" : NULL;
    return history->versions.repository.is_shallow
               ? "this clone is shallow, and does not say what its oldest commit changed"
               : NULL;
}

static int tell(struct history *history, const struct history_settings *settings, versions_report *report,
                void *context)
{
    struct versions *versions = &history->versions;
    struct error err;
    if (open_history(history, settings, &err) < 0)
        return signals_first() ? EXIT_BROKEN : cli_fail(&err, versions_exit(versions));
    int exit_code = draw(history);
    while (exit_code < 0 && want_versions(history))
        exit_code = draw(history);
    if (exit_code >= 0)
        return exit_code;
    if (!fail_broken(history)) {
        const char *problem = versions->items[0].problem;
        cli_complain("%s%s", problem ? "" : history->versions.paths[0],
                     problem ? problem : ": no such job in any commit");
        return EXIT_USAGE;
    }
    const char *why = why_cut(history, settings->most);
    if (why)
        cli_complain("note: %s", why);
    if (!*history->parent.id && !why) { /* before the first commit there was nothing */
        versions->items[versions->count].name = "nothing";
        version_begin(versions, &versions->items[versions->count++], "nothing");
    }
    return versions_review(versions, report, context);
}

int history_run(const struct versions_settings *versions, const struct history_settings *settings,
                char *const *list, versions_report *report, void *context)
{
    struct history history = {.versions = {.settings = versions, .paths = list, .path_count = 1}};
    int exit_code = versions_open(&history.versions);
    if (exit_code < 0)
        exit_code = tell(&history, settings, report, context);
    exit_code = versions_close(&history.versions, exit_code);
    commits_release(&history.commits);
    strings_release(&history.files);
    strings_release(&history.folders);
    return exit_code;
}
