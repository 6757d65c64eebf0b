/* Where a page's time went, also as a worker left it that died. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "plan/stopwatch.h"
#include "test.h"

static double sum_of(const struct stopwatch *stopwatch)
{
    double sum = 0;
    for (unsigned i = 0; i < STAGE_COUNT; i++)
        sum += stopwatch->seconds[i];
    return sum;
}

TEST(the_stage_under_way_gets_the_rest)
{
    struct stopwatch left = {.current = STAGE_DRAW, .seconds = {[STAGE_LOAD] = 1, [STAGE_DRAW] = 2}}, ended;
    stopwatch_end(&left, 10, &ended);
    assert_int_equal(ended.current, STAGE_DRAW);
    assert_true(ended.seconds[STAGE_LOAD] == 1 && ended.seconds[STAGE_DRAW] == 9);
}

TEST(broken_memory_gives_sane_seconds)
{
    struct stopwatch left = {.current = 77, .seconds = {1e300, NAN, -5, INFINITY, 3, -NAN}}, ended;
    stopwatch_end(&left, 10, &ended);
    assert_int_equal(ended.current, STAGE_NONE);
    for (unsigned i = 0; i < STAGE_COUNT; i++)
        assert_true(ended.seconds[i] >= 0 && ended.seconds[i] <= 10);
    assert_true(sum_of(&ended) <= 10);
    stopwatch_enter(&left, STAGE_WRITE);
    assert_int_equal(left.current, STAGE_WRITE);
}

TEST(all_stages_but_none_have_names)
{
    assert_null(stage_name(STAGE_NONE));
    assert_null(stage_name(STAGE_COUNT));
    for (unsigned i = STAGE_LOAD; i < STAGE_COUNT; i++)
        assert_non_null(stage_name(i));
    assert_string_equal(stage_name(STAGE_ENCODE), "encode");
}
