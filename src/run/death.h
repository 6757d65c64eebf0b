/* What a user is told of a worker that died: by what, at which stage, with which model. */
#ifndef RUN_DEATH_H
#define RUN_DEATH_H

#include "run/pool.h"

/* Whether the item ended with its worker. */
bool outcome_is_death(const struct outcome *outcome);

/* Of such an outcome, whose note is a struct page_note. `said` is what it was ended for when it said too much, or
 * NULL. The caller frees it. */
char *death_describe(const struct outcome *outcome, const char *model, const char *said);

/* Of a page whose worker died twice, the second time alone; of one that is given up with its model, which has killed
 * `deaths` workers: `first` is how its own one died, or NULL. */
char *death_describe_both(const char *first, const char *second);
char *death_describe_lost(const char *first, const char *model, unsigned deaths);

#endif
