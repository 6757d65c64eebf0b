/* What the record of a job's pages would say now, as far as is known without the assets. */
#pragma once

#include "asset/assets.h"
#include "asset/trace.h"
#include "base/buffer.h"
#include "page/record.h"
#include "job/job.h"
#include "render/identity.h"

struct expected;

/* The identity, of what draws, is copied. NULL: nobody asks who draws, and any renderer is the same. */
struct expected *expected_new(const struct identity *identity);
void expected_free(struct expected *expected);

/* Names, settings, group, renderer and output version. Borrowed until the next call; the job has to live as long. */
const struct record *expected_record(struct expected *expected, const struct job_list *list,
                                     const struct job *job);

/* The same with the look-ups of a job that is open. It borrows both; the caller releases *out. */
void expected_with_look_ups(const struct record *expected, const struct trace *trace, struct record *out);

/* Where a job has a rule for it, measures pictures in the folder of the record's model that its look-ups do not name, as they
 * are now: records cannot know of files that came later. */
void expected_add_unused(const struct job *job, struct assets *assets, struct record *record);

/* Where the record's model looked for a picture and wears none: adds the model, and pictures that lie where it looked but for
 * the folders above, and that its look-ups do not name, a tab before each. */
void expected_add_beside(struct assets *assets, const struct record *record, struct buffer *out);

/* -- Settings ---------------------------------------------------------------------------------------------- */

/* Of the job's settings, which say all but its name. */
void job_recorded_hash(const struct job *job, char hash[HASH_SIZE]);

/* The hash of the settings of all jobs of the list whose `fit` names the group. Neither the order of the jobs nor
 * a second one with equal settings changes it. */
void job_recorded_group(const struct job_list *list, const char *group, char hash[HASH_SIZE]);
