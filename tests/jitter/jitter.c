/* A library for LD_PRELOAD: processes pause at random before calls whose order between processes matters: those that
 * change folders, take locks, start, end and wait for processes, and use sockets and pipes. This finds races.
 *
 *     JITTER=SEED     which pauses; 0, or none: there are no pauses
 *
 * The pauses of a process depend on the seed, its command and the test (BATS_TEST_NAME), those of a child on its
 * parent's, so that a seed repeats nearly the same pauses. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* One call in 2, 4 or 8, as the seed has it, pauses for up to SHORT_US, one in LONG_ONE_IN for LONG_US. */
enum { SHORT_US = 20 * 1000, LONG_ONE_IN = 500, LONG_US = 200 * 1000 };

static _Atomic uint64_t state; /* 0: no pauses */
static unsigned short_one_in;

/* -- Random numbers (splitmix64) ------------------------------------------------------------------------------ */

static const uint64_t STEP = 0x9e3779b97f4a7c15;

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

static uint64_t draw(void)
{
    return mix(atomic_fetch_add(&state, STEP) + STEP);
}

static uint64_t add_bytes(uint64_t sum, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = mix(sum + STEP + (unsigned char)bytes[i]);
    return sum;
}

static uint64_t add_command(uint64_t sum)
{
    char bytes[4096];
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    return add_bytes(sum, bytes, size);
}

/* -- Pauses --------------------------------------------------------------------------------------------------- */

/* A call that is safe in signal handlers and that the sandbox allows. */
static void jitter(void)
{
    if (!atomic_load(&state))
        return;
    int saved_errno = errno;
    uint64_t number = draw(), us = 0;
    if (number % LONG_ONE_IN == 0)
        us = LONG_US;
    else if (number % short_one_in == 0)
        us = (number >> 32) % SHORT_US;
    if (us > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)us * 1000}, NULL);
    errno = saved_errno;
}

/* Pauses become rare after many messages: some tests have workers that send without end. */
static void jitter_talk(void)
{
    static _Atomic unsigned talks;
    unsigned count = atomic_fetch_add(&talks, 1);
    if (count < 500 || count % 64 == 0)
        jitter();
}

/* Sockets, pipes and the like, where reading may wait. */
static void jitter_at(int fd)
{
    struct stat info;
    int saved_errno = errno;
    if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode))
        jitter_talk();
    errno = saved_errno;
}

/* -- Calls ---------------------------------------------------------------------------------------------------- */

/* Finds the next definition of the call at the start of the program: a signal handler, or the child of a process with
 * threads, must not call dlsym. */
#define NEXT(type, name, parameters)                                                                              \
    static type(*next_##name) parameters;                                                                         \
    __attribute__((constructor)) static void find_##name(void)                                                    \
    {                                                                                                             \
        *(void **)&next_##name = dlsym(RTLD_NEXT, #name);                                                         \
    }

/* Defines a call that pauses first. */
#define PAUSING(type, name, parameters, arguments, pause)                                                         \
    NEXT(type, name, parameters)                                                                                  \
    type name parameters                                                                                          \
    {                                                                                                             \
        if (!next_##name)                                                                                         \
            find_##name();                                                                                        \
        pause;                                                                                                    \
        return next_##name arguments;                                                                             \
    }

PAUSING(int, rename, (const char *from, const char *to), (from, to), jitter())
PAUSING(int, renameat, (int from_fd, const char *from, int to_fd, const char *to), (from_fd, from, to_fd, to),
        jitter())
PAUSING(int, unlink, (const char *path), (path), jitter())
PAUSING(int, rmdir, (const char *path), (path), jitter())
PAUSING(int, mkdir, (const char *path, mode_t mode), (path, mode), jitter())
PAUSING(int, access, (const char *path, int mode), (path, mode), jitter())
PAUSING(int, lstat, (const char *restrict path, struct stat *restrict out), (path, out), jitter())
PAUSING(int, ftruncate, (int fd, off_t size), (fd, size), jitter())
PAUSING(int, fsync, (int fd), (fd), jitter())

PAUSING(pid_t, waitpid, (pid_t pid, int *status, int flags), (pid, status, flags), jitter())
PAUSING(pid_t, wait4, (pid_t pid, int *status, int flags, struct rusage *usage), (pid, status, flags, usage),
        jitter())
PAUSING(int, kill, (pid_t pid, int number), (pid, number), jitter())
PAUSING(int, poll, (struct pollfd * fds, nfds_t count, int timeout), (fds, count, timeout), jitter_talk())

PAUSING(ssize_t, read, (int fd, void *data, size_t size), (fd, data, size), jitter_at(fd))
PAUSING(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size), jitter_at(fd))
PAUSING(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), jitter())
PAUSING(ssize_t, send, (int fd, const void *data, size_t size, int flags), (fd, data, size, flags), jitter_talk())
PAUSING(ssize_t, recv, (int fd, void *data, size_t size, int flags), (fd, data, size, flags), jitter_talk())
PAUSING(ssize_t, sendmsg, (int fd, const struct msghdr *packet, int flags), (fd, packet, flags), jitter_talk())
PAUSING(ssize_t, recvmsg, (int fd, struct msghdr *packet, int flags), (fd, packet, flags), jitter_talk())
PAUSING(int, shutdown, (int fd, int how), (fd, how), jitter())

NEXT(int, open, (const char *path, int flags, ...))

int open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    if ((flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (!next_open)
        find_open();
    if ((flags & O_ACCMODE) != O_RDONLY)
        jitter();
    return next_open(path, flags, mode);
}

NEXT(int, fcntl, (int fd, int command, ...))

int fcntl(int fd, int command, ...)
{
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *); /* or a number, which is passed in the same way */
    va_end(rest);
    if (!next_fcntl)
        find_fcntl();
    switch (command) {
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
    case F_OFD_GETLK:
        jitter();
    }
    return next_fcntl(fd, command, argument);
}

NEXT(pid_t, fork, (void))

/* Whichever of the two goes on first. */
pid_t fork(void)
{
    if (!next_fork)
        find_fork();
    jitter();
    uint64_t of_child = atomic_load(&state) ? draw() : 0;
    pid_t pid = next_fork();
    if (pid == 0 && of_child)
        atomic_store(&state, of_child);
    jitter();
    return pid;
}

__attribute__((constructor)) static void begin(void)
{
    const char *seed = getenv("JITTER"), *test = getenv("BATS_TEST_NAME");
    uint64_t sum = seed ? strtoull(seed, NULL, 10) : 0;
    if (sum == 0)
        return;
    short_one_in = 2u << sum % 3;
    sum = add_bytes(mix(sum), test ? test : "", test ? strlen(test) : 0);
    sum = add_command(sum);
    atomic_store(&state, sum ? sum : 1);
}
