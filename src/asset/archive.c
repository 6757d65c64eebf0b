/* A zip file, as far as it is read here (numbers are little-endian; PKWARE's APPNOTE.TXT has all of it):
 *
 * - for each member "PK\3\4", flags at 6, method at 8, length of its name at 26 and of extra fields at 28; from 30
 *   on these two, then the packed bytes
 * - the list: for each member "PK\1\2" and 42 bytes (see read_zip_member), its name, extra fields, a comment
 * - zip64 only: "PK\6\6", number of members at 32, size of the list at 40, start of the list at 48, 56 bytes in
 *   all; then "PK\6\7" and 16 bytes
 * - at the very end "PK\5\6", number of members at 10, size of the list at 12, start of the list at 16, length of
 *   the comment at 20; then the comment
 *
 * Starts count from the first byte of the archive, which other bytes may precede: a program that unpacks it, say.
 * The list ends where the end records begin, which tells how many.
 *
 * A pak file is "PACK", the start of its list and the size of that; a member of the list is its name in 56 bytes,
 * its start and its size. */
#include "asset/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"

enum {
    END_SIZE = 22,
    COMMENT_SIZE = 65535, /* at most */
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    MEMBER_SIZE = 46,
    HEADER_SIZE = 30,
    PAK_HEAD_SIZE = 12,
    PAK_MEMBER_SIZE = 64,
    PAK_NAME_SIZE = 56,
    ENCRYPTED = 1, /* a bit of the flags */
    STORED = 0,
    DEFLATED = 8,
    ZIP64_FIELD = 1,
    NAME_SHOWN = 200, /* bytes */
};

#define DAMAGED "it was cut short, or is damaged: "

struct archive {
    int fd;
    uint64_t size; /* of the file */
    bool is_pak;
    struct blob list; /* the paths lie in it */
    struct member *members;
    size_t count;
    struct libdeflate_decompressor *decompressor;
};

/* Where the list lies in the file. */
struct list_span {
    uint64_t start, size;
    uint64_t base;  /* what to add to starts that the archive gives */
    uint64_t count; /* of members, as the archive says */
};

static int read_at(const struct archive *archive, uint64_t start, void *out, size_t size, struct error *err)
{
    if (start > archive->size || size > archive->size - start)
        return error_set(err, DAMAGED "%zu bytes are to be read at byte %ju of %ju", size, (uintmax_t)start,
                         (uintmax_t)archive->size);
    ssize_t got = file_pread(archive->fd, out, size, start);
    if (got < 0)
        return error_set(err, "%s", strerror(errno));
    if ((size_t)got < size)
        return error_set(err, DAMAGED "it ends at byte %ju, and had %ju bytes when it was opened",
                         (uintmax_t)(start + (size_t)got), (uintmax_t)archive->size);
    return 0;
}

static bool has_signature(struct bytes bytes, size_t at, const char signature[4])
{
    return bytes.size >= 4 && at <= bytes.size - 4 && !memcmp(bytes.data + at, signature, 4);
}

static uint64_t read_u64(struct cursor *cursor)
{
    uint64_t low = cursor_u32(cursor);
    return low | (uint64_t)cursor_u32(cursor) << 32;
}

/* -- Members ----------------------------------------------------------------------------------------------- */

/* Whether a path in the assets could mean it. Folders have names as well, which end in '/'. */
static bool is_usable(const char *path, size_t length)
{
    if (length == 0 || length >= PATH_LIMIT || memchr(path, '\0', length) || memchr(path, ':', length))
        return false;
    for (const char *part = path; part;) {
        size_t size = strcspn(part, "/");
        if (size == 0 || (size == 1 && part[0] == '.') || (size == 2 && part[0] == '.' && part[1] == '.'))
            return false;
        part = part[size] ? part + size + 1 : NULL;
    }
    return true;
}

/* The member's path is made in the place of its record, which is longer than the NUL that it lacks and has been
 * read. */
static void add_member(struct archive *archive, size_t record, const uint8_t *name, size_t length,
                       struct member member)
{
    char *path = (char *)archive->list.data + record;
    memmove(path, name, length);
    path[length] = '\0';
    for (char *c = path; *c; c++)
        if (*c == '\\')
            *c = '/';
    member.path = path;
    if (is_usable(path, length))
        archive->members[archive->count++] = member;
}

/* Sizes and starts that do not fit into 32 bits are all ones, and stand in an extra field, in this order. */
static void read_zip64(struct cursor extra, struct member *member)
{
    uint64_t *const numbers[] = {&member->size, &member->packed_size, &member->start};
    while (cursor_left(&extra) >= 4) {
        uint16_t kind = cursor_u16(&extra), size = cursor_u16(&extra);
        const uint8_t *data = cursor_take(&extra, size);
        if (kind != ZIP64_FIELD || !data)
            continue;
        struct cursor field = cursor_at((struct bytes){data, size}, 0);
        for (size_t i = 0; i < 3; i++)
            if (*numbers[i] == UINT32_MAX && cursor_left(&field) >= 8)
                *numbers[i] = read_u64(&field);
        return;
    }
}

static int read_zip_member(struct archive *archive, const struct list_span *span, struct cursor *cursor,
                           struct error *err)
{
    size_t record = cursor->at;
    struct member member = {0};
    if (!has_signature(cursor->bytes, record, "PK\1\2"))
        return error_set(err, DAMAGED "no member is listed at byte %ju", (uintmax_t)(span->start + record));
    cursor_take(cursor, 8); /* the signature, versions */
    member.flags = cursor_u16(cursor);
    member.method = cursor_u16(cursor);
    cursor_take(cursor, 4); /* time */
    member.crc = cursor_u32(cursor);
    member.packed_size = cursor_u32(cursor);
    member.size = cursor_u32(cursor);
    size_t name_size = cursor_u16(cursor), extra_size = cursor_u16(cursor), comment_size = cursor_u16(cursor);
    cursor_take(cursor, 6); /* the disk, inner attributes, and of the outer ones those of DOS */
    uint16_t mode = cursor_u16(cursor);
    member.start = cursor_u32(cursor);
    const uint8_t *name = cursor_take(cursor, name_size), *extra = cursor_take(cursor, extra_size);
    cursor_take(cursor, comment_size);
    if (cursor->overrun)
        return error_set(err, DAMAGED "the member listed at byte %ju runs past the end of the list at byte %ju",
                         (uintmax_t)(span->start + record), (uintmax_t)(span->start + span->size));
    if (S_ISLNK(mode))
        return error_set(err, "'%.*s' is a symbolic link, which archives must not hold",
                         (int)(name_size < NAME_SHOWN ? name_size : NAME_SHOWN), (const char *)name);
    read_zip64(cursor_at((struct bytes){extra, extra_size}, 0), &member);
    member.start += span->base;
    add_member(archive, record, name, name_size, member);
    return 0;
}

/* Of the same path, the one that is listed later lies at a higher address, and comes first. */
static int compare_members(const void *a_item, const void *b_item)
{
    const struct member *a = a_item, *b = b_item;
    int order = strcmp(a->path, b->path);
    return order ? order : (a->path < b->path) - (a->path > b->path);
}

/* -- The list ---------------------------------------------------------------------------------------------- */

static int find_pak_list(const struct archive *archive, struct bytes head, struct list_span *span,
                         struct error *err)
{
    struct cursor cursor = cursor_at(head, 4);
    span->start = cursor_u32(&cursor);
    span->size = cursor_u32(&cursor);
    span->count = span->size / PAK_MEMBER_SIZE;
    if (span->start > archive->size || span->size > archive->size - span->start || span->size % PAK_MEMBER_SIZE)
        return error_set(err, DAMAGED "its list of files has %ju bytes from byte %ju of %ju on",
                         (uintmax_t)span->size, (uintmax_t)span->start, (uintmax_t)archive->size);
    return 0;
}

/* The zip64 end record, where there is one before the end record at *end: its numbers count then, and it is the
 * end. */
static void find_end64(const struct archive *archive, uint64_t *end, struct list_span *span)
{
    uint8_t record[END64_SIZE + LOCATOR_SIZE];
    struct bytes bytes = {record, sizeof record};
    struct error err;
    if (*end < sizeof record || read_at(archive, *end - sizeof record, record, sizeof record, &err) < 0 ||
        !has_signature(bytes, 0, "PK\6\6") || !has_signature(bytes, END64_SIZE, "PK\6\7"))
        return;
    struct cursor cursor = cursor_at(bytes, 32);
    *end -= sizeof record;
    span->count = read_u64(&cursor);
    span->size = read_u64(&cursor);
    span->start = read_u64(&cursor);
}

static int find_zip_list(const struct archive *archive, struct list_span *span, struct error *err)
{
    uint8_t buffer[END_SIZE + COMMENT_SIZE];
    struct bytes tail = {buffer, archive->size < sizeof buffer ? (size_t)archive->size : sizeof buffer};
    uint64_t tail_start = archive->size - tail.size;
    bool is_found = false;
    if (read_at(archive, tail_start, buffer, tail.size, err) < 0)
        return -1;
    /* The end record. Its comment, which may hold anything, reaches to the end of the file. */
    size_t at = tail.size < END_SIZE ? 0 : tail.size - END_SIZE + 1;
    while (!is_found && at-- > 0) {
        struct cursor comment = cursor_at(tail, at + END_SIZE - 2);
        is_found = has_signature(tail, at, "PK\5\6") && cursor_u16(&comment) == tail.size - at - END_SIZE;
    }
    if (!is_found)
        return error_set(err, "not a zip (pk3, pk4) or pak archive, or one that was cut short");

    struct cursor cursor = cursor_at(tail, at + 10);
    uint64_t end = tail_start + at;
    span->count = cursor_u16(&cursor);
    span->size = cursor_u32(&cursor);
    span->start = cursor_u32(&cursor);
    if (span->count == UINT16_MAX || span->size == UINT32_MAX || span->start == UINT32_MAX)
        find_end64(archive, &end, span);
    if (span->size > end || span->start > end - span->size)
        return error_set(err,
                         DAMAGED "its list of files has %ju bytes from byte %ju on, and should end at byte %ju",
                         (uintmax_t)span->size, (uintmax_t)span->start, (uintmax_t)end);
    span->base = end - span->size - span->start;
    span->start += span->base;
    return 0;
}

static int read_members(struct archive *archive, const struct list_span *span, struct error *err)
{
    struct cursor cursor = cursor_at(blob_bytes(&archive->list), 0);
    uint64_t listed = 0;
    for (; cursor_left(&cursor) > 0; listed++) {
        if (listed == ARCHIVE_MOST_MEMBERS)
            return error_set(err, "more than %d files", ARCHIVE_MOST_MEMBERS);
        if (!archive->is_pak && read_zip_member(archive, span, &cursor, err) < 0)
            return -1;
        if (archive->is_pak) {
            size_t record = cursor.at;
            const uint8_t *name = cursor_take(&cursor, PAK_NAME_SIZE);
            uint32_t start = cursor_u32(&cursor), size = cursor_u32(&cursor);
            add_member(archive, record, name, strnlen((const char *)name, PAK_NAME_SIZE),
                       (struct member){.start = start, .packed_size = size, .size = size});
        }
    }
    /* Programs that do not know zip64 write the low 16 bits of a larger number. */
    if (listed != span->count && (listed & UINT16_MAX) != span->count)
        return error_set(err, DAMAGED "it lists %ju files, and should list %ju", (uintmax_t)listed,
                         (uintmax_t)span->count);

    size_t count = 0, folders = 0;
    qsort(archive->members, archive->count, sizeof *archive->members, compare_members);
    for (size_t i = 0; i < archive->count; i++) {
        const char *before = count ? archive->members[count - 1].path : "", *path = archive->members[i].path;
        if (!strcmp(before, path))
            continue;
        archive->members[count++] = archive->members[i];
        /* A folder is new where a path first differs from the one before. */
        while (*path && *path == *before)
            path++, before++;
        for (; *path; path++)
            folders += *path == '/';
    }
    archive->count = count;
    return folders > ARCHIVE_MOST_FOLDERS
               ? error_set(err, "%zu folders, at most %d are allowed", folders, ARCHIVE_MOST_FOLDERS)
               : 0;
}

static int read_list(struct archive *archive, struct error *err)
{
    uint8_t head[PAK_HEAD_SIZE] = {0};
    struct list_span span = {0};
    if (archive->size >= sizeof head && read_at(archive, 0, head, sizeof head, err) < 0)
        return -1;
    archive->is_pak = !memcmp(head, "PACK", 4);
    int found = archive->is_pak ? find_pak_list(archive, (struct bytes){head, sizeof head}, &span, err)
                                : find_zip_list(archive, &span, err);
    if (found < 0)
        return -1;
    if (span.size > ARCHIVE_MAX_LIST)
        return error_set(err, "its list of files has %ju bytes, at most %d are allowed", (uintmax_t)span.size,
                         ARCHIVE_MAX_LIST);
    size_t most = (size_t)span.size / (archive->is_pak ? PAK_MEMBER_SIZE : MEMBER_SIZE);
    archive->list = (struct blob){memory_alloc((size_t)span.size, 1, err), (size_t)span.size};
    archive->members = memory_alloc(most, sizeof *archive->members, err);
    if (!archive->list.data || !archive->members ||
        read_at(archive, span.start, archive->list.data, archive->list.size, err) < 0)
        return -1;
    return read_members(archive, &span, err);
}

/* -- Archives ---------------------------------------------------------------------------------------------- */

int archive_open(const char *path, struct archive **out, struct error *err)
{
    struct archive *archive = must_alloc(1, sizeof *archive);
    struct stat info;
    archive->fd = open(path, O_RDONLY | O_CLOEXEC);
    archive->decompressor = libdeflate_alloc_decompressor();
    int result;
    if (archive->fd < 0 || fstat(archive->fd, &info) < 0) {
        result = error_set(err, "%s", strerror(errno));
    } else if (!archive->decompressor) {
        memory_failed(0);
        result = error_set(err, "out of memory for what unpacks it");
    } else {
        archive->size = (uint64_t)info.st_size;
        result = read_list(archive, err);
    }
    if (result < 0) {
        archive_free(archive);
        return -1;
    }
    *out = archive;
    return 0;
}

void archive_free(struct archive *archive)
{
    if (!archive)
        return;
    if (archive->fd >= 0)
        close(archive->fd);
    libdeflate_free_decompressor(archive->decompressor);
    blob_release(&archive->list);
    free(archive->members);
    free(archive);
}

const struct member *archive_members(const struct archive *archive, size_t *count)
{
    *count = archive->count;
    return archive->members;
}

/* -- Reading ----------------------------------------------------------------------------------------------- */

/* Fails where a member's own numbers contradict each other, before anything is allocated. */
static int check_member(const struct member *member, size_t limit, struct error *err)
{
    uint64_t largest = member->size > member->packed_size ? member->size : member->packed_size;
    if (largest > limit)
        return error_set(err, "%ju bytes, at most %zu are allowed", (uintmax_t)largest, limit);
    if (member->flags & ENCRYPTED)
        return error_set(err, "it is encrypted, which is not supported");
    if (member->method != STORED && member->method != DEFLATED)
        return error_set(err, "it is packed by method %d, supported are %d (stored) and %d (deflate)",
                         member->method, STORED, DEFLATED);
    if (member->method == STORED && member->packed_size != member->size)
        return error_set(err, DAMAGED "%ju bytes that are not packed claim to be %ju",
                         (uintmax_t)member->packed_size, (uintmax_t)member->size);
    if (member->size / DEFLATE_BEST_RATIO > member->packed_size)
        return error_set(err, DAMAGED "it claims to be %ju bytes, more than %ju packed ones can hold",
                         (uintmax_t)member->size, (uintmax_t)member->packed_size);
    return 0;
}

/* Finds the first byte of a member, behind the local header of a zip, which has lengths of its own. */
static int find_bytes(const struct archive *archive, const struct member *member, uint64_t *start,
                      struct error *err)
{
    uint8_t header[HEADER_SIZE];
    struct bytes bytes = {header, sizeof header};
    *start = member->start;
    if (archive->is_pak)
        return 0;
    if (read_at(archive, member->start, header, sizeof header, err) < 0)
        return -1;
    if (!has_signature(bytes, 0, "PK\3\4"))
        return error_set(err, DAMAGED "no file begins at byte %ju", (uintmax_t)member->start);
    struct cursor cursor = cursor_at(bytes, 26);
    uint16_t name_size = cursor_u16(&cursor), extra_size = cursor_u16(&cursor);
    *start += HEADER_SIZE + (uint64_t)name_size + extra_size;
    return 0;
}

/* The caller releases *out, here and below, also after a failure. */
static int unpack(const struct archive *archive, const struct member *member, const struct blob *packed,
                  struct blob *out, struct error *err)
{
    *out = (struct blob){memory_alloc((size_t)member->size, 1, err), (size_t)member->size};
    if (!out->data)
        return -1;
    enum libdeflate_result result = libdeflate_deflate_decompress(archive->decompressor, packed->data,
                                                                  packed->size, out->data, out->size, NULL);
    if (result == LIBDEFLATE_SUCCESS)
        return 0;
    if (result == LIBDEFLATE_BAD_DATA)
        return error_set(err, DAMAGED "its %zu packed bytes cannot be unpacked", packed->size);
    return error_set(err, DAMAGED "it unpacks to %s bytes than the %ju it claims",
                     result == LIBDEFLATE_SHORT_OUTPUT ? "fewer" : "more", (uintmax_t)member->size);
}

/* Reads a member's bytes as they lie in the archive. */
static int read_packed(const struct archive *archive, const struct member *member, size_t limit,
                       struct blob *packed, struct error *err)
{
    uint64_t start;
    if (check_member(member, limit, err) < 0 || find_bytes(archive, member, &start, err) < 0)
        return -1;
    if (start > archive->size || member->packed_size > archive->size - start)
        return error_set(err, DAMAGED "it has %ju bytes from byte %ju of %ju on", (uintmax_t)member->packed_size,
                         (uintmax_t)start, (uintmax_t)archive->size);
    *packed = (struct blob){memory_alloc((size_t)member->packed_size, 1, err), (size_t)member->packed_size};
    return packed->data ? read_at(archive, start, packed->data, packed->size, err) : -1;
}

/* Hashes all that archive_read depends on. */
static void hash_packed(const struct member *member, const struct blob *packed, char hash[HASH_SIZE])
{
    const struct bytes pieces[] = {
        {(const uint8_t *)&member->size, sizeof member->size},
        {(const uint8_t *)&member->crc, sizeof member->crc},
        blob_bytes(packed),
    };
    hash[0] = '\0';
    if (member->method == DEFLATED)
        hash_pieces(pieces, 3, hash);
}

int archive_hash_packed(const struct archive *archive, const struct member *member, size_t limit,
                        char hash[HASH_SIZE], struct error *err)
{
    SCOPED_BY(blob_release) struct blob packed = {0};
    if (read_packed(archive, member, limit, &packed, err) < 0)
        return -1;
    hash_packed(member, &packed, hash);
    return 0;
}

int archive_read(const struct archive *archive, const struct member *member, size_t limit, struct blob *out,
                 char packed_hash[HASH_SIZE], struct error *err)
{
    SCOPED_BY(blob_release) struct blob packed = {0}, unpacked = {0};
    if (read_packed(archive, member, limit, &packed, err) < 0)
        return -1;
    hash_packed(member, &packed, packed_hash);
    if (member->method == DEFLATED && unpack(archive, member, &packed, &unpacked, err) < 0)
        return -1;
    struct blob *blob = member->method == DEFLATED ? &unpacked : &packed;
    uint32_t crc = archive->is_pak ? member->crc : libdeflate_crc32(0, blob->data, blob->size);
    if (crc != member->crc)
        return error_set(err, DAMAGED "its checksum is %08x, and should be %08x", crc, member->crc);
    *out = *blob;
    *blob = (struct blob){0};
    return 0;
}
