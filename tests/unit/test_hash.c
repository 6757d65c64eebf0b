#include <string.h>

#include "base/hash.h"
#include "test.h"

TEST(hash_is_xxh3_of_128_bits)
{
    char hash[HASH_SIZE];
    hash_bytes((struct bytes){NULL, 0}, hash);
    assert_string_equal(hash, "99aa06d3014798d86001c324468d497f"); /* the published value for no bytes */
    hash_bytes((struct bytes){(const uint8_t *)"a", 1}, hash);
    assert_int_equal(strlen(hash), HASH_SIZE - 1);
    assert_string_not_equal(hash, "99aa06d3014798d86001c324468d497f");
}

TEST(pieces_hash_like_the_whole)
{
    static const uint8_t text[1000] = {1, 2, 3};
    const struct bytes pieces[] = {{text, 1}, {text + 1, 299}, {NULL, 0}, {text + 300, 700}};
    char whole[HASH_SIZE], parts[HASH_SIZE];
    hash_bytes((struct bytes){text, sizeof text}, whole);
    hash_pieces(pieces, 4, parts);
    assert_string_equal(whole, parts);
}
