/* seccomp: the kernel refuses system calls that no worker needs. */
#ifndef OS_SYSCALLS_H
#define OS_SYSCALLS_H

#include "base/error.h"

/* From now on, for good, for all threads of this process. Sets no_new_privs. */
int syscalls_restrict(struct error *err);

#endif
