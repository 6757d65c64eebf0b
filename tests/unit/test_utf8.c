/* What is a character of UTF-8, and what becomes of the rest. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "test.h"

static void expect_masked(const char *text, const char *expected)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", text);
    utf8_mask(copy);
    assert_string_equal(copy, expected);
}

TEST(nothing_is_read_beyond_the_size)
{
    uint32_t character = 7;
    assert_int_equal(utf8_read("\xe2\x82\xac", 3, &character), 3);
    assert_int_equal(character, 0x20ac);
    for (size_t size = 0; size < 3; size++)
        assert_int_equal(utf8_read("\xe2\x82\xac", size, &character), 0);
}

/* Texts of three bytes, more of them where the first is no ASCII. */
TEST(what_is_masked_is_what_json_takes)
{
    for (uint32_t bytes = 0; bytes < 1u << 24; bytes += bytes < 1u << 23 ? 4099 : 61) {
        char text[] = {(char)(bytes >> 16), (char)(bytes >> 8), (char)bytes, '\0'}, masked[4];
        memcpy(masked, text, sizeof text);
        utf8_mask(masked);
        json_t *taken = json_string(text), *mended = json_string(masked);
        assert_non_null(mended);
        assert_int_equal(taken != NULL, !strcmp(text, masked));
        json_decref(taken);
        json_decref(mended);
    }
}

static void expect_printable(const char *text, const char *expected)
{
    char *copy = must_strdup(text); /* of its very size: reading past the end is seen */
    printable_mask(copy);
    assert_string_equal(copy, expected);
    free(copy);
}

/* Also at most as long, and the same once more. */
static void expect_folded(const char *name, const char *expected)
{
    char copy[64];
    snprintf(copy, sizeof copy, "%s", name);
    utf8_fold(copy);
    assert_string_equal(copy, expected);
    assert_true(strlen(copy) <= strlen(name));
    utf8_fold(copy);
    assert_string_equal(copy, expected);
}

TEST(names_fold_to_small_letters_with_their_marks)
{
    expect_folded("Textures/M\u00d6BEL-01.PNG", "textures/m\u00f6bel-01.png");
    expect_folded("mo\u0308bel", "m\u00f6bel");
    expect_folded("MO\u0308BEL", "m\u00f6bel");
    expect_folded("\u0160koda \u017b\u00d3\u0141W \u0178", "\u0161koda \u017c\u00f3\u0142w \u00ff");
    expect_folded("\u0394\u03a1\u0391\u039a\u039f\u0301\u03a3", "\u03b4\u03c1\u03b1\u03ba\u03cc\u03c3");
    expect_folded("\u0419\u043e\u0433 \u0438\u0306 \u0401", "\u0439\u043e\u0433 \u0439 \u0451");
    fact("what has no other form stays");
    expect_folded("\u0301a x\u0301 \u00d7\u00f7\u00df\u0130\u0131",
                  "\u0301a x\u0301 \u00d7\u00f7\u00df\u0130\u0131");
    expect_folded("\u6b69\u304f \U0001f438", "\u6b69\u304f \U0001f438");
    expect_folded("\xff\xc3O\xcc", "\xff\xc3o\xcc");
}

TEST(text_is_checked_and_masked)
{
    fact("what is utf8 stays");
    expect_masked("", "");
    expect_masked("plain\n\t\x1b[2J", "plain\n\t\x1b[2J");
    expect_masked("gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8 \xc2\x80 \xef\xbf\xbf",
                  "gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8 \xc2\x80 \xef\xbf\xbf");
    expect_masked("\xf4\x8f\xbf\xbf", "\xf4\x8f\xbf\xbf");
    fact("each byte of no character is masked and no other");
    expect_masked("caf\xe9", "caf?");
    expect_masked("gr\xc3\xbcn caf\xe9 \xc3", "gr\xc3\xbcn caf? ?");
    expect_masked("\xe2\x82", "??");
    expect_masked("\xe2\x82x", "??x");
    expect_masked("\xc3\xc3\xbc", "?\xc3\xbc");
    expect_masked("\x80\xbf\xfe\xff", "????");
    fact("longer forms surrogates and what is beyond are none");
    expect_masked("\xc0\xaf \xc1\xbf", "?? ??");
    expect_masked("\xe0\x80\xaf \xe0\x9f\xbf", "??? ???");
    expect_masked("\xf0\x80\x80\xaf", "????");
    expect_masked("\xed\xa0\x80 \xed\xbf\xbf", "??? ???");
    expect_masked("\xf4\x90\x80\x80", "????");
    fact("text in any script stays");
    expect_printable("", "");
    expect_printable("a ~", "a ~");
    expect_printable("gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8 \xc2\xa0",
                     "gr\xc3\xbcn \xe2\x82\xac \xf0\x9f\x90\xb8 \xc2\xa0");
    fact("control characters are masked");
    expect_printable("\033[2J\n\r\t\x7f\x01", "?[2J?????");
    expect_printable("\xc2\x9b"
                     "2J",
                     "??2J");
    fact("marks that turn or end a line are masked and those beside them stay");
    expect_printable("\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069", "??????????????????????????");
    expect_printable("\u061b\u200d\u2010\u2027\u202f\u2065\u206a", "\u061b\u200d\u2010\u2027\u202f\u2065\u206a");
}
