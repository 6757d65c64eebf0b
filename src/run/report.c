#include "run/report.h"

#include <stdlib.h>

#include "base/memory.h"

struct report {
    struct report_settings settings;
    struct progress *progress; /* once started */
    size_t counts[PAGE_STATUS_COUNT];
};

int report_open(const struct report_settings *settings, struct report **out, struct error *err)
{
    (void)err;
    struct report *report = must_alloc(1, sizeof *report);
    report->settings = *settings;
    *out = report;
    return 0;
}

void report_start(struct report *report, struct job_list *const *lists, size_t list_count, unsigned worker_count)
{
    (void)lists;
    (void)list_count;
    struct progress_settings progress = {
        .out = stderr,
        .verbosity = report->settings.verbosity,
        .worker_count = worker_count,
    };
    progress_settings_detect(&progress);
    report->progress = progress_new(&progress);
}

void report_total(struct report *report, size_t page_count)
{
    progress_total(report->progress, page_count);
}

void report_begin(struct report *report, unsigned worker, const struct job *job)
{
    progress_begin(report->progress, worker, job->name);
}

void report_warning(struct report *report, const struct job *job, const char *text)
{
    progress_warning(report->progress, job->name, text);
}

static void show_page(struct report *report, const struct page_result *result, const char *name)
{
    switch (result->status) {
    case PAGE_MADE:
        progress_done(report->progress, result->worker, name, result->seconds);
        break;
    case PAGE_UP_TO_DATE:
        progress_up_to_date(report->progress, name);
        break;
    case PAGE_FAILED:
    case PAGE_QUARANTINED:
        progress_failed(report->progress, result->had_worker ? (int)result->worker : -1, result->order, name,
                        result->reason ? result->reason : "the worker did not say why");
        break;
    case PAGE_CANCELLED:
    case PAGE_STATUS_COUNT:
        break;
    }
}

void report_page(struct report *report, const struct page_result *result)
{
    report->counts[result->status]++;
    /* Before a page has a name, its job's has to do. A page made along with another has been counted with it. */
    if (!result->made_with)
        show_page(report, result, result->name ? result->name : result->job->name);
}

void report_tick(struct report *report)
{
    progress_tick(report->progress);
}

void report_end(struct report *report, const char *ended)
{
    progress_finish(report->progress, ended);
}

int report_close(struct report *report, int exit_code, struct error *err)
{
    (void)exit_code;
    (void)err;
    if (!report)
        return 0;
    progress_free(report->progress);
    free(report);
    return 0;
}

size_t report_count(const struct report *report, enum page_status status)
{
    return report->counts[status];
}

bool report_wants_inputs(const struct report *report)
{
    (void)report;
    return false;
}
