#include "os/memory_use.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "os/cgroup.h"

/* "87534 35294 15240 95 0 22789 0": in pages, all, what is in memory, and of that what is in files. */
uint64_t memory_use(pid_t pid)
{
    char path[32], text[128];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t size = read(fd, text, sizeof text - 1);
    close(fd);
    text[size > 0 ? size : 0] = '\0';
    unsigned long resident, shared;
    bool is_known = sscanf(text, "%*u %lu %lu", &resident, &shared) == 2 && resident > shared;
    return is_known ? (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t memory_usable(void)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double group = cgroup_memory_limit("");
    return (uint64_t)(group > 0 && group < machine ? group : machine);
}
