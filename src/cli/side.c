#include "cli/side.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "os/child.h"
#include "os/resources.h"
#include "os/signals.h"

int side_open(struct side *side, const char *name, const struct repository *repository, const struct error *why,
              struct error *err)
{
    struct stat info;
    side->name = name;
    if (stat(name, &info) == 0 && S_ISDIR(info.st_mode)) {
        side->tree = path_resolve(name);
        return 0;
    }
    if (repository)
        return revision_read(repository, name, &side->revision, err);
    *err = *why;
    return -1;
}

void side_release(struct side *side)
{
    revision_release(&side->revision);
    free(side->failures);
    free(side->tree);
}

/* In the revision: where the path as it stands led then, or else where it leads now. NULL for one that is outside. */
static char *locate_in_revision(struct side *side, const char *plain, const char *real)
{
    const char *paths[] = {path_below(side->top, plain), path_below(side->top, real)};
    char *place = NULL;
    int found = 0;
    for (int i = 0; i < 2 && found == 0; i++)
        if (paths[i]) {
            free(place);
            place = NULL;
            found = revision_locate(&side->revision, paths[i], &place, &side->failure);
        }
    if (found == 0 && !paths[1]) { /* a link that git does not know leads out */
        free(place);
        place = NULL;
    }
    return place;
}

char *side_locate(struct side *side, const char *path)
{
    struct arena arena = {0};
    const char *here = arena_take(&arena, path_resolve(".")), *full = arena_take(&arena, path_join(here, path));
    const char *plain = arena_take(&arena, path_tidy(full)), *real = arena_take(&arena, path_resolve(path));
    const char *inside = path_below(side->top, real);
    char *place = NULL;
    if (side->revision.commit && !side->failure.text[0])
        place = locate_in_revision(side, plain, real);
    else if (side->tree && inside)
        place = path_resolve(arena_take(&arena, path_join(side->tree, inside)));
    arena_release(&arena);
    return place ? place : must_strdup(path);
}

static char *locate(void *context, const char *path)
{
    return side_locate(context, path);
}

struct job_list *side_load(struct side *side, const char *path, const char *config, const char *output,
                           struct strings *problems)
{
    const struct job_places places = {locate, side, side->revision.commit ? &side->revision.tree : NULL};
    char *own_config = config ? side_locate(side, config) : NULL;
    const struct job_options options = {
        .config = own_config && access(own_config, F_OK) == 0 ? own_config : config,
        .output = output,
        .missing_fails_job = true,
        .places = &places,
    };
    char *place = side_locate(side, path);
    bool is_now = !side->revision.commit && !side->tree;
    struct job_list *list = NULL;
    struct strings found = {0};
    if (is_now || access(place, F_OK) == 0)
        job_list_load(path, &options, &list, &found);
    else
        strings_printf(problems, "%s is not in %s", path, side->name);
    for (size_t i = 0; i < found.count; i++) {
        char *text = revision_tell(&side->revision, found.items[i]);
        strings_printf(problems, "%s%s%s%s", is_now ? "" : "in ", is_now ? "" : side->name, is_now ? "" : ": ",
                       text);
        free(text);
    }
    strings_release(&found);
    free(place);
    free(own_config);
    return list;
}

void side_fail(struct side *side, const char *list, const char *job, const char *reason, bool is_own)
{
    side->failures =
        must_grow(side->failures, side->failure_count, &side->failure_capacity, sizeof *side->failures);
    side->failures[side->failure_count++] = (struct review_failure){list, job, reason, is_own};
}

void side_keep_failure(struct side *side, const struct page_result *page)
{
    const struct review_failure *last = side->failure_count ? &side->failures[side->failure_count - 1] : NULL;
    if (page->status != PAGE_FAILED || (last && last->job == page->job->name && last->is_own == page->is_own))
        return;
    char *reason = revision_tell(&side->revision, page->reason), *at = strstr(reason, page->list->output);
    size_t length = strlen(page->list->output) + 1;
    if (at && at[length - 1] == '/') /* a folder of ours, which is gone when people read it */
        memmove(at, at + length, strlen(at + length) + 1);
    side_fail(side, page->list->name, page->job->name, arena_take(&side->revision.arena, reason), page->is_own);
}

int sides_run(struct batch_settings *batch, const struct report_settings *report)
{
    struct folders *folders = NULL;
    struct error err;
    int signal_number = 0;
    if (report_open(report, &batch->report, &err) < 0)
        return cli_fail(&err, EXIT_BROKEN);
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

int sides_fork(const struct sandbox_rules *rules, double timeout_s)
{
    const double least_s = 60; /* workers that had too little time are a result */
    struct error err;
    timeout_s = timeout_s > 0 && timeout_s < least_s ? least_s : timeout_s;
    int result = sandbox_args_fork(rules, timeout_s, &err);
    if (result == -1 && !signals_first())
        cli_complain("the pictures: %s", err.text);
    return result == -1 ? EXIT_BROKEN : result;
}
