#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "job/shard.h"

static void expect_shard(const struct shard *shard, uint32_t number, uint32_t count, const char *source)
{
    assert_int_equal(shard->number, number);
    assert_int_equal(shard->count, count);
    assert_string_equal(shard->source, source);
}

static void expect_parsed(const char *text, uint32_t number, uint32_t count)
{
    struct shard shard;
    struct error err;
    assert_int_equal(shard_parse(text, &shard, &err), 0);
    expect_shard(&shard, number, count, "");
}

static void expect_refused(const char *text, const char *message)
{
    struct shard shard;
    struct error err;
    assert_int_equal(shard_parse(text, &shard, &err), -1);
    assert_string_equal(err.text, message);
}

#define ENV(...) ((char *const[]){__VA_ARGS__, NULL})

static void expect_detected(char *const *environment, uint32_t number, uint32_t count, const char *source)
{
    struct shard shard;
    struct error err = {""};
    if (shard_detect(environment, &shard, &err) < 0)
        fail_msg("%s", err.text);
    expect_shard(&shard, number, count, source);
}

static void expect_not_detected(char *const *environment, const char *message)
{
    struct shard shard;
    struct error err;
    assert_int_equal(shard_detect(environment, &shard, &err), -1);
    assert_string_equal(err.text, message);
}

static void shards_are_numbered_from_one(void **state)
{
    (void)state;
    expect_parsed("1/1", 1, 1);
    expect_parsed("3/8", 3, 8);
    expect_parsed("65536/65536", 65536, 65536);
    expect_refused("0/8", "shard 0 of 8: shards are numbered from 1 to 8");
    expect_refused("9/8", "shard 9 of 8: shards are numbered from 1 to 8");
    expect_refused("1/0", "0 shards, 1 to 65536 are allowed");
    expect_refused("1/65537", "65537 shards, 1 to 65536 are allowed");
}

static void what_is_no_shard_is_quoted(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "3", "/8", "3/", "3/8/", "-1/8", "+1/8", " 1/8", "1 /8", "0x1/8", "1/8 ",
                                        "3\\8", "automatic", "4294967296/4294967297", "1.0/2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char message[128];
        snprintf(message, sizeof message, "'%s' is neither auto nor a shard such as 3/8, the third of eight", texts[i]);
        expect_refused(texts[i], message);
    }
}

static void each_system_counts_in_its_own_way(void **state)
{
    (void)state;
    expect_detected(ENV("CI_NODE_INDEX=1", "CI_NODE_TOTAL=3"), 1, 3, "CI_NODE_INDEX");
    expect_detected(ENV("CI_NODE_INDEX=3", "CI_NODE_TOTAL=3"), 3, 3, "CI_NODE_INDEX");
    expect_detected(ENV("CIRCLE_NODE_INDEX=0", "CIRCLE_NODE_TOTAL=3"), 1, 3, "CIRCLE_NODE_INDEX");
    expect_detected(ENV("BUILDKITE_PARALLEL_JOB=2", "BUILDKITE_PARALLEL_JOB_COUNT=3"), 3, 3, "BUILDKITE_PARALLEL_JOB");
    expect_detected(ENV("AWS_BATCH_JOB_ARRAY_INDEX=1", "AWS_BATCH_JOB_ARRAY_SIZE=3"), 2, 3,
                    "AWS_BATCH_JOB_ARRAY_INDEX");
    expect_detected(ENV("JOB_COMPLETION_INDEX=1", "SHEETBAKE_SHARD_TOTAL=3"), 2, 3, "JOB_COMPLETION_INDEX");
    expect_detected(ENV("SHEETBAKE_SHARD_INDEX=0", "SHEETBAKE_SHARD_TOTAL=3"), 1, 3, "SHEETBAKE_SHARD_INDEX");
}

static void index_outside_its_systems_range_fails(void **state)
{
    (void)state;
    expect_not_detected(ENV("CI_NODE_INDEX=0", "CI_NODE_TOTAL=3"), "CI_NODE_INDEX is 0, for 3 shards it is from 1 to 3");
    expect_not_detected(ENV("CI_NODE_INDEX=4", "CI_NODE_TOTAL=3"), "CI_NODE_INDEX is 4, for 3 shards it is from 1 to 3");
    expect_not_detected(ENV("CIRCLE_NODE_INDEX=3", "CIRCLE_NODE_TOTAL=3"),
                        "CIRCLE_NODE_INDEX is 3, for 3 shards it is from 0 to 2");
    expect_not_detected(ENV("CIRCLE_NODE_INDEX=0", "CIRCLE_NODE_TOTAL=0"), "CIRCLE_NODE_TOTAL is 0");
    expect_not_detected(ENV("CIRCLE_NODE_INDEX=-1", "CIRCLE_NODE_TOTAL=3"),
                        "CIRCLE_NODE_INDEX is '-1', which is no whole number");
    expect_not_detected(ENV("CIRCLE_NODE_INDEX=1", "CIRCLE_NODE_TOTAL=99999"),
                        "99999 shards, 1 to 65536 are allowed");
}

/* Half a pair must never be a whole run, nor pass for no pair. */
static void half_a_pair_fails(void **state)
{
    (void)state;
    static const char *const halves[][2] = {
        {"CI_NODE_INDEX", "CI_NODE_TOTAL"},
        {"CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL"},
        {"BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT"},
        {"AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE"},
        {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"},
        {"SHEETBAKE_SHARD_INDEX", "SHEETBAKE_SHARD_TOTAL"},
    };
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        char index[64], total[64], empty[64], message[128];
        snprintf(index, sizeof index, "%s=1", halves[i][0]);
        snprintf(total, sizeof total, "%s=2", halves[i][1]);
        snprintf(empty, sizeof empty, "%s=", halves[i][1]);
        snprintf(message, sizeof message, "%s is set, but %s is not", halves[i][0], halves[i][1]);
        expect_not_detected(ENV(index), message);
        expect_not_detected(ENV(index, empty), message);
        if (strcmp(halves[i][0], "SHEETBAKE_SHARD_INDEX") == 0)
            continue;
        snprintf(message, sizeof message, "%s is set, but %s is not", halves[i][1], halves[i][0]);
        expect_not_detected(ENV(total), message);
    }
    expect_not_detected(ENV("JOB_COMPLETION_INDEX=1"),
                        "JOB_COMPLETION_INDEX is set, but SHEETBAKE_SHARD_TOTAL is not");
    expect_not_detected(ENV("SHEETBAKE_SHARD_TOTAL=2"),
                        "SHEETBAKE_SHARD_TOTAL is set, but neither SHEETBAKE_SHARD_INDEX nor JOB_COMPLETION_INDEX is");
    expect_not_detected(ENV("SHEETBAKE_SHARD_TOTAL=2", "CI_NODE_INDEX=1", "CI_NODE_TOTAL=2"),
                        "SHEETBAKE_SHARD_TOTAL is set, but neither SHEETBAKE_SHARD_INDEX nor JOB_COMPLETION_INDEX is");
}

static void nothing_set_fails(void **state)
{
    (void)state;
    static const char message[] =
        "no shard in the environment: none of CI_NODE_INDEX, CIRCLE_NODE_INDEX, BUILDKITE_PARALLEL_JOB, "
        "AWS_BATCH_JOB_ARRAY_INDEX, JOB_COMPLETION_INDEX, SLURM_ARRAY_TASK_ID and SHEETBAKE_SHARD_INDEX is set";
    expect_not_detected(ENV(NULL), message);
    expect_not_detected(ENV("HOME=/root", "CI_NODE_INDEXES=3", "XCI_NODE_TOTAL=3"), message);
    expect_not_detected(ENV("CI_NODE_INDEX=", "CI_NODE_TOTAL="), message);
}

/* GitLab gives every job a total of 1 unless it is split, and no index. */
static void gitlab_job_that_is_not_split_is_the_only_shard(void **state)
{
    (void)state;
    expect_detected(ENV("CI_NODE_TOTAL=1"), 1, 1, "CI_NODE_INDEX");
    expect_not_detected(ENV("CI_NODE_TOTAL=2"), "CI_NODE_TOTAL is set, but CI_NODE_INDEX is not");
    expect_not_detected(ENV("CIRCLE_NODE_TOTAL=1"), "CIRCLE_NODE_TOTAL is set, but CIRCLE_NODE_INDEX is not");
}

#define SLURM(id, count, least, most, step)                                                                            \
    ENV("SLURM_ARRAY_TASK_ID=" #id, "SLURM_ARRAY_TASK_COUNT=" #count, "SLURM_ARRAY_TASK_MIN=" #least,                  \
        "SLURM_ARRAY_TASK_MAX=" #most, "SLURM_ARRAY_TASK_STEP=" #step)

static void slurm_ids_may_start_anywhere_and_take_steps(void **state)
{
    (void)state;
    expect_detected(SLURM(0, 8, 0, 7, 1), 1, 8, "SLURM_ARRAY_TASK_ID");
    expect_detected(SLURM(7, 8, 0, 7, 1), 8, 8, "SLURM_ARRAY_TASK_ID");
    expect_detected(SLURM(1, 8, 1, 8, 1), 1, 8, "SLURM_ARRAY_TASK_ID");
    expect_detected(SLURM(14, 4, 10, 16, 2), 3, 4, "SLURM_ARRAY_TASK_ID");
    expect_detected(SLURM(5, 1, 5, 5, 1), 1, 1, "SLURM_ARRAY_TASK_ID");
    expect_detected(SLURM(4294967295, 2, 4294967294, 4294967295, 1), 2, 2, "SLURM_ARRAY_TASK_ID");
}

static void slurm_ids_that_are_no_range_fail(void **state)
{
    (void)state;
    expect_not_detected(SLURM(2, 3, 1, 7, 1), "3 task ids from 1 to 7 in steps of 1 are no range: use "
                                              "--array=FIRST-LAST or --array=FIRST-LAST:STEP");
    expect_not_detected(SLURM(2, 3, 1, 7, 0), "3 task ids from 1 to 7 in steps of 0 are no range: use "
                                              "--array=FIRST-LAST or --array=FIRST-LAST:STEP");
    expect_not_detected(SLURM(2, 3, 7, 1, 1), "3 task ids from 7 to 1 in steps of 1 are no range: use "
                                              "--array=FIRST-LAST or --array=FIRST-LAST:STEP");
    expect_not_detected(SLURM(2, 4, 1, 7, 2), "SLURM_ARRAY_TASK_ID is 2, ids are 1 to 7 in steps of 2");
    expect_not_detected(SLURM(0, 7, 1, 7, 1), "SLURM_ARRAY_TASK_ID is 0, ids are 1 to 7 in steps of 1");
    expect_not_detected(SLURM(9, 7, 1, 7, 1), "SLURM_ARRAY_TASK_ID is 9, ids are 1 to 7 in steps of 1");
}

static void two_systems_have_to_agree(void **state)
{
    (void)state;
    expect_not_detected(ENV("CI_NODE_INDEX=1", "CI_NODE_TOTAL=2", "CIRCLE_NODE_INDEX=1", "CIRCLE_NODE_TOTAL=2"),
                        "CI_NODE_INDEX makes this shard 1 of 2, CIRCLE_NODE_INDEX makes it 2 of 2: give --shard I/N, or "
                        "SHEETBAKE_SHARD_INDEX (from 0) and SHEETBAKE_SHARD_TOTAL");
    expect_detected(ENV("CI_NODE_INDEX=2", "CI_NODE_TOTAL=2", "CIRCLE_NODE_INDEX=1", "CIRCLE_NODE_TOTAL=2"), 2, 2,
                    "CI_NODE_INDEX");
    expect_not_detected(ENV("CI_NODE_INDEX=2", "CI_NODE_TOTAL=2", "CIRCLE_NODE_INDEX=1"),
                        "CIRCLE_NODE_INDEX is set, but CIRCLE_NODE_TOTAL is not");
}

static void system_that_does_not_split_gives_way(void **state)
{
    (void)state;
    expect_detected(ENV("CI_NODE_TOTAL=1", "CIRCLE_NODE_INDEX=1", "CIRCLE_NODE_TOTAL=2"), 2, 2, "CIRCLE_NODE_INDEX");
    expect_detected(ENV("CI_NODE_INDEX=2", "CI_NODE_TOTAL=2", "CIRCLE_NODE_INDEX=0", "CIRCLE_NODE_TOTAL=1"), 2, 2,
                    "CI_NODE_INDEX");
}

static void our_variables_come_first(void **state)
{
    (void)state;
    expect_detected(ENV("CI_NODE_INDEX=1", "CI_NODE_TOTAL=2", "SHEETBAKE_SHARD_INDEX=4", "SHEETBAKE_SHARD_TOTAL=5"), 5,
                    5, "SHEETBAKE_SHARD_INDEX");
}

/* On every machine and for ever: other shards of the same run may be other builds. Anyone may compute them:
 * printf '%s\0%s\0%s' demo pip-walk 0 | xxhsum -H3 */
static void pages_have_the_shards_they_always_had(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 2, 3, 7, 65536};
    static const struct {
        const char *list, *job;
        uint32_t page, shards[5];
    } pages[] = {
        {"demo", "pip-walk", 0, {1, 1, 2, 5, 31349}},
        {"demo", "pip-walk", 1, {1, 2, 3, 5, 35880}},
        {"demo", "plum", 0, {1, 2, 1, 6, 53528}},
        {"ufoai", "aircraft/craft_drop_herakles/craft_drop_herakles", 0, {1, 1, 3, 1, 50815}},
        {"l", "j", 4294967295, {1, 2, 3, 7, 61180}},
        {"Übersicht", "größe", 12, {1, 2, 1, 7, 17932}},
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
        for (size_t j = 0; j < 5; j++)
            assert_int_equal(shard_of_page(counts[j], pages[i].list, pages[i].job, pages[i].page), pages[i].shards[j]);
}

/* "a" "bc" and "ab" "c" are two ids, and so are page 1 of "a" and page 11 of it. */
static void parts_of_an_id_do_not_run_together(void **state)
{
    (void)state;
    assert_int_not_equal(shard_of_page(65536, "a", "bc", 0), shard_of_page(65536, "ab", "c", 0));
    assert_int_not_equal(shard_of_page(65536, "a", "b1", 1), shard_of_page(65536, "a", "b", 11));
}

static void pages_spread_evenly(void **state)
{
    (void)state;
    enum { PAGES = 10000, SHARDS = 8 };
    unsigned loads[SHARDS] = {0};
    for (uint32_t page = 0; page < PAGES; page++)
        loads[shard_of_page(SHARDS, "list", "job", page) - 1]++;
    for (unsigned i = 0; i < SHARDS; i++)
        assert_in_range(loads[i], PAGES / SHARDS - 120, PAGES / SHARDS + 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_are_numbered_from_one),
        cmocka_unit_test(what_is_no_shard_is_quoted),
        cmocka_unit_test(each_system_counts_in_its_own_way),
        cmocka_unit_test(index_outside_its_systems_range_fails),
        cmocka_unit_test(half_a_pair_fails),
        cmocka_unit_test(nothing_set_fails),
        cmocka_unit_test(gitlab_job_that_is_not_split_is_the_only_shard),
        cmocka_unit_test(slurm_ids_may_start_anywhere_and_take_steps),
        cmocka_unit_test(slurm_ids_that_are_no_range_fail),
        cmocka_unit_test(two_systems_have_to_agree),
        cmocka_unit_test(system_that_does_not_split_gives_way),
        cmocka_unit_test(our_variables_come_first),
        cmocka_unit_test(pages_have_the_shards_they_always_had),
        cmocka_unit_test(parts_of_an_id_do_not_run_together),
        cmocka_unit_test(pages_spread_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
