#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

/* Far more signals than we get. Without an end, a file system that always answers EINTR would hang us. */
enum { TRIES = 1000 };

/* Whether to repeat a call that failed: a signal interrupted it. Counts them in *interrupts, which is 0 at first. */
static bool was_interrupted(int *interrupts)
{
    return errno == EINTR && ++*interrupts < TRIES;
}

ssize_t file_pread(int fd, void *out, size_t size, uint64_t start)
{
    size_t done = 0;
    for (int interrupts = 0; done < size;) {
        ssize_t got = pread(fd, (uint8_t *)out + done, size - done, (off_t)(start + done));
        if (got == 0)
            break;
        if (got > 0)
            done += (size_t)got;
        else if (!was_interrupted(&interrupts))
            return -1;
    }
    return (ssize_t)done;
}

size_t file_write(int fd, struct bytes bytes)
{
    size_t done = 0;
    for (int interrupts = 0; done < bytes.size;) {
        ssize_t put = write(fd, bytes.data + done, bytes.size - done);
        if (put >= 0)
            done += (size_t)put;
        else if (!was_interrupted(&interrupts))
            break;
    }
    return done;
}

int file_read_open(int fd, const char *path, size_t limit, struct blob *out, struct error *err)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return error_set(err, "%s: %s", path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return error_set(err, "%s: not a regular file", path);
    if ((uintmax_t)info.st_size > limit)
        return error_set(err, "%s: %ju bytes, at most %zu are allowed", path, (uintmax_t)info.st_size, limit);

    uint8_t *data = memory_alloc((size_t)info.st_size, 1, err);
    if (!data)
        return error_add(err, "%s", path);
    ssize_t got = file_pread(fd, data, (size_t)info.st_size, 0);
    if (got != info.st_size) {
        free(data);
        return got < 0 ? error_set(err, "%s: %s", path, strerror(errno))
                       : error_set(err, "%s: ended after %zd of %ju bytes: it was changed while it was read", path,
                                   got, (uintmax_t)info.st_size);
    }
    *out = (struct blob){data, (size_t)info.st_size};
    return 0;
}

int file_open_beneath(int folder, const char *path, int flags)
{
    int at = folder;
    for (const char *slash; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        char *name = must_printf("%.*s", (int)(slash - path), path);
        int above = at;
        at = openat(above, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        int reason = errno;
        if (above != folder)
            close(above);
        free(name);
        errno = reason;
    }
    int fd = at < 0 ? -1 : openat(at, *path ? path : ".", flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int reason = errno;
    if (at >= 0 && at != folder)
        close(at);
    errno = reason;
    return fd;
}

void file_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

void stream_close(FILE **stream)
{
    if (*stream)
        fclose(*stream);
}

void folder_close(DIR **folder)
{
    if (*folder)
        closedir(*folder);
}

int file_read(const char *path, size_t limit, struct blob *out, struct error *err)
{
    SCOPED_BY(file_close)
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a named pipe would wait for a writer */
    return fd < 0 ? error_set(err, "%s: %s", path, strerror(errno)) : file_read_open(fd, path, limit, out, err);
}

bool file_has(const char *path, struct bytes bytes)
{
    SCOPED_BY(file_close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat info;
    bool has = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && (uintmax_t)info.st_size == bytes.size;
    uint8_t piece[64 * 1024];
    for (size_t done = 0; has && done < bytes.size; done += sizeof piece) {
        size_t left = bytes.size - done, size = left < sizeof piece ? left : sizeof piece;
        has = file_pread(fd, piece, size, done) == (ssize_t)size && !memcmp(piece, bytes.data + done, size);
    }
    return has;
}

bool file_is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

int file_refuse_link(const char *path, struct error *err)
{
    return file_is_link(path)
               ? error_set(err, "%s: a link, and files are written into this folder: remove it", path)
               : 0;
}

int file_sync(const char *path, struct error *err)
{
    SCOPED_BY(file_close) int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, "%s: %s", path, strerror(errno));
    return fsync(fd) < 0 && errno != EINVAL /* EINVAL: a file system that cannot */
               ? error_set(err, "%s: cannot bring this to the disk: %s", path, strerror(errno))
               : 0;
}

int file_sync_folders(const char *path, const char *top, struct error *err)
{
    SCOPED char *folder = must_strdup(path);
    while (file_sync(folder, err) == 0) {
        size_t length = strlen(folder);
        bool is_top = top && !strncmp(folder, top, length) && !top[length + strspn(top + length, "/")];
        if (is_top || !strcmp(folder, "/") || !strcmp(folder, "."))
            return 0;
        char *above = path_folder(folder);
        free(folder);
        folder = above;
    }
    return -1;
}

int file_make_folders(const char *path, struct error *err)
{
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return 0;
    SCOPED char *partial = must_strdup(path);
    for (char *slash = partial; slash;) {
        slash = strchr(slash + 1, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(partial, 0777) < 0 && errno != EEXIST)
            return error_set(err, "%s: cannot make this folder: %s", partial, strerror(errno));
        if (stat(partial, &info) < 0)
            return error_set(err, "%s: exists and leads to no folder: %s", partial, strerror(errno));
        if (!S_ISDIR(info.st_mode))
            return error_set(err, "%s: exists and is not a folder", partial);
        if (slash)
            *slash = '/';
    }
    return 0;
}

/* Makes a new file. It removes one of that name: a killed process left it, or it is a link that leads elsewhere. */
static int create(const char *path)
{
    int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, fd = open(path, flags, 0666);
    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, 0666);
    return fd;
}

int file_make_temporary(char **out, struct error *err)
{
    const char *folder = getenv("TMPDIR");
    SCOPED char *above = path_resolve(folder && *folder ? folder : "/tmp");
    SCOPED char *path = path_join(above, "sheetbake-XXXXXX");
    if (!mkdtemp(path))
        return error_set(err, "cannot make a temporary folder in %s: %s; TMPDIR names another", above,
                         strerror(errno));
    *out = path;
    path = NULL;
    return 0;
}

static int remove_item(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info, (void)kind, (void)place;
    remove(path);
    return 0; /* the others can go all the same */
}

void file_remove_folder(const char *path)
{
    enum { MOST_OPEN = 64 };
    nftw(path, remove_item, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
}

int file_stage(const char *path, const char *temporary, struct bytes bytes, struct error *err)
{
    int fd = create(temporary);
    if (fd < 0)
        return error_set(err, "%s: cannot make a temporary file beside it: %s", path, strerror(errno));

    int result = 0;
    if (file_write(fd, bytes) < bytes.size)
        result = error_set(err, "%s: cannot write %zu bytes: %s", path, bytes.size, strerror(errno));
    if (close(fd) < 0 && result == 0)
        result = error_set(err, "%s: cannot write: %s", path, strerror(errno));
    if (result < 0)
        unlink(temporary);
    return result;
}

int file_commit(const char *path, const char *temporary, struct error *err)
{
    if (rename(temporary, path) == 0)
        return 0;
    error_set(err, "%s: cannot rename the finished file to this name: %s", path, strerror(errno));
    unlink(temporary);
    return -1;
}

/* The caller frees it. */
static char *temporary_beside(const char *path)
{
    SCOPED char *folder = path_folder(path);
    return must_printf("%s/.%s.%ld.tmp", folder, path_base(path), (long)getpid());
}

int file_renew(const char *path, struct bytes bytes, struct error *err)
{
    SCOPED char *temporary = temporary_beside(path);
    return file_stage(path, temporary, bytes, err) < 0 ? -1 : file_commit(path, temporary, err);
}

void file_remove_leftovers(const char *path)
{
    SCOPED char *above = path_folder(path), *start = must_printf(".%s.", path_base(path));
    size_t length = strlen(start);
    SCOPED_BY(folder_close) DIR *folder = opendir(above);
    struct dirent *entry;
    while (folder && (entry = readdir(folder))) {
        const char *name = entry->d_name;
        if (strncmp(name, start, length) || name[length] < '1' || name[length] > '9')
            continue;
        char *rest;
        pid_t process = (pid_t)strtol(name + length, &rest, 10);
        if (!strcmp(rest, ".tmp") && getpgid(process) < 0 && errno == ESRCH)
            unlinkat(dirfd(folder), name, 0);
    }
}

int file_can_renew(const char *path, struct error *err)
{
    struct stat info;
    if (!*path_base(path))
        return error_set(err, "'%s': no name of a file", path);
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return error_set(err, "%s: no regular file, which alone can be replaced", path);
    file_remove_leftovers(path);
    SCOPED char *temporary = temporary_beside(path);
    if (file_stage(path, temporary, (struct bytes){0}, err) < 0)
        return -1;
    unlink(temporary);
    return 0;
}

char *path_join(const char *folder, const char *name)
{
    if (name[0] == '/' || !folder[0] || !strcmp(folder, "."))
        return must_strdup(name);
    return must_printf("%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        return must_strdup(".");
    return slash == path ? must_strdup("/") : must_printf("%.*s", (int)(slash - path), path);
}

bool path_collapse(char *path)
{
    char *kept = path;
    for (char *c = path; *c; c++)
        if (*c == '\\')
            *c = '/';
    for (char *part = path, *end; *part; part = end) {
        size_t length = strcspn(part, "/");
        end = part + length + (part[length] == '/');
        if (length == 2 && !memcmp(part, "..", 2)) {
            if (kept == path)
                return false;
            for (kept--; kept > path && kept[-1] != '/';)
                kept--;
        } else if (length && !(length == 1 && *part == '.')) {
            memmove(kept, part, (size_t)(end - part));
            kept += end - part;
        }
    }
    *kept = '\0';
    return true;
}

char *path_tidy(const char *path)
{
    char *tidy = must_alloc(strlen(path) + 1, 1);
    size_t length = path[0] == '/';
    memcpy(tidy, path, length);
    for (const char *part = path; *part; part += strspn(part, "/")) {
        size_t size = strcspn(part, "/");
        bool is_step_up = size == 2 && !strncmp(part, "..", 2);
        const char *last = path_base(tidy);
        struct stat info;
        if (is_step_up && *last && strcmp(last, "..") &&
            (lstat(tidy, &info) == 0 ? S_ISDIR(info.st_mode) : errno == ENOENT)) {
            length = (size_t)(last - tidy);
            length -= length > 1; /* the slash before it, but for that of the root */
        } else if (size > 0 && !(size == 1 && part[0] == '.')) {
            if (length > 0 && tidy[length - 1] != '/')
                tidy[length++] = '/';
            memcpy(tidy + length, part, size);
            length += size;
        }
        tidy[length] = '\0';
        part += size;
    }
    if (length > 0 || !*path)
        return tidy;
    free(tidy);
    return must_strdup(".");
}

const char *path_foreign_base(const char *path)
{
    const char *base = path_base(path), *back = strrchr(base, '\\');
    return back ? back + 1 : base;
}

const char *path_below(const char *folder, const char *path)
{
    size_t length = strcmp(folder, "/") ? strlen(folder) : 0;
    if (strncmp(folder, path, length) || (path[length] && path[length] != '/'))
        return NULL;
    return path + length + (path[length] == '/');
}

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_suffix(const char *path)
{
    const char *base = path_base(path);
    const char *dot = strrchr(base, '.');
    return dot && dot != base ? dot : base + strlen(base);
}

char *path_stem(const char *path)
{
    return must_printf("%.*s", (int)(path_suffix(path) - path), path);
}

const char *path_base_stem(struct arena *arena, const char *path)
{
    const char *base = path_base(path);
    return arena_strndup(arena, base, (size_t)(path_suffix(base) - base));
}

char *path_resolve(const char *path)
{
    char *real = realpath(path, NULL);
    if (real)
        return real;
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    SCOPED char *trimmed = must_printf("%.*s", (int)length, path);
    const char *base = path_base(trimmed);
    if (!*base || !strcmp(trimmed, "."))
        return must_strdup(trimmed);
    SCOPED char *folder = path_folder(trimmed), *above = path_resolve(folder);
    SCOPED char *joined = !strcmp(base, ".")    ? must_strdup(above)
                          : !strcmp(base, "..") ? path_folder(above)
                                                : path_join(above, base);
    real = realpath(joined, NULL);
    return real ? real : must_strdup(joined);
}
