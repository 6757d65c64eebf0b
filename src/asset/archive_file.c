#include "asset/archive_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { BUFFER_SIZE = 32 * 1024 };

struct archive_file {
    int fd;
    uint64_t size, place;
    uint64_t buffer_start; /* of what the buffer holds, in the file */
    size_t buffer_size;
    uint8_t buffer[BUFFER_SIZE];
};

static struct archive_file *new_file(int fd, uint64_t size)
{
    struct archive_file *file = must_alloc(1, sizeof *file);
    file->fd = fd;
    file->size = size;
    return file;
}

struct archive_file *archive_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct stat info;
    if (fstat(fd, &info) < 0) {
        int reason = errno;
        close(fd);
        errno = reason;
        return NULL;
    }
    return new_file(fd, (uint64_t)info.st_size);
}

struct archive_file *archive_file_share(const struct archive_file *file)
{
    int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    return fd < 0 ? NULL : new_file(fd, file->size);
}

void archive_file_free(struct archive_file *file)
{
    if (!file)
        return;
    close(file->fd);
    free(file);
}

uint64_t archive_file_size(const struct archive_file *file)
{
    return file->size;
}

uint64_t archive_file_place(const struct archive_file *file)
{
    return file->place;
}

bool archive_file_seek(struct archive_file *file, uint64_t place)
{
    if (place > file->size)
        return false;
    file->place = place;
    return true;
}

/* One read at the place, of `size` bytes at most; 0 at the end of the file. */
static ssize_t read_some(const struct archive_file *file, uint64_t place, void *out, size_t size)
{
    ssize_t got;
    do {
        got = pread(file->fd, out, size, (off_t)place);
    } while (got < 0 && errno == EINTR);
    return got;
}

/* Copies what the buffer holds at the place. */
static size_t take_buffered(struct archive_file *file, uint8_t *out, size_t size)
{
    if (file->place < file->buffer_start || file->place - file->buffer_start >= file->buffer_size)
        return 0;
    size_t at = (size_t)(file->place - file->buffer_start), left = file->buffer_size - at;
    if (size > left)
        size = left;
    memcpy(out, file->buffer + at, size);
    file->place += size;
    return size;
}

static ssize_t fill_buffer(struct archive_file *file)
{
    ssize_t got = read_some(file, file->place, file->buffer, BUFFER_SIZE);
    file->buffer_start = file->place;
    file->buffer_size = got > 0 ? (size_t)got : 0;
    return got;
}

int64_t archive_file_read(struct archive_file *file, void *out, size_t size)
{
    uint8_t *bytes = out;
    size_t done = take_buffered(file, bytes, size);
    while (done < size) {
        bool is_large = size - done >= BUFFER_SIZE; /* then the buffer would only be in the way */
        ssize_t got = is_large ? read_some(file, file->place, bytes + done, size - done) : fill_buffer(file);
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        if (is_large) {
            file->place += (size_t)got;
            done += (size_t)got;
        } else {
            done += take_buffered(file, bytes + done, size - done);
        }
    }
    return (int64_t)done;
}
