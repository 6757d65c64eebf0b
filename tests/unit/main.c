#include "test.h"

#include <stdbool.h>
#include <stdlib.h>

enum { MOST_TESTS = 200, MOST_ENDS = 4000 };

static struct CMUnitTest tests[MOST_TESTS];
static size_t count;
static CMFixtureFunction group_set_up, group_tear_down;

/* The test that runs, and what it shows at the moment. */
static size_t started;
static const char *current_fact;
static bool passed;
static struct {
    void (*function)(void *context);
    void *context;
} ends[MOST_ENDS];
static size_t end_count;

void test_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    if (count == MOST_TESTS)
        abort();
    tests[count++] = (struct CMUnitTest){name, test, set_up, tear_down, NULL};
}

void fact(const char *what)
{
    current_fact = what;
}

void test_set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    group_set_up = set_up;
    group_tear_down = tear_down;
}

void at_end(void (*function)(void *context), void *context)
{
    if (end_count == MOST_ENDS)
        abort();
    ends[end_count].function = function;
    ends[end_count++].context = context;
}

static int begin(void **state)
{
    CMFixtureFunction set_up = tests[started++].setup_func;
    current_fact = NULL;
    passed = false;
    return set_up ? set_up(state) : 0;
}

static void call(void **state)
{
    tests[started - 1].test_func(state);
    passed = true;
}

static int end(void **state)
{
    CMFixtureFunction tear_down = tests[started - 1].teardown_func;
    if (!passed && current_fact)
        print_error("where %s\n", current_fact);
    while (end_count > 0) {
        end_count--;
        ends[end_count].function(ends[end_count].context);
    }
    return tear_down ? tear_down(state) : 0;
}

/* Weak: a program may have a main of its own. */
__attribute__((weak)) int main(void)
{
    struct CMUnitTest wrapped[MOST_TESTS];
    for (size_t i = 0; i < count; i++)
        wrapped[i] = (struct CMUnitTest){tests[i].name, call, begin, end, NULL};
    return _cmocka_run_group_tests("tests", wrapped, count, group_set_up, group_tear_down);
}
