#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "run/costs.h"

#define PAGE(list, job, page, seconds)                                                                                 \
    "{\"type\":\"page\",\"status\":\"made\",\"list\":\"" list "\",\"job\":\"" job "\",\"page\":" #page                 \
    ",\"madeWith\":null,\"seconds\":" #seconds "}\n"

static struct costs *costs;
static struct strings warnings;

static int set_up(void **state)
{
    (void)state;
    costs = costs_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    costs_free(costs);
    strings_release(&warnings);
    warnings = (struct strings){0};
    return 0;
}

static void load(const char *text)
{
    costs_load(costs, (struct bytes){(const uint8_t *)text, strlen(text)}, "log", &warnings);
}

static void expect(const char *list, const char *job, uint32_t page, uint64_t us)
{
    size_t count;
    const struct cost *pages = costs_of_job(costs, list, job, &count);
    const struct cost *cost = cost_of_page(pages, count, page);
    assert_non_null(cost);
    assert_int_equal(cost_us(cost), us);
}

static void expect_pages(const char *list, const char *job, size_t expected)
{
    size_t count;
    costs_of_job(costs, list, job, &count);
    assert_int_equal(count, expected);
}

static void pages_are_found_by_list_job_and_number(void **state)
{
    (void)state;
    load(PAGE("l", "b", 1, 0.25) PAGE("l", "b", 0, 1) PAGE("l", "a", 0, 2e-6) PAGE("k", "b", 0, 3.5));
    expect("l", "b", 0, 1000000);
    expect("l", "b", 1, 250000);
    expect("l", "a", 0, 2);
    expect("k", "b", 0, 3500000);
    expect_pages("l", "b", 2);
    expect_pages("l", "", 0);
    expect_pages("l", "ab", 0);
    expect_pages("m", "a", 0);
    assert_int_equal(warnings.count, 0);
}

static void several_runs_count_as_their_mean_in_any_order(void **state)
{
    (void)state;
    load(PAGE("l", "a", 0, 1) PAGE("l", "a", 0, 2));
    load(PAGE("l", "a", 0, 6));
    expect("l", "a", 0, 3000000);
    expect_pages("l", "a", 1);
    costs_free(costs);
    costs = costs_new();
    load(PAGE("l", "a", 0, 6));
    load(PAGE("l", "a", 0, 2) PAGE("l", "a", 0, 1));
    expect("l", "a", 0, 3000000);
}

static void nothing_takes_no_time(void **state)
{
    (void)state;
    load(PAGE("l", "a", 0, 0));
    expect("l", "a", 0, 1);
}

static void only_pages_that_were_made_are_measured(void **state)
{
    (void)state;
    load("{\"type\":\"run\",\"seconds\":12}\n"
         "{\"type\":\"page\",\"status\":\"failed\",\"list\":\"l\",\"job\":\"a\",\"page\":0,\"seconds\":60}\n"
         "{\"type\":\"page\",\"status\":\"up-to-date\",\"list\":\"l\",\"job\":\"a\",\"page\":0,\"seconds\":0}\n"
         "{\"type\":\"page\",\"status\":\"made\",\"madeWith\":\"a.png\",\"list\":\"l\",\"job\":\"a\",\"page\":0,"
         "\"seconds\":1}\n"
         "{\"something\":\"else\"}\n\n");
    expect_pages("l", "a", 0);
    assert_int_equal(warnings.count, 0);
}

static void expect_warning(const char *text, const char *warning)
{
    strings_release(&warnings);
    warnings = (struct strings){0};
    load(text);
    assert_int_equal(warnings.count, 1);
    if (!strstr(warnings.items[0], warning))
        fail_msg("'%s' does not say '%s'", warnings.items[0], warning);
}

static void broken_lines_are_told_and_skipped(void **state)
{
    (void)state;
    expect_warning(PAGE("l", "a", 0, 1) "{\"type\":\"pa", "log:2: skipped: ");
    expect("l", "a", 0, 1000000);
    expect_warning("[1]\n", "log:1: skipped: no JSON object");
    expect_warning(PAGE("l", "a", -1, 1), "no page number");
    expect_warning(PAGE("l", "a", 4294967295, 1), "no page number");
    expect_warning(PAGE("l", "a", 0.5, 1), "no page number");
    expect_warning(PAGE("l", "a", 0, -1), "no seconds between 0 and 86400");
    expect_warning(PAGE("l", "a", 0, 1e300), "no seconds between 0 and 86400");
    expect_warning(PAGE("l", "a", 0, "1"), "no seconds between 0 and 86400");
    expect_warning("{\"type\":\"page\",\"status\":\"made\",\"job\":\"a\"}\n", "a page without list");
    expect_warning("{\"type\":\"page\",\"status\":\"made\",\"list\":\"a\"}\n", "a page without job");
    expect_warning("{\"type\":\"page\",\"status\":\"made\",\"list\":\"l\",\"job\":1}\n", "a page without job");
    expect_pages("l", "a", 1);
}

static void many_broken_lines_are_counted(void **state)
{
    (void)state;
    load("x\nx\nx\nx\nx\nx\nx\n" PAGE("l", "a", 0, 1));
    assert_int_equal(warnings.count, 6);
    assert_string_equal(warnings.items[5], "log: 2 more lines skipped");
    expect_pages("l", "a", 1);
}

/* What a run leaves that was killed while it wrote: whatever the length, the whole lines count. */
static void log_may_end_anywhere(void **state)
{
    (void)state;
    static const char text[] = PAGE("l", "a", 0, 1) PAGE("l", "a", 1, 1);
    size_t line = strlen(text) / 2;
    for (size_t length = 0; length <= strlen(text); length++) {
        char *copy = must_alloc(length, 1); /* of this very length, for the sanitizer */
        memcpy(copy, text, length);
        struct costs *cut = costs_new();
        costs_load(cut, (struct bytes){(const uint8_t *)copy, length}, "log", &warnings);
        size_t count;
        costs_of_job(cut, "l", "a", &count);
        assert_int_equal(count, (length + 1) / line);
        costs_free(cut);
        free(copy);
    }
}

static void log_that_is_not_there_fails(void **state)
{
    (void)state;
    struct error err;
    assert_int_equal(costs_read(costs, "/nowhere/log.jsonl", &warnings, &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/log.jsonl"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(pages_are_found_by_list_job_and_number),
        TEST(several_runs_count_as_their_mean_in_any_order),
        TEST(nothing_takes_no_time),
        TEST(only_pages_that_were_made_are_measured),
        TEST(broken_lines_are_told_and_skipped),
        TEST(many_broken_lines_are_counted),
        TEST(log_may_end_anywhere),
        TEST(log_that_is_not_there_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
