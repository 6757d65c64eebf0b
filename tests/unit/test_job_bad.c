/* Every list in tests/bad/jobs, against the expectations written into it:
 *
 *     # expect: 12:5: unknown key 'modle' in a job; did you mean 'model'?
 *     # expect: include/other.yaml:3:1: ...
 *
 * All problems must be expected and all expectations met, in the order in which they are reported. */
#include <dirent.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "job/job.h"
#include "test.h"

#define FOLDER "tests/bad/jobs/"

static void read_expectations(const char *path, struct strings *out)
{
    static const char prefix[] = "# expect: ";
    struct blob blob;
    struct error err;
    assert_int_equal(file_read(path, 1 << 20, &blob, &err), 0);
    const char *text = (const char *)blob.data, *end = text + blob.size;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));
        if (!line_end)
            line_end = end;
        size_t length = (size_t)(line_end - text);
        if (length > strlen(prefix) && !memcmp(text, prefix, strlen(prefix)))
            strings_printf(out, "%.*s", (int)(length - strlen(prefix)), text + strlen(prefix));
        text = line_end + 1;
    }
    blob_release(&blob);
}

/* Without the folder, wherever it appears, and without the file's own name in front. */
static void shorten(const char *problem, const char *file, struct buffer *out)
{
    buffer_clear(out);
    for (const char *found; (found = strstr(problem, FOLDER)); problem = found + strlen(FOLDER))
        buffer_add(out, problem, (size_t)(found - problem));
    buffer_printf(out, "%s", problem);
    size_t length = strlen(file);
    if (!strncmp(out->text, file, length) && out->text[length] == ':')
        memmove(out->text, out->text + length + 1, strlen(out->text + length));
}

/* Prints what differs and gives the number of differences. */
static size_t compare(const char *file, const struct strings *expected, const struct strings *problems)
{
    size_t differences = 0;
    struct buffer shown = {0};
    for (size_t i = 0; i < expected->count || i < problems->count; i++) {
        shorten(i < problems->count ? problems->items[i] : "(nothing)", file, &shown);
        const char *wanted = i < expected->count ? expected->items[i] : "(nothing)";
        const size_t length = strlen(wanted);
        const bool is_begun = length > 3 && !strcmp(wanted + length - 3, "..."); /* and goes on */
        if (is_begun ? !strncmp(shown.text, wanted, length - 3) : !strcmp(shown.text, wanted))
            continue;
        print_error("%s%s\n  expected %s\n  found    %s\n", FOLDER, file, wanted, shown.text);
        differences++;
    }
    buffer_release(&shown);
    return differences;
}

static size_t check_list(const char *file)
{
    char *path = path_join(FOLDER, file);
    struct strings expected = {0}, problems = {0};
    struct job_list *list = NULL;
    read_expectations(path, &expected);
    assert_int_equal(job_list_load(path, &(struct job_options){0}, &list, &problems), -1);
    assert_null(list);
    assert_true(expected.count > 0);
    size_t differences = compare(file, &expected, &problems);
    strings_release(&expected);
    strings_release(&problems);
    free(path);
    return differences;
}

TEST(bad_lists_have_exactly_the_expected_problems)
{
    struct strings files = {0};
    DIR *folder = opendir(FOLDER);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (!strcmp(path_suffix(entry->d_name), ".yaml"))
            strings_add(&files, entry->d_name);
    closedir(folder);
    strings_sort(&files);
    assert_true(files.count >= 25);

    size_t differences = 0;
    for (size_t i = 0; i < files.count; i++)
        differences += check_list(files.items[i]);
    strings_release(&files);
    assert_int_equal(differences, 0);
}
