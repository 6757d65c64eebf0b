#include "world.h"

#include <libdeflate.h>
#include <string.h>

#include "base/memory.h"

enum { DEFLATED = 8 };

/* The archive as it is written, and its directory, which comes last. */
struct writer {
    struct blob blob;
    size_t capacity;
};

static void put_bytes(struct writer *writer, const void *bytes, size_t size)
{
    while (writer->capacity < writer->blob.size + size) {
        writer->capacity = 2 * writer->capacity + 4096;
        writer->blob.data = must_realloc(writer->blob.data, writer->capacity, 1);
    }
    if (size)
        memcpy(writer->blob.data + writer->blob.size, bytes, size);
    writer->blob.size += size;
}

/* A little-endian number of `size` bytes. */
static void put(struct writer *writer, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put_bytes(writer, &(uint8_t){(uint8_t)(number >> 8 * i)}, 1);
}

struct member {
    const char *path;
    uint32_t crc, packed_size, size;
};

/* The fields that both headers of a member have, from "version needed" to the length of the name. */
static void put_member(struct writer *writer, const struct member *member)
{
    put(writer, 20, 2);
    put(writer, 0, 2);
    put(writer, DEFLATED, 2);
    put(writer, 0x00210000, 4); /* the first of January 1980 */
    put(writer, member->crc, 4);
    put(writer, member->packed_size, 4);
    put(writer, member->size, 4);
    put(writer, strlen(member->path), 2);
    put(writer, 0, 2);
}

static void put_entry(struct writer *entries, const struct member *member, size_t place)
{
    put(entries, 0x02014b50, 4);
    put(entries, 20, 2);
    put_member(entries, member);
    put(entries, 0, 6); /* no comment, the first disk, inner attributes */
    put(entries, 0, 4);
    put(entries, place, 4);
    put_bytes(entries, member->path, strlen(member->path));
}

static void put_file(struct writer *archive, struct writer *entries, struct libdeflate_compressor *compressor,
                     const struct world_file *file)
{
    size_t bound = libdeflate_deflate_compress_bound(compressor, file->blob.size), place = archive->blob.size;
    uint8_t *packed = must_alloc(bound, 1);
    size_t packed_size = libdeflate_deflate_compress(compressor, file->blob.data, file->blob.size, packed, bound);
    struct member member = {file->path, libdeflate_crc32(0, file->blob.data, file->blob.size),
                            (uint32_t)packed_size, (uint32_t)file->blob.size};
    put(archive, 0x04034b50, 4);
    put_member(archive, &member);
    put_bytes(archive, file->path, strlen(file->path));
    put_bytes(archive, packed, packed_size);
    put_entry(entries, &member, place);
    free(packed);
}

struct blob world_archive(const struct world *world)
{
    struct writer archive = {0}, entries = {0};
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(6);
    for (size_t i = 0; i < world->count; i++)
        put_file(&archive, &entries, compressor, &world->files[i]);
    libdeflate_free_compressor(compressor);

    size_t place = archive.blob.size;
    put_bytes(&archive, entries.blob.data, entries.blob.size);
    put(&archive, 0x06054b50, 4);
    put(&archive, 0, 4);
    put(&archive, world->count, 2);
    put(&archive, world->count, 2);
    put(&archive, entries.blob.size, 4);
    put(&archive, place, 4);
    put(&archive, 0, 2);
    blob_release(&entries.blob);
    return archive.blob;
}
