/* What is removed of an output folder, and what stays. */

#include <dirent.h>

#include "base/buffer.h"
#include "recorded_page.h"
#include "page/folder.h"
#include "run/prune.h"
#include "test.h"

static struct buffer told;

static void tell(const struct pruned_page *page)
{
    buffer_printf(&told, "%s:", path_base(page->record));
    for (size_t i = 0; i < page->removed.count; i++)
        buffer_printf(&told, " -%s", page->removed.items[i]);
    for (size_t i = 0; i < page->left.count; i++)
        buffer_printf(&told, " =%.*s", (int)strcspn(page->left.items[i], ":"), page->left.items[i]);
    buffer_printf(&told, "; ");
}

static void add_page(const char *folder, const char *name, const char *job, uint32_t page)
{
    char *png = must_printf("%s.png", name), *record = must_printf("%s.sheetbake", name);
    temp_folder_add(folder, png, name);
    recorded_page(folder, record, job, page, page + 1, (const char *const[]){path_base(png), NULL});
    free(png);
    free(record);
}

/* Jobs orc, which makes orc and orc@1, and unsure; elf is gone, and so is the third page of orc. "namesake" is a
 * job of another list of that name. */
static char *new_folder(void)
{
    char *folder = temp_folder_new();
    add_page(folder, "orc", "orc", 0);
    add_page(folder, "orc@1", "orc", 1);
    add_page(folder, "orc@2", "orc", 2);
    add_page(folder, "unsure@3", "unsure", 3);
    add_page(folder, "namesake", "namesake", 0);
    add_page(folder, "elves/tall/elf", "elf", 0);
    return folder;
}

static void prune_as(const char *folder, const char *list_name, bool is_dry)
{
    static const struct job jobs[] = {{.name = "unsure"}, {.name = "orc", .passes = 1, .metadata = 1}};
    const struct job_list list = {.name = list_name, .output = folder, .jobs = jobs, .job_count = 2};
    struct strings pages = {0}, known = {0}, unsure = {0};
    strings_add(&known, "orc");
    strings_add(&unsure, "namesake");
    strings_add(&unsure, "unsure");
    strings_printf(&pages, "%s/orc", folder);
    strings_printf(&pages, "%s/orc@1", folder);
    const struct prune prune = {&list, &pages, &known, &unsure, is_dry, tell};
    buffer_clear(&told);
    buffer_add(&told, "", 0);
    prune_list(&prune);
    strings_release(&known);
    strings_release(&unsure);
    strings_release(&pages);
}

static void expect(const char *folder, const char *wanted, const char *const *there, const char *const *gone)
{
    assert_string_equal(told.text, wanted);
    for (int i = 0; i < 2; i++)
        for (const char *const *name = i ? gone : there; *name; name++) {
            char *path = path_join(folder, *name);
            if ((access(path, F_OK) == 0) != (i == 0))
                fail_msg("%s %s there", *name, i ? "is" : "is not");
            free(path);
        }
}

#define FILES(...)                                                                                                \
    (const char *const[])                                                                                         \
    {                                                                                                             \
        __VA_ARGS__, NULL                                                                                         \
    }
#define STAYING "orc.png", "orc.sheetbake", "orc@1.png", "orc@1.sheetbake", "unsure@3.png", "unsure@3.sheetbake"

TEST(what_is_not_ours_stays)
{
    fact("files of others stay and so does their folder");
    char *folder = new_folder();
    temp_folder_add(folder, "elves/tall/notes.txt", "");
    temp_folder_add(folder, "elves/package.json", "{}");
    prune_as(folder, "list", false);
    expect(folder, "orc@2.sheetbake: -orc@2.sheetbake -orc@2.png; elf.sheetbake: -elf.sheetbake -elf.png; ",
           FILES("elves/tall/notes.txt", "elves/package.json"), FILES("elves/tall/elf.png"));
    temp_folder_free(folder);
    fact("a json that somebody changed stays with its page");
    folder = new_folder();
    temp_folder_add(folder, "orc@2.json", "{}");
    recorded_page(folder, "orc@2.sheetbake", "orc", 2, 3, FILES("orc@2.json", "orc@2.png"));
    temp_folder_add(folder, "orc@2.json", "{ }");
    prune_as(folder, "list", false);
    expect(folder, "orc@2.sheetbake: =orc@2.json; elf.sheetbake: -elf.sheetbake -elf.png; ",
           FILES("orc@2.sheetbake", "orc@2.json", "orc@2.png"), FILES("elves"));
    temp_folder_free(folder);
    fact("a record that is not of its page stays with all that it names");
    folder = new_folder();
    recorded_page(folder, "orc@2.sheetbake", "orc", 2, 3, FILES("orc.png", "orc@2.png"));
    prune_as(folder, "list", false);
    expect(folder, "elf.sheetbake: -elf.sheetbake -elf.png; ", FILES(STAYING, "orc@2.sheetbake", "orc@2.png"),
           FILES("elves"));
    temp_folder_free(folder);
    fact("output folders within are left alone");
    folder = new_folder();
    temp_folder_add(folder, "elves/" LOCK_FILE, "");
    prune_as(folder, "list", false);
    expect(folder, "orc@2.sheetbake: -orc@2.sheetbake -orc@2.png; ", FILES("elves/tall/elf.png"),
           FILES("orc@2.png"));
    temp_folder_free(folder);
}

TEST(no_link_is_followed)
{
    char *folder = new_folder(), *other = new_folder(), *link = path_join(folder, "link");
    assert_int_equal(symlink(other, link), 0);
    prune_as(folder, "list", false);
    expect(other, "orc@2.sheetbake: -orc@2.sheetbake -orc@2.png; elf.sheetbake: -elf.sheetbake -elf.png; ",
           FILES("orc@2.png", "elves"), FILES("nothing"));
    free(link);
    temp_folder_free(folder);
    temp_folder_free(other);
}

static int release_told(void **state)
{
    (void)state;
    buffer_release(&told);
    return 0;
}

TEST_GROUP(NULL, release_told)
