#include "page/folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

bool folder_is_record(const char *name)
{
    return name[0] != '.' && !strcmp(path_suffix(name), RECORD_SUFFIX);
}

void folder_list(struct folder_listing *folder)
{
    DIR *directory = opendir(folder->path);
    struct dirent *entry;
    folder->was_opened = directory != NULL;
    while (directory && (errno = 0, entry = readdir(directory))) {
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, ".."))
            continue;
        struct stat info;
        bool is_folder = entry->d_type == DT_DIR;
        if (entry->d_type == DT_UNKNOWN)
            is_folder = fstatat(dirfd(directory), name, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode);
        strings_add(is_folder                ? &folder->folders
                    : folder_is_record(name) ? &folder->records
                    : leftovers_has(name)    ? &folder->leftovers
                                             : &folder->others,
                    name);
    }
    folder->error = errno;
    if (directory)
        closedir(directory);
    strings_sort(&folder->folders);
    strings_sort(&folder->records);
    strings_sort(&folder->leftovers);
    strings_sort(&folder->others);
}

void folder_release(struct folder_listing *folder)
{
    strings_release(&folder->folders);
    strings_release(&folder->records);
    strings_release(&folder->leftovers);
    strings_release(&folder->others);
}

static int visit_one(struct folder_listing *folder, enum folder_extent extent, folder_visit *visit, void *context,
                     struct error *err)
{
    int result = 0;
    folder_list(folder);
    if (folder->error && folder->error != ENOENT && folder->error != ENOTDIR)
        result = error_set(err, "%s: cannot list this folder: %s", folder->path, strerror(folder->error));
    /* Whether it is the output folder of other runs, or below one, is asked when it is listed: what was found there is older
     * than a run that comes now. */
    bool is_of_other_runs = false;
    for (const struct folder_listing *at = folder; at->above && extent == FOLDER_OWN; at = at->above) {
        char *lock = path_join(at->path, LOCK_FILE);
        is_of_other_runs |= access(lock, F_OK) == 0;
        free(lock);
    }
    if (!is_of_other_runs) {
        visit(context, folder);
        for (size_t i = 0; i < folder->folders.count; i++) {
            char *path = path_join(folder->path, folder->folders.items[i]);
            char *below = path_join(folder->below, folder->folders.items[i]);
            struct folder_listing inner = {.above = folder, .path = path, .below = below};
            result = visit_one(&inner, extent, visit, context, err) < 0 ? -1 : result;
            free(below);
            free(path);
        }
    }
    folder_release(folder);
    return result;
}

int folder_each(const char *path, enum folder_extent extent, folder_visit *visit, void *context, struct error *err)
{
    return visit_one(&(struct folder_listing){.path = path, .below = ""}, extent, visit, context, err);
}

void folder_remove_empty(const char *folder, const char *below)
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

char *leftovers_tail(void)
{
    /* Workers in different containers that share the output may have one process number. */
    uint32_t random;
    if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
        random = (uint32_t)time(NULL);
    return must_printf(".%ld-%08x.tmp", (long)getpid(), random);
}

/* NAME of ".NAME.PID-RANDOM.tmp". NULL where it is not such a name; the caller frees it. */
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
    bool result = final && final[0] != '.' && *path_suffix(final); /* templates give any */
    free(final);
    return result;
}

/* `path` is the record that a page had before a run was killed: removes its files that no record has any more. */
static void remove_described(const char *path, const char *final)
{
    struct record old, now;
    struct error err;
    if (recorded_load(path, final, RECORD_OF_PAGE, &old, &err) != RECORD_GOOD)
        return;
    char *folder = path_folder(path), *final_path = path_join(folder, final);
    bool has_record = recorded_load(final_path, final, RECORD_OF_PAGE, &now, &err) == RECORD_GOOD;
    for (size_t i = 0; i < old.file_count; i++)
        if (!has_record || !record_file(&now, old.files[i].name))
            recorded_remove(folder, &old.files[i], &err);
    if (has_record)
        record_release(&now);
    record_release(&old);
    free(final_path);
    free(folder);
}

/* Frames are staged in their folder, all with the process number and the random one of this path. */
static void remove_frames(const char *path, const char *final)
{
    const char *tail = path_base(path) + 1 + strlen(final);
    char *above = path_folder(path), *frames = path_join(above, final);
    struct folder_listing folder = {.path = frames};
    if (!file_is_link(frames))
        folder_list(&folder);
    for (size_t i = 0; i < folder.leftovers.count; i++) {
        const char *name = folder.leftovers.items[i];
        char *file = path_join(frames, name);
        if (strlen(name) > strlen(tail) && !strcmp(name + strlen(name) - strlen(tail), tail))
            unlink(file);
        free(file);
    }
    folder_release(&folder);
    rmdir(frames);
    free(frames);
    free(above);
}

void leftovers_remove_one(const char *path)
{
    char *final = final_name(path_base(path));
    if (final && folder_is_record(final))
        remove_described(path, final);
    if (final && !strcmp(path_suffix(final), FRAMES_SUFFIX))
        remove_frames(path, final);
    free(final);
    unlink(path);
}

static void remove_leftovers(void *context, const struct folder_listing *folder)
{
    for (size_t i = 0; i < folder->leftovers.count; i++) {
        char *path = path_join(folder->path, folder->leftovers.items[i]);
        leftovers_remove_one(path);
        free(path);
    }
    if (folder->leftovers.count)
        folder_remove_empty(context, folder->below);
}

void leftovers_remove(const char *folder)
{
    struct error ignored;
    folder_each(folder, FOLDER_OWN, remove_leftovers, (char *)folder, &ignored);
}
