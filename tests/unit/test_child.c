

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "os/child.h"
#include "os/resources.h"
#include "os/sandbox.h"
#include "os/signals.h"
#include "test.h"

static int make_text(void *context, struct blob *out)
{
    *out = (struct blob){(uint8_t *)must_strdup(context), strlen(context)};
    return 3;
}

static int make_much(void *context, struct blob *out)
{
    size_t size = *(size_t *)context;
    *out = (struct blob){must_alloc(size, 1), size};
    memset(out->data, 'x', size);
    return 0;
}

static int die(void *context, struct blob *out)
{
    (void)context, (void)out;
    raise(SIGKILL);
    return 0;
}

static int leave(void *context, struct blob *out)
{
    (void)context, (void)out;
    _exit(9);
}

static int tell_process(void *context, struct blob *out)
{
    (void)out;
    return *(pid_t *)context == getpid();
}

static int make_socket(void *context, struct blob *out)
{
    (void)context, (void)out;
    return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? errno : 0;
}

static int run_child(enum sandbox_mode mode, int (*make)(void *, struct blob *), void *context, struct blob *out,
                     struct error *err)
{
    struct sandbox_rules rules = {.mode = mode};
    return sandbox_run(&rules, 0, make, context, out, err);
}

TEST(what_is_made_comes_back)
{
    struct blob out = {0};
    struct error err;
    assert_int_equal(run_child(SANDBOX_AUTO, make_text, "a picture", &out, &err), 3);
    assert_int_equal(out.size, 9);
    assert_memory_equal(out.data, "a picture", 9);
    blob_release(&out);
}

TEST(much_comes_back_whole)
{
    struct blob out = {0};
    struct error err;
    size_t size = 5 * 1000 * 1000;
    assert_int_equal(run_child(SANDBOX_AUTO, make_much, &size, &out, &err), 0);
    assert_int_equal(out.size, size);
    assert_int_equal(out.data[size - 1], 'x');
    blob_release(&out);
}

/* Without the limit of its parent. */
static int make_more(void *context, struct blob *out)
{
    memory_limit_end(*(uint64_t *)context);
    return make_much(&(size_t){600 * 1000 * 1000}, out);
}

TEST(what_is_too_much_for_us_costs_the_answer_alone)
{
    skip_without_addresses();
    struct blob out = {0};
    struct error err;
    uint64_t before = memory_limit_begin(200 << 20);
    int result = child_run(&(struct child){.task = "read it", .make = make_more, .context = &before}, &out, &err);
    memory_limit_end(before);
    assert_int_equal(result, -1);
    assert_string_equal(err.text, "out of memory for what the process that read it says");
}

static void dies(int (*make)(void *, struct blob *), const char *why)
{
    struct blob out = {0};
    struct error err;
    assert_int_equal(run_child(SANDBOX_AUTO, make, NULL, &out, &err), -1);
    assert_non_null(strstr(err.text, why));
    assert_null(out.data);
}

TEST(a_death_is_told)
{
    dies(die, "killed by signal 9 (Killed)");
    dies(leave, "left with status 9");
}

static int wait_long(void *context, struct blob *out)
{
    (void)context, (void)out;
    sleep(60);
    return 0;
}

TEST(a_signal_to_us_is_no_lack_of_time)
{
    pid_t pid = fork(); /* which remembers the signal */
    if (pid == 0) {
        struct blob out = {0};
        struct error err = {""};
        signals_open(&err);
        raise(SIGTERM);
        int result = run_child(SANDBOX_AUTO, wait_long, NULL, &out, &err);
        _exit(result == -1 && strstr(err.text, "was ended by signal 15 (Terminated)") ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

TEST(it_is_another_process_unless_that_is_off)
{
    struct blob out = {0};
    struct error err;
    pid_t us = getpid();
    assert_int_equal(run_child(SANDBOX_AUTO, tell_process, &us, &out, &err), 0);
    blob_release(&out);
    assert_int_equal(run_child(SANDBOX_OFF, tell_process, &us, &out, &err), 1);
}

TEST(it_is_confined)
{
    struct sandbox_state found;
    struct blob out = {0};
    struct error err;
    sandbox_try(&found);
    assert_int_equal(run_child(SANDBOX_AUTO, make_socket, NULL, &out, &err), found.has_filter ? EPERM : 0);
    strings_release(&found.missing);
    blob_release(&out);
}

/* Waits so many times 0.8 s, and ends so. */
static int run_fork(unsigned count, int signal_number, struct error *err)
{
    int result = child_run(&(struct child){.task = "read it", .timeout_s = 2}, NULL, err);
    for (unsigned i = 0; result == CHILD_IS_THIS && i < count; i++)
        usleep(800 * 1000);
    if (result == CHILD_IS_THIS && signal_number)
        kill(getpid(), signal_number);
    if (result == CHILD_IS_THIS)
        _exit(7);
    return result;
}

TEST(without_make_it_is_a_fork)
{
    struct error err;
    assert_int_equal(run_fork(1, 0, &err), 7);
    assert_int_equal(run_fork(4, 0, &err), -1);
    assert_string_equal(err.text, "the process that read it took longer than 2 s");
    assert_int_equal(run_fork(1, SIGSTOP, &err), -1);
    assert_string_equal(err.text, "the process that read it took longer than 2 s");
    assert_int_equal(run_fork(0, SIGKILL, &err), -1);
    assert_non_null(strstr(err.text, "killed by signal 9"));
    assert_int_equal(run_fork(0, SIGPIPE, &err), 128 + SIGPIPE);
}
