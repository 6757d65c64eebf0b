/* What dead runs leave in an output folder. */

#include <sys/stat.h>

#include "recorded_page.h"
#include "page/folder.h"
#include "test.h"

TEST(temporary_files_are_told_by_their_names)
{
    assert_true(leftovers_has(".it.png.123-0011aaff.tmp"));
    assert_true(leftovers_has(".it.normal.png.1-00000000.tmp"));
    assert_true(leftovers_has(".it.json.99999999-deadbeef.tmp"));
    assert_true(leftovers_has(".it.aseprite.json.5-deadbeef.tmp"));
    assert_true(leftovers_has(".it.tres.5-deadbeef.tmp"));
    assert_true(leftovers_has(".it.sheetbake.5-deadbeef.tmp"));
}

TEST(no_other_file_is_one)
{
    static const char *const others[] = {
        "it.png.123-0011aaff.tmp",
        ".it.png.123-0011aaff",
        ".it.png.123-0011aaf.tmp",
        ".it.png.123-0011aaffa.tmp",
        ".it.png.-0011aaff.tmp",
        ".it.1-0011aaff.tmp",
        "..png.1-0011aaff.tmp.",
        ".1-0011aaff.tmp",
        ".png.1-0011aaff.tmp",
        ".it.png.x1-0011aaf.tmp",
        ".it.png1-0011aaff.tmp",
        ".tmp",
        "",
        ".",
        ".it.png.1-0011aagg.tmp",
        ".it.png.1x-0011aaff.tmp",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (leftovers_has(others[i]))
            fail_msg("'%s' passes for a temporary file", others[i]);
}

static void expect_files(const char *folder, const char *const *names, const char *wanted)
{
    char found[16] = "";
    for (size_t i = 0; names[i]; i++) {
        char *path = path_join(folder, names[i]);
        found[i] = access(path, F_OK) == 0 ? '1' : '0';
        free(path);
    }
    assert_string_equal(found, wanted);
}

TEST(they_are_removed_and_nothing_else)
{
    static const char *const names[] = {"a.png", ".a.png.1-00000000.tmp", "b/c/.d.tres.1-00000000.tmp",
                                        "b/c/d.tmp", NULL};
    char *folder = temp_folder_new();
    for (size_t i = 0; names[i]; i++)
        temp_folder_add(folder, names[i], "x");
    leftovers_remove(folder);
    expect_files(folder, names, "1001");
    temp_folder_free(folder);
}

/* The run was killed when it had just begun to use them. */
TEST(folders_that_they_leave_empty_go_as_well)
{
    static const char *const names[] = {
        "a/b/.it.png.1-00000000.tmp", "a/b", "a", "c/.it.png.1-00000000.tmp", "c/it.png", "d", NULL};
    char *folder = temp_folder_new(), *empty = path_join(folder, "d");
    for (size_t i = 0; i < 5; i++)
        if (strchr(names[i], '.'))
            temp_folder_add(folder, names[i], "x");
    assert_int_equal(mkdir(empty, 0777), 0);
    leftovers_remove(folder);
    expect_files(folder, names, "000011");
    free(empty);
    temp_folder_free(folder);
}

TEST(those_of_an_output_folder_within_are_left_to_its_runs)
{
    static const char *const names[] = {"b/" LOCK_FILE, "b/.a.png.1-00000000.tmp", "b/c/.a.png.1-00000000.tmp",
                                        NULL};
    char *folder = temp_folder_new();
    for (size_t i = 0; names[i]; i++)
        temp_folder_add(folder, names[i], "x");
    leftovers_remove(folder);
    expect_files(folder, names, "111");
    temp_folder_free(folder);
}

/* Another run makes its output folder of one that is just being searched. */
struct coming {
    const char *when, *lock; /* made when the folder of this name is visited */
    struct strings visited;
};

static void come(void *context, const struct folder_listing *folder)
{
    struct coming *coming = context;
    strings_add(&coming->visited, folder->below);
    if (!strcmp(folder->below, coming->when)) {
        FILE *lock = fopen(coming->lock, "w");
        assert_non_null(lock);
        fclose(lock);
    }
}

static void expect_visits(const char *when, size_t count)
{
    char *folder = temp_folder_new(), *lock = path_join(folder, "b/" LOCK_FILE);
    struct coming coming = {.when = when, .lock = lock};
    struct error err;
    temp_folder_add(folder, "b/c/d/it.png", "x");
    assert_int_equal(folder_each(folder, FOLDER_OWN, come, &coming, &err), 0);
    assert_int_equal(coming.visited.count, count);
    strings_release(&coming.visited);
    free(lock);
    temp_folder_free(folder);
}

TEST(nothing_is_found_in_an_output_folder_that_another_run_just_makes)
{
    expect_visits("none", 4);
    expect_visits("", 1);
    expect_visits("b", 2);
    expect_visits("b/c", 3);
}

TEST(no_link_is_followed)
{
    char *folder = temp_folder_new(), *other = temp_folder_new(), *link = path_join(folder, "link");
    static const char *const names[] = {".a.png.1-00000000.tmp", NULL};
    temp_folder_add(other, names[0], "x");
    assert_int_equal(symlink(other, link), 0);
    leftovers_remove(folder);
    expect_files(other, names, "1");
    free(link);
    temp_folder_free(folder);
    temp_folder_free(other);
}

/* A run was killed after it had put the record of "it" aside, to remove its normal pass. */
TEST(files_that_no_record_has_any_more_go_with_theirs)
{
    static const char *const names[] = {"it.png", "it.normal.png", "it.mask.png", ".it.sheetbake.1-00000000.tmp",
                                        NULL};
    char *folder = temp_folder_new();
    for (size_t i = 0; i < 3; i++)
        temp_folder_add(folder, names[i], "x");
    recorded_page(folder, names[3], "it", 0, 1,
                  (const char *const[]){"it.mask.png", "it.normal.png", "it.png", NULL});
    temp_folder_add(folder, "it.mask.png", "y");
    leftovers_remove(folder);
    expect_files(folder, names, "0010");
    temp_folder_free(folder);
}

TEST(files_that_a_record_has_stay)
{
    static const char *const names[] = {"it.png", "it.normal.png", "it.sheetbake", ".it.sheetbake.1-00000000.tmp",
                                        NULL};
    char *folder = temp_folder_new();
    temp_folder_add(folder, names[0], "x");
    temp_folder_add(folder, names[1], "x");
    recorded_page(folder, names[2], "it", 0, 1, (const char *const[]){"it.png", NULL});
    recorded_page(folder, names[3], "it", 0, 1, (const char *const[]){"it.normal.png", "it.png", NULL});
    leftovers_remove(folder);
    expect_files(folder, names, "1010");
    temp_folder_free(folder);
}
