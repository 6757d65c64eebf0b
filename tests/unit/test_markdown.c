/* Markdown of reviews that were made by hand: what a code host would see in it, and what it would not. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "review/markdown.h"
#include "test.h"

/* -- Helpers ----------------------------------------------------------------------------------------------- */

static const uint32_t first_cause[] = {0, 1};

static struct review_sheet sheet(enum review_state state, const char *name)
{
    return (struct review_sheet){
        .name = name, .list = "a", .job = name, .state = state, .causes = first_cause, .cause_count = 1};
}

/* The caller frees it. */
static char *markdown(struct review_sheet *sheets, size_t count, const char *cause, size_t budget)
{
    struct review_cause causes[] = {{.text = cause, .kind = "input"}, {.text = "other", .kind = "input"}};
    struct review review = {.before = {"origin/main", "1a2b Subject"},
                            .after = {"work tree", ""},
                            .sheets = sheets,
                            .sheet_count = count,
                            .causes = causes,
                            .cause_count = 2};
    for (size_t i = 0; i < count; i++)
        review.sheet_totals[sheets[i].state]++;
    review.sheet_totals[REVIEW_SAME] = 5;
    struct buffer text = {0};
    markdown_add(&text, &review, budget);
    return text.text;
}

/* The row of a sheet of this name and cause. */
static void expect_row(const char *name, const char *cause, const char *expected)
{
    struct review_sheet one = sheet(REVIEW_CHANGED, name);
    char *text = markdown(&one, 1, cause, MARKDOWN_BUDGET), *row = strstr(text, "|---|\n") + strlen("|---|\n");
    assert_string_equal(row, expected);
    free(text);
}

static size_t count_characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

/* -- Tests ------------------------------------------------------------------------------------------------- */

TEST(where_nothing_differs_the_first_words_say_so)
{
    char *text = markdown(NULL, 0, "", MARKDOWN_BUDGET);
    assert_string_equal(text,
                        "No differences in 5 sheets.\n\nFrom `origin/main` (`1a2b Subject`) to `work tree`.\n");
    free(text);
}

TEST(a_sheet_has_a_row_with_its_frames_and_causes)
{
    static const char *const warnings[] = {"no texture"};
    const struct made_sheet side = {0};
    const struct record_pair old[] = {{"joints", "30"}, {"triangles", "812"}};
    const struct record_pair now[] = {{"joints", "30"}, {"triangles", "900"}};
    struct review_sheet one = sheet(REVIEW_CHANGED, "orcs/grunt");
    one.before = one.after = &side;
    one.counts[REVIEW_CHANGED] = 3;
    one.counts[REVIEW_SAME] = 9;
    one.change = (struct review_change){.pixels = {.pixels = 12, .max = 0.25F}, .passes = 1};
    one.cause_count = 2;
    one.new_warnings = warnings;
    one.new_warning_count = 1;
    one.old_facts = &(struct record_pairs){old, 2};
    one.facts = &(struct record_pairs){now, 2};
    char *text = markdown(&one, 1, "input orc.png changed", MARKDOWN_BUDGET);
    assert_string_equal(text, "### 1 of 6 sheets differs\n\nFrom `origin/main` (`1a2b Subject`) to `work tree`. "
                              "Sheets: 1 changed, 5 same.\n\n"
                              "| state | sheet | frames | largest | why |\n|---|---|--:|--:|---|\n"
                              "| changed | `orcs/grunt` | 3 of 12 | 0.250 | `input orc.png changed` and 1 more"
                              "<br>new warning: `no texture`<br>`triangles` was `812`, is `900` |\n");
    free(text);
}

TEST(a_failed_sheet_has_its_reason_in_place_of_a_cause)
{
    struct review_sheet one = sheet(REVIEW_FAILED, "a");
    one.reason = "a.md2: too short";
    char *text = markdown(&one, 1, "cause", MARKDOWN_BUDGET);
    assert_non_null(strstr(text, "| failed | `a` |  |  | `a.md2: too short` |\n"));
    assert_null(strstr(text, "cause"));
    free(text);
}

TEST(text_of_strangers_stays_in_its_code_span)
{
    expect_row("<script>@team https://x.test [a](b) **c** :tada: &lt;", "d",
               "| changed | `<script>@team https://x.test [a](b) **c** :tada: &lt;` |  |  | `d` |\n");
    expect_row("a`b", "``c` `", "| changed | `` a`b `` |  |  | ``` ``c` ` ``` |\n");
    expect_row("a|b", "c\\|d\\\\|", "| changed | `a\\|b` |  |  | `c?\\|d\\?\\|` |\n");
    expect_row("a\nb\r\tc\x1b[0m", "\xff", "| changed | `a?b??c?[0m` |  |  | `?` |\n");
    expect_row("a\xe2\x80\xae"
               "b\xe2\x80\xa9",
               "", "| changed | `a???b???` |  |  | ` ` |\n");
}

TEST(long_text_is_cut)
{
    char *name = must_alloc(4097, 1);
    memset(name, 'n', 4096);
    struct review_sheet one = sheet(REVIEW_CHANGED, name);
    char *text = markdown(&one, 1, "c", MARKDOWN_BUDGET);
    assert_non_null(strstr(text, "nnn…` |"));
    assert_true(strlen(text) < 600);
    free(text);
    free(name);
}

TEST(what_does_not_fit_is_counted_and_the_worst_stays)
{
    enum { COUNT = 2000 };
    struct review_sheet *sheets = must_alloc(COUNT, sizeof *sheets);
    for (int i = 0; i < COUNT; i++)
        sheets[i] = sheet(i < 1500 ? REVIEW_CHANGED : REVIEW_ADDED, i ? "any/ŝheet" : "the/worst");
    char *text = markdown(sheets, COUNT, "input ŝ changed", 10000);
    assert_true(count_characters(text) <= 10000);
    assert_true(count_characters(text) > 9000);
    assert_non_null(strstr(text, "`the/worst`"));
    const char *rest = strstr(text, "\nAnd ");
    assert_non_null(rest);
    size_t rows = 0, left = strtoul(rest + 5, NULL, 10);
    for (const char *at = text; (at = strstr(at, "| changed |")); at++)
        rows++;
    assert_int_equal(rows + left, COUNT);
    assert_non_null(strstr(rest, " changed, 500 added.\n"));
    free(text);
    free(sheets);
}

TEST(it_stays_below_what_a_summary_may_have)
{
    enum { COUNT = 20000 };
    struct review_sheet *sheets = must_alloc(COUNT, sizeof *sheets);
    for (int i = 0; i < COUNT; i++)
        sheets[i] = sheet(REVIEW_CHANGED, "€€€€€€€€€€€€€€€€€€€€");
    char *text = markdown(sheets, COUNT, "c", 100000000);
    assert_true(strlen(text) < 1 << 20);
    assert_true(strlen(text) > 1000000);
    free(text);
    free(sheets);
}
