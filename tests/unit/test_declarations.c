/* Finding declarations in files that need not be well formed. */
#include "asset_tree.h"
#include "test.h"

#include "material/declarations.h"
#include "base/buffer.h"

static const char sample[] = "// monsters\n"
                             "table pulse { { 0, 1, } }\n"
                             "models/imp/body\n"
                             "{\n"
                             "\tdiffusemap models/imp/body.tga\n"
                             "\t{\n"
                             "\t\tblend add\n"
                             "\t}\n"
                             "}\n"
                             "\n"
                             "material \"models/imp/eyes\" { twosided } /* two on a line */ skin c { }\n";

struct scanned {
    struct bytes bytes;
    struct declarations declarations;
    struct strings warnings;
};

static struct scanned scan_bytes(const char *text, size_t size)
{
    struct scanned scanned = {.bytes = exact_copy(text, size)};
    declarations_scan(scanned.bytes, &scanned.declarations, &scanned.warnings);
    return scanned;
}

static void release(struct scanned *scanned)
{
    declarations_release(&scanned->declarations);
    strings_release(&scanned->warnings);
    free((void *)scanned->bytes.data);
}

/* "type name@line [words of the block]; ...", where the type may be missing. */
static char *describe(const struct scanned *scanned)
{
    struct buffer text = {0};
    buffer_add(&text, "", 0);
    for (size_t i = 0; i < scanned->declarations.count; i++) {
        const struct declaration *item = &scanned->declarations.items[i];
        struct lexer body = item->body;
        struct token token;
        buffer_printf(&text, "%s%s%s%s@%u [", i ? "; " : "", item->type, *item->type ? " " : "", item->name,
                      item->line);
        for (bool first = true; declaration_next(&body, &token); first = false)
            buffer_printf(&text, "%s%.*s", first ? "" : " ", (int)token.length, token.text);
        buffer_printf(&text, "]");
    }
    return text.text;
}

static void check_warned(const char *text, const char *expected, const char *warning)
{
    struct scanned scanned = scan_bytes(text, strlen(text));
    char *found = describe(&scanned);
    assert_string_equal(found, expected);
    assert_int_equal(scanned.warnings.count, warning ? 1 : 0);
    if (warning)
        assert_string_equal(scanned.warnings.items[0], warning);
    free(found);
    release(&scanned);
}

static void check(const char *text, const char *expected)
{
    check_warned(text, expected, NULL);
}

/* -- Good files -------------------------------------------------------------------------------------------- */

TEST(declarations_are_found)
{
    fact("all kinds of heads are found");
    check(sample, "table pulse@2 [{ 0 , 1 , }]; models/imp/body@3 [diffusemap models/imp/body.tga { blend add }]; "
                  "material models/imp/eyes@11 [twosided]; skin c@11 []");
    fact("an empty file declares nothing");
    check("", "");
    check(" // nothing\n/* here */", "");
    fact("a type alone is a name");
    check("skin { x }", "skin@1 [x]");
    fact("other words before a name are not types");
    check("nonsense a { x }", "a@1 [x]");
    fact("guides have no block");
    check("guide a b ( c d )\ne { x }", "e@2 [x]");
    fact("names have slashes one way");
    check("models\\imp\\body { }", "models/imp/body@1 []");
    fact("a byte order mark belongs to no name");
    check("\xef\xbb\xbf"
          "a { }",
          "a@1 []");
    fact("lines may end in crlf");
    check("a\r\n{\r\n\tx\r\n}\r\nb { }\r\n", "a@1 [x]; b@5 []");
    fact("braces in strings and comments do not count");
    check("a { \"}\" // }\n /* } */ x }", "a@1 [} x]");
    fact("stages at the start of a line are not declarations");
    check("a\n{\ntwosided\n{\nx\n}\n}\nb { }\n", "a@1 [twosided { x }]; b@8 []");
}

/* -- Files that do not match ------------------------------------------------------------------------------- */

TEST(broken_declarations_hide_no_other)
{
    fact("an unclosed block ends at the next name");
    check_warned("a { x }\nb\n{\n\ty\nc\n{\n\tz\n}\nd { }\n", "a@1 [x]; b@2 [y]; c@5 [z]; d@9 []",
                 "3: a block opens that is never closed");
    fact("an unclosed block ends at a type and name");
    check_warned("b {\n y\ntable t { 1 }\nd { }", "b@1 [y]; table t@3 [1]; d@4 []",
                 "1: a block opens that is never closed");
    fact("an unclosed stage ends with its block");
    check_warned("a\n{\n\t{\n\t\tx\n}\nb\n{\n\ty\n}\n", "a@1 [{ x }]; b@6 [y]",
                 "2: a block opens that is never closed");
    fact("several unclosed blocks are one warning");
    check_warned("a {\nx\nb {\ny\nc {\nz\n", "a@1 [x]; b@3 [y]; c@5 [z]", "1: a block opens that is never closed");
    fact("the last block may be unclosed");
    check_warned("a { x }\nb { y { z", "a@1 [x]; b@2 [y { z]", "2: a block opens that is never closed");
    fact("a brace too many is passed over");
    check_warned("a { x } }\n}\nb { y }", "a@1 [x]; b@3 [y]", "1: '}' closes nothing");
    fact("a block without a name is passed over");
    check_warned("a { x }\n{ y { z } }\nb { }", "a@1 [x]; b@3 []", "2: a block without a name");
    fact("a quote without another is passed over");
    check_warned("a { x \"y\n }\nb { \"z\" }\n", "a@1 [x y]; b@3 [z]",
                 "1: a quote that no other on its line closes");
    check_warned("a { x }\n\"b { }\n", "a@1 [x]; b@2 []", "2: a quote that no other on its line closes");
    check_warned("a { x\n\n \"", "a@1 [x]", "3: a quote that no other on its line closes");
    fact("a name without a block is passed over");
    check("a\nb { x }\nc", "b@2 [x]");
}

/* How many blocks of the sample are whole in its first `size` characters. */
static size_t whole_blocks(size_t size)
{
    size_t depth = 0, count = 0;
    for (size_t i = 0; i < size; i++) {
        depth += sample[i] == '{';
        if (sample[i] == '}' && --depth == 0)
            count++;
    }
    return count;
}

/* Wherever the sample ends, what is whole is there, and of the rest at most one declaration, with a warning. */
TEST(a_cut_file_keeps_what_is_whole)
{
    for (size_t size = 0; size < sizeof sample; size++) {
        struct scanned scanned = scan_bytes(sample, size);
        size_t whole = whole_blocks(size);
        assert_in_range(scanned.declarations.count, whole, whole + 1);
        if (scanned.declarations.count > whole)
            assert_int_equal(scanned.warnings.count, 1);
        release(&scanned);
    }
}

TEST(more_than_enough_declarations_are_cut_off)
{
    struct buffer text = {0};
    for (size_t i = 0; i < DECLARATIONS_MAX + 2; i++)
        buffer_add(&text, "a{}", 3);
    struct scanned scanned = scan_bytes(text.text, text.length);
    assert_int_equal(scanned.declarations.count, DECLARATIONS_MAX);
    assert_listed(&scanned.warnings, "more declarations than");
    release(&scanned);
    buffer_release(&text);
}

/* A million levels are no more work than a million braces. */
TEST(deep_blocks_are_no_recursion)
{
    size_t size = 1 << 20;
    char *text = malloc(size);
    memset(text, '{', size);
    text[0] = 'a';
    struct scanned scanned = scan_bytes(text, size);
    assert_int_equal(scanned.declarations.count, 1);
    release(&scanned);
    free(text);
}

/* -- Reading blocks ---------------------------------------------------------------------------------------- */

/* What follows the first word after the rest of its line is skipped. */
static void check_skip(const char *text, const char *next)
{
    struct bytes bytes = exact_copy(text, strlen(text));
    struct lexer lexer = lexer_at_start(bytes);
    struct token token;
    assert_true(declaration_next(&lexer, &token));
    declaration_skip_line(&lexer, &token, NULL);
    if (declaration_next(&lexer, &token))
        assert_true(token_is(&token, next));
    else
        assert_string_equal("", next);
    free((void *)bytes.data);
}

TEST(what_belongs_to_no_block_is_skipped)
{
    fact("a line is skipped to its end");
    check_skip("a b, c ( d )\ne", "e");
    check_skip("a // b\ne", "e");
    check_skip("a\ne", "e");
    check_skip("a b", "");
    fact("a block on the line is skipped whole");
    check_skip("a b { c\n { d } }\ne", "e");
    check_skip("a { b", "");
    fact("a closing brace is not skipped");
    check_skip("a b } c\n", "}");
}
