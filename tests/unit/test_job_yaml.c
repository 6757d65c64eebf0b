/* The tree that job lists are read from, and the limits that keep hostile files harmless. */
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "job/yaml.h"
#include "test.h"

struct fixture {
    struct arena arena;
    struct problems problems;
    struct strings reported;
    const struct node *root;
};

static int load(struct fixture *fixture, const char *text, size_t size)
{
    /* A copy of the very size, so that a sanitizer sees any read past the end. */
    uint8_t *copy = must_alloc(size, 1);
    if (size)
        memcpy(copy, text, size);
    int result =
        yaml_load((struct bytes){copy, size}, "list.yaml", &fixture->arena, &fixture->root, &fixture->problems);
    free(copy);
    problems_report(&fixture->problems, &fixture->reported);
    return result;
}

static void release(struct fixture *fixture)
{
    arena_release(&fixture->arena);
    problems_release(&fixture->problems);
    strings_release(&fixture->reported);
}

static void assert_loads(const char *text)
{
    struct fixture fixture = {0};
    assert_int_equal(load(&fixture, text, strlen(text)), 0);
    assert_int_equal(fixture.reported.count, 0);
    assert_non_null(fixture.root);
    release(&fixture);
}

static void assert_fails_at_once(const char *text, size_t size, const char *message)
{
    struct fixture fixture = {0};
    clock_t start = clock();
    assert_int_equal(load(&fixture, text, size), -1);
    assert_null(fixture.root);
    assert_int_equal(fixture.reported.count, 1);
    assert_string_equal(fixture.reported.items[0], message);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 5); /* sanitizers are slow; the dangers are minutes */
    release(&fixture);
}

static void assert_fails(const char *text, const char *message)
{
    assert_fails_at_once(text, strlen(text), message);
}

TEST(tree_has_values_and_places)
{
    struct fixture fixture = {0};
    const char *text = "a: [1, '2']\nb:\n  c: ~\n";
    assert_int_equal(load(&fixture, text, strlen(text)), 0);
    const struct node *a = node_get(fixture.root, "a"), *c = node_get(node_get(fixture.root, "b"), "c");
    assert_int_equal(a->kind, NODE_SEQUENCE);
    assert_int_equal(a->count, 2);
    assert_string_equal(a->values[0]->text, "1");
    assert_true(a->values[0]->is_plain);
    assert_false(a->values[1]->is_plain);
    assert_int_equal(a->values[1]->mark.line, 1);
    assert_int_equal(a->values[1]->mark.column, 8);
    assert_true(node_is_null(c));
    assert_int_equal(c->mark.line, 3);
    assert_int_equal(node_key(node_get(fixture.root, "b"), "c")->mark.column, 3);
    assert_null(node_get(fixture.root, "c"));
    release(&fixture);
}

TEST(alias_is_the_value_it_names)
{
    struct fixture fixture = {0};
    const char *text = "a: &x [1]\nb: *x\n";
    assert_int_equal(load(&fixture, text, strlen(text)), 0);
    assert_ptr_equal(node_get(fixture.root, "a"), node_get(fixture.root, "b"));
    release(&fixture);
}

/* "[[[..." of a depth, or any other opening, closed or not. */
static char *nest(const char *opening, const char *closing, size_t depth)
{
    struct buffer text = {0};
    for (size_t i = 0; i < depth; i++)
        buffer_printf(&text, "%s", opening);
    buffer_printf(&text, "x");
    for (size_t i = 0; i < depth; i++)
        buffer_printf(&text, "%s", closing);
    return text.text;
}

static void assert_too_deep(const char *opening, const char *closing, unsigned column)
{
    char *text = nest(opening, closing, 100000);
    char *message = must_printf("list.yaml:1:%u: lists and mappings nest more than 32 deep", column);
    assert_fails(text, message);
    free(message);
    free(text);
}

TEST(nesting_up_to_the_limit_is_fine)
{
    char *text = nest("[", "]", YAML_MAX_DEPTH);
    assert_loads(text);
    free(text);
}

/* Each line a list of nine times the line before: 9^8 values when written out. */
TEST(alias_bomb_is_refused_quickly)
{
    struct buffer text = {0};
    buffer_printf(&text, "a0: &a0 lol\n");
    for (int i = 1; i <= 8; i++) {
        buffer_printf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            buffer_printf(&text, "*a%d%s", i - 1, k < 8 ? ", " : "]\n");
    }
    assert_fails(text.text, "list.yaml:7:5: more than 500000 values when every alias is written out");
    buffer_release(&text);
}

TEST(aliases_count_as_nesting)
{
    struct buffer text = {0};
    buffer_printf(&text, "a0: &a0 [x]\n");
    for (int i = 1; i <= 40; i++)
        buffer_printf(&text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    assert_fails(text.text, "list.yaml:31:6: with its aliases this nests more than 32 deep");
    buffer_release(&text);
}

TEST(what_is_not_a_list_is_refused)
{
    fact("byte order mark is not text");
    assert_loads("\xEF\xBB\xBF"
                 "a: 1\nb: 2\n");
    fact("columns count characters");
    assert_fails("\"\xC3\xA4\xC3\xB6\": !x 1\n",
                 "list.yaml:1:7: the tag '!x' has no meaning here; write the value without it");
    fact("text that is not utf8 is refused");
    assert_fails("a: \xC3\x28\n", "list.yaml:1:5: not readable as UTF-8 text: invalid trailing UTF-8 octet");
    assert_fails_at_once("\xFF\xFE"
                         "a\0:\0",
                         6, "list.yaml:1:1: not readable as UTF-8 text: invalid leading UTF-8 octet");
    assert_fails_at_once("a: \0", 4,
                         "list.yaml:1:4: not readable as UTF-8 text: control characters are not allowed");
    fact("empty file is refused");
    assert_fails("", "list.yaml:1:1: the file is empty; a job list starts with 'version: 1'");
    assert_fails("# nothing\n", "list.yaml:1:1: the file is empty; a job list starts with 'version: 1'");
    fact("keys must be text");
    assert_fails("{a: 1}: 2\n", "list.yaml:1:1: a key must be text, found a mapping");
    assert_fails("? [a]\n: 2\n", "list.yaml:1:3: a key must be text, found a list");
    fact("hundred thousand levels are refused quickly");
    assert_too_deep("[", "]", 33);
    assert_too_deep("[", "", 33);
    assert_too_deep("{a: ", "}", 4 * 32 + 1);
    assert_too_deep("- ", "", 2 * 32 + 1);
    assert_too_deep("? ", "", 2 * 32 + 1);
    fact("anchor has one place");
    assert_fails("a: &x 1\nb: &x 2\n", "list.yaml:2:4: anchor '&x' is given twice, first in line 1");
    assert_fails(
        "a: &x 1\nb: *y\n",
        "list.yaml:2:4: not valid YAML: no anchor (&name) is called like this alias; a pattern that starts "
        "with '*' must be in quotes");
    fact("second document is refused");
    assert_fails("a: 1\n---\nb: 2\n", "list.yaml:2:1: a second document starts here; a job list is one document");
    fact("value cannot hold itself");
    assert_fails("a: &a\n  b: *a\n", "list.yaml:1:4: this value holds an alias of itself");
    assert_fails("&a [*a]\n", "list.yaml:1:1: this value holds an alias of itself");
}

static void repeat(struct buffer *text, const char *piece, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffer_add(text, piece, strlen(piece));
}

TEST(numbers_of_things_are_limited)
{
    struct buffer text = {0};
    repeat(&text, "- a\n", 500001);
    assert_fails(text.text, "list.yaml:500000:3: more than 500000 values");
    buffer_clear(&text);
    for (int i = 0; i < 300000; i++)
        buffer_printf(&text, "- &a%d x\n", i);
    assert_fails(text.text, "list.yaml:257:3: more than 256 anchors (&name)");
    buffer_clear(&text);
    for (int i = 0; i < 200000; i++)
        buffer_printf(&text, "%%TAG !a%d! x\n", i);
    assert_fails(text.text, "list.yaml:1:1: %TAG directives are not supported");
    buffer_clear(&text);
    repeat(&text, "# four megabytes and one byte more\n", 4 * 1024 * 1024 / 35 + 1);
    assert_fails_at_once(text.text, 4 * 1024 * 1024 + 1,
                         "list.yaml:1:1: 4194305 bytes, at most 4194304 are allowed");
    buffer_release(&text);
}

TEST(a_mistake_below_many_empty_lines_is_found_quickly)
{
    struct buffer text = {0};
    buffer_printf(&text, "a: b\n");
    repeat(&text, "\n", 1000000);
    buffer_printf(&text, " c: d\n");
    assert_fails_at_once(text.text, text.length,
                         "list.yaml:1000002:2: not valid YAML: indented deeper than line 1, which has a value "
                         "already; keys of one mapping start in the same column");
    buffer_release(&text);
}

TEST(many_duplicate_keys_are_found_quickly)
{
    struct buffer text = {0};
    struct fixture fixture = {0};
    repeat(&text, "a: b\n", 200000);
    clock_t start = clock();
    assert_int_equal(load(&fixture, text.text, text.length), 0);
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 10);
    assert_int_equal(fixture.reported.count, PROBLEM_LIMIT + 1);
    assert_string_equal(fixture.reported.items[0], "list.yaml:2:1: key 'a' is given twice, first in line 1");
    assert_string_equal(fixture.reported.items[PROBLEM_LIMIT], "more than 1000 problems: the rest is not shown");
    assert_int_equal(job_list_problem_count(&fixture.reported), PROBLEM_LIMIT);
    release(&fixture);
    buffer_release(&text);
}

TEST(list_cut_anywhere_loads_or_says_why)
{
    const char *text =
        "version: 1\n# \xC3\xA4\nassets: [a, 'b\xE2\x82\xAC', \"c\\x41\"]\ndefaults: &d {cell: [1, 2]}\n"
        "jobs:\n  - name: >\n      folded\n    x: *d\n  - |\n    literal\n";
    for (size_t size = 0; size <= strlen(text); size++) {
        struct fixture fixture = {0};
        int result = load(&fixture, text, size);
        assert_int_equal(result<0, fixture.reported.count> 0);
        release(&fixture);
    }
}

TEST(control_characters_are_masked_in_messages)
{
    struct problems problems = {0};
    struct strings reported = {0};
    problems_add(&problems, (struct mark){"a\033.yaml", 1, 2}, "found '%s'", "\033[2J\n\xC2\x9B\xC3\xA4");
    problems_report(&problems, &reported);
    assert_string_equal(reported.items[0], "a?.yaml:1:2: found '?[2J???\xC3\xA4'");
    problems_release(&problems);
    strings_release(&reported);
}
