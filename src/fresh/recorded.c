#include "fresh/recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

enum record_kind recorded_load(const char *path, struct record *out, struct error *err)
{
    struct stat info;
    struct blob file;
    if (lstat(path, &info) < 0 && errno == ENOENT)
        return RECORD_NONE;
    if (file_read(path, RECORD_MOST_TEXT, &file, err) < 0)
        return RECORD_BROKEN;
    int result = record_load(blob_bytes(&file), out, err);
    blob_release(&file);
    return result < 0 ? RECORD_BROKEN : RECORD_GOOD;
}

static enum recorded_state check_bytes(const char *path, const struct record_file *file, struct error *err)
{
    struct blob blob;
    char hash[HASH_SIZE];
    if (file_read(path, file->bytes, &blob, err) < 0)
        return RECORDED_UNREADABLE;
    hash_bytes(blob_bytes(&blob), hash);
    blob_release(&blob);
    return strcmp(hash, file->hash) ? RECORDED_CHANGED : RECORDED_SAME;
}

enum recorded_state recorded_check(const char *folder, const struct record_file *file, struct error *err)
{
    char *path = path_join(folder, file->name);
    struct stat info;
    enum recorded_state state;
    if (lstat(path, &info) < 0) {
        state = errno == ENOENT ? RECORDED_MISSING : RECORDED_UNREADABLE;
        error_set(err, "%s: %s", path, strerror(errno));
    } else if (!S_ISREG(info.st_mode) || (uintmax_t)info.st_size != file->bytes) {
        state = RECORDED_CHANGED;
    } else {
        state = check_bytes(path, file, err);
    }
    free(path);
    return state;
}

bool recorded_has(const struct record *record, const char *name)
{
    for (size_t i = 0; i < record->file_count; i++)
        if (!strcmp(record->files[i].name, name))
            return true;
    return false;
}
