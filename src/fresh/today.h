/* What the record of a job's pages would say today, as far as it can be told without the assets and without GL. */
#ifndef FRESH_TODAY_H
#define FRESH_TODAY_H

#include "job/job.h"
#include "render/context.h"
#include "fresh/record.h"

struct today;

/* `backend`: what the run would draw with. */
struct today *today_new(enum backend_choice backend);

/* This one has opened. */
void today_set_backend(struct today *today, enum backend_choice backend);
void today_free(struct today *today);

/* Settings, group, renderer and output version. Borrowed until the next call. */
const struct record *today_record(struct today *today, const struct job_list *list, const struct job *job);

#endif
