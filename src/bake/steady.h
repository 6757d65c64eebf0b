/* Whether all pages of a job are made of the same files, whichever workers make them: somebody may change a model while the
 * run goes on. The first page of a job that is about to be written says what there was; it is remembered in memory that
 * all workers share. */
#ifndef BAKE_STEADY_H
#define BAKE_STEADY_H

#include <stdbool.h>

#include "asset/trace.h"
#include "base/error.h"

struct steady;

/* To be made before the workers are forked. */
struct steady *steady_new(size_t job_count);
void steady_free(struct steady *steady);

/* -1 when what the job was made of has changed: since its model was opened, or from what pages that are written already
 * were made of. */
int steady_check(const struct steady *steady, size_t job, const struct trace *trace, const char *model,
                 struct error *err);

/* The same for a page that is about to be written. */
int steady_claim(struct steady *steady, size_t job, const struct trace *trace, const char *model,
                 struct error *err);

#endif
