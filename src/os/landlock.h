/* Landlock: the part of the sandbox in which the kernel keeps this process to the files it was given. Raw system calls,
 * for the C library has none of them. What a kernel can is told by a number, its ABI:
 *
 *     1  files and folders          (Linux 5.13)      4  no TCP                            (6.7)
 *     2  links across folders       (5.19)            5  ioctl on devices                  (6.10)
 *     3  cutting files short        (6.2)             6  signals and abstract sockets      (6.12)
 *
 * Whatever has no rule is refused. A rule is for what the path leads to when it is made, so links in it are followed
 * then, and one that is made later leads nowhere. */
#ifndef OS_LANDLOCK_H
#define OS_LANDLOCK_H

#include "base/error.h"

/* What this kernel has, or -1 and why there is none. */
int landlock_abi(struct error *err);

enum landlock_use {
    LANDLOCK_READ,   /* files, and what is in folders */
    LANDLOCK_WRITE,  /* read them, make, change, rename and remove plain files and folders: no links, no devices */
    LANDLOCK_DEVICE, /* read, write and control them */
};

/* A set of rules under way, for this kernel's ABI or an older one: a file descriptor, or -1. */
int landlock_begin(int abi, struct error *err);

/* Allows the use of a file, or of a folder with all below. One that is not there, or that not even we may look at, has
 * no rule: whoever opens it is told so then. */
void landlock_allow(int rules, int abi, enum landlock_use use, const char *path);

/* Confines this thread and those that it starts from now on, for good; those it has already stay free. Wants
 * no_new_privs. Closes the rules. */
int landlock_enter(int rules, struct error *err);

#endif
