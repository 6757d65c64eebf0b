#include "os/resources.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

/* -- Control groups ---------------------------------------------------------------------------------------- */

/* v1 and v2 keep a limit in other files and have other lines in /proc. Both can be mounted at once; a controller is then
 * in one of them. */
struct hierarchy {
    const char *file_system;
    const char *controller; /* NULL: v2, which has no list of controllers in /proc */
    double (*read_limit)(const char *folder);
};

static FILE *open_file(const char *folder, const char *name)
{
    char *path = must_printf("%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    free(path);
    return file;
}

/* The first line of a file; the caller's to free. NULL when there is none. */
static char *read_line(const char *folder, const char *name)
{
    FILE *file = open_file(folder, name);
    char *line = NULL;
    size_t capacity = 0;
    if (file && getline(&line, &capacity, file) < 0) {
        free(line);
        line = NULL;
    }
    if (file)
        fclose(file);
    return line;
}

/* cpu.max holds "150000 100000": microseconds of CPU in each period; "max" for no limit. */
static double read_v2_quota(const char *folder)
{
    char *line = read_line(folder, "cpu.max");
    double quota = 0, period = 0;
    bool is_limit = line && sscanf(line, "%lf %lf", &quota, &period) == 2 && quota > 0 && period > 0;
    free(line);
    return is_limit ? quota / period : 0;
}

/* The same in two files; the quota is -1 for no limit. */
static double read_v1_quota(const char *folder)
{
    char *quota_line = read_line(folder, "cpu.cfs_quota_us");
    char *period_line = read_line(folder, "cpu.cfs_period_us");
    double quota = quota_line ? strtod(quota_line, NULL) : 0;
    double period = period_line ? strtod(period_line, NULL) : 0;
    free(quota_line);
    free(period_line);
    return quota > 0 && period > 0 ? quota / period : 0;
}

static double read_bytes(const char *folder, const char *name)
{
    const double unlimited = 0x1p60; /* v1 has no word for it, and gives the largest number of pages */
    char *line = read_line(folder, name);
    double bytes = line ? strtod(line, NULL) : 0; /* "max" is 0 */
    free(line);
    return bytes < unlimited ? bytes : 0;
}

static double read_v2_memory(const char *folder)
{
    return read_bytes(folder, "memory.max");
}

static double read_v1_memory(const char *folder)
{
    return read_bytes(folder, "memory.limit_in_bytes");
}

static const struct hierarchy cpu_hierarchies[] = {{"cgroup2", NULL, read_v2_quota},
                                                   {"cgroup", "cpu", read_v1_quota}};
static const struct hierarchy memory_hierarchies[] = {{"cgroup2", NULL, read_v2_memory},
                                                      {"cgroup", "memory", read_v1_memory}};

/* Whether a comma-separated list holds the word. */
static bool list_has(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0)
            return true;
    return false;
}

/* Lines are "4:cpu,cpuacct:/some/group" in v1, "0::/some/group" in v2. The group's path, the caller's to free. */
static char *find_group(const char *root, const struct hierarchy *hierarchy)
{
    FILE *file = open_file(root, "proc/self/cgroup");
    if (!file)
        return NULL;

    char *line = NULL, *group = NULL;
    size_t capacity = 0;
    while (!group && getline(&line, &capacity, file) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':');
        char *name = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!name)
            continue;
        controllers++;
        *name++ = '\0';
        if (hierarchy->controller ? list_has(controllers, hierarchy->controller) : !*controllers)
            group = must_strdup(name);
    }
    free(line);
    fclose(file);
    return group;
}

/* mountinfo writes a space as \040 and a backslash as \134. */
static void undo_octal(char *text)
{
    char *to = text;
    for (const char *from = text; *from; to++) {
        unsigned code;
        if (from[0] == '\\' && sscanf(from + 1, "%3o", &code) == 1) {
            *to = (char)code;
            from += 4;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
}

/* Where a hierarchy is mounted, and which of its groups is at the top there; both the caller's to free. */
struct mount {
    char *group, *folder;
};

/* A line is "36 35 0:30 GROUP FOLDER rw,noatime shared:1 - TYPE SOURCE OPTIONS", with any number of words
 * before the '-'. */
static bool parse_mount(char *line, const struct hierarchy *hierarchy, struct mount *out)
{
    char *tail = strstr(line, " - ");
    char *group = NULL, *folder = NULL, *type = NULL, *options = NULL;
    bool found = tail && sscanf(line, "%*s %*s %*s %ms %ms", &group, &folder) == 2 &&
                 sscanf(tail, " - %ms %*s %ms", &type, &options) >= 1 &&
                 strcmp(type, hierarchy->file_system) == 0 &&
                 (!hierarchy->controller || (options && list_has(options, hierarchy->controller)));
    free(type);
    free(options);
    if (!found) {
        free(group);
        free(folder);
        return false;
    }
    undo_octal(group);
    undo_octal(folder);
    *out = (struct mount){group, folder};
    return true;
}

static bool find_mount(const char *root, const struct hierarchy *hierarchy, struct mount *out)
{
    FILE *file = open_file(root, "proc/self/mountinfo");
    if (!file)
        return false;
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;
    while (!found && getline(&line, &capacity, file) >= 0)
        found = parse_mount(line, hierarchy, out);
    free(line);
    fclose(file);
    return found;
}

/* The group's path below the mount's own group. A container may see its group's path as the host does, with only that
 * group mounted, or a path out of its own name space ("/.."): then it is the mount's own group. */
static const char *path_in_mount(const char *group, const char *mounted)
{
    size_t length = strcmp(mounted, "/") == 0 ? 0 : strlen(mounted);
    bool is_below = strncmp(group, mounted, length) == 0 && (group[length] == '/' || !group[length]);
    return is_below && !strstr(group, "/..") && strcmp(group, "/") != 0 ? group + length : "";
}

static double smaller_limit(double a, double b)
{
    if (a <= 0 || b <= 0)
        return a > b ? a : b;
    return a < b ? a : b;
}

/* Limits of the groups above hold as well, as far up as the mount shows them. */
static double read_limit_upwards(char *folder, size_t top_length, double (*read_limit)(const char *))
{
    double limit = 0;
    for (;;) {
        limit = smaller_limit(limit, read_limit(folder));
        char *slash = strrchr(folder, '/');
        if (!slash || (size_t)(slash - folder) < top_length)
            return limit;
        *slash = '\0';
    }
}

static double smallest_limit(const char *root, const struct hierarchy hierarchies[2])
{
    double limit = 0;
    for (size_t i = 0; i < 2; i++) {
        struct mount mount;
        char *group = find_group(root, &hierarchies[i]);
        if (group && find_mount(root, &hierarchies[i], &mount)) {
            char *top = must_printf("%s%s", root, mount.folder);
            char *folder = must_printf("%s%s", top, path_in_mount(group, mount.group));
            limit = smaller_limit(limit, read_limit_upwards(folder, strlen(top), hierarchies[i].read_limit));
            free(folder);
            free(top);
            free(mount.group);
            free(mount.folder);
        }
        free(group);
    }
    return limit;
}

double cgroup_cpu_quota(const char *root)
{
    return smallest_limit(root, cpu_hierarchies);
}

double cgroup_memory_limit(const char *root)
{
    return smallest_limit(root, memory_hierarchies);
}

/* -- This machine ------------------------------------------------------------------------------------------ */

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
    FILE *file = fopen(path, "re");
    bool is_read = file && fscanf(file, "%*u %lu %lu %*u %*u %lu", resident, shared, data) == 3;
    if (file)
        fclose(file);
    return is_read;
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
    if (getrlimit(RLIMIT_DATA, &data) == 0 && data.rlim_cur > most) {
        data.rlim_cur = most;
        setrlimit(RLIMIT_DATA, &data);
    }
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
