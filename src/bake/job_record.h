/* What the pages of an open job were made of (fresh/record.h). */
#ifndef BAKE_JOB_RECORD_H
#define BAKE_JOB_RECORD_H

#include "asset/trace.h"
#include "job/job.h"
#include "bake/plan.h"
#include "fresh/record.h"

/* All that its pages have in common. `today` (fresh/today.h) gives settings and renderer, and is borrowed, as the
 * trace is. The caller releases *out. */
void job_record_init(struct record *out, const struct record *today, const struct job_list *list,
                     const struct job *job, const struct trace *trace);

/* The record of one page: a copy of the job's, with the warnings of the plan, in an arena of its own, without
 * files. */
void job_record_page(const struct record *of_job, const struct plan *plan, const struct sheet_plan *sheet,
                     uint32_t page_of_sheet, struct record *out);

/* Adds a file of the page, by its name below the output folder. At most PASS_COUNT + METADATA_COUNT. */
void job_record_add_file(struct record *record, const char *name, struct bytes bytes);

#endif
