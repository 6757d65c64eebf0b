/* --sandbox. */
#pragma once

#include "cli/args.h"
#include "os/sandbox.h"

/* The default of commands without workers. A build with sanitizers turns it off: the leak checker traces its own process,
 * which the sandbox refuses. */
#ifndef SANDBOX_OF_COMMANDS
#define SANDBOX_OF_COMMANDS SANDBOX_AUTO
#endif

#define ARG_SANDBOX(type, member)                                                                                 \
    "sandbox", 0, "MODE",                                                                                         \
        "confine the processes that read files of others: auto (the default) as far as the kernel can, require "  \
        "fully or fail, or off",                                                                                  \
        ARG_CHOICE(type, member, sandbox_mode_names)

/* The time limit of that process. */
#define ARG_GIVE_UP(type, member, seconds)                                                                        \
    "timeout", 0, "SEC", "give up after SEC, in the sandbox (default " seconds "; 0: no limit)",                  \
        ARG_NUMBER(type, member, 0, 86400)

/* Call this before anything is done. Returns the exit code, after a message, if the mode requires what this kernel lacks,
 * else -1. With `is_verbose`, prints what is missing even if the mode does not require it. */
int sandbox_args_check(enum sandbox_mode mode, bool is_verbose);

/* Forks. The confined child, which may read the folders, has limits of memory and time (timeout_s; 0: none); it gets -1 and
 * goes on. The parent waits and gets its exit code, or one after a message if the child dies, takes too long or lacks what
 * the mode requires. Releases the rules. With --sandbox off there is only one process. */
int sandbox_args_enter(struct sandbox_rules *rules, const struct strings *folders, double timeout_s);

/* Forks without messages: the confined child gets CHILD_IS_THIS, and the parent -1 if the child died. */
int sandbox_args_fork(const struct sandbox_rules *rules, double timeout_s, struct error *err);

/* The task of a command that makes one thing of a stranger's model. */
struct sandbox_task {
    const char *model; /* for messages */
    double timeout_s;
    int (*make)(void *context, struct blob *out); /* returns an exit code, after a message unless EXIT_DONE */
    void *context;
    int exit_died;    /* the exit code if the process dies or takes too long */
    const char *path; /* where the result goes (cli_write) */
};

/* Makes it in a confined process (sandbox_run), if the mode has what it requires, and writes it. Returns the exit code, after
 * a message if it is not EXIT_DONE. */
int sandbox_args_run(const struct sandbox_rules *rules, const struct sandbox_task *task);
