/* Each part of the sandbox alone, for together they hide each other's holes; all together are tests/cli/sandbox.bats. */

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "os/sandbox.h"
#include "temp_folder.h"
#include "test.h"

enum { NOT_TO_BE_HAD = 77 };

/* The wait status of a process that does this; its exit code is what `deed` returns. */
static int status_of(int (*deed)(const char *folder, int number), const char *folder, int number)
{
    int status = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(deed(folder, number));
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void succeeds(int (*deed)(const char *, int), const char *folder, int number)
{
    int status = status_of(deed, folder, number);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_TO_BE_HAD)
        skip();
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        fail_msg("%d: status %#x, at line %d modulo 256", number, (unsigned)status, WEXITSTATUS(status));
}

/* In a child, where cmocka is not: the exit code is the line, modulo 256. */
#define CHECK(condition)                                                                                          \
    do {                                                                                                          \
        if (!(condition))                                                                                         \
            return (__LINE__ & 255) ? (__LINE__ & 255) : 1;                                                       \
    } while (0)

static bool fails(long result, int reason)
{
    return result < 0 && errno == reason;
}

/* -- Landlock ---------------------------------------------------------------------------------------------- */

static int open_in(const char *folder, const char *name, int flags)
{
    char *path = path_join(folder, name);
    int fd = open(path, flags | O_CLOEXEC, 0666);
    free(path);
    return fd;
}

/* `folder` has in/, out/ and other/, with a file "file" each. */
static int confine_files(const char *folder, int abi)
{
    struct error err;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || landlock_abi(&err) < abi)
        return -1;
    int rules = landlock_begin(abi, &err);
    char *in = path_join(folder, "in"), *out = path_join(folder, "out");
    landlock_allow(rules, abi, LANDLOCK_READ, in);
    landlock_allow(rules, abi, LANDLOCK_WRITE, out);
    landlock_allow(rules, abi, LANDLOCK_READ, "/no/such/folder");
    landlock_allow(rules, abi, LANDLOCK_DEVICE, "/dev/null");
    free(in);
    free(out);
    return landlock_enter(rules, &err);
}

static int use_files(const char *folder, int abi)
{
    if (confine_files(folder, abi) < 0)
        return NOT_TO_BE_HAD;
    CHECK(open_in(folder, "in/file", O_RDONLY) >= 0);
    CHECK(open_in(folder, "in", O_RDONLY | O_DIRECTORY) >= 0);
    CHECK(fails(open_in(folder, "in/file", O_WRONLY), EACCES));
    CHECK(fails(open_in(folder, "in/new", O_WRONLY | O_CREAT), EACCES));
    CHECK(open_in(folder, "out/file", O_RDWR | O_TRUNC) >= 0);
    CHECK(open_in(folder, "out/new", O_WRONLY | O_CREAT | O_EXCL) >= 0);
    CHECK(fails(open_in(folder, "other/file", O_RDONLY), EACCES));
    CHECK(fails(open_in(folder, "other/file", O_WRONLY), EACCES));
    CHECK(fails(open_in(folder, "other/new", O_WRONLY | O_CREAT), EACCES));
    CHECK(fails(open_in(folder, "other", O_RDONLY | O_DIRECTORY), EACCES));
    CHECK(fails(open_in(folder, "out/link", O_RDONLY), EACCES)); /* to other/file */
    CHECK(open("/dev/null", O_RDWR | O_CLOEXEC) >= 0);
    CHECK(fails(open("/dev/zero", O_RDONLY | O_CLOEXEC), EACCES));
    return 0;
}

static int change_folders(const char *folder, int abi)
{
    if (confine_files(folder, abi) < 0 || chdir(folder) < 0)
        return NOT_TO_BE_HAD;
    CHECK(mkdir("out/made", 0777) == 0);
    CHECK(open("out/made/new", O_WRONLY | O_CREAT | O_CLOEXEC, 0666) >= 0);
    CHECK(rename("out/made/new", "out/made/newer") == 0);
    CHECK(unlink("out/made/newer") == 0);
    CHECK(fails(symlink("file", "out/soft"), EACCES));
    CHECK(fails(mkfifo("out/pipe", 0666), EACCES));
    CHECK(fails(mkdir("other/made", 0777), EACCES));
    CHECK(fails(unlink("other/file"), EACCES));
    CHECK(rename("out/file", "other/moved") < 0);
    CHECK(rename("other/file", "out/moved") < 0);
    CHECK(link("other/file", "out/hard") < 0);
    return 0;
}

/* What an old Landlock does not see, the list of calls has to. */
static int open_oddly(const char *folder, int abi)
{
    struct error err;
    if (confine_files(folder, abi) < 0 || syscalls_restrict(&err) < 0 || chdir(folder) < 0)
        return NOT_TO_BE_HAD;
    CHECK(open("in/file", O_RDONLY | O_TRUNC) < 0);
    CHECK(open("other/file", O_ACCMODE | O_TRUNC) < 0);
    CHECK(fails(syscall(SYS_openat, AT_FDCWD, "/dev/null", O_ACCMODE), EPERM));
    CHECK(fails(syscall(437, AT_FDCWD, "in/file", NULL, 0), ENOSYS)); /* openat2 */
    CHECK(fails(open("out/as_us", O_WRONLY | O_CREAT, 04755), EPERM));
    CHECK(fails(open("out/as_us", O_WRONLY | O_CREAT, 02755), EPERM));
    CHECK(fails(open("out", O_WRONLY | O_TMPFILE, 04755), EPERM));
    CHECK(fails(mknod("out/as_us", S_IFREG | 04755, 0), EPERM));
    CHECK(fails(creat("out/as_us", 04755), EPERM));
    CHECK(creat("out/file", 0644) >= 0);
    CHECK(open("out/file", O_RDWR | O_CREAT | O_TRUNC, 0755) >= 0);
    CHECK(open("out", O_WRONLY | O_TMPFILE, 0600) >= 0 || errno == EOPNOTSUPP);
    return 0;
}

static int cut_short(const char *folder, int abi)
{
    if (confine_files(folder, abi) < 0 || chdir(folder) < 0)
        return NOT_TO_BE_HAD;
    CHECK(truncate("out/file", 1) == 0);
    CHECK(fails(truncate("other/file", 1), EACCES));
    return 0;
}

static int connect_somewhere(const char *folder, int abi)
{
    if (confine_files(folder, abi) < 0)
        return NOT_TO_BE_HAD;
    struct sockaddr address = {.sa_family = AF_INET};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0)
        return NOT_TO_BE_HAD;
    CHECK(fails(connect(fd, &address, 16), EACCES));
    return 0;
}

static int signal_parent(const char *folder, int abi)
{
    if (confine_files(folder, abi) < 0)
        return NOT_TO_BE_HAD;
    CHECK(fails(kill(getppid(), 0), EPERM));
    CHECK(kill(getpid(), 0) == 0);
    return 0;
}

static char *make_folder(void)
{
    char *folder = temp_folder_new();
    temp_folder_add(folder, "in/file", "in");
    temp_folder_add(folder, "out/file", "out");
    temp_folder_add(folder, "other/file", "other");
    char *link = path_join(folder, "out/link");
    assert_int_equal(symlink("../other/file", link), 0);
    free(link);
    return folder;
}

/* A newer kernel does as an older one when asked to. */
static void check_from(int (*deed)(const char *, int), int first_abi)
{
    struct error err;
    int last = landlock_abi(&err);
    if (last < first_abi)
        skip();
    for (int abi = first_abi; abi <= last; abi++) {
        char *folder = make_folder();
        succeeds(deed, folder, abi);
        temp_folder_free(folder);
    }
}

TEST(landlock_allows_what_is_given)
{
    fact("landlock keeps to the files given");
    check_from(use_files, 1);
    fact("landlock keeps to the folders given");
    check_from(change_folders, 1);
    fact("landlock 3 cuts no other files short");
    check_from(cut_short, 3);
    fact("files are opened to be read or written");
    check_from(open_oddly, 1);
    fact("landlock 4 connects nowhere");
    check_from(connect_somewhere, 4);
    fact("landlock 6 signals nobody else");
    check_from(signal_parent, 6);
}

/* -- System calls ------------------------------------------------------------------------------------------ */

static int restrict_calls(void)
{
    struct error err;
    return syscalls_restrict(&err);
}

static int call_much(const char *folder, int number)
{
    (void)number;
    pid_t parent = getppid();
    if (restrict_calls() < 0 || chdir(folder) < 0)
        return NOT_TO_BE_HAD;
    CHECK(fails(socket(AF_INET, SOCK_STREAM, 0), EPERM));
    CHECK(fails(syscall(SYS_execve, "/bin/true", (char **)1, NULL), EPERM)); /* or EFAULT, where it may */
    CHECK(fails(fork(), EPERM));
    CHECK(fails(unshare(CLONE_NEWUSER), EPERM));
    CHECK(fails(syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD | CLONE_NEWNET, NULL), EPERM));
    CHECK(fails(syscall(435, NULL, 0), ENOSYS)); /* clone3 */
    CHECK(fails(kill(parent, 0), EPERM));
    CHECK(fails(kill(-1, 0), EPERM));
    CHECK(fails(prlimit(parent, RLIMIT_CORE, NULL, NULL), EPERM));
    CHECK(fails(prctl(PR_SET_PDEATHSIG, 0), EPERM));
    CHECK(fails(chmod("in/file", 0600), EPERM));
    CHECK(fails(syscall(452, AT_FDCWD, "in/file", 0600, 0), ENOSYS)); /* fchmodat2 */
    CHECK(fails(utimensat(AT_FDCWD, "in/file", NULL, 0), EPERM));
    CHECK(fails(link("in/file", "in/hard"), EPERM));
    CHECK(fails(symlink("file", "in/soft"), EPERM));
    CHECK(fails(setsid(), EPERM));
    CHECK(fails(syscall(470), ENOSYS));
    CHECK(fails(truncate("in/file", 0), EPERM));
    CHECK(fails(syscall(425, 1, NULL), EPERM)); /* io_uring_setup */
    CHECK(fails(syscall(SYS_personality, 0), EPERM));
    return 0;
}

/* With a file that may only be read. */
static int change_what_is_open(const char *folder, int number)
{
    (void)number;
    int flags = 0, fd = open_in(folder, "in/file", O_RDONLY);
    if (restrict_calls() < 0)
        return NOT_TO_BE_HAD;
    CHECK(fd >= 0);
    CHECK(fails(futimens(fd, NULL), EPERM));
    CHECK(fails(fchmod(fd, 0666), EPERM));
    CHECK(fails(fcntl(fd, F_SETLEASE, F_RDLCK), EPERM));
    CHECK(fails(ioctl(fd, FS_IOC_SETFLAGS, &flags), EPERM));
    CHECK(
        fails(ioctl(fd, 0x940aUL << 32 | FS_IOC_SETFLAGS, &flags), EPERM)); /* the kernel looks at 32 bits alone */
    CHECK(fails(ioctl(fd, FICLONE, fd), EPERM));
    return 0;
}

static int call_as_usual(const char *folder, int number)
{
    (void)number;
    if (restrict_calls() < 0 || chdir(folder) < 0)
        return NOT_TO_BE_HAD;
    int fd = open("in/file", O_RDWR | O_CLOEXEC);
    CHECK(fd >= 0);
    CHECK(ftruncate(fd, 1) == 0);
    CHECK(fcntl(fd, F_GETFL) >= 0);
    CHECK(kill(getpid(), 0) == 0);
    CHECK(prctl(PR_SET_NAME, "calm") == 0);
    CHECK(syscall(SYS_personality, 0xffffffff) >= 0);
    struct rlimit limit;
    CHECK(getrlimit(RLIMIT_NOFILE, &limit) == 0 && setrlimit(RLIMIT_NOFILE, &limit) == 0);
    return 0;
}

#ifdef __x86_64__
/* getpid of 32 bits: a list for 64 bits would take its number for another call. */
static int call_as_old_machine(const char *folder, int number)
{
    (void)folder, (void)number;
    long result = 20;
    if (restrict_calls() < 0)
        return NOT_TO_BE_HAD;
    __asm__ volatile("int $0x80" : "+a"(result) : : "memory", "r8", "r9", "r10", "r11");
    return 0;
}

static int call_as_odd_machine(const char *folder, int number)
{
    (void)folder, (void)number;
    if (restrict_calls() < 0)
        return NOT_TO_BE_HAD;
    syscall(0x40000000 + SYS_getpid); /* of x32 */
    return 0;
}
#endif

TEST(other_calls_are_refused)
{
    char *folder = make_folder();
    succeeds(call_much, folder, 0);
    succeeds(change_what_is_open, folder, 0);
    temp_folder_free(folder);
}

TEST(what_libraries_do_is_not)
{
    char *folder = make_folder();
    succeeds(call_as_usual, folder, 0);
    temp_folder_free(folder);
}

TEST(calls_of_other_machines_are_deadly)
{
#ifdef __x86_64__
    int (*const deeds[])(const char *, int) = {call_as_old_machine, call_as_odd_machine};
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        int status = status_of(deeds[i], "", 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_TO_BE_HAD)
            skip();
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS);
    }
#else
    skip();
#endif
}

/* -- Privileges -------------------------------------------------------------------------------------------- */

static int drop(const char *folder, int number)
{
    (void)folder, (void)number;
    struct error err;
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2];
    struct rlimit core;
    CHECK(sandbox_drop_privileges(&err) == 0);
    CHECK(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    CHECK(getrlimit(RLIMIT_CORE, &core) == 0 && core.rlim_cur == 0 && core.rlim_max == 0);
    CHECK(syscall(SYS_capget, &header, data) == 0);
    const unsigned may_stay = 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER;
    CHECK(!(data[0].effective & ~may_stay) && !(data[0].permitted & ~may_stay) && !data[0].inheritable);
    CHECK(!data[1].effective && !data[1].permitted && !data[1].inheritable);
    CHECK(geteuid() != 0 || prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0) == 0);
    return 0;
}

/* It would be forgotten if a change of credentials made the process another one. */
static int keep_death_signal(const char *folder, int number)
{
    (void)folder, (void)number;
    struct error err;
    int signal_number = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    CHECK(sandbox_drop_privileges(&err) == 0);
    CHECK(prctl(PR_GET_PDEATHSIG, &signal_number) == 0 && signal_number == SIGKILL);
    return 0;
}

TEST(privileges_are_gone)
{
    succeeds(drop, "", 0);
}

TEST(a_confined_worker_still_dies_with_its_supervisor)
{
    succeeds(keep_death_signal, "", 0);
}

/* -- Together ---------------------------------------------------------------------------------------------- */

static int enter(const char *folder, int mode)
{
    struct sandbox_rules rules = {.mode = (enum sandbox_mode)mode};
    struct sandbox_state state;
    struct error err;
    char *in = path_join(folder, "in");
    strings_add(&rules.read, in);
    free(in);
    CHECK(sandbox_enter(&rules, &state, &err) == 0);
    sandbox_rules_release(&rules);
    bool is_held = fails(open_in(folder, "other/file", O_RDONLY), EACCES);
    CHECK(open_in(folder, "in/file", O_RDONLY) >= 0);
    CHECK(is_held == (mode != SANDBOX_OFF && state.landlock_abi > 0));
    CHECK(fails(socket(AF_UNIX, SOCK_STREAM, 0), EPERM) == (mode != SANDBOX_OFF && state.has_filter));
    strings_release(&state.missing);
    return 0;
}

TEST(off_is_off_and_auto_is_on)
{
    char *folder = make_folder();
    succeeds(enter, folder, SANDBOX_OFF);
    succeeds(enter, folder, SANDBOX_AUTO);
    temp_folder_free(folder);
}

/* With a terminal of its own, into which its parent types. */
static int enter_at_terminal(const char *folder, int mode)
{
    (void)folder;
    const struct sandbox_rules rules = {.mode = (enum sandbox_mode)mode};
    struct error err;
    int keyboard = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    CHECK(keyboard >= 0 && grantpt(keyboard) == 0 && unlockpt(keyboard) == 0);
    int screen = open(ptsname(keyboard), O_RDWR | O_NOCTTY | O_CLOEXEC);
    CHECK(screen >= 0);
    for (int fd = 0; fd < 3; fd++)
        CHECK(dup2(screen, fd) == fd);
    CHECK(sandbox_enter(&rules, NULL, &err) == 0);
    CHECK(write(keyboard, "password\n", 9) == 9);
    char typed[16];
    bool is_held = mode != SANDBOX_OFF;
    CHECK(is_held ? read(STDIN_FILENO, typed, sizeof typed) == 0 : read(STDIN_FILENO, typed, sizeof typed) == 9);
    CHECK(fails(read(STDERR_FILENO, typed, is_held ? sizeof typed : 0), EBADF) == is_held);
    CHECK(fails(read(STDOUT_FILENO, typed, is_held ? sizeof typed : 0), EBADF) == is_held);
    CHECK(write(STDERR_FILENO, "shown", 5) == 5 && write(STDOUT_FILENO, "shown", 5) == 5);
    CHECK(isatty(STDERR_FILENO));
    return 0;
}

TEST(what_is_typed_is_for_others)
{
    succeeds(enter_at_terminal, "", SANDBOX_OFF);
    succeeds(enter_at_terminal, "", SANDBOX_AUTO);
}

static void *wait_for_ever(void *context)
{
    (void)context;
    for (;;)
        pause();
    return NULL;
}

static int enter_late(const char *folder, int number)
{
    (void)folder, (void)number;
    const struct sandbox_rules rules = {.mode = SANDBOX_REQUIRE};
    pthread_t thread;
    struct error err;
    CHECK(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
    CHECK(sandbox_enter(&rules, NULL, &err) < 0);
    return 0;
}

/* As Mesa's would, were the renderer opened first. */
TEST(threads_that_were_there_before_are_told)
{
    succeeds(enter_late, "", 0);
}

TEST(trying_it_leaves_us_free)
{
    struct error err;
    struct sandbox_state found;
    int before = prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); /* containers may have given them up for us */
    sandbox_try(&found);
    assert_true(found.has_no_new_privileges);
    int abi = landlock_abi(&err);
    assert_int_equal(found.landlock_abi, abi > 0 ? abi : 0);
    assert_int_equal(found.missing.count == 0, found.landlock_abi > 0 && found.has_filter);
    assert_int_equal(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0), before);
    assert_true(open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0);
    strings_release(&found.missing);
}
