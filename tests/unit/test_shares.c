#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "run/shares.h"

/* A run of JOBS jobs, job 0..9 in pages of 8 x 8 pixels, the rest of 16 x 16; "0007" is number 7. All have a number of
 * pages that their list does not tell, but for the last, which has one. */
enum { JOBS = 40, SMALL = 10 };

static char names[JOBS][8];
static struct job jobs[JOBS];
static struct job_list list = {.name = "list", .job_count = JOBS, .jobs = jobs};
static struct bake_job run[JOBS];

static int set_up(void **state)
{
    (void)state;
    for (unsigned i = 0; i < JOBS; i++) {
        uint32_t side = i < SMALL ? 8 : 16;
        snprintf(names[i], sizeof names[i], "%04u", i);
        jobs[i] = (struct job){
            .name = names[i],
            .camera_count = 1,
            .cell_px = {side, side},
            .supersample = 1,
            .passes = 1,
            .sampling = {.kind = SAMPLING_COUNT, .count = 1},
            .sheet = {.max_size = 64},
        };
        run[i] = (struct bake_job){&list, &jobs[i]};
    }
    jobs[JOBS - 1].has_animations = true;
    return 0;
}

static struct costs *costs_from(const char *text)
{
    struct strings warnings = {0};
    struct costs *costs = costs_new();
    costs_load(costs, (struct bytes){(const uint8_t *)text, strlen(text)}, "log", &warnings);
    assert_int_equal(warnings.count, 0);
    return costs;
}

static void add_line(struct buffer *log, unsigned job, unsigned page, unsigned ms)
{
    buffer_printf(log,
                  "{\"type\":\"page\",\"status\":\"made\",\"list\":\"list\",\"job\":\"%04u\",\"page\":%u,"
                  "\"seconds\":%u.%03u}\n",
                  job, page, ms / 1000, ms % 1000);
}

/* Job i takes i + 1 tenths of a second on each of its pages, of which it has i % 3 + 1. */
static struct costs *usual_costs(void)
{
    struct buffer log = {0};
    for (unsigned i = 0; i < JOBS; i++)
        for (unsigned page = 0; page <= i % 3; page++)
            add_line(&log, i, page, 100 * (i + 1));
    struct costs *costs = costs_from(log.text);
    buffer_release(&log);
    return costs;
}

static struct shares *share(const struct costs *costs, uint32_t number, uint32_t count)
{
    struct estimates *estimates = estimates_new(run, JOBS, costs);
    struct shares *shares = shares_new(run, JOBS, estimates, &(struct shard){.number = number, .count = count});
    estimates_free(estimates);
    return shares;
}

static void without_times_the_hash_decides(void **state)
{
    (void)state;
    struct shares *shares = share(NULL, 1, 3);
    for (uint32_t i = 0; i < JOBS; i++)
        for (uint32_t page = 0; page < 5; page++)
            assert_int_equal(shares_shard_of(shares, i, page), shard_of_page(3, "list", names[i], page));
    shares_free(shares);
}

/* Every shard makes its own shares of the same things. */
static void shards_agree_on_every_page(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 7, 100};
    struct costs *costs = usual_costs();
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (uint32_t number = 1; number <= counts[c]; number++) {
            struct shares *first = share(costs, 1, counts[c]), *other = share(costs, number, counts[c]);
            for (uint32_t i = 0; i < JOBS; i++)
                for (uint32_t page = 0; page < 6; page++) {
                    uint32_t shard = shares_shard_of(first, i, page);
                    assert_in_range(shard, 1, counts[c]);
                    assert_int_equal(shares_shard_of(other, i, page), shard);
                }
            shares_free(first);
            shares_free(other);
        }
    costs_free(costs);
}

static void measured_times_are_balanced(void **state)
{
    (void)state;
    enum { SHARDS = 4 };
    struct costs *costs = usual_costs();
    struct shares *shares = share(costs, 1, SHARDS);
    unsigned loads[SHARDS] = {0}, total = 0;
    for (unsigned i = 0; i < JOBS; i++)
        for (unsigned page = 0; page <= i % 3; page++) {
            loads[shares_shard_of(shares, i, page) - 1] += i + 1;
            total += i + 1;
        }
    for (unsigned i = 0; i < SHARDS; i++)
        assert_in_range(loads[i] * SHARDS, total - SHARDS, total + SHARDS);
    shares_free(shares);
    costs_free(costs);
}

static void longest_page_goes_first_to_the_first_shard(void **state)
{
    (void)state;
    struct costs *costs = usual_costs();
    struct shares *shares = share(costs, 1, 2);
    assert_int_equal(shares_shard_of(shares, JOBS - 1, 0), 1);
    assert_int_equal(shares_shard_of(shares, JOBS - 2, 0), 2);
    assert_int_equal(shares_shard_of(shares, JOBS - 2, 1), 2);
    assert_int_equal(shares_shard_of(shares, JOBS - 2, 2), 1); /* 40 against 39 + 39 */
    shares_free(shares);
    costs_free(costs);
}

/* A page more than were measured: nobody knew of it, so the hash has it. */
static void pages_that_are_new_go_by_the_hash(void **state)
{
    (void)state;
    struct costs *costs = usual_costs();
    struct shares *shares = share(costs, 1, 7);
    for (uint32_t page = 3; page < 20; page++)
        assert_int_equal(shares_shard_of(shares, 2, page), shard_of_page(7, "list", "0002", page));
    shares_free(shares);
    costs_free(costs);
}

/* Four times the pixels, four times the time of those that were measured. */
static void jobs_that_are_new_are_estimated_by_the_list(void **state)
{
    (void)state;
    struct buffer log = {0};
    add_line(&log, 0, 0, 10);
    add_line(&log, 1, 0, 30);
    add_line(&log, 1, 1, 20);
    struct costs *costs = costs_from(log.text);
    struct estimates *estimates = estimates_new(run, JOBS, costs);
    assert_true(estimates_are_times(estimates));
    assert_int_equal(estimates_of_job(estimates, 0), 10000);
    assert_int_equal(estimates_of_job(estimates, 1), 50000);
    assert_int_equal(estimates_of_page(estimates, 1, 0), 30000);
    assert_int_equal(estimates_of_page(estimates, 1, 7), 25000);
    assert_int_equal(estimates_of_job(estimates, 2), 30000);
    assert_int_equal(estimates_of_page(estimates, 2, 0), 30000);
    assert_int_equal(estimates_of_page(estimates, 2, 1), 0);
    assert_int_equal(estimates_of_job(estimates, SMALL), 120000);
    estimates_free(estimates);
    costs_free(costs);
    buffer_release(&log);
}

static void expectations_of_shards_add_up(void **state)
{
    (void)state;
    struct costs *costs = usual_costs();
    struct estimates *estimates = estimates_new(run, JOBS, costs);
    uint64_t sums[JOBS] = {0};
    for (uint32_t number = 1; number <= 3; number++) {
        struct shares *shares = share(costs, number, 3);
        for (size_t i = 0; i < JOBS; i++)
            sums[i] += shares_expect(shares, estimates, i);
        shares_free(shares);
    }
    for (size_t i = 0; i < JOBS; i++)
        assert_int_equal(sums[i], estimates_of_job(estimates, i));
    estimates_free(estimates);
    costs_free(costs);
}

static void log_of_other_lists_measures_nothing(void **state)
{
    (void)state;
    struct costs *costs = costs_from("{\"type\":\"page\",\"status\":\"made\",\"list\":\"other\",\"job\":\"0000\","
                                     "\"page\":0,\"seconds\":1}\n");
    struct estimates *estimates = estimates_new(run, JOBS, costs);
    assert_false(estimates_are_times(estimates));
    assert_int_equal(estimates_of_job(estimates, SMALL), 4 * estimates_of_job(estimates, 0));
    estimates_free(estimates);
    struct shares *shares = share(costs, 1, 3);
    for (uint32_t i = 0; i < JOBS; i++)
        assert_int_equal(shares_shard_of(shares, i, 0), shard_of_page(3, "list", names[i], 0));
    shares_free(shares);
    costs_free(costs);
}

static void selection_has_our_pages_alone(void **state)
{
    (void)state;
    unsigned wanted[JOBS] = {0}, opened = 0;
    for (uint32_t number = 1; number <= 3; number++) {
        struct shares *shares = share(NULL, number, 3);
        struct selection *selection = selection_new(JOBS);
        shares_apply(shares, selection);
        for (size_t i = 0; i < JOBS; i++) {
            wanted[i] += selection_count(selection, i, 0, 10);
            opened += i == JOBS - 1 && selection_has_job(selection, i);
        }
        assert_true(selection_has_job(selection, 0)); /* it may have pages of ours, whoever has page 0 */
        selection_free(selection);
        shares_free(shares);
    }
    for (size_t i = 0; i < JOBS; i++)
        assert_int_equal(wanted[i], 10);
    assert_int_equal(opened, 1);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(without_times_the_hash_decides),
        TEST(shards_agree_on_every_page),
        TEST(measured_times_are_balanced),
        TEST(longest_page_goes_first_to_the_first_shard),
        TEST(pages_that_are_new_go_by_the_hash),
        TEST(jobs_that_are_new_are_estimated_by_the_list),
        TEST(expectations_of_shards_add_up),
        TEST(log_of_other_lists_measures_nothing),
        TEST(selection_has_our_pages_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
