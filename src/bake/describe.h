/* What is said about a page in the files beside it: frames, animations and cameras of its sheet, the files of its
 * passes, the colours of its mask, and where sockets are. */
#ifndef BAKE_DESCRIBE_H
#define BAKE_DESCRIBE_H

#include "base/bytes.h"
#include "bake/plan.h"
#include "bake/views.h"
#include "sheet/metadata.h"

struct description {
    const struct plan *plan;
    const struct views *views;
};

/* The files that the job asks for, by enum metadata. What is not asked for, and on later pages what goes with the
 * first alone, is left as it is. */
int describe_page(const struct description *description, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                  struct blob files[METADATA_COUNT], struct error *err);

#endif
