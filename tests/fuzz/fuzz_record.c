/* Any bytes as a record; checks all that was read. */
#include <stdlib.h>
#include <string.h>

#include "job/rules.h"
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

/* By all rules. */
static void judge(const struct record *record)
{
    static const char *const patterns[] = {"*a*b", "idle"};
    struct rules rules = {0};
    struct strings found = {0};
    const struct growth growth = {record, {1, 2}};
    for (int i = 0; i < RULE_COUNT; i++)
        rules.items[i].bounds[i % 2] = (struct bound){i % 3, {patterns, 2}, {"", 1, 1}};
    rules_judge(&rules, record, false, &growth, &found);
    strings_release(&found);
}

static void check_files(const struct record *record)
{
    for (size_t i = 0; i < record->file_count; i++)
        if (strchr(record->files[i].name, '/') || strlen(record->files[i].hash) != HASH_SIZE - 1)
            __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct record record;
    struct error err;
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, data, size);
    seal(copy, size);
    if (record_load((struct bytes){copy, size}, RECORD_OF_PAGE, &record, &err) == 0) {
        check_files(&record);
        record_release(&record);
    }
    int result = record_load((struct bytes){copy, size}, RECORD_WHOLE, &record, &err);
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
    check_pairs(&record.facts);
    check_pairs(&record.measured);
    struct finding finding;
    for (size_t i = 0; i < record.finding_count; i++)
        if (!finding_read(record.findings[i], &finding))
            __builtin_trap();
    for (size_t i = 0; i < record.clip_count; i++)
        if (!record.clips[i])
            __builtin_trap();
    judge(&record);
    check_files(&record);
    record_release(&record);
    return 0;
}
