/* What CI systems get of a review that was made by hand. */
#include <stdlib.h>
#include <string.h>

#include "review/review_ci.h"
#include "test.h"

static const uint32_t changed_causes[] = {0};
static const char *const warnings[] = {"no texture\n::error::x"};

static struct review_sheet sheets[] = {
    {.name = "a/bad", .list = "a", .job = "bad", .state = REVIEW_FAILED, .reason = "50% of <it>"},
    {.name = "a/b,c:d",
     .list = "a",
     .job = "b,c:d",
     .state = REVIEW_CHANGED,
     .causes = changed_causes,
     .cause_count = 1,
     .counts[REVIEW_CHANGED] = 3,
     .new_warnings = warnings,
     .new_warning_count = 1},
};

static struct review_cause causes[] = {
    {.text = "input \"x\".png changed", .kind = "input", .sheets = 1},
    {.text = "50% of <it>", .kind = "failed", .sheets = 1},
};

static const struct review review = {.sheets = sheets, .sheet_count = 2, .causes = causes, .cause_count = 2};

static void expect_findings(enum ci ci, unsigned fail_on, const char *expected)
{
    struct buffer text = {0};
    review_add_findings(&text, ci, &review, fail_on);
    assert_string_equal(text.text ? text.text : "", expected);
    buffer_release(&text);
}

TEST(github_gets_errors_warnings_and_causes)
{
    expect_findings(CI_GITHUB, 0,
                    "::error title=a/bad::failed: 50%25 of <it>\n"
                    "::warning title=a/b%2Cc%3Ad::no texture%0A::error::x\n"
                    "::notice title=1 sheet differs::input \"x\".png changed\n");
    expect_findings(CI_GITHUB, 1u << REVIEW_CHANGED,
                    "::error title=a/bad::failed: 50%25 of <it>\n"
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
    review_add_junit(&text, &review, fail_on);
    if (!strstr(text.text, expected))
        assert_string_equal(text.text, expected);
    buffer_release(&text);
}

TEST(junit_has_a_test_for_each_sheet)
{
    expect_in_junit(0, "<testsuites name=\"sheetbake\" tests=\"2\" failures=\"1\" errors=\"0\"");
    expect_in_junit(0, "<testcase classname=\"a\" name=\"bad\" time=\"0\">\n   <failure message=\"failed: 50% of "
                       "&lt;it&gt;\" type=\"failed\">failed: 50% of &lt;it&gt;</failure>");
    expect_in_junit(0,
                    "<testcase classname=\"a\" name=\"b,c:d\" time=\"0\">\n   <system-out>changed: input "
                    "&quot;x&quot;.png changed&#10;new warning: no texture&#10;::error::x&#10;frames changed: 3");
}

TEST(junit_fails_what_fails_the_command)
{
    expect_in_junit(1u << REVIEW_CHANGED, " failures=\"2\" ");
    expect_in_junit(1u << REVIEW_CHANGED,
                    "<failure message=\"changed: input &quot;x&quot;.png changed\" type=\"changed\">");
}
