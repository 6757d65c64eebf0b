/* Bytes of a file in memory, and a cursor that reads little-endian numbers from them.
 *
 * The cursor never reads outside its bytes: a read past the end gives 0, leaves the cursor at the end and
 * sets `overrun`, so that a loader may read a whole header and check once. No struct is ever laid over the
 * bytes of a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed. */
struct bytes {
    const uint8_t *data;
    size_t size;
};

/* Owned: data comes from malloc; blob_release frees it. */
struct blob {
    uint8_t *data;
    size_t size;
};

void blob_release(struct blob *blob);
struct bytes blob_bytes(const struct blob *blob);

/* Writes what a text in base64 says to `out`, and returns the size. *read: the characters until another than its 64. */
size_t bytes_of_base64(struct bytes text, uint8_t *out, size_t *read);

struct cursor {
    struct bytes bytes;
    size_t at;
    bool overrun;
};

/* A cursor at `offset`, which may lie past the end: then the first read overruns. */
struct cursor cursor_at(struct bytes bytes, size_t offset);
size_t cursor_left(const struct cursor *cursor);

uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
int16_t cursor_i16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
int32_t cursor_i32(struct cursor *cursor);
float cursor_f32(struct cursor *cursor); /* any bit pattern: check isfinite() */

/* Numbers of vertices, as IQM lists them; glTF has some of them. */
enum number_type {
    NUMBER_I8,
    NUMBER_U8,
    NUMBER_I16,
    NUMBER_U16,
    NUMBER_I32,
    NUMBER_U32,
    NUMBER_HALF,
    NUMBER_FLOAT,
    NUMBER_DOUBLE,
    NUMBER_TYPE_COUNT
};

extern const struct number_row {
    uint8_t size; /* bytes */
    bool is_unsigned;
    double largest; /* whole number, which stands for 1 where they are parts; 0: they are fractions themselves */
} number_rows[NUMBER_TYPE_COUNT];

double cursor_component(struct cursor *cursor, enum number_type type);

/* The next `size` bytes, borrowed from the file, or NULL when fewer are left. */
const uint8_t *cursor_take(struct cursor *cursor, size_t size);

bool bytes_start_with(struct bytes bytes, const char *start);

/* Whether they are a Git LFS pointer, the short text that git checks out in place of a large file. */
bool bytes_are_lfs_pointer(struct bytes bytes);

/* Whether `count` items of `stride` bytes from `offset` lie inside `size` bytes, without overflow. */
bool bytes_hold(struct bytes bytes, size_t offset, size_t count, size_t stride);
