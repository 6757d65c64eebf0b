#include "page/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "page/folder.h"
#include "os/signals.h"

enum { POLL_MS = 100 };

/* A shard that is alone holds the lock exclusively while it tidies up. Other shards try this many times, POLL_MS
 * apart, before they treat it as another run. */
enum { PATIENCE = 20 };

/* After so many tries it gives up: each time another file had taken the place of the one it had locked. */
enum { OPEN_ATTEMPTS = 5 };

/* F_RDLCK, F_WRLCK or F_UNLCK. 0, or -1 with errno. */
static int set_lock(int fd, short type)
{
    struct flock all = {.l_type = type, .l_whence = SEEK_SET};
    int result;
    do {
        result = fcntl(fd, F_OFD_SETLK, &all);
    } while (result < 0 && errno == EINTR);
    return result;
}

/* -- The holder -------------------------------------------------------------------------------------------- */

/* Information for people; nothing depends on it. */
static void sign(int fd)
{
    char host[128] = "?", since[32] = "?";
    gethostname(host, sizeof host - 1);
    time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc))
        strftime(since, sizeof since, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (ftruncate(fd, 0) == 0)
        dprintf(fd, "process %ld on %s, since %s\n", (long)getpid(), host, since);
}

/* The type of the lock that another run holds, or F_UNLCK. */
static short find_lock(int fd)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &all) < 0 ? F_UNLCK : all.l_type;
}

static char *describe_holder(int fd)
{
    char text[256] = "";
    if (find_lock(fd) == F_RDLCK)
        return must_strdup("shards of a run");
    if (pread(fd, text, sizeof text - 1, 0) < 0)
        text[0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    printable_mask(text);
    return must_strdup(text[0] ? text : "another run");
}

bool lock_is_held(const char *folder)
{
    char *path = path_join(folder, LOCK_FILE);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    free(path);
    if (fd < 0)
        return false;
    bool is_held = find_lock(fd) != F_UNLCK;
    close(fd);
    return is_held;
}

/* -- Taking the lock --------------------------------------------------------------------------------------- */

static enum lock_end wait_for_it(struct lock *lock, const char *folder, const struct lock_settings *settings,
                                 int *signal_number, struct error *err)
{
    unsigned patience = settings->is_shard ? PATIENCE : 0;
    for (unsigned i = 0;; i++) {
        lock->is_alone = set_lock(lock->fd, F_WRLCK) == 0;
        if (lock->is_alone || (lock->is_shard && set_lock(lock->fd, F_RDLCK) == 0))
            return LOCK_HELD;
        if (errno != EAGAIN && errno != EACCES) { /* not because of another run */
            error_set(err, "%s/%s: cannot lock this file: %s (--lock off does without)", folder, LOCK_FILE,
                      strerror(errno));
            return LOCK_FAILED;
        }
        if (i == patience) {
            char *holder = describe_holder(lock->fd);
            error_set(err, "%s: another run is at work in this folder: %s", folder, holder);
            if (settings->wait) {
                char *text = must_printf("%s: waiting for another run to leave this folder: %s", folder, holder);
                settings->waiting(settings->context, text);
                free(text);
            }
            free(holder);
        }
        if (i >= patience && !settings->wait)
            return LOCK_BUSY;
        struct pollfd signals = {.fd = signals_fd(), .events = POLLIN};
        poll(&signals, 1, POLL_MS);
        *signal_number = signals_first();
        if (*signal_number)
            return LOCK_INTERRUPTED;
    }
}

/* On LOCK_HELD the file is open and locked. */
static enum lock_end open_and_wait(struct lock *lock, const char *folder, const char *path,
                                   const struct lock_settings *settings, int *signal_number, struct error *err)
{
    for (int i = 0; i < OPEN_ATTEMPTS; i++) {
        if (i > 0 && file_make_folders(folder, err) < 0)
            return LOCK_FAILED;
        lock->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (lock->fd < 0) {
            error_set(err, "%s: %s", path, strerror(errno));
            return LOCK_FAILED;
        }
        enum lock_end end = wait_for_it(lock, folder, settings, signal_number, err);
        /* While we waited, the folder may have been removed, and made again by another run. */
        struct stat ours, there;
        if (end == LOCK_HELD && fstat(lock->fd, &ours) == 0 && lstat(path, &there) == 0 &&
            ours.st_dev == there.st_dev && ours.st_ino == there.st_ino)
            return LOCK_HELD;
        close(lock->fd);
        if (end != LOCK_HELD)
            return end;
    }
    error_set(err, "%s: this file was replaced each time we had locked it (--lock off does without)", path);
    return LOCK_FAILED;
}

enum lock_end lock_take(const char *folder, const struct lock_settings *settings, struct lock *out,
                        int *signal_number, struct error *err)
{
    struct lock lock = {.is_shard = settings->is_shard};
    if (signals_open(err) < 0)
        return LOCK_FAILED;
    char *path = path_join(folder, LOCK_FILE);
    enum lock_end end = open_and_wait(&lock, folder, path, settings, signal_number, err);
    free(path);
    signals_close();
    if (end == LOCK_HELD && signals_first()) { /* the signal came after the wait */
        *signal_number = signals_first();
        close(lock.fd);
        end = LOCK_INTERRUPTED;
    }
    if (end != LOCK_HELD)
        return end;
    if (!lock.is_shard)
        sign(lock.fd);
    *out = lock;
    return LOCK_HELD;
}

void lock_let_in(struct lock *lock)
{
    if (!lock->is_shard)
        return;
    lock->is_alone = false;
    set_lock(lock->fd, F_RDLCK);
}

void lock_release(struct lock *lock)
{
    /* Folders with the same sheets have the same bytes. A text that stays does no other harm. */
    int ignored = lock->is_shard ? 0 : ftruncate(lock->fd, 0);
    (void)ignored;
    set_lock(lock->fd, F_UNLCK);
    close(lock->fd);
}
