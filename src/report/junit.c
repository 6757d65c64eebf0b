#include "report/junit.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "report/report.h"

/* The length of a character that XML 1.0 allows, or 0. */
static size_t xml_length(const char *text)
{
    const size_t longest = 4; /* the NUL at the end is in no character */
    uint32_t character;
    size_t length = utf8_read(text, longest, &character);
    if (length == 0 || printable_length(text) == 0)
        return *text == '\n';
    return character == 0xfffe || character == 0xffff ? 0 : length;
}

void xml_add_text(struct buffer *out, const char *text)
{
    static const char special[] = "&<>\"\n";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#10;"};
    while (*text) {
        size_t length = xml_length(text);
        const char *found = strchr(special, *text);
        if (found)
            buffer_printf(out, "%s", escapes[found - special]);
        else
            buffer_add(out, length ? text : "?", length ? length : 1);
        text += length ? length : 1;
    }
}

static void add_attribute(struct buffer *out, const char *name, const char *text)
{
    buffer_printf(out, " %s=\"", name);
    xml_add_text(out, text);
    buffer_printf(out, "\"");
}

void junit_add_test(struct junit *out, const struct junit_test *test)
{
    static const char *const tags[] = {
        [JUNIT_FAILURE] = "failure", [JUNIT_ERROR] = "error", [JUNIT_SKIPPED] = "skipped"};
    struct buffer *text = &out->text;
    buffer_printf(text, "  <testcase");
    add_attribute(text, "classname", test->class_name);
    add_attribute(text, "name", test->name);
    if (test->place) {
        add_attribute(text, "file", test->place->file);
        buffer_printf(text, " line=\"%u\" time=\"%.6f\">\n", test->place->line, test->seconds);
    } else {
        buffer_printf(text, " time=\"0\">\n");
    }
    if (test->end != JUNIT_PASSED) {
        buffer_printf(text, "   <%s", tags[test->end]);
        add_attribute(text, "message", test->message);
        if (test->type)
            add_attribute(text, "type", test->type);
        buffer_printf(text, ">");
        xml_add_text(text, test->message);
        xml_add_text(text, test->details ? "\n" : "");
        xml_add_text(text, test->details ? test->details : "");
        buffer_printf(text, "</%s>\n", tags[test->end]);
    }
    if (test->output)
        buffer_printf(text, "   <system-out>%s</system-out>\n", test->output);
    buffer_printf(text, "  </testcase>\n");
    out->ends[test->end]++;
    out->seconds += test->seconds;
}

/* Uses `from` up. */
static void add_tests(struct junit *out, struct junit *from)
{
    buffer_add(&out->text, from->text.text, from->text.length);
    for (int i = 0; i < JUNIT_END_COUNT; i++)
        out->ends[i] += from->ends[i];
    out->seconds += from->seconds;
    buffer_release(&from->text);
}

static void add_totals(struct buffer *out, const struct junit *tests)
{
    size_t count = 0;
    for (int i = 0; i < JUNIT_END_COUNT; i++)
        count += tests->ends[i];
    buffer_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"%.6f\"", count,
                  tests->ends[JUNIT_FAILURE], tests->ends[JUNIT_ERROR], tests->ends[JUNIT_SKIPPED],
                  tests->seconds);
}

void junit_add_suite(struct junit *out, const char *name, time_t time, struct junit *tests)
{
    char text[32];
    struct tm parts;
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", gmtime_r(&time, &parts));
    buffer_printf(&out->text, " <testsuite");
    add_attribute(&out->text, "name", name);
    add_totals(&out->text, tests);
    buffer_printf(&out->text, " timestamp=\"%s\">\n", text);
    add_tests(out, tests);
    buffer_printf(&out->text, " </testsuite>\n");
}

void junit_add_report(struct buffer *out, struct junit *suites)
{
    buffer_printf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"sheetbake\"");
    add_totals(out, suites);
    buffer_printf(out, ">\n%s</testsuites>\n", suites->text.text ? suites->text.text : "");
    buffer_release(&suites->text);
}

/* -- Of a run ------------------------------------------------------------------------------------------------ */

struct page_test {
    const struct job_list *list;
    uint64_t order;
    struct junit test;
};

struct run_tests {
    struct page_test *items; /* as the pages ended */
    size_t count, capacity;
};

static void *collect(void)
{
    return must_alloc(1, sizeof(struct run_tests));
}

/* Returns what else is known of a page that was not made. The caller frees it. */
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

/* A page that was made along with another is in that one's test. */
static void add_page(void *file, const struct page_result *result)
{
    static const enum junit_end ends[PAGE_STATUS_COUNT] = {
        [PAGE_FAILED] = JUNIT_FAILURE, [PAGE_CANCELLED] = JUNIT_SKIPPED};
    struct run_tests *tests = file;
    const struct job *job = result->job;
    const bool has_failed = result->status == PAGE_FAILED;
    if (result->made_with)
        return;
    /* CI systems compare names from run to run: however the page ends, it stays the same. */
    SCOPED char *name =
        result->page ? must_printf("%s (page %u)", job->name, result->page + 1) : must_strdup(job->name);
    SCOPED char *details = describe_circumstances(result);
    const char *reason = result->reason ? result->reason : "";
    SCOPED_BY(buffer_release) struct buffer output = {0};
    struct event event;
    struct finding finding;
    for (size_t i = 0; page_event(result, i, &finding, &event); i++) {
        if (i + 1 == result->failing)
            continue; /* the test fails with it */
        buffer_printf(&output, "%s%s: ", output.length ? "\n" : "",
                      event.level == EVENT_ERROR ? "failure" : "warning");
        xml_add_text(&output, event.text);
    }
    struct page_test *test = MUST_ADD(tests->items, tests->count, tests->capacity);
    *test = (struct page_test){.list = result->list, .order = result->order};
    junit_add_test(&test->test, &(struct junit_test){.class_name = result->list->name,
                                                     .name = name,
                                                     .place = &job->mark,
                                                     .seconds = result->seconds,
                                                     .end = ends[result->status],
                                                     .type = has_failed ? "failed" : NULL,
                                                     .message = has_failed ? reason : "the run ended first",
                                                     .details = details,
                                                     .output = output.text});
}

/* A suite for what went wrong and was not a page's fault. Without it, a report of a run that ended early would look
 * complete. */
static void add_run(struct junit *out, const struct run_result *run)
{
    struct junit tests = {0};
    for (size_t i = 0; i < run->problems.count; i++) {
        SCOPED char *name = must_printf("problem %zu of the lists", i + 1);
        junit_add_test(&tests, &(struct junit_test){"sheetbake", name, .end = JUNIT_ERROR, .type = "problem",
                                                    .message = run->problems.items[i]});
    }
    if (run->reason) {
        SCOPED char *message = run->not_begun
                                   ? must_printf("%s; %zu pages were not begun", run->reason, run->not_begun)
                                   : must_strdup(run->reason);
        junit_add_test(&tests, &(struct junit_test){"sheetbake", "the whole run", .end = JUNIT_ERROR,
                                                    .type = "ended", .message = message});
    }
    if (tests.ends[JUNIT_ERROR])
        junit_add_suite(out, "sheetbake", run->started.tv_sec, &tests);
}

static int compare_tests(const void *a, const void *b)
{
    const struct page_test *left = a, *right = b;
    return left->order < right->order ? -1 : left->order > right->order;
}

static int write_report(const struct run_tests *tests, const char *path, const struct run_result *run,
                        struct error *err)
{
    struct junit all = {0};
    SCOPED_BY(buffer_release) struct buffer report = {0};
    SORT(tests->items, tests->count, compare_tests);
    for (size_t i = 0; i < run->list_count; i++) {
        struct junit of_list = {0};
        for (size_t t = 0; t < tests->count; t++)
            if (tests->items[t].list == run->lists[i])
                add_tests(&of_list, &tests->items[t].test);
        junit_add_suite(&all, run->lists[i]->name, run->started.tv_sec, &of_list);
    }
    add_run(&all, run);
    all.seconds = run->seconds;
    junit_add_report(&report, &all);
    return file_renew(path, (struct bytes){(const uint8_t *)report.text, report.length}, err);
}

static int close_report(void *file, const char *path, const struct run_result *run, struct error *err)
{
    SCOPED struct run_tests *tests = file;
    int result = run ? write_report(tests, path, run, err) : 0;
    for (size_t i = 0; i < tests->count; i++)
        buffer_release(&tests->items[i].test.text);
    free(tests->items);
    return result;
}

const struct sink junit_sink = {.collect = collect, .page = add_page, .close = close_report};
