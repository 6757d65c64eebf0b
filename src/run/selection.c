#include "run/selection.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

struct selected_job {
    uint32_t page_count; /* 0: not known */
    bool *is_left_out;   /* by page; NULL: none is */
    bool is_gone;        /* all are */
};

struct selection {
    struct selected_job *jobs;
    size_t job_count;
    selection_share *is_ours; /* NULL: all are */
    const void *context;
};

struct selection *selection_new(size_t job_count)
{
    struct selection *selection = must_alloc(1, sizeof *selection);
    selection->jobs = must_alloc(job_count, sizeof *selection->jobs);
    selection->job_count = job_count;
    return selection;
}

void selection_free(struct selection *selection)
{
    if (!selection)
        return;
    for (size_t i = 0; i < selection->job_count; i++)
        free(selection->jobs[i].is_left_out);
    free(selection->jobs);
    free(selection);
}

void selection_set_pages(struct selection *selection, size_t job, uint32_t page_count)
{
    assert(job < selection->job_count && page_count > 0 && selection->jobs[job].page_count == 0);
    selection->jobs[job].page_count = page_count;
}

void selection_leave_page(struct selection *selection, size_t number, uint32_t page)
{
    assert(number < selection->job_count);
    struct selected_job *job = &selection->jobs[number];
    assert(page < job->page_count);
    if (!job->is_left_out)
        job->is_left_out = must_alloc(job->page_count, sizeof *job->is_left_out);
    job->is_left_out[page] = true;
}

void selection_leave_job(struct selection *selection, size_t job)
{
    assert(job < selection->job_count);
    selection->jobs[job].is_gone = true;
}

void selection_set_share(struct selection *selection, selection_share *is_ours, const void *context)
{
    selection->is_ours = is_ours;
    selection->context = context;
}

size_t selection_job_count(const struct selection *selection)
{
    return selection->job_count;
}

uint32_t selection_pages(const struct selection *selection, size_t job)
{
    assert(job < selection->job_count);
    return selection->jobs[job].page_count;
}

bool selection_has(const struct selection *selection, size_t number, uint32_t page)
{
    assert(number < selection->job_count);
    const struct selected_job *job = &selection->jobs[number];
    if (job->is_gone || (job->is_left_out && page < job->page_count && job->is_left_out[page]))
        return false;
    return !selection->is_ours || selection->is_ours(selection->context, number, page);
}

uint32_t selection_next(const struct selection *selection, size_t job, uint32_t page, uint32_t page_count)
{
    while (page < page_count && !selection_has(selection, job, page))
        page++;
    return page;
}

uint32_t selection_count(const struct selection *selection, size_t job, uint32_t page, uint32_t page_count)
{
    uint32_t count = 0;
    for (; page < page_count; page++)
        count += selection_has(selection, job, page);
    return count;
}

bool selection_has_job(const struct selection *selection, size_t job)
{
    uint32_t page_count = selection_pages(selection, job);
    if (selection->jobs[job].is_gone)
        return false;
    return page_count == 0 || selection_next(selection, job, 0, page_count) < page_count;
}
