/* Any bytes as a config, over the built-in one and under a list of one job. */
#include <string.h>

#include "fuzz_reader.h"

static void add_config(const struct reader *reader, struct bytes bytes, struct source_files *out)
{
    static const char list[] =
        "version: 1\njobs: [{name: a, model: a.md2, light: {rig: dusk}, cameras: [low, front]}]\n";
    if (source_parse(reader, (struct bytes){(const uint8_t *)list, strlen(list)}, "list.yaml", false, out) < 0)
        abort();
    source_parse(reader, bytes, "config.yaml", true, out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(add_config, data, size);
}
