#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/retry.h"

/* Jobs 0 and 1 show one model, job 2 another, job 3 a third. */
static const uint32_t models[] = {0, 0, 1, 2};

static struct retry *retry;

static int set_up(void **state)
{
    (void)state;
    retry = retry_new(models, sizeof models / sizeof *models);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    retry_free(retry);
    return 0;
}

static struct schedule_item item(uint32_t job, uint32_t page)
{
    return (struct schedule_item){.job = job, .page = page};
}

static void die(uint32_t job, uint32_t page)
{
    char name[] = "sheet.png", death[] = "it crashed";
    retry_add_death(retry, &(struct retry_page){.item = item(job, page), .name = name, .death = death});
}

static void check_item(struct schedule_item got, uint32_t job, uint32_t page)
{
    assert_int_equal(got.job, job);
    assert_int_equal(got.page, page);
}

static void check_next_dead(uint32_t job, uint32_t page)
{
    struct retry_page dead;
    assert_true(retry_take_dead(retry, &dead));
    check_item(dead.item, job, page);
    assert_string_equal(dead.name, "sheet.png");
    assert_string_equal(dead.death, "it crashed");
    retry_page_release(&dead);
}

static void check_next_freed(uint32_t job, uint32_t page)
{
    struct schedule_item freed;
    assert_true(retry_take_freed(retry, &freed));
    check_item(freed, job, page);
}

static void check_next_lost(uint32_t job, uint32_t page, bool was_begun)
{
    struct retry_page lost;
    assert_true(retry_take_lost(retry, &lost));
    check_item(lost.item, job, page);
    assert_int_equal(lost.death != NULL, was_begun);
    assert_int_equal(lost.name != NULL, was_begun);
    retry_page_release(&lost);
}

static void check_nothing_waits(void)
{
    struct retry_page page;
    struct schedule_item freed;
    assert_false(retry_has_dead(retry));
    assert_false(retry_take_dead(retry, &page));
    assert_false(retry_take_lost(retry, &page));
    assert_false(retry_take_freed(retry, &freed));
}

static void without_deaths_all_pages_go(void **state)
{
    (void)state;
    for (uint32_t job = 0; job < 4; job++)
        assert_true(retry_admit(retry, item(job, 0)));
    check_nothing_waits();
}

static void page_whose_worker_died_is_tried_once_more(void **state)
{
    (void)state;
    die(0, 3);
    assert_true(retry_has_dead(retry));
    check_next_dead(0, 3);
    retry_settle(retry, item(0, 3), false);
    check_nothing_waits();
}

static void dead_pages_wait_in_their_order(void **state)
{
    (void)state;
    die(2, 0);
    die(3, 1);
    die(0, 0);
    check_next_dead(2, 0);
    check_next_dead(3, 1);
    check_next_dead(0, 0);
    check_nothing_waits();
}

static void one_death_holds_nothing_back(void **state)
{
    (void)state;
    die(0, 0);
    assert_true(retry_admit(retry, item(0, 1)));
    assert_true(retry_admit(retry, item(1, 0)));
}

static void two_deaths_of_a_model_hold_back_its_other_pages_in_all_jobs(void **state)
{
    (void)state;
    die(0, 0);
    die(1, 0);
    assert_false(retry_admit(retry, item(0, 1)));
    assert_false(retry_admit(retry, item(1, 1)));
    assert_true(retry_admit(retry, item(2, 0)));
    struct schedule_item freed;
    struct retry_page lost;
    assert_false(retry_take_freed(retry, &freed));
    assert_false(retry_take_lost(retry, &lost));
}

static void success_alone_frees_what_was_held_back(void **state)
{
    (void)state;
    die(0, 0);
    die(0, 1);
    assert_false(retry_admit(retry, item(0, 2)));
    assert_false(retry_admit(retry, item(1, 0)));
    check_next_dead(0, 0);
    retry_settle(retry, item(0, 0), false);
    check_next_freed(0, 2);
    check_next_freed(1, 0);
    assert_true(retry_admit(retry, item(1, 1)));
    check_next_dead(0, 1);
    retry_settle(retry, item(0, 1), false);
    check_nothing_waits();
}

static void later_death_of_a_forgiven_model_holds_back_again(void **state)
{
    (void)state;
    die(0, 0);
    die(0, 1);
    check_next_dead(0, 0);
    retry_settle(retry, item(0, 0), false);
    assert_true(retry_admit(retry, item(0, 2)));
    die(0, 2);
    assert_false(retry_admit(retry, item(0, 3)));
    assert_int_equal(retry_deaths(retry, 0), 3);
}

static void page_that_dies_alone_too_quarantines_its_model(void **state)
{
    (void)state;
    die(0, 0);
    die(2, 0);
    check_next_dead(0, 0);
    retry_settle(retry, item(0, 0), true);
    assert_int_equal(retry_deaths(retry, 0), 2);
    assert_int_equal(retry_deaths(retry, 1), 2);
    assert_int_equal(retry_deaths(retry, 2), 1);
    assert_false(retry_admit(retry, item(0, 1)));
    assert_false(retry_admit(retry, item(1, 0)));
    assert_true(retry_admit(retry, item(2, 1)));
    check_next_lost(0, 1, false);
    check_next_lost(1, 0, false);
    check_next_dead(2, 0);
    check_nothing_waits();
}

static void quarantine_takes_dead_pages_and_those_held_back(void **state)
{
    (void)state;
    die(0, 0);
    die(1, 0);
    assert_false(retry_admit(retry, item(0, 1)));
    check_next_dead(0, 0);
    retry_settle(retry, item(0, 0), true);
    assert_false(retry_has_dead(retry));
    check_next_lost(1, 0, true);
    check_next_lost(0, 1, false);
    check_nothing_waits();
}

static void all_dead_pages_can_be_taken_quarantined_or_not(void **state)
{
    (void)state;
    struct retry_page dead;
    die(0, 0);
    die(1, 0);
    die(2, 0);
    check_next_dead(0, 0);
    retry_settle(retry, item(0, 0), true);
    for (uint32_t job = 1; job <= 2; job++) {
        assert_true(retry_take_any_dead(retry, &dead));
        check_item(dead.item, job, 0);
        retry_page_release(&dead);
    }
    assert_false(retry_take_any_dead(retry, &dead));
    check_nothing_waits();
}

static void waiting_pages_are_released_at_the_end(void **state)
{
    (void)state;
    die(0, 0);
    die(0, 1);
    assert_false(retry_admit(retry, item(0, 2)));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(without_deaths_all_pages_go),
        TEST(page_whose_worker_died_is_tried_once_more),
        TEST(dead_pages_wait_in_their_order),
        TEST(one_death_holds_nothing_back),
        TEST(two_deaths_of_a_model_hold_back_its_other_pages_in_all_jobs),
        TEST(success_alone_frees_what_was_held_back),
        TEST(later_death_of_a_forgiven_model_holds_back_again),
        TEST(page_that_dies_alone_too_quarantines_its_model),
        TEST(quarantine_takes_dead_pages_and_those_held_back),
        TEST(all_dead_pages_can_be_taken_quarantined_or_not),
        TEST(waiting_pages_are_released_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
