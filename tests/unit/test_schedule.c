#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run/schedule.h"

#define COSTS(...) (const uint64_t[]){__VA_ARGS__}, NULL, sizeof(uint64_t[]){__VA_ARGS__} / sizeof(uint64_t)

/* The selection of the latest schedule, which every test frees by this. */
static struct selection *selection;

static struct schedule *new_schedule(const uint64_t *costs, const uint32_t *kin, size_t job_count,
                                     unsigned worker_count)
{
    selection = selection_new(job_count);
    return schedule_new(costs, kin, selection, worker_count);
}

static void free_schedule(struct schedule *schedule)
{
    schedule_free(schedule);
    selection_free(selection);
    selection = NULL;
}

static void expect(struct schedule *schedule, unsigned worker, uint32_t job, uint32_t page)
{
    struct schedule_item item;
    assert_true(schedule_next(schedule, worker, &item));
    assert_int_equal(item.job, job);
    assert_int_equal(item.page, page);
}

static void expect_nothing(struct schedule *schedule, unsigned worker)
{
    struct schedule_item item;
    assert_false(schedule_next(schedule, worker, &item));
}

static void expect_counts(const struct schedule *schedule, size_t known, size_t handed_out)
{
    size_t got_known, got_handed_out;
    schedule_counts(schedule, &got_known, &got_handed_out);
    assert_int_equal(got_known, known);
    assert_int_equal(got_handed_out, handed_out);
}

static void empty_schedule_has_nothing(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(NULL, NULL, 0, 2);
    expect_nothing(schedule, 0);
    expect_counts(schedule, 0, 0);
    free_schedule(schedule);
    schedule_free(NULL);
}

static void largest_job_comes_first(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(10, 30, UINT64_MAX, 20), 1);
    expect(schedule, 0, 2, 0);
    expect(schedule, 0, 1, 0);
    expect(schedule, 0, 3, 0);
    expect(schedule, 0, 0, 0);
    expect_nothing(schedule, 0);
    free_schedule(schedule);
}

static void jobs_of_equal_cost_keep_their_order(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(5, 5, 5, 5), 2);
    expect(schedule, 0, 0, 0);
    expect(schedule, 1, 1, 0);
    expect(schedule, 0, 2, 0);
    expect(schedule, 1, 3, 0);
    free_schedule(schedule);
}

static void jobs_of_one_kin_go_to_one_worker(void **state)
{
    (void)state;
    static const uint64_t costs[] = {5, 5, 5, 5, 5};
    static const uint32_t kin[] = {0, 0, 1, 1, 1};
    struct schedule *schedule = new_schedule(costs, kin, 5, 2);
    expect(schedule, 0, 0, 0);
    expect(schedule, 1, 2, 0);
    expect(schedule, 1, 3, 0);
    expect(schedule, 0, 1, 0);
    expect(schedule, 0, 4, 0); /* what another began, for nothing else is left */
    expect_nothing(schedule, 1);
    free_schedule(schedule);
}

static void costlier_jobs_come_before_kin_of_ones_own(void **state)
{
    (void)state;
    static const uint64_t costs[] = {5, 9, 9, 9, 5};
    static const uint32_t kin[] = {0, 1, 1, 1, 1};
    struct schedule *schedule = new_schedule(costs, kin, 5, 2);
    expect(schedule, 0, 1, 0);
    expect(schedule, 1, 2, 0);
    expect(schedule, 0, 3, 0);
    expect(schedule, 0, 0, 0);
    expect(schedule, 1, 4, 0);
    free_schedule(schedule);
}

static void pages_stay_with_the_worker_that_has_the_model(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(4, 3, 2), 2);
    expect(schedule, 0, 0, 0);
    expect(schedule, 1, 1, 0);
    schedule_set_pages(schedule, 0, 3);
    schedule_set_pages(schedule, 1, 2);
    expect(schedule, 0, 0, 1);
    expect(schedule, 1, 1, 1);
    expect(schedule, 1, 2, 0);
    expect(schedule, 0, 0, 2);
    free_schedule(schedule);
}

static void worker_with_nothing_left_takes_from_the_job_with_the_most_left(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(3, 2, 1), 3);
    for (uint32_t i = 0; i < 3; i++)
        expect(schedule, i, i, 0);
    schedule_set_pages(schedule, 0, 4);
    schedule_set_pages(schedule, 1, 5);
    schedule_set_pages(schedule, 2, 1);
    expect(schedule, 2, 1, 1);
    expect(schedule, 0, 0, 1);
    expect(schedule, 1, 1, 2);
    free_schedule(schedule);
}

static void worker_stays_with_the_job_it_took_from(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(3, 2, 1), 3);
    for (uint32_t i = 0; i < 3; i++)
        expect(schedule, i, i, 0);
    schedule_set_pages(schedule, 1, 9);
    expect(schedule, 2, 1, 1);
    schedule_set_pages(schedule, 0, 20);
    expect(schedule, 2, 1, 2);
    free_schedule(schedule);
}

static void among_equals_the_costlier_job_is_taken_from(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(2, 3, 1), 3);
    expect(schedule, 0, 1, 0);
    expect(schedule, 1, 0, 0);
    expect(schedule, 2, 2, 0);
    schedule_set_pages(schedule, 0, 5);
    schedule_set_pages(schedule, 1, 5);
    expect(schedule, 2, 1, 1);
    free_schedule(schedule);
}

static void unopened_jobs_come_before_taking_from_others(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(3, 2), 2);
    expect(schedule, 0, 0, 0);
    schedule_set_pages(schedule, 0, 50);
    expect(schedule, 1, 1, 0);
    expect(schedule, 1, 0, 1);
    free_schedule(schedule);
}

static void nothing_to_do_until_the_pages_are_known(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(1), 2);
    expect(schedule, 0, 0, 0);
    expect_nothing(schedule, 1);
    schedule_set_pages(schedule, 0, 2);
    expect(schedule, 1, 0, 1);
    expect_nothing(schedule, 0);
    expect_nothing(schedule, 1);
    free_schedule(schedule);
}

static void job_whose_pages_never_become_known_is_one_page(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(2, 1), 1);
    expect(schedule, 0, 0, 0);
    expect(schedule, 0, 1, 0);
    expect_nothing(schedule, 0);
    expect_counts(schedule, 2, 2);
    free_schedule(schedule);
}

static void counts_grow_when_pages_become_known(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(2, 1), 1);
    expect_counts(schedule, 2, 0);
    expect(schedule, 0, 0, 0);
    expect_counts(schedule, 2, 1);
    schedule_set_pages(schedule, 0, 5);
    expect_counts(schedule, 6, 1);
    expect(schedule, 0, 0, 1);
    expect_counts(schedule, 6, 2);
    free_schedule(schedule);
}

static void first_item_of_a_job_is_marked(void **state)
{
    (void)state;
    struct schedule *schedule = new_schedule(COSTS(1), 1);
    struct schedule_item item;
    assert_true(schedule_next(schedule, 0, &item));
    assert_true(item.is_first && !item.is_survey);
    schedule_set_pages(schedule, 0, 2);
    assert_true(schedule_next(schedule, 0, &item));
    assert_false(item.is_first);
    free_schedule(schedule);
}

static void page_of_a_known_job_is_handed_out_without_those_before(void **state)
{
    (void)state;
    struct selection *wanted = selection_new(1);
    selection_set_pages(wanted, 0, 4);
    selection_leave_page(wanted, 0, 0);
    selection_leave_page(wanted, 0, 2);
    struct schedule *schedule = schedule_new((const uint64_t[]){1}, NULL, wanted, 2);
    expect_counts(schedule, 2, 0);
    struct schedule_item item;
    assert_true(schedule_next(schedule, 0, &item));
    assert_int_equal(item.page, 1);
    assert_true(item.is_first && !item.is_survey);
    expect(schedule, 1, 0, 3);
    expect_nothing(schedule, 0);
    expect_counts(schedule, 2, 2);
    schedule_free(schedule);
    selection_free(wanted);
}

static void job_with_nothing_wanted_is_passed_over(void **state)
{
    (void)state;
    struct selection *wanted = selection_new(2);
    selection_set_pages(wanted, 0, 1);
    selection_leave_page(wanted, 0, 0);
    struct schedule *schedule = schedule_new((const uint64_t[]){9, 1}, NULL, wanted, 1);
    expect_counts(schedule, 1, 0);
    expect(schedule, 0, 1, 0);
    expect_nothing(schedule, 0);
    schedule_free(schedule);
    selection_free(wanted);
}

static bool is_odd(const void *context, size_t job, uint32_t page)
{
    (void)context;
    (void)job;
    return page % 2;
}

static void job_whose_first_page_is_not_wanted_is_surveyed(void **state)
{
    (void)state;
    struct selection *wanted = selection_new(1);
    selection_set_share(wanted, is_odd, NULL);
    struct schedule *schedule = schedule_new((const uint64_t[]){1}, NULL, wanted, 2);
    expect_counts(schedule, 0, 0);
    struct schedule_item item;
    assert_true(schedule_next(schedule, 0, &item));
    assert_true(item.is_first && item.is_survey);
    expect_nothing(schedule, 1);
    schedule_set_pages(schedule, 0, 4);
    expect_counts(schedule, 2, 0);
    expect(schedule, 0, 0, 1);
    expect(schedule, 1, 0, 3);
    expect_nothing(schedule, 0);
    schedule_free(schedule);
    selection_free(wanted);
}

/* A small generator of our own, so that a failure can be had again. */
static uint32_t draw(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

enum { MAX_JOBS = 40, MAX_PAGES = 12, MAX_WORKERS = 9 };

/* A run in which workers are free, and page counts come in, in any order. */
struct simulation {
    struct schedule *schedule;
    uint32_t seed;
    uint32_t job_count, worker_count;
    uint32_t page_counts[MAX_JOBS];
    unsigned handed_out[MAX_JOBS][MAX_PAGES];
    uint32_t unreported[MAX_JOBS]; /* jobs whose first item is with a worker, and whose count is not known */
    uint32_t unreported_count;
    uint32_t shards; /* of which this is one */
};

static void report_one(struct simulation *run)
{
    uint32_t which = draw(&run->seed, run->unreported_count);
    uint32_t job = run->unreported[which];
    run->unreported[which] = run->unreported[--run->unreported_count];
    schedule_set_pages(run->schedule, job, run->page_counts[job]);
}

static bool ask_for_one(struct simulation *run)
{
    struct schedule_item item;
    uint32_t worker = draw(&run->seed, run->worker_count);
    if (!schedule_next(run->schedule, worker, &item))
        return false;
    assert_true(item.job < run->job_count);
    assert_true(item.page < run->page_counts[item.job]);
    assert_true(item.is_survey ? item.page == 0 : selection_has(selection, item.job, item.page));
    run->handed_out[item.job][item.page] += !item.is_survey;
    if (item.is_first && !selection_pages(selection, item.job))
        run->unreported[run->unreported_count++] = item.job;
    return true;
}

static bool is_ours(const void *context, size_t job, uint32_t page)
{
    return (job * 7 + page) % *(const uint32_t *)context == 0;
}

/* Some jobs are known from an earlier run, and some of their pages made. */
static struct selection *select_some(struct simulation *run)
{
    struct selection *some = selection_new(run->job_count);
    for (uint32_t job = 0; job < run->job_count; job++) {
        if (draw(&run->seed, 2))
            continue;
        selection_set_pages(some, job, run->page_counts[job]);
        for (uint32_t page = 0; page < run->page_counts[job]; page++)
            if (draw(&run->seed, 2))
                selection_leave_page(some, job, page);
    }
    run->shards = 1 + draw(&run->seed, 3);
    selection_set_share(some, is_ours, &run->shards);
    return some;
}

static void expect_all_handed_out(const struct simulation *run)
{
    size_t wanted = 0;
    for (uint32_t job = 0; job < run->job_count; job++) {
        for (uint32_t page = 0; page < run->page_counts[job]; page++)
            assert_int_equal(run->handed_out[job][page], selection_has(selection, job, page));
        wanted += selection_count(selection, job, 0, run->page_counts[job]);
    }
    expect_counts(run->schedule, wanted, wanted);
}

static void simulate(uint32_t seed, bool is_partial)
{
    struct simulation run = {.seed = seed};
    uint64_t costs[MAX_JOBS];
    uint32_t kin[MAX_JOBS];
    run.job_count = 1 + draw(&run.seed, MAX_JOBS);
    run.worker_count = 1 + draw(&run.seed, MAX_WORKERS);
    for (uint32_t i = 0; i < run.job_count; i++) {
        costs[i] = draw(&run.seed, 4);
        kin[i] = draw(&run.seed, 2);
        run.page_counts[i] = 1 + draw(&run.seed, MAX_PAGES);
    }
    selection = is_partial ? select_some(&run) : selection_new(run.job_count);
    run.schedule = schedule_new(costs, kin, selection, run.worker_count);

    for (bool more = true; more;) {
        if (run.unreported_count > 0 && draw(&run.seed, 3) == 0)
            report_one(&run);
        more = ask_for_one(&run) || run.unreported_count > 0;
    }
    expect_all_handed_out(&run);
    free_schedule(run.schedule);
}

static void every_page_is_handed_out_once_in_any_course_of_events(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 2000; seed++)
        simulate(seed, false);
}

static void every_wanted_page_is_handed_out_once_and_no_other(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 2000; seed++)
        simulate(seed, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_schedule_has_nothing),
        cmocka_unit_test(largest_job_comes_first),
        cmocka_unit_test(jobs_of_equal_cost_keep_their_order),
        cmocka_unit_test(jobs_of_one_kin_go_to_one_worker),
        cmocka_unit_test(costlier_jobs_come_before_kin_of_ones_own),
        cmocka_unit_test(pages_stay_with_the_worker_that_has_the_model),
        cmocka_unit_test(worker_with_nothing_left_takes_from_the_job_with_the_most_left),
        cmocka_unit_test(worker_stays_with_the_job_it_took_from),
        cmocka_unit_test(among_equals_the_costlier_job_is_taken_from),
        cmocka_unit_test(unopened_jobs_come_before_taking_from_others),
        cmocka_unit_test(nothing_to_do_until_the_pages_are_known),
        cmocka_unit_test(job_whose_pages_never_become_known_is_one_page),
        cmocka_unit_test(counts_grow_when_pages_become_known),
        cmocka_unit_test(first_item_of_a_job_is_marked),
        cmocka_unit_test(page_of_a_known_job_is_handed_out_without_those_before),
        cmocka_unit_test(job_with_nothing_wanted_is_passed_over),
        cmocka_unit_test(job_whose_first_page_is_not_wanted_is_surveyed),
        cmocka_unit_test(every_wanted_page_is_handed_out_once_and_no_other),
        cmocka_unit_test(every_page_is_handed_out_once_in_any_course_of_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
