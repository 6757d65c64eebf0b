#include "base/bytes.h"

#include <stdlib.h>
#include <string.h>

void blob_release(struct blob *blob)
{
    free(blob->data);
    *blob = (struct blob){0};
}

struct bytes blob_bytes(const struct blob *blob)
{
    return (struct bytes){blob->data, blob->size};
}

struct cursor cursor_at(struct bytes bytes, size_t offset)
{
    bool inside = offset <= bytes.size;
    return (struct cursor){.bytes = bytes, .at = inside ? offset : bytes.size, .overrun = !inside};
}

size_t cursor_left(const struct cursor *cursor)
{
    return cursor->bytes.size - cursor->at;
}

const uint8_t *cursor_take(struct cursor *cursor, size_t size)
{
    if (size > cursor_left(cursor)) {
        cursor->at = cursor->bytes.size;
        cursor->overrun = true;
        return NULL;
    }
    const uint8_t *data = cursor->bytes.data + cursor->at;
    cursor->at += size;
    return data;
}

uint8_t cursor_u8(struct cursor *cursor)
{
    const uint8_t *data = cursor_take(cursor, 1);
    return data ? data[0] : 0;
}

uint16_t cursor_u16(struct cursor *cursor)
{
    const uint8_t *data = cursor_take(cursor, 2);
    return data ? (uint16_t)(data[0] | data[1] << 8) : 0;
}

int16_t cursor_i16(struct cursor *cursor)
{
    return (int16_t)cursor_u16(cursor);
}

uint32_t cursor_u32(struct cursor *cursor)
{
    const uint8_t *data = cursor_take(cursor, 4);
    return data ? data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24 : 0;
}

int32_t cursor_i32(struct cursor *cursor)
{
    return (int32_t)cursor_u32(cursor);
}

float cursor_f32(struct cursor *cursor)
{
    uint32_t bits = cursor_u32(cursor);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

bool bytes_hold(struct bytes bytes, size_t offset, size_t count, size_t stride)
{
    size_t total;
    return offset <= bytes.size && !__builtin_mul_overflow(count, stride, &total) && total <= bytes.size - offset;
}

bool bytes_start_with(struct bytes bytes, const char *start)
{
    return bytes.size >= strlen(start) && !memcmp(bytes.data, start, strlen(start));
}

bool bytes_are_lfs_pointer(struct bytes bytes)
{
    return bytes_start_with(bytes, "version https://git-lfs.github.com/spec/");
}
