/* The commands there are. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

/* In the order in which they are listed; NULL ends it. */
extern const struct command *const commands[];

/* Runs the command in argv[1]; returns the exit code. */
int commands_main(int argc, char **argv);

#endif
