/* The output folders of a run, and their locks. */
#pragma once

#include "page/lock.h"
#include "run/wanted.h"

struct folders {
    struct lock *locks; /* in the order in which they were taken */
    size_t count;
};

/* Makes the folders of the jobs, locks them unless `lock` is NULL, and removes what killed runs have left in them.
 * Skips one that may not be written to: perhaps there is nothing to do in it. On LOCK_HELD the caller leaves *out;
 * LOCK_FAILED also when a folder cannot be made. */
enum lock_end folders_open(const struct wanted *wanted, const struct lock_settings *lock, bool durable,
                           struct folders **out, int *signal_number, struct error *err);
void folders_leave(struct folders *folders); /* NULL is fine */

/* After wanted_judge: fails where a page would be made in a folder that may not be written to. */
int folders_check(const struct wanted *wanted, struct error *err);
