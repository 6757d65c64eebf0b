#include "base/hash.h"

#include <stdio.h>
#include <xxhash.h>

void hash_bytes(struct bytes bytes, char hash[HASH_SIZE])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data, bytes.size));
    for (size_t i = 0; i < sizeof canonical.digest; i++)
        snprintf(hash + 2 * i, 3, "%02x", canonical.digest[i]);
}

uint64_t hash_number(struct bytes bytes)
{
    return XXH3_64bits(bytes.data, bytes.size);
}
