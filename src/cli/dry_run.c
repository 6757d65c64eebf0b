#include "cli/dry_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/cli.h"

struct totals {
    size_t pages, unknown; /* to be made; of those, jobs of any number of pages */
    size_t doubtful;       /* jobs that may have none for this shard */
    size_t failures;       /* jobs that would fail */
};

static void print_page(void *context, const struct batch_todo *todo)
{
    struct totals *totals = context;
    char *name = verdict_page_name(todo->verdict, todo->job, todo->page);
    char *reason = reasons_text(&todo->verdict->pages[todo->page].reasons);
    bool would_fail = todo->job->missing_count > 0;
    cli_print_line("%s: %s%s", name, would_fail ? "would fail: " : "", reason);
    totals->pages += !would_fail && !todo->is_doubtful;
    totals->doubtful += todo->is_doubtful;
    totals->unknown += !would_fail && todo->verdict->page_count == 0;
    totals->failures += would_fail;
    free(name);
    free(reason);
}

enum batch_end dry_run(const struct batch_settings *settings, bool is_quiet)
{
    struct totals totals = {0};
    size_t up_to_date;
    enum batch_end end = batch_preview(settings, print_page, &totals, &up_to_date);
    fflush(stdout);
    if (end == BATCH_NO_JOBS || is_quiet)
        return end;
    fprintf(stderr, "%s%zu sheet%s would be made", totals.unknown ? "at least " : "", totals.pages,
            totals.pages == 1 ? "" : "s");
    if (totals.doubtful > 0)
        fprintf(stderr, ", and what %zu other job%s for this shard", totals.doubtful,
                totals.doubtful == 1 ? " has" : "s have");
    fprintf(stderr, ", %zu up to date", up_to_date);
    if (totals.failures)
        fprintf(stderr, ", %zu job%s would fail", totals.failures, totals.failures == 1 ? "" : "s");
    fprintf(stderr, "\n");
    return end;
}
