/* What is said about a page in the files beside it: frames, animations and cameras of its sheet, the files of its
 * passes, the colours of its mask, and where sockets are. */
#ifndef RUN_DESCRIBE_H
#define RUN_DESCRIBE_H

#include "base/bytes.h"
#include "run/job_record.h"
#include "run/plan.h"
#include "run/views.h"
#include "sheet/metadata.h"

struct description {
    const struct plan *plan;
    const struct views *views;
    const struct record *record; /* of the job (run/job_record.h) */
    const char *renderer;        /* what drew it, for people */
};

/* The files that the job asks for, by enum metadata. What is not asked for, and on later pages what goes with the
 * first alone, is left as it is. `record` is that of the page and has its pictures; the other files are added. */
int describe_page(const struct description *description, const struct sheet_plan *sheet, uint32_t page_of_sheet,
                  struct record *record, struct blob files[METADATA_COUNT], struct error *err);

#endif
