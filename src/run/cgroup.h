/* How much CPU time the control group of this process may use, as a container or a batch system set it. */
#ifndef RUN_CGROUP_H
#define RUN_CGROUP_H

/* The quota in CPUs, such as 1.5: the smallest of the process's group and the groups above it, of cgroup v2
 * (cpu.max) and v1 (cpu.cfs_quota_us). 0 when there is none, or none that can be read. `root` is put before
 * every path: "" for the system's own, a folder in tests. */
double cgroup_cpu_quota(const char *root);

#endif
