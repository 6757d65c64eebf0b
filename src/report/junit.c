#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "report/xml.h"

struct test_case {
    const struct job_list *list;
    const struct job *job;
    uint32_t page;
    uint64_t order;
    enum page_status status;
    double seconds;
    char *reason;  /* or NULL */
    char *details; /* what else is known of a page that was not made, or NULL */
    struct strings warnings;
};

struct junit {
    char *path;
    struct test_case *cases; /* as the pages ended */
    size_t count, capacity;
};

static int open_report(const char *path, void **out, struct error *err)
{
    if (file_can_renew(path, err) < 0)
        return error_add(err, "cannot write the report");
    struct junit *junit = must_alloc(1, sizeof *junit);
    junit->path = must_strdup(path);
    *out = junit;
    return 0;
}

/* What else is known of a page that was not made. */
static char *describe_circumstances(const struct page_result *result)
{
    struct buffer text = {0};
    const char *stage = stage_name(result->stopwatch.current);
    buffer_printf(&text, "%s:%u: job '%s' of %s", result->job->mark.file, result->job->mark.line,
                  result->job->name, result->job->model);
    if (stage)
        buffer_printf(&text, "\nstage: %s", stage);
    if (result->signal)
        buffer_printf(&text, "\nsignal: %d (%s)", result->signal, strsignal(result->signal));
    if (result->attempts > 1)
        buffer_printf(&text, "\nattempts: %u", result->attempts);
    return text.text;
}

/* A page that was made along with another is in that one's case. */
static void add_page(void *file, const struct page_result *result)
{
    struct junit *junit = file;
    if (result->made_with)
        return;
    bool is_whole = result->status == PAGE_MADE || result->status == PAGE_UP_TO_DATE;
    junit->cases = must_grow(junit->cases, junit->count, &junit->capacity, sizeof *junit->cases);
    struct test_case *added = &junit->cases[junit->count++];
    *added = (struct test_case){
        .list = result->list,
        .job = result->job,
        .page = result->page,
        .order = result->order,
        .status = result->status,
        .seconds = result->seconds,
        .reason = result->reason ? must_strdup(result->reason) : NULL,
        .details = is_whole ? NULL : describe_circumstances(result),
    };
    for (size_t i = 0; result->warnings && i < result->warnings->count; i++)
        strings_add(&added->warnings, result->warnings->items[i]);
}

/* -- The report -------------------------------------------------------------------------------------------- */

static void begin_suite(struct buffer *out, const char *name, const struct xml_totals *totals,
                        const struct run_result *run)
{
    char time[32];
    struct tm parts;
    gmtime_r(&run->started.tv_sec, &parts);
    strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &parts);
    buffer_printf(out, " <testsuite");
    xml_add_attribute(out, "name", name);
    xml_add_totals(out, totals);
    xml_add_attribute(out, "timestamp", time);
    buffer_printf(out, ">\n");
}

static void add_case(struct buffer *out, const struct test_case *test)
{
    /* CI systems compare names from run to run: however the page ends, it stays the same. */
    char *name =
        test->page ? must_printf("%s (page %u)", test->job->name, test->page + 1) : must_strdup(test->job->name);
    buffer_printf(out, "  <testcase");
    xml_add_attribute(out, "classname", test->list->name);
    xml_add_attribute(out, "name", name);
    xml_add_attribute(out, "file", test->job->mark.file);
    buffer_printf(out, " line=\"%u\" time=\"%.6f\">\n", test->job->mark.line, test->seconds);
    if (test->status == PAGE_FAILED)
        xml_add_child(out, "failure", "failed", test->reason ? test->reason : "", test->details);
    else if (test->status == PAGE_CANCELLED)
        xml_add_child(out, "skipped", NULL, "the run ended first", test->details);
    for (size_t i = 0; i < test->warnings.count; i++) {
        buffer_printf(out, i ? "\nwarning: " : "   <system-out>warning: ");
        xml_add_text(out, test->warnings.items[i]);
    }
    buffer_printf(out, "%s  </testcase>\n", test->warnings.count ? "</system-out>\n" : "");
    free(name);
}

static void add_list(struct buffer *out, const struct junit *junit, const struct job_list *list,
                     const struct run_result *run, struct xml_totals *all)
{
    struct xml_totals totals = {0};
    for (size_t i = 0; i < junit->count; i++) {
        const struct test_case *test = &junit->cases[i];
        if (test->list != list)
            continue;
        totals.tests++;
        totals.failures += test->status == PAGE_FAILED;
        totals.skipped += test->status == PAGE_CANCELLED;
        totals.seconds += test->seconds;
    }
    begin_suite(out, list->name, &totals, run);
    for (size_t i = 0; i < junit->count; i++)
        if (junit->cases[i].list == list)
            add_case(out, &junit->cases[i]);
    buffer_printf(out, " </testsuite>\n");
    all->tests += totals.tests;
    all->failures += totals.failures;
    all->skipped += totals.skipped;
}

/* A case in a suite of the run's own, for what went wrong and was no page's fault. */
static void add_error(struct buffer *out, const char *name, const char *type, const char *message)
{
    buffer_printf(out, "  <testcase classname=\"sheetbake\"");
    xml_add_attribute(out, "name", name);
    buffer_printf(out, " time=\"0\">\n");
    xml_add_child(out, "error", type, message, NULL);
    buffer_printf(out, "  </testcase>\n");
}

/* Without it, a report of a run that ended early would look complete. */
static void add_run(struct buffer *out, const struct run_result *run, struct xml_totals *all)
{
    struct xml_totals totals = {.tests = run->problems->count + (run->reason != NULL)};
    totals.errors = totals.tests;
    if (totals.tests == 0)
        return;
    begin_suite(out, "sheetbake", &totals, run);
    for (size_t i = 0; i < run->problems->count; i++) {
        char *name = must_printf("problem %zu of the lists", i + 1);
        add_error(out, name, "problem", run->problems->items[i]);
        free(name);
    }
    if (run->reason) {
        char *message = run->not_begun ? must_printf("%s; %zu pages were not begun", run->reason, run->not_begun)
                                       : must_strdup(run->reason);
        add_error(out, "the whole run", "ended", message);
        free(message);
    }
    buffer_printf(out, " </testsuite>\n");
    all->tests += totals.tests;
    all->errors += totals.errors;
}

static int compare_cases(const void *a, const void *b)
{
    const struct test_case *left = a, *right = b;
    return left->order < right->order ? -1 : left->order > right->order;
}

static int write_report(const struct junit *junit, const struct run_result *run, struct error *err)
{
    struct buffer suites = {0}, report = {0};
    struct xml_totals all = {.seconds = run->seconds};
    if (junit->count)
        qsort(junit->cases, junit->count, sizeof *junit->cases, compare_cases);
    for (size_t i = 0; i < run->list_count; i++)
        add_list(&suites, junit, run->lists[i], run, &all);
    add_run(&suites, run, &all);
    xml_add_report(&report, &all, suites.text ? suites.text : "");
    int result = file_renew(junit->path, (struct bytes){(const uint8_t *)report.text, report.length}, err);
    buffer_release(&suites);
    buffer_release(&report);
    return result;
}

static int close_report(void *file, const struct run_result *run, struct error *err)
{
    struct junit *junit = file;
    int result = run ? write_report(junit, run, err) : 0;
    for (size_t i = 0; i < junit->count; i++) {
        free(junit->cases[i].reason);
        free(junit->cases[i].details);
        strings_release(&junit->cases[i].warnings);
    }
    free(junit->cases);
    free(junit->path);
    free(junit);
    return result;
}

const struct report_format junit_format = {open_report, NULL, add_page, close_report, .wants_inputs = false};
