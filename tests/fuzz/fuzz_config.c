/* Any bytes as a config, over the built-in one and under a list of one job. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_reader.h"
#include "job/draft.h"

static struct bytes text_bytes(const char *text)
{
    return (struct bytes){(const uint8_t *)text, strlen(text)};
}

static void read_config(const struct reader *reader, struct bytes bytes)
{
    static const char list_text[] =
        "version: 1\njobs: [{name: a, model: a.md2, light: {rig: dusk}, cameras: [low, front]}]\n";
    struct source config, built_in, list;
    struct draft draft = {0};
    struct jobs jobs = {0};
    if (source_parse(reader, config_built_in(), CONFIG_BUILT_IN_NAME, SOURCE_CONFIG, &built_in) < 0 ||
        source_parse(reader, text_bytes(list_text), "list.yaml", SOURCE_LIST, &list) < 0)
        abort();
    draft_add_config(reader, &built_in, &draft);
    if (source_parse(reader, bytes, "config.yaml", SOURCE_CONFIG, &config) == 0)
        draft_add_config(reader, &config, &draft);
    draft_read(reader, &list, 1, &draft);
    resolve_jobs(reader, &draft, NULL, false, &jobs);
    free(jobs.items);
    draft_release(&draft);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(read_config, data, size);
}
