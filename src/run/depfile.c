#include "run/depfile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "page/set.h"
#include "material/declaration_index.h"

static void add_name(struct buffer *text, const char *name)
{
    for (const char *c = name; *c; c++) {
        if (strchr(" #:", *c))
            buffer_add(text, "\\", 1);
        else if (*c == '$')
            buffer_add(text, "$", 1);
        buffer_add(text, c, 1);
    }
}

static bool can_write_name(const char *path)
{
    size_t length = strlen(path);
    if (length && path[length - 1] == ')' && strchr(path, '(')) /* to make, a member of an archive */
        return false;
    return !strpbrk(path, "\t\r\n\\*?&|;'\"<>^`");
}

/* "a: b=c" would set a variable where a file comes first. */
static void add_paths(struct buffer *text, const struct strings *paths, bool with_equals)
{
    for (size_t i = 0; i < paths->count; i++) {
        const char *path = paths->items[i];
        if (!can_write_name(path) || !strchr(path, '=') == with_equals)
            continue;
        buffer_printf(text, " \\\n  ");
        add_name(text, path);
    }
}

/* As a target "a=b" would set a variable, and "a%b" be a pattern, to which a ':' gives another meaning again. */
bool depfile_can_be_target(const char *path)
{
    return can_write_name(path) && !strpbrk(path, "=%");
}

char *depfile_text(const char *target, const struct strings *paths)
{
    struct buffer text = {0};
    add_name(&text, target);
    buffer_add(&text, ":", 1);
    add_paths(&text, paths, false);
    add_paths(&text, paths, true);
    buffer_add(&text, "\n", 1);
    for (size_t i = 0; i < paths->count; i++) {
        if (!depfile_can_be_target(paths->items[i]))
            continue;
        buffer_add(&text, "\n", 1);
        add_name(&text, paths->items[i]);
        buffer_add(&text, ":\n", 2);
    }
    return text.text;
}

int depfile_can_write(const char *path, struct error *err)
{
    char *folder = path_folder(path);
    int result = file_make_folders(folder, err);
    free(folder);
    return result < 0 ? -1 : file_can_renew(path, err);
}

/* -- What sheets are made of ------------------------------------------------------------------------------- */

struct sources {
    struct strings paths;    /* of files, archives and folders; some twice */
    char *here;              /* the current folder with a '/' at its end: paths below it are relative */
    struct assets *assets;   /* of the list at hand */
    struct strings patterns; /* of declarations, whose files it has */
};

static void add_path(struct sources *sources, const char *path)
{
    size_t length = strlen(sources->here);
    bool is_below = !strncmp(path, sources->here, length) && path[length];
    strings_add(&sources->paths, is_below ? path + length : path);
}

/* Its folder, too: the folder's time changes when a file comes that goes before this one, or matches the same
 * pattern. Files in archives are left out: the archives are among the roots. */
static void add_asset(struct sources *sources, const char *name)
{
    struct stat info;
    const char *found = assets_find(sources->assets, name);
    const char *root = found ? assets_root_of(sources->assets, found) : NULL;
    if (!root || stat(root, &info) < 0 || !S_ISDIR(info.st_mode))
        return;
    char *path = path_join(root, found), *folder = path_folder(path);
    add_path(sources, path);
    add_path(sources, folder);
    free(folder);
    free(path);
}

/* All files of the kind: another one might declare the name, too. */
static void add_declarations(struct sources *sources, const char *look_up)
{
    const char *pattern = declaration_files_of(look_up);
    struct strings files = {0};
    struct error err;
    if (!pattern || strings_has(&sources->patterns, pattern))
        return;
    strings_add(&sources->patterns, pattern);
    assets_glob(sources->assets, pattern, &files, &err);
    for (size_t i = 0; i < files.count; i++)
        add_asset(sources, files.items[i]);
    strings_release(&files);
}

static void add_page(void *context, const struct folder_listing *folder, const struct page *page)
{
    const struct record *record = &page->record;
    (void)folder;
    for (size_t i = 0; i < record->inputs.count; i++)
        add_asset(context, record->inputs.items[i].name);
    for (size_t i = 0; i < record->declared.count; i++)
        add_declarations(context, record->declared.items[i].name);
}

static int add_list(struct sources *sources, const struct job_list *list, const struct strings *pages,
                    struct error *err)
{
    for (size_t i = 0; i < list->file_count; i++)
        add_path(sources, list->files[i]);
    for (size_t i = 0; i < list->root_count; i++)
        add_path(sources, list->roots[i]);
    if (assets_open(list->roots, list->root_count, &sources->assets, err) < 0)
        return -1;
    int result = pages_each(list->output, FOLDER_ALL,
                            &(struct page_search){add_page, sources, pages, true, RECORD_WHOLE}, err);
    strings_release(&sources->patterns);
    assets_close(sources->assets);
    return result;
}

int depfile_write_lists(const char *path, const char *target, struct job_list *const *lists, size_t list_count,
                        const struct strings *pages, struct error *err)
{
    char *folder = getcwd(NULL, 0);
    struct sources sources = {.here = must_printf("%s/", folder && strcmp(folder, "/") ? folder : "")};
    int result = 0;
    for (size_t i = 0; i < list_count && result == 0; i++)
        result = add_list(&sources, lists[i], pages, err);
    strings_sort(&sources.paths);
    struct strings each = {0};
    for (size_t i = 0; i < sources.paths.count; i++)
        if (i == 0 || strcmp(sources.paths.items[i - 1], sources.paths.items[i]))
            strings_add(&each, sources.paths.items[i]);
    char *stem = path_stem(path), *text = depfile_text(target ? target : stem, &each);
    struct bytes bytes = {(const uint8_t *)text, strlen(text)};
    if (result == 0 && !file_has(path, bytes))
        result = depfile_can_write(path, err) < 0 ? -1 : file_renew(path, bytes, err);
    free(text);
    free(stem);
    strings_release(&each);
    strings_release(&sources.paths);
    free(sources.here);
    free(folder);
    return result;
}
