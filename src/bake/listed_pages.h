/* How many pages a job will have, where its list alone tells: so that a shard leaves jobs of others alone, and does not
 * open thousands of models to learn that none of their pages is its own. */
#ifndef BAKE_LISTED_PAGES_H
#define BAKE_LISTED_PAGES_H

#include <stdint.h>

#include "job/job.h"

/* The page count that its plan will have (bake/plan.h), or 0 where only the model tells: where it plays clips by
 * name, at so many a second, or in all skins; and of what stands for the jobs of a pattern. */
uint32_t listed_page_count(const struct job *job);

#endif
