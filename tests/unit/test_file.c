

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temp_folder.h"
#include "test.h"

struct fixture {
    char *folder, *path, *temporary;
};

static struct fixture fixture_new(void)
{
    struct fixture fixture = {.folder = temp_folder_new()};
    fixture.path = path_join(fixture.folder, "file");
    fixture.temporary = path_join(fixture.folder, ".file.tmp");
    return fixture;
}

static void fixture_release(struct fixture *fixture)
{
    temp_folder_free(fixture->folder);
    free(fixture->path);
    free(fixture->temporary);
}

static int replace(const struct fixture *fixture, const char *text, struct error *err)
{
    struct bytes bytes = {(const uint8_t *)text, strlen(text)};
    return file_stage(fixture->path, fixture->temporary, bytes, err) < 0
               ? -1
               : file_commit(fixture->path, fixture->temporary, err);
}

static void expect_text(const char *path, const char *text)
{
    struct blob blob;
    struct error err;
    assert_int_equal(file_read(path, 1000, &blob, &err), 0);
    assert_int_equal(blob.size, strlen(text));
    assert_memory_equal(blob.data, text, blob.size);
    blob_release(&blob);
}

static void expect_missing(const char *path)
{
    struct stat info;
    assert_int_equal(lstat(path, &info), -1);
}

TEST(a_file_has_its_own_bytes_and_no_others)
{
    enum { SIZE = 200000 };
    char *folder = temp_folder_new(), *text = must_alloc(SIZE, 1),
         *path = temp_folder_write(folder, "a", text, SIZE);
    struct bytes bytes = {(uint8_t *)text, SIZE};
    assert_true(file_has(path, bytes));
    assert_false(file_has(path, (struct bytes){bytes.data, SIZE - 1}));
    text[SIZE - 1] = 1;
    assert_false(file_has(path, bytes));
    assert_false(file_has(folder, (struct bytes){0}));
    free(path);
    free(text);
    temp_folder_free(folder);
}

/* What open gives for a path below the folder: 0, or errno. */
static int open_beneath(const struct fixture *fixture, const char *path)
{
    int folder = open(fixture->folder, O_RDONLY | O_DIRECTORY);
    int fd = file_open_beneath(folder, path, O_RDONLY), reason = fd < 0 ? errno : 0;
    assert_true(folder >= 0);
    close(folder);
    if (fd >= 0)
        close(fd);
    return reason;
}

/* The list of a folder shows no links, but one may come after it was made. */
TEST(what_is_opened_beneath_a_folder_is_reached_through_no_link)
{
    struct fixture fixture = fixture_new();
    char *link = path_join(fixture.folder, "link"), *to_folder = path_join(fixture.folder, "to-b");
    free(temp_folder_write(fixture.folder, "a/b/c", "x", 1));
    assert_int_equal(symlink("a/b/c", link), 0);
    assert_int_equal(symlink("a/b", to_folder), 0);
    assert_int_equal(open_beneath(&fixture, ""), 0);
    assert_int_equal(open_beneath(&fixture, "a/b"), 0);
    assert_int_equal(open_beneath(&fixture, "a/b/c"), 0);
    assert_int_equal(open_beneath(&fixture, "link"), ELOOP);
    assert_int_equal(open_beneath(&fixture, "to-b/c"), ENOTDIR);
    assert_int_equal(open_beneath(&fixture, "a/no/c"), ENOENT);
    free(link);
    free(to_folder);
    fixture_release(&fixture);
}

TEST(files_and_folders_are_synced)
{
    char *folder = temp_folder_new(), *path = temp_folder_write(folder, "a/b/c", "c", 1),
         *above = path_folder(path);
    struct error err = {""};
    assert_int_equal(file_sync(path, &err), 0);
    assert_int_equal(file_sync_folders(above, NULL, &err), 0);
    assert_int_equal(file_sync_folders(above, folder, &err), 0);
    char *with_slashes = must_printf("%s//", folder);
    assert_int_equal(file_sync_folders(above, with_slashes, &err), 0);
    free(with_slashes);
    assert_int_equal(file_sync_folders("relative/and/not/there", NULL, &err), -1);
    free(above);
    free(path);
    temp_folder_free(folder);
}

/* `path` and what it should become, both below the folder, which is without links itself. */
static void check_resolved(const char *folder, const char *path, const char *expected)
{
    char *given = must_printf("%s%s", folder, path), *wanted = must_printf("%s%s", folder, expected);
    char *resolved = path_resolve(given);
    assert_string_equal(resolved, wanted);
    free(resolved);
    free(wanted);
    free(given);
}

TEST(one_place_has_one_resolved_path)
{
    char *folder = temp_folder_new();
    temp_folder_add(folder, "there/file", "");
    char *link = path_join(folder, "link");
    assert_int_equal(symlink("there", link), 0);
    check_resolved(folder, "/there", "/there");
    check_resolved(folder, "/link", "/there");
    check_resolved(folder, "/there/.//../there/", "/there");
    check_resolved(folder, "/link/new", "/there/new");
    check_resolved(folder, "/new/deep", "/new/deep");
    check_resolved(folder, "/new//deep///", "/new/deep");
    check_resolved(folder, "/new/./deep/.", "/new/deep");
    check_resolved(folder, "/new/../link", "/there");
    check_resolved(folder, "/new/deep/../../other", "/other");
    free(link);
    temp_folder_free(folder);
}

TEST(files_are_replaced_whole)
{
    fact("a file is replaced and its temporary is gone");
    struct fixture fixture = fixture_new();
    struct error err;
    assert_int_equal(replace(&fixture, "old and long", &err), 0);
    assert_int_equal(replace(&fixture, "new", &err), 0);
    expect_text(fixture.path, "new");
    expect_missing(fixture.temporary);
    fixture_release(&fixture);
    fact("a file that can be renewed stays as it is until it is");
    fixture = fixture_new();
    assert_int_equal(file_can_renew(fixture.path, &err), 0);
    expect_missing(fixture.path);
    assert_int_equal(file_renew(fixture.path, (struct bytes){(const uint8_t *)"old", 3}, &err), 0);
    assert_int_equal(file_can_renew(fixture.path, &err), 0);
    expect_text(fixture.path, "old");
    assert_int_equal(unlink(fixture.path), 0);
    assert_int_equal(rmdir(fixture.folder), 0); /* nothing else is there */
    fixture_release(&fixture);
    fact("what cannot be renewed is told");
    fixture = fixture_new();
    char *below = path_join(fixture.path, "file");
    assert_int_equal(file_can_renew(below, &err), -1);
    assert_int_equal(file_can_renew("", &err), -1);
    assert_int_equal(file_can_renew(fixture.folder, &err), -1);
    assert_int_equal(file_can_renew("/dev/null", &err), -1);
    assert_int_equal(file_can_renew("/proc/file", &err), -1);
    free(below);
    fixture_release(&fixture);
    fact("a temporary file left behind does not shine through");
    fixture = fixture_new();
    temp_folder_add(fixture.folder, ".file.tmp", "left behind, and longer");
    assert_int_equal(replace(&fixture, "new", &err), 0);
    expect_text(fixture.path, "new");
    expect_missing(fixture.temporary);
    fixture_release(&fixture);
    fact("a link in place of the temporary file leads nowhere");
    fixture = fixture_new();
    char *other = temp_folder_write(fixture.folder, "other", "kept", 4);
    assert_int_equal(symlink(other, fixture.temporary), 0);
    assert_int_equal(replace(&fixture, "new", &err), 0);
    expect_text(fixture.path, "new");
    expect_text(other, "kept");
    free(other);
    fixture_release(&fixture);
    fact("a link is not a file of ours");
    char *folder = temp_folder_new(), *path = temp_folder_write(folder, "a", "a", 1),
         *link = path_join(folder, "b");
    assert_int_equal(symlink("a", link), 0);
    assert_true(file_has(path, (struct bytes){(const uint8_t *)"a", 1}));
    assert_false(file_has(link, (struct bytes){(const uint8_t *)"a", 1}));
    free(link);
    free(path);
    temp_folder_free(folder);
    fact("a file that cannot be replaced stays and nothing else does");
    fixture = fixture_new();
    temp_folder_add(fixture.folder, "file/inside", "kept");
    assert_int_equal(replace(&fixture, "new", &err), -1);
    assert_non_null(strstr(err.text, "/file: cannot rename"));
    expect_missing(fixture.temporary);
    fixture_release(&fixture);
    fact("relative paths resolve from here");
    char here[PATH_MAX];
    assert_non_null(getcwd(here, sizeof here));
    char *resolved = path_resolve("./no such/../folder"), *wanted = must_printf("%s/folder", here);
    assert_string_equal(resolved, wanted);
    free(resolved);
    free(wanted);
    char *root = path_resolve("/..");
    assert_string_equal(root, "/");
    free(root);
}

TEST(paths_of_files_collapse_to_those_of_assets)
{
    static const struct {
        const char *given, *wanted; /* NULL: leaves the top */
    } cases[] = {
        {"models/x/../../tex\\a.png", "tex/a.png"},
        {"./a//b/.", "a/b/"},
        {"a/..", ""},
        {"", ""},
        {"..", NULL},
        {"a/../../b", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *path = must_strdup(cases[i].given);
        assert_int_equal(path_collapse(path), cases[i].wanted != NULL);
        if (cases[i].wanted)
            assert_string_equal(path, cases[i].wanted);
        else
            assert_non_null(strstr(path, ".."));
        free(path);
    }
}

static void check_tidy(const char *given, const char *wanted)
{
    char *tidy = path_tidy(given);
    assert_string_equal(tidy, wanted);
    free(tidy);
}

TEST(a_tidy_path_names_the_same_place)
{
    char *folder = temp_folder_new(), *before = getcwd(NULL, 0);
    temp_folder_add(folder, "a/b/file", "");
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(symlink("a/b", "link"), 0);
    check_tidy("a/../out/x", "out/x");
    check_tidy("a/b/../../out", "out");
    check_tidy("./a/.//b/", "a/b");
    check_tidy("a/..", ".");
    check_tidy("./", ".");
    check_tidy("", "");
    check_tidy("../../x", "../../x");
    check_tidy("link/../x", "link/../x"); /* a/x */
    check_tidy("a/../link/../x", "link/../x");
    check_tidy("nowhere/../x", "x");
    check_tidy("//usr/../..//x", "/../x");
    assert_int_equal(chdir(before), 0);
    free(before);
    temp_folder_free(folder);
}

TEST(file_remove_folder_takes_all_and_follows_no_link)
{
    struct error err;
    struct fixture fixture = fixture_new();
    assert_int_equal(replace(&fixture, "stays", &err), 0);
    setenv("TMPDIR", fixture.folder, 1);
    char *folder;
    assert_int_equal(file_make_temporary(&folder, &err), 0);
    unsetenv("TMPDIR");
    assert_int_equal(strncmp(folder, fixture.folder, strlen(fixture.folder)), 0);
    char *below = path_join(folder, "a/b"), *link = path_join(folder, "a/link"),
         *copy = path_join(folder, "a/b/c");
    assert_int_equal(file_make_folders(below, &err), 0);
    assert_int_equal(symlink(fixture.folder, link), 0);
    assert_int_equal(file_renew(copy, (struct bytes){(const uint8_t *)"goes", 4}, &err), 0);
    file_remove_folder(folder);
    assert_int_equal(access(folder, F_OK), -1);
    expect_text(fixture.path, "stays");
    free(below);
    free(link);
    free(copy);
    free(folder);
    fixture_release(&fixture);
}
