/* To be loaded in front of the C library (LD_PRELOAD): the first worker that is about to rename a file tries to get out of
 * where it is, as code would that a model has smuggled in, by every way we know; so does, where ESCAPE_AT_EXIT is set, each
 * process that ends. It says of each on standard error:
 *
 *     escape: NAME: done            escape: NAME: refused (errno)
 *
 * Names that start with "may" are what a worker has to be able to do. ESCAPE_OUTSIDE is a folder with files to abuse,
 * ESCAPE_OUTPUT the folder of the sheets, in which `link` leads there, ESCAPE_ASSET a file that may be read;
 * file 7 is open. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/perf_event.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

static pid_t supervisor;
static char handle_space[sizeof(struct file_handle) + MAX_HANDLE_SZ];
static char path_space[4][4096];

/* Of one of the folders; up to four at a time. */
static const char *in(const char *variable, const char *name)
{
    static unsigned next;
    char *path = path_space[next++ % 4];
    const char *folder = getenv(variable);
    snprintf(path, sizeof path_space[0], "%s/%s", folder ? folder : "", name);
    return path;
}

static const char *outside(const char *name)
{
    return in("ESCAPE_OUTSIDE", name);
}

static const char *output(const char *name)
{
    return in("ESCAPE_OUTPUT", name);
}

/* As the program starts, before anything is confined. */
__attribute__((constructor)) static void look_around(void)
{
    struct file_handle *handle = (struct file_handle *)handle_space;
    int mount;
    supervisor = getpid();
    handle->handle_bytes = MAX_HANDLE_SZ;
    if (getenv("ESCAPE_OUTSIDE"))
        name_to_handle_at(AT_FDCWD, outside("secret"), handle, &mount, 0);
}

/* -- Files ------------------------------------------------------------------------------------------------- */

static int can_open(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK, 0666);
    if (fd >= 0)
        close(fd);
    return fd;
}

static int can_read(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    int result = fd < 0 ? -1 : (int)read(fd, &byte, 1);
    if (fd >= 0)
        close(fd);
    return result;
}

/* clang-format off: one line for each thing that is tried. */

static int read_passwords(void)
{
    return can_read("/etc/passwd");
}
static int read_beside(void)
{
    return can_read(outside("secret"));
}
static int read_by_link(void)
{
    return can_read(output("link/secret"));
}
static int list_beside(void)
{
    return can_open(outside(""), O_RDONLY | O_DIRECTORY);
}
static int list_root(void)
{
    return can_open("/", O_RDONLY | O_DIRECTORY);
}

static int read_by_own_root(void)
{
    char path[4200];
    snprintf(path, sizeof path, "/proc/self/root%s", outside("secret"));
    return can_read(path);
}

static int read_by_dots(void)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/../../../../../../../../../..%s", getenv("ESCAPE_OUTPUT"), outside("secret"));
    return can_read(path);
}

static int read_by_handle(void)
{
    int mount = open(getenv("ESCAPE_OUTPUT"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int fd = open_by_handle_at(mount, (struct file_handle *)handle_space, O_RDONLY);
    close(mount);
    if (fd >= 0)
        close(fd);
    return fd;
}

/* Whose flags hide in memory, from what filters calls. */
static int open_newly(void)
{
    const uint64_t how[3] = {O_RDONLY | O_CLOEXEC};
    int fd = (int)syscall(437, AT_FDCWD, outside("secret"), how, sizeof how); /* openat2 */
    if (fd >= 0)
        close(fd);
    return fd;
}

static int read_inherited(void)
{
    char byte;
    return (int)pread(7, &byte, 1, 0);
}

static int read_input(void)
{
    char byte;
    return read(STDIN_FILENO, &byte, 1) == 1 ? 0 : -1;
}

static int can_read_of_supervisor(const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", (int)supervisor, name);
    return can_open(path, O_RDONLY);
}

static int read_supervisor_environment(void)
{
    return can_read_of_supervisor("environ");
}
static int read_supervisor_file(void)
{
    return can_read_of_supervisor("mem");
}

static int read_supervisor_memory(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {handle_space, 1};
    return (int)process_vm_readv(supervisor, &here, 1, &there, 1, 0);
}

static int write_beside(void)
{
    return can_open(outside("new"), O_WRONLY | O_CREAT);
}
static int write_over(void)
{
    return can_open(outside("victim"), O_WRONLY | O_TRUNC);
}
static int write_by_link(void)
{
    return can_open(output("link/new2"), O_WRONLY | O_CREAT);
}
static int write_asset(void)
{
    return can_open(getenv("ESCAPE_ASSET"), O_WRONLY);
}

/* Where it works, nothing is left behind. */
static int can_make(const char *path)
{
    int result = can_open(path, O_WRONLY | O_CREAT | O_EXCL);
    if (result >= 0)
        unlink(path);
    return result;
}

static int write_temporary(void)
{
    return can_make("/tmp/sheetbake-escaped");
}
static int write_shared_memory(void)
{
    return can_make("/dev/shm/sheetbake-escaped");
}
static int write_library(void)
{
    return can_make("/usr/lib/sheetbake-escaped");
}

static int cut_short(void)
{
    return truncate(outside("victim"), 1);
}
static int make_folder(void)
{
    return mkdir(outside("folder"), 0777);
}
static int remove_beside(void)
{
    return unlink(outside("doomed"));
}
static int rename_beside(void)
{
    return renameat(AT_FDCWD, outside("a"), AT_FDCWD, outside("b"));
}
static int rename_out(void)
{
    return renameat(AT_FDCWD, output("mine"), AT_FDCWD, outside("moved"));
}
static int rename_in(void)
{
    return renameat(AT_FDCWD, outside("other"), AT_FDCWD, output("taken"));
}
static int link_in(void)
{
    return link(outside("secret"), output("hard"));
}
static int link_within(void)
{
    return link(output("mine"), output("hard2"));
}
static int link_out(void)
{
    return link(output("mine2"), outside("hard"));
}
static int make_link(void)
{
    return symlink("/etc/passwd", output("soft"));
}
static int make_pipe(void)
{
    return mkfifo(output("pipe"), 0666);
}
static int change_rights(void)
{
    return chmod(outside("victim"), 0666);
}
static int change_rights_newly(void)
{
    return (int)syscall(452, AT_FDCWD, outside("victim"), 0666, 0);
}
static int change_owner(void)
{
    return chown(outside("victim"), geteuid(), getegid());
}
static int change_times(void)
{
    return utimensat(AT_FDCWD, outside("victim"), NULL, 0);
}
/* By a file that may be read, and so is opened. */
static int with_asset(int (*attempt)(int fd))
{
    int fd = open(getenv("ESCAPE_ASSET"), O_RDONLY | O_CLOEXEC);
    int result = fd < 0 ? -1 : attempt(fd), reason = errno;
    close(fd);
    errno = reason;
    return result;
}

static int set_times(int fd)
{
    return futimens(fd, NULL);
}
static int change_times_of_asset(void)
{
    return with_asset(set_times);
}

/* To what they are: no file system need have any. Where it has none, it was asked. */
static int set_flags(int fd)
{
    int flags = 0;
    ioctl(fd, FS_IOC_GETFLAGS, &flags);
    return ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0 && errno != ENOTTY && errno != EOPNOTSUPP ? -1 : 0;
}
static int change_flags_of_asset(void)
{
    return with_asset(set_flags);
}

static int set_lease(int fd)
{
    return fcntl(fd, F_SETLEASE, F_RDLCK);
}
static int hold_up_writers(void)
{
    return with_asset(set_lease);
}

static int change_root(void)
{
    return chroot("/");
}
static int mount_something(void)
{
    const char *place = output("folder");
    int result = mount("none", place, "tmpfs", 0, NULL);
    return result < 0 ? -1 : umount2(place, MNT_DETACH);
}
static int watch(void)
{
    return (int)syscall(SYS_inotify_init1, 0);
}

/* -- Sockets ----------------------------------------------------------------------------------------------- */

static int can_make_socket(int domain, int type)
{
    int fd = socket(domain, type, 0);
    if (fd >= 0)
        close(fd);
    return fd;
}

static int socket_inet(void)
{
    return can_make_socket(AF_INET, SOCK_STREAM);
}
static int socket_inet6(void)
{
    return can_make_socket(AF_INET6, SOCK_DGRAM);
}
static int socket_unix(void)
{
    return can_make_socket(AF_UNIX, SOCK_STREAM);
}
static int socket_netlink(void)
{
    return can_make_socket(AF_NETLINK, SOCK_RAW);
}

static int socket_pair(void)
{
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

/* -- Processes --------------------------------------------------------------------------------------------- */

/* No array of arguments, so that it fails even where it is allowed. */
static int run_program(void)
{
    syscall(SYS_execve, "/bin/true", (char **)1, (char **)NULL);
    return errno == EFAULT ? 0 : -1;
}

static int run_program_at(void)
{
    syscall(SYS_execveat, AT_FDCWD, "/bin/true", (char **)1, (char **)NULL, 0);
    return errno == EFAULT ? 0 : -1;
}

static int run_made_program(void)
{
    int fd = memfd_create("program", MFD_CLOEXEC);
    syscall(SYS_execveat, fd, "", (char **)1, (char **)NULL, AT_EMPTY_PATH);
    int reason = errno;
    close(fd);
    errno = reason;
    return reason == EFAULT ? 0 : -1;
}

static int wait_for(pid_t child)
{
    if (child == 0)
        syscall(SYS_exit_group, 0);
    if (child > 0)
        waitpid(child, NULL, 0);
    return child;
}

static int make_process(void)
{
    return wait_for((int)syscall(SYS_fork));
}
static int clone_process(void)
{
    return wait_for((int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
}
static int clone_newly(void)
{
    const uint64_t arguments[8] = {[4] = SIGCHLD};
    return wait_for((int)syscall(435, arguments, sizeof arguments)); /* clone3 */
}
static int make_user_space(void)
{
    return wait_for((int)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL));
}
static int leave_name_space(void)
{
    return unshare(CLONE_NEWUTS);
}

static int leave_session(void)
{
    return setsid();
}

static int steal_file(void)
{
    int process = (int)syscall(434, supervisor, 0); /* pidfd_open */
    int fd = process < 0 ? -1 : (int)syscall(438, process, STDERR_FILENO, 0);
    if (process >= 0)
        close(process);
    if (fd >= 0)
        close(fd);
    return fd;
}

static int write_supervisor_memory(void)
{
    struct iovec here = {handle_space, 1};
    return (int)process_vm_writev(supervisor, &here, 1, &here, 1, 0);
}

static int trace_supervisor(void)
{
    if (ptrace(PTRACE_SEIZE, supervisor, NULL, NULL) < 0)
        return -1;
    ptrace(PTRACE_INTERRUPT, supervisor, NULL, NULL);
    waitpid(supervisor, NULL, __WALL);
    ptrace(PTRACE_DETACH, supervisor, NULL, NULL);
    return 0;
}

static int signal_supervisor(void)
{
    return kill(supervisor, 0);
}
static int signal_supervisor_thread(void)
{
    return (int)syscall(SYS_tgkill, supervisor, supervisor, 0);
}
static int signal_everyone(void)
{
    return kill(-1, 0);
}
static int signal_group(void)
{
    return kill(0, 0);
}

static int signal_by_file(void)
{
    int fd = (int)syscall(434, supervisor, 0); /* pidfd_open */
    int result = fd < 0 ? -1 : (int)syscall(424, fd, 0, NULL, 0);
    if (fd >= 0)
        close(fd);
    return result;
}

static int signal_by_owner(void)
{
    return fcntl(STDERR_FILENO, F_SETOWN, supervisor);
}
static int limit_supervisor(void)
{
    return prlimit(supervisor, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL);
}
static int slow_supervisor(void)
{
    return setpriority(PRIO_PROCESS, (id_t)supervisor, 19);
}
static int outlive_supervisor(void)
{
    return prctl(PR_SET_PDEATHSIG, 0);
}
static int allow_core(void)
{
    return setrlimit(RLIMIT_CORE, &(struct rlimit){4096, 4096});
}

/* -- The kernel -------------------------------------------------------------------------------------------- */

static int type_into_terminal(void)
{
    int fd =
        open("/dev/null", O_RDWR | O_CLOEXEC); /* none, so that no terminal gets anything where it is allowed */
    ioctl(fd, TIOCSTI, "x");
    int reason = errno;
    close(fd);
    errno = reason;
    return reason == ENOTTY ? 0 : -1;
}

static int change_terminal(void)
{
    int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    struct termios settings = {0};
    int reason = tcsetattr(fd, TCSANOW, &settings) < 0 ? errno : 0;
    close(fd);
    errno = reason;
    return reason == ENOTTY ? 0 : -1;
}

static int use_keys(void)
{
    return (int)syscall(SYS_keyctl, 0, -3, 1, 0, 0);
}
static int use_bpf(void)
{
    char attributes[128] = {0};
    uint32_t map[4] = {2, 4, 4, 1}; /* an array of one number */
    memcpy(attributes, map, sizeof map);
    return (int)syscall(SYS_bpf, 0, attributes, sizeof attributes);
}
static int use_ring(void)
{
    char parameters[256] = {0};
    return (int)syscall(425, 1, parameters);
}
static int use_counters(void)
{
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attributes, .exclude_kernel = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}
static int handle_faults(void)
{
    return (int)syscall(SYS_userfaultfd, 1 /* of user mode only */);
}
static int share_memory(void)
{
    return (int)syscall(SYS_shmget, 0, 4096, 0600);
}
static int set_hostname(void)
{
    char name[64] = "";
    gethostname(name, sizeof name);
    return sethostname(name, strlen(name));
}

/* -- What has to work -------------------------------------------------------------------------------------- */

static void *thread(void *context)
{
    (void)context;
    return NULL;
}

static int may_make_threads(void)
{
    pthread_t made;
    errno = pthread_create(&made, NULL, thread, NULL);
    return errno || pthread_join(made, NULL) ? -1 : 0;
}

static int may_read_asset(void)
{
    return can_read(getenv("ESCAPE_ASSET"));
}
static int may_read_libraries(void)
{
    return can_open("/usr/lib", O_RDONLY | O_DIRECTORY);
}
static int may_write_output(void)
{
    return can_open(output("file"), O_RDWR | O_CREAT | O_TRUNC);
}
static int may_make_folders(void)
{
    return mkdir(output("new"), 0777);
}
static int may_rename(void)
{
    return renameat(AT_FDCWD, output("file"), AT_FDCWD, output("renamed"));
}
static int may_remove(void)
{
    return unlink(output("renamed"));
}
static int may_signal_itself(void)
{
    return kill(getpid(), 0);
}
static int may_name_itself(void)
{
    return prctl(PR_SET_NAME, "worker");
}
static int may_run_made_code(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
               ? -1
               : 0;
}
static int may_use_random_numbers(void)
{
    return can_read("/dev/urandom");
}

#define TRY(name)                                                                                                 \
    {                                                                                                             \
#name, name                                                                                               \
    }
static const struct {
    const char *name;
    int (*attempt)(void);
} attempts[] = {
    TRY(read_passwords),
    TRY(read_beside),
    TRY(read_by_link),
    TRY(list_beside),
    TRY(list_root),
    TRY(read_by_own_root),
    TRY(read_by_dots),
    TRY(read_by_handle),
    TRY(open_newly),
    TRY(read_inherited),
    TRY(read_input),
    TRY(read_supervisor_environment),
    TRY(read_supervisor_file),
    TRY(read_supervisor_memory),
    TRY(write_beside),
    TRY(write_over),
    TRY(write_by_link),
    TRY(write_asset),
    TRY(write_temporary),
    TRY(write_shared_memory),
    TRY(write_library),
    TRY(cut_short),
    TRY(make_folder),
    TRY(remove_beside),
    TRY(rename_beside),
    TRY(rename_out),
    TRY(rename_in),
    TRY(link_in),
    TRY(link_within),
    TRY(link_out),
    TRY(make_link),
    TRY(make_pipe),
    TRY(change_rights),
    TRY(change_rights_newly),
    TRY(change_owner),
    TRY(change_times),
    TRY(change_times_of_asset),
    TRY(change_flags_of_asset),
    TRY(hold_up_writers),
    TRY(change_root),
    TRY(mount_something),
    TRY(watch),
    TRY(socket_inet),
    TRY(socket_inet6),
    TRY(socket_unix),
    TRY(socket_netlink),
    TRY(socket_pair),
    TRY(run_program),
    TRY(run_program_at),
    TRY(run_made_program),
    TRY(make_process),
    TRY(clone_process),
    TRY(clone_newly),
    TRY(make_user_space),
    TRY(leave_name_space),
    TRY(leave_session),
    TRY(steal_file),
    TRY(write_supervisor_memory),
    TRY(trace_supervisor),
    TRY(signal_supervisor),
    TRY(signal_supervisor_thread),
    TRY(signal_everyone),
    TRY(signal_group),
    TRY(signal_by_file),
    TRY(signal_by_owner),
    TRY(limit_supervisor),
    TRY(slow_supervisor),
    TRY(outlive_supervisor),
    TRY(allow_core),
    TRY(type_into_terminal),
    TRY(change_terminal),
    TRY(use_keys),
    TRY(use_bpf),
    TRY(use_ring),
    TRY(use_counters),
    TRY(handle_faults),
    TRY(share_memory),
    TRY(set_hostname),
    TRY(may_make_threads),
    TRY(may_read_asset),
    TRY(may_read_libraries),
    TRY(may_write_output),
    TRY(may_make_folders),
    TRY(may_rename),
    TRY(may_remove),
    TRY(may_signal_itself),
    TRY(may_name_itself),
    TRY(may_run_made_code),
    TRY(may_use_random_numbers),
};

/* clang-format on */

static void try_all(void)
{
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++) {
        errno = 0;
        int result = attempts[i].attempt();
        if (result < 0)
            dprintf(STDERR_FILENO, "escape: %s: refused (%s)\n", attempts[i].name, strerrorname_np(errno));
        else
            dprintf(STDERR_FILENO, "escape: %s: done\n", attempts[i].name);
    }
}

int rename(const char *from, const char *to)
{
    static int is_tried;
    if (getenv("ESCAPE_OUTSIDE") && getpid() != supervisor && !is_tried) {
        is_tried = 1;
        try_all();
    }
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* -- Commands without workers ------------------------------------------------------------------------------ */

__attribute__((destructor)) static void end(void)
{
    if (getenv("ESCAPE_AT_EXIT"))
        try_all();
}

/* A process apart ends otherwise, or never: ESCAPE_BY_DYING, ESCAPE_BY_STAYING, ESCAPE_BY_HIDING. */
_Noreturn void _exit(int status)
{
    if (getenv("ESCAPE_BY_DYING") && getpid() != supervisor)
        syscall(SYS_kill, getpid(), SIGKILL);
    if (getenv("ESCAPE_BY_HIDING") && getpid() != supervisor)
        close_range(3, ~0u, 0);
    while ((getenv("ESCAPE_BY_STAYING") || getenv("ESCAPE_BY_HIDING")) && getpid() != supervisor)
        pause();
    end();
    for (;;)
        syscall(SYS_exit_group, status);
}
