#include "base/bytes.h"

#include <math.h>
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

size_t bytes_of_base64(struct bytes text, uint8_t *out, size_t *read)
{
    static const char digits[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *digit;
    uint32_t bits = 0;
    size_t size = 0;
    for (*read = 0; *read < text.size && (digit = memchr(digits, text.data[*read], sizeof digits)); ++*read) {
        bits = bits << 6 | (uint32_t)(digit - digits);
        if (*read % 4 > 0)
            out[size++] = (uint8_t)(bits >> (6 - 2 * (*read % 4)));
    }
    return size;
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

const struct number_row number_rows[NUMBER_TYPE_COUNT] = {
    [NUMBER_I8] = {1, false, INT8_MAX},   [NUMBER_U8] = {1, true, UINT8_MAX},
    [NUMBER_I16] = {2, false, INT16_MAX}, [NUMBER_U16] = {2, true, UINT16_MAX},
    [NUMBER_I32] = {4, false, INT32_MAX}, [NUMBER_U32] = {4, true, UINT32_MAX},
    [NUMBER_HALF] = {2, false, 0},        [NUMBER_FLOAT] = {4, false, 0},
    [NUMBER_DOUBLE] = {8, false, 0},
};

static double half_value(uint16_t half)
{
    int exponent = half >> 10 & 31, mantissa = half & 1023;
    double value = exponent == 31 ? NAN : exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return half & 0x8000 ? -value : value;
}

double cursor_component(struct cursor *cursor, enum number_type type)
{
    switch (type) {
    case NUMBER_I8:
        return (int8_t)cursor_u8(cursor);
    case NUMBER_U8:
        return cursor_u8(cursor);
    case NUMBER_I16:
        return cursor_i16(cursor);
    case NUMBER_U16:
        return cursor_u16(cursor);
    case NUMBER_I32:
        return cursor_i32(cursor);
    case NUMBER_U32:
        return cursor_u32(cursor);
    case NUMBER_HALF:
        return half_value(cursor_u16(cursor));
    case NUMBER_FLOAT:
        return (double)cursor_f32(cursor);
    default: {
        uint64_t low = cursor_u32(cursor), bits = low | (uint64_t)cursor_u32(cursor) << 32;
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    }
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
