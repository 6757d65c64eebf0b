#include "base/hash.h"

#include <stdlib.h>
#include <xxhash.h>

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
