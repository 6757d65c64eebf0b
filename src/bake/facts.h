/* What people want to know of the job's own model: in the record of each page, so that a folder alone tells it. */
#ifndef BAKE_FACTS_H
#define BAKE_FACTS_H

#include "bake/plan.h"
#include "fresh/record.h"

/* Sorted by name; the texts live in the arena. Fails when memory is out. */
int plan_facts(const struct plan *plan, struct arena *arena, struct record_pairs *out, struct error *err);

#endif
