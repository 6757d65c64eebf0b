#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/memory.h"

void hash_bytes(struct bytes bytes, char hash[HASH_SIZE])
{
    hash_pieces(&bytes, 1, hash);
}

void hash_pieces(const struct bytes *pieces, size_t count, char hash[HASH_SIZE])
{
    XXH3_state_t *state = XXH3_createState();
    XXH128_canonical_t canonical;
    if (!state)
        abort();
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < count; i++)
        XXH3_128bits_update(state, pieces[i].data, pieces[i].size);
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
    XXH3_freeState(state);
    for (size_t i = 0; i < HASH_SIZE - 1; i++)
        hash[i] = "0123456789abcdef"[canonical.digest[i / 2] >> (i % 2 ? 0 : 4) & 15];
    hash[HASH_SIZE - 1] = '\0';
}

uint64_t hash_number(struct bytes bytes)
{
    return XXH3_64bits(bytes.data, bytes.size);
}

/* -- Equal keys -------------------------------------------------------------------------------------------- */

enum { KEY_SIZE = 3 * sizeof(uint32_t) };

/* The hash has a number of this run in it, so that no file can be made to have all its keys in one place. */
static size_t place_of(const void *key, const void *salt)
{
    uint64_t words[3] = {0, 0, (uintptr_t)salt};
    memcpy(words, key, KEY_SIZE);
    return (size_t)hash_number((struct bytes){(const uint8_t *)words, sizeof words});
}

/* Keeps numbers from 1 in a table; 0 is a free place. */
uint32_t number_keys(const void *keys, size_t stride, uint32_t count, uint32_t *numbers, uint32_t *firsts)
{
    size_t size = 16;
    while (size < 2 * (size_t)count)
        size *= 2;
    uint32_t *table = must_alloc(size, sizeof *table), different = 0;
    for (uint32_t i = 0; i < count; i++) {
        const char *key = (const char *)keys + i * stride;
        size_t place = place_of(key, table) & (size - 1);
        while (table[place] && memcmp((const char *)keys + firsts[table[place] - 1] * stride, key, KEY_SIZE))
            place = (place + 1) & (size - 1);
        if (!table[place]) {
            firsts[different] = i;
            table[place] = ++different;
        }
        numbers[i] = table[place] - 1;
    }
    free(table);
    return different;
}
