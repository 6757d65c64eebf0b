/* The end of a zip file:
 *
 *     for each member  "PK\1\2" and 42 bytes, then its name and more; the length of the name is at 28, the
 *                      Unix mode at 40
 *     zip64 only       "PK\6\7" among other things
 *     at the very end  "PK\5\6" and 18 bytes, then a comment of up to 65,535; the size of the member list, which
 *                      lies right before, is at 12
 *
 * Nothing here trusts the structure: whatever a reader could take for the list of members is searched for
 * anything it could take for a member.
 *
 * A pak file begins with "PACK", where its list begins, and the size of that in bytes, 64 for each member. */
#include "asset/archive_members.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"

enum {
    TAIL_SIZE = 128 * 1024, /* holds the end record with the longest comment */
    CHUNK_SIZE = 1024 * 1024,
    MEMBER_SIZE = 46,
    NAME_SHOWN = 200, /* bytes */
    PAK_MEMBER_SIZE = 64,
};

struct region {
    uint64_t start, end;
};

/* Reads what is there of [start, end). */
static int read_part(int fd, struct region part, uint8_t *buffer, struct bytes *out, struct error *err)
{
    size_t size = part.end - part.start, done = 0;
    while (done < size) {
        ssize_t got = pread(fd, buffer + done, size - done, (off_t)(part.start + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(err, "cannot read it: %s", strerror(errno));
        if (got == 0)
            break;
        done += (size_t)got;
    }
    *out = (struct bytes){buffer, done};
    return 0;
}

static const uint8_t *find(struct bytes bytes, const uint8_t *from, const char signature[4])
{
    return memmem(from, (size_t)(bytes.data + bytes.size - from), signature, 4);
}

/* Where lists of members may lie: from the earliest start that an end record gives. */
static struct region find_lists(struct bytes tail, uint64_t tail_start)
{
    struct region lists = {tail_start + tail.size, tail_start + tail.size};
    if (find(tail, tail.data, "PK\6\7"))
        lists.start = 0;
    const uint8_t *record = tail.data;
    while ((record = find(tail, record, "PK\5\6"))) {
        size_t at = (size_t)(record - tail.data);
        struct cursor cursor = cursor_at(tail, at + 12);
        uint64_t end = tail_start + at, size = cursor_u32(&cursor);
        uint64_t start = size < end ? end - size : 0;
        if (!cursor.overrun && start < lists.start)
            lists.start = start;
        record += 4;
    }
    return lists;
}

static int check_count(uint64_t count, struct error *err)
{
    if (count > ARCHIVE_MOST_MEMBERS)
        return error_set(err, "more than %d files", ARCHIVE_MOST_MEMBERS);
    return 0;
}

/* Counts those that begin in the first `own_size` bytes. */
static int check_members_in(struct bytes bytes, size_t own_size, uint64_t *count, struct error *err)
{
    const uint8_t *member = bytes.data;
    while ((member = find(bytes, member, "PK\1\2"))) {
        size_t at = (size_t)(member - bytes.data);
        *count += at < own_size;
        if (check_count(*count, err) < 0)
            return -1;
        struct cursor length = cursor_at(bytes, at + 28), mode = cursor_at(bytes, at + 40);
        size_t name_length = cursor_u16(&length), left = bytes.size - at;
        if (S_ISLNK(cursor_u16(&mode)) && left > MEMBER_SIZE) {
            name_length = name_length < left - MEMBER_SIZE ? name_length : left - MEMBER_SIZE;
            name_length = name_length < NAME_SHOWN ? name_length : NAME_SHOWN;
            return error_set(err, "'%.*s' is a symbolic link, which archives must not hold", (int)name_length,
                             (const char *)member + MEMBER_SIZE);
        }
        member += 4;
    }
    return 0;
}

/* In chunks that overlap by a member and its name, for zip64 has the whole file searched. */
static int search(int fd, struct region lists, uint8_t *buffer, struct error *err)
{
    const uint64_t overlap = MEMBER_SIZE + NAME_SHOWN;
    uint64_t count = 0;
    while (lists.start < lists.end) {
        struct region part = lists;
        if (part.end - part.start > CHUNK_SIZE)
            part.end = part.start + CHUNK_SIZE;
        struct bytes bytes;
        if (read_part(fd, part, buffer, &bytes, err) < 0)
            return -1;
        bool is_last = part.end == lists.end;
        if (check_members_in(bytes, is_last ? bytes.size : part.end - part.start - overlap, &count, err) < 0)
            return -1;
        if (is_last)
            break;
        lists.start = part.end - overlap;
    }
    return 0;
}

static int check_pak(int fd, uint8_t *buffer, struct error *err)
{
    struct bytes head;
    if (read_part(fd, (struct region){0, 12}, buffer, &head, err) < 0)
        return -1;
    struct cursor size = cursor_at(head, 8);
    bool is_pak = head.size == 12 && !memcmp(head.data, "PACK", 4);
    return is_pak ? check_count(cursor_u32(&size) / PAK_MEMBER_SIZE, err) : 0;
}

static int search_file(int fd, uint8_t *buffer, struct error *err)
{
    struct stat info;
    if (fstat(fd, &info) < 0)
        return error_set(err, "cannot read it: %s", strerror(errno));
    uint64_t size = (uint64_t)info.st_size;
    struct region tail = {size > TAIL_SIZE ? size - TAIL_SIZE : 0, size};
    struct bytes bytes;
    if (read_part(fd, tail, buffer, &bytes, err) < 0)
        return -1;
    struct region lists = find_lists(bytes, tail.start);
    return check_pak(fd, buffer, err) < 0 ? -1 : search(fd, lists, buffer, err);
}

int archive_check_members(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(err, "cannot open it: %s", strerror(errno));
    uint8_t *buffer = memory_alloc(CHUNK_SIZE, 1, err);
    int result = buffer ? search_file(fd, buffer, err) : -1;
    free(buffer);
    close(fd);
    return result;
}
