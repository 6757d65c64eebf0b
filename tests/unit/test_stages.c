/* Where a page's time went, also as a worker left it that died. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "bake/stages.h"

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

static void each_stage_gets_its_own_time(void **state)
{
    (void)state;
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

static void a_stage_entered_again_adds_up(void **state)
{
    (void)state;
    struct stages stages = {0};
    for (int i = 0; i < 3; i++) {
        stages_enter(&stages, STAGE_POSE);
        nap();
        stages_enter(&stages, STAGE_POSE);
        stages_enter(&stages, STAGE_DRAW);
    }
    assert_true(stages.seconds[STAGE_POSE] >= 0.015);
}

static void the_stage_under_way_gets_the_rest(void **state)
{
    (void)state;
    struct stages left = {.current = STAGE_DRAW, .seconds = {[STAGE_LOAD] = 1, [STAGE_DRAW] = 2}}, ended;
    stages_end(&left, 10, &ended);
    assert_int_equal(ended.current, STAGE_DRAW);
    assert_true(ended.seconds[STAGE_LOAD] == 1 && ended.seconds[STAGE_DRAW] == 9);
}

static void broken_memory_gives_sane_seconds(void **state)
{
    (void)state;
    struct stages left = {.current = 77, .seconds = {1e300, NAN, -5, INFINITY, 3, -NAN}}, ended;
    stages_end(&left, 10, &ended);
    assert_int_equal(ended.current, STAGE_NONE);
    for (unsigned i = 0; i < STAGE_COUNT; i++)
        assert_true(ended.seconds[i] >= 0 && ended.seconds[i] <= 10);
    assert_true(sum_of(&ended) <= 10);
    stages_enter(&left, STAGE_WRITE);
    assert_int_equal(left.current, STAGE_WRITE);
}

static void nobody_need_want_to_know(void **state)
{
    (void)state;
    stages_enter(NULL, STAGE_LOAD);
}

static void all_stages_but_none_have_names(void **state)
{
    (void)state;
    assert_null(stage_name(STAGE_NONE));
    assert_null(stage_name(STAGE_COUNT));
    for (unsigned i = STAGE_LOAD; i < STAGE_COUNT; i++)
        assert_non_null(stage_name(i));
    assert_string_equal(stage_name(STAGE_ENCODE), "encode");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stage_gets_its_own_time),      cmocka_unit_test(a_stage_entered_again_adds_up),
        cmocka_unit_test(the_stage_under_way_gets_the_rest), cmocka_unit_test(broken_memory_gives_sane_seconds),
        cmocka_unit_test(nobody_need_want_to_know),          cmocka_unit_test(all_stages_but_none_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
