#include "os/cpus.h"

#include <errno.h>
#include <math.h>
#include <sched.h>

#include "os/cgroup.h"

static unsigned count_in_affinity_mask(void)
{
    /* The kernel's mask may be larger than cpu_set_t; EINVAL says so. */
    for (int size = 1024; size <= 1 << 20; size *= 2) {
        cpu_set_t *set = CPU_ALLOC(size);
        if (!set)
            break;
        int got = sched_getaffinity(0, CPU_ALLOC_SIZE(size), set);
        int reason = errno;
        int count = got == 0 ? CPU_COUNT_S(CPU_ALLOC_SIZE(size), set) : 0;
        CPU_FREE(set);
        if (got == 0)
            return (unsigned)count;
        if (reason != EINVAL)
            break;
    }
    return 1;
}

unsigned cpus_usable(void)
{
    unsigned count = count_in_affinity_mask();
    double quota = ceil(cgroup_cpu_quota("")); /* 1.5 CPUs are used up by two workers, not by one */
    if (quota >= 1 && quota < count)
        count = (unsigned)quota;
    return count < 1 ? 1 : count;
}
