/* What the files beside a page say about it: frames, animations and cameras of its sheet, the files of its
 * passes, the colours of its mask, and where sockets are; and what its record says about the model. */
#ifndef BAKE_DESCRIBE_H
#define BAKE_DESCRIBE_H

#include "bake/plan.h"
#include "bake/views.h"
#include "fresh/record.h"
#include "sheet/metadata.h"

/* Makes the files that the job asks for, by enum metadata, and leaves the others as they are: what is not asked
 * for, and on later pages what goes with the first alone. */
int describe_page(const struct plan *plan, const struct views *views, const struct sheet_plan *sheet,
                  uint32_t page_of_sheet, struct blob files[METADATA_COUNT], struct error *err);

/* What people want to know of the job's own model, so that a folder alone tells it. Sorted by name; the texts live in
 * the arena. */
int describe_model(const struct plan *plan, struct arena *arena, struct record_pairs *out, struct error *err);

#endif
