/* XXH3: whether two files, or two things in memory, are the same. */
#pragma once

#include <stdint.h>

#include "base/bytes.h"

enum { HASH_SIZE = 33 };

/* The hash of the bytes of 128 bits as 32 hexadecimal digits and a NUL. */
void hash_bytes(struct bytes bytes, char hash[HASH_SIZE]);

/* The same of pieces one after the other. */
void hash_pieces(const struct bytes *pieces, size_t count, char hash[HASH_SIZE]);

/* A hash of 64 bits, for tables. */
uint64_t hash_number(struct bytes bytes);

/* Keys are three uint32_t, `stride` bytes apart. Gives equal ones the same number, 0 and up in the order in which they come; `firsts` has where each comes first.
 * Returns how many there are. */
uint32_t number_keys(const void *keys, size_t stride, uint32_t count, uint32_t *numbers, uint32_t *firsts);
