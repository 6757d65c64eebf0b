/* The --memory option. */
#ifndef CLI_MEMORY_ARGS_H
#define CLI_MEMORY_ARGS_H

#include <stdint.h>

#include "cli/cli.h"

/* The bytes that a text such as "512M" or "1.5G" means, 0 for none; false (after a message) when it means nothing of use. */
bool memory_limit_arg(const struct command *command, const char *text, uint64_t *out);

/* Without the option. */
uint64_t memory_limit_default(void);

#endif
