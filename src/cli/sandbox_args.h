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

/* Adds the folders that are read to the rules, uses these up, and goes on in a confined process, with limits of memory and
 * time (timeout_s; 0: none), where it returns -1. The first process waits for it and gets its exit code, or one after a
 * message if it dies, takes too long or lacks what the mode requires. With --sandbox off there is only one process. */
int sandbox_args_enter(struct sandbox_rules *rules, const struct strings *folders, double timeout_s);

/* The same without messages, and -1 where the process died: returns CHILD_IS_THIS in the confined process. */
int sandbox_args_fork(const struct sandbox_rules *rules, double timeout_s, struct error *err);

/* What a command makes of one model of a stranger. */
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
