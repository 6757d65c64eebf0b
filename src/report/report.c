#include "report/report.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "report/junit.h"
#include "report/run_log.h"

struct report {
    struct report_settings settings;
    struct progress *progress; /* once started */
    struct run_log *log;       /* NULL: not asked for */
    bool stands_back;
    struct junit *junit; /* as well */
    struct run_result run;
    double started_s;           /* the time of day may be set meanwhile */
    size_t wanted, ended, kept; /* pages to make that are known, those of them that have ended, pages up to date */
    struct strings problems;
    char *title, *folders, *reason;
};

int report_open(const struct report_settings *settings, struct report **out, struct error *err)
{
    struct report *report = must_alloc(1, sizeof *report);
    report->settings = *settings;
    report->run.only = settings->only;
    report->run.shard = settings->shard;
    report->run.problems = &report->problems;
    clock_gettime(CLOCK_REALTIME, &report->run.started);
    report->started_s = clock_now_s();
    if ((settings->log && run_log_open(settings->log, &report->log, err) < 0) ||
        (settings->junit && junit_open(settings->junit, &report->junit, err) < 0)) {
        run_log_close(report->log, &(struct error){""});
        free(report);
        return -1;
    }
    *out = report;
    return 0;
}

void report_problems(struct report *report, const struct strings *problems)
{
    for (size_t i = 0; i < problems->count; i++)
        strings_add(&report->problems, problems->items[i]);
}

/* "sheetbake: orcs, elves". The caller frees it. */
static char *title_of(struct job_list *const *lists, size_t count)
{
    struct buffer title = {0};
    for (size_t i = 0; i < count; i++)
        buffer_printf(&title, "%s%s", i ? ", " : "sheetbake: ", lists[i]->name);
    return title.text;
}

/* "out/orcs, out/elves": each once. The caller frees it. */
static char *folders_of(struct job_list *const *lists, size_t count)
{
    enum { SHOWN = 4 };
    struct buffer text = {0};
    struct strings folders = {0};
    for (size_t i = 0; i < count; i++)
        if (!strings_has(&folders, lists[i]->output))
            strings_add(&folders, lists[i]->output);
    for (size_t i = 0; i < folders.count && i < SHOWN; i++)
        buffer_printf(&text, "%s%s", i ? ", " : "", folders.items[i]);
    if (folders.count > SHOWN)
        buffer_printf(&text, " and %zu more folders", folders.count - SHOWN);
    strings_release(&folders);
    return text.text;
}

void report_start(struct report *report, struct job_list *const *lists, size_t list_count, unsigned worker_count)
{
    report->title = title_of(lists, list_count);
    report->folders = folders_of(lists, list_count);
    struct progress_settings progress = {
        .out = stderr,
        .verbosity = report->settings.verbosity,
        .worker_count = worker_count,
        .ci = report->settings.ci,
        .title = report->title,
        .folders = report->folders,
    };
    progress_settings_detect(&progress);
    report->progress = progress_new(&progress);
    report->run.lists = lists;
    report->run.list_count = list_count;
    report->run.worker_count = worker_count;
    if (report->log)
        run_log_begin(report->log);
}

static void show_total(struct report *report)
{
    progress_total(report->progress, report->wanted + report->kept);
}

void report_total(struct report *report, size_t page_count)
{
    report->wanted = page_count;
    show_total(report);
}

void report_begin(struct report *report, unsigned worker, const struct job *job)
{
    progress_begin(report->progress, worker, job->name);
}

void report_warning(struct report *report, const struct job *job, const char *text)
{
    report->run.warning_count++;
    progress_warning(report->progress, job->name, &job->mark, text);
}

void report_old_warning(struct report *report, const struct job *job, const char *text)
{
    report->run.warning_count++;
    progress_old_warning(report->progress, job->name, &job->mark, text);
}

void report_detail(struct report *report, const struct job *job, const char *text)
{
    progress_detail(report->progress, job->name, text);
}

static void show_page(struct report *report, const struct page_result *result, const char *name)
{
    switch (result->status) {
    case PAGE_MADE:
        progress_done(report->progress, result->worker, name, result->seconds);
        break;
    case PAGE_UP_TO_DATE:
        report->kept++;
        show_total(report);
        progress_up_to_date(report->progress, name);
        break;
    case PAGE_FAILED:
        progress_failed(report->progress, result->had_worker ? (int)result->worker : -1, result->order, name,
                        result->place ? result->place : &result->job->mark,
                        result->reason ? result->reason : "the worker did not say why");
        break;
    case PAGE_CANCELLED:
    case PAGE_STATUS_COUNT:
        break;
    }
}

/* Before a page has a name, its job's has to do. */
static char *display_name(const struct page_result *result)
{
    if (result->name)
        return must_strdup(result->name);
    return result->page ? must_printf("%s, page %u", result->job->name, result->page + 1)
                        : must_strdup(result->job->name);
}

void report_page(struct report *report, const struct page_result *given)
{
    struct page_result result = *given;
    clock_gettime(CLOCK_REALTIME, &result.ended);
    report->run.counts[result.status]++;
    /* A page made along with another ends with that one. */
    report->ended += !result.made_with && result.status != PAGE_UP_TO_DATE;
    if (!result.made_with) {
        char *name = display_name(&result);
        show_page(report, &result, name);
        free(name);
    }
    if (report->log)
        run_log_page(report->log, &result);
    if (report->junit)
        junit_page(report->junit, &result);
}

void report_postponed(struct report *report, unsigned worker, const struct job *job, const char *name,
                      const char *reason)
{
    report->run.warning_count++;
    progress_postponed(report->progress, worker, name ? name : job->name, &job->mark, reason);
}

void report_trouble(struct report *report, const char *text)
{
    report->run.warning_count++;
    char *message = must_printf("%s: going on with fewer workers", text);
    progress_warning(report->progress, NULL, NULL, message);
    free(message);
}

void report_tick(struct report *report)
{
    progress_tick(report->progress);
}

void report_end(struct report *report, const char *ended)
{
    progress_finish(report->progress, ended);
    if (ended && !report->reason)
        report->reason = must_strdup(ended);
}

void report_end_reason(struct report *report, const char *reason)
{
    free(report->reason);
    report->reason = must_strdup(reason);
}

static void end_run(struct report *report, int exit_code)
{
    struct run_result *run = &report->run;
    clock_gettime(CLOCK_REALTIME, &run->ended);
    run->seconds = clock_now_s() - report->started_s;
    run->exit_code = exit_code;
    run->reason = report->reason;
    run->not_begun = report->wanted > report->ended ? report->wanted - report->ended : 0;
}

void report_stand_back(struct report *report)
{
    report->stands_back = true;
}

int report_close(struct report *report, int exit_code, struct error *err)
{
    if (!report)
        return 0;
    end_run(report, exit_code);
    if (report->log && !report->progress && !report->stands_back)
        run_log_begin(report->log);
    if (report->log)
        run_log_run(report->log, &report->run);
    int result = run_log_close(report->log, err);
    if (junit_close(report->junit, &report->run, err) < 0)
        result = -1;
    progress_free(report->progress);
    strings_release(&report->problems);
    free(report->title);
    free(report->folders);
    free(report->reason);
    free(report);
    return result;
}

size_t report_count(const struct report *report, enum page_status status)
{
    return report->run.counts[status];
}

bool report_wants_details(const struct report *report)
{
    return report->settings.verbosity >= VERBOSITY_VERBOSE;
}

bool report_wants_inputs(const struct report *report)
{
    return report->log != NULL;
}
