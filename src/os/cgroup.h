/* What the control group of this process may use, as a container or a batch system set it: the smallest limit of the
 * process's group and the groups above it, in cgroup v2 and v1. 0 where there is none, or none that can be read. `root` is
 * put before every path: "" for the system's own, a folder in tests. */
#ifndef OS_CGROUP_H
#define OS_CGROUP_H

/* In CPUs, such as 1.5 (cpu.max, cpu.cfs_quota_us). */
double cgroup_cpu_quota(const char *root);

/* In bytes (memory.max, memory.limit_in_bytes). */
double cgroup_memory_limit(const char *root);

#endif
