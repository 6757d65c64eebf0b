#include "fuzz_image.h"

#include <libdeflate.h>

/* A chunk is its length, a name of 4 bytes, the data and the checksum of name and data; numbers are big-endian. */
enum { HEAD_SIZE = 8, FRAME_SIZE = 12 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static size_t read_number(const uint8_t *at)
{
    return (size_t)at[0] << 24 | (size_t)at[1] << 16 | (size_t)at[2] << 8 | at[3];
}

static void write_number(uint8_t *at, size_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(number >> (24 - i * 8));
}

/* Whether a whole chunk begins there. */
static bool has_chunk(const uint8_t *data, size_t size, size_t at)
{
    return at + FRAME_SIZE <= size && read_number(data + at) <= size - at - FRAME_SIZE;
}

/* Corrects the checksums of all chunks: otherwise hardly any change would pass them. */
static void mend_checksums(uint8_t *data, size_t size)
{
    for (size_t at = 8; has_chunk(data, size, at); at += FRAME_SIZE + read_number(data + at)) {
        size_t length = read_number(data + at);
        write_number(data + at + HEAD_SIZE + length, libdeflate_crc32(0, data + at + 4, length + 4));
    }
}

/* -- Changes of chunks ------------------------------------------------------------------------------------------ */

/* The n-th chunk of pixels, counting round and round; 0: there is none. */
static size_t find_pixels(const uint8_t *data, size_t size, unsigned n)
{
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        size_t i = 0;
        for (size_t at = 8; has_chunk(data, size, at); at += FRAME_SIZE + read_number(data + at))
            if (!memcmp(data + at + 4, "IDAT", 4) && i++ == (count ? n % count : SIZE_MAX))
                return at;
        count = i;
    }
    return 0;
}

/* Moves what begins at `at` by so many bytes, which may be below 0. Returns the new size. */
static size_t move_rest(uint8_t *data, size_t size, size_t at, long by)
{
    memmove(data + at + by, data + at, size - at);
    return size + (size_t)by;
}

/* Splits a chunk of pixels into two, of which one may be empty; takes its bytes out; or repeats it. */
static size_t change_pixels(uint8_t *data, size_t size, size_t most, size_t at, unsigned seed)
{
    size_t length = read_number(data + at), whole = FRAME_SIZE + length;
    size_t cut = seed / 3 % 2 ? 0 : seed / 6 % (length + 1), middle = at + HEAD_SIZE + cut;
    switch (seed % 3) {
    case 0:
        if (size + FRAME_SIZE > most)
            return size;
        size = move_rest(data, size, middle, FRAME_SIZE);
        write_number(data + at, cut);
        write_number(data + middle + 4, length - cut);
        memcpy(data + middle + 8, "IDAT", 4);
        return size;
    case 1:
        write_number(data + at, 0);
        return move_rest(data, size, at + HEAD_SIZE + length, -(long)length);
    default:
        return size + whole > most ? size : move_rest(data, size, at, (long)whole);
    }
}

/* Changes of bytes hardly ever make two chunks of one. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    size_t at = seed % 2 ? 0 : find_pixels(data, size, seed / 2);
    return at ? change_pixels(data, size, most, at, seed / 16) : LLVMFuzzerMutate(data, size, most);
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
