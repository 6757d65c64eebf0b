/* Limits of control groups, in a folder that stands for the root of the file system, and those of this process. */

#include <sys/mman.h>

#include "os/resources.h"
#include "os/sandbox.h"
#include "temp_folder.h"
#include "test.h"

#define TOP "sys/fs/cgroup/"

/* clang-format off */
static const struct world {
    const char *what, *group; /* /proc/self/cgroup */
    struct {
        const char *name, *text;
    } files[2];
    double cpus, bytes;
} worlds[] = {
    {"a quota", "0::/batch/job\n", {{TOP "batch/job/cpu.max", "150000 100000\n"}}, .cpus = 1.5},
    {"the quota of a group above holds, too", "0::/batch/job\n",
     {{TOP "batch/job/cpu.max", "800000 100000\n"}, {TOP "batch/cpu.max", "300000 100000\n"}}, .cpus = 3},
    {"max is no limit", "0::/batch/job\n",
     {{TOP "batch/job/cpu.max", "max 100000\n"}, {TOP "batch/job/memory.max", "max\n"}}, .cpus = 0},
    {"a container's quota is at the top", "0::/\n", {{TOP "cpu.max", "50000 100000\n"}}, .cpus = 0.5},
    {"a container that has the host's path", "0::/docker/abc\n", {{TOP "cpu.max", "200000 100000\n"}}, .cpus = 2},
    {"a path out of the name space", "0::/../other\n",
     {{TOP "cpu.max", "200000 100000\n"}, {"sys/fs/other/cpu.max", "100000 100000\n"}}, .cpus = 2},
    {"lines of version 1 are passed over", "5:cpuset:/x\n4:cpu,cpuacct:/batch\n0::/job\n",
     {{TOP "job/cpu.max", "400000 100000\n"}, {TOP "batch/cpu.max", "100000 100000\n"}}, .cpus = 4},
    {"nonsense is no limit", "0::/a\nxyz\n\n:\n::\n",
     {{TOP "a/cpu.max", "many 0\n"}, {TOP "cpu.max", "100000 0\n"}}, .cpus = 0},
    {"the memory is the smallest upwards", "0::/batch/job\n",
     {{TOP "batch/job/memory.max", "8589934592\n"}, {TOP "batch/memory.max", "4294967296\n"}}, .bytes = 4294967296.0},
};
/* clang-format on */

TEST(each_world_has_its_limits)
{
    for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
        const struct world *world = &worlds[i];
        char *root = temp_folder_new();
        temp_folder_add(root, "proc/self/cgroup", world->group);
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
    skip_without_addresses();
    struct blob nothing = {0};
    struct error err;
    assert_int_equal(sandbox_run(&(struct sandbox_rules){0}, 10, take_memory, NULL, &nothing, &err), 1);
    blob_release(&nothing);
}
