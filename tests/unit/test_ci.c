/* What CI systems read out of our lines, and that nothing else in them is read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/ci.h"
#include "test.h"

/* No variables of the machine that runs these tests. */
static int clear_environment(void **state)
{
    (void)state;
    unsetenv("GITHUB_ACTIONS");
    unsetenv("GITLAB_CI");
    return unsetenv("GITHUB_WORKSPACE");
}

static void expect(struct buffer *line, const char *expected)
{
    assert_string_equal(line->text ? line->text : "", expected);
    buffer_release(line);
}

static void expect_finding(const struct mark *mark, const char *title, const char *text, const char *expected)
{
    struct buffer line = {0};
    assert_true(
        ci_add_event(&line, CI_GITHUB, &(struct event){EVENT_ERROR, .place = mark, .name = title, .text = text}));
    expect(&line, expected);
}

TEST(a_warning_is_one)
{
    struct buffer line = {0};
    assert_true(ci_add_event(&line, CI_GITHUB, &(struct event){EVENT_WARNING, .text = "odd"}));
    expect(&line, "::warning::odd\n");
}

TEST(only_github_has_findings)
{
    struct buffer line = {0};
    assert_false(ci_add_event(&line, CI_GITLAB, &(struct event){EVENT_ERROR, .text = "x"}));
    assert_false(ci_add_event(&line, CI_OFF, &(struct event){EVENT_ERROR, .text = "x"}));
    assert_false(ci_add_problem(&line, CI_OFF, "a.yaml:1:2: x"));
    assert_int_equal(line.length, 0);
}

static void expect_problem(const char *problem, const char *expected)
{
    struct buffer line = {0};
    assert_true(ci_add_problem(&line, CI_GITHUB, problem));
    expect(&line, expected);
}

TEST(files_are_named_from_the_workspace)
{
    char *here = getcwd(NULL, 0), *file = must_printf("%s/jobs/a.yaml", here);
    setenv("GITHUB_WORKSPACE", here, 1);
    expect_finding(&(struct mark){file, 1, 1}, NULL, "x", "::error file=jobs/a.yaml,line=1,col=1::x\n");
    expect_finding(&(struct mark){"./jobs/../a.yaml", 1, 1}, NULL, "x", "::error file=a.yaml,line=1,col=1::x\n");
    expect_finding(&(struct mark){"/elsewhere/a.yaml", 1, 1}, NULL, "x",
                   "::error file=/elsewhere/a.yaml,line=1,col=1::x\n");
    unsetenv("GITHUB_WORKSPACE");
    free(file);
    free(here);
}

TEST(a_group_has_a_begin_and_an_end)
{
    struct buffer line = {0};
    ci_begin_group(&line, CI_GITHUB, 0, 5, "orcs, 100%");
    ci_end_group(&line, CI_GITHUB, 0, 6);
    expect(&line, "::group::orcs, 100%25\n::endgroup::\n");
    char *expected = must_printf(
        "section_start:5:sheetbake_%ld_3\r\033[0Korcs, 100%%?\nsection_end:6:sheetbake_%ld_3\r\033[0K\n",
        (long)getpid(), (long)getpid());
    ci_begin_group(&line, CI_GITLAB, 3, 5, "orcs, 100%\r"); /* it undoes no escapes */
    ci_end_group(&line, CI_GITLAB, 3, 6);
    expect(&line, expected);
    ci_begin_group(&line, CI_OFF, 0, 5, "orcs");
    ci_end_group(&line, CI_OFF, 0, 6);
    expect(&line, "");
    free(expected);
}

static void expect_disarmed(const char *text, const char *expected)
{
    char *line = must_strdup(text);
    ci_disarm(line);
    assert_string_equal(line, expected);
    free(line);
}

TEST(nothing_in_a_line_of_ours_is_a_command)
{
    unsetenv("GITHUB_ACTIONS"); /* as in a container that a step of it runs */
    expect_disarmed("openjd_env: X", "openjd_env: X");
    ci_listen_openjd(true);
    expect_disarmed(" openjd_env: X", " ?penjd_env: X");
    ci_listen_openjd(false);
    expect_disarmed("::set-output name=a::b", "?:set-output name=a::b");
    expect_disarmed("  ::stop-commands::x", "  ?:stop-commands::x");
    expect_disarmed("\xc2\xa0\xe3\x80\x80::stop-commands::x", "\xc2\xa0\xe3\x80\x80?:stop-commands::x");
    expect_disarmed("a ##[set-env name=PATH]b ##[group]", "a #?[set-env name=PATH]b #?[group]");
    expect_disarmed("std::string, ## [a]", "std::string, ## [a]");
}

TEST(findings_are_written_as_their_system_reads_them)
{
    fact("a finding has place and title");
    expect_finding(&(struct mark){"jobs/a.yaml", 12, 3}, "orcs/grunt", "no model",
                   "::error file=jobs/a.yaml,line=12,col=3,title=orcs/grunt::no model\n");
    expect_finding(&(struct mark){"a.yaml", 12, 0}, NULL, "no model", "::error file=a.yaml,line=12::no model\n");
    expect_finding(NULL, "grunt", "no model", "::error title=grunt::no model\n");
    expect_finding(NULL, NULL, "no model", "::error::no model\n");
    fact("text is escaped as the runner undoes it");
    expect_finding(NULL, NULL, "50% of a:b, c\r\nnext", "::error::50%25 of a:b, c%0D%0Anext\n");
    fact("properties are escaped further");
    expect_finding(&(struct mark){"a,b:c%.yaml", 1, 1}, "d,line=7::e", "f",
                   "::error file=a%2Cb%3Ac%25.yaml,line=1,col=1,title=d%2Cline=7%3A%3Ae::f\n");
    fact("control characters go");
    expect_finding(NULL, NULL, "a\033[2Jb\x01", "::error::a?[2Jb?\n");
    fact("a problem of a list is shown at its place");
    expect_problem("a.yaml:3:17: unknown key", "::error file=a.yaml,line=3,col=17::unknown key\n");
    expect_problem("c:1:2.yaml:3:17: at 4:5: odd", "::error file=c%3A1%3A2.yaml,line=3,col=17::at 4:5: odd\n");
    expect_problem("a.yaml: no such file", "::error::a.yaml: no such file\n");
    expect_problem("a:1:2", "::error::a:1:2\n");
    expect_problem("", "::error::\n");
    fact("the environment tells the system");
    assert_int_equal(ci_detect(CI_AUTO), CI_OFF);
    setenv("GITLAB_CI", "true", 1);
    assert_int_equal(ci_detect(CI_AUTO), CI_GITLAB);
    setenv("GITHUB_ACTIONS", "true", 1);
    assert_int_equal(ci_detect(CI_AUTO), CI_GITHUB);
    setenv("GITHUB_ACTIONS", "false", 1);
    unsetenv("GITLAB_CI");
    assert_int_equal(ci_detect(CI_AUTO), CI_OFF);
    unsetenv("GITHUB_ACTIONS");
}

TEST(names_are_known)
{
    assert_string_equal(ci_names[CI_AUTO], "auto");
    assert_string_equal(ci_names[CI_GITHUB], "github");
    assert_string_equal(ci_names[CI_GITLAB], "gitlab");
    assert_string_equal(ci_names[CI_OFF], "off");
    setenv("GITLAB_CI", "true", 1);
    for (enum ci ci = CI_AUTO + 1; ci < CI_COUNT; ci++)
        assert_int_equal(ci_detect(ci), ci);
    unsetenv("GITLAB_CI");
}

TEST_GROUP(clear_environment, NULL)
