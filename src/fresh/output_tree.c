#include "fresh/output_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "sheet/metadata.h"

bool output_tree_is_record(const char *name)
{
    return name[0] != '.' && !strcmp(path_suffix(name), RECORD_SUFFIX);
}

static bool is_folder(const char *path, const struct dirent *entry)
{
    struct stat info;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool is_output_folder(const char *path)
{
    char *lock = path_join(path, LOCK_FILE);
    bool result = access(lock, F_OK) == 0;
    free(lock);
    return result;
}

/* `below` is the path of the folder below the first one, "" for that. Goes on where a folder cannot be listed, and returns
 * -1 then; *err is about the last. A folder that another process removes meanwhile is as good as empty. */
static int search(const char *folder, const char *below, bool (*wanted)(const char *name), bool all,
                  struct strings *paths, struct error *err)
{
    DIR *directory = opendir(folder);
    struct dirent *entry;
    int result = 0;
    while (directory && (errno = 0, entry = readdir(directory))) {
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, ".."))
            continue;
        char *path = must_printf("%s/%s", folder, name), *inner = path_join(below, name);
        if (!is_folder(path, entry)) {
            if (wanted(name))
                strings_add(paths, inner);
        } else if (all || !is_output_folder(path)) {
            size_t before = paths->count;
            result = search(path, inner, wanted, all, paths, err) < 0 ? -1 : result;
            if (!all && is_output_folder(path)) /* since a moment ago: what was found there may be that run's */
                while (paths->count > before)
                    free(paths->items[--paths->count]);
        }
        free(inner);
        free(path);
    }
    if (errno && errno != ENOENT && errno != ENOTDIR)
        result = error_set(err, "%s: cannot list this folder: %s", folder, strerror(errno));
    if (directory)
        closedir(directory);
    return result;
}

void output_tree_find(const char *folder, bool (*wanted)(const char *name), struct strings *paths)
{
    struct error ignored;
    search(folder, "", wanted, false, paths, &ignored);
    strings_sort(paths);
}

int output_tree_find_all(const char *folder, bool (*wanted)(const char *name), struct strings *paths,
                         struct error *err)
{
    int result = search(folder, "", wanted, true, paths, err);
    strings_sort(paths);
    return result;
}

void output_tree_remove_empty(const char *folder, const char *below)
{
    char *inner = must_strdup(below);
    while (inner[0]) {
        char *path = path_join(folder, inner);
        int result = rmdir(path);
        free(path);
        char *slash = strrchr(inner, '/');
        if (result < 0)
            break;
        *(slash ? slash : inner) = '\0';
    }
    free(inner);
}
