#include "test.h"

#include <stdlib.h>

enum { MOST_TESTS = 200 };

static struct CMUnitTest tests[MOST_TESTS];
static size_t count;
static CMFixtureFunction group_set_up, group_tear_down;

void test_add(const char *name, CMUnitTestFunction test, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    if (count == MOST_TESTS)
        abort();
    tests[count++] = (struct CMUnitTest){name, test, set_up, tear_down, NULL};
}

void test_set_group(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    group_set_up = set_up;
    group_tear_down = tear_down;
}

/* Weak: a program may have a main of its own. */
__attribute__((weak)) int main(void)
{
    return _cmocka_run_group_tests("tests", tests, count, group_set_up, group_tear_down);
}
