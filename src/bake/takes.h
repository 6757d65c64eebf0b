/* The takes of a plan: which clips a job plays, from its model, its declaration or files, and when they are
 * sampled. */
#ifndef BAKE_TAKES_H
#define BAKE_TAKES_H

#include "bake/plan.h"

/* Fills plan->takes. The job's own model is open, and its skins are counted. */
int takes_add(struct plan *plan, struct assets *assets, struct error *err);

/* The clip of that name, ignoring case; fails with those there are. Borrowed until the part gets another
 * animation. */
const struct clip *takes_find_clip(const struct part *part, struct assets *assets, const char *name,
                                   struct error *err);

#endif
