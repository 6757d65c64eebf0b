/* The options of a run that several machines share: --shard and --costs. */
#ifndef CLI_SHARE_ARGS_H
#define CLI_SHARE_ARGS_H

#include "cli/args.h"
#include "run/costs.h"
#include "job/shard.h"

/* Into a struct shard: "3/8" or "auto". */
arg_take share_args_shard;

/* Into a struct costs *, made when it is NULL: adds a log to it. */
arg_take share_args_costs;

/* One line, such as "shard 3 of 8, from SLURM_ARRAY_TASK_ID"; nothing where the run is not shared. */
void share_args_print(const struct shard *shard);

#endif
