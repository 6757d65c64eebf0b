/* Which pages of its jobs a run is to make: all, less those of jobs left out, less pages that are up to date, less
 * those that are another shard's.
 *
 * How many pages a job has is known before its model is open only where an earlier run left word of it, and
 * nothing has changed since. Of any other job the pages are not left out one by one: they are all wanted, or all
 * those of this shard. Pure data: it is made before the run and does not change while it goes on. Pages are those
 * of the plan: a packed or trimmed sheet is one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct selection;

/* All pages of this many jobs, whose numbers of pages are not known. */
struct selection *selection_new(size_t job_count);
void selection_free(struct selection *selection);

/* `job` has this many pages, at least 1. Once a job. */
void selection_set_pages(struct selection *selection, size_t job, uint32_t page_count);

/* Leaves a page out, of a job whose number of pages is known. */
void selection_leave_page(struct selection *selection, size_t job, uint32_t page);

/* Leaves out a job as a whole. */
void selection_leave_job(struct selection *selection, size_t job);

/* Leaves out every page for which `is_ours` is false. It is asked again and again, also while the run goes on and
 * the pages of a job become known, and has to say the same each time. */
typedef bool selection_share(const void *context, size_t job, uint32_t page);
void selection_set_share(struct selection *selection, selection_share *is_ours, const void *context);

size_t selection_job_count(const struct selection *selection);
uint32_t selection_pages(const struct selection *selection, size_t job); /* 0: not known */

/* Whether the run is to make the page, if the job has it. */
bool selection_has(const struct selection *selection, size_t job, uint32_t page);

/* The first wanted page from `page` on, or `page_count` where there is none; and how many there are. */
uint32_t selection_next(const struct selection *selection, size_t job, uint32_t page, uint32_t page_count);
uint32_t selection_count(const struct selection *selection, size_t job, uint32_t page, uint32_t page_count);

/* Whether the run has to open the job: a page of it is wanted, or how many it has is yet to be found out. */
bool selection_has_job(const struct selection *selection, size_t job);
