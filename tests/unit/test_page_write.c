/* How the files of a page get their names. The pages are made up; a letter stands for the bytes of a file. */

#include <sys/stat.h>

#include "recorded_page.h"
#include "page/folder.h"
#include "page/folder.h"
#include "page/write.h"
#include "test.h"

static const char *const names[] = {"a/it.png", "a/it.normal.png", "a/it.json", "a/it.sheetbake"};

enum { PICTURE, NORMAL, JSON, RECORD, FILE_COUNT };

struct fixture {
    char *folder;
    char note[1024];
    struct page_writer writer;
    struct strings written;
};

static struct fixture *fixture_new(void)
{
    struct fixture *fixture = must_alloc(1, sizeof *fixture);
    fixture->folder = temp_folder_new();
    fixture->writer = (struct page_writer){
        .folder = fixture->folder,
        .note = fixture->note,
        .note_size = sizeof fixture->note,
    };
    return fixture;
}

static void fixture_free(struct fixture *fixture)
{
    strings_release(&fixture->written);
    temp_folder_free(fixture->folder);
    free(fixture);
}

/* A page of four files, the bytes of each a letter of `bytes`. */
static int write_page(struct fixture *fixture, const char *bytes)
{
    struct page_files files = {
        .items = must_alloc(FILE_COUNT, sizeof *files.items), .count = FILE_COUNT, .picture_count = 2};
    struct error err;
    for (size_t i = 0; i < FILE_COUNT; i++)
        files.items[i] = (struct page_file){.name = must_strdup(names[i]),
                                            .blob = {(uint8_t *)must_strdup((char[]){bytes[i], '\0'}), 1}};
    strings_release(&fixture->written);
    int result = page_write(&fixture->writer, &files, &fixture->written, &err);
    assert_int_equal(fixture->note[0], 0);
    page_files_release(&files);
    return result;
}

static char *path_of(const struct fixture *fixture, size_t file)
{
    return path_join(fixture->folder, names[file]);
}

/* The letters of the files that are there, '-' for others. */
static void expect_bytes(const struct fixture *fixture, const char *wanted)
{
    char found[FILE_COUNT + 1] = "----";
    for (size_t i = 0; i < FILE_COUNT; i++) {
        char *path = path_of(fixture, i);
        struct blob blob;
        struct error err;
        if (file_read(path, 1, &blob, &err) == 0) {
            found[i] = (char)blob.data[0];
            blob_release(&blob);
        }
        free(path);
    }
    assert_string_equal(found, wanted);
}

static struct stat stat_of(const struct fixture *fixture, size_t file)
{
    struct stat info;
    char *path = path_of(fixture, file);
    assert_int_equal(stat(path, &info), 0);
    free(path);
    return info;
}

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Writes `before`, then `after`: a letter of `kept` is '=' for a file that must not be touched. */
static void expect_kept(const char *before, const char *after, const char *kept)
{
    struct fixture *fixture = fixture_new();
    struct stat old[FILE_COUNT];
    assert_int_equal(write_page(fixture, before), 0);
    for (size_t i = 0; i < FILE_COUNT; i++)
        old[i] = stat_of(fixture, i);
    assert_int_equal(write_page(fixture, after), 0);
    expect_bytes(fixture, after);
    for (size_t i = 0; i < FILE_COUNT; i++) {
        struct stat info = stat_of(fixture, i);
        assert_int_equal(is_same_file(&old[i], &info), kept[i] == '=');
    }
    fixture_free(fixture);
}

TEST(a_page_is_written_in_a_folder_of_its_own)
{
    struct fixture *fixture = fixture_new();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    expect_bytes(fixture, "abcd");
    assert_int_equal(fixture->written.count, FILE_COUNT);
    fixture_free(fixture);
}

TEST(files_that_would_not_change_are_not_touched)
{
    expect_kept("abcd", "abcd", "====");
    expect_kept("abcd", "abcD", "===.");
    expect_kept("abcd", "abCD", "==..");
    expect_kept("abcd", "ABCD", "....");
}

TEST(pictures_that_would_not_change_are_not_touched_without_a_record)
{
    struct fixture *fixture = fixture_new();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    const struct stat old = stat_of(fixture, PICTURE);
    char *record = path_of(fixture, RECORD);
    assert_int_equal(unlink(record), 0);
    assert_int_equal(write_page(fixture, "abcd"), 0);
    const struct stat info = stat_of(fixture, PICTURE);
    assert_true(is_same_file(&old, &info));
    expect_bytes(fixture, "abcd");
    free(record);
    fixture_free(fixture);
}

TEST(what_describes_a_picture_is_written_with_it_and_the_record_with_anything)
{
    expect_kept("abcd", "Abcd", ".=..");
    expect_kept("abcd", "aBcd", "=...");
    expect_kept("abcd", "abCd", "==..");
}

TEST(what_was_the_same_is_not_taken_back)
{
    struct fixture *fixture = fixture_new();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    assert_int_equal(write_page(fixture, "abcd"), 0);
    assert_int_equal(fixture->written.count, 0);
    page_unwrite(&fixture->writer, &fixture->written);
    expect_bytes(fixture, "abcd");
    fixture_free(fixture);
}

TEST(a_page_of_which_anything_changed_is_taken_back_whole)
{
    struct fixture *fixture = fixture_new();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    assert_int_equal(write_page(fixture, "abCd"), 0);
    page_unwrite(&fixture->writer, &fixture->written);
    expect_bytes(fixture, "----");
    fixture_free(fixture);
}

/* A folder with something in it cannot be replaced by a file. */
static void block(const struct fixture *fixture, size_t file)
{
    char *path = path_of(fixture, file), *inside = must_printf("%s/in the way", names[file]);
    assert_int_equal(unlink(path), 0);
    temp_folder_add(fixture->folder, inside, "");
    free(inside);
    free(path);
}

TEST(a_page_that_cannot_be_written_leaves_no_description)
{
    struct fixture *fixture = fixture_new();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    block(fixture, NORMAL);
    assert_int_equal(write_page(fixture, "ABCD"), -1);
    expect_bytes(fixture, "A---");
    assert_int_equal(fixture->written.count, 1);
    fixture_free(fixture);
}

TEST(a_record_that_alone_cannot_be_replaced_harms_nothing_else)
{
    struct fixture *fixture = fixture_new();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    block(fixture, RECORD);
    assert_int_equal(write_page(fixture, "abcD"), -1);
    page_unwrite(&fixture->writer, &fixture->written);
    expect_bytes(fixture, "abc-");
    fixture_free(fixture);
}

TEST(durable_writes_the_same)
{
    struct fixture *fixture = fixture_new();
    fixture->writer.durable = true;
    assert_int_equal(write_page(fixture, "abcd"), 0);
    assert_int_equal(write_page(fixture, "AbCd"), 0);
    expect_bytes(fixture, "AbCd");
    fixture_free(fixture);
}

/* -- Files that the page no longer has --------------------------------------------------------------------- */

static bool is_there(const struct fixture *fixture, const char *name)
{
    char *path = path_join(fixture->folder, name);
    bool result = access(path, F_OK) == 0;
    free(path);
    return result;
}

/* A page with a depth pass beside the files of `names`. */
static struct fixture *fixture_with_depth(void)
{
    struct fixture *fixture = fixture_new();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    temp_folder_add(fixture->folder, "a/it.depth.png", "e");
    recorded_page(fixture->folder, "a/it.sheetbake", "a/it", 0, 1,
                  (const char *const[]){"it.depth.png", "it.json", "it.normal.png", "it.png", NULL});
    return fixture;
}

static void count_leftovers(void *count, const struct folder_listing *folder)
{
    *(size_t *)count += folder->leftovers.count;
}

static void expect_no_leftovers(const struct fixture *fixture)
{
    struct error err;
    size_t count = 0;
    assert_int_equal(folder_each(fixture->folder, FOLDER_ALL, count_leftovers, &count, &err), 0);
    assert_int_equal(count, 0);
}

TEST(a_pass_that_is_no_longer_asked_for_goes)
{
    struct fixture *fixture = fixture_with_depth();
    assert_int_equal(write_page(fixture, "Abcd"), 0);
    expect_bytes(fixture, "Abcd");
    assert_false(is_there(fixture, "a/it.depth.png"));
    fixture_free(fixture);
}

TEST(it_goes_where_the_record_alone_changes_too)
{
    struct fixture *fixture = fixture_with_depth();
    assert_int_equal(write_page(fixture, "abcd"), 0);
    expect_bytes(fixture, "abcd");
    assert_false(is_there(fixture, "a/it.depth.png"));
    expect_no_leftovers(fixture);
    fixture_free(fixture);
}

TEST(a_pass_that_somebody_changed_stays)
{
    struct fixture *fixture = fixture_with_depth();
    temp_folder_add(fixture->folder, "a/it.depth.png", "E");
    assert_int_equal(write_page(fixture, "Abcd"), 0);
    assert_true(is_there(fixture, "a/it.depth.png"));
    fixture_free(fixture);
}

TEST(what_fails_leaves_no_temporary_file)
{
    struct fixture *fixture = fixture_with_depth();
    block(fixture, NORMAL);
    assert_int_equal(write_page(fixture, "ABCD"), -1);
    expect_no_leftovers(fixture);
    expect_bytes(fixture, "A---");
    fixture_free(fixture);
}

/* Counts how often it was told of each; nobody may be told that it is over who was not told that it began. */
static void count_holds(void *context, bool hold)
{
    int *counts = context;
    counts[hold]++;
    assert_true(counts[true] >= counts[false]);
}

TEST(the_hold_of_the_last_page_goes_on)
{
    struct fixture *fixture = fixture_new();
    int counts[2] = {0};
    fixture->writer.hold = count_holds;
    fixture->writer.hold_context = counts;
    assert_int_equal(write_page(fixture, "ABCD"), 0);
    assert_true(counts[true] == 1 && counts[false] == 1);
    fixture->writer.is_last = true;
    assert_int_equal(write_page(fixture, "EFGH"), 0);
    assert_true(counts[true] == 2 && counts[false] == 1);
    fixture_free(fixture);
}
