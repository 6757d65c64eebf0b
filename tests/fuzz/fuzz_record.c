/* Reads anything as the JSON of a page, and looks at all that was read. */
#include <string.h>

#include "sheet/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_pairs(const struct record_pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (record_find(pairs, pairs->items[i].name) != &pairs->items[i])
            __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record record;
    struct error err;
    if (record_load((struct bytes){data, size}, &record, &err) != RECORD_GOOD)
        return 0;
    check_pairs(&record.settings);
    check_pairs(&record.inputs);
    check_pairs(&record.found);
    check_pairs(&record.listed);
    check_pairs(&record.declared);
    for (size_t i = 0; i < record.file_count; i++)
        if (strchr(record.files[i].name, '/') || strlen(record.files[i].hash) != HASH_SIZE - 1)
            __builtin_trap();
    record_release(&record);
    return 0;
}
