/* Output folders against their records. The text of what is found is in tests/cli/verify.bats. */

#include <sys/stat.h>

#include "base/buffer.h"
#include "recorded_page.h"
#include "page/folder.h"
#include "run/verify.h"
#include "test.h"

static size_t skip; /* of paths: the folder of the test */

static void note_problem(void *context, const struct verify_problem *problem)
{
    struct buffer *found = context;
    buffer_printf(found, "%s%s %s", found->length ? ", " : "", verify_names[problem->kind], problem->path + skip);
}

/* Pages "orc" of two files and "b/elf" of one. */
static char *new_folder(void)
{
    char *folder = temp_folder_new();
    temp_folder_add(folder, "orc.png", "picture");
    temp_folder_add(folder, "orc.normal.png", "normals");
    temp_folder_add(folder, "b/elf.png", "elf");
    recorded_page(folder, "orc.sheetbake", "orc", 0, 2, (const char *const[]){"orc.normal.png", "orc.png", NULL});
    recorded_page(folder, "b/elf.sheetbake", "b/elf", 0, 1, (const char *const[]){"elf.png", NULL});
    return folder;
}

/* Frees the folder. */
static void expect(char *folder, const char *wanted, size_t files)
{
    struct buffer found = {0};
    struct error err = {""};
    buffer_add(&found, "", 0);
    skip = strlen(folder) + 1;
    struct verify verify = {.report = note_problem, .context = &found};
    assert_int_equal(verify_folder(&verify, folder, &err), 0);
    assert_string_equal(found.text, wanted);
    assert_int_equal(verify.files, files);
    page_set_release(&verify.found);
    buffer_release(&found);
    temp_folder_free(folder);
}

TEST(a_folder_or_link_in_its_place_is_changed)
{
    char *folder = new_folder(), *path = path_join(folder, "orc.png"), *moved = path_join(folder, "moved");
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink("moved", path), 0);
    free(path);
    free(moved);
    expect(folder, "changed orc.png", 4);
}

TEST(a_record_that_was_changed_or_cut_off_is_broken)
{
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        char *folder = new_folder(), *path = path_join(folder, "orc.sheetbake");
        struct blob blob;
        struct error err;
        assert_int_equal(file_read(path, 1 << 20, &blob, &err), 0);
        blob.data[blob.size / 2] ^= 1;
        free(temp_folder_write(folder, "orc.sheetbake", blob.data, is_cut ? blob.size / 2 : blob.size));
        blob_release(&blob);
        free(path);
        expect(folder, "broken orc.sheetbake, undescribed orc.normal.png, undescribed orc.png", 2);
    }
}

TEST(what_no_record_names_is_a_note)
{
    char *folder = new_folder();
    temp_folder_add(folder, "package.json", "{}");
    temp_folder_add(folder, "logo.png", "");
    temp_folder_add(folder, "b/readme.txt", "");
    expect(folder, "undescribed logo.png, undescribed package.json", 5);
}

TEST(temporary_files_are_a_note)
{
    char *folder = new_folder();
    temp_folder_add(folder, "b/.elf.png.7-0a0b0c0d.tmp", "");
    expect(folder, "leftover b/.elf.png.7-0a0b0c0d.tmp", 5);
}

TEST(a_json_with_other_bytes_is_changed)
{
    char *folder = new_folder();
    temp_folder_add(folder, "b/elf.json", "{}");
    recorded_page(folder, "b/elf.sheetbake", "b/elf", 0, 1, (const char *const[]){"elf.json", "elf.png", NULL});
    temp_folder_add(folder, "b/elf.json", "[]");
    expect(folder, "changed b/elf.json", 5);
}
