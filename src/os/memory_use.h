/* How much memory a process has, and how much there is. */
#ifndef OS_MEMORY_USE_H
#define OS_MEMORY_USE_H

#include <stdint.h>
#include <sys/types.h>

/* The bytes of memory that a process has for itself alone: what lies in files, such as libraries, does not count. 0 where
 * that is not known, as when it is gone. */
uint64_t memory_use(pid_t pid);

/* What this machine has, or allows this process by a cgroup (v1 and v2). */
uint64_t memory_usable(void);

#endif
