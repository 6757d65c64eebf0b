/* What the processes of a run may touch: the sandbox's rules, from job lists. */
#ifndef RUN_CONFINE_H
#define RUN_CONFINE_H

#include <stdint.h>

#include "job/job.h"
#include "os/sandbox.h"

/* Adds what the jobs of a list read, and with `writes` where their sheets go. The output folder is there already.
 */
void confine_add_list(struct sandbox_rules *rules, const struct job_list *list, bool writes);

/* A number for the folders themselves that the list's paths lead to now: rules are for those, and not for others
 * that have come to be in their places. Archives do not count: who has one open reads it to the end. */
uint64_t confine_identity(const struct job_list *list);

/* Adds what a process that draws keeps from one run to the next: the shader cache, or a part of it (NULL: all),
 * which is made where it is not there. */
void confine_add_renderer(struct sandbox_rules *rules, const char *cache_part);

/* Confines this process, which is going to draw, for good: also adds the shader cache to the rules. Does nothing
 * where they are off. */
int confine_renderer(struct sandbox_rules *rules, struct error *err);

#endif
