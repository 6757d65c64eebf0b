/* Any bytes as a job list. */
#include "fuzz_reader.h"

static void add_list(const struct reader *reader, struct bytes bytes, struct source_files *out)
{
    source_parse(reader, bytes, "list.yaml", false, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(add_list, data, size);
}
