/* A library for LD_PRELOAD: trouble with the machine.
 *
 *     CLOCK_BACK=1        each reading of the time of day is an hour earlier
 *     FORKS=N             fork fails after N processes
 *     WATCHES=N           inotify_add_watch fails after N calls
 *     SIGNAL_AT_MODEL=N   raises signal N before each MD2 model is opened
 *     LOSE_MODEL=NAME     the first attempt of any process to open the MD2 model NAME fails
 *     LOSE_AFTER=N        not the first, but the one after N others
 *     STALL_WRITES=1      writing to a temporary file (.tmp) never ends
 *     INTERRUPT_WRITES=1  writing to a temporary file fails with EINTR
 *     SIGNAL_AT_LOCK=N    raises signal N after the first lock
 *     STOP_AT_LINE=TEXT   a process stops (SIGSTOP) before it writes something that begins with TEXT
 *     SWAP_FOLDERS=A:B    exchanges two folders before the first picture is opened
 *     EIO_AT_LIBRARIES=N  the first N attempts of any process to open libOSMesa fail
 *     BROKEN_LIST=NAME    listing a folder fails before the entry NAME
 *
 * and what a run costs:
 *
 *     UNPACKED=FILE       gets a byte for each file of an archive that is unpacked
 *     PEAK=FILE           gets the most memory that the program itself had, in KiB */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int forks;

pid_t fork(void)
{
    pid_t (*real)(void);
    const char *most = getenv("FORKS");
    *(void **)&real = dlsym(RTLD_NEXT, "fork");
    if (most && forks >= (int)strtol(most, NULL, 10)) {
        errno = EAGAIN;
        return -1;
    }
    forks++;
    return real();
}

int inotify_add_watch(int fd, const char *path, uint32_t events)
{
    static int watches;
    const char *most = getenv("WATCHES");
    if (most && watches++ >= (int)strtol(most, NULL, 10)) {
        errno = ENOSPC;
        return -1;
    }
    return (int)syscall(SYS_inotify_add_watch, fd, path, events);
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    static long looks;
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME && getenv("CLOCK_BACK"))
        time->tv_sec -= 3600 * looks++;
    return result;
}

static int *opened_libraries, *lost_models; /* of all processes */

__attribute__((constructor)) static void share_counts(void)
{
    opened_libraries =
        mmap(NULL, 2 * sizeof *opened_libraries, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    lost_models = opened_libraries + 1;
}

void *dlopen(const char *name, int flags)
{
    void *(*real)(const char *, int);
    const char *number = getenv("EIO_AT_LIBRARIES");
    *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    if (number && name && strstr(name, "libOSMesa") && (*opened_libraries)++ < (int)strtol(number, NULL, 10))
        name = "/proc/self/mem"; /* cannot be read as a library: Input/output error */
    return real(name, flags);
}

static int is_temporary(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path);
    return length > 4 && !memcmp(path + length - 4, ".tmp", 4);
}

ssize_t write(int fd, const void *data, size_t size)
{
    int ends[2];
    char c;
    const char *line = getenv("STOP_AT_LINE");
    if (line && size >= strlen(line) && !memcmp(data, line, strlen(line)))
        raise(SIGSTOP);
    if (getenv("INTERRUPT_WRITES") && is_temporary(fd)) {
        errno = EINTR;
        return -1;
    }
    if (getenv("STALL_WRITES") && is_temporary(fd) && pipe(ends) == 0)
        return read(ends[0], &c, 1); /* nobody ever writes */
    return syscall(SYS_write, fd, data, size);
}

int fcntl(int fd, int command, ...)
{
    static int has_come;
    const char *number = getenv("SIGNAL_AT_LOCK");
    va_list rest;
    va_start(rest, command);
    void *argument = va_arg(rest, void *); /* or a number, which is passed in the same way */
    va_end(rest);
    int result = (int)syscall(SYS_fcntl, fd, command, argument);
    if (number && command == F_OFD_SETLK && !has_come) {
        has_come = 1;
        raise((int)strtol(number, NULL, 10));
    }
    return result;
}

static void swap_folders(const char *names)
{
    char first[4096], second[4096];
    if (sscanf(names, "%4095[^:]:%4095[^:]", first, second) == 2)
        renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE);
}

/* A file of this path is about to be opened. */
static void note_open(const char *path)
{
    static int has_swapped;
    const char *names = getenv("SWAP_FOLDERS"), *number = getenv("SIGNAL_AT_MODEL");
    bool is_model = strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".md2");
    if (number && is_model)
        raise((int)strtol(number, NULL, 10));
    if (names && !has_swapped && strlen(path) > 4 && !strcmp(path + strlen(path) - 4, ".png")) {
        has_swapped = 1;
        swap_folders(names);
    }
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    note_open(path);
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    note_open(path);
    if (getenv("LOSE_MODEL") && !strcmp(path, getenv("LOSE_MODEL")) &&
        (*lost_models)++ == (getenv("LOSE_AFTER") ? (int)strtol(getenv("LOSE_AFTER"), NULL, 10) : 0)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

/* What openat is with _FORTIFY_SOURCE where the flags are not constant. */
int __openat_2(int folder, const char *path, int flags);
int __openat_2(int folder, const char *path, int flags)
{
    return openat(folder, path, flags, 0);
}

static int breaks_off(const char *name)
{
    const char *broken = getenv("BROKEN_LIST");
    if (!broken || strcmp(name, broken))
        return 0;
    errno = EIO;
    return 1;
}

struct dirent *readdir(DIR *folder)
{
    struct dirent *(*real)(DIR *);
    *(void **)&real = dlsym(RTLD_NEXT, "readdir");
    struct dirent *entry = real(folder);
    return entry && breaks_off(entry->d_name) ? NULL : entry;
}

struct dirent64 *readdir64(DIR *folder)
{
    struct dirent64 *(*real)(DIR *);
    *(void **)&real = dlsym(RTLD_NEXT, "readdir64");
    struct dirent64 *entry = real(folder);
    return entry && breaks_off(entry->d_name) ? NULL : entry;
}

/* As libdeflate.h has it. */
int libdeflate_deflate_decompress(void *decompressor, const void *in, size_t in_size, void *out, size_t out_size,
                                  size_t *actual_size);
int libdeflate_deflate_decompress(void *decompressor, const void *in, size_t in_size, void *out, size_t out_size,
                                  size_t *actual_size)
{
    int (*real)(void *, const void *, size_t, void *, size_t, size_t *);
    *(void **)&real = dlsym(RTLD_NEXT, "libdeflate_deflate_decompress");
    FILE *list = getenv("UNPACKED") ? fopen(getenv("UNPACKED"), "ae") : NULL;
    if (list) {
        putc('.', list);
        fclose(list);
    }
    return real(decompressor, in, in_size, out, out_size, actual_size);
}

static pid_t program;

__attribute__((constructor)) static void remember_program(void)
{
    program = getpid();
}

__attribute__((destructor)) static void write_peak(void)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "re");
    FILE *out = getenv("PEAK") && getpid() == program ? fopen(getenv("PEAK"), "we") : NULL;
    while (out && status && fgets(line, sizeof line, status))
        if (!strncmp(line, "VmHWM:", 6))
            fprintf(out, "%ld\n", strtol(line + 6, NULL, 10));
    if (out)
        fclose(out);
    if (status)
        fclose(status);
}
