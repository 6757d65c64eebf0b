#include "page/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "page/metadata.h"
#include "page/record.h"

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

/* -- What killed runs have left ---------------------------------------------------------------------------- */

char *leftovers_name(const char *folder, const char *name)
{
    /* Workers in different containers that share the output may have one process number. */
    uint32_t random;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = (uint32_t)time(NULL);
    return must_printf("%s/.%s.%ld-%08x.tmp", folder, name, (long)getpid(), random);
}

/* NAME of ".NAME.PID-RANDOM.tmp". NULL where it is no such name; the caller frees it. */
static char *final_name(const char *name)
{
    static const char pattern[] = "-########.tmp"; /* '#' is a hexadecimal digit */
    size_t tail = sizeof pattern - 1, length = strlen(name), digits = 0;
    if (name[0] != '.' || length <= tail)
        return NULL;
    size_t at = length - tail;
    for (size_t i = 0; i < tail; i++)
        if (pattern[i] == '#' ? !isxdigit((unsigned char)name[at + i]) : name[at + i] != pattern[i])
            return NULL;
    while (at > 1 && isdigit((unsigned char)name[at - 1]))
        at--, digits++;
    bool is_one = digits > 0 && at > 2 && name[at - 1] == '.';
    return is_one ? must_printf("%.*s", (int)(at - 2), name + 1) : NULL;
}

bool leftovers_has(const char *name)
{
    char *final = final_name(name);
    bool result = final && final[0] != '.' && metadata_is_output(final);
    free(final);
    return result;
}

/* `path` is the record that a page had before a run was killed: removes its files that no record has any more. */
static void remove_described(const char *path, const char *final)
{
    struct record old, now;
    struct error err;
    if (recorded_load(path, final, &old, &err) != RECORD_GOOD)
        return;
    char *folder = path_folder(path), *final_path = path_join(folder, final);
    bool has_record = recorded_load(final_path, final, &now, &err) == RECORD_GOOD;
    for (size_t i = 0; i < old.file_count; i++) {
        const struct record_file *file = &old.files[i];
        if ((has_record && recorded_has(&now, file->name)) || recorded_check(folder, file, &err) != RECORDED_SAME)
            continue;
        char *described = path_join(folder, file->name);
        unlink(described);
        free(described);
    }
    if (has_record)
        record_release(&now);
    record_release(&old);
    free(final_path);
    free(folder);
}

void leftovers_remove_one(const char *path)
{
    char *final = final_name(path_base(path));
    if (final && output_tree_is_record(final))
        remove_described(path, final);
    free(final);
    unlink(path);
}

void leftovers_remove(const char *folder)
{
    struct strings paths = {0};
    output_tree_find(folder, leftovers_has, &paths);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = path_join(folder, paths.items[i]), *below = path_folder(paths.items[i]);
        leftovers_remove_one(path);
        if (strcmp(below, "."))
            output_tree_remove_empty(folder, below);
        free(below);
        free(path);
    }
    strings_release(&paths);
}
