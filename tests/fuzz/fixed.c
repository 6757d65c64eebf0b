/* Calls a fuzz target with files, each as it is, and then with COUNT inputs that are these files after a few random
 * changes. The same files give the same inputs, on any machine and whatever the target does with them:
 *
 *     build/asan/fixed/NAME INPUT COUNT FILE...
 *
 * The file INPUT has the input of the moment, and stays when the target dies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "whole/mutate.h"

enum { MOST_CHANGES = 8, MOST_GROWTH = 4096 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* Targets may have one: with libFuzzer, too. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) __attribute__((weak));

static struct random dice = {1};

static void change_bytes(struct blob *blob)
{
    mutate(&dice, random_one_in(&dice, 2) ? CHANGE_ANYTHING : CHANGE_NUMBERS, blob, 1);
}

/* What a target's own mutator calls, as of libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    struct blob blob = {must_alloc(size + 1, 1), size};
    memcpy(blob.data, data, size);
    change_bytes(&blob);
    size_t kept = blob.size < most ? blob.size : most;
    memcpy(data, blob.data, kept);
    blob_release(&blob);
    return kept;
}

static void change(struct blob *blob)
{
    if (!LLVMFuzzerCustomMutator) {
        change_bytes(blob);
        return;
    }
    size_t most = blob->size + MOST_GROWTH;
    blob->data = must_realloc(blob->data, most, 1);
    blob->size = LLVMFuzzerCustomMutator(blob->data, blob->size, most, (unsigned)random_next(&dice));
}

/* From memory of exactly that size, so that the sanitizer sees a read past the end. */
static void call_target(struct bytes bytes, int input)
{
    struct blob copy = {must_alloc(bytes.size, 1), bytes.size};
    if (bytes.size)
        memcpy(copy.data, bytes.data, bytes.size);
    if (ftruncate(input, 0) < 0 || pwrite(input, bytes.data, bytes.size, 0) != (ssize_t)bytes.size)
        abort();
    LLVMFuzzerTestOneInput(copy.data, copy.size);
    blob_release(&copy);
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fputs("usage: fixed/NAME INPUT COUNT FILE...\n", stderr);
        return 2;
    }
    FILE *input = fopen(argv[1], "we");
    size_t file_count = (size_t)argc - 3;
    struct blob *files = must_alloc(file_count, sizeof *files);
    struct error err = {"cannot write the input"};
    bool is_good = input != NULL;
    for (size_t i = 0; i < file_count && is_good; i++)
        is_good = file_read(argv[3 + i], 1 << 24, &files[i], &err) == 0;
    if (!is_good) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    for (size_t i = 0; i < file_count; i++)
        call_target(blob_bytes(&files[i]), fileno(input));
    for (long left = strtol(argv[2], NULL, 10); left > 0; left--) {
        const struct blob *file = &files[random_below(&dice, file_count)];
        struct blob changed = {must_alloc(file->size + 1, 1), file->size};
        memcpy(changed.data, file->data, file->size);
        for (uint32_t changes = 1 + random_below(&dice, MOST_CHANGES); changes > 0; changes--)
            change(&changed);
        call_target(blob_bytes(&changed), fileno(input));
        blob_release(&changed);
    }
    for (size_t i = 0; i < file_count; i++)
        blob_release(&files[i]);
    free(files);
    fclose(input);
    return unlink(argv[1]);
}
