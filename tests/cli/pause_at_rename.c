/* A library for LD_PRELOAD: a process stops (SIGSTOP) before it renames a file to a path that ends in PAUSE_AT. Its temporary
 * file exists then.
 *
 *     PAUSE_ONCE         only the first process of the run stops
 *     PAUSE_SIGNAL=N     it dies of signal N instead
 *     PAUSE_PASSES_TIME  the clock runs fast while it has stopped, so that long time limits end soon for this page alone
 *     PAUSE_ORPHANS      workers outlive their supervisor, like workers that wait for a disk */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Shared by all processes of the run: workers in their sandbox can write nowhere else. */
static struct {
    atomic_flag has_paused;
    atomic_int paused;     /* the process that has stopped, or 0 */
    atomic_long passed_ms; /* how far the clock is ahead */
} * shared;

/* Added at each reading of the clock. A larger step would look like time in which the whole run had stopped. */
enum { STEP_MS = 300 };

static int ends_in(const char *text, const char *end)
{
    size_t text_length = strlen(text), end_length = strlen(end);
    return text_length >= end_length && !strcmp(text + text_length - end_length, end);
}

__attribute__((constructor)) static void share(void)
{
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
}

static int may_pause(void)
{
    return !getenv("PAUSE_ONCE") || !atomic_flag_test_and_set(&shared->has_paused);
}

static void stop(void)
{
    const char *number = getenv("PAUSE_SIGNAL");
    if (number)
        signal((int)strtol(number, NULL, 10), SIG_DFL); /* a sanitizer may have a handler */
    atomic_store(&shared->paused, getpid());
    raise(number ? (int)strtol(number, NULL, 10) : SIGSTOP);
    atomic_store(&shared->paused, 0);
}

int rename(const char *from, const char *to)
{
    const char *end = getenv("PAUSE_AT");
    if (end && ends_in(to, end) && may_pause())
        stop();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* A process that has ended counts until its parent has waited for it. */
static int is_paused(void)
{
    int process = shared ? atomic_load(&shared->paused) : 0;
    return process && kill(process, 0) == 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int result = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock != CLOCK_MONOTONIC || !getenv("PAUSE_PASSES_TIME") || !shared)
        return result;
    if (is_paused())
        atomic_fetch_add(&shared->passed_ms, STEP_MS);
    long passed_ms = atomic_load(&shared->passed_ms);
    now->tv_sec += passed_ms / 1000;
    now->tv_nsec += passed_ms % 1000 * 1000000;
    if (now->tv_nsec >= 1000000000) {
        now->tv_sec++;
        now->tv_nsec -= 1000000000;
    }
    return result;
}

int prctl(int option, ...)
{
    unsigned long arguments[4];
    va_list rest;
    va_start(rest, option);
    for (int i = 0; i < 4; i++)
        arguments[i] = va_arg(rest, unsigned long);
    va_end(rest);
    if (option == PR_SET_PDEATHSIG && getenv("PAUSE_ORPHANS"))
        return 0;
    return (int)syscall(SYS_prctl, option, arguments[0], arguments[1], arguments[2], arguments[3]);
}
