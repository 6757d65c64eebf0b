/* Which job makes which file: claims of names below output folders, the first of which counts. */
#ifndef OUT_OUTPUTS_H
#define OUT_OUTPUTS_H

#include <stdbool.h>

#include "job/job.h"

struct outputs;

/* With room for about so many claims, so that the memory of a long run does not grow in steps. */
struct outputs *outputs_new(size_t claim_count);
void outputs_free(struct outputs *outputs);

/* Notes that `job` of `list` makes the page `name`, a path below the list's output folder. Returns the job that
 * made this claim before, or NULL when there is none but `job` itself. Everything is borrowed but the name. */
const struct job *outputs_claim(struct outputs *outputs, const struct job_list *list, const struct job *job,
                                const char *name);

/* The same for all files of a page: its picture, its passes, what describes them, and its record. `page` is their
 * common name, without a suffix. */
const struct job *outputs_claim_page(struct outputs *outputs, const struct job_list *list, const struct job *job,
                                     const char *page);

/* The job that made the claim, or NULL. */
const struct job *outputs_owner(struct outputs *outputs, const struct job_list *list, const char *name);

/* Whether anyone makes the file `name`, a path below the list's output folder. */
bool outputs_has(struct outputs *outputs, const struct job_list *list, const char *name);

#endif
