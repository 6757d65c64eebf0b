/* Bytes for tests to damage and to cut. */
#ifndef UNIT_BLOBS_H
#define UNIT_BLOBS_H

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* Writes a number of `size` bytes, little-endian. */
static inline void blob_put(struct blob *blob, size_t at, uint32_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        blob->data[at + i] = (uint8_t)(value >> 8 * i);
}

static inline uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline void blob_put_float(struct blob *blob, size_t at, float value)
{
    blob_put(blob, at, float_bits(value), 4);
}

/* The bytes in a block of exactly their size, so that a sanitizer sees a read past the end; the caller frees
 * .data. */
static inline struct bytes exact_copy(const void *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    return (struct bytes){copy, size};
}

#endif
