/* --sandbox. */
#ifndef CLI_SANDBOX_ARGS_H
#define CLI_SANDBOX_ARGS_H

#include "cli/args.h"
#include "os/sandbox.h"

/* The default of commands without workers. A build with sanitizers turns it off: the leak checker traces its own process,
 * which the sandbox refuses. */
#ifndef SANDBOX_OF_COMMANDS
#define SANDBOX_OF_COMMANDS SANDBOX_AUTO
#endif

#define ARG_SANDBOX(type, member)                                                                                 \
    {                                                                                                             \
        "sandbox", 0, "MODE",                                                                                     \
            "confine the processes that read models: auto (the default) as far as the kernel can, require fully " \
            "or fail, or off",                                                                                    \
            ARG_CHOICE(type, member, sandbox_mode_names)                                                          \
    }

/* Call this before anything is done. Returns the exit code, after a message, if the mode requires what this kernel lacks,
 * else -1. With `is_verbose`, prints what is missing even if the mode does not require it. */
int sandbox_args_check(enum sandbox_mode mode, bool is_verbose);

/* Confines this process. Returns the exit code, after a message, if the mode requires what this kernel lacks, else -1. */
int sandbox_args_enter(const struct sandbox_rules *rules);

/* What a command makes of one model of a stranger. */
struct sandbox_task {
    const char *model; /* for messages */
    double timeout_s;
    int (*make)(void *context,
                struct blob *out); /* returns an exit code, after a message if it is not EXIT_DONE */
    void *context;
    int exit_died;    /* the exit code if the process dies or takes too long */
    const char *path; /* where the result goes (cli_write) */
};

/* Makes it in a confined process (sandbox_run) and writes it. Returns the exit code, after a message if it is not
 * EXIT_DONE. */
int sandbox_args_run(const struct sandbox_rules *rules, const struct sandbox_task *task);

#endif
