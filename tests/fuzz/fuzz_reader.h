/* For the fuzz targets of job lists and configs: reads any bytes, from YAML to jobs with names, and formats the problems. No
 * file is opened: includes are not followed, models are not looked for. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include <stdlib.h>

#include "job/load.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* `add` adds the sources but for the built-in config. */
static inline int fuzz_reader(void (*add)(const struct reader *reader, struct bytes bytes,
                                          struct source_files *out),
                              const uint8_t *data, size_t size)
{
    struct arena arena = {0};
    struct problems problems = {0};
    struct strings reported = {0};
    struct loading *loading = must_alloc(1, sizeof *loading);
    loading->reader = (struct reader){.arena = &arena, .problems = &problems};
    add(&loading->reader, (struct bytes){data, size}, &loading->sources);
    size_t problems_before = problems.count;
    if (source_add_built_in(&loading->reader, &loading->sources) < 0 || problems.count > problems_before)
        abort();
    loading_read(loading);
    loading_read_jobs(loading);
    loading_release(loading);
    free(loading);
    problems_report(&problems, &reported);
    strings_release(&reported);
    problems_release(&problems);
    arena_release(&arena);
    return 0;
}

#endif
