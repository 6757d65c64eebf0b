/* What a user is told of a worker that died: by what, at which stage, with which model. */
#ifndef RUN_DEATH_H
#define RUN_DEATH_H

#include "run/pool.h"

/* Whether the item ended with its worker. */
bool outcome_is_death(const struct outcome *outcome);

/* Of such an outcome, whose note is a struct page_note. `said` is what it was ended for when it said too much, or
 * NULL. The caller frees it. */
char *death_describe(const struct outcome *outcome, const char *model, const char *said);

#endif
