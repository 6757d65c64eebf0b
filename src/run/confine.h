/* What the processes of a run may touch: the sandbox's rules, from job lists. */
#ifndef RUN_CONFINE_H
#define RUN_CONFINE_H

#include <stddef.h>

#include "job/job.h"
#include "sandbox/sandbox.h"

/* Adds what the jobs of a list read, and with `writes` where their sheets go. The output folder is there already. */
void confine_add_list(struct sandbox_rules *rules, const struct job_list *list, bool writes);

/* Adds what a process that draws keeps from one run to the next: the shader cache, which is made where it is not there. */
void confine_add_renderer(struct sandbox_rules *rules);

/* Confines this process, which is going to draw, for good: also adds the shader cache to the rules. Does nothing where
 * they are off. */
int confine_renderer(struct sandbox_rules *rules, struct error *err);

#endif
