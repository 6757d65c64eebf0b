/* Which pages of a run each shard makes.
 *
 * Without measured times by the hash of their id (job/shard.h). With them, all pages known are dealt out longest first,
 * each to the shard with the least to do so far: those that were measured, and page 0 of every other job. Any more pages
 * that a job turns out to have go by the hash. So every page has exactly one shard, whatever the times say, as long as
 * all shards have the same lists, options and logs.
 * Pure data. */
#ifndef RUN_SHARES_H
#define RUN_SHARES_H

#include "run/estimates.h"
#include "fresh/selection.h"
#include "job/shard.h"

struct shares;

/* `jobs` is borrowed. */
struct shares *shares_new(const struct bake_job *jobs, size_t job_count, const struct estimates *estimates,
                          const struct shard *shard);
void shares_free(struct shares *shares);

/* From 1. */
uint32_t shares_shard_of(const struct shares *shares, size_t job, uint32_t page);

/* What the pages of a job that are ours are expected to take, as far as they are known. */
uint64_t shares_expect(const struct shares *shares, const struct estimates *estimates, size_t job);

/* Leaves the other shards' pages out, and jobs of which the list tells that all pages are theirs: those are not even
 * opened. The shares have to outlive the selection. */
void shares_apply(const struct shares *shares, struct selection *selection);

#endif
