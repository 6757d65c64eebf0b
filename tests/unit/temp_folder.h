/* A folder that lives as long as a test, and files in it. Paths are relative to the folder. */
#ifndef TEMP_FOLDER_H
#define TEMP_FOLDER_H

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

static inline char *temp_folder_new(void)
{
    const char *above = getenv("TMPDIR");
    char *path = path_join(above && *above ? above : "/tmp", "sheetbake_test.XXXXXX");
    return mkdtemp(path) ? path : (abort(), NULL);
}

static inline int temp_folder_remove_one(const char *path, const struct stat *info, int type, struct FTW *ftw)
{
    (void)info, (void)type, (void)ftw;
    return remove(path);
}

static inline void temp_folder_free(char *folder)
{
    nftw(folder, temp_folder_remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

/* Where SHEETBAKE_LISTS names a folder, each job list that is written is kept in it: tests/schema/run wants them. */
static inline void temp_folder_keep(const char *name, const void *data, size_t size)
{
    static unsigned count;
    const char *kept = getenv("SHEETBAKE_LISTS");
    if (!kept || strcmp(path_suffix(name), ".yaml"))
        return;
    char *path = must_printf("%s/%s-%u.yaml", kept, program_invocation_short_name, count++);
    struct error err;
    if (file_renew(path, (struct bytes){data, size}, &err) < 0)
        abort();
    free(path);
}

/* Writes a file, making the folders above it; gives its full path, which the caller frees. */
static inline char *temp_folder_write(const char *folder, const char *name, const void *data, size_t size)
{
    struct error err;
    char *path = path_join(folder, name), *parent = path_folder(path);
    if (file_make_folders(parent, &err) < 0)
        abort();
    FILE *file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(data, size, 1, file) != 1) || fclose(file))
        abort();
    free(parent);
    temp_folder_keep(name, data, size);
    return path;
}

static inline void temp_folder_add(const char *folder, const char *name, const char *text)
{
    free(temp_folder_write(folder, name, text, strlen(text)));
}

#endif
