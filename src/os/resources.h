/* CPUs and memory: what this process may use, and what a process uses.
 *
 * A container or a batch system sets limits by control groups. Those here are the smallest of the process's group and
 * all above it, in cgroup v2; 0 where there is none, as with v1. `root` is put before every path: "" for the system's own,
 * a folder in tests. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

double cgroup_cpu_quota(const char *root);    /* in CPUs, such as 1.5 (cpu.max) */
double cgroup_memory_limit(const char *root); /* in bytes (memory.max) */

/* The CPUs that this process may use: its affinity mask, at most the quota, at least 1. */
unsigned cpus_usable(void);

/* The bytes of memory that this machine has or the limit allows. */
uint64_t memory_usable(void);

/* The bytes of memory that a process has for itself alone, without mapped files such as libraries. 0 when that is not
 * known, as when the process is gone. */
uint64_t memory_use(pid_t pid);

/* Returns ", where `ulimit -v` leaves 97 MiB of memory", written into `text`, for a message of what may have failed for
 * that; "" where it leaves `enough` bytes. */
const char *memory_note(uint64_t enough, char text[64]);
enum { MEMORY_TO_DRAW = 512 << 20 }; /* is enough to open a driver, which takes some 300 MiB of addresses */

/* Returns `words` on the package to install, or "" where that would not help: in the tarball, which has its libraries with
 * it, and where memory is what is missing. */
const char *missing_package(const char *words);

/* From now on the system refuses this process memory above so many bytes. */
void memory_limit(uint64_t most);

/* The same above what it has now and `more`, until memory_limit_end gets what this returned. */
uint64_t memory_limit_begin(uint64_t more);
void memory_limit_end(uint64_t before);
