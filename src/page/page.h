/* A page in an output folder: a picture for each pass, what describes them, and their record. Only
 * its record says whose page it is; the names of files are for people and engines. */
#pragma once

#include <stdbool.h>

#include "page/record.h"

struct made_pass {
    const char *name;    /* "color", "normal" */
    const char *picture; /* file name beside the record */
    const char *path;    /* of the picture, below the folder */
    const char *hash;    /* of its bytes as recorded; "" where the record does not have it */
    bool was_read;
};

struct page {
    const char *stem;         /* path without suffix: "orcs/grunt@walk@1" */
    const char *sheet;        /* its job, in the folder where it lies: "orcs/grunt" */
    struct record record;     /* in a set (page/set.h) only what says which page it is. Broken: without a job */
    struct made_pass *passes; /* of a sheet that was read (page/read.h): "color" first */
    size_t pass_count;
};
