#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"
#include "page/names.h"
#include "test.h"

static void accepts(const char *name)
{
    struct error err = {""};
    if (names_check_path(name, &err) < 0)
        fail_msg("'%s' %s", name, err.text);
}

static void refuses(const char *name, const char *message)
{
    struct error err = {""};
    assert_int_equal(names_check_path(name, &err), -1);
    assert_string_equal(err.text, message);
}

/* "aaa..." in parts of 100, so that only the length of the whole can be wrong. */
static void fill_parts(char *name, size_t length)
{
    for (size_t i = 0; i < length; i++)
        name[i] = i % 101 == 100 ? '/' : 'a';
    name[length] = '\0';
}

TEST(names_can_be_files_of_windows)
{
    for (const char *c = "\\:*?\"<>|"; *c; c++) {
        char name[] = "monsters/orc x2", message[128];
        name[12] = *c;
        snprintf(message, sizeof message, "holds '%c'; Windows and CI artifacts refuse any of \\:*?\"<>|", *c);
        refuses(name, message);
    }
    refuses("orcs./a", "has a part that ends in '.', which Windows refuses");
    refuses("orcs /a", "has a part that starts or ends with a space");
    refuses("a/con", "has the part 'con', which is a device of Windows and cannot be a file there");
    refuses("Nul.old/a", "has the part 'Nul.old', which is a device of Windows and cannot be a file there");
    refuses("COM1", "has the part 'COM1', which is a device of Windows and cannot be a file there");
    refuses("lpt9.x.y", "has the part 'lpt9.x.y', which is a device of Windows and cannot be a file there");
    accepts("cone/com0/com10/lpt/null/a.con/aux-side");
}

TEST(names_have_at_most_512_bytes)
{
    char name[NAME_PATH_LENGTH + 2];
    fill_parts(name, NAME_PATH_LENGTH);
    accepts(name);
    fill_parts(name, NAME_PATH_LENGTH + 1);
    refuses(name, "has 513 bytes, at most 512 are allowed");
}

/* All files of a page, added to `files`. */
static void add_files(struct strings *files, const char *sheet, uint32_t page)
{
    static const char *const suffixes[] = {".json", ".aseprite.json", ".aseprite-hash.json", ".tres",
                                           ".sheetbake"};
    for (unsigned pass = 0; pass < PASS_COUNT; pass++) {
        char *name = names_picture(sheet, page, (enum pass)pass);
        strings_add(files, name);
        free(name);
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char *name = names_page(sheet, page, suffixes[i]);
        strings_add(files, name);
        free(name);
    }
}

/* Names that look like those of other jobs, pages and passes. */
static const char *const words[] = {"1",          "orc",          "orc-1",  "orc.1", "orc.run", "normal",
                                    "orc-normal", "orc.normal.1", "1.png2", "png",   "orc/1",   "orc/orc"};
enum { WORD_COUNT = sizeof words / sizeof *words };

static void add_pages(struct strings *files, const char *job, const char *label)
{
    char *sheet = names_sheet(job, label);
    for (uint32_t page = 0; page < 3; page++)
        add_files(files, sheet, page);
    free(sheet);
}

/* A list of these jobs; those of the set `split` have a sheet for each label. */
static void expect_different_files(unsigned split)
{
    struct strings files = {0};
    for (size_t job = 0; job < WORD_COUNT; job++) {
        accepts(words[job]);
        if (!(split >> job & 1))
            add_pages(&files, words[job], NULL);
        for (size_t label = 0; split >> job & 1 && label < WORD_COUNT; label++)
            if (!strchr(words[label], '/'))
                add_pages(&files, words[job], words[label]);
    }
    strings_sort(&files);
    for (size_t i = 1; i < files.count; i++)
        assert_string_not_equal(files.items[i - 1], files.items[i]);
    strings_release(&files);
}

TEST(no_two_files_have_one_name)
{
    for (unsigned split = 0; split < 1u << WORD_COUNT; split += 273)
        expect_different_files(split);
}

TEST(names_are_checked)
{
    fact("names may be in any script");
    accepts("orc");
    accepts("monsters/orc 2/run.fast");
    accepts("sch\xC3\xB6n");                      /* two bytes */
    accepts("\xE9\xBE\x8D/\xEF\xBF\xBD");         /* three */
    accepts("\xF0\x9F\x90\x89/\xF4\x8F\xBF\xBF"); /* four, and the last character there is */
    fact("names are utf8");
    refuses("sch\xF6n", "is not UTF-8 text");
    refuses("a\x80", "is not UTF-8 text"); /* a second byte without a first */
    refuses("a\xC3", "is not UTF-8 text"); /* cut off */
    refuses("\xE9\xBE", "is not UTF-8 text");
    refuses("\xE9\xBEz", "is not UTF-8 text");
    refuses("\xC0\xAF", "is not UTF-8 text"); /* '/', the long way */
    refuses("\xE0\x80\xAF", "is not UTF-8 text");
    refuses("\xF0\x80\x80\xAF", "is not UTF-8 text");
    refuses("\xED\xA0\x80", "is not UTF-8 text");     /* half of a surrogate pair */
    refuses("\xF4\x90\x80\x80", "is not UTF-8 text"); /* past the last */
    refuses("\xFF", "is not UTF-8 text");
    fact("names hold no control characters");
    refuses("a\nb", "holds the control character U+000A");
    refuses("a\x7F", "holds the control character U+007F");
    refuses("a\xC2\x85", "holds the control character U+0085");
    accepts("a\xC2\xA0z");
    fact("nor line breaks of YAML");
    refuses("a\u2028b", "holds the line break U+2028");
    refuses("a/\u2029", "holds the line break U+2029");
    accepts("\u2027\u202A");
    fact("names leave room for what follows in file names");
    refuses("orc@2", "holds '@', which separates clip, camera and page in file names");
    refuses("orc.normal", "has a part that ends like an output file, 'orc.normal'");
    refuses("orcs/Orc.Depth", "has a part that ends like an output file, 'Orc.Depth'");
    refuses("orc.aseprite", "has a part that ends like an output file, 'orc.aseprite'");
    refuses("orc.Aseprite-Hash", "has a part that ends like an output file, 'orc.Aseprite-Hash'");
    refuses("orc.png/a", "has a part that ends like an output file, 'orc.png'");
    refuses("orc.x.tres/a", "has a part that ends like an output file, 'orc.x.tres'");
    accepts("orc.color/orc.normals/orc.normal.2/normal/orc.ase/orc-1/orc.p");
    fact("a file tells its page and a page its job");
    assert_true(names_is_page_of("a/orc", "a/orc"));
    assert_true(names_is_page_of("a/orc@run@1", "a/orc"));
    assert_false(names_is_page_of("a/orc-1", "a/orc"));
    assert_false(names_is_page_of("a/orc.x", "a/orc"));
    assert_false(names_is_page_of("a/orc@run/1", "a/orc"));
    assert_false(names_is_page_of("a/or", "a/orc"));
    assert_true(names_is_file_of("orc.normal.png", "orc"));
    assert_true(names_is_file_of("orc@1.png", "orc@1"));
    assert_false(names_is_file_of("orc@1.png", "orc"));
    assert_false(names_is_file_of("orc", "orc"));
    assert_false(names_is_file_of("orc-1.png", "orc"));
}
