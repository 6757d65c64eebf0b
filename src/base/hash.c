#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

static void spell(XXH128_hash_t value, char hash[HASH_SIZE])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, value);
    for (size_t i = 0; i < sizeof canonical.digest; i++)
        snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
}

void hash_bytes(struct bytes bytes, char hash[HASH_SIZE])
{
    spell(XXH3_128bits(bytes.data, bytes.size), hash);
}

void hash_pieces(const struct bytes *pieces, size_t count, char hash[HASH_SIZE])
{
    XXH3_state_t *state = XXH3_createState();
    if (!state)
        abort();
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < count; i++)
        XXH3_128bits_update(state, pieces[i].data, pieces[i].size);
    spell(XXH3_128bits_digest(state), hash);
    XXH3_freeState(state);
}

uint64_t hash_number(struct bytes bytes)
{
    return XXH3_64bits(bytes.data, bytes.size);
}
