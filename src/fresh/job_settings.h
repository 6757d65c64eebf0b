/* The settings of a job as text, for records (fresh/record.h): all that a list can say about the pictures of a
 * job, after defaults, under the names of docs/jobs.md. Two jobs with equal settings are the same job; where it
 * stands in its list, and what the list calls it, does not matter. */
#ifndef FRESH_JOB_SETTINGS_H
#define FRESH_JOB_SETTINGS_H

#include "base/hash.h"
#include "job/job.h"
#include "fresh/record.h"

/* *out lives in the arena. */
void job_recorded_settings(const struct job *job, struct arena *arena, struct record_pairs *out);

/* The hash of the settings of all jobs of the list whose `fit` names the group. Their order shows nothing, nor does one
 * that asks for the same as another: what they see together is the same. */
void job_recorded_group(const struct job_list *list, const char *group, char hash[HASH_SIZE]);

#endif
