
#include <endian.h>
#include <stdio.h>
#include <sys/stat.h>

#include "asset/assets.h"
#include "temp_folder.h"
#include "zip_builder.h"
#include "test.h"

struct member {
    const char *name, *text;
    bool deflated;
    uint32_t claimed_size; /* instead of the text's, when not 0 */
    uint32_t unix_mode;    /* 0: made by DOS */
};

static struct blob make_zip(const struct member *members, size_t count)
{
    struct zip zip = {0};
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    for (size_t i = 0; i < count; i++) {
        const struct member *member = &members[i];
        uint8_t packed[4096];
        size_t size = strlen(member->text), packed_size = size;
        if (member->deflated)
            packed_size = libdeflate_deflate_compress(compressor, member->text, size, packed, sizeof packed);
        struct record record = {
            .name = member->name, .mode = member->unix_mode, .method = member->deflated ? 8 : 0};
        record.crc = libdeflate_crc32(0, member->text, size);
        record.packed_size = (uint32_t)packed_size;
        record.size = member->claimed_size ? member->claimed_size : (uint32_t)size;
        record.start = put_bytes(&zip, member->deflated ? (const void *)packed : member->text, packed_size);
        list_member(&zip, &record);
    }
    libdeflate_free_compressor(compressor);
    end_zip(&zip, false, "");
    blob_release(&zip.list);
    return zip.file;
}

static struct blob make_pak(const struct member *members, size_t count)
{
    struct zip pak = {0}; /* a file and a list, too */
    put(&pak.file, &pak.file_capacity, "PACK\0\0\0\0\0\0\0\0", 12);
    for (size_t i = 0; i < count; i++) {
        char name[56] = {0};
        snprintf(name, sizeof name, "%s", members[i].name);
        put(&pak.list, &pak.list_capacity, name, sizeof name);
        put_in_list(&pak, pak.file.size, 4);
        put_in_list(&pak, strlen(members[i].text), 4);
        put(&pak.file, &pak.file_capacity, members[i].text, strlen(members[i].text));
    }
    memcpy(pak.file.data + 4, &(uint32_t){htole32((uint32_t)pak.file.size)}, 4);
    memcpy(pak.file.data + 8, &(uint32_t){htole32((uint32_t)pak.list.size)}, 4);
    put(&pak.file, &pak.file_capacity, pak.list.data, pak.list.size);
    blob_release(&pak.list);
    return pak.file;
}

/* A test's world: two roots, both folders unless the test says otherwise. */

struct fixture {
    char *folder, *roots[2];
    struct assets *assets;
};

static int set_up(void **state)
{
    struct fixture *f = must_alloc(1, sizeof *f);
    f->folder = temp_folder_new();
    f->roots[0] = path_join(f->folder, "first");
    f->roots[1] = path_join(f->folder, "second");
    struct error err;
    for (int i = 0; i < 2; i++)
        assert_int_equal(file_make_folders(f->roots[i], &err), 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    assets_close(f->assets);
    temp_folder_free(f->folder);
    free(f->roots[0]);
    free(f->roots[1]);
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

static int try_open(struct fixture *f, struct error *err)
{
    return assets_open((const char *const *)f->roots, 2, &f->assets, err);
}

static void open_roots(struct fixture *f)
{
    struct error err = {""};
    if (try_open(f, &err) < 0)
        fail_msg("%s", err.text);
}

static void set_root(struct fixture *f, int i, const char *path)
{
    free(f->roots[i]);
    f->roots[i] = must_strdup(path);
}

static void use_archive(struct fixture *f, int i, const char *name, const void *data, size_t size)
{
    char *path = temp_folder_write(f->folder, name, data, size);
    set_root(f, i, path);
    free(path);
}

static void use_zip(struct fixture *f, int i, const char *name, const struct member *members, size_t count)
{
    struct blob zip = make_zip(members, count);
    use_archive(f, i, name, zip.data, zip.size);
    blob_release(&zip);
}

static void close_again(struct fixture *f)
{
    assets_close(f->assets);
    f->assets = NULL;
}

static void expect_text(struct fixture *f, const char *path, const char *text)
{
    struct blob blob;
    struct error err = {""};
    if (assets_read(f->assets, path, &blob, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(blob.size, strlen(text));
    assert_memory_equal(blob.data, text, blob.size);
    blob_release(&blob);
}

static void expect_found_as(struct fixture *f, const char *path, const char *spelling)
{
    const char *found = assets_find(f->assets, path);
    if (!found)
        fail_msg("%s is not found", path);
    assert_string_equal(found, spelling);
}

static void expect_missing(struct fixture *f, const char *path, const char *reason)
{
    struct blob blob;
    struct error err = {""};
    assert_null(assets_find(f->assets, path));
    assert_null(assets_root_of(f->assets, path));
    assert_int_equal(assets_size(f->assets, path), -1);
    assert_int_equal(assets_read(f->assets, path, &blob, &err), -1);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say '%s'", err.text, reason);
}

static void expect_open_fails(struct fixture *f, const char *reason)
{
    struct error err = {""};
    assert_int_equal(try_open(f, &err), -1);
    assert_null(f->assets);
    if (!strstr(err.text, reason))
        fail_msg("'%s' does not say '%s'", err.text, reason);
}

static void expect_unreadable(struct fixture *f, const char *path, const char *reason)
{
    struct blob blob;
    struct error err = {""};
    assert_int_equal(assets_read(f->assets, path, &blob, &err), -1);
    if (!strstr(err.text, reason) || !strstr(err.text, path))
        fail_msg("'%s' does not say '%s'", err.text, reason);
}

/* Expected paths are joined by spaces. */
static void expect_glob(struct fixture *f, const char *pattern, const char *expected)
{
    struct strings found = {0};
    struct error err;
    char text[1024] = "";
    assert_int_equal(assets_glob(f->assets, pattern, &found, &err), 0);
    for (size_t i = 0, at = 0; i < found.count; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", i ? " " : "", found.items[i]);
    strings_release(&found);
    assert_string_equal(text, expected);
}

TEST_WITH(assets_read_zips_of_any_suffix, set_up, tear_down)
{
    static const char *const names[] = {"a.zip", "a.pk3", "a.pk4", "A.PK3", "a.dat", "a"};
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        use_zip(f, 0, names[i],
                (struct member[]){{.name = "a/stored.txt", .text = "as it is"},
                                  {.name = "a/packed.txt", .text = "ha ha ha ha ha ha ha ha", .deflated = true}},
                2);
        open_roots(f);
        expect_text(f, "a/stored.txt", "as it is");
        expect_text(f, "A/Packed.TXT", "ha ha ha ha ha ha ha ha");
        close_again(f);
    }
}

TEST_WITH(assets_read_quake_paks, set_up, tear_down)
{
    struct fixture *f = *state;
    struct blob pak =
        make_pak((struct member[]){{.name = "models/TRIS.MD2", .text = "IDP2"}, {.name = "b", .text = "two"}}, 2);
    use_archive(f, 0, "pak0.pak", pak.data, pak.size);
    blob_release(&pak);
    open_roots(f);
    expect_text(f, "models/tris.md2", "IDP2");
    expect_text(f, "b", "two");
}

TEST_WITH(overlong_paths_are_refused, set_up, tear_down)
{
    struct fixture *f = *state;
    open_roots(f);
    char path[5000];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    expect_missing(f, path, "that long");
    for (size_t i = 1; i < sizeof path - 1; i += 2)
        path[i] = '/';
    expect_missing(f, path, "that long");
}

static void add_link(const struct fixture *f, const char *target, const char *name)
{
    char *path = path_join(f->folder, name);
    assert_int_equal(symlink(target, path), 0);
    free(path);
}

/* The list of members of a zip is found from the end, whatever lies before and behind. */
TEST_WITH(links_are_found_in_large_archives, set_up, tear_down)
{
    struct fixture *f = *state;
    static struct member members[600];
    static char names[600][64], text[] = "PK\1\2PK\5\6 no member, no end";
    for (int i = 0; i < 600; i++) {
        snprintf(names[i], sizeof names[i], "a/rather/long/folder/name/File%04d.tga", i);
        members[i] = (struct member){.name = names[i], .text = text, .unix_mode = S_IFREG | 0666};
    }
    use_zip(f, 0, "a.zip", members, 600);
    open_roots(f);
    expect_text(f, names[599], text);
    close_again(f);

    members[0].unix_mode = S_IFLNK | 0777;
    use_zip(f, 0, "a.zip", members, 600);
    expect_open_fails(f, "'a/rather/long/folder/name/File0000.tga' is a symbolic link");
}

TEST_WITH(roots_may_be_links, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->roots[1], "a", "x");
    add_link(f, "second", "link");
    char *link = path_join(f->folder, "link");
    set_root(f, 0, link);
    free(link);
    open_roots(f);
    expect_text(f, "a", "x");
    assert_string_equal(assets_root_of(f->assets, "a"), f->roots[0]);
}

static const struct file_opener *choose_nothing(const struct container *box, const char *name, struct error *err)
{
    error_set(err, "%s has no '%s'", box->path, name);
    return NULL;
}

TEST_WITH(a_file_in_another_is_where_that_is_and_takes_memory_once, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->roots[1], "Robot.glb", "x");
    open_roots(f);
    expect_missing(f, "robot.glb:3", "a path with ':' is not allowed");
    assets_set_openers(f->assets, choose_nothing);
    const char *found = assets_find(f->assets, "robot.glb:3");
    assert_string_equal(found, "Robot.glb:3");
    expect_found_as(f, "robot.glb:4", "Robot.glb:4");
    assert_ptr_equal(assets_find(f->assets, "robot.glb:3"), found);
    assert_string_equal(assets_root_of(f->assets, found), f->roots[1]);
    expect_missing(f, "tobor.glb:3", "tobor.glb: no such file");
}

/* A file holds "it", its own bytes, and all that is beside it. To open it "palette" is looked for. */

static int open_count, now_open;

static int open_box(struct container *box, struct error *err)
{
    (void)err;
    box->opened = &open_count;
    open_count++;
    now_open++;
    assets_find(box->assets, "palette");
    return 0;
}

static int read_in_box(const struct container *box, const char *name, struct blob *out, struct error *err)
{
    if (strcmp(name, "it"))
        return assets_read(box->assets, name, out, err);
    *out = (struct blob){must_alloc(1, box->bytes.size), box->bytes.size};
    memcpy(out->data, box->bytes.data, out->size);
    return 0;
}

static void close_box(void *opened)
{
    assert_ptr_equal(opened, &open_count);
    now_open--;
}

static const struct file_opener *choose_box(const struct container *box, const char *name, struct error *err)
{
    static const struct file_opener openers[] = {{open_box, read_in_box, close_box},
                                                 {open_box, read_in_box, close_box}};
    (void)box, (void)err;
    return &openers[!strcmp(name, "can")];
}

/* What is read, and noted: that the box is of these bytes, whether there is a palette, and this many look-ups in all. */
static void expect_in_box(struct fixture *f, const char *path, const char *text, const char *box, size_t count)
{
    struct trace trace = {0};
    char hash[HASH_SIZE];
    assets_trace(f->assets, &trace);
    expect_text(f, path, text);
    assets_trace(f->assets, NULL);
    hash_bytes((struct bytes){(const uint8_t *)box, strlen(box)}, hash);
    assert_string_equal(trace_find(&trace, LOOK_READ, "box")->value, hash);
    assert_non_null(trace_find(&trace, LOOK_ABSENT, "palette"));
    assert_int_equal(trace.count, count);
    trace_release(&trace);
}

static void expect_open(int opened, int is_open)
{
    assert_int_equal(open_count, opened);
    assert_int_equal(now_open, is_open);
}

TEST_WITH(a_file_with_others_stays_open_for_the_next, set_up, tear_down)
{
    struct fixture *f = *state;
    struct blob blob;
    struct error err;
    temp_folder_add(f->roots[0], "box", "x");
    temp_folder_add(f->roots[0], "can", "y");
    open_roots(f);
    assets_set_openers(f->assets, choose_box);
    open_count = now_open = 0;
    expect_text(f, "box:it", "x");
    temp_folder_add(f->roots[0], "box", "z");
    expect_in_box(f, "box:it", "x", "x", 2); /* as it was */
    expect_open(1, 1);
    expect_text(f, "can:it", "y");
    expect_open(2, 1);
    expect_in_box(f, "BOX:it", "z", "z", 3);
    expect_in_box(f, "box:it", "z", "z", 2); /* the other spelling is no part of it */
    expect_open(4, 1);
    expect_in_box(f, "box:can", "y", "z", 3); /* its other opener; what it asks for is of it alone */
    expect_open(5, 0);
    expect_in_box(f, "box:it", "z", "z", 2);
    assert_int_equal(assets_read(f->assets, "box:bo", &blob, &err), -1);
    expect_open(6, 0);
    expect_text(f, "box:it", "z");
    assert_int_equal(assets_read(f->assets, "bo:it", &blob, &err), -1);
    assert_string_equal(err.text, "bo: no such file in the assets");
    expect_text(f, "box:it", "z");
    assets_close_container(f->assets);
    expect_open(8, 0);
    expect_text(f, "box:it", "z");
    assets_close(f->assets);
    f->assets = NULL;
    expect_open(9, 0);
}

TEST_WITH(a_file_in_another_holds_none, set_up, tear_down)
{
    struct fixture *f = *state;
    struct blob blob;
    struct error err;
    temp_folder_add(f->roots[0], "box", "x");
    open_roots(f);
    assets_set_openers(f->assets, choose_box);
    assert_int_equal(assets_read(f->assets, "box:box:it", &blob, &err), -1);
    assert_string_equal(err.text, "box:box:it: box:it: a path with ':' is not allowed");
    expect_text(f, "box:it", "x");
}

TEST_WITH(zip_names_cannot_climb, set_up, tear_down)
{
    struct fixture *f = *state;
    use_zip(f, 0, "a.zip",
            (struct member[]){{.name = "../up", .text = "x"},
                              {.name = "/root", .text = "x"},
                              {.name = "c:/drive", .text = "x"},
                              {.name = "ok", .text = "x"}},
            4);
    open_roots(f);
    expect_missing(f, "../up", "'..'");
    expect_missing(f, "/root", "absolute");
    expect_text(f, "ok", "x");
    struct strings found = {0};
    struct error err;
    assert_int_equal(assets_glob(f->assets, "**", &found, &err), 0);
    for (size_t i = 0; i < found.count; i++)
        assert_non_null(assets_find(f->assets, found.items[i]));
    strings_release(&found);
}

TEST_WITH(assets_without_roots_hold_nothing, set_up, tear_down)
{
    struct fixture *f = *state;
    struct error err;
    assert_int_equal(assets_open(NULL, 0, &f->assets, &err), 0);
    expect_missing(f, "a", "no such file");
}

TEST_WITH(assets_can_be_open_several_times, set_up, tear_down)
{
    struct fixture *f = *state;
    struct assets *first;
    struct error err;
    use_zip(f, 0, "a.zip", (struct member[]){{.name = "a", .text = "x"}}, 1);
    open_roots(f);
    first = f->assets;
    assert_int_equal(try_open(f, &err), 0);
    assets_close(first);
    expect_text(f, "a", "x");
}

TEST_WITH(assets_open_again_after_close, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->roots[0], "a", "x");
    for (int i = 0; i < 3; i++) {
        open_roots(f);
        expect_text(f, "a", "x");
        close_again(f);
        temp_folder_add(f->roots[0], "b", "new");
    }
    open_roots(f);
    expect_text(f, "b", "new");
}

TEST_WITH(files_too_large_are_refused, set_up, tear_down)
{
    struct fixture *f = *state;
    char *path = temp_folder_write(f->roots[0], "huge", "", 0);
    assert_int_equal(truncate(path, 256 * 1024 * 1024 + 1), 0);
    free(path);
    open_roots(f);
    expect_unreadable(f, "huge", "268435457 bytes, at most 268435456");
}

/* "abc" takes 8 bytes, packed; deflate shrinks to 1/1032 at best. */
TEST_WITH(members_cannot_claim_what_they_cannot_hold, set_up, tear_down)
{
    static const struct {
        uint32_t claimed;
        const char *reason;
    } claims[] = {
        {1000, "a.zip': it was cut short, or is damaged: it unpacks to fewer bytes than the 1000 it claims"},
        {8 * 1032 + 1031, "fewer bytes than the 9287 it claims"},
        {8 * 1032 + 1032, "it claims to be 9288 bytes, more than 8 packed ones can hold"},
        {200000000, "it claims to be 200000000 bytes, more than 8 packed ones can hold"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const struct member member = {"a", "abc", true, claims[i].claimed, 0};
        close_again(f);
        use_zip(f, 0, "a.zip", &member, 1);
        open_roots(f);
        expect_unreadable(f, "a", claims[i].reason);
    }
}

TEST_WITH(damaged_member_hides_no_other, set_up, tear_down)
{
    struct fixture *f = *state;
    const struct member members[] = {
        {.name = "a/1", .text = "x"}, {.name = "a/2", .text = "y"}, {.name = "a/3", .text = "z"}};
    struct blob zip = make_zip(members, 3);
    memset(memmem(zip.data + 4, zip.size - 4, "PK\3\4", 4), 'x', 4);
    use_archive(f, 0, "a.zip", zip.data, zip.size);
    blob_release(&zip);
    open_roots(f);
    expect_text(f, "a/1", "x");
    expect_text(f, "a/3", "z");
    expect_found_as(f, "a/2", "a/2");
    expect_unreadable(f, "a/2", "a.zip': it was cut short, or is damaged");
    expect_glob(f, "**", "a/1 a/2 a/3");
    assert_null(assets_trouble(f->assets));
}

/* Whatever a damaged archive does, it must not take us with it. */
static void exercise(struct fixture *f)
{
    struct error err = {""};
    if (try_open(f, &err) < 0) {
        assert_true(err.text[0] != '\0');
        return;
    }
    struct strings found = {0};
    assert_int_equal(assets_glob(f->assets, "**", &found, &err), 0);
    for (size_t i = 0; i < found.count; i++) {
        struct blob blob;
        if (assets_read(f->assets, found.items[i], &blob, &err) == 0)
            blob_release(&blob);
    }
    strings_release(&found);
    assets_close(f->assets);
    f->assets = NULL;
}

/* Cut at every length, and with every byte at four values. */
static void exercise_damaged(struct fixture *f, struct blob good)
{
    static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff};
    for (size_t size = 0; size < good.size; size++) {
        use_archive(f, 0, "archive", good.data, size);
        exercise(f);
    }
    for (size_t i = 0; i < good.size * sizeof values; i++) {
        uint8_t kept = good.data[i / sizeof values];
        good.data[i / sizeof values] = values[i % sizeof values];
        use_archive(f, 0, "archive", good.data, good.size);
        exercise(f);
        good.data[i / sizeof values] = kept;
    }
    blob_release(&good);
}

TEST_WITH(damaged_archives_are_survived, set_up, tear_down)
{
    const struct member members[] = {{.name = "a/b.txt", .text = "stored"},
                                     {.name = "c", .text = "packed packed packed", .deflated = true}};
    exercise_damaged(*state, make_zip(members, 2));
    exercise_damaged(*state, make_pak(members, 2));
}

TEST_WITH(paths_lead_to_files, set_up, tear_down)
{
    struct fixture *f = begin(state, "assets read from folders");
    temp_folder_add(f->roots[0], "models/grunt/skin.tga", "texels");
    temp_folder_add(f->roots[0], "empty", "");
    open_roots(f);
    expect_text(f, "empty", "");
    expect_text(f, "models/grunt/skin.tga", "texels");
    assert_int_equal(assets_size(f->assets, "models/grunt/skin.tga"), 6);
    f = begin(state, "zip names with backslashes are paths");
    use_zip(f, 0, "a.pk3", (struct member[]){{.name = "models\\a.tga", .text = "x"}}, 1);
    open_roots(f);
    expect_text(f, "models/a.tga", "x");
    f = begin(state, "lookups ignore case");
    temp_folder_add(f->roots[0], "Models/Grunt/Skin.TGA", "texels");
    open_roots(f);
    expect_found_as(f, "models/grunt/skin.tga", "Models/Grunt/Skin.TGA");
    expect_found_as(f, "MODELS/GRUNT/SKIN.TGA", "Models/Grunt/Skin.TGA");
    expect_text(f, "mODELS/gRUNT/sKIN.tga", "texels");
    f = begin(state, "folders that differ in case are one");
    temp_folder_add(f->roots[0], "Models/a.tga", "1");
    temp_folder_add(f->roots[0], "models/b.tga", "2");
    temp_folder_add(f->roots[1], "MODELS/c.tga", "3");
    open_roots(f);
    expect_found_as(f, "models/a.tga", "Models/a.tga");
    expect_found_as(f, "MODELS/b.tga", "models/b.tga");
    expect_found_as(f, "Models/c.tga", "MODELS/c.tga");
    f = begin(state, "first root wins");
    temp_folder_add(f->roots[0], "a.tga", "first");
    temp_folder_add(f->roots[1], "a.tga", "second");
    temp_folder_add(f->roots[1], "b.tga", "only");
    open_roots(f);
    expect_text(f, "a.tga", "first");
    expect_text(f, "A.tga", "first");
    assert_string_equal(assets_root_of(f->assets, "A.TGA"), f->roots[0]);
    assert_string_equal(assets_root_of(f->assets, "b.tga"), f->roots[1]);
    f = begin(state, "archive may win over a folder");
    use_zip(f, 0, "a.pk3", (struct member[]){{.name = "A.tga", .text = "archive"}}, 1);
    temp_folder_add(f->roots[1], "a.TGA", "folder");
    open_roots(f);
    expect_text(f, "a.tga", "archive");
    f = begin(state, "exact spelling wins over the first root");
    temp_folder_add(f->roots[0], "Dir/A.tga", "first");
    temp_folder_add(f->roots[1], "dir/a.tga", "second");
    open_roots(f);
    expect_text(f, "dir/a.tga", "second");
    expect_text(f, "DIR/a.tga", "first");
    f = begin(state, "found paths find themselves");
    temp_folder_add(f->roots[0], "A.tga", "upper");
    temp_folder_add(f->roots[0], "a.tga", "lower");
    open_roots(f);
    expect_text(f, assets_find(f->assets, "a.tga"), "lower");
    expect_text(f, assets_find(f->assets, "A.tga"), "upper");
    expect_found_as(f, "A.TGA", "A.tga");
    f = begin(state, "slashes of all sorts are taken");
    temp_folder_add(f->roots[0], "a/b/c.tga", "x");
    open_roots(f);
    expect_found_as(f, "a\\b\\c.tga", "a/b/c.tga");
    expect_found_as(f, "./a//b/./c.tga", "a/b/c.tga");
    f = begin(state, "files in place of folders hold nothing");
    temp_folder_add(f->roots[0], "a", "a file");
    temp_folder_add(f->roots[1], "a/b", "below a folder");
    open_roots(f);
    expect_text(f, "a", "a file");
    expect_text(f, "a/b", "below a folder");
    expect_missing(f, "a/b/c", "no such file");
    f = begin(state, "paths that lead nowhere are missing");
    temp_folder_add(f->roots[0], "models/a.tga", "x");
    open_roots(f);
    expect_missing(f, "models/b.tga", "models/b.tga: no such file");
    expect_missing(f, "model/a.tga", "no such file");
    expect_missing(f, "models", "no such file");
    expect_missing(f, "models/a.tg", "no such file");
    expect_missing(f, "", "no such file");
    expect_missing(f, ".", "no such file");
    f = begin(state, "paths out of the roots are refused");
    temp_folder_add(f->folder, "secret", "x");
    temp_folder_add(f->roots[0], "a", "x");
    open_roots(f);
    expect_missing(f, "../secret", "'..'");
    expect_missing(f, "..", "'..'");
    expect_missing(f, "a/../a", "'..'");
    expect_missing(f, "..\\secret", "'..'");
    expect_missing(f, "/etc/passwd", "absolute");
    expect_missing(f, "\\a", "absolute");
    expect_missing(f, "c:a", "':'");
    expect_missing(f, "c:/a", "':'");
    f = begin(state, "names with dots are no parents");
    temp_folder_add(f->roots[0], "..a/b...", "x");
    open_roots(f);
    expect_text(f, "..a/b...", "x");
    f = begin(state, "links inside folders are refused");
    temp_folder_add(f->folder, "outside/secret", "x");
    temp_folder_add(f->roots[0], "a", "x");
    add_link(f, "../outside/secret", "first/file");
    add_link(f, "../outside", "first/folder");
    add_link(f, "a", "first/inside");
    open_roots(f);
    expect_missing(f, "file", "no such file");
    expect_missing(f, "folder/secret", "no such file");
    expect_missing(f, "inside", "no such file");
    expect_glob(f, "**", "a");
    f = begin(state, "archives with links are refused");
    use_zip(f, 0, "a.zip",
            (struct member[]){{.name = "a", .text = "x", .unix_mode = S_IFREG | 0666},
                              {.name = "link", .text = "/etc/passwd", .unix_mode = S_IFLNK | 0777}},
            2);
    expect_open_fails(f, "a.zip': 'link' is a symbolic link");
    f = begin(state, "roots that do not open are named");
    set_root(f, 1, "/nonesuch/pak9.pk3");
    expect_open_fails(f, "assets '/nonesuch/pak9.pk3': No such file");
    set_root(f, 1, "/dev/null");
    expect_open_fails(f, "'/dev/null': neither");
    use_archive(f, 1, "notes.txt", "just text", 9);
    expect_open_fails(f, "notes.txt': not a zip");
    use_archive(f, 1, "empty.pk3", "", 0);
    expect_open_fails(f, "empty.pk3': not a zip");
    set_root(f, 1, f->roots[0]);
    open_roots(f); /* after all of this */
    f = begin(state, "roots given twice are one");
    set_root(f, 1, f->roots[0]);
    temp_folder_add(f->roots[0], "a", "x");
    open_roots(f);
    expect_text(f, "a", "x");
    expect_glob(f, "*", "a");
    f = begin(state, "archive given twice is one");
    use_zip(f, 0, "a.zip", (struct member[]){{.name = "a", .text = "x"}}, 1);
    set_root(f, 1, f->roots[0]);
    open_roots(f);
    expect_text(f, "a", "x");
    expect_glob(f, "*", "a");
    f = begin(state, "glob finds files in order");
    temp_folder_add(f->roots[0], "models/b/tris.md2", "");
    temp_folder_add(f->roots[1], "models/a/tris.md2", "");
    temp_folder_add(f->roots[1], "models/a/tris.tga", "");
    temp_folder_add(f->roots[1], "models/a/deep/tris.md2", "");
    temp_folder_add(f->roots[1], "other/tris.md2", "");
    open_roots(f);
    expect_glob(f, "models/*/tris.md2", "models/a/tris.md2 models/b/tris.md2");
    expect_glob(f, "models/**/*.md2", "models/a/deep/tris.md2 models/a/tris.md2 models/b/tris.md2");
    expect_glob(f, "**/tris.tga", "models/a/tris.tga");
    expect_glob(f, "models/[b-z]/tris.*", "models/b/tris.md2");
    expect_glob(f, "models/a/*", "models/a/tris.md2 models/a/tris.tga");
    expect_glob(f, "models/a/tris.md2", "models/a/tris.md2");
    expect_glob(f, "nowhere/*", "");
    expect_glob(f, "models/*", "");
    f = begin(state, "glob ignores case");
    temp_folder_add(f->roots[0], "Models/A.MD2", "");
    open_roots(f);
    expect_glob(f, "models/*.md2", "Models/A.MD2");
    expect_glob(f, "MODELS\\a*", "Models/A.MD2");
    f = begin(state, "glob lists a file hidden by an earlier root once");
    temp_folder_add(f->roots[0], "Models/a.md2", "");
    temp_folder_add(f->roots[1], "Models/a.md2", "");
    temp_folder_add(f->roots[1], "models/A.md2", "");
    temp_folder_add(f->roots[1], "models/B.md2", "");
    temp_folder_add(f->roots[1], "models/b.md2", "");
    open_roots(f);
    expect_glob(f, "models/*", "Models/a.md2 models/B.md2 models/b.md2");
}

TEST_WITH(glob_adds_to_what_is_there, set_up, tear_down)
{
    struct fixture *f = *state;
    temp_folder_add(f->roots[0], "a", "");
    open_roots(f);
    struct strings found = {0};
    struct error err;
    strings_add(&found, "z");
    assert_int_equal(assets_glob(f->assets, "*", &found, &err), 0);
    assert_int_equal(found.count, 2);
    assert_string_equal(found.items[1], "a");
    strings_release(&found);
}

TEST_WITH(glob_refuses_paths_out_of_the_roots, set_up, tear_down)
{
    struct fixture *f = *state;
    open_roots(f);
    struct strings found = {0};
    struct error err = {""};
    assert_int_equal(assets_glob(f->assets, "../*", &found, &err), -1);
    assert_non_null(strstr(err.text, "../*: a path with '..'"));
}

TEST_WITH(large_folders_are_searched_whole, set_up, tear_down)
{
    struct fixture *f = *state;
    for (int i = 0; i < 3000; i++) {
        char name[32];
        snprintf(name, sizeof name, "many/File%04d.tga", i);
        temp_folder_add(f->roots[0], name, name);
    }
    open_roots(f);
    for (int i = 0; i < 3000; i++) {
        char name[32], spelled[32];
        snprintf(name, sizeof name, "MANY/file%04d.TGA", i);
        snprintf(spelled, sizeof spelled, "many/File%04d.tga", i);
        expect_found_as(f, name, spelled);
    }
    assert_null(assets_find(f->assets, "many/file3000.tga"));
}
