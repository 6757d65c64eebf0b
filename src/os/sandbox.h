/* The sandbox that workers enter before they read the first byte of a stranger's file: from then on a process can read
 * its assets and the system's libraries, write its outputs, and do little else. docs/security.md has the rules.
 *
 * A worker enters it before it opens the renderer: Landlock confines a thread and those that it starts later, and Mesa
 * starts one for its shader cache with a context. */
#pragma once

#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/strings.h"

enum sandbox_mode {
    SANDBOX_AUTO,    /* as much as the kernel gives */
    SANDBOX_REQUIRE, /* all of it, or fail */
    SANDBOX_OFF,
    SANDBOX_MODE_COUNT,
};

/* "auto", "require", "off": the values of --sandbox. */
extern const char *const sandbox_mode_names[SANDBOX_MODE_COUNT];

/* Files that a process may use besides those that the renderer needs of the system. A zeroed struct is auto, and no files. */
struct sandbox_rules {
    enum sandbox_mode mode;
    struct strings read;  /* files, and folders with all below */
    struct strings write; /* folders, which it also reads */
};

void sandbox_rules_release(struct sandbox_rules *rules);

/* The parts that are in force. */
struct sandbox_state {
    int landlock_abi; /* 0: no Landlock */
    bool has_filter;  /* of system calls */
    bool has_no_new_privileges;
    struct strings missing; /* why parts are not in force, a line each; the caller releases them */
};

/* Confines this process for good. `out` may be NULL. Fails only with SANDBOX_REQUIRE, when a part is missing. */
int sandbox_enter(const struct sandbox_rules *rules, struct sandbox_state *out, struct error *err);

/* Calls `make` in a confined child process (child_run), to make one thing of a stranger's file, with half of the memory. With
 * SANDBOX_OFF, `make` runs in this process, without the time limit. */
int sandbox_run(const struct sandbox_rules *rules, double timeout_s, int (*make)(void *context, struct blob *out),
                void *context, struct blob *out, struct error *err);

/* Tries sandbox_enter in a child process, to find which parts this machine has. */
void sandbox_try(struct sandbox_state *out);

/* A part of sandbox_enter, for tests. Drops for good: privileges from programs (no_new_privs), core files, which could
 * hold anything and would lie where the run was started, and all capabilities but those that let root write into
 * folders of others, such as a container's volumes. */
int sandbox_drop_privileges(struct error *err);

/* -- Landlock, which sandbox_enter uses; for tests --------------------------------------------------------- */

/* The ABI of this kernel; -1 when it has none. */
int landlock_abi(struct error *err);

enum landlock_use {
    LANDLOCK_READ,   /* files, and what is in folders */
    LANDLOCK_WRITE,  /* read them, make, change, rename and remove plain files and folders: no links, no devices */
    LANDLOCK_DEVICE, /* read, write and control them */
};

/* Begins a set of rules, for this kernel's ABI or an older one. Returns a file descriptor, or -1. */
int landlock_begin(int abi, struct error *err);

/* Allows the use of a file, or of a folder and all below. A path that cannot be opened gets no rule. */
void landlock_allow(int rules, int abi, enum landlock_use use, const char *path);

/* Confines this thread and those that it starts from now on, for good. Needs no_new_privs. Closes the rules. */
int landlock_enter(int rules, struct error *err);

/* -- System calls (syscalls.c), which sandbox_enter refuses ------------------------------------------------ */

/* From now on, for good, for all threads of this process. Sets no_new_privs. */
int syscalls_restrict(struct error *err);
