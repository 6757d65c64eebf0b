/* The part of a run that this machine makes, where several share one.
 *
 * Shards are numbered from 1. Pages are assigned by a hash of their id alone, so that every shard decides alike
 * without talking to the others: shard_of_page is the reference, docs/recipes/README.md tells it to users, and
 * neither may ever change. */
#pragma once

#include <stdint.h>

#include "base/error.h"

enum { SHARD_MAX = 65536 };

struct shard {
    uint32_t number;    /* 1..count */
    uint32_t count;     /* 0: the run is not shared */
    const char *source; /* the variable it was read from, a constant; NULL where it was given */
};

/* "3/8", the third of eight. */
int shard_parse(const char *text, struct shard *out, struct error *err);

/* Reads SHEETBAKE_SHARD_INDEX (from 0) and SHEETBAKE_SHARD_TOTAL, else the variables of a Slurm array. Fails
 * where neither is set, or a part of one is missing or out of range: a shard that makes all pages, or another's,
 * would only look right. */
int shard_detect(struct shard *out, struct error *err);

/* The shard, from 1 to `count`, that makes page `page` (from 0) of a job: 1 + XXH3_64(list NUL job NUL page) mod count,
 * the page in decimal digits. A packed or trimmed sheet is one page here. */
uint32_t shard_of_page(uint32_t count, const char *list, const char *job, uint32_t page);
