/* JUnit reports: what becomes of text that XML cannot hold, and of each kind of end. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/report.h"
#include "temp_folder.h"
#include "test.h"

static const struct job job = {.mark = {"l.yaml", 3, 1}, .name = "it", .model = "it.md2"};
static struct job_list list = {.name = "l", .path = "l.yaml", .jobs = &job, .job_count = 1};
static struct job_list *const lists[] = {&list};

/* The report of these pages. The caller frees it. */
static char *report_of(const struct page_result *pages, size_t count, const char *reason)
{
    char *folder = temp_folder_new(), *path = path_join(folder, "junit.xml");
    struct run_result run = {.lists = lists, .list_count = 1, .reason = (char *)reason, .not_begun = 7};
    struct error err;
    struct blob blob;
    void *junit = junit_sink.collect();
    for (size_t i = 0; i < count; i++)
        junit_sink.page(junit, &pages[i]);
    assert_int_equal(junit_sink.close(junit, path, &run, &err), 0);
    assert_int_equal(file_read(path, 1 << 20, &blob, &err), 0);
    char *text = strndup((const char *)blob.data, blob.size);
    blob_release(&blob);
    free(path);
    temp_folder_free(folder);
    return text;
}

static void expect_part(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no '%s' in:\n%s", part, text);
}

/* How a reason looks in an attribute. */
static void expect_message(const char *reason, const char *expected)
{
    struct page_result page = {.list = &list, .job = &job, .status = PAGE_FAILED, .reason = reason};
    char part[256];
    snprintf(part, sizeof part, "<failure message=\"%s\" type=\"failed\">%s&#10;", expected, expected);
    char *text = report_of(&page, 1, NULL);
    expect_part(text, part);
    free(text);
}

TEST(text_is_escaped)
{
    fact("markup is escaped");
    expect_message("a<b>&\"c\" ]]>", "a&lt;b&gt;&amp;&quot;c&quot; ]]&gt;");
    expect_message("two\nlines", "two&#10;lines");
    fact("utf8 stays");
    expect_message("K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x8e\xb2", "K\xc3\xa4se \xe2\x82\xac \xf0\x9f\x8e\xb2");
    fact("what xml has no characters for is a question mark");
    expect_message("\x01\x1b[31m\r\t\x7f", "??[31m???");
    expect_message("\xc2\x85", "??");                       /* a control character, C1 */
    expect_message("\xef\xbf\xbe \xef\xbf\xbf", "??? ???"); /* U+FFFE, U+FFFF */
    expect_message("\xef\xbf\xbd", "\xef\xbf\xbd");
    fact("what is no utf8 is a question mark");
    expect_message("\xff\xfe", "??");
    expect_message("\xc3", "?");
    expect_message("\xed\xa0\x80", "???");      /* a surrogate */
    expect_message("\xe0\x80\xaf", "???");      /* an overlong '/' */
    expect_message("\xf4\x90\x80\x80", "????"); /* past U+10FFFF */
    expect_message("\xf0\x82\x82\xac", "????"); /* an overlong euro */
}

TEST(a_page_up_to_date_is_a_test_that_passed)
{
    struct page_result pages[] = {
        {.list = &list, .job = &job, .status = PAGE_UP_TO_DATE, .page = 0},
        {.list = &list, .job = &job, .status = PAGE_MADE, .page = 1, .order = 1, .seconds = 0.25},
    };
    char *text = report_of(pages, 2, NULL);
    expect_part(text, "tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.250000\" timestamp=");
    expect_part(text, "name=\"it\" file=\"l.yaml\" line=\"3\" time=\"0.000000\">\n  </testcase>");
    expect_part(text, "name=\"it (page 2)\" file=\"l.yaml\" line=\"3\" time=\"0.250000\">\n  </testcase>");
    free(text);
}

TEST(a_worker_that_died_leaves_its_signal_and_stage)
{
    struct page_result page = {.list = &list,
                               .job = &job,
                               .status = PAGE_FAILED,
                               .reason = "killed two workers",
                               .signal = 11,
                               .attempts = 2,
                               .stopwatch = {.current = STAGE_DRAW}};
    char *text = report_of(&page, 1, NULL);
    expect_part(text, "type=\"failed\"");
    expect_part(text, "&#10;stage: draw&#10;signal: 11 (Segmentation fault)&#10;attempts: 2</failure>");
    free(text);
}

TEST(a_run_that_ended_early_is_an_error)
{
    struct page_result page = {.list = &list, .job = &job, .status = PAGE_CANCELLED};
    char *text = report_of(&page, 1, "interrupted");
    expect_part(text, "<testsuites name=\"sheetbake\" tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"1\"");
    expect_part(text, "<skipped message=\"the run ended first\">");
    expect_part(text, "<error message=\"interrupted; 7 pages were not begun\" type=\"ended\">");
    free(text);
}

TEST(pages_made_along_with_another_are_in_its_case)
{
    struct page_result pages[] = {
        {.list = &list, .job = &job, .name = "it.png"},
        {.list = &list, .job = &job, .name = "it-1.png", .made_with = "it.png"},
    };
    char *text = report_of(pages, 2, NULL);
    expect_part(text, "tests=\"1\"");
    free(text);
}
