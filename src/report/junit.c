#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/finding.h"
#include "report/xml.h"

struct test_case {
    const struct job_list *list;
    uint64_t order;
    enum page_status status;
    double seconds;
    char *text;
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

/* What else is known of a page that was not made. The caller frees it. */
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

/* The caller frees it. */
static char *case_text(const struct page_result *result)
{
    /* CI systems compare names from run to run: however the page ends, it stays the same. */
    const struct job *job = result->job;
    char *name = result->page ? must_printf("%s (page %u)", job->name, result->page + 1) : must_strdup(job->name);
    char *details = describe_circumstances(result);
    struct buffer text = {0};
    buffer_printf(&text, "  <testcase");
    xml_add_attribute(&text, "classname", result->list->name);
    xml_add_attribute(&text, "name", name);
    xml_add_attribute(&text, "file", job->mark.file);
    buffer_printf(&text, " line=\"%u\" time=\"%.6f\">\n", job->mark.line, result->seconds);
    if (result->status == PAGE_FAILED)
        xml_add_child(&text, "failure", "failed", result->reason ? result->reason : "", details);
    else if (result->status == PAGE_CANCELLED)
        xml_add_child(&text, "skipped", NULL, "the run ended first", details);
    size_t warning_count = result->warnings ? result->warnings->count : 0;
    size_t line_count = warning_count + (result->findings ? result->findings->count : 0);
    for (size_t i = 0; i < line_count; i++) {
        struct finding finding = {.is_failure = false};
        bool is_finding = i >= warning_count && finding_read(result->findings->items[i - warning_count], &finding);
        char *line = is_finding ? finding_text(&finding) : NULL;
        buffer_printf(&text, "%s%s: ", i ? "\n" : "   <system-out>", finding.is_failure ? "failure" : "warning");
        xml_add_text(&text, line ? line : i < warning_count ? result->warnings->items[i] : "");
        free(line);
    }
    buffer_printf(&text, "%s  </testcase>\n", line_count ? "</system-out>\n" : "");
    free(details);
    free(name);
    return text.text;
}

/* A page that was made along with another is in that one's case. */
static void add_page(void *file, const struct page_result *result)
{
    struct junit *junit = file;
    if (result->made_with)
        return;
    junit->cases = must_grow(junit->cases, junit->count, &junit->capacity, sizeof *junit->cases);
    junit->cases[junit->count++] =
        (struct test_case){result->list, result->order, result->status, result->seconds, case_text(result)};
}

/* -- The report -------------------------------------------------------------------------------------------- */

/* Adds the suite to the report, and its totals to those of all. Uses up the cases. */
static void add_suite(struct buffer *out, const char *name, const struct xml_totals *totals, struct buffer *cases,
                      const struct run_result *run, struct xml_totals *all)
{
    char time[32];
    struct tm parts;
    gmtime_r(&run->started.tv_sec, &parts);
    strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%S", &parts);
    buffer_printf(out, " <testsuite");
    xml_add_attribute(out, "name", name);
    xml_add_totals(out, totals);
    xml_add_attribute(out, "timestamp", time);
    buffer_printf(out, ">\n%s </testsuite>\n", cases->text ? cases->text : "");
    buffer_release(cases);
    all->tests += totals->tests;
    all->failures += totals->failures;
    all->errors += totals->errors;
    all->skipped += totals->skipped;
}

static void add_list(struct buffer *out, const struct junit *junit, const struct job_list *list,
                     const struct run_result *run, struct xml_totals *all)
{
    struct xml_totals totals = {0};
    struct buffer cases = {0};
    for (size_t i = 0; i < junit->count; i++) {
        const struct test_case *test = &junit->cases[i];
        if (test->list != list)
            continue;
        totals.tests++;
        totals.failures += test->status == PAGE_FAILED;
        totals.skipped += test->status == PAGE_CANCELLED;
        totals.seconds += test->seconds;
        buffer_printf(&cases, "%s", test->text);
    }
    add_suite(out, list->name, &totals, &cases, run, all);
}

static void add_error(struct buffer *out, const char *name, const char *type, const char *message)
{
    buffer_printf(out, "  <testcase classname=\"sheetbake\"");
    xml_add_attribute(out, "name", name);
    buffer_printf(out, " time=\"0\">\n");
    xml_add_child(out, "error", type, message, NULL);
    buffer_printf(out, "  </testcase>\n");
}

/* A suite for what went wrong and was not a page's fault. Without it, a report of a run that ended early would look
 * complete. */
static void add_run(struct buffer *out, const struct run_result *run, struct xml_totals *all)
{
    struct xml_totals totals = {.tests = run->problems->count + (run->reason != NULL)};
    struct buffer cases = {0};
    totals.errors = totals.tests;
    if (totals.tests == 0)
        return;
    for (size_t i = 0; i < run->problems->count; i++) {
        char *name = must_printf("problem %zu of the lists", i + 1);
        add_error(&cases, name, "problem", run->problems->items[i]);
        free(name);
    }
    if (run->reason) {
        char *message = run->not_begun ? must_printf("%s; %zu pages were not begun", run->reason, run->not_begun)
                                       : must_strdup(run->reason);
        add_error(&cases, "the whole run", "ended", message);
        free(message);
    }
    add_suite(out, "sheetbake", &totals, &cases, run, all);
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
    for (size_t i = 0; i < junit->count; i++)
        free(junit->cases[i].text);
    free(junit->cases);
    free(junit->path);
    free(junit);
    return result;
}

const struct report_format junit_format = {open_report, NULL, add_page, close_report, .wants_inputs = false};
