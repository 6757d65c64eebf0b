#ifndef OS_CPUS_H
#define OS_CPUS_H

/* The CPUs this process may use: its affinity mask, capped by the cgroup's quota (v1 and v2), at least 1. */
unsigned cpus_usable(void);

#endif
