#include <stdlib.h>

#include "base/memory.h"
#include "run/batch_state.h"

void batch_leave_missing(struct batch *batch)
{
    batch->missing = must_alloc(batch->job_count, sizeof *batch->missing);
    for (uint32_t job = 0; job < batch->job_count; job++) {
        if (batch->jobs[job].job->missing_count == 0 || !selection_has_job(batch->selection, job))
            continue;
        selection_leave_job(batch->selection, job);
        batch->missing[batch->missing_count++] = job;
    }
}

void batch_report_missing(struct batch *batch)
{
    for (size_t i = 0; i < batch->missing_count; i++) {
        const struct bake_job *job = &batch->jobs[batch->missing[i]];
        char *reason = job_describe_missing(job->job);
        batch->has_lost[batch->missing[i]] = true;
        report_page(batch->report, &(struct page_result){
                                       .list = job->list,
                                       .job = job->job,
                                       .order = schedule_order(&(struct schedule_item){.job = batch->missing[i]}),
                                       .place = &job->job->missing[0].mark,
                                       .status = PAGE_FAILED,
                                       .reason = reason,
                                   });
        free(reason);
    }
}
