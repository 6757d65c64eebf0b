/* Which files the jobs of a list would write. */
#ifndef JOB_OUTPUT_NAMES_H
#define JOB_OUTPUT_NAMES_H

#include "job/resolve.h"

/* A hundred jobs of a thousand cameras and ten passes, with a sheet for each: a mistake, and 100 MB of names. */
enum { OUTPUT_MOST_NAMES = 1000 * 1000 };

/* Reports jobs of one name, and files that two jobs would write, as far as that shows before the models are open:
 * names of clips that a model brings, and how many pages a sheet has, are not known yet. */
void output_names_check(const struct reader *reader, const struct jobs *jobs);

/* Told a name of one or more files, below the output folder and without their suffix: a picture that may have a
 * JSON beside it, or just a JSON. */
typedef void output_names_tell(void *context, const char *name, bool is_json);

/* All names of the page `page`, which is its own and that of its picture: its passes and some metadata have names
 * that another job may have, too. */
void output_names_of_page(const struct job *job, const char *page, output_names_tell *tell, void *context);

/* Those of the first pages of its sheets that the list alone tells. */
void output_names_of_job(const struct job *job, output_names_tell *tell, void *context);

#endif
