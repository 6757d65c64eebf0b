#include "fuzz_image.h"

#include <libdeflate.h>

/* Corrects the checksums of all chunks: otherwise hardly any change would pass them. A chunk is its length,
 * a name of 4 bytes, the data and the checksum of name and data; numbers are big-endian. */
static void mend_checksums(uint8_t *data, size_t size)
{
    for (size_t at = 8; at + 12 <= size;) {
        size_t length =
            (size_t)data[at] << 24 | (size_t)data[at + 1] << 16 | (size_t)data[at + 2] << 8 | data[at + 3];
        if (length > size - at - 12)
            return;
        uint32_t crc = libdeflate_crc32(0, data + at + 4, length + 4);
        for (size_t i = 0; i < 4; i++)
            data[at + 8 + length + i] = (uint8_t)(crc >> (24 - i * 8));
        at += length + 12;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    if (size)
        memcpy(copy, data, size);
    mend_checksums(copy, size);
    fuzz_image(&png_format, copy, size);
    free(copy);
    return 0;
}
