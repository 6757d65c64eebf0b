/* Archives as no good program writes them. Common ones are tested with the assets, in test_assets.c. */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "asset/archive.h"
#include "asset/assets.h"
#include "temp_folder.h"
#include "zip_builder.h"
#include "test.h"

enum { LIMIT = 1000 };

#define DAMAGED "it was cut short, or is damaged: "

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

/* Each fact of a test has a fixture of its own. */
static struct fixture *begin(void **state, const char *what)
{
    fact(what);
    tear_down(state);
    set_up(state);
    return *state;
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
    char packed[HASH_SIZE];
    struct error err = {""};
    if (archive_read(f->archive, find(f, path), LIMIT, &blob, packed, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(blob.size, strlen(text));
    assert_memory_equal(blob.data, text, blob.size);
    blob_release(&blob);
}

static void expect_unreadable(struct fixture *f, const char *path, const char *message)
{
    struct blob blob;
    char packed[HASH_SIZE];
    struct error err = {""};
    assert_int_equal(archive_read(f->archive, find(f, path), LIMIT, &blob, packed, &err), -1);
    assert_string_equal(err.text, message);
}

static void empty_zip(struct zip *zip)
{
    zip->file.size = zip->list.size = zip->count = 0;
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

TEST_WITH(other_bytes_may_come_first, set_up, tear_down)
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

TEST_WITH(lists_that_are_wrong_are_damage, set_up, tear_down)
{
    static const struct {
        size_t count, at; /* of members, as the archive says; a byte of the list */
        uint8_t value;
        const char *message;
    } wrong[] = {
        {7, 0, 'P', "it lists 1 files, and should list 7"},
        {1, 2, 7, "no member is listed at byte 34"},
        {1, 28, 2,
         "the member listed at byte 34 runs past the end of the list at byte 81"}, /* its name is longer */
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char message[128];
        empty_zip(&f->zip);
        add_text(&f->zip, "a", "text");
        f->zip.count = wrong[i].count;
        f->zip.list.data[wrong[i].at] = wrong[i].value;
        end_zip(&f->zip, false, "");
        snprintf(message, sizeof message, DAMAGED "%s", wrong[i].message);
        expect_refused(f, 0, message);
    }
}

TEST_WITH(names_that_no_path_means_are_left_out, set_up, tear_down)
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

TEST_WITH(lists_of_members_are_read, set_up, tear_down)
{
    struct fixture *f = begin(state, "zip64 is read");
    list_many(&f->zip, 65540);
    end_zip(&f->zip, true, "");
    open_zip(f);
    expect_count(f, 65540);
    expect_text(f, "65539", "");
    f = begin(state, "number of members may have wrapped");
    list_many(&f->zip, 65540);
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 65540);
    /* As a copy in text mode makes them. PhysFS, which we used once, ended the program. */
    f = begin(state, "zip64 without its first bytes is damaged");
    list_many(&f->zip, 65540);
    end_zip(&f->zip, true, "");
    expect_refused(f, 10,
                   DAMAGED "its list of files has 3331430 bytes from byte 30 on, and should "
                           "end at byte 3331450");
    f = begin(state, "comments may hold anything");
    add_text(&f->zip, "a", "text");
    end_zip(&f->zip, false, "a PK\5\6 that is no end, for 22 bytes come with it, and 46 with a PK\1\2");
    open_zip(f);
    expect_text(f, "a", "text");
    f = begin(state, "archives without members are read");
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 0);
    f = begin(state, "absurd numbers of a pak are named");
    put(&f->zip.file, &f->zip.file_capacity, "PACK", 4);
    put_in_file(&f->zip, 12, 4);
    put_in_file(&f->zip, 0xfffffff0, 4);
    expect_refused(f, 0, DAMAGED "its list of files has 4294967280 bytes from byte 12 of 12 on");
    f = begin(state, "last of the same path counts");
    add_text(&f->zip, "a", "first");
    add_text(&f->zip, "b", "other");
    add_text(&f->zip, "a", "second");
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 2);
    expect_text(f, "a", "second");
    f = begin(state, "folders are limited");
    list_folders(&f->zip);
    end_zip(&f->zip, false, "");
    open_zip(f);
    expect_count(f, 250);
    f = begin(state, "too many folders are refused");
    list_folders(&f->zip);
    list_member(&f->zip, &(struct record){.name = "000/b/a"});
    end_zip(&f->zip, false, "");
    expect_refused(f, 0, "100001 folders, at most 100000 are allowed");
}

/* -- Members ----------------------------------------------------------------------------------------------- */

TEST_WITH(members_that_are_wrong_say_what_is_wrong, set_up, tear_down)
{
    static const struct {
        const char *text;
        struct record record; /* what is not 0 is in the place of the text's own */
        const char *message;
    } wrong[] = {
        {"text", {.crc = 1}, DAMAGED "its checksum is 3b8ba7c7, and should be 00000001"},
        {"text", {.flags = 1}, "it is encrypted, which is not supported"},
        {"text", {.method = 12}, "it is packed by method 12, supported are 0 (stored) and 8 (deflate)"},
        {"text", {.size = 5}, DAMAGED "4 bytes that are not packed claim to be 5"},
        {"text", {.size = 900, .packed_size = 900}, DAMAGED "it has 900 bytes from byte 30 of 103 on"},
        {"text", {.start = 0xfffffff0}, DAMAGED "30 bytes are to be read at byte 4294967280 of 103"},
        {"\xff\xff\xff\xff", {.method = 8}, DAMAGED "its 4 packed bytes cannot be unpacked"},
        {"text", {.method = 8, .packed_size = LIMIT + 1}, "1001 bytes, at most 1000 are allowed"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const struct record *change = &wrong[i].record;
        empty_zip(&f->zip);
        struct record record = text_record(&f->zip, "a", wrong[i].text);
        record.flags = change->flags;
        record.method = change->method;
        record.crc = change->crc ? change->crc : record.crc;
        record.packed_size = change->packed_size ? change->packed_size : record.packed_size;
        record.size = change->size ? change->size : record.size;
        record.start = change->start ? change->start : record.start;
        open_record(f, record);
        expect_unreadable(f, "a", wrong[i].message);
    }
}

TEST_WITH(members_that_hold_more_than_they_claim_are_damaged, set_up, tear_down)
{
    struct fixture *f = *state;
    struct record record = {.name = "a", .method = 8, .packed_size = 9, .size = 3};
    record.start = put_bytes(&f->zip, "\1\4\0\xfb\xfftext", 9); /* a block that is not packed */
    open_record(f, record);
    expect_unreadable(f, "a", DAMAGED "it unpacks to more bytes than the 3 it claims");
}

TEST_WITH(members_packed_alike_have_the_same_hash, set_up, tear_down)
{
    /* Blocks that are not packed: the second ends with another one, that is empty. The fifth is stored. */
    static const struct {
        const char *bytes;
        uint16_t packed_size, size, method;
        uint32_t crc;
    } members[] = {
        {"\1\4\0\xfb\xfftext", 9, 4, 8, 1},
        {"\0\4\0\xfb\xfftext\1\0\0\xff\xff", 14, 4, 8, 1},
        {"\1\4\0\xfb\xfftext", 9, 5, 8, 1},
        {"\1\4\0\xfb\xfftext", 9, 4, 8, 2},
        {"text", 4, 4, 0, 1},
        {"\1\4\0\xfb\xfftext", 9, 4, 8, 1},
    };
    enum { COUNT = sizeof members / sizeof *members };
    struct fixture *f = *state;
    char names[COUNT][2], hashes[COUNT][HASH_SIZE];
    struct error err;
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "%d", i);
        list_member(&f->zip,
                    &(struct record){.name = names[i],
                                     .method = members[i].method,
                                     .crc = members[i].crc,
                                     .packed_size = members[i].packed_size,
                                     .size = members[i].size,
                                     .start = put_bytes(&f->zip, members[i].bytes, members[i].packed_size)});
    }
    end_zip(&f->zip, false, "");
    open_zip(f);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(archive_hash_packed(f->archive, find(f, names[i]), LIMIT, hashes[i], &err), 0);
    for (int i = 1; i < 4; i++)
        for (int j = 0; j < i; j++)
            assert_string_not_equal(hashes[i], hashes[j]);
    assert_string_equal(hashes[4], "");
    assert_string_equal(hashes[5], hashes[0]);
}

/* Sizes and starts past 32 bits stand in an extra field, behind others. */
TEST_WITH(zip64_fields_are_read, set_up, tear_down)
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

TEST_WITH(zip64_fields_that_break_off_leave_what_was_there, set_up, tear_down)
{
    struct fixture *f = *state;
    struct record record = text_record(&f->zip, "a", "text");
    record.size = UINT32_MAX;
    record.extra = "\1\0\10\0\4\0\0";
    record.extra_size = 7;
    open_record(f, record);
    expect_unreadable(f, "a", "4294967295 bytes, at most 1000 are allowed");
}

TEST_WITH(archive_that_is_cut_short_while_open_is_damaged, set_up, tear_down)
{
    struct fixture *f = *state;
    open_record(f, text_record(&f->zip, "a", "text"));
    assert_int_equal(truncate(f->path, 32), 0);
    expect_unreadable(f, "a", DAMAGED "it ends at byte 32, and had 103 bytes when it was opened");
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

TEST_WITH(members_take_no_longer_for_their_names, set_up, tear_down)
{
    struct fixture *f = begin(state, "names of one hash take no longer");
    list_alike(&f->zip, 120000, "Ez", "FY");
    expect_quick(f);
    f = begin(state, "spellings of one name take no longer");
    list_alike(&f->zip, 120000, "ab", "aB");
    expect_quick(f);
}

TEST_WITH(folders_in_folders_take_no_longer, set_up, tear_down)
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
