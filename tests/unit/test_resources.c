/* Limits of control groups, in a folder that stands for the root of the file system, and those of this process. */

#include <sys/mman.h>

#include "os/resources.h"
#include "os/sandbox.h"
#include "temp_folder.h"
#include "test.h"

#define V2_MOUNT "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_CPU "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_MEMORY "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define OTHER_MOUNTS                                                                                              \
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"                                                             \
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
#define V2_FOLDER "sys/fs/cgroup/"
#define V1_FOLDER "sys/fs/cgroup/cpu,cpuacct/"
#define V1_BYTES "sys/fs/cgroup/memory/"

/* clang-format off */
static const struct world {
    const char *what, *group, *mounts; /* /proc/self/cgroup and /proc/self/mountinfo */
    struct {
        const char *name, *text;
    } files[2];
    double cpus, bytes;
} worlds[] = {
    {"v2 has a quota in one file", "0::/batch/job\n", OTHER_MOUNTS V2_MOUNT,
     {{V2_FOLDER "batch/job/cpu.max", "150000 100000\n"}}, .cpus = 1.5},
    {"the quota of a group above holds, too", "0::/batch/job\n", V2_MOUNT,
     {{V2_FOLDER "batch/job/cpu.max", "800000 100000\n"}, {V2_FOLDER "batch/cpu.max", "300000 100000\n"}}, .cpus = 3},
    {"max is no limit", "0::/batch/job\n", V2_MOUNT,
     {{V2_FOLDER "batch/job/cpu.max", "max 100000\n"}, {V2_FOLDER "batch/job/memory.max", "max\n"}}, .cpus = 0},
    {"a container's quota is at its mount", "0::/\n", V2_MOUNT, {{V2_FOLDER "cpu.max", "50000 100000\n"}}, .cpus = 0.5},
    {"v1 has it in two files", "5:cpuset:/x\n4:cpu,cpuacct:/batch\n0::/\n", OTHER_MOUNTS V1_CPU,
     {{V1_FOLDER "batch/cpu.cfs_quota_us", "400000\n"}, {V1_FOLDER "batch/cpu.cfs_period_us", "100000\n"}}, .cpus = 4},
    {"v1's -1 is no quota", "4:cpu,cpuacct:/batch\n", V1_CPU,
     {{V1_FOLDER "batch/cpu.cfs_quota_us", "-1\n"}, {V1_FOLDER "batch/cpu.cfs_period_us", "100000\n"}}, .cpus = 0},
    {"Docker with v1: the path is the host's, and only that group is mounted", "4:cpu,cpuacct:/docker/abc\n",
     "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n",
     {{V1_FOLDER "cpu.cfs_quota_us", "200000\n"}, {V1_FOLDER "cpu.cfs_period_us", "100000\n"}}, .cpus = 2},
    {"a path out of the name space is that of the mount", "0::/../other\n", V2_MOUNT,
     {{V2_FOLDER "cpu.max", "200000 100000\n"}, {"sys/fs/other/cpu.max", "100000 100000\n"}}, .cpus = 2},
    {"a mount point may hold a space", "0::/\n", "31 23 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n",
     {{"my groups/cpu.max", "200000 100000\n"}}, .cpus = 2},
    {"nonsense is no limit", "0::/a\nxyz\n\n:\n::\n", "x\n - \n1 2 3 - cgroup2\n" V2_MOUNT,
     {{V2_FOLDER "a/cpu.max", "many 0\n"}, {V2_FOLDER "cpu.max", "100000 0\n"}}, .cpus = 0},
    {"v2's memory is the smallest upwards", "0::/batch/job\n", V2_MOUNT,
     {{V2_FOLDER "batch/job/memory.max", "8589934592\n"}, {V2_FOLDER "batch/memory.max", "4294967296\n"}},
     .bytes = 4294967296.0},
    {"v1's largest number is no limit, and one below it is", "9:memory:/batch\n", V1_MEMORY,
     {{V1_BYTES "batch/memory.limit_in_bytes", "536870912\n"}, {V1_BYTES "memory.limit_in_bytes", "9223372036854771712\n"}},
     .bytes = 536870912.0},
    {"v1's largest number alone", "9:memory:/\n", V1_MEMORY,
     {{V1_BYTES "memory.limit_in_bytes", "9223372036854771712\n"}}, .bytes = 0},
};
/* clang-format on */

TEST(each_world_has_its_limits)
{
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        const struct world *world = &worlds[i];
        char *root = temp_folder_new();
        temp_folder_add(root, "proc/self/cgroup", world->group);
        temp_folder_add(root, "proc/self/mountinfo", world->mounts);
        for (size_t f = 0; f < 2 && world->files[f].name; f++)
            temp_folder_add(root, world->files[f].name, world->files[f].text);
        if (cgroup_cpu_quota(root) != world->cpus || cgroup_memory_limit(root) != world->bytes)
            fail_msg("%s: %g CPUs and %g bytes", world->what, cgroup_cpu_quota(root), cgroup_memory_limit(root));
        temp_folder_free(root);
    }
}

TEST(without_groups_there_is_no_limit)
{
    char *root = temp_folder_new();
    assert_true(cgroup_cpu_quota(root) == 0 && cgroup_memory_limit(root) == 0);
    temp_folder_free(root);
}

TEST(the_real_limits_can_be_read)
{
    assert_true(cgroup_cpu_quota("") >= 0);
    assert_true(cgroup_memory_limit("") >= 0);
}

static bool gets_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory != MAP_FAILED && munmap(memory, size) == 0;
}

/* In the sandbox, where this is done. */
static int take_memory(void *context, struct blob *out)
{
    (void)context, (void)out;
    uint64_t before = memory_limit_begin(64 << 20);
    bool is_limited = gets_memory(32 << 20) && !gets_memory(65 << 20);
    memory_limit_end(before);
    return is_limited && gets_memory(65 << 20);
}

TEST(a_limit_of_memory_counts_from_what_is_used_and_can_end)
{
#ifdef __has_feature
#if __has_feature(address_sanitizer)
    skip(); /* it takes all addresses there are */
#endif
#endif
    struct blob nothing = {0};
    struct error err;
    assert_int_equal(sandbox_run(&(struct sandbox_rules){0}, 10, take_memory, NULL, &nothing, &err), 1);
    blob_release(&nothing);
}
