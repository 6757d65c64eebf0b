/* The --memory option. */
#ifndef CLI_MEMORY_ARGS_H
#define CLI_MEMORY_ARGS_H

#include <stdint.h>

#include "cli/args.h"

/* Into a uint64_t: the bytes that a text such as "512M" or "1.5G" means, 0 for none. */
arg_take memory_args_take;

/* Without the option. */
uint64_t memory_limit_default(void);

#endif
