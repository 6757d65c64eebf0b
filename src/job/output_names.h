/* Which files the jobs of a list would write. */
#ifndef JOB_OUTPUT_NAMES_H
#define JOB_OUTPUT_NAMES_H

#include "job/resolve.h"

/* A hundred jobs of a thousand cameras and ten passes, with a sheet for each: a mistake, and 100 MB of names. */
enum { OUTPUT_MOST_NAMES = 1000 * 1000 };

/* Reports jobs of one name, and files that two jobs would write, as far as that shows before the models are open:
 * names of clips that a model brings, and how many pages a sheet has, are not known yet. */
void output_names_check(const struct reader *reader, const struct jobs *jobs);

#endif
