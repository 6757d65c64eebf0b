/* The sandbox that workers are in before they read the first byte of a stranger's file: from then on a process can read
 * its assets and the system's libraries, write its outputs, and do little else. docs/security.md has the rules.
 *
 * Entered before the renderer is opened, for Landlock confines a thread and those that it starts later, and Mesa starts
 * one for its shader cache when a context is made. */
#ifndef OS_SANDBOX_H
#define OS_SANDBOX_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/strings.h"

enum sandbox_mode {
    SANDBOX_AUTO,    /* as much as the kernel gives */
    SANDBOX_REQUIRE, /* all of it, or nothing is done */
    SANDBOX_OFF,
    SANDBOX_MODE_COUNT,
};

/* "auto", "require", "off": as --sandbox has it. */
extern const char *const sandbox_mode_names[SANDBOX_MODE_COUNT];

/* What a process is to keep, besides what the renderer needs of the system. A zeroed struct is nothing, and auto. */
struct sandbox_rules {
    enum sandbox_mode mode;
    struct strings read;  /* files, and folders with all below */
    struct strings write; /* folders, in which it also reads */
};

void sandbox_rules_release(struct sandbox_rules *rules);

/* What holds. */
struct sandbox_state {
    int landlock_abi; /* 0: no Landlock */
    bool has_filter;  /* of system calls */
    bool has_no_new_privileges;
    struct strings missing; /* in words; empty where all holds */
};

void sandbox_state_release(struct sandbox_state *state);

/* Confines this process for good. `out` may be NULL. Fails only where the mode requires what is not to be had. */
int sandbox_enter(const struct sandbox_rules *rules, struct sandbox_state *out, struct error *err);

/* Calls `make` in a child process that is confined (os/child.h), for one result made of a stranger's file. Returns
 * what it returned (0 to 255), with the bytes it left in *out, which is the caller's; -1 and why when the process
 * did not live to return, or took longer than this (0: as long as it takes). With SANDBOX_OFF, `make` runs in this
 * process, with no limit. */
int sandbox_run(const struct sandbox_rules *rules, double timeout_s, int (*make)(void *context, struct blob *out),
                void *context, struct blob *out, struct error *err);

/* What sandbox_enter reaches on this machine, tried in a child process. */
void sandbox_try(struct sandbox_state *out);

#endif
