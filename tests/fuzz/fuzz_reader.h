/* For the fuzz targets of job lists and configs: reads any bytes, and formats their problems. */
#ifndef FUZZ_READER_H
#define FUZZ_READER_H

#include "job/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline int fuzz_reader(void (*read)(const struct reader *reader, struct bytes bytes), const uint8_t *data,
                              size_t size)
{
    struct arena arena = {0};
    struct problems problems = {0};
    struct strings reported = {0};
    read(&(struct reader){.arena = &arena, .problems = &problems}, (struct bytes){data, size});
    problems_report(&problems, &reported);
    strings_release(&reported);
    problems_release(&problems);
    arena_release(&arena);
    return 0;
}

#endif
