#include "os/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
enum { COUNT = sizeof numbers / sizeof *numbers };

static const double SECOND_S = 0.5;

/* Handlers get no context, so what they need is here. */
static struct {
    unsigned opened;
    int fd;
    volatile sig_atomic_t first; /* the signal, or 0 */
    double first_s;
    struct sigaction old_actions[COUNT];
} signals;

/* The others are blocked meanwhile. Calls nothing that a handler may not. */
static void handle(int number)
{
    int saved_errno = errno;
    if (!signals.first) {
        signals.first = number;
        signals.first_s = clock_now_s();
        uint64_t one = 1;
        ssize_t written = write(signals.fd, &one, sizeof one);
        (void)written; /* it can only fail if it is readable already */
    } else if ((number == SIGINT || number == SIGTERM) && clock_now_s() - signals.first_s >= SECOND_S) {
        signal(number, SIG_DFL);
        raise(number); /* comes when this handler returns */
    }
    errno = saved_errno;
}

static sigset_t end_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < COUNT; i++)
        sigaddset(&set, numbers[i]);
    return set;
}

int signals_open(struct error *err)
{
    if (signals.opened++ > 0)
        return 0;
    signals.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (signals.fd < 0) {
        signals.opened = 0;
        return error_set(err, "cannot wait for signals: %s", strerror(errno));
    }
    signals.first = 0;
    /* Logs are to be written to their end, so what a signal interrupts goes on. */
    struct sigaction action = {.sa_handler = handle, .sa_mask = end_signals(), .sa_flags = SA_RESTART};
    for (size_t i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &signals.old_actions[i]);
        if (signals.old_actions[i].sa_handler != SIG_IGN)
            sigaction(numbers[i], &action, NULL);
    }
    return 0;
}

void signals_close(void)
{
    if (--signals.opened > 0)
        return;
    for (size_t i = 0; i < COUNT; i++)
        sigaction(numbers[i], &signals.old_actions[i], NULL);
    close(signals.fd);
}

int signals_fd(void)
{
    return signals.fd;
}

int signals_first(void)
{
    return signals.first;
}

pid_t signals_fork(void)
{
    sigset_t ours = end_signals(), old;
    sigprocmask(SIG_BLOCK, &ours, &old);
    pid_t pid = fork();
    int reason = errno;
    if (pid == 0) {
        for (size_t i = 0; i < COUNT; i++)
            signal(numbers[i], numbers[i] == SIGXCPU ? SIG_DFL : SIG_IGN); /* that is about its own time */
        close(signals.fd);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    errno = reason;
    return pid;
}
