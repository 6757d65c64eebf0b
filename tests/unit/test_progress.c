

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/progress.h"
#include "report/result.h"
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

/* A progress that writes to memory. */
struct fixture {
    struct progress_settings settings;
    struct progress *progress;
    char *text;
    size_t size, read;
};

static struct fixture *fixture_new(bool is_live, enum verbosity verbosity)
{
    struct fixture *fixture = must_alloc(1, sizeof *fixture);
    fixture->settings = (struct progress_settings){
        .out = open_memstream(&fixture->text, &fixture->size),
        .verbosity = verbosity,
        .is_live = is_live,
        .columns = 60,
        .worker_count = 2,
    };
    now_s = 1000;
    fixture->progress = progress_new(&fixture->settings);
    progress_total(fixture->progress, 10);
    return fixture;
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
    progress_free(fixture->progress);
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
    progress_finish(fixture->progress, ended);
    expect(fixture, expected);
    fixture_free(fixture);
}

static void end_page(struct progress *progress, struct page_result result)
{
    const struct job job = {.name = "a job"};
    result.job = &job;
    progress_page(progress, &result);
}

static void progress_done(struct progress *progress, unsigned worker, const char *name, double seconds)
{
    end_page(progress,
             (struct page_result){.name = name, .had_worker = true, .worker = worker, .seconds = seconds});
}

static void progress_up_to_date(struct progress *progress, const char *name)
{
    end_page(progress, (struct page_result){.name = name, .status = PAGE_UP_TO_DATE});
}

static void progress_failed(struct progress *progress, int worker, uint64_t order, const char *name,
                            const char *reason)
{
    end_page(progress, (struct page_result){.name = name,
                                            .status = PAGE_FAILED,
                                            .had_worker = worker >= 0,
                                            .worker = (unsigned)worker,
                                            .order = order,
                                            .reason = reason});
}

static void finish_sheets(struct fixture *fixture, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        progress_begin(fixture->progress, (unsigned)i % 2, "a");
        progress_done(fixture->progress, (unsigned)i % 2, "a", 0.1);
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
    } durations[] = {
        {0.994, "0.99 s"}, {0.996, "1.0 s"}, {9.96, "10 s"}, {99.96, "1 min 40 s"}, {3599.6, "1 h 00 min"}, {7500, "2 h 05 min"}};
    struct fixture *fixture = new_log();
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        char line[64];
        snprintf(line, sizeof line, "[%zu/10] a  %s\n", i + 1, durations[i].text);
        progress_done(fixture->progress, 0, "a", durations[i].seconds);
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
            progress_warning(fixture->progress, false, NULL, NULL, text);
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
    progress_begin(fixture->progress, 0, "orcs/grunt.png");
    expect(fixture, "");
    progress_done(fixture->progress, 0, "orcs/grunt.png", 0.123);
    expect(fixture, "[1/10] orcs/grunt.png  0.12 s\n");
    progress_total(fixture->progress, 12);
    progress_done(fixture->progress, 1, "orcs/troll.png", 61.04);
    expect(fixture, "[2/12] orcs/troll.png  61 s\n");
    fixture_free(fixture);
    fact("failure is printed and counted");
    fixture = new_log();
    progress_failed(fixture->progress, 0, 7, "orcs/troll", "troll.md2: too short");
    expect(fixture, "error: orcs/troll: troll.md2: too short\n");
    progress_done(fixture->progress, 0, "a", 1);
    expect(fixture, "[2/10] a  1.0 s\n");
    fixture_free(fixture);
    fact("same warning is printed once");
    fixture = new_log();
    progress_warning(fixture->progress, false, "grunt", NULL, "no skin");
    progress_warning(fixture->progress, false, "troll", NULL, "no skin");
    progress_warning(fixture->progress, false, NULL, NULL, "no time");
    progress_warning(fixture->progress, false, "troll", NULL, "no skin");
    expect(fixture, "warning: grunt: no skin\nwarning: no time\n");
    finish_sheets(fixture, 10);
    now_s += 2;
    expect_end(fixture, NULL, "10 sheets in 2.0 s (5.0/s, 2 workers), 4 warnings (-v shows all)\n");
    fact("verbose prints every warning");
    fixture = fixture_new(false, VERBOSITY_VERBOSE);
    progress_warning(fixture->progress, false, "grunt", NULL, "no skin");
    progress_warning(fixture->progress, false, "troll", NULL, "no skin");
    expect(fixture, "warning: grunt: no skin\nwarning: troll: no skin\n");
    expect_end(fixture, NULL, "");
    fact("quiet prints each failure once");
    fixture = fixture_new(true, VERBOSITY_QUIET);
    progress_begin(fixture->progress, 0, "b");
    progress_warning(fixture->progress, false, "b", NULL, "no skin");
    progress_failed(fixture->progress, 0, 2, "b", "broken");
    progress_failed(fixture->progress, 0, 1, "a", "broken");
    progress_done(fixture->progress, 0, "c", 1);
    now_s += 1;
    progress_tick(fixture->progress);
    expect(fixture, "error: b: broken\nerror: a: broken\n");
    expect_end(fixture, NULL, "");
    fact("hostile names cannot steer the terminal");
    fixture = new_log();
    progress_warning(fixture->progress, false, "a\033[2Jb\n\r\x7f", NULL,
                     "\xc2\x9b"
                     "2J \xff \xc3");
    expect(fixture, "warning: a?[2Jb???: ??2J ? ?\n");
    progress_warning(fixture->progress, false, "gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8", NULL, "%s%n");
    expect(fixture, "warning: gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8: %s%n\n");
    fixture_free(fixture);
    fact("colours only when asked for");
    fixture = new_log();
    fixture->settings.has_colours = true;
    progress_free(fixture->progress);
    fixture->progress = progress_new(&fixture->settings);
    progress_failed(fixture->progress, 0, 0, "a", "broken");
    progress_warning(fixture->progress, false, "a", NULL, "odd");
    expect(fixture, "\033[1;31merror:\033[0m a: broken\n\033[1;33mwarning:\033[0m a: odd\n");
    fixture_free(fixture);
    fact("streams that are no terminal are plain");
    FILE *file = tmpfile();
    struct progress_settings settings = {.out = file, .is_live = true, .has_colours = true};
    progress_settings_detect(&settings);
    assert_false(settings.is_live);
    assert_false(settings.has_colours);
    fclose(file);
}

/* The end. */

TEST(summary_says_how_the_run_went)
{
    static const struct {
        size_t total, made, up_to_date;
        double seconds;
        const char *folders, *ended, *summary;
    } runs[] = {
        {859, 859, 0, 7.9, NULL, NULL, "859 sheets in 7.9 s (109/s, 2 workers)\n"},
        {1, 1, 0, 2, NULL, NULL, "1 sheet in 2.0 s (30.0/min, 1 worker)\n"},
        {10, 10, 0, 0, NULL, NULL, "10 sheets in 0.00 s (2 workers)\n"},
        {2, 2, 0, 0.5, "out/a, out/el\033ves", NULL,
         "2 sheets in 0.50 s (4.0/s, 2 workers) -> out/a, out/el?ves\n"},
        {10, 4, 0, 1, NULL, "interrupted", "interrupted: 4 of 10 sheets in 1.0 s (4.0/s, 2 workers)\n"},
        {10, 0, 0, 1, NULL, "interrupted", "interrupted\n"},
        {10, 0, 0, 1, NULL, NULL, ""},
        {10, 0, 10, 0.25, NULL, NULL, "nothing to do: 10 sheets up to date (0.25 s)\n"},
    };
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct fixture *fixture = new_log();
        progress_free(fixture->progress);
        fixture->settings.folders = runs[i].folders;
        fixture->progress = progress_new(&fixture->settings);
        progress_total(fixture->progress, runs[i].total);
        finish_sheets(fixture, runs[i].made);
        for (size_t sheet = 0; sheet < runs[i].up_to_date; sheet++)
            progress_up_to_date(fixture->progress, "same");
        now_s += runs[i].seconds;
        expect_end(fixture, runs[i].ended, runs[i].summary);
    }
}

TEST(sheets_up_to_date_count_as_ended_but_not_for_the_rate)
{
    struct fixture *fixture = new_terminal();
    for (int i = 0; i < 6; i++)
        progress_up_to_date(fixture->progress, "same");
    fflush(fixture->settings.out);
    fixture->read = fixture->size;
    now_s += 2;
    progress_begin(fixture->progress, 0, "a");
    expect(fixture, ERASE "[6/10]: a");
    progress_done(fixture->progress, 0, "a", 2);
    now_s += 2;
    progress_done(fixture->progress, 0, "b", 2);
    expect(fixture, ERASE "[8/10] 30.0/min, 4.0 s left");
    expect_end(fixture, NULL, ERASE "2 of 4 sheets in 4.0 s (30.0/min, 1 worker), 6 up to date\n");
}

/* On a terminal. */

TEST(live_line_names_what_is_under_way)
{
    struct fixture *fixture = new_terminal();
    progress_begin(fixture->progress, 0, "grunt");
    expect(fixture, ERASE "[0/10]: grunt");
    progress_begin(fixture->progress, 1, "troll");
    now_s += 0.2;
    progress_tick(fixture->progress);
    expect(fixture, ERASE "[0/10]: grunt, troll");
    now_s += 0.2;
    progress_done(fixture->progress, 0, "grunt", 0.4);
    expect(fixture, ERASE "[1/10]: troll");
    now_s += 11.6;
    progress_tick(fixture->progress);
    expect(fixture, ERASE "[1/10] 5.0/min, 1 min 48 s left: troll (12 s)");
    progress_failed(fixture->progress, 1, 0, "troll", "broken");
    expect(fixture, ERASE "error: troll: broken\n");
    now_s += 8;
    progress_tick(fixture->progress);
    expect(fixture, ERASE "[2/10] 6.0/min, 80 s left, 1 failed");
    fixture_free(fixture);
}

TEST(live_line_changes_at_most_ten_times_a_second)
{
    struct fixture *fixture = new_terminal();
    size_t writes = 0;
    for (int i = 0; i < 1000; i++) { /* one second */
        progress_done(fixture->progress, 0, "a", 0.001);
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
    progress_tick(fixture->progress);
    expect(fixture, ERASE "[0/10]");
    progress_warning(fixture->progress, false, "grunt", NULL, "no skin");
    expect(fixture, ERASE "warning: grunt: no skin\n");
    progress_warning(fixture->progress, false, "grunt", NULL, "no head");
    expect(fixture, "warning: grunt: no head\n");
    now_s += 0.1001;
    progress_tick(fixture->progress);
    expect(fixture, ERASE "[0/10]");
    expect_end(fixture, "interrupted", ERASE "interrupted\n");
}

static void expect_clipped_to_12(const char *name, const char *expected)
{
    struct fixture *fixture = new_terminal();
    fixture->settings.columns = 12;
    progress_free(fixture->progress);
    fixture->progress = progress_new(&fixture->settings);
    progress_begin(fixture->progress, 0, name);
    expect(fixture, expected);
    fixture_free(fixture);
}

TEST(lines_at_the_end_and_on_a_terminal)
{
    fact("failures come again in list order");
    struct fixture *fixture = new_log();
    progress_failed(fixture->progress, 0, 5, "e", "broken");
    progress_failed(fixture->progress, 1, 2, "b", "first");
    progress_failed(fixture->progress, 1, 2, "b", "second");
    progress_total(fixture->progress, 30);
    finish_sheets(fixture, 27);
    now_s += 0.5;
    expect_end(fixture, NULL,
               "error: b: first\nerror: b: second\nerror: e: broken\n"
               "27 of 30 sheets in 0.50 s (54/s, 2 workers), 3 failed\n");
    fact("failures that are still on the screen do not come again");
    fixture = new_log();
    finish_sheets(fixture, 3);
    progress_failed(fixture->progress, 0, 5, "e", "broken");
    progress_failed(fixture->progress, 1, 2, "b", "first");
    finish_sheets(fixture, 5);
    now_s += 0.5;
    expect_end(fixture, NULL, "8 of 10 sheets in 0.50 s (16/s, 2 workers), 2 failed\n");
    fact("failures that stand there in order do not come again");
    fixture = new_log();
    finish_sheets(fixture, 8);
    progress_failed(fixture->progress, 0, 2, "b", "broken");
    progress_failed(fixture->progress, 0, 5, "e", "broken");
    expect(fixture, "error: b: broken\nerror: e: broken\n");
    now_s += 0.5;
    expect_end(fixture, NULL, "8 of 10 sheets in 0.50 s (16/s, 2 workers), 2 failed\n");
    fact("a sheet up to date gets a line when more is wanted");
    fixture = fixture_new(false, VERBOSITY_VERBOSE);
    progress_up_to_date(fixture->progress, "orcs/grunt.png");
    expect(fixture, "[1/10] orcs/grunt.png  up to date\n");
    fixture_free(fixture);
    fact("a sheet that no worker began can fail");
    fixture = new_log();
    progress_begin(fixture->progress, 0, "a");
    progress_failed(fixture->progress, -1, 3, "b", "its model has killed two workers");
    expect(fixture, "error: b: its model has killed two workers\n");
    fixture_free(fixture);
    fact("live line never wraps");
    expect_clipped_to_12("\xc3\xa4\xc3\xb6\xc3\xbc\xc3\x9f-very-long-name",
                         ERASE "[0/0]: \xc3\xa4\xc3\xb6");
    expect_clipped_to_12("\xe9\xbe\x8d\xe9\xa8\x8e\xe5\xa3\xab", ERASE "[0/0]: \xe9\xbe\x8d");
    expect_clipped_to_12("a\xf0\x9f\x90\x89\xef\xbc\xa1", ERASE "[0/0]: a");
    expect_clipped_to_12("abcd", ERASE "[0/0]: abcd");
    fact("sheets are lines on a terminal only when verbose");
    fixture = new_terminal();
    progress_done(fixture->progress, 0, "a", 0.5);
    expect(fixture, ERASE "[1/10]");
    fixture_free(fixture);
    fixture = fixture_new(true, VERBOSITY_VERBOSE);
    progress_done(fixture->progress, 0, "a", 0.5);
    expect(fixture, "[1/10] a  0.50 s\n" ERASE "[1/10]");
    fixture_free(fixture);
}
