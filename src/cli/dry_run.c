#include "cli/dry_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/cli.h"

struct totals {
    size_t pages, unknown; /* to be made; of those, jobs of any number of pages */
};

static void print_page(void *context, const struct batch_todo *todo)
{
    struct totals *totals = context;
    const struct reasons *reasons = &todo->verdict->pages[todo->page].reasons;
    char *name = verdict_page_name(todo->verdict, todo->job, todo->page);
    char *reason = reason_text(&reasons->items[0]);
    char *more = reasons->count > 1 ? must_printf(" (and %zu more)", reasons->count - 1) : must_strdup("");
    cli_print_line("%s: %s%s", name, reason, more);
    totals->pages++;
    totals->unknown += todo->verdict->page_count == 0;
    free(name);
    free(reason);
    free(more);
}

enum batch_end dry_run(const struct batch_settings *settings, bool is_quiet)
{
    struct totals totals = {0};
    size_t up_to_date;
    enum batch_end end = batch_preview(settings, print_page, &totals, &up_to_date);
    fflush(stdout);
    if (end == BATCH_DONE && !is_quiet)
        fprintf(stderr, "%s%zu sheet%s would be made, %zu up to date\n", totals.unknown ? "at least " : "",
                totals.pages, totals.pages == 1 ? "" : "s", up_to_date);
    return end;
}
