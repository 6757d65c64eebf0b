/* Any bytes as a record; checks all that was read. */
#include <stdlib.h>
#include <string.h>

#include "page/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pairs(const struct record_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (record_find(pairs, pairs->items[i].name) != &pairs->items[i])
            __builtin_trap();
}

/* Writes the correct hash into it: otherwise hardly any input would be read. */
static void seal(uint8_t *data, size_t size)
{
    size_t at;
    char hash[HASH_SIZE];
    if (record_hash((struct bytes){data, size}, &at, hash) == 0)
        memcpy(data + at, hash, HASH_SIZE - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record record;
    struct error err;
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    seal(copy, size);
    int result = record_load((struct bytes){copy, size}, &record, &err);
    free(copy);
    if (result < 0)
        return 0;
    check_pairs(&record.settings);
    check_pairs(&record.words);
    check_pairs(&record.places);
    check_pairs(&record.inputs);
    check_pairs(&record.packed);
    check_pairs(&record.found);
    check_pairs(&record.listed);
    check_pairs(&record.declared);
    for (size_t i = 0; i < record.file_count; i++)
        if (strchr(record.files[i].name, '/') || strlen(record.files[i].hash) != HASH_SIZE - 1)
            __builtin_trap();
    record_release(&record);
    return 0;
}
