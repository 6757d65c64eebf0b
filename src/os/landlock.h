/* Landlock: the kernel lets this process use the files it was given, and no others. These are raw system calls, which
 * the C library lacks. A number, the ABI, says what a kernel can do:
 *
 *     1  files and folders          (Linux 5.13)      4  no TCP                            (6.7)
 *     2  links across folders       (5.19)            5  ioctl on devices                  (6.10)
 *     3  cutting files short        (6.2)             6  signals and abstract sockets      (6.12)
 *
 * A file without a rule is refused. Links in a path are followed when its rule is made; one that is made later leads
 * nowhere. */
#ifndef OS_LANDLOCK_H
#define OS_LANDLOCK_H

#include "base/error.h"

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

#endif
