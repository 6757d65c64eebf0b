/* Zip files, written record by record, so that any number in them may be wrong. */
#ifndef UNIT_ZIP_BUILDER_H
#define UNIT_ZIP_BUILDER_H

#include <libdeflate.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

/* A zip file as it grows, and the list that comes after its members. */
struct zip {
    struct blob file, list;
    size_t file_capacity, list_capacity, count;
};

static inline void put(struct blob *blob, size_t *capacity, const void *data, size_t size)
{
    while (blob->size + size > *capacity) {
        *capacity = 2 * *capacity + 1024;
        blob->data = must_realloc(blob->data, *capacity, 1);
    }
    if (size > 0)
        memcpy(blob->data + blob->size, data, size);
    blob->size += size;
}

static inline void put_number(struct blob *blob, size_t *capacity, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++, number >>= 8)
        put(blob, capacity, &(uint8_t){(uint8_t)number}, 1);
}

static inline void put_in_file(struct zip *zip, uint64_t number, size_t size)
{
    put_number(&zip->file, &zip->file_capacity, number, size);
}

static inline void put_in_list(struct zip *zip, uint64_t number, size_t size)
{
    put_number(&zip->list, &zip->list_capacity, number, size);
}

struct record {
    const char *name, *extra;
    size_t name_size, extra_size; /* name_size: of the name, when not 0 */
    uint16_t flags, method;
    uint32_t crc, packed_size, size, mode, start;
};

static inline void list_member(struct zip *zip, const struct record *record)
{
    size_t name_size = record->name_size ? record->name_size : strlen(record->name);
    put(&zip->list, &zip->list_capacity, "PK\1\2\24\0\24\0", 8);
    put_in_list(zip, record->flags, 2);
    put_in_list(zip, record->method, 2);
    put_in_list(zip, 0, 4);
    put_in_list(zip, record->crc, 4);
    put_in_list(zip, record->packed_size, 4);
    put_in_list(zip, record->size, 4);
    put_in_list(zip, name_size, 2);
    put_in_list(zip, record->extra_size, 2);
    put_in_list(zip, 0, 8);
    put_in_list(zip, record->mode, 2);
    put_in_list(zip, record->start, 4);
    put(&zip->list, &zip->list_capacity, record->name, name_size);
    put(&zip->list, &zip->list_capacity, record->extra, record->extra_size);
    zip->count++;
}

/* A local header and the bytes, which may be packed already. Returns where it begins. */
static inline uint32_t put_bytes(struct zip *zip, const void *data, size_t size)
{
    uint32_t start = (uint32_t)zip->file.size;
    put(&zip->file, &zip->file_capacity, "PK\3\4", 4);
    put_in_file(zip, 0, 22);
    put_in_file(zip, 0, 4); /* no name, no extra fields */
    put(&zip->file, &zip->file_capacity, data, size);
    return start;
}

static inline struct record text_record(struct zip *zip, const char *name, const char *text)
{
    uint32_t size = (uint32_t)strlen(text);
    return (struct record){.name = name,
                           .crc = libdeflate_crc32(0, text, size),
                           .packed_size = size,
                           .size = size,
                           .start = put_bytes(zip, text, size)};
}

static inline void add_text(struct zip *zip, const char *name, const char *text)
{
    struct record record = text_record(zip, name, text);
    list_member(zip, &record);
}

static inline void end_zip(struct zip *zip, bool is_zip64, const char *comment)
{
    size_t start = zip->file.size, size = zip->list.size;
    put(&zip->file, &zip->file_capacity, zip->list.data, size);
    size_t end = zip->file.size;
    if (is_zip64) {
        put(&zip->file, &zip->file_capacity, "PK\6\6", 4);
        put_in_file(zip, 44, 8);
        put_in_file(zip, 45, 2);
        put_in_file(zip, 45, 2);
        put_in_file(zip, 0, 8);
        put_in_file(zip, zip->count, 8);
        put_in_file(zip, zip->count, 8);
        put_in_file(zip, size, 8);
        put_in_file(zip, start, 8);
        put(&zip->file, &zip->file_capacity, "PK\6\7", 4);
        put_in_file(zip, 0, 4);
        put_in_file(zip, end, 8);
        put_in_file(zip, 1, 4);
    }
    put(&zip->file, &zip->file_capacity, "PK\5\6", 4);
    put_in_file(zip, 0, 4);
    put_in_file(zip, is_zip64 ? UINT16_MAX : zip->count, 2);
    put_in_file(zip, is_zip64 ? UINT16_MAX : zip->count, 2);
    put_in_file(zip, size, 4);
    put_in_file(zip, is_zip64 ? UINT32_MAX : start, 4);
    put_in_file(zip, strlen(comment), 2);
    put(&zip->file, &zip->file_capacity, comment, strlen(comment));
}

#endif
