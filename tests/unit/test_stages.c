/* Where a page's time went, also as a worker left it that died. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "bake/stages.h"
#include "test.h"

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static double sum_of(const struct stages *stages)
{
    double sum = 0;
    for (unsigned i = 0; i < STAGE_COUNT; i++)
        sum += stages->seconds[i];
    return sum;
}

TEST(each_stage_gets_its_own_time)
{
    struct stages stages = {0};
    nap();
    stages_enter(&stages, STAGE_LOAD);
    nap();
    stages_enter(&stages, STAGE_DRAW);
    nap();
    nap();
    stages_enter(&stages, STAGE_NONE);
    nap();
    assert_true(stages.seconds[STAGE_LOAD] >= 0.005);
    assert_true(stages.seconds[STAGE_DRAW] >= 0.010);
    assert_true(stages.seconds[STAGE_POSE] == 0 && stages.seconds[STAGE_NONE] == 0);
}

TEST(a_stage_entered_again_adds_up)
{
    struct stages stages = {0};
    for (int i = 0; i < 3; i++) {
        stages_enter(&stages, STAGE_POSE);
        nap();
        stages_enter(&stages, STAGE_POSE);
        stages_enter(&stages, STAGE_DRAW);
    }
    assert_true(stages.seconds[STAGE_POSE] >= 0.015);
}

TEST(the_stage_under_way_gets_the_rest)
{
    struct stages left = {.current = STAGE_DRAW, .seconds = {[STAGE_LOAD] = 1, [STAGE_DRAW] = 2}}, ended;
    stages_end(&left, 10, &ended);
    assert_int_equal(ended.current, STAGE_DRAW);
    assert_true(ended.seconds[STAGE_LOAD] == 1 && ended.seconds[STAGE_DRAW] == 9);
}

TEST(broken_memory_gives_sane_seconds)
{
    struct stages left = {.current = 77, .seconds = {1e300, NAN, -5, INFINITY, 3, -NAN}}, ended;
    stages_end(&left, 10, &ended);
    assert_int_equal(ended.current, STAGE_NONE);
    for (unsigned i = 0; i < STAGE_COUNT; i++)
        assert_true(ended.seconds[i] >= 0 && ended.seconds[i] <= 10);
    assert_true(sum_of(&ended) <= 10);
    stages_enter(&left, STAGE_WRITE);
    assert_int_equal(left.current, STAGE_WRITE);
}

TEST(nobody_need_want_to_know)
{
    stages_enter(NULL, STAGE_LOAD);
}

TEST(all_stages_but_none_have_names)
{
    assert_null(stage_name(STAGE_NONE));
    assert_null(stage_name(STAGE_COUNT));
    for (unsigned i = STAGE_LOAD; i < STAGE_COUNT; i++)
        assert_non_null(stage_name(i));
    assert_string_equal(stage_name(STAGE_ENCODE), "encode");
}
