/* What people and rules want to know of a job's own model, so that a folder alone tells it; and of a job's first page, the
 * clips. */
#pragma once

#include "page/record.h"
#include "plan/looks.h"
#include "plan/scene.h"

/* Sorted by name; the texts live in the record's arena. `known` has the pictures that the job wears. */
int facts_find(const struct plan *plan, const struct views *views, const struct textures *known,
               struct record *out, struct error *err);

/* "3 models/a.png", or "3" where nothing shows it. */
const char *facts_number(struct arena *arena, double number, const char *shown_by);
