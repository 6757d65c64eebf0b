/* A library for LD_PRELOAD: before its first rename, a worker tries to escape from its sandbox by every way we know, as code
 * smuggled in by a model would. With ESCAPE_AT_EXIT each process tries at its end. Standard error gets a line for each:
 *
 *     escape: NAME: done            escape: NAME: refused (errno)
 *
 * Names that start with "may" are things a worker needs. ESCAPE_OUTSIDE is a folder with files to attack, ESCAPE_OUTPUT
 * the output folder, with a link `link` to it, ESCAPE_ASSET a file that may be read. Descriptor 7 is open. */
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

/* A path in one of the folders. Up to four of them can be used at a time. */
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

/* Runs as the program starts, before anything is confined. */
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

/* openat2 has its flags in memory, where a seccomp filter cannot see them. */
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

static int read_supervisor_memory(void)
{
    char byte;
    struct iovec here = {&byte, 1}, there = {handle_space, 1};
    return (int)process_vm_readv(supervisor, &here, 1, &there, 1, 0);
}

/* Removes the file if it could make it. */
static int can_make(const char *path)
{
    int result = can_open(path, O_WRONLY | O_CREAT | O_EXCL);
    if (result >= 0)
        unlink(path);
    return result;
}

/* Tries something with an open file that may be read. */
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

/* Sets the flags to what they are. A file system without flags says so, which means that the call was allowed. */
static int set_flags(int fd)
{
    int flags = 0;
    ioctl(fd, FS_IOC_GETFLAGS, &flags);
    return ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0 && errno != ENOTTY && errno != EOPNOTSUPP ? -1 : 0;
}

static int set_lease(int fd)
{
    return fcntl(fd, F_SETLEASE, F_RDLCK);
}

static int mount_something(void)
{
    const char *place = output("folder");
    int result = mount("none", place, "tmpfs", 0, NULL);
    return result < 0 ? -1 : umount2(place, MNT_DETACH);
}

/* -- Sockets ----------------------------------------------------------------------------------------------- */

static int can_make_socket(int domain, int type)
{
    int fd = socket(domain, type, 0);
    if (fd >= 0)
        close(fd);
    return fd;
}

static int socket_pair(void)
{
    int pair[2];
    return socketpair(AF_UNIX, SOCK_STREAM, 0, pair);
}

/* -- Processes --------------------------------------------------------------------------------------------- */

/* The invalid arguments make the call fail, with EFAULT where it is allowed. */
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

static int clone_newly(void)
{
    const uint64_t arguments[8] = {[4] = SIGCHLD};
    return wait_for((int)syscall(435, arguments, sizeof arguments)); /* clone3 */
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

static int signal_by_file(void)
{
    int fd = (int)syscall(434, supervisor, 0); /* pidfd_open */
    int result = fd < 0 ? -1 : (int)syscall(424, fd, 0, NULL, 0);
    if (fd >= 0)
        close(fd);
    return result;
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

static void tell(const char *name, long result)
{
    if (result < 0)
        dprintf(STDERR_FILENO, "escape: %s: refused (%s)\n", name, strerrorname_np(errno));
    else
        dprintf(STDERR_FILENO, "escape: %s: done\n", name);
}

#define TRY(name, ...) (errno = 0, tell(#name, __VA_ARGS__))

/* The order matters: some use files that earlier ones have made. */
static void try_all(void)
{
    /* Files */
    TRY(read_passwords, can_read("/etc/passwd"));
    TRY(read_beside, can_read(outside("secret")));
    TRY(read_by_link, can_read(output("link/secret")));
    TRY(list_beside, can_open(outside(""), O_RDONLY | O_DIRECTORY));
    TRY(list_root, can_open("/", O_RDONLY | O_DIRECTORY));
    TRY(read_by_own_root, read_by_own_root());
    TRY(read_by_dots, read_by_dots());
    TRY(read_by_handle, read_by_handle());
    TRY(open_newly, open_newly());
    TRY(read_inherited, read_inherited());
    TRY(read_input, read_input());
    TRY(read_supervisor_environment, can_read_of_supervisor("environ"));
    TRY(read_supervisor_file, can_read_of_supervisor("mem"));
    TRY(read_supervisor_memory, read_supervisor_memory());
    TRY(write_beside, can_open(outside("new"), O_WRONLY | O_CREAT));
    TRY(write_over, can_open(outside("victim"), O_WRONLY | O_TRUNC));
    TRY(write_by_link, can_open(output("link/new2"), O_WRONLY | O_CREAT));
    TRY(write_asset, can_open(getenv("ESCAPE_ASSET"), O_WRONLY));
    TRY(write_temporary, can_make("/tmp/sheetbake-escaped"));
    TRY(write_shared_memory, can_make("/dev/shm/sheetbake-escaped"));
    TRY(write_library, can_make("/usr/lib/sheetbake-escaped"));
    TRY(cut_short, truncate(outside("victim"), 1));
    TRY(make_folder, mkdir(outside("folder"), 0777));
    TRY(remove_beside, unlink(outside("doomed")));
    TRY(rename_beside, renameat(AT_FDCWD, outside("a"), AT_FDCWD, outside("b")));
    TRY(rename_out, renameat(AT_FDCWD, output("mine"), AT_FDCWD, outside("moved")));
    TRY(rename_in, renameat(AT_FDCWD, outside("other"), AT_FDCWD, output("taken")));
    TRY(link_in, link(outside("secret"), output("hard")));
    TRY(link_within, link(output("mine"), output("hard2")));
    TRY(link_out, link(output("mine2"), outside("hard")));
    TRY(make_link, symlink("/etc/passwd", output("soft")));
    TRY(make_pipe, mkfifo(output("pipe"), 0666));
    TRY(change_rights, chmod(outside("victim"), 0666));
    TRY(change_rights_newly, syscall(452, AT_FDCWD, outside("victim"), 0666, 0));
    TRY(change_owner, chown(outside("victim"), geteuid(), getegid()));
    TRY(change_times, utimensat(AT_FDCWD, outside("victim"), NULL, 0));
    TRY(change_times_of_asset, with_asset(set_times));
    TRY(change_flags_of_asset, with_asset(set_flags));
    TRY(hold_up_writers, with_asset(set_lease));
    TRY(change_root, chroot("/"));
    TRY(mount_something, mount_something());
    TRY(watch, syscall(SYS_inotify_init1, 0));

    /* Sockets */
    TRY(socket_inet, can_make_socket(AF_INET, SOCK_STREAM));
    TRY(socket_inet6, can_make_socket(AF_INET6, SOCK_DGRAM));
    TRY(socket_unix, can_make_socket(AF_UNIX, SOCK_STREAM));
    TRY(socket_netlink, can_make_socket(AF_NETLINK, SOCK_RAW));
    TRY(socket_pair, socket_pair());

    /* Processes */
    TRY(run_program, run_program());
    TRY(run_program_at, run_program_at());
    TRY(run_made_program, run_made_program());
    TRY(make_process, wait_for((int)syscall(SYS_fork)));
    TRY(clone_process, wait_for((int)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL)));
    TRY(clone_newly, clone_newly());
    TRY(make_user_space, wait_for((int)syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, NULL)));
    TRY(leave_name_space, unshare(CLONE_NEWUTS));
    TRY(leave_session, setsid());
    TRY(steal_file, steal_file());
    TRY(write_supervisor_memory, write_supervisor_memory());
    TRY(trace_supervisor, trace_supervisor());
    TRY(signal_supervisor, kill(supervisor, 0));
    TRY(signal_supervisor_thread, syscall(SYS_tgkill, supervisor, supervisor, 0));
    TRY(signal_everyone, kill(-1, 0));
    TRY(signal_group, kill(0, 0));
    TRY(signal_by_file, signal_by_file());
    TRY(signal_by_owner, fcntl(STDERR_FILENO, F_SETOWN, supervisor));
    TRY(limit_supervisor, prlimit(supervisor, RLIMIT_CORE, &(struct rlimit){0, 0}, NULL));
    TRY(slow_supervisor, setpriority(PRIO_PROCESS, (id_t)supervisor, 19));
    TRY(outlive_supervisor, prctl(PR_SET_PDEATHSIG, 0));
    TRY(allow_core, setrlimit(RLIMIT_CORE, &(struct rlimit){4096, 4096}));

    /* The kernel */
    TRY(type_into_terminal, type_into_terminal());
    TRY(change_terminal, change_terminal());
    TRY(use_keys, syscall(SYS_keyctl, 0, -3, 1, 0, 0));
    TRY(use_bpf, use_bpf());
    TRY(use_ring, use_ring());
    TRY(use_counters, use_counters());
    TRY(handle_faults, syscall(SYS_userfaultfd, 1 /* of user mode only */));
    TRY(hide_memory, memfd_create("hidden", MFD_CLOEXEC));
    TRY(hide_memory_newly, syscall(447, 0)); /* memfd_secret */
    TRY(share_memory, syscall(SYS_shmget, 0, 4096, 0600));
    TRY(set_hostname, set_hostname());

    /* What has to work */
    TRY(may_make_threads, may_make_threads());
    TRY(may_read_asset, can_read(getenv("ESCAPE_ASSET")));
    TRY(may_read_libraries, can_open("/usr/lib", O_RDONLY | O_DIRECTORY));
    TRY(may_write_output, can_open(output("file"), O_RDWR | O_CREAT | O_TRUNC));
    TRY(may_make_folders, mkdir(output("new"), 0777));
    TRY(may_rename, renameat(AT_FDCWD, output("file"), AT_FDCWD, output("renamed")));
    TRY(may_remove, unlink(output("renamed")));
    TRY(may_signal_itself, kill(getpid(), 0));
    TRY(may_name_itself, prctl(PR_SET_NAME, "worker"));
    TRY(may_run_made_code,
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
            ? -1
            : 0);
    TRY(may_use_random_numbers, can_read("/dev/urandom"));
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

/* With ESCAPE_BY_DYING a child process kills itself, with ESCAPE_BY_STAYING it never ends, and with ESCAPE_BY_HIDING it
 * closes its files first. */
static void misbehave(void)
{
    if (getpid() == supervisor)
        return;
    if (getenv("ESCAPE_BY_DYING"))
        syscall(SYS_kill, getpid(), SIGKILL);
    if (getenv("ESCAPE_BY_HIDING"))
        close_range(3, ~0u, 0);
    while (getenv("ESCAPE_BY_STAYING") || getenv("ESCAPE_BY_HIDING"))
        pause();
}

__attribute__((destructor)) static void end(void)
{
    misbehave();
    if (getenv("ESCAPE_AT_EXIT"))
        try_all();
}

_Noreturn void _exit(int status)
{
    end();
    for (;;)
        syscall(SYS_exit_group, status);
}
