

#include "os/resources.h"
#include "temp_folder.h"
#include "test.h"

#define V2_MOUNT "31 23 0:28 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MOUNT "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define OTHER_MOUNTS                                                                                              \
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"                                                             \
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"

/* A folder that stands for the root of the file system. */
static char *root;

static int make_root(void **state)
{
    (void)state;
    root = temp_folder_new();
    return 0;
}

static int remove_root(void **state)
{
    (void)state;
    temp_folder_free(root);
    return 0;
}

static void put(const char *name, const char *text)
{
    temp_folder_add(root, name + 1, text);
}

static void put_proc(const char *group, const char *mounts)
{
    put("/proc/self/cgroup", group);
    put("/proc/self/mountinfo", mounts);
}

static void check_quota(double expected)
{
    assert_float_equal((float)cgroup_cpu_quota(root), (float)expected, 1e-6f);
}

TEST_WITH(without_groups_there_is_no_quota, make_root, remove_root)
{
    check_quota(0);
}

TEST_WITH(v2_quota_is_read, make_root, remove_root)
{
    put_proc("0::/batch/job\n", OTHER_MOUNTS V2_MOUNT);
    put("/sys/fs/cgroup/batch/job/cpu.max", "150000 100000\n");
    check_quota(1.5);
}

TEST_WITH(v2_quota_of_a_group_above_holds_too, make_root, remove_root)
{
    put_proc("0::/batch/job\n", V2_MOUNT);
    put("/sys/fs/cgroup/batch/job/cpu.max", "800000 100000\n");
    put("/sys/fs/cgroup/batch/cpu.max", "300000 100000\n");
    check_quota(3);
}

TEST_WITH(v2_max_is_no_quota, make_root, remove_root)
{
    put_proc("0::/batch/job\n", V2_MOUNT);
    put("/sys/fs/cgroup/batch/job/cpu.max", "max 100000\n");
    check_quota(0);
}

TEST_WITH(v2_quota_of_a_container_is_at_its_mount, make_root, remove_root)
{
    put_proc("0::/\n", V2_MOUNT);
    put("/sys/fs/cgroup/cpu.max", "50000 100000\n");
    check_quota(0.5);
}

TEST_WITH(v1_quota_is_read, make_root, remove_root)
{
    put_proc("5:cpuset:/x\n4:cpu,cpuacct:/batch\n0::/\n", OTHER_MOUNTS V1_MOUNT);
    put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "400000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
    check_quota(4);
}

TEST_WITH(v1_minus_one_is_no_quota, make_root, remove_root)
{
    put_proc("4:cpu,cpuacct:/batch\n", V1_MOUNT);
    put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
    check_quota(0);
}

/* Docker with cgroup v1: the group's path is the host's, and only that group is mounted. */
TEST_WITH(v1_quota_of_a_container_is_at_its_mount, make_root, remove_root)
{
    put_proc("4:cpu,cpuacct:/docker/abc\n",
             "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "200000\n");
    put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    check_quota(2);
}

TEST_WITH(path_out_of_the_name_space_is_read_at_the_mount, make_root, remove_root)
{
    put_proc("0::/../other\n", V2_MOUNT);
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    put("/sys/fs/other/cpu.max", "100000 100000\n");
    check_quota(2);
}

TEST_WITH(mount_point_may_hold_a_space, make_root, remove_root)
{
    put_proc("0::/\n", "31 23 0:28 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
    put("/my groups/cpu.max", "200000 100000\n");
    check_quota(2);
}

TEST_WITH(nonsense_is_no_quota, make_root, remove_root)
{
    put_proc("0::/a\nxyz\n\n:\n::\n", "x\n - \n1 2 3 - cgroup2\n" V2_MOUNT);
    put("/sys/fs/cgroup/a/cpu.max", "many 0\n");
    put("/sys/fs/cgroup/cpu.max", "100000 0\n");
    check_quota(0);
}

static void check_memory(double expected)
{
    assert_true(cgroup_memory_limit(root) == expected);
}

TEST_WITH(v2_memory_limit_is_the_smallest_upwards, make_root, remove_root)
{
    put_proc("0::/batch/job\n", V2_MOUNT);
    put("/sys/fs/cgroup/batch/job/memory.max", "8589934592\n");
    put("/sys/fs/cgroup/batch/memory.max", "4294967296\n");
    check_memory(4294967296.0);
}

TEST_WITH(v2_max_is_no_memory_limit, make_root, remove_root)
{
    put_proc("0::/batch\n", V2_MOUNT);
    put("/sys/fs/cgroup/batch/memory.max", "max\n");
    check_memory(0);
}

TEST_WITH(v1_memory_limit_is_read, make_root, remove_root)
{
    put_proc("9:memory:/batch\n", "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put("/sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "536870912\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    check_memory(536870912.0);
}

TEST_WITH(v1_largest_number_is_no_memory_limit, make_root, remove_root)
{
    put_proc("9:memory:/\n", "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    check_memory(0);
}

TEST(the_real_limits_can_be_read)
{
    assert_true(cgroup_cpu_quota("") >= 0);
    assert_true(cgroup_memory_limit("") >= 0);
}
