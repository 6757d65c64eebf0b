/* Makes the plan of a job: opens its models, finds clips, skins and materials, lays its sheets out and chooses what
 * previews show. */
#ifndef BAKE_PLANNER_H
#define BAKE_PLANNER_H

#include "bake/plan.h"

/* `models` are kept for the next job; NULL: they are the plan's own. */
int plan_open(struct model_cache *models, struct assets *assets, const struct job *job, struct plan **out,
              struct error *err);

#endif
