/* Zip archives (pk3, pk4) and Quake's pak: what is in them, and reading it.
 *
 * An archive may be hostile, and the supervisor opens it, too. So its list of members is read once, within limits, and
 * sorted: no choice of names makes that slow, as it does where names are hashed. Everything that the list says is
 * compared with the size of the file before it is used. The file is not mapped: one that is cut short meanwhile is an
 * error and no signal. Reads do not move a file position, so processes may share an open archive. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/hash.h"

enum {
    /* Some 100 bytes each in memory. The largest games have some 50,000 files. */
    ARCHIVE_MOST_MEMBERS = 1000 * 1000,

    /* All members with names of 80 bytes. */
    ARCHIVE_MAX_LIST = 128 * 1024 * 1024,

    /* Up to 1 KiB each in memory, and a member can name 511. */
    ARCHIVE_MOST_FOLDERS = 100 * 1000,

    /* Longer paths are not looked up, and longer ones in archives not seen. Also bounds how deep folders nest. */
    PATH_LIMIT = 1024,

    /* Deflate shrinks nothing further: a member that claims more lies about its size. */
    DEFLATE_BEST_RATIO = 1032,
};

struct member {
    const char *path; /* with '/' between; no "", ".", ".." or ':' in it */
    uint64_t start;   /* in the file: of its local header in a zip, of its bytes in a pak */
    uint64_t packed_size, size;
    uint32_t crc;
    uint16_t flags, method;
    const char *object; /* of a struct assets_tree alone: the file with its bytes */
};

struct archive;

/* Fails when the file is not an archive or a damaged one, holds a symbolic link, or is past a limit. */
int archive_open(const char *path, struct archive **out, struct error *err);
void archive_free(struct archive *archive); /* NULL is fine */

/* All files, sorted by the bytes of their paths, each path once: of several that are the same the last one counts,
 * as in Quake III and Doom 3. Folders are not listed. Borrowed. */
const struct member *archive_members(const struct archive *archive, size_t *count);

/* A whole member of at most `limit` bytes; *out is the caller's to release. `packed_hash` is as of archive_hash_packed. */
int archive_read(const struct archive *archive, const struct member *member, size_t limit, struct blob *out,
                 char packed_hash[HASH_SIZE], struct error *err);

/* The hash of a member's packed bytes, size and CRC, without unpacking it: where it is as it was, archive_read gives what it
 * gave. "" for a member that is stored as it is. */
int archive_hash_packed(const struct archive *archive, const struct member *member, size_t limit,
                        char hash[HASH_SIZE], struct error *err);
