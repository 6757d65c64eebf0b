
#include <stdio.h>
#include <string.h>

#include "run/schedule.h"
#include "test.h"

/* Of tests in which all pages are wanted, and no number of pages is known. */
static const uint32_t unknown[40];

/* What schedules say that nobody asks about. */
static size_t turns[40];

/* A bit for each page of each job that is not wanted. */
static bool is_in(const void *context, size_t job, uint32_t page)
{
    return !(((const uint32_t *)context)[job] & 1u << page);
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

/* A run in words: "0:2.1" is worker 0 that is handed page 1 of job 2, "1:-" worker 1 for which there is nothing,
 * "2=4" job 2 that turns out to have 4 pages, "5/" that 5 pages are known. */
static const struct course {
    const char *rule;
    unsigned worker_count;
    size_t job_count;
    uint64_t costs[5];
    const uint32_t *model_folders;
    const char *steps;
} courses[] = {
    {"an empty schedule has nothing", 2, 0, {0}, NULL, "0:- 0/"},
    {"the largest job comes first", 1, 4, {10, 30, UINT64_MAX, 20}, NULL, "0:2.0 0:1.0 0:3.0 0:0.0 0:-"},
    {"jobs of equal cost keep their order", 2, 4, {5, 5, 5, 5}, NULL, "0:0.0 1:1.0 0:2.0 1:3.0"},
    /* The last one is what another worker began: nothing else is left. */
    {"jobs with models in one folder go to one worker",
     2,
     5,
     {5, 5, 5, 5, 5},
     (const uint32_t[]){0, 0, 1, 1, 1},
     "0:0.0 1:2.0 1:3.0 0:1.0 0:4.0 1:-"},
    {"costlier jobs come before folders",
     2,
     5,
     {5, 9, 9, 9, 5},
     (const uint32_t[]){0, 1, 1, 1, 1},
     "0:1.0 1:2.0 0:3.0 0:0.0 1:4.0"},
    {"pages stay with the worker that has the model",
     2,
     3,
     {4, 3, 2},
     NULL,
     "0:0.0 1:1.0 0=3 1=2 0:0.1 1:1.1 1:2.0 0:0.2"},
    {"a worker with nothing left takes from the job with the most left",
     3,
     3,
     {3, 2, 1},
     NULL,
     "0:0.0 1:1.0 2:2.0 0=4 1=5 2=1 2:1.1 0:0.1 1:1.2"},
    {"a worker stays with the job that it took from",
     3,
     3,
     {3, 2, 1},
     NULL,
     "0:0.0 1:1.0 2:2.0 1=9 2:1.1 0=20 2:1.2"},
    {"among equals it takes from the costlier job", 3, 3, {2, 3, 1}, NULL, "0:1.0 1:0.0 2:2.0 0=5 1=5 2:1.1"},
    {"unopened jobs come before taking from others", 2, 2, {3, 2}, NULL, "0:0.0 0=50 1:1.0 1:0.1"},
    {"there is nothing to do until the pages are known", 2, 1, {1}, NULL, "0:0.0 1:- 0=2 1:0.1 0:- 1:-"},
    {"a job whose pages never become known is one page", 1, 2, {2, 1}, NULL, "0:0.0 0:1.0 0:- 2/"},
    {"counts grow when pages become known", 1, 2, {2, 1}, NULL, "2/ 0:0.0 2/ 0=5 6/ 0:0.1 6/"},
};

TEST(workers_get_pages_by_the_rules)
{
    for (size_t i = 0; i < sizeof courses / sizeof *courses; i++) {
        const struct course *course = &courses[i];
        const struct selection selection = {course->job_count, unknown, NULL, NULL};
        struct schedule *schedule =
            schedule_new(course->costs, course->model_folders, &selection, course->worker_count, turns);
        unsigned a, b, c;
        for (const char *step = course->steps; *step; step += strspn(step, " ")) {
            int length = 0;
            struct schedule_item item;
            bool is_right = false;
            if (sscanf(step, "%u:%u.%u%n", &a, &b, &c, &length) == 3) {
                is_right = schedule_next(schedule, a, &item) && item.job == b && item.page == c;
            } else if (sscanf(step, "%u:-%n", &a, &length) == 1 && length) {
                is_right = !schedule_next(schedule, a, &item);
            } else if (sscanf(step, "%u=%u%n", &a, &b, &length) == 2) {
                schedule_set_pages(schedule, a, b);
                is_right = true;
            } else if (sscanf(step, "%u/%n", &a, &length) == 1 && length) {
                is_right = schedule_known(schedule) == a;
            }
            if (!is_right)
                fail_msg("%s: not so: %s", course->rule, step);
            step += length;
        }
        schedule_free(schedule);
    }
    schedule_free(NULL);
}

TEST(first_item_of_a_job_is_marked)
{
    const struct selection selection = {1, unknown, NULL, NULL};
    struct schedule *schedule = schedule_new((const uint64_t[]){1}, NULL, &selection, 1, turns);
    struct schedule_item item;
    assert_true(schedule_next(schedule, 0, &item));
    assert_true(item.is_first && !item.is_survey);
    schedule_set_pages(schedule, 0, 2);
    assert_true(schedule_next(schedule, 0, &item));
    assert_false(item.is_first);
    schedule_free(schedule);
}

TEST(page_of_a_known_job_is_handed_out_without_those_before)
{
    const struct selection wanted = {1, (const uint32_t[]){4}, is_in, (const uint32_t[]){1 << 0 | 1 << 2}};
    struct schedule *schedule = schedule_new((const uint64_t[]){1}, NULL, &wanted, 2, turns);
    assert_int_equal(schedule_known(schedule), 2);
    struct schedule_item item;
    assert_true(schedule_next(schedule, 0, &item));
    assert_int_equal(item.page, 1);
    assert_true(item.is_first && !item.is_survey);
    expect(schedule, 1, 0, 3);
    expect_nothing(schedule, 0);
    assert_int_equal(schedule_known(schedule), 2);
    schedule_free(schedule);
}

TEST(turns_are_the_order_in_which_jobs_start)
{
    const struct selection wanted = {4, (const uint32_t[]){1, 1, 1, 1}, is_in, (const uint32_t[]){0, 0, 1, 0}};
    schedule_free(schedule_new((const uint64_t[]){1, 9, 20, 9}, NULL, &wanted, 1, turns));
    assert_int_equal(turns[1], 0);
    assert_int_equal(turns[3], 1);
    assert_int_equal(turns[0], 2);
}

TEST(job_with_nothing_wanted_is_passed_over)
{
    const struct selection wanted = {2, (const uint32_t[]){1, 0}, is_in, (const uint32_t[]){1 << 0, 0}};
    struct schedule *schedule = schedule_new((const uint64_t[]){9, 1}, NULL, &wanted, 1, turns);
    assert_int_equal(schedule_known(schedule), 1);
    expect(schedule, 0, 1, 0);
    expect_nothing(schedule, 0);
    schedule_free(schedule);
}

static bool is_odd(const void *context, size_t job, uint32_t page)
{
    (void)context;
    (void)job;
    return page % 2;
}

TEST(job_whose_first_page_is_not_wanted_is_surveyed)
{
    const struct selection wanted = {1, unknown, is_odd, NULL};
    struct schedule *schedule = schedule_new((const uint64_t[]){1}, NULL, &wanted, 2, turns);
    assert_int_equal(schedule_known(schedule), 0);
    struct schedule_item item;
    assert_true(schedule_next(schedule, 0, &item));
    assert_true(item.is_first && item.is_survey);
    expect_nothing(schedule, 1);
    schedule_set_pages(schedule, 0, 4);
    assert_int_equal(schedule_known(schedule), 2);
    expect(schedule, 0, 0, 1);
    expect(schedule, 1, 0, 3);
    expect_nothing(schedule, 0);
    schedule_free(schedule);
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
    struct selection selection;
    uint32_t known_counts[MAX_JOBS], left_out[MAX_JOBS]; /* of pages: a bit for each */
    uint32_t shards;                                     /* of which this is one */
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
    assert_true(item.is_survey ? item.page == 0 : selection_has(&run->selection, item.job, item.page));
    run->handed_out[item.job][item.page] += !item.is_survey;
    if (item.is_first && !run->known_counts[item.job])
        run->unreported[run->unreported_count++] = item.job;
    return true;
}

static bool is_ours(const void *context, size_t job, uint32_t page)
{
    const struct simulation *run = context;
    return is_in(run->left_out, job, page) && (job * 7 + page) % run->shards == 0;
}

/* Some jobs are known from an earlier run, and some of their pages made. */
static void select_some(struct simulation *run)
{
    for (uint32_t job = 0; job < run->job_count; job++) {
        if (draw(&run->seed, 2))
            continue;
        run->known_counts[job] = run->page_counts[job];
        for (uint32_t page = 0; page < run->page_counts[job]; page++)
            run->left_out[job] |= draw(&run->seed, 2) << page;
    }
    run->shards = 1 + draw(&run->seed, 3);
}

static void expect_all_handed_out(const struct simulation *run)
{
    size_t wanted = 0;
    for (uint32_t job = 0; job < run->job_count; job++) {
        for (uint32_t page = 0; page < run->page_counts[job]; page++)
            assert_int_equal(run->handed_out[job][page], selection_has(&run->selection, job, page));
        wanted += selection_count(&run->selection, job, 0, run->page_counts[job]);
    }
    assert_int_equal(schedule_known(run->schedule), wanted);
}

static void simulate(uint32_t seed, bool is_partial)
{
    struct simulation run = {.seed = seed};
    uint64_t costs[MAX_JOBS];
    uint32_t model_folders[MAX_JOBS];
    run.job_count = 1 + draw(&run.seed, MAX_JOBS);
    run.worker_count = 1 + draw(&run.seed, MAX_WORKERS);
    for (uint32_t i = 0; i < run.job_count; i++) {
        costs[i] = draw(&run.seed, 4);
        model_folders[i] = draw(&run.seed, 2);
        run.page_counts[i] = 1 + draw(&run.seed, MAX_PAGES);
    }
    if (is_partial)
        select_some(&run);
    run.selection = (struct selection){run.job_count, run.known_counts, is_partial ? is_ours : NULL, &run};
    run.schedule = schedule_new(costs, model_folders, &run.selection, run.worker_count, turns);

    for (bool more = true; more;) {
        if (run.unreported_count > 0 && draw(&run.seed, 3) == 0)
            report_one(&run);
        more = ask_for_one(&run) || run.unreported_count > 0;
    }
    expect_all_handed_out(&run);
    schedule_free(run.schedule);
}

TEST(every_page_is_handed_out_once_in_any_course_of_events)
{
    for (uint32_t seed = 0; seed < 2000; seed++)
        simulate(seed, false);
}

TEST(every_wanted_page_is_handed_out_once_and_no_other)
{
    for (uint32_t seed = 0; seed < 2000; seed++)
        simulate(seed, true);
}
