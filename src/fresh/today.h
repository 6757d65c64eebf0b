/* What the record of a job's pages would say today, as far as it can be told without the assets. */
#ifndef FRESH_TODAY_H
#define FRESH_TODAY_H

#include "job/job.h"
#include "fresh/record.h"
#include "render/identity.h"

struct today;

/* The identity, of what draws, is copied. */
struct today *today_new(const struct identity *identity);
void today_free(struct today *today);

/* Settings, group, renderer and output version. Borrowed until the next call. */
const struct record *today_record(struct today *today, const struct job_list *list, const struct job *job);

#endif
