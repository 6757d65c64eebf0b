/* What --help prints: of one command, made from its texts and its table of options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

#include "cli/cli.h"

/* In lines of less than 80 columns. */
void help_print(const struct command *command, FILE *out);

#endif
