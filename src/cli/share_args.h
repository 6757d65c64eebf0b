/* The options of a run that several machines share: --shard and --costs. */
#ifndef CLI_SHARE_ARGS_H
#define CLI_SHARE_ARGS_H

#include <stdbool.h>

#include "cli/cli.h"
#include "run/costs.h"
#include "run/shard.h"

/* "3/8" or "auto"; false (after a message) for anything else. */
bool share_args_shard(const struct command *command, const char *text, struct shard *out);

/* Adds a log to *costs, made when it is NULL. False (after a message) where it cannot be read. */
bool share_args_costs(const struct command *command, const char *path, struct costs **costs);

/* One line, such as "shard 3 of 8, from SLURM_ARRAY_TASK_ID"; nothing where the run is not shared. */
void share_args_print(const struct shard *shard);

#endif
