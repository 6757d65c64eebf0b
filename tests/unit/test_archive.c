/* Archives as no good program writes them. Common ones are tested with the assets, in test_assets.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asset/archive.h"
#include "asset/assets.h"
#include "temp_folder.h"

enum { LIMIT = 1000 };

/* A zip file as it grows, and the list that comes after its members. */
struct zip {
    struct blob file, list;
    size_t file_capacity, list_capacity, count;
};

static void put(struct blob *blob, size_t *capacity, const void *data, size_t size)
{
    while (blob->size + size > *capacity) {
        *capacity = 2 * *capacity + 1024;
        blob->data = must_realloc(blob->data, *capacity, 1);
    }
    if (size > 0)
        memcpy(blob->data + blob->size, data, size);
    blob->size += size;
}

static void put_number(struct blob *blob, size_t *capacity, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++, number >>= 8)
        put(blob, capacity, &(uint8_t){(uint8_t)number}, 1);
}

static void put_in_file(struct zip *zip, uint64_t number, size_t size)
{
    put_number(&zip->file, &zip->file_capacity, number, size);
}

static void put_in_list(struct zip *zip, uint64_t number, size_t size)
{
    put_number(&zip->list, &zip->list_capacity, number, size);
}

struct record {
    const char *name, *extra;
    size_t name_size, extra_size; /* name_size: of the name, when not 0 */
    uint16_t flags, method;
    uint32_t crc, packed_size, size, mode, start;
};

static void list_member(struct zip *zip, const struct record *record)
{
    size_t name_size = record->name_size ? record->name_size : strlen(record->name);
    put(&zip->list, &zip->list_capacity, "PK\1\2\24\0\24\0", 8);
    put_in_list(zip, record->flags, 2);
    put_in_list(zip, record->method, 2);
    put_in_list(zip, 0, 4);
    put_in_list(zip, record->crc, 4);
    put_in_list(zip, record->packed_size, 4);
    put_in_list(zip, record->size, 4);
    put_in_list(zip, name_size, 2);
    put_in_list(zip, record->extra_size, 2);
    put_in_list(zip, 0, 8);
    put_in_list(zip, record->mode, 2);
    put_in_list(zip, record->start, 4);
    put(&zip->list, &zip->list_capacity, record->name, name_size);
    put(&zip->list, &zip->list_capacity, record->extra, record->extra_size);
    zip->count++;
}

/* A local header and the bytes, which may be packed already. Returns where it begins. */
static uint32_t put_bytes(struct zip *zip, const void *data, size_t size)
{
    uint32_t start = (uint32_t)zip->file.size;
    put(&zip->file, &zip->file_capacity, "PK\3\4", 4);
    put_in_file(zip, 0, 22);
    put_in_file(zip, 0, 4); /* no name, no extra fields */
    put(&zip->file, &zip->file_capacity, data, size);
    return start;
}

static struct record text_record(struct zip *zip, const char *name, const char *text)
{
    uint32_t size = (uint32_t)strlen(text);
    return (struct record){.name = name,
                           .crc = libdeflate_crc32(0, text, size),
                           .packed_size = size,
                           .size = size,
                           .start = put_bytes(zip, text, size)};
}

static void add_text(struct zip *zip, const char *name, const char *text)
{
    struct record record = text_record(zip, name, text);
    list_member(zip, &record);
}

static void end_zip(struct zip *zip, bool is_zip64, const char *comment)
{
    size_t start = zip->file.size, size = zip->list.size;
    put(&zip->file, &zip->file_capacity, zip->list.data, size);
    size_t end = zip->file.size;
    if (is_zip64) {
        put(&zip->file, &zip->file_capacity, "PK\6\6", 4);
        put_in_file(zip, 44, 8);
        put_in_file(zip, 45, 2);
        put_in_file(zip, 45, 2);
        put_in_file(zip, 0, 8);
        put_in_file(zip, zip->count, 8);
        put_in_file(zip, zip->count, 8);
        put_in_file(zip, size, 8);
        put_in_file(zip, start, 8);
        put(&zip->file, &zip->file_capacity, "PK\6\7", 4);
        put_in_file(zip, 0, 4);
        put_in_file(zip, end, 8);
        put_in_file(zip, 1, 4);
    }
    put(&zip->file, &zip->file_capacity, "PK\5\6", 4);
    put_in_file(zip, 0, 4);
    put_in_file(zip, is_zip64 ? UINT16_MAX : zip->count, 2);
    put_in_file(zip, is_zip64 ? UINT16_MAX : zip->count, 2);
    put_in_file(zip, size, 4);
    put_in_file(zip, is_zip64 ? UINT32_MAX : start, 4);
    put_in_file(zip, strlen(comment), 2);
    put(&zip->file, &zip->file_capacity, comment, strlen(comment));
}

struct fixture {
    char *folder, *path;
    struct zip zip;
    struct archive *archive;
};

static int set_up(void **state)
{
    struct fixture *f = must_alloc(1, sizeof *f);
    f->folder = temp_folder_new();
    f->path = path_join(f->folder, "archive");
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    archive_free(f->archive);
    blob_release(&f->zip.file);
    blob_release(&f->zip.list);
    temp_folder_free(f->folder);
    free(f->path);
    free(f);
    return 0;
}

/* The archive without its first bytes; `skip` may also be SIZE_MAX for one byte more, in front. */
static int open_from(struct fixture *f, size_t skip, struct error *err)
{
    archive_free(f->archive);
    f->archive = NULL;
    free(temp_folder_write(f->folder, "archive", f->zip.file.data + skip, f->zip.file.size - skip));
    return archive_open(f->path, &f->archive, err);
}

static void open_zip(struct fixture *f)
{
    struct error err = {""};
    if (open_from(f, 0, &err) < 0)
        fail_msg("%s", err.text);
}

static void expect_refused(struct fixture *f, size_t skip, const char *message)
{
    struct error err = {""};
    assert_int_equal(open_from(f, skip, &err), -1);
    assert_string_equal(err.text, message);
}

static const struct member *find(struct fixture *f, const char *path)
{
    size_t count;
    const struct member *members = archive_members(f->archive, &count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(members[i].path, path))
            return &members[i];
    fail_msg("%s is not found", path);
    return NULL;
}

static void expect_count(struct fixture *f, size_t expected)
{
    size_t count;
    archive_members(f->archive, &count);
    assert_int_equal(count, expected);
}

static void expect_text(struct fixture *f, const char *path, const char *text)
{
    struct blob blob;
    struct error err = {""};
    if (archive_read(f->archive, find(f, path), LIMIT, &blob, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(blob.size, strlen(text));
    assert_memory_equal(blob.data, text, blob.size);
    blob_release(&blob);
}

static void expect_unreadable(struct fixture *f, const char *path, const char *message)
{
    struct blob blob;
    struct error err = {""};
    assert_int_equal(archive_read(f->archive, find(f, path), LIMIT, &blob, &err), -1);
    assert_string_equal(err.text, message);
}

/* A zip of one member that is as the record says. */
static void open_record(struct fixture *f, struct record record)
{
    record.name = "a";
    list_member(&f->zip, &record);
    end_zip(&f->zip, false, "");
    open_zip(f);
}

/* -- Lists ------------------------------------------------------------------------------------------------- */

static void list_many(struct zip *zip, size_t count)
{
    put_bytes(zip, "", 0);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu", i);
        list_member(zip, &(struct record){.name = name});
    }
}

static void zip64_is_read(void **state)
{
    struct fixture *f = *state;
    list_many(&f->zip, 65540);
    end_zip(&f->zip, true, "");
    open_zip(f);
    expect_count(f, 65540);
    expect_text(f, "65539", "");
}

static void number_of_members_may_have_wrapped(void **state)
{
    struct fixture *f = *state;
    list_many(&f->zip, 65540);
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 65540);
}

/* As a copy in text mode makes them. PhysFS, which we used once, ended the program. */
static void zip64_without_its_first_bytes_is_damaged(void **state)
{
    struct fixture *f = *state;
    list_many(&f->zip, 65540);
    end_zip(&f->zip, true, "");
    expect_refused(
        f, 10,
        "it was cut short, or is damaged: its list of files has 3331430 bytes from byte 30 on, and should "
        "end at byte 3331450");
}

static void other_bytes_may_come_first(void **state)
{
    struct fixture *f = *state;
    for (int is_zip64 = 0; is_zip64 < 2; is_zip64++) {
        struct zip zip = {0};
        size_t junk = 0;
        add_text(&zip, "a", "text");
        end_zip(&zip, is_zip64, "");
        f->zip.file.size = 0;
        put(&f->zip.file, &f->zip.file_capacity, "#!/bin/sh PK\5\6", 14);
        junk = f->zip.file.size;
        put(&f->zip.file, &f->zip.file_capacity, zip.file.data, zip.file.size);
        blob_release(&zip.file);
        blob_release(&zip.list);
        open_zip(f);
        expect_text(f, "a", "text");
        assert_int_equal(find(f, "a")->start, junk);
    }
}

static void comments_may_hold_anything(void **state)
{
    struct fixture *f = *state;
    add_text(&f->zip, "a", "text");
    end_zip(&f->zip, false, "a PK\5\6 that is no end, for 22 bytes come with it, and 46 with a PK\1\2");
    open_zip(f);
    expect_text(f, "a", "text");
}

static void archives_without_members_are_read(void **state)
{
    struct fixture *f = *state;
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 0);
}

static void wrong_numbers_of_members_are_damage(void **state)
{
    struct fixture *f = *state;
    add_text(&f->zip, "a", "text");
    f->zip.count = 7;
    end_zip(&f->zip, false, "");
    expect_refused(f, 0, "it was cut short, or is damaged: it lists 1 files, and should list 7");
}

static void lists_hold_nothing_but_members(void **state)
{
    struct fixture *f = *state;
    add_text(&f->zip, "a", "text");
    f->zip.list.data[2] = 7;
    end_zip(&f->zip, false, "");
    expect_refused(f, 0, "it was cut short, or is damaged: no member is listed at byte 34");
}

static void members_end_within_the_list(void **state)
{
    struct fixture *f = *state;
    add_text(&f->zip, "a", "text");
    f->zip.list.data[28] = 2; /* the length of the name */
    end_zip(&f->zip, false, "");
    expect_refused(
        f, 0,
        "it was cut short, or is damaged: the member listed at byte 34 runs past the end of the list at byte "
        "81");
}

static void absurd_numbers_of_a_pak_are_named(void **state)
{
    struct fixture *f = *state;
    put(&f->zip.file, &f->zip.file_capacity, "PACK", 4);
    put_in_file(&f->zip, 12, 4);
    put_in_file(&f->zip, 0xfffffff0, 4);
    expect_refused(
        f, 0, "it was cut short, or is damaged: its list of files has 4294967280 bytes from byte 12 of 12 on");
}

static void last_of_the_same_path_counts(void **state)
{
    struct fixture *f = *state;
    add_text(&f->zip, "a", "first");
    add_text(&f->zip, "b", "other");
    add_text(&f->zip, "a", "second");
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 2);
    expect_text(f, "a", "second");
}

static void names_that_no_path_means_are_left_out(void **state)
{
    static const char *const names[] = {"",    "/",   "/a", "a/",     "a\\",  "a//b",
                                        "./a", "a/.", "..", "a/../b", "c:/a", "a:b"};
    struct fixture *f = *state;
    static char name[PATH_LIMIT + 1];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        add_text(&f->zip, names[i], "x");
    list_member(&f->zip, &(struct record){.name = "a\0b", .name_size = 3});
    memset(name, 'a', PATH_LIMIT);
    add_text(&f->zip, name, "x");

    name[PATH_LIMIT - 1] = '\0';
    add_text(&f->zip, name, "as long as it may be");
    add_text(&f->zip, "..a\\b...\\.c", "x");
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 2);
    expect_text(f, "..a/b.../.c", "x");
    expect_text(f, name, "as long as it may be");
}

/* 250 members, each in 400 folders of its own: as many as there may be. */
static void list_folders(struct zip *zip)
{
    char name[3 + 2 * 400 + 1] = "";
    put_bytes(zip, "", 0);
    for (size_t i = 0; i < 400; i++)
        memcpy(name + 3 + 2 * i, "/a", 2);
    for (size_t i = 0; i < 250; i++) {
        for (size_t digit = 0, rest = i; digit < 3; digit++, rest /= 10)
            name[digit] = (char)('0' + rest % 10);
        list_member(zip, &(struct record){.name = name});
    }
}

static void folders_are_limited(void **state)
{
    struct fixture *f = *state;
    list_folders(&f->zip);
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 250);
}

static void too_many_folders_are_refused(void **state)
{
    struct fixture *f = *state;
    list_folders(&f->zip);
    list_member(&f->zip, &(struct record){.name = "000/b/a"});
    end_zip(&f->zip, false, "");
    expect_refused(f, 0, "100001 folders, at most 100000 are allowed");
}

/* -- Members ----------------------------------------------------------------------------------------------- */

static void wrong_checksums_are_damage(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.crc = 1;
    open_record(f, record);
    expect_unreadable(f, "a", "it was cut short, or is damaged: its checksum is 3b8ba7c7, and should be 00000001");
}

static void encrypted_members_are_named(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.flags = 1;
    open_record(f, record);
    expect_unreadable(f, "a", "it is encrypted, which is not supported");
}

static void methods_other_than_deflate_are_named(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.method = 12;
    open_record(f, record);
    expect_unreadable(f, "a", "it is packed by method 12, supported are 0 (stored) and 8 (deflate)");
}

static void stored_members_have_one_size(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.size = 5;
    open_record(f, record);
    expect_unreadable(f, "a", "it was cut short, or is damaged: 4 bytes that are not packed claim to be 5");
}

static void members_end_within_the_file(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.size = record.packed_size = 900;
    open_record(f, record);
    expect_unreadable(f, "a", "it was cut short, or is damaged: it has 900 bytes from byte 30 of 103 on");
}

static void members_begin_within_the_file(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.start = 0xfffffff0;
    open_record(f, record);
    expect_unreadable(f, "a",
                      "it was cut short, or is damaged: 30 bytes are to be read at byte 4294967280 of 103");
}

static void packed_nonsense_is_damage(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "\xff\xff\xff\xff");
    record.method = 8;
    open_record(f, record);
    expect_unreadable(f, "a", "it was cut short, or is damaged: its 4 packed bytes cannot be unpacked");
}

static void members_that_hold_more_than_they_claim_are_damaged(void **state)
{
    struct fixture *f = *state;
    struct record record = {.name = "a", .method = 8, .packed_size = 9, .size = 3};
    record.start = put_bytes(&f->zip, "\1\4\0\xfb\xfftext", 9); /* a block that is not packed */
    open_record(f, record);
    expect_unreadable(f, "a", "it was cut short, or is damaged: it unpacks to more bytes than the 3 it claims");
}

static void members_past_the_limit_are_refused(void **state)
{
    struct fixture *f = *state;
    struct record record = {.method = 8, .packed_size = LIMIT + 1, .size = 1};
    open_record(f, record);
    expect_unreadable(f, "a", "1001 bytes, at most 1000 are allowed");
}

/* Sizes and starts past 32 bits stand in an extra field, behind others. */
static void zip64_fields_are_read(void **state)
{
    static const uint8_t extra[] = {0x55, 0x54, 1,  0, 9,                      /* another one */
                                    1,    0,    16, 0, 4, 0, 0, 0, 0, 0, 0, 0, /* size, packed size */
                                    4,    0,    0,  0, 0, 0, 0, 0};
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.size = record.packed_size = UINT32_MAX;
    record.extra = (const char *)extra;
    record.extra_size = sizeof extra;
    open_record(f, record);
    expect_text(f, "a", "text");
}

static void zip64_fields_that_break_off_leave_what_was_there(void **state)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.size = UINT32_MAX;
    record.extra = "\1\0\10\0\4\0\0";
    record.extra_size = 7;
    open_record(f, record);
    expect_unreadable(f, "a", "4294967295 bytes, at most 1000 are allowed");
}

static void archive_that_is_cut_short_while_open_is_damaged(void **state)
{
    struct fixture *f = *state;
    open_record(f, text_record(&f->zip, "a", "text"));
    assert_int_equal(truncate(f->path, 32), 0);
    expect_unreadable(f, "a",
                      "it was cut short, or is damaged: it ends at byte 32, and had 103 bytes when it was opened");
}

/* -- Time -------------------------------------------------------------------------------------------------- */

/* Names of 17 pairs, each one of two: all have one hash where hashes are made by times 33 and add, and but for the
 * case of their letters they are one name, where the pairs are. */
static void list_alike(struct zip *zip, size_t count, const char *one, const char *other)
{
    put_bytes(zip, "", 0);
    for (size_t i = 0; i < count; i++) {
        char name[64] = "";
        for (size_t bit = 0; bit < 17; bit++)
            memcpy(name + 2 * bit, i >> bit & 1 ? one : other, 2);
        list_member(zip, &(struct record){.name = name});
    }
}

/* Opens it, lists all and looks for each, as a list with a pattern does: a quadratic step would take a minute. */
static void expect_quick(struct fixture *f)
{
    enum { MOST_SECONDS = 20 };
    const char *const roots[] = {f->path};
    struct assets *assets;
    struct strings found = {0};
    struct error err = {""};
    clock_t start = clock();
    end_zip(&f->zip, true, "");
    free(temp_folder_write(f->folder, "archive", f->zip.file.data, f->zip.file.size));
    assert_int_equal(assets_open(roots, 1, &assets, &err), 0);
    assert_int_equal(assets_glob(assets, "**", &found, &err), 0);
    assert_int_equal(found.count, f->zip.count);
    for (size_t i = 0; i < found.count; i++)
        assert_string_equal(assets_find(assets, found.items[i]), found.items[i]);
    assert_true(clock() - start < (clock_t)MOST_SECONDS * CLOCKS_PER_SEC);
    strings_release(&found);
    assets_close(assets);
}

static void names_of_one_hash_take_no_longer(void **state)
{
    struct fixture *f = *state;
    list_alike(&f->zip, 120000, "Ez", "FY");
    expect_quick(f);
}

static void spellings_of_one_name_take_no_longer(void **state)
{
    struct fixture *f = *state;
    list_alike(&f->zip, 120000, "ab", "aB");
    expect_quick(f);
}

static void folders_in_folders_take_no_longer(void **state)
{
    struct fixture *f = *state;
    put_bytes(&f->zip, "", 0);
    for (int i = 0; i < 3000; i++) {
        char name[1000];
        int length = snprintf(name, sizeof name, "%d", i);
        for (int depth = 0; depth < 31; depth++)
            length += snprintf(name + length, sizeof name - (size_t)length, "/some-folder-name");
        list_member(&f->zip, &(struct record){.name = name});
    }
    expect_quick(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(zip64_is_read),
        TEST(number_of_members_may_have_wrapped),
        TEST(folders_are_limited),
        TEST(too_many_folders_are_refused),
        TEST(zip64_without_its_first_bytes_is_damaged),
        TEST(other_bytes_may_come_first),
        TEST(comments_may_hold_anything),
        TEST(archives_without_members_are_read),
        TEST(wrong_numbers_of_members_are_damage),
        TEST(lists_hold_nothing_but_members),
        TEST(members_end_within_the_list),
        TEST(absurd_numbers_of_a_pak_are_named),
        TEST(last_of_the_same_path_counts),
        TEST(names_that_no_path_means_are_left_out),
        TEST(wrong_checksums_are_damage),
        TEST(encrypted_members_are_named),
        TEST(methods_other_than_deflate_are_named),
        TEST(stored_members_have_one_size),
        TEST(members_end_within_the_file),
        TEST(members_begin_within_the_file),
        TEST(packed_nonsense_is_damage),
        TEST(members_that_hold_more_than_they_claim_are_damaged),
        TEST(members_past_the_limit_are_refused),
        TEST(zip64_fields_are_read),
        TEST(zip64_fields_that_break_off_leave_what_was_there),
        TEST(archive_that_is_cut_short_while_open_is_damaged),
        TEST(names_of_one_hash_take_no_longer),
        TEST(spellings_of_one_name_take_no_longer),
        TEST(folders_in_folders_take_no_longer),
    };
    return cmocka_run_group_tests_name("archive", tests, NULL, NULL);
}
