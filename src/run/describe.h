/* What is said about a page in its JSON: frames, animations and cameras of its sheet, the files of its passes, the
 * colours of its mask, and where sockets are. */
#ifndef RUN_DESCRIBE_H
#define RUN_DESCRIBE_H

#include "asset/sources.h"
#include "base/bytes.h"
#include "run/plan.h"
#include "run/views.h"
#include "sheet/atlas.h"

struct description {
    const struct plan *plan;
    const struct views *views;
    const struct sources *sources; /* every file that went into the job */
    const char *renderer;          /* what drew it, for people */
};

int describe_page(const struct description *description, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                  struct blob *json, struct error *err);

#endif
