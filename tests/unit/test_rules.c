/* What rules find of records, also of strangers', and where their bounds stand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "job/rules.h"
#include "test.h"

static void bound(struct rules *rules, enum rule_number rule, int level, double number)
{
    rules->items[rule].bounds[level] = (struct bound){.number = number, .mark = {"units.yaml", 10 + rule, 3}};
}

/* "f triangles 11,204 triangles, ...", one after the other; the caller frees it. */
static char *judge(const struct rules *rules, const struct record *record, const struct growth *growth)
{
    struct strings found = {0};
    struct finding finding;
    char *all = must_strdup("");
    rules_judge(rules, record, false, growth, &found);
    for (size_t i = 0; i < found.count; i++) {
        assert_true(finding_read(found.items[i], &finding));
        assert_non_null(rules_mark(rules, &finding));
        char *more = must_printf("%s%s%c %s %s%s%s", all, i ? "; " : "", finding.is_failure ? 'f' : 'w',
                                 finding.rule, finding.text, *finding.cell ? " in " : "", finding.cell);
        free(all);
        all = more;
    }
    strings_release(&found);
    return all;
}

static void expect(const struct rules *rules, const struct record *record, const struct growth *growth,
                   const char *wanted)
{
    char *found = judge(rules, record, growth);
    assert_string_equal(found, wanted);
    free(found);
}

static void expect_fact(enum rule_number rule, const char *name, const char *value, const char *wanted)
{
    const struct record_pair pair = {name, value};
    struct record record = {.facts = {&pair, 1}};
    struct rules rules = {0};
    fact(value);
    bound(&rules, rule, BOUND_WARN, rule == RULE_DARKEST ? 0.3 : 10);
    bound(&rules, rule, BOUND_FAIL, rule == RULE_DARKEST ? 0.1 : 1000);
    expect(&rules, &record, NULL, wanted);
}

TEST(a_number_warns_or_fails_at_its_bounds)
{
    expect_fact(RULE_TRIANGLES, "triangles", "10", "");
    expect_fact(RULE_TRIANGLES, "triangles", "11", "w triangles 11 triangles, at most 10");
    expect_fact(RULE_TRIANGLES, "triangles", "1000", "w triangles 1,000 triangles, at most 10");
    expect_fact(RULE_TRIANGLES, "triangles", "1234567", "f triangles 1,234,567 triangles, at most 1,000");
    expect_fact(RULE_TRIANGLES, "triangles", "1e308", "f triangles 1e+308 triangles, at most 1,000");
    expect_fact(RULE_DARKEST, "darkest", "-123",
                "f darkest the darkest cell has a lightness of -123, at least 0.1");
    expect_fact(RULE_DARKEST, "darkest", "-1234.5",
                "f darkest the darkest cell has a lightness of -1,235, at least 0.1");
    expect_fact(RULE_DARKEST, "darkest", "-1e308",
                "f darkest the darkest cell has a lightness of -1e+308, at least 0.1");
    expect_fact(RULE_DARKEST, "darkest", "0.3 a/b/0000", "");
    expect_fact(RULE_DARKEST, "darkest", "0.2 a/b/0000",
                "w darkest the darkest cell has a lightness of 0.2, at least 0.3 in a/b/0000");
    expect_fact(RULE_DARKEST, "darkest", "0.05 a/b/0000",
                "f darkest the darkest cell has a lightness of 0.05, at least 0.1 in a/b/0000");
    expect_fact(RULE_TEXTURE_SIDE, "texture_side", "64 a b.png",
                "w texture_side a texture with a side of 64 pixels, at most 10: a b.png");
    expect_fact(RULE_DARKEST, "darkest", "none", "");
}

TEST(what_is_not_known_fails)
{
#define UNKNOWN " not judged: what it asks for is not known of this sheet"
    expect_fact(RULE_TRIANGLES, "joints", "1", "f triangles" UNKNOWN);
    const char *const strange[] = {"", "x", "-", "1x", "inf", "nan", "1e999", " ", "none "};
    for (size_t i = 0; i < sizeof strange / sizeof *strange; i++)
        expect_fact(RULE_TRIANGLES, "triangles", strange[i], "f triangles" UNKNOWN);
    const struct record record = {.page = 0};
    struct rules rules = {0};
    struct strings found = {0};
    static const char *const idle[] = {"idle"};
    bound(&rules, RULE_NEED_CLIPS, BOUND_WARN, 0);
    rules.items[RULE_NEED_CLIPS].bounds[BOUND_WARN].patterns = (struct patterns){idle, 1};
    bound(&rules, RULE_DARKEST, BOUND_WARN, 1);
    assert_string_equal(rules_judge(&rules, &record, true, NULL, &found), "need_clips");
    assert_int_equal(found.count, 1);
    strings_release(&found);
}

TEST(clips_are_needed_and_forbidden)
{
    static const char *const needed[] = {"idle", "walk*"}, *const forbidden[] = {"test*"};
    static const char *const clips[] = {"Idle", "run", "TEST1"};
    struct rules rules = {0};
    const struct record record = {.clips = clips, .clip_count = 3}, later = {.page = 1};
    bound(&rules, RULE_NEED_CLIPS, BOUND_FAIL, 0);
    bound(&rules, RULE_FORBID_CLIPS, BOUND_WARN, 0);
    rules.items[RULE_NEED_CLIPS].bounds[BOUND_FAIL].patterns = (struct patterns){needed, 2};
    rules.items[RULE_FORBID_CLIPS].bounds[BOUND_WARN].patterns = (struct patterns){forbidden, 1};
    expect(&rules, &record, NULL, "f need_clips no clip 'walk*'; w forbid_clips a forbidden clip 'TEST1'");
    fact("the model is judged with the first page");
    expect(&rules, &later, NULL, "");
}

TEST(growth_compares_two_records)
{
    const struct record_pair old = {"triangles", "100"}, new = {"triangles", "121"};
    const struct record was = {.facts = {&old, 1}}, is = {.facts = {&new, 1}};
    struct growth growth = {&was, {1000, 1500}};
    struct rules rules = {0};
    bound(&rules, RULE_MORE_TRIANGLES, BOUND_FAIL, 20);
    bound(&rules, RULE_MORE_BYTES, BOUND_WARN, 50);
    expect(&rules, &is, &growth, "f growth.triangles triangles grew by 21 %, at most 20: 100 before, 121 now");
    growth.bytes[1] = 1501;
    bound(&rules, RULE_MORE_TRIANGLES, BOUND_FAIL, 21);
    expect(&rules, &is, &growth, "w growth.bytes bytes grew by 50.1 %, at most 50: 1000 before, 1501 now");
    growth.bytes[1] = 13344;
    expect(&rules, &is, &growth, "w growth.bytes bytes grew by 1,234 %, at most 50: 1000 before, 13344 now");
    fact("what gets smaller grows by nothing");
    growth.was = &is;
    growth.bytes[1] = 0;
    expect(&rules, &was, &growth, "");
    expect(&rules, &is, NULL, "");
}

/* Both bounds of random rules against random facts, in one line each. */
TEST(random_worlds_are_judged_as_one_line_judges_them)
{
    static const struct {
        enum rule_number rule;
        const char *key;
        bool is_least;
    } kinds[] = {
        {RULE_JOINTS, "joints", false}, {RULE_DARKEST, "darkest", true}, {RULE_LOOP_JUMP, "loop_jump", false}};
    uint32_t seed = 1;
    int counts[3] = {0};
    for (int round = 0; round < 3000; round++) {
        int values[4];
        for (int i = 0; i < 4; i++) {
            seed = seed * 1664525 + 1013904223;
            values[i] = (int)(seed >> 20) % 8 - (i < 2);
        }
        const size_t kind = (size_t)round % 3;
        char *text = must_printf("%d", values[2]);
        const struct record_pair pair = {kinds[kind].key, text};
        const struct record record = {.facts = {&pair, 1}};
        struct rules rules = {0};
        for (int level = 0; level < 2; level++)
            if (values[level] >= 0)
                bound(&rules, kinds[kind].rule, level, values[level]);
        int sign = kinds[kind].is_least ? -1 : 1, warn = values[0], fail = values[1];
        int wanted = fail >= 0 && sign * values[2] > sign * fail ? 2 : warn >= 0 && sign * values[2] > sign * warn;
        char *found = judge(&rules, &record, NULL);
        assert_int_equal(*found == 'f' ? 2 : *found == 'w', wanted);
        counts[wanted]++;
        free(found);
        free(text);
    }
    assert_true(counts[0] > 100 && counts[1] > 100 && counts[2] > 100);
}

TEST(a_finding_is_written_and_read_again)
{
    static const char *const bad[] = {
        "", "f", "x\n\n", "fa", "fa\nb", "f\nb\nc", "fa_rule_with_a_name_that_is_far_too_long\n\n"};
    struct finding finding, again;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(finding_read(bad[i], &finding));
    assert_true(finding_read("wbytes\na/b/0001\nmuch\nmore", &finding));
    assert_string_equal(finding.text, "much\nmore");
    json_t *value = finding_json(&finding);
    char *text = finding_from_json(value);
    assert_true(finding_read(text, &again));
    assert_memory_equal(&finding.cell, &again.cell, strlen(again.cell) + 1);
    assert_string_equal(again.told, "much\nmore, worst in a/b/0001 (rule bytes)");
    json_decref(value);
    free(text);
    value = json_string("x");
    assert_null(finding_from_json(value));
    assert_null(finding_from_json(NULL));
    json_decref(value);
}
