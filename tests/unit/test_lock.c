/* Locks belong to open files, so that one process can play several runs. */

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "page/folder.h"
#include "page/lock.h"
#include "temp_folder.h"
#include "test.h"

enum kind { WHOLE, SHARD };

static enum lock_end take(const char *folder, enum kind kind, struct lock *lock, struct error *err)
{
    int signal_number;
    return lock_take(folder, &(struct lock_settings){.is_shard = kind == SHARD}, lock, &signal_number, err);
}

static struct lock must_take(const char *folder, enum kind kind)
{
    struct lock lock;
    struct error err = {""};
    if (take(folder, kind, &lock, &err) != LOCK_HELD)
        fail_msg("%s", err.text);
    lock_let_in(&lock);
    return lock;
}

static void take_and_release(const char *folder, enum kind kind)
{
    struct lock lock = must_take(folder, kind);
    lock_release(&lock);
}

static void expect_busy(const char *folder, enum kind kind, const char *who)
{
    struct lock lock;
    struct error err = {""};
    assert_int_equal(take(folder, kind, &lock, &err), LOCK_BUSY);
    if (!strstr(err.text, who))
        fail_msg("'%s' is not in '%s'", who, err.text);
}

TEST(a_run_has_the_folder_for_itself)
{
    char *folder = temp_folder_new(), *who = must_printf("process %ld on ", (long)getpid());
    struct lock lock = must_take(folder, WHOLE);
    expect_busy(folder, WHOLE, who);
    expect_busy(folder, SHARD, who);
    assert_true(lock_is_held(folder));
    lock_release(&lock);
    assert_false(lock_is_held(folder));
    take_and_release(folder, WHOLE);
    take_and_release(folder, SHARD);
    free(who);
    temp_folder_free(folder);
}

TEST(shards_share_it)
{
    char *folder = temp_folder_new();
    struct lock first = must_take(folder, SHARD), second = must_take(folder, SHARD);
    expect_busy(folder, WHOLE, "shards of a run");
    assert_true(lock_is_held(folder));
    lock_release(&first);
    expect_busy(folder, WHOLE, "shards of a run");
    lock_release(&second);
    take_and_release(folder, WHOLE);
    temp_folder_free(folder);
}

TEST(the_first_shard_is_alone)
{
    char *folder = temp_folder_new();
    struct lock first, second;
    struct error err;
    assert_int_equal(take(folder, SHARD, &first, &err), LOCK_HELD);
    assert_true(first.is_alone);
    expect_busy(folder, SHARD, "another run");
    lock_let_in(&first);
    assert_false(first.is_alone);
    assert_int_equal(take(folder, SHARD, &second, &err), LOCK_HELD);
    assert_false(second.is_alone);
    lock_release(&first);
    lock_release(&second);
    temp_folder_free(folder);
}

TEST(the_file_is_empty_when_nobody_is_there)
{
    char *folder = temp_folder_new(), *path = path_join(folder, LOCK_FILE);
    struct stat info;
    struct lock lock = must_take(folder, WHOLE);
    assert_int_equal(stat(path, &info), 0);
    assert_true(info.st_size > 0);
    lock_release(&lock);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 0);
    free(path);
    temp_folder_free(folder);
}

/* -- Processes --------------------------------------------------------------------------------------------- */

static void expect_exit(pid_t pid, int wanted)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), wanted);
}

/* Shards that all start at once must not take each other for a run of everything. */
TEST(a_shard_waits_for_one_that_tidies_up)
{
    char *folder = temp_folder_new();
    struct lock first, second;
    struct error err;
    assert_int_equal(take(folder, SHARD, &first, &err), LOCK_HELD);
    pid_t pid = fork();
    if (pid == 0)
        _exit((int)take(folder, SHARD, &second, &err));
    usleep(300000);
    lock_let_in(&first);
    expect_exit(pid, LOCK_HELD);
    lock_release(&first);
    temp_folder_free(folder);
}

/* Somebody removes the folder, or this file alone, while a run is at work there and another waits for it. */
struct replaced {
    struct lock lock;
    const char *path;
};

static void replace_and_release(void *context, const char *text)
{
    (void)text;
    struct replaced *replaced = context;
    assert_int_equal(unlink(replaced->path), 0);
    lock_release(&replaced->lock);
}

TEST(who_waited_at_a_file_that_is_gone_locks_the_one_that_is_there)
{
    char *folder = temp_folder_new(), *path = path_join(folder, LOCK_FILE);
    struct replaced replaced = {must_take(folder, WHOLE), path};
    const struct lock_settings settings = {.wait = true, .waiting = replace_and_release, .context = &replaced};
    struct lock lock;
    struct error err;
    int signal_number;
    assert_int_equal(lock_take(folder, &settings, &lock, &signal_number, &err), LOCK_HELD);
    expect_busy(folder, WHOLE, "process");
    lock_release(&lock);
    free(path);
    temp_folder_free(folder);
}

TEST(a_file_that_cannot_be_opened_is_an_error)
{
    char *folder = temp_folder_new();
    struct lock_settings settings = {0};
    struct lock lock;
    struct error err;
    int signal_number;
    temp_folder_add(folder, LOCK_FILE "/in the way", "");
    assert_int_equal(lock_take(folder, &settings, &lock, &signal_number, &err), LOCK_FAILED);
    assert_non_null(strstr(err.text, LOCK_FILE));
    assert_false(lock_is_held(folder));
    temp_folder_free(folder);
}
