/* Locks belong to open files, so that one process can play several runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "out/lock.h"
#include "temp_folder.h"

static struct lock_settings shard(uint32_t number, uint32_t count)
{
    return (struct lock_settings){.shard = {.number = number, .count = count}};
}

/* Number 0: all of it. */
static struct lock *must_take(const char *folder, uint32_t number, uint32_t count)
{
    struct lock_settings settings = shard(number, count);
    struct lock *lock = NULL;
    struct error err = {""};
    int signal_number;
    if (lock_take(folder, &settings, &lock, &signal_number, &err) != LOCK_HELD)
        fail_msg("%u/%u: %s", number, count, err.text);
    lock_settle(lock);
    return lock;
}

static void expect_busy(const char *folder, uint32_t number, uint32_t count, const char *who)
{
    struct lock_settings settings = shard(number, count);
    struct lock *lock = NULL;
    struct error err = {""};
    int signal_number;
    assert_int_equal(lock_take(folder, &settings, &lock, &signal_number, &err), LOCK_BUSY);
    assert_null(lock);
    if (!strstr(err.text, who))
        fail_msg("'%s' is not in '%s'", who, err.text);
}

static void a_run_has_the_folder_for_itself(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), *who = must_printf("process %ld on ", (long)getpid());
    struct lock *lock = must_take(folder, 0, 0);
    expect_busy(folder, 0, 0, who);
    expect_busy(folder, 1, 2, who);
    lock_release(lock);
    lock_release(must_take(folder, 0, 0));
    lock_release(must_take(folder, 1, 2));
    free(who);
    temp_folder_free(folder);
}

static void shards_of_one_number_share_it(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    struct lock *first = must_take(folder, 1, 3), *third = must_take(folder, 3, 3);
    expect_busy(folder, 3, 3, "shard 3/3, process");
    expect_busy(folder, 0, 0, "shard 1/3, process");
    lock_release(first);
    expect_busy(folder, 0, 0, "shard 3/3, process");
    lock_release(must_take(folder, 1, 3));
    lock_release(third);
    lock_release(must_take(folder, 0, 0));
    temp_folder_free(folder);
}

static void shards_of_different_numbers_do_not(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    struct lock *lock = must_take(folder, 1, 3);
    expect_busy(folder, 2, 4, "shard 1/3, process");
    expect_busy(folder, 2, 2, "shard 1/3, process");
    expect_busy(folder, 1, 1, "shard 1/3, process");
    expect_busy(folder, 65536, 65536, "shard 1/3, process");
    lock_release(lock);
    lock_release(must_take(folder, 65536, 65536));
    temp_folder_free(folder);
}

static void who_is_alone_is_told_so(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    struct lock_settings settings = shard(2, 2);
    struct lock *first, *second;
    struct error err;
    int signal_number;
    assert_int_equal(lock_take(folder, &settings, &second, &signal_number, &err), LOCK_HELD);
    assert_true(lock_is_alone(second));
    lock_settle(second);
    assert_false(lock_is_alone(second));
    settings = shard(1, 2);
    assert_int_equal(lock_take(folder, &settings, &first, &signal_number, &err), LOCK_HELD);
    assert_false(lock_is_alone(first));
    lock_release(first);
    lock_release(second);
    temp_folder_free(folder);
}

static void the_file_is_empty_when_nobody_is_there(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), *path = path_join(folder, LOCK_FILE);
    struct stat info;
    struct lock *first = must_take(folder, 1, 3), *second = must_take(folder, 2, 3);
    char *holder = lock_holder(folder);
    assert_non_null(strstr(holder, "shard 1/3"));
    free(holder);
    lock_release(first);
    holder = lock_holder(folder);
    assert_non_null(strstr(holder, "shard 2/3"));
    free(holder);
    lock_release(second);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 0);
    assert_null(lock_holder(folder));
    free(path);
    temp_folder_free(folder);
}

/* -- Processes --------------------------------------------------------------------------------------------- */

static int told_fd;

static void tell(void *context, const char *text)
{
    (void)context;
    if (write(told_fd, text, strlen(text) + 1) < 0)
        _exit(3);
}

/* A process that waits for the folder, and leaves with what lock_take returned. *fd has what it tells. */
static pid_t fork_waiting(const char *folder, int *fd)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        struct lock_settings settings = {.wait = true, .waiting = tell};
        struct lock *lock;
        struct error err;
        int signal_number = 0;
        told_fd = pipes[1];
        enum lock_end end = lock_take(folder, &settings, &lock, &signal_number, &err);
        _exit(end == LOCK_INTERRUPTED ? signal_number : (int)end);
    }
    close(pipes[1]);
    *fd = pipes[0];
    return pid;
}

static void expect_told(int fd, const char *part)
{
    char text[1000] = "";
    assert_true(read(fd, text, sizeof text - 1) > 0);
    if (!strstr(text, part))
        fail_msg("'%s' is not in '%s'", part, text);
}

static void expect_exit(pid_t pid, int wanted)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), wanted);
}

static void who_waits_says_so_once_and_gets_it(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), rest;
    struct lock *lock = must_take(folder, 0, 0);
    int fd;
    pid_t pid = fork_waiting(folder, &fd);
    expect_told(fd, "waiting for another run");
    usleep(250000);
    lock_release(lock);
    expect_exit(pid, LOCK_HELD);
    assert_int_equal(read(fd, &rest, 1), 0);
    close(fd);
    temp_folder_free(folder);
}

/* A process that takes its shard, says so in one pipe, and leaves the folder when the other ends. */
static pid_t fork_leaving(const char *folder, uint32_t number, uint32_t count, int ready, const int *end)
{
    pid_t pid = fork();
    if (pid == 0) {
        close(end[1]);
        struct lock *lock = must_take(folder, number, count);
        char byte = 0;
        bool was_told = write(ready, &byte, 1) == 1 && read(end[0], &byte, 1) == 0;
        lock_release(lock);
        _exit(was_told ? 0 : 3);
    }
    return pid;
}

/* All shards of a number take their locks, and give them back at once. */
static void come_and_leave(const char *folder)
{
    enum { RUNS = 8 };
    int ready[2], end[2];
    char byte;
    pid_t runs[RUNS];
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(end), 0);
    for (uint32_t i = 0; i < RUNS; i++) {
        runs[i] = fork_leaving(folder, i + 1, RUNS, ready[1], end);
        assert_int_equal(read(ready[0], &byte, 1), 1);
    }
    close(end[1]);
    for (int i = 0; i < RUNS; i++)
        expect_exit(runs[i], 0);
    close(end[0]);
    close(ready[0]);
    close(ready[1]);
}

/* Else each could take the others for some that stay, and nobody would empty the file. */
static void many_that_leave_at_once_leave_one_by_one(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), *path = path_join(folder, LOCK_FILE);
    for (int round = 0; round < 60; round++) {
        come_and_leave(folder);
        struct stat info;
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_size, 0);
    }
    free(path);
    temp_folder_free(folder);
}

static void who_waits_can_be_interrupted(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    char *folder = temp_folder_new();
    struct lock *lock = must_take(folder, 0, 0);
    for (size_t i = 0; i < 3; i++) {
        int fd;
        pid_t pid = fork_waiting(folder, &fd);
        expect_told(fd, "waiting");
        kill(pid, signals[i]);
        expect_exit(pid, signals[i]);
        close(fd);
    }
    lock_release(lock);
    temp_folder_free(folder);
}

/* Somebody removes the folder, or this file alone, while a run is at work there and another waits for it. */
struct replaced {
    struct lock *lock;
    const char *path;
};

static void replace_and_release(void *context, const char *text)
{
    (void)text;
    struct replaced *replaced = context;
    assert_int_equal(unlink(replaced->path), 0);
    lock_release(replaced->lock);
}

static void who_waited_at_a_file_that_is_gone_locks_the_one_that_is_there(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), *path = path_join(folder, LOCK_FILE);
    struct replaced replaced = {must_take(folder, 0, 0), path};
    const struct lock_settings settings = {.wait = true, .waiting = replace_and_release, .context = &replaced};
    struct lock *lock;
    struct error err;
    int signal_number;
    assert_int_equal(lock_take(folder, &settings, &lock, &signal_number, &err), LOCK_HELD);
    lock_settle(lock);
    expect_busy(folder, 0, 0, "process");
    lock_release(lock);
    free(path);
    temp_folder_free(folder);
}

static void who_is_killed_has_it_no_longer(void **state)
{
    (void)state;
    char *folder = temp_folder_new(), byte;
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        must_take(folder, 0, 0);
        if (write(pipes[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    expect_busy(folder, 0, 0, "process");
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    lock_release(must_take(folder, 0, 0));
    close(pipes[0]);
    close(pipes[1]);
    temp_folder_free(folder);
}

static void a_file_that_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    char *folder = temp_folder_new();
    struct lock_settings settings = {0};
    struct lock *lock;
    struct error err;
    int signal_number;
    temp_folder_add(folder, LOCK_FILE "/in the way", "");
    assert_int_equal(lock_take(folder, &settings, &lock, &signal_number, &err), LOCK_FAILED);
    assert_non_null(strstr(err.text, LOCK_FILE));
    assert_null(lock_holder(folder));
    temp_folder_free(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_has_the_folder_for_itself),
        cmocka_unit_test(shards_of_one_number_share_it),
        cmocka_unit_test(shards_of_different_numbers_do_not),
        cmocka_unit_test(who_is_alone_is_told_so),
        cmocka_unit_test(the_file_is_empty_when_nobody_is_there),
        cmocka_unit_test(who_waits_says_so_once_and_gets_it),
        cmocka_unit_test(many_that_leave_at_once_leave_one_by_one),
        cmocka_unit_test(who_waits_can_be_interrupted),
        cmocka_unit_test(who_waited_at_a_file_that_is_gone_locks_the_one_that_is_there),
        cmocka_unit_test(who_is_killed_has_it_no_longer),
        cmocka_unit_test(a_file_that_cannot_be_opened_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
