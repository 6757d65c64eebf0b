#include "report/report.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"

static const struct report_format *const formats[REPORT_FILE_COUNT] = {
    [REPORT_LOG] = &run_log_format,
    [REPORT_JUNIT] = &junit_format,
};

struct report {
    struct report_settings settings;
    struct progress *progress;      /* NULL before report_start */
    void *files[REPORT_FILE_COUNT]; /* NULL: not asked for */
    bool stands_back;
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
    for (size_t i = 0; i < REPORT_FILE_COUNT; i++) {
        if (!settings->files[i] || formats[i]->open(settings->files[i], &report->files[i], err) == 0)
            continue;
        while (i-- > 0)
            if (report->files[i])
                formats[i]->close(report->files[i], NULL, &(struct error){""});
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

static void begin_files(struct report *report)
{
    for (size_t i = 0; i < REPORT_FILE_COUNT; i++)
        if (report->files[i] && formats[i]->begin)
            formats[i]->begin(report->files[i]);
}

void report_start(struct report *report, struct job_list *const *lists, size_t list_count, unsigned worker_count)
{
    struct buffer title = {0}; /* "sheetbake: orcs, elves" */
    for (size_t i = 0; i < list_count; i++)
        buffer_printf(&title, "%s%s", i ? ", " : "sheetbake: ", lists[i]->name);
    report->title = title.text;
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
    begin_files(report);
}

void report_total(struct report *report, size_t page_count)
{
    report->wanted = page_count;
    progress_total(report->progress, report->wanted + report->kept);
}

void report_begin(struct report *report, unsigned worker, const struct job *job)
{
    progress_begin(report->progress, worker, job->name);
}

void report_warning(struct report *report, const struct job *job, const char *text, bool is_old)
{
    report->run.warning_count++;
    progress_warning(report->progress, is_old, job->name, &job->mark, text);
}

void report_detail(struct report *report, const struct job *job, const char *text)
{
    progress_detail(report->progress, job->name, text);
}

void report_page(struct report *report, const struct page_result *given)
{
    struct page_result result = *given;
    bool is_kept = result.status == PAGE_UP_TO_DATE, is_whole = is_kept || result.status == PAGE_MADE;
    size_t warning_count = result.warnings ? result.warnings->count : 0;
    char *warnings = NULL;
    if (report->settings.is_strict && is_whole && warning_count) {
        const char *first = result.warnings->items[0];
        warnings = warning_count == 1
                       ? must_printf("%s (--strict)", first)
                       : must_printf("%s, and %zu more warnings (--strict)", first, warning_count - 1);
        result.status = PAGE_FAILED;
        result.reason = warnings;
        result.stopwatch.current = STAGE_NONE; /* it did not fail in any */
    }
    clock_gettime(CLOCK_REALTIME, &result.ended);
    report->run.counts[result.status]++;
    if (!result.made_with) { /* else it ends with the page that it was made along with */
        report->ended += !is_kept;
        report->kept += is_kept;
        progress_total(report->progress, report->wanted + report->kept);
        progress_page(report->progress, &result);
    }
    if (report->settings.on_page)
        report->settings.on_page(report->settings.on_page_context, &result);
    for (size_t i = 0; i < REPORT_FILE_COUNT; i++)
        if (report->files[i])
            formats[i]->page(report->files[i], &result);
    free(warnings);
}

void report_postponed(struct report *report, unsigned worker, const struct job *job, const char *name,
                      const char *reason)
{
    report->run.warning_count++;
    progress_idle(report->progress, worker);
    progress_warning(report->progress, false, name ? name : job->name, &job->mark, reason);
}

void report_trouble(struct report *report, const char *text)
{
    report->run.warning_count++;
    char *message = must_printf("%s: going on with fewer workers", text);
    progress_warning(report->progress, false, NULL, NULL, message);
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

void report_stand_back(struct report *report)
{
    report->stands_back = true;
}

int report_close(struct report *report, int exit_code, struct error *err)
{
    if (!report)
        return 0;
    struct run_result *run = &report->run;
    clock_gettime(CLOCK_REALTIME, &run->ended);
    run->seconds = clock_now_s() - report->started_s;
    run->exit_code = exit_code;
    run->reason = report->reason;
    run->not_begun = report->wanted > report->ended ? report->wanted - report->ended : 0;
    if (!report->progress && !report->stands_back)
        begin_files(report);
    int result = 0;
    for (size_t i = 0; i < REPORT_FILE_COUNT; i++)
        if (report->files[i] && formats[i]->close(report->files[i], run, err) < 0)
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
    for (size_t i = 0; i < REPORT_FILE_COUNT; i++)
        if (report->files[i] && formats[i]->wants_inputs)
            return true;
    return false;
}
