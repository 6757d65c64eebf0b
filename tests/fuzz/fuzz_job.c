/* Any bytes as a job list, from YAML to jobs with names, without opening any file: includes are not followed,
 * models are not looked for. */
#include <stdlib.h>

#include "fuzz_reader.h"
#include "job/draft.h"

static void read_list(const struct reader *reader, struct bytes bytes)
{
    struct source config, list;
    struct draft draft = {0};
    struct jobs jobs = {0};
    if (source_parse(reader, config_built_in(), "config", SOURCE_CONFIG, &config) < 0)
        abort();
    draft_add_config(reader, &config, &draft);
    if (reader->problems->count)
        abort();
    if (source_parse(reader, bytes, "list.yaml", SOURCE_LIST, &list) == 0) {
        draft_read(reader, &list, 1, &draft);
        resolve_jobs(reader, &draft, NULL, false, &jobs);
    }
    free(jobs.items);
    draft_release(&draft);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_reader(read_list, data, size);
}
