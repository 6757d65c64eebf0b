/* Whether all pages of a job are made of the same files, although several workers make them: somebody may change
 * a model during the run. The look-ups of the job's first page that is written are kept, as a number, in memory
 * that all workers share. */
#ifndef BAKE_SAME_INPUTS_H
#define BAKE_SAME_INPUTS_H

#include "asset/trace.h"
#include "base/error.h"

struct same_inputs;

/* To be made before the workers are forked. */
struct same_inputs *same_inputs_new(size_t job_count);
void same_inputs_free(struct same_inputs *inputs);

/* -1 when a file of the job has changed since its model was opened, or since its first page was written. */
int same_inputs_check(const struct same_inputs *inputs, size_t job, const struct trace *trace, const char *model,
                      struct error *err);

/* The same for a page that is about to be written. */
int same_inputs_claim(struct same_inputs *inputs, size_t job, const struct trace *trace, const char *model,
                      struct error *err);

#endif
