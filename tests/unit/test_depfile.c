/* How names are written for make and ninja; tests/cli/depfile.bats asks them. */

#include "run/depfile.h"
#include "temp_folder.h"
#include "test.h"

/* A file that depends on another. */
static void expect(const char *target, const char *path, const char *wanted)
{
    struct strings paths = {0};
    strings_add(&paths, path);
    char *text = depfile_text(target, &paths);
    assert_string_equal(text, wanted);
    free(text);
    strings_release(&paths);
}

TEST(a_name_that_cannot_be_told_is_left_out)
{
    static const char *const names[] = {"a\nb", "a*",  "a?",  "a;b", "a|b",  "a\\b",
                                        "a'b",  "a\"", "a<b", "a&b", "a(1)", "a\tb"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect("out", names[i], "out:\n");
}

TEST(a_name_with_an_equals_sign_is_not_the_first)
{
    struct strings paths = {0};
    strings_add(&paths, "a=b");
    strings_add(&paths, "c");
    char *text = depfile_text("out", &paths);
    assert_string_equal(text, "out: \\\n  c \\\n  a=b\n\nc:\n");
    free(text);
    strings_release(&paths);
}

TEST(targets_and_inputs_are_written_for_make)
{
    fact("a file depends on what is listed");
    expect("out/a", "b/c.md2", "out/a: \\\n  b/c.md2\n\nb/c.md2:\n");
    fact("what means something to them is escaped");
    expect("a b", "c d", "a\\ b: \\\n  c\\ d\n\nc\\ d:\n");
    expect("a", "#b", "a: \\\n  \\#b\n\n\\#b:\n");
    expect("a", "b:c", "a: \\\n  b\\:c\n\nb\\:c:\n");
    expect("a", "$b", "a: \\\n  $$b\n\n$$b:\n");
    fact("what make takes for a variable or a pattern is no target");
    expect("out", "a%b", "out: \\\n  a%b\n");
    expect("out", "a:b%c=d", "out: \\\n  a\\:b%c=d\n");
}
