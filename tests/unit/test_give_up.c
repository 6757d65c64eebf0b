/* When a run of which nothing comes is given up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/give_up.h"

enum { JOBS = 40 };

/* Two jobs of each model. */
static struct give_up *new_with_limit(unsigned limit)
{
    uint32_t models[JOBS];
    for (uint32_t i = 0; i < JOBS; i++)
        models[i] = i / 2;
    return give_up_new(models, JOBS, limit);
}

static void many_models_in_a_row_are_too_many(void **state)
{
    (void)state;
    struct give_up *give_up = new_with_limit(8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_false(give_up_is_due(give_up));
        assert_int_equal(give_up_doubts(give_up), i >= 2);
        give_up_died(give_up, 2 * i);
    }
    assert_true(give_up_is_due(give_up));
    give_up_free(give_up);
}

static void one_model_counts_once(void **state)
{
    (void)state;
    struct give_up *give_up = new_with_limit(2);
    for (unsigned i = 0; i < 100; i++)
        give_up_died(give_up, i % 2);
    assert_false(give_up_is_due(give_up));
    give_up_died(give_up, 2);
    assert_true(give_up_is_due(give_up));
    give_up_free(give_up);
}

static void a_page_that_is_made_begins_a_new_row(void **state)
{
    (void)state;
    struct give_up *give_up = new_with_limit(3);
    for (unsigned round = 0; round < 5; round++) {
        give_up_died(give_up, 0);
        give_up_died(give_up, 2);
        assert_false(give_up_is_due(give_up));
        give_up_made(give_up);
        assert_false(give_up_doubts(give_up));
    }
    give_up_died(give_up, 0);
    give_up_died(give_up, 2);
    give_up_died(give_up, 4);
    assert_true(give_up_is_due(give_up));
    give_up_free(give_up);
}

static void no_limit_is_never_reached(void **state)
{
    (void)state;
    struct give_up *give_up = new_with_limit(0);
    for (uint32_t i = 0; i < JOBS; i++)
        give_up_died(give_up, i);
    assert_false(give_up_is_due(give_up));
    assert_false(give_up_doubts(give_up));
    give_up_free(give_up);
}

static void a_limit_of_one_ends_at_the_first(void **state)
{
    (void)state;
    struct give_up *give_up = new_with_limit(1);
    assert_false(give_up_is_due(give_up));
    give_up_died(give_up, 7);
    assert_true(give_up_is_due(give_up));
    give_up_free(give_up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_models_in_a_row_are_too_many),    cmocka_unit_test(one_model_counts_once),
        cmocka_unit_test(a_page_that_is_made_begins_a_new_row), cmocka_unit_test(no_limit_is_never_reached),
        cmocka_unit_test(a_limit_of_one_ends_at_the_first),
    };
    return cmocka_run_group_tests_name("give_up", tests, NULL, NULL);
}
