#include <signal.h>

#include "run/recovery.h"
#include "test.h"

/* Jobs 0 and 1 show one model, job 2 another, job 3 the first one's path in another list. */
static const struct job shown[] = {{.model = "a"}, {.model = "a"}, {.model = "b"}};
static const struct job_list list, other_list;
static const struct bake_job jobs[] = {
    {&list, &shown[0]}, {&list, &shown[1]}, {&list, &shown[2]}, {&other_list, &shown[0]}};
enum { JOBS = sizeof jobs / sizeof *jobs };

static struct recovery *recovery;
static struct schedule *schedule;

static int set_up(void **state)
{
    static const uint64_t costs[JOBS];
    static const uint32_t page_counts[JOBS];
    static const struct selection selection = {JOBS, page_counts, NULL, NULL};
    (void)state;
    schedule = schedule_new(costs, NULL, &selection, 1);
    recovery = recovery_new(schedule, jobs, JOBS, 2);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    recovery_free(recovery);
    schedule_free(schedule);
    return 0;
}

static void expect_next(uint32_t job)
{
    struct schedule_item item;
    assert_true(recovery_next(recovery, 0, &item));
    assert_int_equal(item.job, job);
}

static void expect_no_next(void)
{
    struct schedule_item item;
    assert_false(recovery_next(recovery, 0, &item));
}

/* It was begun, and a signal ended its worker. */
static void die_of(uint32_t job, int signal)
{
    char name[] = "sheet.png", reason[] = "it crashed";
    struct page_result result = {
        .job = jobs[job].job, .name = name, .reason = reason, .attempts = 1, .signal = signal};
    recovery_add_retry(recovery, (struct schedule_item){.job = job}, &result);
}

static void die(uint32_t job)
{
    die_of(job, SIGSEGV);
}

static void try_alone(uint32_t job, bool died)
{
    struct waiting_page page;
    assert_true(recovery_has_retry(recovery));
    assert_true(recovery_take(recovery, WAITS_FOR_RETRY, &page));
    assert_int_equal(page.item.job, job);
    assert_string_equal(page.result.name, "sheet.png");
    assert_string_equal(page.result.reason, "it crashed");
    recovery_settle(recovery, page.item, died);
    waiting_page_release(&page);
}

static void expect_skipped(uint32_t job, unsigned attempts)
{
    struct waiting_page page;
    assert_true(recovery_take(recovery, WAITS_NO_MORE, &page));
    assert_int_equal(page.item.job, job);
    assert_int_equal(page.result.attempts, attempts);
    assert_ptr_equal(page.result.job, jobs[job].job);
    waiting_page_release(&page);
}

static void expect_nothing_waits(void)
{
    struct waiting_page page;
    assert_false(recovery_has_retry(recovery));
    assert_false(recovery_take(recovery, WAITS_FOR_ANY, &page));
}

TEST_WITH(without_deaths_all_pages_go, set_up, tear_down)
{
    for (uint32_t job = 0; job < JOBS; job++)
        expect_next(job);
    expect_no_next();
    expect_nothing_waits();
}

TEST_WITH(one_death_holds_nothing_back, set_up, tear_down)
{
    expect_next(0);
    die(0);
    expect_next(1);
    try_alone(0, false);
    expect_nothing_waits();
}

TEST_WITH(pages_of_a_model_that_died_twice_wait, set_up, tear_down)
{
    die(0);
    die(0);
    expect_next(2);
    expect_next(3);
    expect_no_next();
    try_alone(0, false);
    expect_next(0);
    expect_next(1);
    expect_no_next();
    try_alone(0, false);
    expect_nothing_waits();
}

TEST_WITH(all_pages_of_a_job_wait_at_once, set_up, tear_down)
{
    expect_next(0);
    schedule_set_pages(schedule, 0, 1000);
    expect_next(0);
    die(0);
    die(0);
    expect_next(2);
    expect_next(3);
    expect_no_next();
    try_alone(0, false);
    try_alone(0, false);
    for (uint32_t page = 2; page < 1000; page++)
        expect_next(0);
    expect_next(1);
    expect_no_next();
    expect_nothing_waits();
}

TEST_WITH(model_that_kills_a_worker_alone_is_skipped, set_up, tear_down)
{
    expect_next(0);
    die(0);
    die(0);
    expect_next(2);
    expect_next(3);
    expect_no_next();
    try_alone(0, true);
    assert_false(recovery_has_retry(recovery));
    expect_no_next();
    expect_skipped(0, 1);
    expect_skipped(1, 0);
    expect_nothing_waits();
}

TEST_WITH(pages_of_a_skipped_model_are_not_tried, set_up, tear_down)
{
    expect_next(0);
    die(0);
    try_alone(0, true);
    expect_next(2);
    expect_skipped(1, 0);
    expect_nothing_waits();
}

TEST_WITH(too_many_models_in_a_row_end_the_run, set_up, tear_down)
{
    expect_next(0);
    expect_next(1);
    expect_next(2);
    die(0);
    die(1); /* of the same model */
    assert_null(recovery_gives_up(recovery));
    die(2);
    assert_non_null(recovery_gives_up(recovery));
    assert_ptr_equal(recovery_gives_up(recovery)->result.job, jobs[2].job);
    expect_no_next();
    recovery_add_made(recovery); /* by a worker that was at it meanwhile */
    assert_null(recovery_gives_up(recovery));
    expect_next(3);
}

TEST_WITH(a_page_in_between_begins_a_new_row, set_up, tear_down)
{
    die(0);
    recovery_add_made(recovery);
    die(2);
    assert_null(recovery_gives_up(recovery));
}

TEST_WITH(workers_killed_from_outside_do_not_count, set_up, tear_down)
{
    die_of(0, SIGKILL);
    die_of(2, SIGTERM);
    assert_null(recovery_gives_up(recovery));
}

TEST_WITH(one_path_in_two_lists_is_two_models, set_up, tear_down)
{
    die(0);
    die(3);
    assert_non_null(recovery_gives_up(recovery));
}

TEST_WITH(zero_never_gives_up, set_up, tear_down)
{
    recovery_free(recovery);
    recovery = recovery_new(schedule, jobs, JOBS, 0);
    for (uint32_t job = 0; job < JOBS; job++)
        die(job);
    assert_null(recovery_gives_up(recovery));
    recovery_free(NULL);
}
