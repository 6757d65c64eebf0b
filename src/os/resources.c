#include "os/resources.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"

/* -- Control groups ---------------------------------------------------------------------------------------- */

/* cpu.max holds "150000 100000", microseconds of CPU in each period, and memory.max one number; 0 for "max". */
static double read_limit(const char *folder, const char *name)
{
    char path[PATH_MAX];
    double number = 0, period = 1;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    SCOPED_BY(stream_close) FILE *file = fopen(path, "re");
    int count = file ? fscanf(file, "%lf %lf", &number, &period) : 0;
    return count > 0 && period > 0 ? number / period : 0;
}

/* The path of our group, from the line "0::/some/group": "" in a container, which sees its own group as the top, or sees a
 * path that is not in its name space ("/.."). */
static void read_group(const char *root, char group[PATH_MAX])
{
    char path[PATH_MAX], line[PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    SCOPED_BY(stream_close) FILE *file = fopen(path, "re");
    *group = '\0';
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, "0::/", 4) && !strstr(line, "/.."))
            snprintf(group, PATH_MAX, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    if (!strcmp(group, "/"))
        *group = '\0';
}

/* Limits of the groups above hold as well, as far up as we see them. A container may have the path of its group as the host
 * sees it: there is no such folder, and the top has the limits. */
static double smallest_limit(const char *root, const char *name)
{
    char group[PATH_MAX], folder[2 * PATH_MAX];
    double smallest = 0;
    read_group(root, group);
    for (char *slash = group;; *slash = '\0') {
        snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, group);
        double limit = read_limit(folder, name);
        if (limit > 0 && (smallest <= 0 || limit < smallest))
            smallest = limit;
        slash = strrchr(group, '/');
        if (!slash)
            return smallest;
    }
}

double cgroup_cpu_quota(const char *root)
{
    return smallest_limit(root, "cpu.max");
}

double cgroup_memory_limit(const char *root)
{
    return smallest_limit(root, "memory.max");
}

/* -- This machine ------------------------------------------------------------------------------------------ */

unsigned cpus_usable(void)
{
    enum { MOST_CPUS = 1 << 16 }; /* the kernel's mask may be larger than one cpu_set_t, and has at most 8192 */
    cpu_set_t set[MOST_CPUS / CPU_SETSIZE];
    unsigned count = sched_getaffinity(0, sizeof set, set) == 0 ? (unsigned)CPU_COUNT_S(sizeof set, set) : 1;
    double quota = ceil(cgroup_cpu_quota("")); /* two workers use up 1.5 CPUs, one does not */
    if (quota >= 1 && quota < count)
        count = (unsigned)quota;
    return count < 1 ? 1 : count;
}

/* statm is "87534 35294 15240 95 0 22789 0": pages in all, in memory, of those from files, code, 0, and what counts for
 * the limit of data, with the stack. */
static bool read_statm(pid_t pid, unsigned long *resident, unsigned long *shared, unsigned long *data)
{
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    SCOPED_BY(stream_close) FILE *file = fopen(path, "re");
    return file && fscanf(file, "%*u %lu %lu %*u %*u %lu", resident, shared, data) == 3;
}

uint64_t memory_use(pid_t pid)
{
    unsigned long resident, shared, data;
    bool is_known = read_statm(pid, &resident, &shared, &data) && resident > shared;
    return is_known ? (uint64_t)(resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

uint64_t memory_usable(void)
{
    double machine = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double group = cgroup_memory_limit("");
    return (uint64_t)(group > 0 && group < machine ? group : machine);
}

const char *memory_note(uint64_t enough, char text[64])
{
    struct rlimit space;
    text[0] = '\0';
    if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY && space.rlim_cur < enough)
        snprintf(text, 64, ", where `ulimit -v` leaves %ju MiB of memory", (uintmax_t)(space.rlim_cur >> 20));
    return text;
}

const char *missing_package(const char *words)
{
    char note[64];
    return getenv("SHEETBAKE_LIBRARIES") || *memory_note(MEMORY_TO_DRAW, note) ? "" : words;
}

/* The address sanitizer takes terabytes of addresses for itself. */
#if defined __has_feature
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER
#endif
#elif defined __SANITIZE_ADDRESS__
#define HAS_ADDRESS_SANITIZER
#endif

void memory_limit(uint64_t most)
{
#ifndef HAS_ADDRESS_SANITIZER
    struct rlimit data;
    if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur > most)
        memory_limit_end(most);
#else
    (void)most;
#endif
}

uint64_t memory_limit_begin(uint64_t more)
{
    unsigned long resident, shared, data;
    struct rlimit before = {RLIM_INFINITY, RLIM_INFINITY};
    getrlimit(RLIMIT_DATA, &before);
    if (read_statm(getpid(), &resident, &shared, &data))
        memory_limit(data * (uint64_t)sysconf(_SC_PAGESIZE) + more);
    return before.rlim_cur;
}

void memory_limit_end(uint64_t before)
{
    struct rlimit data;
    if (getrlimit(RLIMIT_DATA, &data) == 0) {
        data.rlim_cur = before;
        setrlimit(RLIMIT_DATA, &data);
    }
}
