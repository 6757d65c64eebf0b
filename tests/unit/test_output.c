/* What is written of reviews that were made by hand: what a code host would see in the Markdown, and what it would not;
 * what CI systems get. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "review/output.h"
#include "test.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

static const uint32_t first_cause[] = {0, 1};

static struct review_sheet sheet(enum review_state state, const char *name)
{
    return (struct review_sheet){.name = name,
                                 .list = "a",
                                 .job = name,
                                 .state = state,
                                 .causes = first_cause,
                                 .cause_count = 1,
                                 .change_text = "",
                                 .frames_text = ""};
}

/* The caller frees it. */
static char *markdown(struct review_sheet *sheets, size_t count, const char *cause, size_t budget)
{
    struct review_cause causes[] = {{.text = cause, .kind = "input"}, {.text = "other", .kind = "input"}};
    struct review review = {.before = {"origin/main", "1a2b Subject"},
                            .after = {"work tree", ""},
                            .sheets = sheets,
                            .sheet_count = count,
                            .causes = causes,
                            .cause_count = 2};
    for (size_t i = 0; i < count; i++)
        review.sheet_totals[sheets[i].state]++;
    review.sheet_totals[REVIEW_SAME] = 5;
    struct buffer text = {0};
    markdown_add(&text, &review, budget, NULL);
    return text.text;
}

/* The row of a sheet of this name and cause. */
static void expect_row(const char *name, const char *cause, const char *expected)
{
    struct review_sheet one = sheet(REVIEW_CHANGED, name);
    char *text = markdown(&one, 1, cause, MARKDOWN_BUDGET), *row = strstr(text, "--:|\n") + strlen("--:|\n");
    assert_string_equal(row, expected);
    free(text);
}

static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* -- Markdown ---------------------------------------------------------------------------------------------- */

TEST(where_nothing_differs_the_first_words_say_so)
{
    char *text = markdown(NULL, 0, "", MARKDOWN_BUDGET);
    assert_string_equal(text, "No differences in 5 sheets.\n\nFrom `origin/main 1a2b Subject` to `work tree`.\n");
    free(text);
}

TEST(a_sheet_has_a_row_with_its_frames_and_causes)
{
    static const char *const warnings[] = {"no texture"};
    const struct made_sheet side = {0};
    const char *told[] = {"triangles 812 -> 900"};
    struct review_sheet one = sheet(REVIEW_CHANGED, "orcs/grunt");
    one.before = one.after = &side;
    one.change_text = "4.5 %";
    one.frames_text = "3 of 12 frames";
    one.change = (struct review_change){.pixels = {.pixels = 12, .max = 0.25F}, .passes = 1};
    one.cause_count = 2;
    one.new_warnings = warnings;
    one.new_warning_count = 1;
    one.told = told;
    one.told_count = one.model_count = 1;
    char *text = markdown(&one, 1, "input orc.png changed", MARKDOWN_BUDGET);
    assert_string_equal(text, "### 1 of 6 sheets differs\n\nFrom `origin/main 1a2b Subject` to `work tree`. "
                              "Sheets: 1 changed, 5 same.\n\n"
                              "| sheet | state | frames | change |\n|---|---|---|--:|\n"
                              "| `orcs/grunt`<br>`input orc.png changed`<br>`other`<br>`triangles 812 -> 900`"
                              "<br>new warning: `no texture` | changed | `3 of 12 frames` | 4.5 % |\n");
    free(text);
}

TEST(a_failed_sheet_has_its_reason_in_place_of_a_cause)
{
    struct review_sheet one = sheet(REVIEW_FAILED, "a");
    one.reason = "a.md2: too short";
    char *text = markdown(&one, 1, "cause", MARKDOWN_BUDGET);
    assert_non_null(strstr(text, "| `a`<br>`a.md2: too short` | failed |  |  |\n"));
    assert_null(strstr(text, "cause"));
    free(text);
}

TEST(text_of_strangers_stays_in_its_code_span)
{
    expect_row("<script>@team https://x.test [a](b) **c** :tada: &lt;", "d",
               "| `<script>@team https://x.test [a](b) **c** :tada: &lt;`<br>`d` | changed |  |  |\n");
    expect_row("a`b", "``c` `", "| `` a`b ``<br>``` ``c` ` ``` | changed |  |  |\n");
    expect_row("a|b", "c\\|d\\\\|", "| `a\\|b`<br>`c?\\|d\\?\\|` | changed |  |  |\n");
    expect_row("a\nb\r\tc\x1b[0m", "\xff", "| `a?b??c?[0m`<br>`?` | changed |  |  |\n");
    expect_row("a\xe2\x80\xae"
               "b\xe2\x80\xa9",
               "", "| `a???b???`<br>` ` | changed |  |  |\n");
}

TEST(long_text_is_cut)
{
    char *name = must_alloc(4097, 1);
    memset(name, 'n', 4096);
    struct review_sheet one = sheet(REVIEW_CHANGED, name);
    char *text = markdown(&one, 1, "c", MARKDOWN_BUDGET);
    assert_non_null(strstr(text, "nnn…`<br>"));
    assert_true(strlen(text) < 600);
    free(text);
    free(name);
}

TEST(what_does_not_fit_is_counted_and_the_worst_stays)
{
    enum { COUNT = 2000 };
    struct review_sheet *sheets = must_alloc(COUNT, sizeof *sheets);
    for (int i = 0; i < COUNT; i++)
        sheets[i] = sheet(i < 1500 ? REVIEW_CHANGED : REVIEW_ADDED, i ? "any/ŝheet" : "the/worst");
    char *text = markdown(sheets, COUNT, "input ŝ changed", 10000);
    assert_true(count_characters(text) <= 10000);
    assert_true(count_characters(text) > 9000);
    assert_non_null(strstr(text, "`the/worst`"));
    const char *rest = strstr(text, "\nAnd ");
    assert_non_null(rest);
    size_t rows = 0, left = strtoul(rest + 5, NULL, 10);
    for (const char *at = text; (at = strstr(at, "| changed |")); at++)
        rows++;
    assert_int_equal(rows + left, COUNT);
    assert_non_null(strstr(rest, " changed, 500 added.\n"));
    free(text);
    free(sheets);
}

TEST(it_stays_below_what_a_summary_may_have)
{
    enum { COUNT = 20000 };
    struct review_sheet *sheets = must_alloc(COUNT, sizeof *sheets);
    for (int i = 0; i < COUNT; i++)
        sheets[i] = sheet(REVIEW_CHANGED, "€€€€€€€€€€€€€€€€€€€€");
    char *text = markdown(sheets, COUNT, "c", 100000000);
    assert_true(strlen(text) < 1 << 20);
    assert_true(strlen(text) > 1000000);
    free(text);
    free(sheets);
}

/* -- CI systems --------------------------------------------------------------------------------------------- */

static const uint32_t changed_causes[] = {0};
static const char *const ci_warnings[] = {"no texture\n::error::x"};

static struct review_sheet ci_sheets[] = {
    {.name = "a/bad",
     .list = "a",
     .job = "bad",
     .state = REVIEW_FAILED,
     .reason = "50% of <it>",
     .frames_text = ""},
    {.name = "a/b,c:d",
     .list = "a",
     .job = "b,c:d",
     .state = REVIEW_CHANGED,
     .causes = changed_causes,
     .cause_count = 1,
     .frames_text = "3 frames",
     .new_warnings = ci_warnings,
     .new_warning_count = 1},
};

static struct review_cause ci_causes[] = {
    {.text = "input \"x\".png changed", .kind = "input", .sheets = 1},
    {.text = "50% of <it>", .kind = "failed", .sheets = 1},
};

static const struct review ci_review = {
    .sheets = ci_sheets, .sheet_count = 2, .causes = ci_causes, .cause_count = 2};

static void expect_findings(enum ci ci, unsigned fail_on, const char *expected)
{
    char *text;
    size_t size;
    struct report_settings settings = {.ci = ci, .out = open_memstream(&text, &size)};
    struct report *report;
    struct error err;
    assert_int_equal(report_open(&settings, &report, &err), 0);
    review_tell(&ci_review, fail_on, report);
    assert_int_equal(report_close(report, 0, &err), 0);
    fclose(settings.out);
    assert_string_equal(text, expected);
    free(text);
}

TEST(github_gets_errors_warnings_and_causes)
{
    expect_findings(CI_GITHUB, 0,
                    "::error title=a/bad::50%25 of <it>\n"
                    "::warning title=a/b%2Cc%3Ad::no texture%0A::error::x\n"
                    "::notice title=1 sheet differs::input \"x\".png changed\n");
    expect_findings(CI_GITHUB, 1u << REVIEW_CHANGED,
                    "::error title=a/bad::50%25 of <it>\n"
                    "::error title=a/b%2Cc%3Ad::changed: input \"x\".png changed\n"
                    "::warning title=a/b%2Cc%3Ad::no texture%0A::error::x\n"
                    "::notice title=1 sheet differs::input \"x\".png changed\n");
}

TEST(others_get_no_findings)
{
    expect_findings(CI_OFF, 0, "");
    expect_findings(CI_GITLAB, 0, "");
}

static void expect_in_junit(unsigned fail_on, const char *expected)
{
    struct buffer text = {0};
    review_add_junit(&text, &ci_review, fail_on);
    if (!strstr(text.text, expected))
        assert_string_equal(text.text, expected);
    buffer_release(&text);
}

TEST(junit_has_a_test_for_each_sheet)
{
    expect_in_junit(0, "<testsuites name=\"sheetbake\" tests=\"2\" failures=\"1\" errors=\"0\"");
    expect_in_junit(0, "<testcase classname=\"a\" name=\"bad\" time=\"0\">\n   <failure message=\"50% of "
                       "&lt;it&gt;\" type=\"failed\">50% of &lt;it&gt;</failure>");
    expect_in_junit(0, "<testcase classname=\"a\" name=\"b,c:d\" time=\"0\">\n   <system-out>changed: input "
                       "&quot;x&quot;.png changed&#10;new warning: no texture&#10;::error::x&#10;3 frames<");
}

TEST(junit_fails_what_fails_the_command)
{
    expect_in_junit(1u << REVIEW_CHANGED, " failures=\"2\" ");
    expect_in_junit(1u << REVIEW_CHANGED,
                    "<failure message=\"changed: input &quot;x&quot;.png changed\" type=\"changed\">");
}
