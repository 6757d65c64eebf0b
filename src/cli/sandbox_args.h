/* --sandbox. */
#ifndef CLI_SANDBOX_ARGS_H
#define CLI_SANDBOX_ARGS_H

#include "cli/args.h"
#include "os/sandbox.h"

/* What commands without workers do by default. A build with sanitizers turns it off: the leak checker traces the process that
 * it checks, which the sandbox does not let it. */
#ifndef SANDBOX_OF_COMMANDS
#define SANDBOX_OF_COMMANDS SANDBOX_AUTO
#endif

#define ARG_SANDBOX(type, member)                                                                                 \
    {                                                                                                             \
        "sandbox", 0, "MODE",                                                                                     \
            "confine the processes that read models: auto (the default): as far as the kernel can; require: "     \
            "fully, or fail; off",                                                                                \
            ARG_CHOICE(type, member, sandbox_mode_names)                                                          \
    }

/* Before anything is done: where the mode requires what this kernel does not give, says so and returns the exit code,
 * else -1. `is_verbose`: also says what is missing where that does no harm. */
int sandbox_args_check(enum sandbox_mode mode, bool is_verbose);

/* Confines this process. The exit code where the mode requires what is not to be had, after a message, else -1. */
int sandbox_args_enter(const struct sandbox_rules *rules);

#endif
