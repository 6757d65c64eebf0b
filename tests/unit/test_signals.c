#include <stdbool.h>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "os/signals.h"
#include "test.h"

enum { ALIVE = 42 };

/* The clock of these tests: time passes when they say so. */
static struct timespec now;

int clock_gettime(clockid_t clock, struct timespec *out)
{
    (void)clock;
    *out = now;
    return 0;
}

static void pass(long ms)
{
    now.tv_nsec += ms * 1000000;
    now.tv_sec += now.tv_nsec / 1000000000;
    now.tv_nsec %= 1000000000;
}

static bool is_readable(void)
{
    struct pollfd polled = {.fd = signals_fd(), .events = POLLIN};
    return poll(&polled, 1, 0) == 1;
}

/* Catches signals in a process of its own, which raises the two so much apart and then leaves with ALIVE. Its
 * status. */
static int status_after(int first, long apart_ms, int second)
{
    pid_t child = fork();
    if (child == 0) {
        struct error err;
        signals_open(&err);
        raise(first);
        pass(apart_ms);
        raise(second);
        _exit(signals_first() == first ? ALIVE : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void check_lives(int first, long apart_ms, int second)
{
    int status = status_after(first, apart_ms, second);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), ALIVE);
}

static void check_dies(int first, long apart_ms, int second)
{
    int status = status_after(first, apart_ms, second);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), second);
}

TEST(first_signal_is_kept_and_wakes)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    struct error err;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        assert_int_equal(signals_open(&err), 0);
        assert_int_equal(signals_first(), 0);
        assert_false(is_readable());
        raise(numbers[i]);
        assert_int_equal(signals_first(), numbers[i]);
        assert_true(is_readable());
        signals_close();
    }
}

TEST(second_signal_ends_the_process_at_once)
{
    check_dies(SIGINT, 500, SIGINT);
    check_dies(SIGTERM, 500, SIGINT);
    check_dies(SIGHUP, 500, SIGTERM);
}

TEST(two_within_a_moment_are_one)
{
    check_lives(SIGTERM, 0, SIGTERM);
    check_lives(SIGINT, 499, SIGTERM);
}

TEST(hanging_up_is_no_second_signal)
{
    check_lives(SIGTERM, 500, SIGHUP);
    check_lives(SIGHUP, 500, SIGHUP);
    check_lives(SIGXCPU, 500, SIGXCPU);
}

TEST(ignored_signal_stays_ignored)
{
    struct error err;
    signal(SIGHUP, SIG_IGN);
    assert_int_equal(signals_open(&err), 0);
    raise(SIGHUP);
    assert_int_equal(signals_first(), 0);
    signals_close();
    assert_true(signal(SIGHUP, SIG_DFL) == SIG_IGN);
}

TEST(what_was_there_before_is_restored_by_the_last_close)
{
    struct error err;
    assert_int_equal(signals_open(&err), 0);
    assert_int_equal(signals_open(&err), 0);
    raise(SIGTERM);
    signals_close();
    assert_int_equal(signals_first(), SIGTERM);
    signals_close();
    struct sigaction action;
    sigaction(SIGTERM, NULL, &action);
    assert_true(action.sa_handler == SIG_DFL);
}

/* The status of a process that signals_fork started and that raises this. */
static int status_of_forked(int number)
{
    struct error err;
    int status;
    assert_int_equal(signals_open(&err), 0);
    pid_t child = signals_fork();
    if (child == 0) {
        raise(number);
        _exit(ALIVE);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    signals_close();
    return status;
}

TEST(forked_process_ignores_all_but_its_own_time_limit)
{
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        int status = status_of_forked(ignored[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == ALIVE);
    }
    int status = status_of_forked(SIGXCPU);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
}
