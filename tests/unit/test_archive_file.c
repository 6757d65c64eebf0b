#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>

#include <cmocka.h>

#include "asset/archive_file.h"
#include "temp_folder.h"

enum { SIZE = 100 * 1000 }; /* several buffers, the last one not full */

struct fixture {
    char *folder, *path;
    uint8_t data[SIZE], out[SIZE + 1];
    struct archive_file *file;
};

static int set_up(void **state)
{
    struct fixture *f = must_alloc(1, sizeof *f);
    for (size_t i = 0; i < SIZE; i++)
        f->data[i] = (uint8_t)(i * 2654435761u >> 13);
    f->folder = temp_folder_new();
    f->path = temp_folder_write(f->folder, "data", f->data, SIZE);
    f->file = archive_file_open(f->path);
    *state = f;
    return f->file ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    archive_file_free(f->file);
    temp_folder_free(f->folder);
    free(f->path);
    free(f);
    return 0;
}

static void expect_read(struct fixture *f, struct archive_file *file, size_t size)
{
    uint64_t place = archive_file_place(file);
    memset(f->out, 0, sizeof f->out);
    assert_int_equal(archive_file_read(file, f->out, size), size);
    assert_memory_equal(f->out, f->data + place, size);
    assert_int_equal(archive_file_place(file), place + size);
}

static void expect_read_at(struct fixture *f, uint64_t place, size_t size)
{
    assert_true(archive_file_seek(f->file, place));
    expect_read(f, f->file, size);
}

static void reads_whole_in_pieces_of_any_size(void **state)
{
    struct fixture *f = *state;
    static const size_t sizes[] = {1, 3, 1000, 4096, 32767, 32768, 32769, SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_true(archive_file_seek(f->file, 0));
        for (size_t left = SIZE; left > 0;) {
            size_t size = left < sizes[i] ? left : sizes[i];
            expect_read(f, f->file, size);
            left -= size;
        }
    }
}

static void reads_here_and_there(void **state)
{
    struct fixture *f = *state;
    expect_read_at(f, 50000, 4);
    expect_read_at(f, 49998, 4);
    expect_read_at(f, 50000 + 32768 - 2, 4);
    expect_read_at(f, 0, 2);
    expect_read_at(f, 40000, 32768 + 10);
    expect_read_at(f, 40001, 20);
    expect_read_at(f, SIZE - 1, 1);
}

static void reads_no_further_than_the_end(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(archive_file_size(f->file), SIZE);
    assert_true(archive_file_seek(f->file, SIZE - 3));
    assert_int_equal(archive_file_read(f->file, f->out, 10), 3);
    assert_int_equal(archive_file_read(f->file, f->out, 10), 0);
    assert_true(archive_file_seek(f->file, 0));
    assert_int_equal(archive_file_read(f->file, f->out, SIZE + 1), SIZE);
    assert_memory_equal(f->out, f->data, SIZE);
}

static void seeks_no_further_than_the_end(void **state)
{
    struct fixture *f = *state;
    assert_true(archive_file_seek(f->file, SIZE));
    assert_true(archive_file_seek(f->file, 7));
    assert_false(archive_file_seek(f->file, SIZE + 1));
    assert_false(archive_file_seek(f->file, UINT64_MAX));
    expect_read(f, f->file, 1);
    assert_int_equal(archive_file_place(f->file), 8);
}

static void readers_that_share_a_file_have_their_own_places(void **state)
{
    struct fixture *f = *state;
    expect_read_at(f, 1000, 10);
    struct archive_file *other = archive_file_share(f->file);
    assert_non_null(other);
    expect_read(f, other, 5);
    expect_read(f, f->file, 10);
    expect_read(f, other, 40000);
    archive_file_free(f->file);
    f->file = NULL;
    expect_read(f, other, 5);
    archive_file_free(other);
}

static void file_cut_short_meanwhile_ends_early(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(truncate(f->path, 10), 0);
    assert_int_equal(archive_file_read(f->file, f->out, 100), 10);
    assert_true(archive_file_seek(f->file, 5000));
    assert_int_equal(archive_file_read(f->file, f->out, 100), 0);
    assert_int_equal(archive_file_read(f->file, f->out, SIZE - 5000), 0);
}

static void missing_file_is_an_error(void **state)
{
    struct fixture *f = *state;
    assert_null(archive_file_open("/nowhere/at all"));
    assert_int_equal(errno, ENOENT);
    struct archive_file *folder = archive_file_open(f->folder);
    assert_non_null(folder);
    assert_int_equal(archive_file_read(folder, f->out, 10), -1);
    assert_int_equal(errno, EISDIR);
    archive_file_free(folder);
    archive_file_free(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_whole_in_pieces_of_any_size),
        TEST(reads_here_and_there),
        TEST(reads_no_further_than_the_end),
        TEST(seeks_no_further_than_the_end),
        TEST(readers_that_share_a_file_have_their_own_places),
        TEST(file_cut_short_meanwhile_ends_early),
        TEST(missing_file_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
