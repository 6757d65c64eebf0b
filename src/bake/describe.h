/* What the files beside a page say about it: frames, animations and cameras of its sheet, the files of its
 * passes, the colours of its mask, and where sockets are. */
#ifndef BAKE_DESCRIBE_H
#define BAKE_DESCRIBE_H

#include "bake/plan.h"
#include "bake/views.h"
#include "sheet/metadata.h"

/* Makes the files that the job asks for, by enum metadata, and leaves the others as they are: what is not asked
 * for, and on later pages what goes with the first alone. */
int describe_page(const struct plan *plan, const struct views *views, const struct sheet_plan *sheet,
                  uint32_t page_of_sheet, struct blob files[METADATA_COUNT], struct error *err);

#endif
