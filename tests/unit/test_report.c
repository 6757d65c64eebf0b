

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/report.h"
#include "test.h"

#define ERASE "\r\033[K"

/* The clock stands still until a test moves it. */
static double now_s;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void)clock;
    *now = (struct timespec){(time_t)now_s, (long)((now_s - (double)(time_t)now_s) * 1e9)};
    return 0;
}

/* A report that writes to memory, of 10 pages and 2 workers. */
struct fixture {
    struct report_settings settings;
    struct report *report;
    char *text;
    size_t size, read;
};

static struct fixture *fixture_begin(struct report_settings settings, struct job_list *const *lists,
                                     size_t list_count)
{
    struct fixture *fixture = must_alloc(1, sizeof *fixture);
    struct error err;
    settings.ci = CI_OFF;
    settings.out = open_memstream(&fixture->text, &fixture->size);
    settings.columns = settings.columns ? settings.columns : 60;
    fixture->settings = settings;
    now_s = 1000;
    assert_int_equal(report_open(&settings, &fixture->report, &err), 0);
    report_start(fixture->report, lists, list_count, 2);
    report_total(fixture->report, 10);
    return fixture;
}

static struct fixture *fixture_new(bool is_live, enum verbosity verbosity)
{
    return fixture_begin((struct report_settings){.verbosity = verbosity, .is_live = is_live}, NULL, 0);
}

static struct fixture *new_log(void)
{
    return fixture_new(false, VERBOSITY_NORMAL);
}

static struct fixture *new_terminal(void)
{
    return fixture_new(true, VERBOSITY_NORMAL);
}

static void fixture_free(struct fixture *fixture)
{
    struct error err;
    assert_int_equal(report_close(fixture->report, 0, &err), 0);
    fclose(fixture->settings.out);
    free(fixture->text);
    free(fixture);
}

/* What was written since the last look. */
static void expect(struct fixture *fixture, const char *expected)
{
    fflush(fixture->settings.out);
    assert_string_equal(fixture->text + fixture->read, expected);
    fixture->read = fixture->size;
}

static void expect_end(struct fixture *fixture, const char *ended, const char *expected)
{
    report_end(fixture->report, ended);
    expect(fixture, expected);
    fixture_free(fixture);
}

static void end_page(struct report *report, struct page_result result)
{
    const struct job job = {.name = "a job"};
    result.job = &job;
    report_page(report, &result);
}

static void begin_job(struct report *report, unsigned worker, const char *name)
{
    report_begin(report, worker, &(struct job){.name = name});
}

static void warn(struct report *report, const char *name, const char *text)
{
    report_warning(report, &(struct job){.name = name}, text, false);
}

static void page_made(struct report *report, unsigned worker, const char *name, double seconds)
{
    end_page(report, (struct page_result){.name = name, .had_worker = true, .worker = worker, .seconds = seconds});
}

static void page_up_to_date(struct report *report, const char *name)
{
    end_page(report, (struct page_result){.name = name, .status = PAGE_UP_TO_DATE});
}

static void page_failed(struct report *report, int worker, uint64_t order, const char *name, const char *reason)
{
    end_page(report, (struct page_result){.name = name,
                                          .status = PAGE_FAILED,
                                          .had_worker = worker >= 0,
                                          .worker = (unsigned)worker,
                                          .order = order,
                                          .reason = reason});
}

static void finish_sheets(struct fixture *fixture, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        begin_job(fixture->report, (unsigned)i % 2, "a");
        page_made(fixture->report, (unsigned)i % 2, "a", 0.1);
    }
    fflush(fixture->settings.out);
    fixture->read = fixture->size;
}

/* In a log. */

TEST(durations_are_readable)
{
    static const struct {
        double seconds;
        const char *text;
    } durations[] = {{0.994, "0.99 s"},     {0.996, "1.0 s"},       {9.96, "10 s"},
                     {99.96, "1 min 40 s"}, {3599.6, "1 h 00 min"}, {7500, "2 h 05 min"}};
    struct fixture *fixture = new_log();
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        char line[64];
        snprintf(line, sizeof line, "[%zu/10] a  %s\n", i + 1, durations[i].text);
        page_made(fixture->report, 0, "a", durations[i].seconds);
        expect(fixture, line);
    }
    fixture_free(fixture);
}

TEST(many_different_warnings_are_told_apart)
{
    struct fixture *fixture = new_log();
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            char *text = must_printf("warning %d", i);
            warn(fixture->report, "a", text);
            free(text);
        }
    }
    fflush(fixture->settings.out);
    size_t lines = 0;
    for (size_t i = 0; i < fixture->size; i++)
        lines += fixture->text[i] == '\n';
    assert_int_equal(lines, 5000);
    fixture_free(fixture);
}

TEST(lines_of_a_log)
{
    fact("each sheet is a line in a log");
    struct fixture *fixture = new_log();
    begin_job(fixture->report, 0, "orcs/grunt.png");
    expect(fixture, "");
    page_made(fixture->report, 0, "orcs/grunt.png", 0.123);
    expect(fixture, "[1/10] orcs/grunt.png  0.12 s\n");
    report_total(fixture->report, 12);
    page_made(fixture->report, 1, "orcs/troll.png", 61.04);
    expect(fixture, "[2/12] orcs/troll.png  61 s\n");
    fixture_free(fixture);
    fact("failure is printed and counted");
    fixture = new_log();
    page_failed(fixture->report, 0, 7, "orcs/troll", "troll.md2: too short");
    expect(fixture, "error: orcs/troll: troll.md2: too short\n");
    page_made(fixture->report, 0, "a", 1);
    expect(fixture, "[2/10] a  1.0 s\n");
    fixture_free(fixture);
    fact("same warning is printed once");
    fixture = new_log();
    warn(fixture->report, "grunt", "no skin");
    warn(fixture->report, "troll", "no skin");
    report_fewer_workers(fixture->report, "no time");
    warn(fixture->report, "troll", "no skin");
    expect(fixture, "warning: grunt: no skin\nwarning: no time: going on with fewer workers\n");
    finish_sheets(fixture, 10);
    now_s += 2;
    expect_end(fixture, NULL, "10 sheets in 2.0 s (5.0/s, 2 workers), 4 warnings (-v shows all)\n");
    fact("verbose prints every warning");
    fixture = fixture_new(false, VERBOSITY_VERBOSE);
    warn(fixture->report, "grunt", "no skin");
    warn(fixture->report, "troll", "no skin");
    expect(fixture, "warning: grunt: no skin\nwarning: troll: no skin\n");
    expect_end(fixture, NULL, "");
    fact("quiet prints each failure once");
    fixture = fixture_new(true, VERBOSITY_QUIET);
    begin_job(fixture->report, 0, "b");
    warn(fixture->report, "b", "no skin");
    page_failed(fixture->report, 0, 2, "b", "broken");
    page_failed(fixture->report, 0, 1, "a", "broken");
    page_made(fixture->report, 0, "c", 1);
    now_s += 1;
    report_tick(fixture->report);
    expect(fixture, "error: b: broken\nerror: a: broken\n");
    expect_end(fixture, NULL, "");
    fact("hostile names cannot steer the terminal");
    fixture = new_log();
    warn(fixture->report, "a\033[2Jb\n\r\x7f",
         "\xc2\x9b"
         "2J \xff \xc3");
    expect(fixture, "warning: a?[2Jb???: ??2J ? ?\n");
    warn(fixture->report, "gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8", "%s%n");
    expect(fixture, "warning: gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8: %s%n\n");
    fixture_free(fixture);
    fact("colours only when asked for");
    fixture = fixture_begin((struct report_settings){.has_colours = true}, NULL, 0);
    page_failed(fixture->report, 0, 0, "a", "broken");
    warn(fixture->report, "a", "odd");
    expect(fixture, "\033[1;31merror:\033[0m a: broken\n\033[1;33mwarning:\033[0m a: odd\n");
    fixture_free(fixture);
}

/* The end. */

TEST(summary_says_how_the_run_went)
{
    static const struct {
        size_t total, made, up_to_date;
        double seconds;
        bool has_folders;
        const char *ended, *summary;
    } runs[] = {
        {859, 859, 0, 7.9, false, NULL, "859 sheets in 7.9 s (109/s, 2 workers)\n"},
        {1, 1, 0, 2, false, NULL, "1 sheet in 2.0 s (30.0/min, 1 worker)\n"},
        {10, 10, 0, 0, false, NULL, "10 sheets in 0.00 s (2 workers)\n"},
        {2, 2, 0, 0.5, true, NULL, "2 sheets in 0.50 s (4.0/s, 2 workers) -> out/a, out/el?ves\n"},
        {10, 4, 0, 1, false, "interrupted", "interrupted: 4 of 10 sheets in 1.0 s (4.0/s, 2 workers)\n"},
        {10, 0, 0, 1, false, "interrupted", "interrupted\n"},
        {10, 0, 0, 1, false, NULL, ""},
        {0, 0, 10, 0.25, false, NULL, "nothing to do: 10 sheets up to date (0.25 s)\n"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct job_list a = {.name = "a", .output = "out/a"}, elves = {.name = "elves", .output = "out/el\033ves"};
        struct fixture *fixture = fixture_begin((struct report_settings){.verbosity = VERBOSITY_NORMAL},
                                                (struct job_list *[]){&a, &elves}, runs[i].has_folders ? 2 : 0);
        report_total(fixture->report, runs[i].total);
        finish_sheets(fixture, runs[i].made);
        for (size_t sheet = 0; sheet < runs[i].up_to_date; sheet++)
            page_up_to_date(fixture->report, "same");
        now_s += runs[i].seconds;
        expect_end(fixture, runs[i].ended, runs[i].summary);
    }
}

TEST(sheets_up_to_date_count_as_ended_but_not_for_the_rate)
{
    struct fixture *fixture = new_terminal();
    report_total(fixture->report, 4);
    for (int i = 0; i < 6; i++)
        page_up_to_date(fixture->report, "same");
    fflush(fixture->settings.out);
    fixture->read = fixture->size;
    now_s += 2;
    begin_job(fixture->report, 0, "a");
    expect(fixture, ERASE "[6/10]: a");
    page_made(fixture->report, 0, "a", 2);
    now_s += 2;
    page_made(fixture->report, 0, "b", 2);
    expect(fixture, ERASE "[8/10] 30.0/min, 4.0 s left");
    expect_end(fixture, NULL, ERASE "2 of 4 sheets in 4.0 s (30.0/min, 1 worker), 6 up to date\n");
}

/* On a terminal. */

TEST(live_line_names_what_is_under_way)
{
    struct fixture *fixture = new_terminal();
    begin_job(fixture->report, 0, "grunt");
    expect(fixture, ERASE "[0/10]: grunt");
    begin_job(fixture->report, 1, "troll");
    now_s += 0.2;
    report_tick(fixture->report);
    expect(fixture, ERASE "[0/10]: grunt, troll");
    now_s += 0.2;
    page_made(fixture->report, 0, "grunt", 0.4);
    expect(fixture, ERASE "[1/10]: troll");
    now_s += 11.6;
    report_tick(fixture->report);
    expect(fixture, ERASE "[1/10] 5.0/min, 1 min 48 s left: troll (12 s)");
    page_failed(fixture->report, 1, 0, "troll", "broken");
    expect(fixture, ERASE "error: troll: broken\n");
    now_s += 8;
    report_tick(fixture->report);
    expect(fixture, ERASE "[2/10] 6.0/min, 80 s left, 1 failed");
    fixture_free(fixture);
}

TEST(live_line_changes_at_most_ten_times_a_second)
{
    struct fixture *fixture = new_terminal();
    size_t writes = 0;
    for (int i = 0; i < 1000; i++) { /* one second */
        page_made(fixture->report, 0, "a", 0.001);
        now_s += 0.001;
        fflush(fixture->settings.out);
        writes += fixture->size > fixture->read;
        fixture->read = fixture->size;
    }
    assert_in_range(writes, 9, 11);
    fixture_free(fixture);
}

TEST(live_line_is_erased_before_other_lines_and_comes_back)
{
    struct fixture *fixture = new_terminal();
    report_tick(fixture->report);
    expect(fixture, ERASE "[0/10]");
    warn(fixture->report, "grunt", "no skin");
    expect(fixture, ERASE "warning: grunt: no skin\n");
    warn(fixture->report, "grunt", "no head");
    expect(fixture, "warning: grunt: no head\n");
    now_s += 0.1001;
    report_tick(fixture->report);
    expect(fixture, ERASE "[0/10]");
    expect_end(fixture, "interrupted", ERASE "interrupted\n");
}

static void expect_clipped_to_12(const char *name, const char *expected)
{
    struct fixture *fixture = fixture_begin((struct report_settings){.is_live = true, .columns = 12}, NULL, 0);
    report_total(fixture->report, 0);
    begin_job(fixture->report, 0, name);
    expect(fixture, expected);
    fixture_free(fixture);
}

TEST(lines_at_the_end_and_on_a_terminal)
{
    fact("failures come again in list order");
    struct fixture *fixture = new_log();
    page_failed(fixture->report, 0, 5, "e", "broken");
    page_failed(fixture->report, 1, 2, "b", "first");
    page_failed(fixture->report, 1, 2, "b", "second");
    report_total(fixture->report, 30);
    finish_sheets(fixture, 27);
    now_s += 0.5;
    expect_end(fixture, NULL,
               "error: b: first\nerror: b: second\nerror: e: broken\n"
               "27 of 30 sheets in 0.50 s (54/s, 2 workers), 3 failed\n");
    fact("failures that are still on the screen do not come again");
    fixture = new_log();
    finish_sheets(fixture, 3);
    page_failed(fixture->report, 0, 5, "e", "broken");
    page_failed(fixture->report, 1, 2, "b", "first");
    finish_sheets(fixture, 5);
    now_s += 0.5;
    expect_end(fixture, NULL, "8 of 10 sheets in 0.50 s (16/s, 2 workers), 2 failed\n");
    fact("failures that stand there in order do not come again");
    fixture = new_log();
    finish_sheets(fixture, 8);
    page_failed(fixture->report, 0, 2, "b", "broken");
    page_failed(fixture->report, 0, 5, "e", "broken");
    expect(fixture, "error: b: broken\nerror: e: broken\n");
    now_s += 0.5;
    expect_end(fixture, NULL, "8 of 10 sheets in 0.50 s (16/s, 2 workers), 2 failed\n");
    fact("a sheet up to date gets a line when more is wanted");
    fixture = fixture_new(false, VERBOSITY_VERBOSE);
    report_total(fixture->report, 9);
    page_up_to_date(fixture->report, "orcs/grunt.png");
    expect(fixture, "[1/10] orcs/grunt.png  up to date\n");
    fixture_free(fixture);
    fact("a sheet that no worker began can fail");
    fixture = new_log();
    begin_job(fixture->report, 0, "a");
    page_failed(fixture->report, -1, 3, "b", "its model has killed two workers");
    expect(fixture, "error: b: its model has killed two workers\n");
    fixture_free(fixture);
    fact("live line never wraps");
    expect_clipped_to_12("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f-very-long-name", ERASE "[0/0]: \xc3\xa4\xc3\xb6");
    expect_clipped_to_12("\xe9\xbe\x8d\xe9\xa8\x8e\xe5\xa3\xab", ERASE "[0/0]: \xe9\xbe\x8d");
    expect_clipped_to_12("a\xf0\x9f\x90\x89\xef\xbc\xa1", ERASE "[0/0]: a");
    expect_clipped_to_12("abcd", ERASE "[0/0]: abcd");
    fact("sheets are lines on a terminal only when verbose");
    fixture = new_terminal();
    page_made(fixture->report, 0, "a", 0.5);
    expect(fixture, ERASE "[1/10]");
    fixture_free(fixture);
    fixture = fixture_new(true, VERBOSITY_VERBOSE);
    page_made(fixture->report, 0, "a", 0.5);
    expect(fixture, "[1/10] a  0.50 s\n" ERASE "[1/10]");
    fixture_free(fixture);
}
