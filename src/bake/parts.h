/* The parts of a plan: the job's own model and what is attached to it, and the places where they hang. */
#ifndef BAKE_PARTS_H
#define BAKE_PARTS_H

#include "bake/plan.h"

/* Opens the job's own model, by its path or its declaration, as the only part. */
int parts_open_own(struct plan *plan, struct assets *assets, struct error *err);

/* Opens the attachments and finds all places. The takes are known. */
int parts_open_others(struct plan *plan, struct assets *assets, struct error *err);

/* The joint or tag of a part exactly so called, or else but for case; fails with those there are. */
int parts_find_place(const struct plan *plan, uint32_t part, const char *name, struct place *out,
                     struct error *err);

void parts_release(struct plan *plan);

#endif
