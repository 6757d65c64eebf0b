#include "out/dependencies.h"

#include <dirent.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "material/declaration_index.h"
#include "base/file.h"
#include "base/glob.h"
#include "base/memory.h"

struct dependencies {
    /* Trees of strings: results, and what was asked, and which ways were gone, already: many pages ask the same.
     */
    void *paths, *look_ups, *ways;
    struct assets *assets;
    const char *const *roots;
    size_t root_count;
};

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Whether the text is new in the tree. */
static bool insert(void **tree, const char *text)
{
    char *copy = must_strdup(text);
    char **found = tsearch(copy, tree, compare);
    if (!found)
        abort(); /* out of memory */
    if (*found == copy)
        return true;
    free(copy);
    return false;
}

struct dependencies *dependencies_new(void)
{
    return must_alloc(1, sizeof(struct dependencies));
}

void dependencies_free(struct dependencies *dependencies)
{
    if (!dependencies)
        return;
    tdestroy(dependencies->paths, free);
    tdestroy(dependencies->look_ups, free);
    tdestroy(dependencies->ways, free);
    free(dependencies);
}

void dependencies_add(struct dependencies *dependencies, const char *path)
{
    insert(&dependencies->paths, path);
}

void dependencies_set_assets(struct dependencies *dependencies, struct assets *assets, const char *const *roots,
                             size_t root_count)
{
    tdestroy(dependencies->look_ups, free);
    dependencies->look_ups = NULL;
    dependencies->assets = assets;
    dependencies->roots = roots;
    dependencies->root_count = root_count;
}

/* -- Folders ----------------------------------------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* Adds the paths of folders within `folder` that have this name, in whatever case. */
static void list_folders(const char *folder, const char *name, struct strings *out)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    while (directory && (entry = readdir(directory))) {
        char *path = path_join(folder, entry->d_name);
        if (!strcasecmp(entry->d_name, name) && is_folder(path))
            strings_add(out, path);
        free(path);
    }
    if (directory)
        closedir(directory);
}

/* All folders on the way from this one to `path`, whose own name does not count: in each of them there may be
 * others one day that differ in case alone. Adds those at its end to `ends`. */
static void add_way(struct dependencies *dependencies, const char *folder, const char *path, struct strings *ends)
{
    size_t length = strcspn(path, "/\\");
    dependencies_add(dependencies, folder);
    if (!path[length]) {
        strings_add(ends, folder);
        return;
    }
    struct strings within = {0};
    char *name = must_printf("%.*s", (int)length, path);
    if (!*name || !strcmp(name, "."))
        strings_add(&within, folder);
    else
        list_folders(folder, name, &within);
    for (size_t i = 0; i < within.count; i++)
        add_way(dependencies, within.items[i], path + length + 1, ends);
    free(name);
    strings_release(&within);
}

static void add_tree(struct dependencies *dependencies, const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    dependencies_add(dependencies, folder);
    while (directory && (entry = readdir(directory))) {
        struct stat info;
        char *path = path_join(folder, entry->d_name);
        if (entry->d_name[0] != '.' && lstat(path, &info) == 0 && S_ISDIR(info.st_mode))
            add_tree(dependencies, path);
        free(path);
    }
    if (directory)
        closedir(directory);
}

/* -- Look-ups ---------------------------------------------------------------------------------------------- */

/* To where a file of this name would be put. */
static void add_way_of_file(struct dependencies *dependencies, const char *root, const char *name)
{
    size_t length = strlen(name);
    while (length > 0 && !strchr("/\\", name[length - 1]))
        length--;
    char *way = must_printf("%s/%.*s", root, (int)length, name);
    struct strings ends = {0};
    if (insert(&dependencies->ways, way))
        add_way(dependencies, root, name, &ends);
    strings_release(&ends);
    free(way);
}

/* A file of the very name goes before those that differ in case, then that of an earlier root: the roots after the
 * one that has it do not count. */
static void add_asset(struct dependencies *dependencies, const char *name)
{
    const char *found = assets_find(dependencies->assets, name);
    const char *found_root = found ? assets_root_of(dependencies->assets, found) : NULL;
    bool is_exact = found && !strcmp(found, name), is_last = false;
    for (size_t i = 0; i < dependencies->root_count && !is_last; i++) {
        const char *root = dependencies->roots[i];
        bool has_it = found_root && !strcmp(found_root, root);
        is_last = has_it && is_exact;
        if (!is_folder(root))
            dependencies_add(dependencies, root);
        else if (!is_last)
            add_way_of_file(dependencies, root, name);
        if (has_it && is_folder(root)) {
            char *path = path_join(root, found);
            dependencies_add(dependencies, path);
            free(path);
        }
    }
}

/* What is before the first folder whose name is a pattern: "models/" of "models/" and "*.md2". */
static char *fixed_part(const char *pattern)
{
    size_t length = strcspn(pattern, "*?[");
    while (length > 0 && pattern[length - 1] != '/')
        length--;
    return must_printf("%.*s", (int)length, pattern);
}

static void add_pattern(struct dependencies *dependencies, const char *pattern)
{
    char *fixed = fixed_part(pattern);
    bool is_deep = strchr(pattern + strlen(fixed), '/') || strstr(pattern, "**");
    for (size_t i = 0; i < dependencies->root_count; i++) {
        const char *root = dependencies->roots[i];
        struct strings ends = {0};
        if (is_folder(root))
            add_way(dependencies, root, fixed, &ends);
        else
            dependencies_add(dependencies, root);
        for (size_t j = 0; j < ends.count && is_deep; j++)
            add_tree(dependencies, ends.items[j]);
        strings_release(&ends);
    }
    free(fixed);
}

/* All files of the kind: another one might declare the name, too. */
static void add_declarations(struct dependencies *dependencies, const char *look_up)
{
    const char *pattern = declaration_files_of(look_up);
    struct strings files = {0};
    struct error err;
    if (!pattern || !insert(&dependencies->look_ups, pattern))
        return;
    add_pattern(dependencies, pattern);
    assets_glob(dependencies->assets, pattern, &files, &err);
    for (size_t i = 0; i < files.count; i++)
        add_asset(dependencies, files.items[i]);
    strings_release(&files);
}

static void add_look_up(struct dependencies *dependencies, enum look_up_kind kind, const char *name)
{
    if (kind == LOOK_DECLARED) {
        add_declarations(dependencies, name);
        return;
    }
    if (!insert(&dependencies->look_ups, name))
        return;
    add_asset(dependencies, name);
    if (kind == LOOK_LISTED)
        add_pattern(dependencies, name);
}

void dependencies_add_look_ups(struct dependencies *dependencies, const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        add_look_up(dependencies, trace->items[i].kind, trace->items[i].name);
}

static void add_pairs(struct dependencies *dependencies, enum look_up_kind kind, const struct record_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        add_look_up(dependencies, kind, pairs->items[i].name);
}

void dependencies_add_record(struct dependencies *dependencies, const struct record *record)
{
    add_pairs(dependencies, LOOK_READ, &record->inputs);
    add_pairs(dependencies, LOOK_FOUND, &record->found);
    add_pairs(dependencies, LOOK_LISTED, &record->listed);
    add_pairs(dependencies, LOOK_DECLARED, &record->declared);
    for (size_t i = 0; i < record->absent_count; i++)
        add_look_up(dependencies, LOOK_ABSENT, record->absent[i]);
}

/* -- The result -------------------------------------------------------------------------------------------- */

struct listing {
    struct strings *out;
    const char *here; /* the current folder, with a '/' at its end */
};

static void list_path(const void *node, VISIT visit, void *context)
{
    const struct listing *listing = context;
    const char *path = *(const char *const *)node;
    size_t length = strlen(listing->here);
    if (visit == postorder || visit == leaf)
        strings_add(listing->out, strncmp(path, listing->here, length) || !path[length] ? path : path + length);
}

void dependencies_list(const struct dependencies *dependencies, struct strings *out)
{
    char *folder = getcwd(NULL, 0), *here = must_printf("%s/", folder ? folder : "");
    struct listing listing = {out, folder && strcmp(folder, "/") ? here : "/"};
    twalk_r(dependencies->paths, list_path, &listing);
    strings_sort(out);
    free(here);
    free(folder);
}
