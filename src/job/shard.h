/* Which part of a run this machine does, where several share one.
 *
 * Shards are numbered from 1, as people and GitLab count. Pages are assigned by a hash of their id alone, so that every
 * shard decides alike without talking to the others: shard_of_page is the reference, docs/recipes/README.md says
 * it to users, and neither may ever change. With measured times at hand, run/shares.h balances them instead. */
#ifndef JOB_SHARD_H
#define JOB_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { SHARD_MAX = 65536 };

struct shard {
    uint32_t number; /* 1..count */
    uint32_t count;  /* 0: the run is not shared */
    char source[64]; /* the variable it was read from; "" where it was given */
};

/* "3/8", the third of eight. */
int shard_parse(const char *text, struct shard *out, struct error *err);

/* The shard that a batch system or CI names in the environment (as of environ(7)), each counting its own way. Fails where
 * none does, where half of what one tells is missing, and where two tell different things: whoever asks has split the
 * run, and a shard that does all of it, or another's part, would only look right. */
int shard_detect(char *const *environment, struct shard *out, struct error *err);

/* The shard, from 1 to `count`, that makes page `page` (from 0) of a job: 1 + XXH3_64(list NUL job NUL page) mod count,
 * the page in decimal digits. A packed or trimmed sheet is one page here. */
uint32_t shard_of_page(uint32_t count, const char *list, const char *job, uint32_t page);

#endif
