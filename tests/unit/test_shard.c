#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "job/shard.h"
#include "test.h"

static void expect_parsed(const char *text, uint32_t number, uint32_t count)
{
    struct shard shard;
    struct error err;
    assert_int_equal(shard_parse(text, &shard, &err), 0);
    assert_int_equal(shard.number, number);
    assert_int_equal(shard.count, count);
    assert_null(shard.source);
}

static void expect_refused(const char *text, const char *message)
{
    struct shard shard;
    struct error err;
    assert_int_equal(shard_parse(text, &shard, &err), -1);
    assert_string_equal(err.text, message);
}

/* The environment has these settings, NAME=VALUE, and no others that count. */
#define ENV(...) set_environment((char *const[]){__VA_ARGS__, NULL})

static void set_environment(char *const *settings)
{
    static const char *const names[] = {
        "SHEETBAKE_SHARD_INDEX", "SHEETBAKE_SHARD_TOTAL", "SLURM_ARRAY_TASK_ID",   "SLURM_ARRAY_TASK_COUNT",
        "SLURM_ARRAY_TASK_MIN",  "SLURM_ARRAY_TASK_MAX",  "SLURM_ARRAY_TASK_STEP",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    for (; *settings; settings++)
        putenv(*settings);
}

static void expect_detected(uint32_t number, uint32_t count, const char *source)
{
    struct shard shard;
    struct error err = {""};
    if (shard_detect(&shard, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(shard.number, number);
    assert_int_equal(shard.count, count);
    assert_string_equal(shard.source, source);
}

static void expect_not_detected(const char *message)
{
    struct shard shard;
    struct error err;
    assert_int_equal(shard_detect(&shard, &err), -1);
    assert_string_equal(err.text, message);
}

TEST(what_is_no_shard_is_quoted)
{
    static const char *const texts[] = {
        "",     "3",    "/8",    "3/",   "3/8/", "-1/8",      "+1/8",
        " 1/8", "1 /8", "0x1/8", "1/8 ", "3\\8", "automatic", "4294967296/4294967297",
        "1.0/2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char message[128];
        snprintf(message, sizeof message, "'%s' is neither auto nor a shard such as 3/8, the third of eight",
                 texts[i]);
        expect_refused(texts[i], message);
    }
}

TEST(nothing_set_fails)
{
    static const char message[] = "neither SHEETBAKE_SHARD_INDEX nor SLURM_ARRAY_TASK_ID is set";
    ENV(NULL);
    expect_not_detected(message);
    ENV("SHEETBAKE_SHARD_INDEX=", "SHEETBAKE_SHARD_TOTAL=");
    expect_not_detected(message);
}

#define SLURM(id, count, least, most, step)                                                                       \
    ENV("SLURM_ARRAY_TASK_ID=" #id, "SLURM_ARRAY_TASK_COUNT=" #count, "SLURM_ARRAY_TASK_MIN=" #least,             \
        "SLURM_ARRAY_TASK_MAX=" #most, "SLURM_ARRAY_TASK_STEP=" #step)

/* On every machine and for ever: other shards of the same run may be other builds. Anyone may compute them:
 * printf '%s\0%s\0%s' demo pip-walk 0 | xxhsum -H3 */
TEST(pages_have_the_shards_they_always_had)
{
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
            assert_int_equal(shard_of_page(counts[j], pages[i].list, pages[i].job, pages[i].page),
                             pages[i].shards[j]);
}

TEST(shards_come_from_the_environment)
{
    fact("shards are numbered from one");
    expect_parsed("1/1", 1, 1);
    expect_parsed("3/8", 3, 8);
    expect_parsed("65536/65536", 65536, 65536);
    expect_refused("0/8", "shard 0 of 8: shards are numbered from 1 to 8");
    expect_refused("9/8", "shard 9 of 8: shards are numbered from 1 to 8");
    expect_refused("1/0", "0 shards, 1 to 65536 are allowed");
    expect_refused("1/65537", "65537 shards, 1 to 65536 are allowed");
    fact("our variables count from zero and come first");
    ENV("SHEETBAKE_SHARD_INDEX=0", "SHEETBAKE_SHARD_TOTAL=3");
    expect_detected(1, 3, "SHEETBAKE_SHARD_INDEX");
    ENV("SHEETBAKE_SHARD_INDEX=2", "SHEETBAKE_SHARD_TOTAL=3", "SLURM_ARRAY_TASK_ID=1");
    expect_detected(3, 3, "SHEETBAKE_SHARD_INDEX");
    fact("index out of range fails");
    ENV("SHEETBAKE_SHARD_INDEX=3", "SHEETBAKE_SHARD_TOTAL=3");
    expect_not_detected("SHEETBAKE_SHARD_INDEX is 3, for 3 shards it is from 0 to 2");
    ENV("SHEETBAKE_SHARD_INDEX=4294967295", "SHEETBAKE_SHARD_TOTAL=3");
    expect_not_detected("SHEETBAKE_SHARD_INDEX is 4294967295, for 3 shards it is from 0 to 2");
    ENV("SHEETBAKE_SHARD_INDEX=0", "SHEETBAKE_SHARD_TOTAL=0");
    expect_not_detected("0 shards, 1 to 65536 are allowed");
    ENV("SHEETBAKE_SHARD_INDEX=1", "SHEETBAKE_SHARD_TOTAL=99999");
    expect_not_detected("99999 shards, 1 to 65536 are allowed");
    ENV("SHEETBAKE_SHARD_INDEX=-1", "SHEETBAKE_SHARD_TOTAL=3");
    expect_not_detected("SHEETBAKE_SHARD_INDEX is '-1', which is not a whole number");
    /* A part of a shard must never be a whole run. */
    fact("part of a shard fails");
    ENV("SHEETBAKE_SHARD_INDEX=1");
    expect_not_detected("SHEETBAKE_SHARD_TOTAL is not set");
    ENV("SHEETBAKE_SHARD_INDEX=1", "SHEETBAKE_SHARD_TOTAL=");
    expect_not_detected("SHEETBAKE_SHARD_TOTAL is not set");
    ENV("SHEETBAKE_SHARD_TOTAL=2", "SLURM_ARRAY_TASK_ID=1");
    expect_not_detected("SHEETBAKE_SHARD_INDEX is not set");
    ENV("SLURM_ARRAY_TASK_ID=1");
    expect_not_detected("SLURM_ARRAY_TASK_COUNT is not set");
    fact("slurm ids may start anywhere and take steps");
    SLURM(0, 8, 0, 7, 1);
    expect_detected(1, 8, "SLURM_ARRAY_TASK_ID");
    SLURM(7, 8, 0, 7, 1);
    expect_detected(8, 8, "SLURM_ARRAY_TASK_ID");
    SLURM(1, 8, 1, 8, 1);
    expect_detected(1, 8, "SLURM_ARRAY_TASK_ID");
    SLURM(14, 4, 10, 16, 2);
    expect_detected(3, 4, "SLURM_ARRAY_TASK_ID");
    SLURM(5, 1, 5, 5, 1);
    expect_detected(1, 1, "SLURM_ARRAY_TASK_ID");
    SLURM(4294967295, 2, 4294967294, 4294967295, 1);
    expect_detected(2, 2, "SLURM_ARRAY_TASK_ID");
    fact("slurm ids that are not a range fail");
    SLURM(2, 3, 1, 7, 1);
    expect_not_detected("3 task ids from 1 to 7 in steps of 1 are not a range: use "
                        "--array=FIRST-LAST or --array=FIRST-LAST:STEP");
    SLURM(2, 3, 1, 7, 0);
    expect_not_detected("3 task ids from 1 to 7 in steps of 0 are not a range: use "
                        "--array=FIRST-LAST or --array=FIRST-LAST:STEP");
    SLURM(2, 3, 7, 1, 1);
    expect_not_detected("3 task ids from 7 to 1 in steps of 1 are not a range: use "
                        "--array=FIRST-LAST or --array=FIRST-LAST:STEP");
    SLURM(2, 4, 1, 7, 2);
    expect_not_detected("SLURM_ARRAY_TASK_ID is 2, ids are 1 to 7 in steps of 2");
    SLURM(0, 7, 1, 7, 1);
    expect_not_detected("SLURM_ARRAY_TASK_ID is 0, ids are 1 to 7 in steps of 1");
    SLURM(9, 7, 1, 7, 1);
    expect_not_detected("SLURM_ARRAY_TASK_ID is 9, ids are 1 to 7 in steps of 1");
    /* "a" "bc" and "ab" "c" are two ids, and so are page 1 of "a" and page 11 of it. */
    fact("parts of an id do not run together");
    assert_int_not_equal(shard_of_page(65536, "a", "bc", 0), shard_of_page(65536, "ab", "c", 0));
    assert_int_not_equal(shard_of_page(65536, "a", "b1", 1), shard_of_page(65536, "a", "b", 11));
}

TEST(pages_spread_evenly)
{
    enum { PAGES = 10000, SHARDS = 8 };
    unsigned loads[SHARDS] = {0};
    for (uint32_t page = 0; page < PAGES; page++)
        loads[shard_of_page(SHARDS, "list", "job", page) - 1]++;
    for (unsigned i = 0; i < SHARDS; i++)
        assert_in_range(loads[i], PAGES / SHARDS - 120, PAGES / SHARDS + 120);
}
