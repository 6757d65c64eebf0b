/* `render --dry-run`: what would be made, and why. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "run/batch.h"

/* Prints a line for each page that would be made to standard output, and how many to standard error unless
 * `is_quiet`. */
enum batch_end dry_run(const struct batch_settings *settings, bool is_quiet);

#endif
